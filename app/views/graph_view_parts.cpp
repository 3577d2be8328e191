// The Graph tab's chips, menus, search and costs.
#include "app/views/graph_view.h"

#include "app/models/text.h"
#include "app/models/values.h"
#include "app/views/graph_export.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"

#include "engine/explain/stages.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QShortcut>

#include <utility>

namespace footlight::app {
namespace {
constexpr int kNarrowBar = 900;  // no room for long names in the bar
}  // namespace

QWidget* GraphView::make_bar() {
  auto* whole = new QWidget;
  auto* bar = row_in(whole, {16, 10, 16, 8}, 6);
  colour_ = chip_button(QStringLiteral("Colour: op"), QStringLiteral("What the colours of the boxes mean"));
  auto* colours = new QMenu(colour_);
  for (const GraphColour by : kGraphColours) {
    colours->addAction(name_of(by), this, [this, by] { set_colour(by); });
  }
  colour_->setMenu(colours);
  hide_ = chip_button(QStringLiteral("Hide: nothing"), QStringLiteral("What is left out of the picture"));
  auto* hidden = new QMenu(hide_);
  const auto hide = [this, hidden](const QString& what, bool GraphOptions::*member) {
    QAction* action = hidden->addAction(QStringLiteral("Hide ") + what);
    action->setCheckable(true);
    action->setData(what);
    connect(action, &QAction::toggled, this, [this, hidden, member](bool on) {
      options_.*member = on;
      QStringList names;
      for (const QAction* each : hidden->actions())
        if (each->isChecked() && each->data().isValid()) names << each->data().toString();
      say_choice(hide_, names.isEmpty()      ? QStringLiteral("nothing")
                        : names.size() == 1 ? names.front()
                                            : QStringLiteral("%1 kinds").arg(names.size()));
      if (shown_.valid()) lay_out({});
    });
  };
  hide(QStringLiteral("constants"), &GraphOptions::hide_constants);
  hide(QStringLiteral("identities"), &GraphOptions::hide_identities);
  hide(QStringLiteral("control edges"), &GraphOptions::hide_control);
  QAction* shapes = hidden->addAction(QStringLiteral("Hide the shapes on edges"));
  shapes->setCheckable(true);
  connect(shapes, &QAction::toggled, this, [this](bool on) { canvas_->set_edge_labels(!on); });
  hide_->setMenu(hidden);
  group_ = chip_button(QStringLiteral("Group: name scopes"), QStringLiteral("What the frames around nodes stand for"));
  auto* groupings = new QMenu(group_);
  for (const GraphGrouping by : kGraphGroupings)
    groupings->addAction(QStringLiteral("Group by ") + name_of(by), this, [this, by] { set_grouping(by); });
  group_->setMenu(groupings);
  stage_button_ = chip_button(QStringLiteral("Stage: as traced"),
                              QStringLiteral("The graph before and after each pass of the engine, and what it did"));
  stage_button_->setMenu(new QMenu(stage_button_));
  fold_ = chip_button(QStringLiteral("Fold all"), QStringLiteral("Fold every scope and body, or open them again"));
  QPushButton* find =
      chip_button(QStringLiteral("Find"), QStringLiteral("Search the nodes of this graph (Ctrl+F or /)"));
  QPushButton* fit = chip_button(QStringLiteral("Fit"), QStringLiteral("Show the whole graph (Home)"));
  auto* compare = new LinkButton(QStringLiteral("Compare graphs"), false);
  set_tip(compare, QStringLiteral("Compare this graph with that of another trace"));
  for (QPushButton* button : {colour_, hide_, group_, stage_button_}) {
    button->setProperty("kind", button->text().section(QLatin1Char(':'), 0, 0));
    // Narrow windows show the first word alone.
    button->setMinimumWidth(button->fontMetrics().horizontalAdvance(button->property("kind").toString()) + 40);
    say_choice(button, button->text().section(QStringLiteral(": "), 1));
  }
  for (QPushButton* button : {colour_, hide_, group_, stage_button_, fold_, find, fit})
    bar->addWidget(button);
  bar->addWidget(compare);
  bar->addStretch(1);
  side_button_ = chip_switch(QStringLiteral("Source"),
                             QStringLiteral("Shows the map and the source beside the graph, or gives it the room (P)"),
                             true);
  side_button_->setAccessibleName(QStringLiteral("Map and source"));
  bar->addWidget(side_button_);
  connect(side_button_, &QPushButton::toggled, this, [this] {
    show_side(!std::as_const(*canvas_).plan().boxes.empty());
    canvas_->setFocus(Qt::OtherFocusReason);
  });
  connect(new QShortcut(QKeySequence(Qt::Key_P), this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
          &QShortcut::activated, side_button_, &QPushButton::toggle);

  connect(compare, &QPushButton::clicked, this, [this] {
    if (const session::TraceRecord* t = document().trace_of_graph(shown_)) Q_EMIT compare_asked(t->id);
  });
  connect(find, &QPushButton::clicked, this, [this] { find_->open(); });
  connect(fit, &QPushButton::clicked, this, [this] { canvas_->fit(); });
  connect(fold_, &QPushButton::clicked, this, [this] {
    const GraphPlan& plan = std::as_const(*canvas_).plan();
    const bool anything_open = !plan.clusters.empty() || plan.areas.size() > 1;
    if (anything_open) {
      for (const PlanCluster& c : plan.clusters)
        if (!c.group) options_.folded.insert(c.key);
      options_.opened.clear();
      options_.unrolled.clear();
    } else {
      options_.folded.clear();
      for (const PlanBox& b : plan.boxes)
        if (b.expandable) options_.opened.insert(b.key);
    }
    if (shown_.valid()) lay_out({});
  });
  return whole;
}

void GraphView::connect_canvas() {
  connect(canvas_, &GraphCanvas::box_activated, this, [this](int box) {
    const PlanBox& b = std::as_const(*canvas_).plan().boxes[static_cast<size_t>(box)];
    if (b.kind == PlanBox::Kind::kNode) select_node(b.graph, b.node);
    canvas_->set_selected({box});
    canvas_->reveal_selected();
  });
  connect(canvas_, &GraphCanvas::chip_activated, this, [this](GraphId graph, uint32_t node) {
    select_node(graph, node);
    mark();
    canvas_->reveal_selected();
  });
  connect(canvas_, &GraphCanvas::box_toggled, this, &GraphView::toggle_box);
  connect(canvas_, &GraphCanvas::cluster_toggled, this, &GraphView::toggle_cluster);
  connect(canvas_, &GraphCanvas::piece_asked, this, [this](int cluster, int by) {
    const PlanCluster& c = std::as_const(*canvas_).plan().clusters[static_cast<size_t>(cluster)];
    const int last = static_cast<int>(c.times) - 1;
    options_.piece.insert(c.key, std::clamp(options_.piece.value(c.key, 0) + by, 0, last));
    lay_out(c.key);
  });
  connect(canvas_, &GraphCanvas::find_asked, find_, &GraphFindBar::open);
  connect(canvas_, &GraphCanvas::menu_asked, this, [this](int box, QPoint at) {
    QMenu* menu = menu_for(box);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(at);
  });
  connect(canvas_, &GraphCanvas::background_clicked, this, [this] {
    if (current().trace.valid()) select(Selection::of_trace(document(), current().trace));
  });
  connect(find_, &GraphFindBar::asked, this, &GraphView::search);
  connect(find_, &GraphFindBar::step_asked, this, &GraphView::step_found);
  connect(find_, &GraphFindBar::closed, this, [this] {
    found_.clear();
    found_at_ = 0;
    mark_found();
    canvas_->setFocus();
  });
}

// A node of the graph shown, or of one that it runs: the trace stays. For a node that a pass made: the one as traced.
void GraphView::select_node(GraphId graph, uint32_t node) {
  if (const session::GraphRecord* g = document().graph(graph)) node = explain::traced_node(*g, node);
  Selection s = Selection::of_node(document(), graph, node);
  if (const session::TraceRecord* t = document().trace_of_graph(shown_)) {
    s.trace = t->id;
    s.function = t->function;
  }
  select(s);
}

// "Colour: device", in a narrow window "Colour".
void GraphView::say_choice(QPushButton* button, const QString& choice) {
  const QString kind = button->property("kind").toString(), whole = kind + QStringLiteral(": ") + choice;
  button->setProperty("choice", choice);
  button->setText(width() < kNarrowBar ? kind : whole);
  button->setAccessibleName(whole);
}

// The effects of passes may become known only later in the run.
void GraphView::offer_stages() {
  const session::GraphRecord* g = part_ ? part_->graph(shown_) : nullptr;
  const std::vector<StageChoice> choices = g ? stage_choices(*g) : std::vector<StageChoice>();
  if (g && stage_.passes > explain::pass_count(*g)) stage_ = {};
  stage_button_->setVisible(!choices.empty());
  QMenu* menu = stage_button_->menu();
  menu->clear();
  for (const StageChoice& choice : choices) {
    QString text = choice.name;
    text[0] = text[0].toUpper();
    if (!choice.detail.isEmpty()) text += QStringLiteral(": ") + choice.detail;
    QAction* action = menu->addAction(text, this, [this, choice] { show_stage(choice.stage); });
    action->setCheckable(true);
    action->setChecked(choice.stage == stage_);
    if (choice.stage == stage_) say_choice(stage_button_, choice.name);
  }
  says_ = part_ ? stage_sentences(*part_, shown_, stage_) : StageSentences();
  say_stage();
  changed_ = part_ ? changed_at(*part_, stage_) : std::vector<FoundNode>();
  changed_step_ = 0;
  stage_go_->setVisible(!changed_.empty());
}

// Says only what comes next if the window is narrow.
void GraphView::say_stage() {
  QStringList lines;
  if (!says_.last.isEmpty() && (width() >= kNarrow || says_.next.isEmpty()))
    lines << QStringLiteral("Done: ") + says_.last;
  if (!says_.next.isEmpty()) lines << QStringLiteral("Next: ") + says_.next;
  stage_says_->setText(lines.join(QLatin1Char('\n')));
  stage_row_->setVisible(!lines.isEmpty());
}

// The next of the nodes that the next pass changes, from the first on.
void GraphView::step_changed() {
  if (changed_.empty()) return;
  go_to(changed_[changed_step_]);
  changed_step_ = (changed_step_ + 1) % changed_.size();
}

void GraphView::set_colour(GraphColour by) {
  canvas_->set_colour(by);
  say_choice(colour_, name_of(by));
}

void GraphView::set_grouping(GraphGrouping by) {
  options_.grouping = by;
  say_choice(group_, name_of(by));
  another_ = true;
  if (shown_.valid()) lay_out({});
}

void GraphView::show_stage(GraphStage stage) {
  stage_ = stage;
  words_.reset();
  offer_stages();
  const GraphPlan& plan = std::as_const(*canvas_).plan();
  const int at = plan.place_of(current().graph, current().node);
  lay_out(at < 0 ? QString() : plan.boxes[static_cast<size_t>(at)].key);
  if (find_->isVisible()) search(find_->text());
}

// Another plan may have come while the menu was open.
int GraphView::box_now(const QString& key) const { return std::as_const(*canvas_).plan().box_with_key(key); }

QMenu* GraphView::menu_for(int box) {
  auto* menu = new QMenu(this);
  const GraphPlan& plan = std::as_const(*canvas_).plan();
  if (box >= 0) {
    const PlanBox b = plan.boxes[static_cast<size_t>(box)];
    if (b.expandable)
      menu->addAction(b.bodies.empty() ? QStringLiteral("Open") : QStringLiteral("Close"), this,
                      [this, key = b.key] {
                        if (const int at = box_now(key); at >= 0) toggle_box(at);
                      });
    if (b.times)
      menu->addAction(QStringLiteral("Show all %1").arg(count_text(b.times)), this,
                      [this, key = b.key] { toggle_unrolled(key); });
    if (b.kind == PlanBox::Kind::kNode) {
      const auto go = [this, menu, b](const QString& text, const char* view) {
        menu->addAction(text, this, [this, b, view] {
          select_node(b.graph, b.node);
          Q_EMIT wants_view(QLatin1String(view));
        });
      };
      go(QStringLiteral("Show the source line"), "source");
      go(QStringLiteral("Show in the Timeline"), "timeline");
    }
    for (const PlanChip& chip : b.chips) {
      if (chip.kind != PlanChip::Kind::kGradient) continue;
      menu->addAction(QStringLiteral("Go to its gradient ") + chip.text.mid(2), this,
                      [this, chip] { Q_EMIT canvas_->chip_activated(chip.graph, chip.node); });
    }
    menu->addSeparator();
    for (const int steps : {1, 2, 3}) {
      const QString text = steps == 1 ? QStringLiteral("Only its neighbours (1)")
                                      : QStringLiteral("Only within %1 steps (%1)").arg(steps);
      menu->addAction(text, this, [this, key = b.key, steps] {
        const int at = box_now(key);
        if (at < 0) return;
        canvas_->set_selected({at});
        canvas_->set_steps(steps);
      });
    }
    menu->addSeparator();
    menu->addAction(QStringLiteral("Copy the name"), this, [this, b] {
      const session::NodeRecord* n = b.kind == PlanBox::Kind::kNode && part_ ? part_->node(b.graph, b.node) : nullptr;
      QGuiApplication::clipboard()->setText(n ? q(n->name) : b.title);
    });
  }
  if (canvas_->steps())
    menu->addAction(QStringLiteral("Show everything again (Esc)"), this, [this] { canvas_->set_steps(0); });
  menu->addAction(QStringLiteral("Fit (Home)"), canvas_, &GraphCanvas::fit);
  menu->addAction(QStringLiteral("Find (Ctrl+F)"), find_, &GraphFindBar::open);
  menu->addAction(QString::fromUtf8("Export the picture …"), this, [this] { export_picture(); });
  return menu;
}

void GraphView::export_picture(const QString& path) {
  const QString title = shown_.valid() ? graph_title(document(), shown_) : QString();
  QString file = path;
  if (file.isEmpty())
    file = QFileDialog::getSaveFileName(this, QStringLiteral("Export the graph"), title + QStringLiteral(".svg"),
                                        QStringLiteral("SVG (*.svg);;PDF (*.pdf);;PNG (*.png);;Graphviz (*.dot)"));
  if (file.isEmpty()) return;
  const QString wrong = export_graph(*canvas_, file, title);
  if (!wrong.isEmpty()) Q_EMIT export_failed(wrong);
}

void GraphView::ask_costs() {
  if (!part_) return;
  costed_events_ = document().events;
  context_.session->queries().ask(
      costs_ticket_,
      [nodes = nodes_to_cost(*part_), several = document().device_names.size() > 1](const query::Store& store,
                                                                                    const query::Cancel& cancel) {
        return find_costs(store, nodes, several, cancel);
      },
      [this](GraphCosts costs) {
        costs_ = std::move(costs);
        show_costs();
      },
      Queries::kLong);
}

void GraphView::show_values() {
  const int call = call_for(document(), current());
  const bool ours = call >= 0 && document().trace_of_graph(shown_) &&
                    document().values[static_cast<size_t>(call)]->trace == document().trace_of_graph(shown_)->id;
  apply_values(canvas_->plan(), ours ? document().values[static_cast<size_t>(call)].get() : nullptr);
  canvas_->costs_changed();
}

void GraphView::show_costs() {
  if (!part_ || costs_.empty()) return;
  apply_costs(canvas_->plan(), *part_, costs_, document().device_names);
  canvas_->costs_changed();
}

void GraphView::search(const QString& words) {
  found_.clear();
  found_at_ = 0;
  if (words.trimmed().isEmpty() || !part_) {
    ++searches_;
    searching_ = false;
    mark_found();
    return;
  }
  searching_ = true;
  threads_.start([this, number = ++searches_, words, part = part_, known = words_, graph = shown_, stage = stage_] {
    const auto made = known ? known : GraphSearch::make(*part_at(part, stage), graph);
    auto found = made->find(words);
    QMetaObject::invokeMethod(this, [this, number, part, stage, made, found = std::move(found)]() mutable {
      if (part == part_ && stage == stage_) words_ = made;
      if (number != searches_) return;
      searching_ = false;
      found_ = std::move(found);
      mark_found();
      if (wanted_step_) step_found(std::exchange(wanted_step_, 0));
    }, Qt::QueuedConnection);
  });
}

void GraphView::mark_found() {
  QSet<int> boxes;
  const GraphPlan& plan = std::as_const(*canvas_).plan();
  for (const FoundNode& f : found_) {
    const int box = plan.place_of(f.graph, f.node);
    if (box >= 0) boxes.insert(box);
  }
  canvas_->set_found(boxes);
  find_->show_found(found_at_, found_.size());
}

void GraphView::step_found(int by) {
  if (searching_) {
    wanted_step_ = by;
    return;
  }
  if (found_.empty()) return;
  const size_t count = found_.size();
  if (!found_at_) found_at_ = by > 0 ? 1 : count;
  else found_at_ = (found_at_ - 1 + count + static_cast<size_t>(by > 0 ? 1 : count - 1)) % count + 1;
  find_->show_found(found_at_, count);
  go_to(found_[found_at_ - 1]);
}

// Selects a node and brings it into view, opening what is closed around it.
void GraphView::go_to(const FoundNode& node) {
  select_node(node.graph, node.node);
  if (std::as_const(*canvas_).plan().box_of(node.graph, node.node) < 0) {
    options_.reveal_graph = node.graph;
    options_.reveal_node = node.node;
    finding_ = true;
    lay_out({});
  } else {
    mark();
    canvas_->show_selected_readably();
  }
}

}  // namespace footlight::app
