// Chooses the graph, keeps what is open in it, and ties boxes to the selection.
#include "app/views/graph_view.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace footlight::app {

GraphView::GraphView(const Context& context, QWidget* parent) : View(context, parent), layout_(this) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(16, 10, 16, 8);
  bar->setSpacing(6);
  labels_ = chip(QStringLiteral("Edge shapes"), true);
  constants_ = chip(QStringLiteral("Constants"), true);
  identities_ = chip(QStringLiteral("Identities"), true);
  control_ = chip(QStringLiteral("Control edges"), true);
  fold_ = new QPushButton(QStringLiteral("Fold all"));
  fold_->setProperty("role", "chip");
  set_tip(fold_, QStringLiteral("Fold every scope and body, or open them again"));
  auto* fit = new QPushButton(QStringLiteral("Fit"));
  fit->setProperty("role", "chip");
  set_tip(fit, QStringLiteral("Show the whole graph (Home)"));
  auto* compare = new LinkButton(QStringLiteral("Compare graphs"), false);
  connect(compare, &QPushButton::clicked, this, [this] {
    if (const session::TraceRecord* t = document().trace_of_graph(shown_)) Q_EMIT compare_asked(t->id);
  });
  for (QPushButton* button : {labels_, constants_, identities_, control_, fold_, fit}) bar->addWidget(button);
  bar->addWidget(compare);
  summary_ = new ElidedLabel;
  summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  summary_->setProperty("role", "faint");
  bar->addWidget(summary_, 1);
  column->addLayout(bar);

  canvas_ = new GraphCanvas;
  canvas_->setAccessibleName(QStringLiteral("Graph of the selected trace"));
  column->addWidget(canvas_, 1);
  minimap_ = new Minimap(canvas_);
  source_panel_ = new QFrame(canvas_);
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

  connect(labels_, &QPushButton::toggled, canvas_, &GraphCanvas::set_edge_labels);
  const auto hide = [this](QPushButton* button, bool GraphOptions::*member) {
    connect(button, &QPushButton::toggled, this, [this, member](bool on) {
      options_.*member = !on;
      lay_out({});
    });
  };
  hide(constants_, &GraphOptions::hide_constants);
  hide(identities_, &GraphOptions::hide_identities);
  hide(control_, &GraphOptions::hide_control);
  connect(fold_, &QPushButton::clicked, this, [this] {
    const bool anything_open = !canvas_->plan().clusters.empty() ||
                               canvas_->plan().areas.size() > 1;
    if (anything_open) {
      for (const PlanCluster& c : canvas_->plan().clusters) options_.folded.insert(c.key);
      options_.opened.clear();
    } else {
      options_.folded.clear();
      for (const PlanBox& b : canvas_->plan().boxes) {
        if (b.expandable && b.kind == PlanBox::Kind::kNode) options_.opened.insert(b.key);
      }
    }
    lay_out({});
  });
  connect(fit, &QPushButton::clicked, canvas_, &GraphCanvas::fit);
  connect(canvas_, &GraphCanvas::box_activated, this, [this](int box) {
    const PlanBox& b = canvas_->plan().boxes[static_cast<size_t>(box)];
    if (b.kind == PlanBox::Kind::kScope) {
      canvas_->set_selected({box});
    } else {
      Selection s = Selection::of_node(document(), b.graph, b.node);
      select(s);
      canvas_->set_selected({box});
    }
    canvas_->reveal_selected();
  });
  connect(canvas_, &GraphCanvas::box_toggled, this, &GraphView::toggle_box);
  connect(canvas_, &GraphCanvas::cluster_toggled, this, &GraphView::toggle_cluster);
  connect(canvas_, &GraphCanvas::background_clicked, this, [this] {
    if (current().trace.valid()) select(Selection::of_trace(document(), current().trace));
  });
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

QPushButton* GraphView::chip(const QString& text, bool on) {
  auto* button = new QPushButton(text);
  button->setProperty("role", "chip");
  button->setCheckable(true);
  button->setChecked(on);
  set_tip(button, QStringLiteral("Show or hide: ") + text.toLower());
  return button;
}

void GraphView::reset() {
  layout_.cancel();
  remembered_.clear();
  options_ = {};
  root_ = shown_ = {};
  another_ = true;
  canvas_->set_plan({}, {}, true);
  canvas_->set_message(QStringLiteral("Choose a trace on the left to see its graph."));
  summary_->clear();
  minimap_->hide();
  source_panel_->hide();
  follow_selection();
}

void GraphView::refresh() {
  if (current().graph.valid() && current().graph != shown_) follow_selection();
  const session::GraphRecord* g = document().graph(shown_);
  if (g && g->nodes.size() != shown_nodes_) lay_out({});
}

void GraphView::follow_selection() {
  const Selection& s = current();
  GraphId wanted;
  if (const session::TraceRecord* t = document().trace(s.trace)) wanted = t->graph();
  if (!wanted.valid() && s.graph.valid()) wanted = s.graph;
  if (!wanted.valid() && s.function.valid()) {
    shown_ = {};
    layout_.cancel();
    canvas_->set_plan({}, {}, true);
    const session::FunctionRecord* f = document().function(s.function);
    canvas_->set_message(f ? q(f->name) + QStringLiteral(" was not traced: there is no graph to show.") : QString());
    summary_->clear();
    minimap_->hide();
    source_panel_->hide();
    return;
  }
  if (wanted.valid() && wanted != shown_) {
    show_graph(wanted);
  } else {
    mark();
  }
  show_source();
}

void GraphView::show_graph(GraphId graph) {
  if (shown_.valid()) remembered_.insert(shown_.value, options_);
  const bool hide_constants = options_.hide_constants, hide_identities = options_.hide_identities,
             hide_control = options_.hide_control;
  const auto known = remembered_.constFind(graph.value);
  GraphOptions next = known != remembered_.constEnd() ? *known : default_options(document(), graph);
  // Another trace of the same function keeps the same scopes open.
  const session::TraceRecord *before = document().trace_of_graph(shown_), *after = document().trace_of_graph(graph);
  if (known == remembered_.constEnd() && before && after && before->function == after->function) next = options_;
  next.hide_constants = hide_constants;
  next.hide_identities = hide_identities;
  next.hide_control = hide_control;
  options_ = next;
  another_ = !(before && after && before->function == after->function);
  shown_ = graph;
  lay_out({});
}

void GraphView::lay_out(const QString& keep) {
  const session::GraphRecord* g = document().graph(shown_);
  if (!g) {
    const session::TraceRecord* t = document().trace(current().trace);
    canvas_->set_plan({}, {}, true);
    canvas_->set_message(t && !t->error.empty()
                             ? QStringLiteral("Tracing failed, so there is no graph:\n") + q(t->error)
                             : QStringLiteral("The graph of this trace was not recorded."));
    summary_->clear();
    minimap_->hide();
    return;
  }
  keep_ = keep;
  shown_nodes_ = g->nodes.size();
  canvas_->set_busy(true);
  layout_.start(plan_graph(document(), shown_, options_));
  if (!layout_.running()) canvas_->set_busy(false);
}

void GraphView::took(const GraphPlan& plan, const QString& how, qint64 ms) {
  canvas_->set_busy(false);
  const bool panels = width() > 760;
  canvas_->set_right_margin(panels ? 290 : 0);
  canvas_->set_plan(plan, keep_, another_);
  another_ = false;
  QString text = counted(plan.nodes, "node", "nodes");
  const QString dot = QString::fromUtf8(" · ");
  if (plan.hidden) text += dot + QStringLiteral("%1 hidden").arg(plan.hidden);
  const size_t open = plan.clusters.size() + (plan.areas.empty() ? 0 : plan.areas.size() - 1);
  if (open) text += dot + counted(open, "scope open", "scopes open");
  text += dot + (how == QStringLiteral("Graphviz") ? QStringLiteral("layout %1 ms").arg(ms) : how);
  summary_->setText(text);
  const bool anything_open = open > 0;
  fold_->setText(anything_open ? QStringLiteral("Fold all") : QStringLiteral("Open all"));
  minimap_->setVisible(panels);
  mark();
  show_source();
  place_panels();
}

void GraphView::toggle_box(int box) {
  const PlanBox& b = canvas_->plan().boxes[static_cast<size_t>(box)];
  if (!b.expandable) return;
  if (b.kind == PlanBox::Kind::kScope) {
    options_.folded.remove(b.key);
  } else if (!options_.opened.remove(b.key)) {
    options_.opened.insert(b.key);
  }
  lay_out(b.key);
}

void GraphView::toggle_cluster(int cluster) {
  options_.folded.insert(canvas_->plan().clusters[static_cast<size_t>(cluster)].key);
  lay_out({});
}

void GraphView::mark() {
  QSet<int> boxes;
  const GraphPlan& plan = canvas_->plan();
  for (const PlanArea& area : plan.areas) {
    for (uint32_t node : nodes_of(document(), current(), area.graph)) {
      const int box = plan.box_of(area.graph, node);
      if (box >= 0) boxes.insert(box);
    }
  }
  // For a node inside a folded scope or a closed body, mark the box that contains it.
  if (boxes.isEmpty() && current().kind == Selection::Kind::kNode) {
    if (const session::NodeRecord* n = document().node(current().graph, current().node)) {
      const QString name = q(n->name);
      for (size_t i = 0; i < plan.boxes.size(); ++i) {
        const PlanBox& b = plan.boxes[i];
        if (b.kind == PlanBox::Kind::kScope && b.graph == current().graph && name.startsWith(b.key))
          boxes.insert(static_cast<int>(i));
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
  source_panel_->setVisible(record && !lines.empty() && width() > 760 && !canvas_->plan().boxes.empty());
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
  const int right = canvas_->width() - 16;
  minimap_->move(right - minimap_->width(), 6);
  const int top = 6 + minimap_->height() + 16;
  const int wanted = static_cast<int>(source_->lines().size()) * 23 + 54;
  source_panel_->setGeometry(right - 274, top, 274, std::max(80, std::min(wanted, canvas_->height() - top - 16)));
}

void GraphView::resizeEvent(QResizeEvent*) {
  const bool panels = width() > 760;
  canvas_->set_right_margin(panels ? 290 : 0);
  minimap_->setVisible(panels && !canvas_->plan().boxes.empty());
  show_source();
  place_panels();
}

bool GraphView::eventFilter(QObject* object, QEvent* event) {
  if (object == canvas_ && event->type() == QEvent::Resize) place_panels();
  return View::eventFilter(object, event);
}

}  // namespace footlight::app
