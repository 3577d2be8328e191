// The picture of a graph: one canvas over the plan's flat arrays, with pan, zoom, hit tests and keyboard navigation.
#pragma once

#include "app/models/graph_plan.h"
#include "app/views/graph_colours.h"

#include <QSet>
#include <QWidget>

namespace footlight::app {

class GraphCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit GraphCanvas(QWidget* parent = nullptr);

  // `keep`: a box that keeps its place on the screen; empty: fit the whole graph if it is a different one.
  void set_plan(const GraphPlan& plan, const QString& keep, bool another);
  const GraphPlan& plan() const { return plan_; }
  GraphPlan& plan() { return plan_; }  // for changes that move no boxes; call costs_changed() afterwards
  void costs_changed();
  void set_colour(GraphColour by);
  GraphColour colour() const { return colour_; }
  // Boxes that a search found: outlined.
  void set_found(const QSet<int>& boxes);
  const QSet<int>& found() const { return found_; }
  // Fades all but the selection and its neighbours within this many edges; 0: nothing fades.
  void set_steps(int steps);
  int steps() const { return steps_; }
  bool faded(int box) const { return steps_ > 0 && !near_.contains(box); }
  // The whole picture, for a file: without what the user's view adds, in logical pixels.
  void draw_whole(QPainter& painter);
  void set_message(const QString& message) { message_ = message; update(); }
  void set_busy(bool busy) { busy_ = busy; update(); }
  void set_surface(const char* token) { surface_ = token; update(); }  // the colour behind it
  void set_edge_labels(bool on) { labels_ = on; update(); }
  void set_selected(const QSet<int>& boxes);
  const QSet<int>& selected() const { return selected_; }

  void fit();
  void fit_readable();            // the whole graph if that is readable, else its start
  void frame_selected();
  void reveal_selected();         // pans only if it is out of view
  void show_selected_readably();  // the same, and zooms in where its text would not be drawn
  void zoom(double factor, QPointF at);
  double scale() const { return scale_; }
  QRectF visible_world() const;
  void centre_on(QPointF world);
  QPointF to_screen(QPointF world) const { return world * scale_ + offset_; }
  int box_at(QPointF screen) const;
  const PlanChip* chip_at(QPointF screen) const;
  static QRectF chip_rect(const PlanBox& box, size_t chip);
  QString spoken(int box) const;  // the text for a screen reader

 Q_SIGNALS:
  void box_activated(int box);
  void box_toggled(int box);
  void cluster_toggled(int cluster);
  void chip_activated(GraphId graph, uint32_t node);
  void piece_asked(int cluster, int by);     // the next or previous piece of an open repeat
  void menu_asked(int box, QPoint at);       // box -1: the background
  void find_asked();
  void background_clicked();
  void view_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QPointF to_world(QPointF screen) const { return (screen - offset_) / scale_; }
  int cluster_header_at(QPointF screen) const;
  void draw_frames(QPainter& painter, const QRectF& seen) const;
  void draw_edges(QPainter& painter, const QRectF& seen) const;
  void draw_boxes(QPainter& painter, const QRectF& seen) const;
  void draw_small_boxes(QPainter& painter, const QRectF& seen) const;
  void draw_chips(QPainter& painter, const PlanBox& box) const;
  void draw_legend(QPainter& painter) const;
  QRectF place_with_key(const QString& key) const;
  int repeat_around(int box) const;
  void show_opened(const QRectF& rect);
  double least_scale() const;
  void walk(int key);
  int primary() const;
  int entry_box() const;
  void moved();

  GraphPlan plan_;
  QString message_;
  const char* surface_ = "window";
  bool busy_ = false, labels_ = true, fitted_ = false;
  bool touched_ = false;         // the user has moved the picture: resizing the window does not fit it again
  QSet<int> selected_, found_, near_;
  int steps_ = 0;
  GraphColour colour_ = GraphColour::kOp;
  GraphColours colours_{plan_, colour_};
  int hovered_ = -1;
  double scale_ = 1;
  QPointF offset_;
  QPointF press_, press_offset_;
  bool dragging_ = false, pressed_ = false;
};

// The minimap: the whole graph, with the visible part marked.
class Minimap : public QWidget {
  Q_OBJECT

 public:
  explicit Minimap(GraphCanvas* canvas);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void go(QPointF at);
  double factor() const;
  QPointF origin() const;
  GraphCanvas* canvas_;
};

}  // namespace footlight::app
