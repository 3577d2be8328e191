// Chooses the graph, keeps what is open in it, and ties boxes to the selection.
#include "app/views/graph_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include <QEvent>

#include <utility>

namespace footlight::app {
namespace {

// The bar's choices hold for every graph.
void take_choices(GraphOptions& now, GraphOptions next) {
  next.hide_constants = now.hide_constants;
  next.hide_identities = now.hide_identities;
  next.hide_control = now.hide_control;
  next.grouping = now.grouping;
  now = std::move(next);
}

}  // namespace

GraphView::GraphView(const Context& context, QWidget* parent) : View(context, parent), layout_(this) {
  threads_.setMaxThreadCount(1);
  auto* column = column_in(this, {}, 0);
  column->addWidget(make_bar());
  lead_ = new Lead(Lead::kLine);
  lead_->setContentsMargins(18, 0, 16, 6);
  column->addWidget(lead_);
  stage_says_ = plain_label({}, "dim");
  stage_says_->setWordWrap(true);
  stage_says_->setAccessibleName(QStringLiteral("What the passes did"));
  stage_go_ = new LinkButton(QStringLiteral("Go to the next changed node"), false);
  connect(stage_go_, &QPushButton::clicked, this, &GraphView::step_changed);
  stage_row_ = new QWidget;
  auto* says = row_in(stage_row_, {18, 0, 16, 8});
  says->addWidget(stage_says_, 1);
  says->addWidget(stage_go_, 0, Qt::AlignBottom);
  column->addWidget(stage_row_);
  canvas_ = new GraphCanvas;
  canvas_->setAccessibleName(QStringLiteral("Graph of the selected trace"));
  auto* row = row_in(nullptr, {}, 0);
  row->addWidget(canvas_, 1);
  column->addLayout(row, 1);
  side_ = new QWidget;
  side_->setFixedWidth(302);
  row->addWidget(side_);
  auto* beside = column_in(side_, {12, 6, 16, 16}, 16);
  beside->addWidget(new Minimap(canvas_), 0, Qt::AlignRight);
  find_ = new GraphFindBar(canvas_);
  summary_ = plain_label({}, "faint", canvas_);
  summary_->setObjectName(QStringLiteral("onCanvas"));
  nothing_ = new Lead(Lead::kMiddle, canvas_);
  for (Lead* lead : {lead_, nothing_}) connect(lead, &Lead::followed, this, &View::wants_view);
  source_panel_ = new QFrame;
  beside->addWidget(source_panel_, 1);
  beside->addStretch(0);
  source_panel_->setObjectName(QStringLiteral("floating"));
  auto* panel = column_in(source_panel_, {8, 8, 8, 8}, 4);
  source_title_ = elided_label({}, "group");
  source_title_->setContentsMargins(8, 0, 0, 0);
  panel->addWidget(source_title_);
  source_ = new CodeView;
  source_->setAccessibleName(QStringLiteral("Source of the selection"));
  source_->set_row_height(23);
  source_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  panel->addWidget(source_, 1);
  canvas_->installEventFilter(this);
  connect_canvas();
  connect(source_, &CodeView::activated, this, [this](int number) {
    const SourcePlace place = place_of(document(), current());
    const session::GeneratedRecord* code = document().generated_of(current().function);
    const session::FunctionRecord* f = document().function(current().function);
    const session::FileId file = place.file.valid() ? place.file : code ? code->file : f ? f->file : session::FileId{};
    if (file.valid()) context_.selection->select(Selection::of_line(document(), {file, number}));
  });
  connect(&layout_, &GraphLayout::finished, this, &GraphView::took);
  reset();
}

GraphView::~GraphView() { threads_.waitForDone(); }  // its work calls back

void GraphView::reset() {
  layout_.cancel();
  remembered_.clear();
  take_choices(options_, GraphOptions());
  shown_ = {};
  part_.reset();
  stage_ = {};
  offer_stages();
  words_.reset();
  costs_ = {};
  another_ = true;
  show_nothing();
  follow_selection();
}

void GraphView::show_nothing() {
  canvas_->set_plan({}, {}, true);
  canvas_->set_message({});
  nothing_->say(nothing_to_show(document(), current(), LeadFor::kGraph));
  nothing_->show();
  lead_->hide();
  summary_->clear();
  show_side(false);
  place_panels();
}

void GraphView::refresh() {
  if (!shown_.valid()) nothing_->say(nothing_to_show(document(), current(), LeadFor::kGraph));
  if (current().graph.valid() && current().graph != shown_) follow_selection();
  const session::GraphRecord* g = document().graph(shown_);
  if (g && g->nodes.size() != shown_nodes_) {
    part_ = graph_part(document(), shown_);
    offer_stages();
    words_.reset();
    lay_out({});
  }
  if (g && document().events != costed_events_) ask_costs();
  if (!document().values.empty()) show_values();
}

void GraphView::follow_selection() {
  const Selection& s = current();
  GraphId wanted;
  if (const session::TraceRecord* t = document().trace(s.trace)) wanted = t->graph();
  if (!wanted.valid() && s.graph.valid()) wanted = s.graph;
  if (!wanted.valid() && s.function.valid()) {
    shown_ = {};
    layout_.cancel();
    show_nothing();
    return;
  }
  if (!wanted.valid() && !shown_.valid()) {
    show_nothing();
  } else if (wanted.valid() && wanted != shown_) {
    show_graph(wanted);
  } else if (needs_opening()) {
    options_.reveal_graph = current().graph;
    options_.reveal_node = current().node;
    lay_out({});
  } else {
    mark();
  }
  show_source();
}

// Whether another view has selected a node that lies in something closed, or in a piece of a repeat that is not shown.
bool GraphView::needs_opening() const {
  const Selection& s = current();
  if (context_.selection->source() == this || layout_.running()) return false;
  if (s.kind != Selection::Kind::kNode && s.kind != Selection::Kind::kEvent) return false;
  if (!part_ || !part_->node(s.graph, s.node)) return false;
  const GraphPlan& plan = std::as_const(*canvas_).plan();
  if (plan.box_of(s.graph, s.node) >= 0) return false;
  const int at = plan.place_of(s.graph, s.node);
  if (at < 0) return plan.root != s.graph;  // hidden where its graph is shown
  const PlanBox& box = plan.boxes[static_cast<size_t>(at)];
  return box.kind != PlanBox::Kind::kNode || plan.in_other_piece.contains(GraphPlan::place_key(s.graph, s.node));
}

void GraphView::show_graph(GraphId graph) {
  if (shown_.valid()) remembered_.insert(shown_.value, options_);
  const auto known = remembered_.constFind(graph.value);
  GraphOptions next = known != remembered_.constEnd() ? *known : first_options(document(), graph);
  // Another trace of the same function keeps the same scopes open.
  const session::TraceRecord *before = document().trace_of_graph(shown_), *after = document().trace_of_graph(graph);
  if (known == remembered_.constEnd() && before && after && before->function == after->function) next = options_;
  take_choices(options_, std::move(next));
  another_ = !(before && after && before->function == after->function);
  shown_ = graph;
  part_ = graph_part(document(), graph);
  offer_stages();
  words_.reset();
  costs_ = {};
  const Selection& s = current();
  const bool inside = s.kind == Selection::Kind::kNode || s.kind == Selection::Kind::kEvent;
  if (inside) options_.reveal_graph = s.graph, options_.reveal_node = s.node;  // it may lie in something folded
  ask_costs();
  lay_out({});
  if (find_->isVisible()) search(find_->text());
}

void GraphView::lay_out(const QString& keep) {
  const session::GraphRecord* g = document().graph(shown_);
  if (!g) return show_nothing();
  nothing_->hide();
  lead_->say(graph_lead(document(), shown_));
  lead_->show();
  keep_ = keep;
  revealing_ = options_.reveal_graph.valid();
  shown_nodes_ = g->nodes.size();
  canvas_->set_busy(true);
  if (!memo_ || memo_part_ != part_ || !(memo_stage_ == stage_))
    memo_ = plan_memo(), memo_part_ = part_, memo_stage_ = stage_;
  layout_.start_making([part = part_, graph = shown_, options = options_, stage = stage_,
                        memo = memo_](const std::function<void()>& go_on) {
    GraphPlan plan = plan_graph(*part_at(part, stage), graph, options, go_on, memo.get());
    mark_stage(plan, *part, stage);
    return plan;
  });
}

void GraphView::took(const GraphPlan& plan, const QString& how, qint64 ms) {
  canvas_->set_busy(false);
  show_side(true);
  options_ = plan.options;
  canvas_->set_plan(plan, keep_, another_);
  show_costs();
  if (!document().values.empty()) show_values();
  mark_found();
  another_ = false;
  QString text = counted(plan.nodes, "node", "nodes");
  const QString dot = QString::fromUtf8(" · ");
  if (plan.hidden) text += dot + QStringLiteral("%1 hidden").arg(plan.hidden);
  const size_t open = plan.clusters.size() + (plan.areas.empty() ? 0 : plan.areas.size() - 1);
  if (open) text += dot + counted(open, "scope open", "scopes open");
  text += dot + (how == QStringLiteral("Graphviz") ? QStringLiteral("layout %1 ms").arg(ms) : how);
  summary_->setText(text);
  summary_->adjustSize();
  const bool anything_open = open > 0;
  fold_->setText(anything_open ? QStringLiteral("Fold all") : QStringLiteral("Open all"));
  mark();
  const bool found = std::exchange(finding_, false);
  if (std::exchange(revealing_, false)) found ? canvas_->show_selected_readably() : canvas_->reveal_selected();
  show_source();
  place_panels();
}

void GraphView::toggle_box(int box) {
  const PlanBox& b = std::as_const(*canvas_).plan().boxes[static_cast<size_t>(box)];
  if (!b.expandable) return;
  if (b.kind == PlanBox::Kind::kScope && !options_.fold_scopes) {
    options_.folded.remove(b.key);
  } else if (!options_.opened.remove(b.key)) {
    options_.opened.insert(b.key);
  }
  lay_out(b.key);
}

void GraphView::toggle_cluster(int cluster) {
  const PlanCluster& c = std::as_const(*canvas_).plan().clusters[static_cast<size_t>(cluster)];
  options_.opened.remove(c.key);
  options_.unrolled.remove(c.key);
  if (!c.group && !options_.fold_scopes) options_.folded.insert(c.key);
  lay_out(c.key);
}

// All pieces of a repeat, or one.
void GraphView::toggle_unrolled(const QString& key) {
  if (options_.unrolled.remove(key)) options_.opened.insert(key);
  else options_.unrolled.insert(key);
  lay_out(key);
}

void GraphView::mark() {
  QSet<int> boxes;
  const GraphPlan& plan = std::as_const(*canvas_).plan();
  const Selection& s = current();
  if (s.kind == Selection::Kind::kNode || s.kind == Selection::Kind::kEvent) {
    int box = plan.place_of(s.graph, s.node);
    // If the body is closed, uses the box that runs it.
    if (box < 0 && part_) {
      for (const auto& [graph, node] : way_to(*part_, plan.root, s.graph, s.node)) {
        const int outer = plan.place_of(graph, node);
        if (outer >= 0) box = outer;
      }
    }
    if (box >= 0) boxes.insert(box);
  } else {
    for (const PlanArea& area : plan.areas) {
      for (uint32_t node : nodes_of(document(), s, area.graph)) {
        const int box = plan.place_of(area.graph, node);
        if (box >= 0) boxes.insert(box);
      }
    }
  }
  canvas_->set_selected(boxes);
  if (context_.selection->source() != this) canvas_->reveal_selected();
}

void GraphView::show_source() {
  const SourcePlace place = place_of(document(), current());
  const session::GeneratedRecord* code = document().generated_of(current().function);
  const session::FunctionRecord* f = document().function(current().function);
  std::vector<CodeLine> lines;
  session::FileId file;
  if (code && (!place || code->file == place.file)) {
    lines = function_lines(document(), *code, current().trace);
    file = code->file;
    const bool inside = !place || std::any_of(lines.begin(), lines.end(),
                                              [&](const CodeLine& l) { return l.number == place.line; });
    if (!inside) lines.clear();
  }
  if (lines.empty() && place) {
    lines = file_lines(document(), place.file);
    file = place.file;
  }
  if (lines.empty() && f) {
    lines = file_lines(document(), f->file);
    file = f->file;
  }
  for (CodeLine& l : lines) l.note.clear(), l.fate.clear();
  const session::FileRecord* record = document().file(file);
  source_panel_->setVisible(record && !lines.empty());
  if (!record) return;
  source_title_->setText(file_name(record->path));
  source_->set_lines(std::move(lines));
  QSet<int> marks;
  const bool own = current().kind != Selection::Kind::kTrace && current().kind != Selection::Kind::kFunction;
  if (place && own) marks.insert(place.line);
  source_->set_marks({}, own ? place.line : 0);
  const int reveal = own && place ? place.line : f ? f->line : 0;
  if (reveal) source_->reveal(reveal);
  place_panels();
}

// Beside the picture, so that it never covers a node; a narrow window has no room for it.
void GraphView::show_side(bool shown) {
  side_button_->setVisible(width() > kNarrow);
  shown = shown && width() > kNarrow && side_button_->isChecked();
  if (shown != side_->isHidden()) return;
  side_->setVisible(shown);
  layout()->activate();  // the picture that comes next is for the canvas as it is then
}

void GraphView::place_panels() {
  nothing_->setGeometry(canvas_->rect().adjusted(40, 0, -40, 0));
  find_->move(16, 8);
  summary_->move(10, canvas_->height() - summary_->height() - 4);
  const int wanted = static_cast<int>(source_->lines().size()) * 23 + 54;
  source_panel_->setMaximumHeight(std::max(80, wanted));
}

void GraphView::resizeEvent(QResizeEvent*) {
  for (QPushButton* button : {colour_, hide_, group_, stage_button_})
    say_choice(button, button->property("choice").toString());
  say_stage();
  show_side(!std::as_const(*canvas_).plan().boxes.empty());
  show_source();
  place_panels();
}

bool GraphView::eventFilter(QObject* object, QEvent* event) {
  if (object == canvas_ && event->type() == QEvent::Resize) place_panels();
  return View::eventFilter(object, event);
}

}  // namespace footlight::app
