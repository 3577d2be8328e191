// Zoom and pan as arithmetic on a range.
#include "app/views/time_axis.h"

#include <QKeyEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kZoomStep = 1.4, kPanStep = 0.15;
}

double TimeAxis::x_of(int64_t time) const {
  return left + room * static_cast<double>(time - from) / static_cast<double>(std::max<int64_t>(1, to - from));
}

int64_t TimeAxis::time_of(double x) const { return from + time_in(x - left); }

int64_t TimeAxis::time_in(double pixels) const {
  return std::llround(pixels / std::max(1.0, room) * static_cast<double>(to - from));
}

TimeAxis::Range TimeAxis::zoomed(double factor, double x) const {
  const int64_t at = time_of(std::max(x, left));
  const double length = static_cast<double>(to - from) / factor;
  const double before = static_cast<double>(at - from) / static_cast<double>(std::max<int64_t>(1, to - from));
  const int64_t start = at - std::llround(before * length);
  return {start, start + std::max<int64_t>(1, std::llround(length))};
}

TimeAxis::Range TimeAxis::panned(double share) const {
  const int64_t by = std::llround(share * static_cast<double>(to - from));
  return {from + by, to + by};
}

TimeAxis::Range TimeAxis::dragged(double pixels) const {
  const int64_t by = time_in(-pixels);
  return {from + by, to + by};
}

std::optional<TimeAxis::Range> TimeAxis::after(const QKeyEvent& event, std::optional<double> anchor) const {
  const double centre = anchor.value_or(left + room / 2);
  switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomed(kZoomStep, centre);
    case Qt::Key_S:
    case Qt::Key_Minus: return zoomed(1 / kZoomStep, centre);
    case Qt::Key_A:
    case Qt::Key_Left: return panned(-kPanStep);
    case Qt::Key_D:
    case Qt::Key_Right: return panned(kPanStep);
    default: return std::nullopt;
  }
}

TimeAxis::Range TimeAxis::after(const QWheelEvent& event) const {
  const QPoint by = event.angleDelta();
  const bool sideways = by.x() && !(event.modifiers() & Qt::ControlModifier);
  if (sideways || event.modifiers() & Qt::ShiftModifier) return panned(-(by.x() ? by.x() : by.y()) / 1200.0);
  return zoomed(std::pow(1.0018, by.y()), event.position().x());
}

void AxisDrag::press(double x, const TimeAxis& axis) {
  axis_ = axis;
  x_ = x;
  pressed_ = true;
  moved_ = false;
}

std::optional<TimeAxis::Range> AxisDrag::move(double x) {
  constexpr double kFar = 4;
  moved_ |= std::abs(x - x_) > kFar;
  if (!moved_) return {};
  return axis_.dragged(x - x_);
}

bool AxisDrag::release() {
  pressed_ = false;
  return moved_;
}

}  // namespace footlight::app
