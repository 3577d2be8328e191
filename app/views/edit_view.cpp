// Fills the text and tints what goes red and what comes green.
#include "app/views/edit_view.h"

#include "app/views/paint.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>

#include <algorithm>

namespace footlight::app {

EditView::EditView(QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setTabChangesFocus(true);
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setAccessibleName(QStringLiteral("The edit"));
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void EditView::set_lines(const std::vector<EditLine>& lines) {
  setFont(theme().code(1));
  document()->setDocumentMargin(9);
  clear();
  QTextCursor cursor(document());
  for (size_t i = 0; i < lines.size(); ++i) {
    const EditLine& line = lines[i];
    QTextBlockFormat block;
    QTextCharFormat letters;
    letters.setForeground(theme()["text"]);
    if (line.kind == EditLine::kGone) block.setBackground(theme()["redSoft"]);
    if (line.kind == EditLine::kNew) block.setBackground(theme()["greenSoft"]);
    if (i) cursor.insertBlock(block);
    else cursor.setBlockFormat(block);
    QTextCharFormat faint;
    faint.setForeground(theme()[line.kind == EditLine::kGone  ? "red"
                                : line.kind == EditLine::kNew ? "green"
                                                              : "faint"]);
    const QString number = line.number ? QString::number(line.number) : QString();
    cursor.insertText(QStringLiteral("%1  %2  ").arg(number, 4).arg(QLatin1Char(line.kind)), faint);
    cursor.insertText(line.text, letters);
  }
  moveCursor(QTextCursor::Start);
  fit();
}

// Makes the widget as tall as its lines, of which long ones take several rows.
void EditView::fit() {
  const int rows = std::max(1, static_cast<int>(document()->documentLayout()->documentSize().height()));
  const int height = rows * QFontMetrics(font()).lineSpacing() + 22;
  if (height != maximumHeight()) setFixedHeight(height);
}

void EditView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  fit();
}

void EditView::paintEvent(QPaintEvent* event) {
  QPlainTextEdit::paintEvent(event);
  if (!hasFocus()) return;
  QPainter painter(viewport());
  focus_ring(painter, viewport());
}

}  // namespace footlight::app
