// Draws code line by line and turns clicks and arrow keys into line numbers.
#include "app/views/code_view.h"

#include "app/views/code_accessible.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextLayout>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxCopied = 200'000;  // rows
constexpr qsizetype kMaxDrawn = 20'000; // characters of a line
// Shares of the width for a note: with so much it does not cover code; where there is less, it does.
constexpr double kEnoughForNote = 0.3, kNoteShare = 0.45;

}  // namespace

QString note_within(const QString& note, const QFont& font, double width) {
  const QFontMetricsF metrics(font);
  if (metrics.horizontalAdvance(note) <= width) return note;
  const QString more = QString::fromUtf8("…");
  // At the end of a part, if that uses more than half of the room; else between words.
  for (const QString& end : {QString::fromUtf8(" · "), QStringLiteral(", "), QStringLiteral(" ")}) {
    for (QString part = note; part.contains(end);) {
      part.truncate(part.lastIndexOf(end));
      const double took = metrics.horizontalAdvance(part + more);
      if (took > width) continue;
      if (end == QStringLiteral(" ") || took > width / 2) return part + more;
      break;
    }
  }
  return metrics.horizontalAdvance(more) <= width ? more : QString();
}

CodeView::CodeView(QWidget* parent)
    : QAbstractScrollArea(parent), text_(std::make_shared<ListText>(std::vector<CodeLine>{})) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(QStringLiteral("Code"));
  static const bool installed = (QAccessible::installFactory(make_code_accessible), true);
  Q_UNUSED(installed)
}

void CodeView::set_lines(std::vector<CodeLine> lines) { set_text(std::make_shared<ListText>(std::move(lines))); }

const std::vector<CodeLine>& CodeView::lines() const {
  static const std::vector<CodeLine> none;
  const auto* list = dynamic_cast<const ListText*>(text_.get());
  return list ? list->lines() : none;
}

void CodeView::set_text(std::shared_ptr<const CodeText> text) {
  text_ = std::move(text);
  has_found_ = false;
  if (current_ && text_->row_of(current_) < 0) current_ = 0;
  layout_lines();
}

void CodeView::set_costs(std::shared_ptr<const LineCosts> costs) {
  costs_ = std::move(costs);
  if (costs_) {
    const QFontMetrics metrics(theme().code()), titles(theme().ui(-2));
    int widths[3];
    for (int c = 0; c < 3; ++c) widths[c] = c < costs_->titles.size() ? titles.horizontalAdvance(costs_->titles[c]) : 0;
    qsizetype longest[3] = {0, 0, 0};
    for (const auto& [line, cell] : costs_->cells) {
      const QString* texts[] = {&cell.time, &cell.runs, &cell.nodes};
      for (int c = 0; c < 3; ++c) longest[c] = std::max(longest[c], texts[c]->size());
    }
    int right = 8;
    for (int c = 0; c < 3; ++c) {
      right += std::max(widths[c], static_cast<int>(longest[c]) * metrics.averageCharWidth()) + 14;
      columns_[c] = right;
    }
  }
  layout_lines();
}

void CodeView::set_fit(bool fit) {
  fit_ = fit;
  setVerticalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setHorizontalScrollBarPolicy(fit ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
  setSizePolicy(QSizePolicy::Expanding, fit ? QSizePolicy::Fixed : QSizePolicy::Expanding);
  updateGeometry();
}

QSize CodeView::sizeHint() const { return {200, fit_ ? static_cast<int>(text_->size()) * row_ + 8 : 300}; }
QSize CodeView::minimumSizeHint() const { return {80, fit_ ? sizeHint().height() : 60}; }

int CodeView::numbers() const {
  const int last = text_->size() ? text_->number(text_->size() - 1) : 1;
  const QFontMetrics metrics(theme().code());
  return (costs_ ? columns_[2] + 12 : 0) + 18 + metrics.horizontalAdvance(QString::number(std::max(last, 10)));
}

void CodeView::layout_lines() {
  const QFontMetrics metrics(theme().code());
  const int height = static_cast<int>(text_->size()) * row_ + top() + 4;
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(row_);
  const int width = numbers() + static_cast<int>(text_->longest()) * metrics.averageCharWidth() + 40;
  horizontalScrollBar()->setRange(0, fit_ ? 0 : std::max(0, width - viewport()->width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  horizontalScrollBar()->setSingleStep(metrics.averageCharWidth() * 4);
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
  const ptrdiff_t row = text_->row_of(number);
  if (row < 0) return;
  const int at = static_cast<int>(row) * row_ + top();
  QScrollBar* bar = verticalScrollBar();
  if (at - top() < bar->value() || at + row_ > bar->value() + viewport()->height()) {
    bar->setValue(centre                       ? at - viewport()->height() / 2
                  : at - top() < bar->value() ? at - top()
                                               : at + row_ - viewport()->height());
  }
  viewport()->update();
}

int CodeView::first_shown() const {
  const auto row = static_cast<size_t>((verticalScrollBar()->value() + row_ - 1) / row_);
  return text_->size() ? text_->number(std::min(row, text_->size() - 1)) : 0;
}

void CodeView::show_first(int number) {
  const ptrdiff_t row = text_->row_of(number);
  if (row >= 0) verticalScrollBar()->setValue(static_cast<int>(row) * row_);
}

void CodeView::scrollContentsBy(int dx, int dy) {
  QAbstractScrollArea::scrollContentsBy(dx, dy);
  viewport()->update();
  if (dy) Q_EMIT scrolled();
}

int CodeView::row_at(const QPoint& point) const {
  if (costs_ && point.y() < top()) return -1;
  const int y = point.y() + verticalScrollBar()->value() - top();
  return y >= 0 && y / row_ < static_cast<int>(text_->size()) ? y / row_ : -1;
}

QRect CodeView::row_rect(size_t row, int character) const {
  const int width = QFontMetrics(theme().code()).averageCharWidth();
  return {numbers() + character * width - horizontalScrollBar()->value(),
          static_cast<int>(row) * row_ + top() - verticalScrollBar()->value(), width, row_};
}

void CodeView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painted_ = 0;
  if (hasFocus() && current_ == 0) focus_ring(painter, viewport());  // no line shows it
  if (!text_->size()) {
    if (empty_.isEmpty()) return;
    painter.setFont(theme().ui());
    painter.setPen(theme()["faint"]);
    painter.drawText(viewport()->rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, empty_);
    return;
  }
  const int scroll = verticalScrollBar()->value();
  const int first = std::max(0, (scroll - top()) / row_);
  const int last = std::min(static_cast<int>(text_->size()) - 1, (scroll + viewport()->height()) / row_);
  if (costs_) {
    paint_titles(painter);
    painter.setClipRect(QRect(0, top() - 4, viewport()->width(), viewport()->height()));
  }
  for (int i = first; i <= last; ++i, ++painted_)
    paint_row(painter, static_cast<size_t>(i), QRectF(0, i * row_ + top() - scroll, viewport()->width(), row_));
}

void CodeView::paint_titles(QPainter& painter) const {
  for (int c = 0; c < 3 && c < costs_->titles.size(); ++c)
    text_in(painter, QRectF(0, 4, columns_[c], 20), costs_->titles[c], theme()["faint"], theme().ui(-2),
            Qt::AlignRight | Qt::AlignVCenter);
}

void CodeView::paint_costs(QPainter& painter, const CostCell& cell, const QRectF& at) const {
  const Theme& t = theme();
  const double width = cell.share * (columns_[2] + 2);
  if (width >= 2) rounded(painter, QRectF(6, at.top() + 2, width, at.height() - 4), 3, t["selection"]);
  const QString texts[] = {cell.time, cell.runs, cell.nodes};
  for (int c = 0; c < 3; ++c)
    text_in(painter, QRectF(0, at.top(), columns_[c], at.height()), texts[c], c ? t["dim"] : t["text"], t.code(),
            Qt::AlignRight | Qt::AlignVCenter);
}

void CodeView::paint_row(QPainter& painter, size_t row, const QRectF& at) const {
  const Theme& t = theme();
  const CodeLine line = text_->line(row);
  const bool chosen = selected_.contains(line.number);
  const QString fate = line.fate.isEmpty() ? QString() : fate_tone(line.fate.toStdString());
  const QString strip = line.strip.isEmpty() ? fate : line.strip;
  const int before = costs_ ? columns_[2] + 10 : 0;
  const QRectF bar = at.adjusted(before + 2, 1, -2, -1);
  if (costs_) {
    const auto cell = costs_->cells.find(line.number);
    if (cell != costs_->cells.end()) paint_costs(painter, cell->second, at);
  }
  if (chosen) {
    rounded(painter, bar, 3, t["selection"]);
  } else if (line.number == value_line_) {
    rounded(painter, bar, 3, t["amberSoft"]);
  } else if (!fate.isEmpty() && !costs_) {
    rounded(painter, bar, 3, with_alpha(t.color(fate + QStringLiteral("Soft")), t.is_dark() ? 0.62 : 1));
  }
  if (hover_.contains(line.number) || over_ == line.number) rounded(painter, bar, 3, with_alpha(t["text"], 0.06));
  if (!strip.isEmpty())
    rounded(painter, QRectF(before + 2, at.top() + 1, 3, at.height() - 2), 1.5,
            t.color(strip + QStringLiteral("Fill")));
  text_in(painter, QRectF(before + 8, at.top(), numbers() - before - 16, at.height()), QString::number(line.number),
          chosen ? t["dim"] : t["faint"], t.code(), Qt::AlignRight | Qt::AlignVCenter);

  double room = at.width() - numbers() - 8;
  if (!line.note.isEmpty()) {
    const QFont font = t.ui(-1);
    const double used = QFontMetricsF(t.code()).horizontalAdvance(line.text.left(kMaxDrawn)) -
                        horizontalScrollBar()->value();
    // If both do not fit, the note gets its share, unless the user reads the code: then the code is shown in full.
    const bool read = over_ == line.number || (hasFocus() && line.number == current_) ||
                      horizontalScrollBar()->value() > 0;
    const double left = room - used - 20;
    const bool both = read || left >= kEnoughForNote * room;
    const QString shown = note_within(line.note, font, both ? left : kNoteShare * room);
    if (const double note = QFontMetricsF(font).horizontalAdvance(shown); note > 0) {
      const QString tone = line.tone.isEmpty() ? QStringLiteral("dim") : line.tone;
      text_in(painter, QRectF(at.width() - note - 12, at.top(), note + 2, at.height()), shown, t.color(tone), font,
              Qt::AlignRight | Qt::AlignVCenter);
      room -= note + 16;
    }
  }
  painter.save();
  painter.setClipRect(QRectF(numbers(), at.top(), std::max(20.0, room), at.height()), Qt::IntersectClip);
  paint_code(painter, line, row, at, chosen);
  painter.restore();
  if (hasFocus() && line.number == current_) rounded(painter, bar, 3, {}, with_alpha(t["focus"], 0.8));
}

void CodeView::paint_code(QPainter& painter, const CodeLine& line, size_t row, const QRectF& at, bool chosen) const {
  const Theme& t = theme();
  const QString text = line.text.left(kMaxDrawn);
  QTextLayout layout(text, t.code());
  QList<QTextLayout::FormatRange> formats;
  LineState state = text_->state(row);
  for (const ColouredText& token : python_tokens(text, state)) {
    QTextCharFormat format;
    format.setForeground(chosen && token.colour != TokenColour::kComment ? t["selectionText"]
                                                                         : t.color(token_tone(token.colour)));
    formats << QTextLayout::FormatRange{static_cast<int>(token.start), static_cast<int>(token.length), format};
  }
  if (has_found_ && found_.row == row) {
    QTextCharFormat format;
    format.setBackground(t["amberFill"]);
    format.setForeground(t["onFill"]);
    formats << QTextLayout::FormatRange{static_cast<int>(found_.start), static_cast<int>(found_.length), format};
  }
  layout.setFormats(formats);
  layout.beginLayout();
  QTextLine made = layout.createLine();
  made.setLineWidth(1e6);
  layout.endLayout();
  painter.setPen(chosen ? t["selectionText"] : dim_ ? t["dim"] : t["text"]);
  layout.draw(&painter, QPointF(numbers() - horizontalScrollBar()->value(),
                                at.top() + (at.height() - made.height()) / 2));
}

QString CodeView::spoken(size_t row) const {
  const CodeLine line = text_->line(row);
  QString said = QStringLiteral("line %1: %2").arg(line.number).arg(line.text.trimmed());
  if (!line.fate.isEmpty()) said += QStringLiteral("; ") + line.fate;
  const QString why = line.note.isEmpty() ? line.reason : line.note;
  if (!why.isEmpty()) said += QStringLiteral("; ") + why;
  if (!costs_) return said;
  const auto cell = costs_->cells.find(line.number);
  if (cell == costs_->cells.end()) return said;
  const QString values[] = {cell->second.time, cell->second.runs, cell->second.nodes};
  for (int c = 0; c < 3; ++c) {
    if (!values[c].isEmpty()) said += QStringLiteral("; ") + costs_->titles[c] + QLatin1Char(' ') + values[c];
  }
  return said;
}

void CodeView::walk(int row) {
  if (row < 0 || row >= static_cast<int>(text_->size())) return;
  current_ = text_->number(static_cast<size_t>(row));
  setAccessibleDescription(spoken(static_cast<size_t>(row)));
  reveal(current_, false);
  viewport()->update();
  if (QAccessible::isActive()) {
    QAccessibleInterface* me = QAccessible::queryAccessibleInterface(this);
    if (me && me->textInterface()) {
      QAccessibleTextCursorEvent moved(this, me->textInterface()->cursorPosition());
      QAccessible::updateAccessibility(&moved);
    }
  }
  Q_EMIT activated(current_);
}

size_t CodeView::search_from() const { return static_cast<size_t>(std::max<ptrdiff_t>(0, text_->row_of(current_))); }

void CodeView::show_found(const Found* found) {
  has_found_ = found != nullptr;
  if (found) {
    found_ = *found;
    if (found_.row < text_->size()) reveal(text_->number(found_.row));
    const int x = QFontMetrics(theme().code()).averageCharWidth() * static_cast<int>(found_.start);
    if (x < horizontalScrollBar()->value() || x > horizontalScrollBar()->value() + viewport()->width() - numbers() - 80)
      horizontalScrollBar()->setValue(x - 80);
  }
  viewport()->update();
}

bool CodeView::event(QEvent* event) {
  // Ctrl+F finds here; elsewhere it opens the search over everything.
  if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find) &&
      isSignalConnected(QMetaMethod::fromSignal(&CodeView::find_asked))) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::event(event);
}

void CodeView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) walk(row_at(event->pos()));
  else QAbstractScrollArea::mousePressEvent(event);
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
  const int row = row_at(event->pos());
  const int number = row < 0 ? 0 : text_->number(static_cast<size_t>(row));
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
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int row = row_at(help->pos());
    const CodeLine line = row < 0 ? CodeLine{} : text_->line(static_cast<size_t>(row));
    show_tip(help->globalPos(), line.note.isEmpty() ? line.reason : line.note, viewport());
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
  const int row = static_cast<int>(text_->row_of(current_));
  const int page = std::max(1, viewport()->height() / row_ - 1);
  const int last = static_cast<int>(text_->size()) - 1;
  if (event->matches(QKeySequence::Copy) && row >= 0) {
    QGuiApplication::clipboard()->setText(text_->text(static_cast<size_t>(row)));
    return;
  }
  if (event->matches(QKeySequence::Find)) {
    Q_EMIT find_asked();
    return;
  }
  switch (event->key()) {
    case Qt::Key_Down: walk(row < 0 ? 0 : std::min(last, row + 1)); break;
    case Qt::Key_Up: walk(row < 0 ? 0 : std::max(0, row - 1)); break;
    case Qt::Key_PageDown: walk(std::min(last, row + page)); break;
    case Qt::Key_PageUp: walk(std::max(0, row - page)); break;
    case Qt::Key_Home: walk(0); break;
    case Qt::Key_End: walk(last); break;
    case Qt::Key_Left:
    case Qt::Key_Right:
      horizontalScrollBar()->triggerAction(event->key() == Qt::Key_Left ? QScrollBar::SliderSingleStepSub
                                                                         : QScrollBar::SliderSingleStepAdd);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (row >= 0) walk(row);
      break;
    default: QAbstractScrollArea::keyPressEvent(event);
  }
}

// The view may go, or show another text, while the menu is open.
void CodeView::contextMenuEvent(QContextMenuEvent* event) {
  // The menu refers to the line under the mouse or, if opened by key, to the current one.
  const int under = event->reason() == QContextMenuEvent::Mouse ? row_at(event->pos()) : -1;
  if (under >= 0 && text_->number(static_cast<size_t>(under)) != current_) walk(under);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const ptrdiff_t row = text_->row_of(current_);
  const QString line = row < 0 ? QString() : text_->text(static_cast<size_t>(row));
  menu->addAction(QStringLiteral("Copy line"), this, [line] { QGuiApplication::clipboard()->setText(line); })
      ->setEnabled(row >= 0);
  QAction* all = menu->addAction(QStringLiteral("Copy all"), this, [text = text_] {
    QStringList lines;
    for (size_t i = 0; i < text->size(); ++i) lines << text->text(i);
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
  });
  all->setEnabled(text_->size() <= kMaxCopied);
  if (row >= 0) Q_EMIT menu_opening(menu, current_);
  menu->popup(event->globalPos());
}

void CodeView::resizeEvent(QResizeEvent*) { layout_lines(); }
void CodeView::focusInEvent(QFocusEvent*) { viewport()->update(); }
void CodeView::focusOutEvent(QFocusEvent*) { viewport()->update(); }

}  // namespace footlight::app
