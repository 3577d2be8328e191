// The Graph tab: what is hidden and open, which stage is shown, the canvas, the search, and beside them the minimap and
// the source of the selection.
#pragma once

#include "app/layout/graph_layout.h"
#include "app/models/graph_costs.h"
#include "app/models/graph_find.h"
#include "app/models/graph_stages.h"
#include "app/views/code_view.h"
#include "app/views/graph_canvas.h"
#include "app/views/graph_find_bar.h"
#include "app/views/labels.h"
#include "app/views/lead.h"
#include "app/views/view.h"

#include <QHash>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QThreadPool>

namespace footlight::app {

class GraphView : public View {
  Q_OBJECT

 public:
  GraphView(const Context& context, QWidget* parent = nullptr);
  ~GraphView() override;

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override {
    return nothing_->isVisibleTo(this) && nothing_->leads_on() ? static_cast<QWidget*>(nothing_->link()) : canvas_;
  }
  Lead* lead() { return lead_; }
  Lead* nothing() { return nothing_; }  // text and actions of an empty view
  bool busy() const override { return layout_.running() || searching_; }

  GraphCanvas* canvas() { return canvas_; }
  GraphLayout& layouter() { return layout_; }
  GraphId shown() const { return shown_; }
  const GraphOptions& options() const { return options_; }
  GraphFindBar* find_bar() { return find_; }
  const std::vector<FoundNode>& found() const { return found_; }
  // The actions for a box; -1: for the graph. The caller owns the menu.
  QMenu* menu_for(int box);
  GraphStage stage() const { return stage_; }
  void show_stage(GraphStage stage);
  void set_grouping(GraphGrouping by);
  void set_colour(GraphColour by);
  // What the last pass did and what the next one does; empty unless a stage is chosen.
  QString stage_text() const { return stage_says_->text(); }
  QPushButton* stage_button() { return stage_button_; }
  QPushButton* changed_button() { return stage_go_; }
  QWidget* side() { return side_; }
  QPushButton* side_button() { return side_button_; }
  // Asks for a file where `path` is empty.
  void export_picture(const QString& path = {});

 Q_SIGNALS:
  void compare_asked(TraceId trace);
  void export_failed(const QString& reason);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  static constexpr int kNarrow = 760;  // no room beside the picture, nor for long names in the bar

  void show_graph(GraphId graph);
  void show_nothing();
  void lay_out(const QString& keep);
  void took(const GraphPlan& plan, const QString& how, qint64 ms);
  void toggle_box(int box);
  int box_now(const QString& key) const;  // -1 if no column has that name
  void toggle_cluster(int cluster);
  void mark();
  void show_source();
  void show_side(bool shown);
  void place_panels();
  void offer_stages();
  void say_choice(QPushButton* button, const QString& choice);
  QWidget* make_bar();
  void connect_canvas();
  void select_node(GraphId graph, uint32_t node);
  bool needs_opening() const;
  void ask_costs();
  void show_costs();
  void show_values();
  void search(const QString& words);
  void mark_found();
  void step_found(int by);
  void say_stage();
  void step_changed();
  void go_to(const FoundNode& node);
  void toggle_unrolled(const QString& key);

  GraphLayout layout_;
  GraphCanvas* canvas_;
  QWidget* side_;           // the minimap and the source, beside the picture
  QFrame* source_panel_;
  QLabel* source_title_;
  CodeView* source_;
  QLabel* summary_;
  Lead *lead_, *nothing_;
  QPushButton *hide_, *group_, *fold_, *colour_, *stage_button_;
  QWidget* stage_row_;
  QLabel* stage_says_;
  StageSentences says_;
  LinkButton* stage_go_;
  QPushButton* side_button_;
  std::vector<FoundNode> changed_;           // nodes that the next pass changes
  size_t changed_step_ = 0;
  GraphFindBar* find_;
  QThreadPool threads_;                      // runs searches
  std::shared_ptr<const Document> part_;     // the records of the graph shown, as traced
  std::shared_ptr<const GraphSearch> words_;
  std::vector<FoundNode> found_;
  size_t found_at_ = 0;                      // from 1; 0: none
  int wanted_step_ = 0;
  uint64_t searches_ = 0;                    // the number of the last one asked for
  bool searching_ = false;
  QueryHandle costs_ticket_;
  GraphCosts costs_;
  uint64_t costed_events_ = 0;
  GraphId shown_;
  GraphStage stage_;
  std::shared_ptr<PlanMemo> memo_;           // memo for these records at this stage
  std::shared_ptr<const Document> memo_part_;
  GraphStage memo_stage_;
  GraphOptions options_;
  QHash<quint32, GraphOptions> remembered_;
  QString keep_;
  bool another_ = true;
  bool revealing_ = false;
  bool finding_ = false;                     // whether the revealed box was searched for
  size_t shown_nodes_ = 0;
};

}  // namespace footlight::app
