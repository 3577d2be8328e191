// Draws the rows of a key diff and opens and closes its groups.
#include "app/views/key_diff_view.h"

#include "app/views/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr int kRow = 25, kHead = 34, kGap = 12;
}

KeyDiffView::KeyDiffView(QWidget* parent) : QAbstractScrollArea(parent) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(QStringLiteral("Key compared with the nearest trace"));
}

void KeyDiffView::set_diff(KeyDiff diff, const QString& left_title, const QString& left_detail,
                           const QString& right_title, const QString& right_detail) {
  diff_ = std::move(diff);
  left_title_ = left_title;
  left_detail_ = left_detail;
  right_title_ = right_title;
  right_detail_ = right_detail;
  current_ = -1;
  for (size_t i = 0; i < diff_.rows.size() && current_ < 0; ++i) {
    if (diff_.rows[i].leaf && diff_.rows[i].differs) current_ = static_cast<int>(i);
  }
  measure();
}

void KeyDiffView::set_details(const QString& left, const QString& right) {
  left_detail_ = left;
  right_detail_ = right;
  viewport()->update();
}

bool KeyDiffView::has_children(int row) const {
  const size_t next = static_cast<size_t>(row) + 1;
  return next < diff_.rows.size() && diff_.rows[next].parent == row;
}

int KeyDiffView::content_height() const { return kHead + static_cast<int>(shown_.size()) * kRow + 10; }

void KeyDiffView::measure() {
  shown_ = visible_rows(diff_);
  verticalScrollBar()->setRange(0, std::max(0, content_height() - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(kRow);
  viewport()->update();
}

void KeyDiffView::draw_column(QPainter& painter, const QRectF& frame, bool left) const {
  const Theme& t = theme();
  rounded(painter, frame, 7, t["panel"], t["hairline"]);
  painter.save();
  painter.setClipRect(frame.adjusted(1, 1, -1, -1));
  const double top = frame.top() - verticalScrollBar()->value();
  const QString title = left ? left_title_ : right_title_;
  const double title_width = QFontMetricsF(t.code(0, QFont::DemiBold)).horizontalAdvance(title);
  text_in(painter, QRectF(frame.left() + 14, top + 4, title_width + 4, 28), title, t["text"],
          t.code(0, QFont::DemiBold));
  text_in(painter,
          QRectF(frame.left() + 14 + title_width + 18, top + 4, frame.width() - title_width - 40, 28),
          left ? left_detail_ : right_detail_, t["dim"], t.code());
  double y = top + kHead;
  // Values are aligned in one column if the labels leave room.
  double label_width = 60;
  for (int i : shown_) {
    const KeyRow& row = diff_.rows[static_cast<size_t>(i)];
    if (row.leaf || row.depth > 0)
      label_width =
          std::max(label_width, 16.0 * row.depth + QFontMetricsF(t.code()).horizontalAdvance(row.label) + 34);
  }
  label_width = std::min(label_width, frame.width() * 0.5);
  for (int i : shown_) {
    const KeyRow& row = diff_.rows[static_cast<size_t>(i)];
    const QRectF line(frame.left() + 6, y, frame.width() - 12, kRow);
    const bool lit = row.leaf && row.differs;
    if (lit) rounded(painter, line.adjusted(0, 1, 0, -1), 4, t["amberSoft"]);
    if (hasFocus() && i == current_)
      rounded(painter, line.adjusted(0.5, 1.5, -0.5, -1.5), 4, {}, with_alpha(t["focus"], 0.8));
    const double x = line.left() + 12 + 16 * row.depth;
    if (has_children(i)) triangle(painter, QPointF(x, y + kRow / 2.0), row.open, t["faint"]);
    const QColor color = lit ? t["amber"] : row.differs ? t["text"] : t["dim"];
    text_in(painter, QRectF(x + 10, y, label_width, kRow), row.label, color, t.code());
    const QString value = left ? row.left : row.right;
    const double at = row.label.isEmpty()
                          ? x + 10
                          : std::max(line.left() + label_width,
                                     x + 10 + QFontMetricsF(t.code()).horizontalAdvance(row.label) + 14);
    if (!value.isEmpty()) {
      text_in(painter, QRectF(at, y, line.right() - at - 8, kRow), value, color, t.code());
    } else if (lit) {
      text_in(painter, QRectF(at, y, line.right() - at - 8, kRow), QStringLiteral("absent"), t["faint"], t.ui(-1));
    }
    y += kRow;
  }
  painter.restore();
}

void KeyDiffView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  if (hasFocus() && current_ < 0) focus_ring(painter, viewport());  // no row shows it
  if (diff_.rows.empty()) return;
  const double height = std::min(content_height(), viewport()->height());
  if (left_title_.isEmpty()) {
    draw_column(painter, QRectF(0, 0, viewport()->width(), height), false);
    return;
  }
  const double half = (viewport()->width() - kGap) / 2.0;
  draw_column(painter, QRectF(0, 0, half, height), true);
  draw_column(painter, QRectF(half + kGap, 0, half, height), false);
}

void KeyDiffView::toggle(int row) {
  if (!has_children(row)) return;
  KeyRow& r = diff_.rows[static_cast<size_t>(row)];
  r.open = !r.open;
  measure();
  Q_EMIT toggled();
}

void KeyDiffView::mousePressEvent(QMouseEvent* event) {
  const int at = (event->pos().y() + verticalScrollBar()->value() - kHead) / kRow;
  if (event->pos().y() + verticalScrollBar()->value() < kHead || at >= static_cast<int>(shown_.size())) return;
  current_ = shown_[static_cast<size_t>(at)];
  toggle(current_);
  viewport()->update();
}

void KeyDiffView::keyPressEvent(QKeyEvent* event) {
  if (shown_.empty()) return;
  const auto here = std::find(shown_.begin(), shown_.end(), current_);
  int at = here == shown_.end() ? 0 : static_cast<int>(here - shown_.begin());
  switch (event->key()) {
    case Qt::Key_Down: at = std::min(at + 1, static_cast<int>(shown_.size()) - 1); break;
    case Qt::Key_Up: at = std::max(at - 1, 0); break;
    case Qt::Key_Right:
      if (!diff_.rows[static_cast<size_t>(shown_[static_cast<size_t>(at)])].open)
        toggle(shown_[static_cast<size_t>(at)]);
      break;
    case Qt::Key_Left:
      if (event->modifiers() & Qt::AltModifier) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
      }
      if (diff_.rows[static_cast<size_t>(shown_[static_cast<size_t>(at)])].open)
        toggle(shown_[static_cast<size_t>(at)]);
      break;
    case Qt::Key_Return:
    case Qt::Key_Space: toggle(shown_[static_cast<size_t>(at)]); break;
    default: QAbstractScrollArea::keyPressEvent(event); return;
  }
  current_ = shown_[static_cast<size_t>(std::min<int>(at, static_cast<int>(shown_.size()) - 1))];
  const KeyRow& row = diff_.rows[static_cast<size_t>(current_)];
  setAccessibleDescription(row.label + QStringLiteral(": ") + row.left + QStringLiteral(", ") + row.right +
                           (row.differs ? QStringLiteral(", differs") : QString()));
  const int top = kHead + at * kRow;
  if (top < verticalScrollBar()->value()) verticalScrollBar()->setValue(top);
  if (top + kRow > verticalScrollBar()->value() + viewport()->height())
    verticalScrollBar()->setValue(top + kRow - viewport()->height());
  viewport()->update();
}

void KeyDiffView::resizeEvent(QResizeEvent*) { measure(); }
void KeyDiffView::focusInEvent(QFocusEvent*) { viewport()->update(); }
void KeyDiffView::focusOutEvent(QFocusEvent*) { viewport()->update(); }

}  // namespace footlight::app
