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
#include <cmath>

namespace footlight::app {
namespace {

constexpr size_t kMostNamed = 2000;
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
    for (size_t i = 0; i < pieces.size() && named_.size() < kMostNamed; ++i)
      if (pieces[i].row >= 0) named_.push_back({placed.traced, placed.lane, static_cast<int>(i)});
  }
  setMinimumHeight(content_height());
  updateGeometry();
  fit();
}

int CompareTimelines::content_height() const {
  return static_cast<int>(lanes_.height() + timelines::kTop + timelines::kAxis);
}

double CompareTimelines::x_of(int64_t time) const {
  const double room = width() - timelines::kLabels - timelines::kRight;
  return timelines::kLabels + room * static_cast<double>(time - from_) / static_cast<double>(to_ - from_);
}

int64_t CompareTimelines::time_of(double x) const {
  const double room = std::max(1.0, width() - timelines::kLabels - timelines::kRight);
  return from_ + std::llround((x - timelines::kLabels) / room * static_cast<double>(to_ - from_));
}

int64_t CompareTimelines::slack() const { return time_of(timelines::kLabels + 3) - from_ + 1; }

void CompareTimelines::set_range(int64_t from, int64_t to) {
  const int64_t longest = lanes_.longest();
  const int64_t length = std::clamp(to - from, std::min(kShortestRange, longest), longest);
  from_ = std::clamp<int64_t>(from, 0, longest - length);
  to_ = from_ + length;
  update();
}

void CompareTimelines::zoom(double factor, double x) {
  const int64_t centre = std::clamp(time_of(x), from_, to_);
  const double length = static_cast<double>(to_ - from_) / factor;
  const double before = static_cast<double>(centre - from_) / static_cast<double>(to_ - from_);
  const int64_t start = centre - std::llround(before * length);
  set_range(start, start + std::max<int64_t>(1, std::llround(length)));
}

void CompareTimelines::pan(double share) {
  const int64_t by = std::llround(share * static_cast<double>(to_ - from_));
  set_range(from_ + by, to_ + by);
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

void CompareTimelines::mousePressEvent(QMouseEvent* event) {
  press_ = event->position();
  press_from_ = from_;
  press_to_ = to_;
  pressed_ = true;
  dragging_ = false;
}

void CompareTimelines::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_ && event->buttons()) {
    if (!dragging_ && std::abs(event->position().x() - press_.x()) > 4) dragging_ = true;
    if (!dragging_) return;
    const double share = (press_.x() - event->position().x()) / std::max(1.0, width() - timelines::kLabels);
    const int64_t by = std::llround(share * static_cast<double>(press_to_ - press_from_));
    set_range(press_from_ + by, press_to_ + by);
    return;
  }
  const PieceAt at = piece_at(event->position());
  if (at == hovered_) return;
  hovered_ = at;
  setCursor(at.valid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void CompareTimelines::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = false;
  if (dragging_ || event->button() != Qt::LeftButton) return;
  choose(piece_at(event->position()));
}

void CompareTimelines::mouseDoubleClickEvent(QMouseEvent* event) {
  if (piece_at(event->position()).valid()) frame();
  else fit();
}

// With Shift or sideways the wheel moves; else it zooms.
void CompareTimelines::wheelEvent(QWheelEvent* event) {
  const QPoint by = event->angleDelta();
  if (event->modifiers() & Qt::ShiftModifier || (by.x() && !by.y())) pan(-(by.x() ? by.x() : by.y()) / 1200.0);
  else zoom(std::pow(1.0018, by.y()), event->position().x());
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
  const double centre = x_of((from_ + to_) / 2);
  const auto go = [this](int by) {
    const PieceAt next = lanes_.beside(chosen_, by);
    if (next.valid()) choose(next);
  };
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(1.4, centre); break;
    case Qt::Key_S:
    case Qt::Key_Minus: zoom(1 / 1.4, centre); break;
    case Qt::Key_A:
    case Qt::Key_Left: pan(-0.15); break;
    case Qt::Key_D:
    case Qt::Key_Right: pan(0.15); break;
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
