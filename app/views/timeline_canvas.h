// The tracks of a timeline on one canvas: bars by pyramid, sub-pixel columns straight into an image.
#pragma once

#include "app/models/selection.h"
#include "app/models/timeline.h"

#include <QImage>
#include <QWidget>

namespace footlight::app {

class TimelineCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  void set_data(const TimelineData* data, const Document* document, bool another);
  void set_selection(const Selection& selection);
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  void set_range(int64_t from, int64_t to);
  void fit();
  void frame_selection();
  void step(int by);                    // next or previous bar of the selected lane
  bool has_marked_range() const { return mark_to_ > mark_from_; }
  int64_t mark_from() const { return mark_from_; }
  int64_t mark_to() const { return mark_to_; }
  void mark_range(int64_t from, int64_t to);
  int content_height() const;
  double x_of(int64_t time) const;
  int64_t time_of(double x) const;

  struct Hit {
    int track = -1, lane = -1;
    ptrdiff_t index = -1;
    bool valid() const { return index >= 0; }
  };
  Hit hit_at(QPointF point) const;
  QRectF rect_of(const Hit& hit) const;
  Selection selection_of(const Hit& hit) const;

 Q_SIGNALS:
  void range_changed();
  void marked_changed();
  void chosen(const footlight::app::Selection& selection);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double track_top(size_t track) const;
  double lane_height(const Track& track) const;
  double track_height(const Track& track) const;
  void draw_axis(QPainter& painter) const;
  void draw_track(QPainter& painter, size_t track, const std::vector<QColor>& paints) const;
  QString bar_text(const Track& track, const Span& span) const;
  QString describe(const Hit& hit) const;
  Hit find_selected() const;
  void choose(const Hit& hit);
  void zoom(double factor, double x);
  void pan(double share);

  const TimelineData* data_ = nullptr;
  const Document* document_ = nullptr;
  Selection selection_;
  Hit selected_;
  int64_t from_ = 0, to_ = 1;
  int64_t mark_from_ = 0, mark_to_ = 0;
  QPointF press_;
  int64_t press_from_ = 0, press_to_ = 0;
  bool pressed_ = false, dragging_ = false, marking_ = false;
  Hit hovered_;
};

// The whole run small, with the part in view as a window that can be dragged.
class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewStrip(TimelineCanvas* canvas, QWidget* parent = nullptr);
  void set_data(const TimelineData* data);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void go(double x);
  void measure();
  TimelineCanvas* canvas_;
  const TimelineData* data_ = nullptr;
  std::vector<OverviewColumn> columns_;
};

}  // namespace footlight::app
