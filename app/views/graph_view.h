// The Graph tab: what is hidden and open, the canvas, the minimap, and a floating panel with the selection's source.
#pragma once

#include "app/layout/graph_layout.h"
#include "app/views/code_view.h"
#include "app/views/graph_canvas.h"
#include "app/views/view.h"

#include <QHash>
#include <QLabel>
#include <QPushButton>

namespace footlight::app {

class GraphView : public View {
  Q_OBJECT

 public:
  GraphView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return canvas_; }
  bool busy() const override { return layout_.running(); }

  GraphCanvas* canvas() { return canvas_; }
  GraphLayout& layouter() { return layout_; }
  GraphId shown() const { return shown_; }

 Q_SIGNALS:
  void compare_asked(TraceId trace);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void show_graph(GraphId graph);
  void lay_out(const QString& keep);
  void took(const GraphPlan& plan, const QString& how, qint64 ms);
  void toggle_box(int box);
  void toggle_cluster(int cluster);
  void mark();
  void show_source();
  void place_panels();
  QPushButton* chip(const QString& text, bool on);

  GraphLayout layout_;
  GraphCanvas* canvas_;
  Minimap* minimap_;
  QFrame* source_panel_;
  QLabel* source_title_;
  CodeView* source_;
  QLabel* summary_;
  QPushButton *labels_, *constants_, *identities_, *control_, *fold_;
  GraphId root_;    // of the trace
  GraphId shown_;
  GraphOptions options_;
  QHash<quint32, GraphOptions> remembered_;
  QString keep_;
  bool another_ = true;
  size_t shown_nodes_ = 0;
};

}  // namespace footlight::app
