// Draws code line by line and turns clicks and arrow keys into line numbers.
#include "app/views/code_view.h"

#include "app/views/paint.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>

namespace footlight::app {
namespace {

// The start of a comment outside strings, or -1.
qsizetype comment_start(const QString& text) {
  QChar quote;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar c = text[i];
    if (!quote.isNull()) {
      if (c == QLatin1Char('\\')) ++i;
      else if (c == quote) quote = QChar();
    } else if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
      quote = c;
    } else if (c == QLatin1Char('#')) {
      return i;
    }
  }
  return -1;
}

}  // namespace

CodeView::CodeView(QWidget* parent) : QAbstractScrollArea(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(QStringLiteral("Code"));
}

void CodeView::set_lines(std::vector<CodeLine> lines) {
  lines_ = std::move(lines);
  if (current_ &&
      std::none_of(lines_.begin(), lines_.end(), [&](const CodeLine& l) { return l.number == current_; }))
    current_ = 0;
  layout_lines();
}

void CodeView::set_fit(bool fit) {
  fit_ = fit;
  setVerticalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setHorizontalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setSizePolicy(QSizePolicy::Expanding, fit ? QSizePolicy::Fixed : QSizePolicy::Expanding);
  updateGeometry();
}

QSize CodeView::sizeHint() const { return {200, fit_ ? static_cast<int>(lines_.size()) * row_ + 8 : 300}; }
QSize CodeView::minimumSizeHint() const { return {80, fit_ ? sizeHint().height() : 60}; }

int CodeView::gutter() const {
  const int last = lines_.empty() ? 1 : lines_.back().number;
  const QFontMetrics metrics(theme().code());
  return 18 + metrics.horizontalAdvance(QString::number(std::max(last, 10)));
}

void CodeView::layout_lines() {
  const QFontMetrics metrics(theme().code());
  widest_ = 0;
  for (const CodeLine& l : lines_) {
    widest_ = std::max(widest_, static_cast<int>(l.text.size()) * metrics.averageCharWidth() +
                                    metrics.horizontalAdvance(l.note));
  }
  const int height = static_cast<int>(lines_.size()) * row_ + 8;
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(row_);
  const int width = gutter() + widest_ + 40;
  horizontalScrollBar()->setRange(0, fit_ ? 0 : std::max(0, width - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  if (fit_) updateGeometry();
  viewport()->update();
}

void CodeView::set_marks(const QSet<int>& selected, int value_line) {
  selected_ = selected;
  value_line_ = value_line;
  if (!selected.isEmpty() && !selected.contains(current_))
    current_ = *std::min_element(selected.begin(), selected.end());
  viewport()->update();
}

void CodeView::set_hover(const QSet<int>& numbers) {
  if (hover_ == numbers) return;
  hover_ = numbers;
  viewport()->update();
}

void CodeView::reveal(int number, bool centre) {
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].number != number) continue;
    const int top = static_cast<int>(i) * row_ + 4;
    QScrollBar* bar = verticalScrollBar();
    if (top < bar->value() || top + row_ > bar->value() + viewport()->height()) {
      bar->setValue(centre               ? top - viewport()->height() / 2
                    : top < bar->value() ? top
                                         : top + row_ - viewport()->height());
    }
    viewport()->update();
    return;
  }
}

int CodeView::row_at(const QPoint& point) const {
  const int row = (point.y() + verticalScrollBar()->value() - 4) / row_;
  return point.y() + verticalScrollBar()->value() >= 4 && row < static_cast<int>(lines_.size()) ? row : -1;
}

void CodeView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& t = theme();
  const QFont font = t.code();
  if (hasFocus() && current_ == 0) focus_ring(painter, viewport());  // no line shows it
  if (lines_.empty()) {
    if (!empty_.isEmpty()) {
      painter.setFont(t.ui());
      painter.setPen(t["faint"]);
      painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, empty_);
    }
    return;
  }
  const int left = gutter();
  const int dx = horizontalScrollBar()->value();
  const int first = std::max(0, (verticalScrollBar()->value() - 4) / row_);
  const int last = std::min(static_cast<int>(lines_.size()) - 1, first + viewport()->height() / row_ + 1);
  const double width = viewport()->width();
  for (int i = first; i <= last; ++i) {
    const CodeLine& line = lines_[static_cast<size_t>(i)];
    const QRectF row(0, i * row_ + 4 - verticalScrollBar()->value(), width, row_);
    const bool chosen = selected_.contains(line.number);
    const bool value = line.number == value_line_;
    QString tone = line.fate == QStringLiteral("staged")     ? QStringLiteral("amber")
                   : line.fate == QStringLiteral("fallback") ? QStringLiteral("red")
                   : line.fate == QStringLiteral("python")   ? QStringLiteral("teal")
                                                             : QString();
    const QRectF bar = row.adjusted(2, 1, -2, -1);
    if (chosen) {
      rounded(painter, bar, 3, t["selection"]);
    } else if (value) {
      rounded(painter, bar, 3, t["amberSoft"]);
    } else if (!tone.isEmpty()) {
      rounded(painter, bar, 3, with_alpha(t.color(tone + QStringLiteral("Soft")), t.is_dark() ? 0.62 : 1));
    }
    if (hover_.contains(line.number) || over_ == line.number) rounded(painter, bar, 3, with_alpha(t["text"], 0.06));
    if (!tone.isEmpty())
      rounded(painter, QRectF(row.left() + 2, row.top() + 1, 3, row.height() - 2), 1.5,
              t.color(tone + QStringLiteral("Fill")));
    text_in(painter, QRectF(8, row.top(), left - 16, row.height()), QString::number(line.number),
            chosen ? t["dim"] : t["faint"], font, Qt::AlignRight | Qt::AlignVCenter);

    double room = width - left - 8;
    if (!line.note.isEmpty()) {
      const QFont note_font = t.ui(-1);
      const double wanted = QFontMetricsF(note_font).horizontalAdvance(line.note);
      const qsizetype remark = dim_ ? -1 : comment_start(line.text);
      const double text_width =
          QFontMetricsF(font).horizontalAdvance(remark < 0 ? line.text : line.text.left(remark)) - dx;
      // The note never covers the code: it is cut off instead.
      const double free = width - left - text_width - 28;
      const double note = std::min(wanted, free);
      if (note > 40) {
        text_in(painter, QRectF(width - note - 12, row.top(), note + 2, row.height()), line.note,
                t.color(line.tone.isEmpty() ? QStringLiteral("dim") : line.tone), note_font,
                Qt::AlignRight | Qt::AlignVCenter);
        room -= note + 16;
      }
    }
    painter.save();
    painter.setClipRect(QRectF(left, row.top(), std::max(20.0, room), row.height()));
    painter.setFont(font);
    const qsizetype comment = dim_ ? -1 : comment_start(line.text);
    const QString code = comment < 0 ? line.text : line.text.left(comment);
    painter.setPen(chosen ? t["selectionText"] : dim_ ? t["dim"] : t["text"]);
    const QRectF at(left - dx, row.top(), 1e5, row.height());
    painter.drawText(at, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, code);
    if (comment >= 0) {
      painter.setPen(t["faint"]);
      painter.drawText(at.translated(QFontMetricsF(font).horizontalAdvance(code), 0),
                       Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line.text.mid(comment));
    }
    painter.restore();
    if (hasFocus() && line.number == current_) rounded(painter, bar, 3, {}, with_alpha(t["focus"], 0.8));
  }
}

void CodeView::walk(int row) {
  if (row < 0 || row >= static_cast<int>(lines_.size())) return;
  current_ = lines_[static_cast<size_t>(row)].number;
  setAccessibleDescription(
      QStringLiteral("line %1: %2 %3")
          .arg(current_)
          .arg(lines_[static_cast<size_t>(row)].text.trimmed(), lines_[static_cast<size_t>(row)].note));
  reveal(current_, false);
  viewport()->update();
  Q_EMIT activated(current_);
}

void CodeView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) walk(row_at(event->pos()));
  else QAbstractScrollArea::mousePressEvent(event);
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
  const int row = row_at(event->pos());
  const int number = row < 0 ? 0 : lines_[static_cast<size_t>(row)].number;
  if (number == over_) return;
  over_ = number;
  viewport()->update();
  Q_EMIT hovered(number);
}

bool CodeView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave && over_) {
    over_ = 0;
    viewport()->update();
    Q_EMIT hovered(0);
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
  int row = -1;
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].number == current_) row = static_cast<int>(i);
  }
  const int page = std::max(1, viewport()->height() / row_ - 1);
  const int last = static_cast<int>(lines_.size()) - 1;
  if (event->matches(QKeySequence::Copy) && row >= 0) {
    QGuiApplication::clipboard()->setText(lines_[static_cast<size_t>(row)].text);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Down: walk(row < 0 ? 0 : std::min(last, row + 1)); break;
    case Qt::Key_Up: walk(row < 0 ? 0 : std::max(0, row - 1)); break;
    case Qt::Key_PageDown: walk(std::min(last, row + page)); break;
    case Qt::Key_PageUp: walk(std::max(0, row - page)); break;
    case Qt::Key_Home: walk(0); break;
    case Qt::Key_End: walk(last); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (row >= 0) walk(row);
      break;
    default: QAbstractScrollArea::keyPressEvent(event);
  }
}

void CodeView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction(QStringLiteral("Copy line"), this, [this] {
    for (const CodeLine& l : lines_) {
      if (l.number == current_) QGuiApplication::clipboard()->setText(l.text);
    }
  });
  menu.addAction(QStringLiteral("Copy all"), this, [this] {
    QStringList all;
    for (const CodeLine& l : lines_) all << l.text;
    QGuiApplication::clipboard()->setText(all.join(QLatin1Char('\n')));
  });
  menu.exec(event->globalPos());
}

void CodeView::resizeEvent(QResizeEvent*) { layout_lines(); }
void CodeView::focusInEvent(QFocusEvent*) { viewport()->update(); }
void CodeView::focusOutEvent(QFocusEvent*) { viewport()->update(); }

}  // namespace footlight::app
