// The tracks of a timeline on one canvas: wide bars are drawn one by one, sub-pixel bars directly into an image.
// The store is queried for three times the visible range; until the result arrives, the previous picture is stretched.
#pragma once

#include "app/models/facts.h"
#include "app/models/timeline.h"
#include "app/session/queries.h"

#include <QImage>
#include <QWidget>

namespace footlight::app {

class TimelineCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineCanvas(QWidget* parent = nullptr);

  // `another`: a different document, not the same one with more data.
  void set_document(const Document* document, Queries* queries, bool another);
  void set_selection(const Selection& selection);
  const TimeRange& range() const { return range_; }
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
  const query::Picture& picture() const { return picture_; }

 Q_SIGNALS:
  void range_changed();
  void marked_changed();
  void tracks_changed();                // the tracks or their heights have changed
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
  // A bar under the mouse, or a column of bars too narrow to distinguish.
  struct Hit {
    int track = -1, lane = -1;
    ptrdiff_t index = -1;
    bool narrow = false;
    bool valid() const { return index >= 0; }
    friend bool operator==(const Hit&, const Hit&) = default;
  };
  using Placed = query::Placed;
  struct Answer {
    query::Picture picture;
    std::vector<Placed> marks;
  };

  Hit hit_at(QPointF point) const;
  Placed placed_of(const Hit& hit) const;
  int64_t slack() const;                // the time that a few pixels span
  double track_top(size_t track) const;
  double lane_height(query::TrackKind kind) const;
  double track_height(size_t track) const;
  size_t lanes_of(size_t track) const;
  size_t call_lanes() const;            // of the calls' track; phases are drawn below
  bool is_phase(const Placed& bar) const;
  Placed placed_phase(size_t lane, size_t index) const;
  std::optional<QRectF> rect_of(const Placed& bar) const;

  void draw_axis(QPainter& painter) const;
  void draw_track(QPainter& painter, size_t track) const;
  void draw_columns(QPainter& painter, const query::LanePicture& lane, query::TrackKind kind, double y,
                    double tall) const;
  void draw_bar(QPainter& painter, int64_t start, int64_t end, double y, double tall, const QColor& color,
                const QString& text) const;
  QColor color_of(query::TrackKind kind, uint16_t look) const;
  QString bar_text(query::TrackKind kind, const query::Bar& bar, const std::string& name) const;
  QString describe(const Placed& bar) const;

  void ask_picture();
  void take_picture(Answer answer);
  void choose(const Placed& bar);
  void to_lane(int by);
  void zoom(double factor, double x);
  void pan(double share);

  const Document* document_ = nullptr;
  Queries* queries_ = nullptr;
  TimeRange range_;
  std::vector<std::vector<Phase>> phases_;
  query::Picture picture_;
  std::vector<Placed> marks_;           // bars of the selected node or line, in view
  Ticket picture_ticket_, find_ticket_, choose_ticket_, step_ticket_;
  bool ask_again_ = false, frame_when_found_ = false;
  int steps_wanted_ = 0;
  Selection selection_;
  std::optional<Placed> selected_;
  int64_t from_ = 0, to_ = 1;
  int64_t mark_from_ = 0, mark_to_ = 0;
  QPointF press_;
  int64_t press_from_ = 0, press_to_ = 0;
  bool pressed_ = false, dragging_ = false, marking_ = false;
  Hit hovered_;
};

// The whole run, with a draggable window for the visible range.
class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewStrip(TimelineCanvas* canvas, QWidget* parent = nullptr);
  void set_queries(Queries* queries);
  void measure();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void go(double x);
  TimelineCanvas* canvas_;
  Queries* queries_ = nullptr;
  Ticket ticket_;
  bool again_ = false;
  std::vector<query::OverviewColumn> columns_;
};

}  // namespace footlight::app
