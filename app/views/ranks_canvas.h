// Ranks as rows on one time axis: calls, traces, input and collectives of each, joined where ranks met. A row unfolds
// to its phases, ops and input; the rank that came last to the chosen collective is marked.
#pragma once

#include "app/models/ranks.h"
#include "app/session/queries.h"
#include "app/views/compare_access.h"
#include "app/views/time_axis.h"

#include "engine/query/rank_tracks.h"

#include <set>

namespace footlight::app {

class RanksCanvas : public PaintedParts {
  Q_OBJECT

 public:
  explicit RanksCanvas(QWidget* parent = nullptr);

  // `queries`: those of the recording, or null without one. Rows stay folded as they were if `keeps_place`.
  void set_data(RanksPtr data, Queries* queries, bool keeps_place);
  void choose(std::optional<size_t> collective);  // without a signal
  void mark_trace(TraceId trace);
  // Moves each rank's times so that the chosen collective ends at one moment for all.
  void align(bool at_collective);
  void order_by_host(bool on);
  void set_range(int64_t from, int64_t to);
  void fit();
  void frame();                        // the chosen collective, with what the late rank did before it
  void toggle(int row);                // folds or unfolds a rank
  bool is_open(int row) const { return open_.contains(row); }
  std::optional<size_t> chosen() const { return chosen_; }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  int row() const { return row_; }     // of RanksData::rows: where the keyboard is
  const std::vector<query::RankTrack>& tracks() const { return tracks_; }
  // What lies at a point, in words; empty: nothing.
  QString tip_at(QPointF point) const;
  double x_of(int64_t time, int row) const;
  QRectF row_rect(int row) const;
  int content_height() const;
  QSize sizeHint() const override { return {600, content_height()}; }

  int parts() const override { return data_ ? static_cast<int>(data_->rows.size()) : 0; }
  QString part_name(int part) const override;
  QString part_description(int part) const override;
  QRectF part_rect(int part) const override { return row_rect(part); }
  int current_part() const override { return row_; }
  void press_part(int part) override { toggle(part); }

 Q_SIGNALS:
  void collective_chosen(qulonglong number);
  void step_wanted(int by);            // to the next or previous late collective
  void trace_chosen(footlight::TraceId trace);
  void call_chosen(footlight::CallId call);
  void reason_wanted();                // of the chosen collective
  void range_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Lane : uint8_t { kCalls, kPhases, kOps, kMeetings, kInput };
  struct At {
    int row = -1;
    const query::RankPiece* piece = nullptr;
    std::optional<size_t> collective;
  };
  At at(QPointF point) const;
  TimeAxis axis() const;
  void set_range(TimeAxis::Range range) { set_range(range.first, range.second); }
  void ask();
  void lay_out();
  int64_t shift(int row) const;
  int row_at(double y) const;
  std::optional<QRectF> lane_rect(int row, Lane lane) const;  // over the whole width; none: not shown
  std::pair<size_t, size_t> visible_collectives() const;
  static Lane lane_of(query::RankPiece::Kind kind);
  QRectF rect_of(int row, Lane lane, int64_t start, int64_t end) const;
  int late_row() const;                // of the chosen collective; -1: nobody is late
  QString piece_words(int row, const query::RankPiece& piece) const;
  QString collective_words(int row, size_t number) const;
  void draw_row(QPainter& painter, int row) const;
  void draw_piece(QPainter& painter, int row, const query::RankPiece& piece) const;
  void draw_meetings(QPainter& painter, int row) const;
  void draw_joins(QPainter& painter) const;
  void draw_legend(QPainter& painter) const;
  void draw_axis(QPainter& painter) const;

  RanksPtr data_;
  Queries* queries_ = nullptr;
  QueryHandle ticket_;
  std::vector<query::RankTrack> tracks_;   // by row
  std::vector<int64_t> ends_;              // the greatest end of any collective up to each one
  std::vector<int> order_;                 // rows from the top
  std::vector<double> tops_, heights_;     // by row
  std::set<int> open_;
  std::optional<size_t> chosen_;
  TraceId marked_;
  bool aligned_ = false, by_host_ = false;
  int row_ = 0;
  int64_t first_ = 0, last_ = 1, from_ = 0, to_ = 1;
  AxisDrag drag_;
};

}  // namespace footlight::app
