// Time and pixels, mouse and keys of the two timelines.
#include "app/views/compare_timelines.h"

#include "app/models/text.h"
#include "app/views/compare_timelines_sizes.h"
#include "app/views/labels.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxNamed = 2000;
constexpr int64_t kShortestRange = 20;   // ns

}  // namespace

CompareTimelines::CompareTimelines(QWidget* parent) : PaintedParts(parent) {
  setMinimumSize(260, 80);
  setAccessibleName(QStringLiteral("Both runs, op by op"));
  setAccessibleDescription(
      QStringLiteral("W A S D zoom and pan, period and comma step, up and down change the lane, F frames"));
}

void CompareTimelines::set_comparison(const Document* document,
                                      std::shared_ptr<const explain::Comparison> comparison) {
  document_ = document;
  lanes_.set_comparison(std::move(comparison));
  named_.clear();
  of_row_.clear();
  families_.clear();
  row_ = -1;
  part_.reset();
  chosen_ = hovered_ = {};
  for (const PlacedLane& placed : lanes_.lanes()) {
    const auto& pieces = lanes_.lane(placed).pieces;
    for (size_t i = 0; i < pieces.size() && named_.size() < kMaxNamed; ++i)
      if (pieces[i].row >= 0) named_.push_back({placed.traced, placed.lane, static_cast<int>(i)});
  }
  setMinimumHeight(content_height());
  updateGeometry();
  fit();
}

int CompareTimelines::content_height() const {
  return static_cast<int>(lanes_.height() + timelines::kTop + timelines::kAxis);
}

TimeAxis CompareTimelines::axis() const {
  return {from_, to_, timelines::kLabels, width() - timelines::kLabels - timelines::kRight};
}
double CompareTimelines::x_of(int64_t time) const { return axis().x_of(time); }
int64_t CompareTimelines::time_of(double x) const { return axis().time_of(x); }
int64_t CompareTimelines::slack() const { return axis().time_in(3) + 1; }

void CompareTimelines::set_range(int64_t from, int64_t to) {
  const int64_t longest = lanes_.longest();
  const int64_t length = std::clamp(to - from, std::min(kShortestRange, longest), longest);
  from_ = std::clamp<int64_t>(from, 0, longest - length);
  to_ = from_ + length;
  update();
}

QRectF CompareTimelines::rect_of(PieceAt at) const {
  const PlacedLane* placed = lanes_.placed(at);
  if (!placed) return {};
  const explain::Piece& p = lanes_.piece(at);
  if (p.end < from_ || p.start > to_) return {};
  const double left = std::max(x_of(p.start), timelines::kLabels),
               right = std::min(x_of(p.end), static_cast<double>(width()));
  return {left, timelines::kTop + placed->top, std::max(1.0, right - left), placed->height};
}

PieceAt CompareTimelines::piece_at(QPointF point) const {
  if (lanes_.empty() || point.x() < timelines::kLabels - 4) return {};
  return lanes_.at(point.y() - timelines::kTop, time_of(point.x()), slack());
}

QString CompareTimelines::part_name(int part) const {
  const PieceAt at = named_[static_cast<size_t>(part)];
  const explain::Piece& p = lanes_.piece(at);
  return QStringLiteral("%1: %2, %3").arg(q(lanes_.side(at.traced).name), q(p.label),
                                          duration_text(p.end - p.start));
}

QString CompareTimelines::part_description(int part) const {
  return lanes_.describe(named_[static_cast<size_t>(part)]);
}

int CompareTimelines::current_part() const {
  const auto at = std::find(named_.begin(), named_.end(), chosen_);
  return chosen_.valid() && at != named_.end() ? static_cast<int>(at - named_.begin()) : -1;
}

void CompareTimelines::set_row(int row) {
  row_ = row;
  of_row_ = lanes_.of_row(row);
  if (chosen_.valid() && lanes_.piece(chosen_).row != row) chosen_ = {};
  if (!chosen_.valid() && !of_row_.empty()) chosen_ = of_row_.front();
  update();
}

void CompareTimelines::set_part(std::optional<explain::Part> part) {
  part_ = std::move(part);
  update();
}

void CompareTimelines::reveal(PieceAt at) {
  if (!at.valid()) return;
  const explain::Piece& p = lanes_.piece(at);
  if (p.end >= from_ && p.start <= to_) return;
  const int64_t half = (to_ - from_) / 2, middle = (p.start + p.end) / 2;
  set_range(middle - half, middle + half);
}

void CompareTimelines::choose(PieceAt at) {
  chosen_ = at;
  reveal(at);
  update();
  tell_current();
  Q_EMIT chosen(at);
}

void CompareTimelines::step(int by) {
  const PieceAt next = chosen_.valid() ? lanes_.step(chosen_, by) : lanes_.first();
  if (next.valid()) choose(next);
}

void CompareTimelines::frame() {
  std::vector<PieceAt> wanted = of_row_;
  if (chosen_.valid()) wanted.push_back(chosen_);
  if (wanted.empty()) return fit();
  int64_t first = INT64_MAX, last = 0;
  for (const PieceAt at : wanted) {
    first = std::min(first, lanes_.piece(at).start);
    last = std::max(last, lanes_.piece(at).end);
  }
  const int64_t room = std::max<int64_t>(kShortestRange, (last - first) / 6);
  set_range(first - room, last + room);
}

void CompareTimelines::mousePressEvent(QMouseEvent* event) { drag_.press(event->position().x(), axis()); }

void CompareTimelines::mouseMoveEvent(QMouseEvent* event) {
  if (drag_.is_pressed() && event->buttons()) {
    if (const auto range = drag_.move(event->position().x())) set_range(*range);
    return;
  }
  const PieceAt at = piece_at(event->position());
  if (at == hovered_) return;
  hovered_ = at;
  setCursor(at.valid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void CompareTimelines::mouseReleaseEvent(QMouseEvent* event) {
  if (drag_.release() || event->button() != Qt::LeftButton) return;
  choose(piece_at(event->position()));
}

void CompareTimelines::mouseDoubleClickEvent(QMouseEvent* event) {
  if (piece_at(event->position()).valid()) frame();
  else fit();
}

void CompareTimelines::wheelEvent(QWheelEvent* event) {
  set_range(axis().after(*event));
  event->accept();
}

void CompareTimelines::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

void CompareTimelines::keyPressEvent(QKeyEvent* event) {
  if (lanes_.empty() || event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) {
    PaintedParts::keyPressEvent(event);
    return;
  }
  const auto go = [this](int by) {
    const PieceAt next = lanes_.beside(chosen_, by);
    if (next.valid()) choose(next);
  };
  if (const auto range = axis().after(*event)) return set_range(*range);
  switch (event->key()) {
    case Qt::Key_F: frame(); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    case Qt::Key_Period: step(1); break;
    case Qt::Key_Comma: step(-1); break;
    case Qt::Key_Down: go(1); break;
    case Qt::Key_Up: go(-1); break;
    default: PaintedParts::keyPressEvent(event);
  }
}

bool CompareTimelines::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const PieceAt at = piece_at(help->pos());
    if (at.valid()) show_tip(help->globalPos(), lanes_.describe(at), this);
    else QToolTip::hideText();
    return true;
  }
  return PaintedParts::event(event);
}

}  // namespace footlight::app
