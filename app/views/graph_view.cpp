// Chooses the graph, keeps what is open in it, and ties boxes to the selection.
#include "app/views/graph_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <utility>

namespace footlight::app {
namespace {
constexpr int kWide = 760;  // room for panels beside the canvas
constexpr int kSide = 290;  // their width
}  // namespace

GraphView::GraphView(const Context& context, QWidget* parent) : View(context, parent), layout_(this) {
  threads_.setMaxThreadCount(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_bar());
  lead_ = new Lead(Lead::kLine);
  lead_->setContentsMargins(18, 0, 16, 6);
  column->addWidget(lead_);
  canvas_ = new GraphCanvas;
  canvas_->setAccessibleName(QStringLiteral("Graph of the selected trace"));
  // The panels stand beside the canvas, so that they cover no node.
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(canvas_, 1);
  side_ = new QWidget;
  side_->setFixedWidth(kSide);
  row->addWidget(side_);
  column->addLayout(row, 1);
  minimap_ = new Minimap(canvas_);
  minimap_->setParent(side_);
  find_ = new GraphFindBar(canvas_);
  summary_ = plain_label({}, "faint", canvas_);
  nothing_ = new Lead(Lead::kMiddle, canvas_);
  for (Lead* lead : {lead_, nothing_}) connect(lead, &Lead::followed, this, &View::wants_view);
  source_panel_ = new QFrame(side_);
  source_panel_->setObjectName(QStringLiteral("floating"));
  auto* panel = new QVBoxLayout(source_panel_);
  panel->setContentsMargins(8, 8, 8, 8);
  panel->setSpacing(4);
  source_title_ = plain_label({}, "group");
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
    const Place place = place_of(document(), current());
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
  options_ = {};
  shown_ = {};
  part_.reset();
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
  minimap_->hide();
  source_panel_->hide();
  place_panels();
}

void GraphView::refresh() {
  if (!shown_.valid()) nothing_->say(nothing_to_show(document(), current(), LeadFor::kGraph));
  if (current().graph.valid() && current().graph != shown_) follow_selection();
  const session::GraphRecord* g = document().graph(shown_);
  if (g && g->nodes.size() != shown_nodes_) {
    part_ = graph_part(document(), shown_);
    words_.reset();
    lay_out({});
  }
  if (g && document().events != costed_events_) ask_costs();
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
  const bool hide_constants = options_.hide_constants, hide_identities = options_.hide_identities,
             hide_control = options_.hide_control;
  const auto known = remembered_.constFind(graph.value);
  GraphOptions next = known != remembered_.constEnd() ? *known : first_options(document(), graph);
  // Another trace of the same function keeps the same scopes open.
  const session::TraceRecord *before = document().trace_of_graph(shown_), *after = document().trace_of_graph(graph);
  if (known == remembered_.constEnd() && before && after && before->function == after->function) next = options_;
  next.hide_constants = hide_constants;
  next.hide_identities = hide_identities;
  next.hide_control = hide_control;
  options_ = next;
  another_ = !(before && after && before->function == after->function);
  shown_ = graph;
  part_ = graph_part(document(), graph);
  words_.reset();
  costs_ = {};
  const Selection& s = current();
  const bool inside = s.kind == Selection::Kind::kNode || s.kind == Selection::Kind::kEvent;
  if (inside && s.graph != graph) options_.reveal_graph = s.graph, options_.reveal_node = s.node;
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
  layout_.start_making(
      [part = part_, graph = shown_, options = options_] { return plan_graph(*part, graph, options); });
}

void GraphView::took(const GraphPlan& plan, const QString& how, qint64 ms) {
  canvas_->set_busy(false);
  options_ = plan.options;
  minimap_->setVisible(width() > kWide);
  place_panels();
  layout()->activate();  // the canvas knows its room before it fits the graph
  canvas_->set_plan(plan, keep_, another_);
  show_costs();
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
  if (std::exchange(revealing_, false)) canvas_->reveal_selected();
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
    // In a closed body: the box that runs it.
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
  const Place place = place_of(document(), current());
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
  source_panel_->setVisible(record && !lines.empty() && width() > kWide && !canvas_->plan().boxes.empty());
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

void GraphView::place_panels() {
  nothing_->setGeometry(canvas_->rect().adjusted(40, 0, -40, 0));
  find_->move(16, 8);
  summary_->move(16, canvas_->height() - summary_->height() - 6);
  const int right = kSide - 16;
  minimap_->move(right - minimap_->width(), 6);
  const int top = 6 + minimap_->height() + 16;
  const int wanted = static_cast<int>(source_->lines().size()) * 23 + 54;
  source_panel_->setGeometry(right - 274, top, 274, std::max(80, std::min(wanted, canvas_->height() - top - 16)));
  side_->setVisible(minimap_->isVisibleTo(side_) || source_panel_->isVisibleTo(side_));
}

void GraphView::resizeEvent(QResizeEvent*) {
  minimap_->setVisible(width() > kWide && !canvas_->plan().boxes.empty());
  show_source();
  place_panels();
}

bool GraphView::eventFilter(QObject* object, QEvent* event) {
  if (object == canvas_ && event->type() == QEvent::Resize) place_panels();
  return View::eventFilter(object, event);
}

}  // namespace footlight::app
