// Both runs of a comparison on one time axis, op by op: lanes, pieces, lines between what belongs together.
#pragma once

#include "app/models/compare_lanes.h"
#include "app/models/document.h"
#include "app/views/compare_access.h"
#include "app/views/time_axis.h"

#include <QColor>

#include <map>
#include <optional>

namespace footlight::app {

class CompareTimelines : public PaintedParts {
  Q_OBJECT

 public:
  explicit CompareTimelines(QWidget* parent = nullptr);

  void set_comparison(const Document* document, std::shared_ptr<const explain::Comparison> comparison);
  // Pieces of a row are ringed and joined by lines; -1: none.
  void set_row(int row);
  // Pieces that do not belong to the part are dimmed; without one, none is.
  void set_part(std::optional<explain::Part> part);
  void choose(PieceAt at);
  PieceAt chosen_piece() const { return chosen_; }
  void set_range(int64_t from, int64_t to);
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  void fit() { set_range(0, lanes_.longest()); }
  void frame();                       // the selected pieces
  void step(int by);
  const CompareLanes& lanes() const { return lanes_; }
  QRectF rect_of(PieceAt at) const;   // in the widget, cut to the visible part
  double x_of(int64_t time) const;
  int64_t time_of(double x) const;
  int content_height() const;
  QSize sizeHint() const override { return {600, content_height()}; }

  int parts() const override { return static_cast<int>(named_.size()); }
  QString part_name(int part) const override;
  QString part_description(int part) const override;
  QRectF part_rect(int part) const override { return rect_of(named_[static_cast<size_t>(part)]); }
  int current_part() const override;
  void press_part(int part) override { choose(named_[static_cast<size_t>(part)]); }

 Q_SIGNALS:
  void chosen(footlight::app::PieceAt at);   // chosen by the user; invalid: nothing

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  PieceAt piece_at(QPointF point) const;
  int64_t slack() const;
  TimeAxis axis() const;
  void set_range(TimeAxis::Range range) { set_range(range.first, range.second); }
  void reveal(PieceAt at);
  bool belongs(const explain::Piece& piece) const;   // to the part that is shown
  QColor color_of(const explain::Piece& piece) const;
  bool is_quiet(const explain::Piece& piece) const;  // nothing of an op: its text is not on a bright fill
  void draw_axis(QPainter& painter) const;
  void draw_lane(QPainter& painter, const PlacedLane& lane) const;
  void draw_piece(QPainter& painter, const explain::Piece& piece, const QRectF& rect) const;
  void draw_lines(QPainter& painter) const;
  void draw_gap(QPainter& painter) const;

  const Document* document_ = nullptr;
  CompareLanes lanes_;
  std::vector<PieceAt> named_;        // children for assistive technology: pieces of ops
  std::vector<PieceAt> of_row_;
  mutable std::map<std::pair<int, std::string>, std::string> families_;  // keyed by row and label
  int row_ = -1;
  std::optional<explain::Part> part_;
  PieceAt chosen_, hovered_;
  int64_t from_ = 0, to_ = 1;
  AxisDrag drag_;
};

}  // namespace footlight::app
