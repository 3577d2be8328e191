// Words, numbers, texts and comments of SQL in the colours of code.
#include "app/views/sql_editor.h"

#include "app/views/theme.h"

#include <QKeyEvent>
#include <QRegularExpression>

namespace footlight::app {
namespace {

const QRegularExpression& parts_of_sql() {
  static const QRegularExpression parts(QStringLiteral("(--[^\\n]*)|('(?:[^']|'')*'?)|([A-Za-z_][A-Za-z_0-9]*)|"
                                                       "([0-9]+(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"));
  return parts;
}

bool is_keyword(const QString& word) {
  static const QStringList words =
      QStringLiteral("SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT OFFSET AS AND OR NOT IN IS NULL LIKE GLOB BETWEEN "
                     "JOIN LEFT INNER CROSS ON USING CASE WHEN THEN ELSE END DISTINCT UNION ALL EXCEPT INTERSECT WITH "
                     "RECURSIVE OVER PARTITION ROWS RANGE UNBOUNDED PRECEDING FOLLOWING CURRENT ROW DESC ASC EXISTS "
                     "CAST COLLATE VALUES FILTER WINDOW")
          .split(QLatin1Char(' '));
  return words.contains(word, Qt::CaseInsensitive);
}

}  // namespace

void SqlColours::highlightBlock(const QString& text) {
  const Theme& t = theme();
  auto it = parts_of_sql().globalMatch(text);
  while (it.hasNext()) {
    const QRegularExpressionMatch match = it.next();
    QColor color;
    if (match.capturedLength(1)) color = t["faint"];
    else if (match.capturedLength(2)) color = t["green"];
    else if (match.capturedLength(4)) color = t["blue"];
    else if (is_keyword(match.captured(3))) color = t["violet"];
    else if (tables_.contains(match.captured(3))) color = t["teal"];
    if (color.isValid())
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), color);
  }
}

SqlEditor::SqlEditor(QWidget* parent) : QPlainTextEdit(parent), colours_(new SqlColours(document())) {
  setAccessibleName(QStringLiteral("SQL statement"));
  setAccessibleDescription(QStringLiteral("Ctrl+Enter runs it, Escape stops it."));
  setTabChangesFocus(true);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setPlaceholderText(QStringLiteral("SELECT function, count(*) FROM calls GROUP BY function"));
  document()->setDocumentMargin(9);
  connect(this, &QPlainTextEdit::textChanged, this, [this] { setExtraSelections({}); });
  show_theme();
}

void SqlEditor::show_theme() {
  setFont(theme().code());
  colours_->rehighlight();
}

void SqlEditor::set_statement(const QString& text) {
  // One step for undo, which brings back what somebody wrote.
  QTextCursor cursor(document());
  cursor.select(QTextCursor::Document);
  cursor.insertText(text);
  moveCursor(QTextCursor::End);
}

void SqlEditor::mark_error(int offset) {
  if (offset < 0) return setExtraSelections({});
  QTextCursor cursor(document());
  const int end = document()->characterCount() - 1;
  cursor.setPosition(std::clamp(offset, 0, end));
  cursor.movePosition(QTextCursor::EndOfWord, QTextCursor::KeepAnchor);
  if (!cursor.hasSelection() && !cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor))
    cursor.movePosition(QTextCursor::PreviousCharacter, QTextCursor::KeepAnchor);
  QTextEdit::ExtraSelection mark;
  mark.cursor = cursor;
  mark.format.setBackground(theme()["redSoft"]);
  mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
  mark.format.setUnderlineColor(theme()["red"]);
  setExtraSelections({mark});
  QTextCursor there = textCursor();
  there.setPosition(std::clamp(offset, 0, end));
  setTextCursor(there);
}

bool SqlEditor::event(QEvent* event) {
  // Before shortcuts of the window.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Escape) event->accept();
  }
  return QPlainTextEdit::event(event);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && event->modifiers() & Qt::ControlModifier) Q_EMIT run_asked();
  else if (event->key() == Qt::Key_Escape) Q_EMIT stop_asked();
  else QPlainTextEdit::keyPressEvent(event);
}

}  // namespace footlight::app
