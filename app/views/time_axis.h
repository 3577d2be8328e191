// A stretch of time across a widget: where a moment lies, and what keys and the wheel make of it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

class QKeyEvent;
class QWheelEvent;

namespace footlight::app {

struct TimeAxis {
  int64_t from = 0, to = 1;      // ns
  double left = 0, room = 1;     // pixels

  double x_of(int64_t time) const;
  int64_t time_of(double x) const;
  int64_t time_in(double pixels) const;

  using Range = std::pair<int64_t, int64_t>;
  Range zoomed(double factor, double x) const;  // the moment at x stays there
  Range panned(double share) const;             // moved by a share of the visible range
  Range dragged(double pixels) const;
  // W A S D, + -, left and right; none: another key. What lies at `anchor` (in pixels) stays there; none: the middle.
  std::optional<Range> after(const QKeyEvent& event, std::optional<double> anchor = {}) const;
  // Sideways or with Shift it pans, else it zooms.
  Range after(const QWheelEvent& event) const;
};

// Moves an axis with the mouse, once that has gone a few pixels from where it was pressed.
class AxisDrag {
 public:
  void press(double x, const TimeAxis& axis);
  bool is_pressed() const { return pressed_; }
  // What the axis shows with the pointer at x; none: it has not gone far enough.
  std::optional<TimeAxis::Range> move(double x);
  bool release();                // false: it was a click

 private:
  TimeAxis axis_;                // when the mouse was pressed
  double x_ = 0;
  bool pressed_ = false, moved_ = false;
};

}  // namespace footlight::app
