// The tracks of a timeline on one canvas: wide bars are drawn one by one, sub-pixel bars directly into an image.
// The store is queried for three times the visible range; until the result arrives, the previous picture is stretched.
#pragma once

#include "app/models/bookmarks.h"
#include "app/models/facts.h"
#include "app/models/timeline.h"
#include "app/models/track_order.h"
#include "app/session/queries.h"
#include "app/views/time_axis.h"

#include "engine/query/matches.h"

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
  void bookmark();                      // at the selected bar, else in the middle; removes one that is there
  void go_to_bookmark(int by);
  const Bookmarks& bookmarks() const { return bookmarks_; }
  void mark_edge(bool start);           // moves an end of the marked range to the selected bar
  void mark_selected();
  void frame_selection();
  void step(int by);                    // next or previous bar of the selected lane
  bool has_marked_range() const { return mark_to_ > mark_from_; }
  int64_t mark_from() const { return mark_from_; }
  int64_t mark_to() const { return mark_to_; }
  void mark_range(int64_t from, int64_t to);
  QString marked_text() const;          // "1.23 ms, from 4.50 ms to 5.73 ms"; empty: nothing is marked
  // The tracks that a person pinned, hid or moved; `track`: its place in the picture.
  const TrackOrder& order() const { return order_; }
  void pin_track(size_t track);         // or gives it free
  void hide_track(size_t track);
  void move_track(size_t track, int by);
  void fold_track(size_t track);        // to its outermost bars, or unfolds it
  void show_hidden_tracks();
  void reset_tracks();
  std::optional<size_t> track_at(QPointF point) const;
  // Lights all events of these rows of a table, instead of those of the selected node or line.
  void highlight(query::GroupBy by, std::vector<uint64_t> keys);
  void highlight(std::vector<query::DeviceName> work);
  const query::Matches& matches() const { return matches_; }
  void choose(const query::Placed& bar);
  void step_match(int by);              // to the next or previous of them
  void ask_peaks();                     // for the counters, in the marked range
  const std::optional<query::Placed>& selected() const { return selected_; }
  const std::vector<query::Placed>& flow() const { return flow_; }  // from the selected op to its launch and kernels
  int content_height() const;
  void set_room(int height);            // tracks grow to fill it, within reason
  void set_scroll(int pixels);          // how much is scrolled out at the top; the axis and pinned tracks stay
  // Below the tracks: how busy each device was, what tensors hold, other counters.
  struct Area {
    QString title, subtitle;
    QString in_range;                   // its peak in the marked range
    const std::vector<float>* values = nullptr;  // indexed by column of the picture
    double ground = 0, top = 1;
    std::optional<uint32_t> counter;    // its track; else a device's share
    std::optional<int64_t> peak_at;
  };
  size_t area_count() const { return picture_.devices.size() + picture_.counters.size(); }
  std::vector<Area> areas() const;
  QString describe_area(size_t area) const;
  QRectF area_rect(size_t area) const;
  QString area_tip(QPointF point) const;  // its value there; empty: none is there
  double x_of(int64_t time) const;
  int64_t time_of(double x) const;
  const query::Picture& picture() const { return picture_; }
  const Overlays& overlays() const { return overlays_; }
  // The bars that are drawn one by one, with phases, for screen readers: at most a thousand.
  const std::vector<query::Placed>& bars_in_view() const;
  QString describe(const query::Placed& bar) const;
  QString describe_loss(QPointF point) const;  // empty: none is there
  QString describe_gap(QPointF point) const;   // the same
  std::optional<QRectF> rect_of(const query::Placed& bar) const;

 Q_SIGNALS:
  void range_changed();
  void marked_changed();
  void tracks_changed();                // the tracks or their heights have changed
  void chosen(const footlight::app::Selection& selection);
  void whole_changed();                 // range() is another
  void search_wanted();
  void wants_view(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  static constexpr int kPhases = 1000;  // lanes of a Placed from here on are rows of phases
  // A bar under the mouse, or a column of bars too narrow to distinguish.
  struct Hit {
    int track = -1, lane = -1;
    ptrdiff_t index = -1;
    bool narrow = false;
    bool valid() const { return index >= 0; }
    friend bool operator==(const Hit&, const Hit&) = default;
  };
  using Placed = query::Placed;
  // A stretch without calls, in pixels and in time.
  struct Gap {
    double left = 0, right = 0;
    int64_t from = 0, to = 0;
  };
  std::vector<Gap> gaps_of(size_t track) const;
  QString gap_text(size_t track, const Gap& gap) const;
  Hit hit_at(QPointF point) const;
  Placed placed_of(const Hit& hit) const;
  int64_t slack() const;                // the time that a few pixels span
  double track_top(size_t track) const;
  double flat_top(size_t track) const;  // without scrolling
  double head_height() const;           // height of the axis and the pinned tracks
  void draw_tracks(QPainter& painter, const QRectF& where, bool pinned) const;
  double lane_height(query::TrackKind kind) const;
  double track_height(size_t track) const;
  double track_pad(const query::TrackKey& track) const;
  bool is_foldable(size_t track) const;
  QRectF fold_mark(size_t track) const;   // a triangle in the label, to press
  static bool is_phase(const Placed& bar) { return bar.lane >= kPhases; }
  // Rows of a track from the top: lanes of bars; of calls and the phases of tracing, as they lie in each other.
  size_t all_rows(size_t track) const;
  size_t rows_of(size_t track) const;     // rows as drawn: a folded track has one
  size_t row_of(const Placed& bar) const;
  double row_top(size_t track, size_t row) const;
  std::optional<Placed> drawn_in_row(size_t track, size_t row, int64_t time) const;
  std::optional<size_t> current_track() const;  // the track of the selected bar, else the one under the mouse
  void arranged();                      // tracks were moved
  int edge_at(QPointF point) const;     // -1: the start of the marked range, 1: its end, 0: none
  std::optional<double> zoom_anchor() const;
  Placed placed_phase(const query::TrackKey& track, size_t row, size_t index) const;
  Placed placed_bar(const query::TrackPicture& track, size_t lane, const query::Bar& bar) const;
  const PhaseRows& phases_of(const query::TrackKey& track) const;

  void draw_axis(QPainter& painter) const;
  void draw_bookmarks(QPainter& painter) const;
  void draw_marked(QPainter& painter) const;
  void draw_gaps(QPainter& painter, size_t track) const;
  void draw_track(QPainter& painter, size_t track) const;
  void draw_area(QPainter& painter, size_t index, const Area& area) const;
  double area_height() const;
  double area_top(size_t area) const;
  void draw_label(QPainter& painter, size_t track) const;
  void draw_phases(QPainter& painter, size_t track) const;
  void draw_losses(QPainter& painter) const;
  void draw_flow(QPainter& painter) const;
  void draw_matches(QPainter& painter, size_t track) const;
  void draw_columns(QPainter& painter, size_t track, size_t lane) const;
  void draw_bar(QPainter& painter, int64_t start, int64_t end, double y, double tall, const QColor& color,
                const QString& text) const;
  QColor color_of(query::TrackKind kind, uint16_t look) const;
  QString bar_text(query::TrackKind kind, const query::Bar& bar, const std::string& name) const;
  int64_t here() const;                 // the selected bar's start, else the middle

  void ask_picture();
  void ask_overlays();
  void take_picture(query::Picture picture);
  void ask_matches();
  void ask_flow();
  void resized(int before);             // the height of the content may have changed
  void to_row(int by);
  TimeAxis axis() const;
  void set_range(TimeAxis::Range range) { set_range(range.first, range.second); }

  const Document* document_ = nullptr;
  Queries* queries_ = nullptr;
  TimeRange range_;
  Overlays overlays_;
  mutable std::vector<Placed> in_view_;
  mutable bool in_view_known_ = false;
  Bookmarks bookmarks_;
  query::Picture picture_;
  query::Matches matches_;              // the op events of the selected node, line or table row, in view
  query::Wanted highlight_;             // chosen in the table
  QueryHandle picture_ticket_, find_ticket_, choose_ticket_, step_ticket_, overlay_ticket_, match_ticket_,
      flow_ticket_, peaks_ticket_;
  bool ask_again_ = false, ask_overlays_again_ = false, frame_when_found_ = false;
  int steps_wanted_ = 0;
  Selection selection_;
  std::optional<Placed> selected_;
  std::vector<Placed> flow_;
  std::map<uint32_t, double> peaks_;    // peaks in the marked range, by counter
  int room_ = 0;
  double stretch_ = 1;
  int scroll_ = 0;
  int64_t from_ = 0, to_ = 1;
  int64_t mark_from_ = 0, mark_to_ = 0;
  QPointF press_;
  int64_t press_from_ = 0, press_to_ = 0;
  bool pressed_ = false, dragging_ = false, marking_ = false;
  int edge_ = 0;                        // edge of the marked range that is being dragged
  std::optional<query::TrackKey> moved_track_;  // the track that is being dragged by its label
  TrackOrder order_;
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
  QueryHandle ticket_;
  bool again_ = false;
  std::vector<query::OverviewColumn> columns_;
};

}  // namespace footlight::app
