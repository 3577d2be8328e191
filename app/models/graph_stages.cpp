// Passes run one after the other over every graph, so a stage is the same number of them for all graphs shown.
#include "app/models/graph_stages.h"

#include "app/models/inspector_parts.h"
#include "app/models/text.h"

#include "engine/explain/stages.h"

namespace footlight::app {
namespace {

// "prune (2)": the second run of a pass.
QString title_of(const std::string& stage) {
  const size_t number = stage.find_last_not_of("0123456789") + 1;
  QString title = q(stage.substr(0, number)).replace(QLatin1Char('_'), QLatin1Char(' '));
  if (number < stage.size()) title += QStringLiteral(" (%1)").arg(q(stage.substr(number)));
  return title;
}

// Describes what a pass did to the root, and how many nodes it changed in the graphs that the root runs.
QString sentence(const Document& part, const session::GraphRecord& root, size_t pass) {
  QString text = q(explain::what_pass_did(root, pass, line_in(part, root)));
  size_t inside = 0;
  for (const session::GraphRecord& g : part.graphs)
    if (g.id != root.id) inside += explain::steps_in(g, pass).size();
  if (inside) text += QStringLiteral("; ") + counted(inside, "node", "nodes") + QStringLiteral(" in what it runs");
  return text;
}

void add_note(PlanBox& box, const QString& note) {
  box.note = box.note.isEmpty() ? note : box.note + QLatin1Char('\n') + note;
}
void mark(PlanBox& box, PlanBox::Mark mark, const QString& note) {
  box.mark = mark;
  add_note(box, note);
}

// The box of a node itself, if that is shown.
PlanBox* box_of(GraphPlan& plan, GraphId graph, uint32_t node) {
  const int at = plan.place_of(graph, node);
  PlanBox* const box = at < 0 ? nullptr : &plan.boxes[static_cast<size_t>(at)];
  return box && box->kind == PlanBox::Kind::kNode && box->node == node && box->graph == graph ? box : nullptr;
}

// Why nodes run alone, by the next pass or by the last: they stay as they were, so they are not marked.
void note_alone(GraphPlan& plan, const session::GraphRecord& g, GraphStage stage) {
  for (const explain::AloneStep& step : explain::alone_in(g, stage.passes))
    if (PlanBox* const box = box_of(plan, g.id, step.node))
      add_note(*box, QStringLiteral("next, ") + q(step.pass) + QStringLiteral(": ") + q(step.words));
  if (stage.passes != explain::pass_count(g) || !stage.passes) return;
  for (const explain::AloneStep& step : explain::alone_in(g, stage.passes - 1))
    if (PlanBox* const box = box_of(plan, g.id, step.node)) add_note(*box, q(step.words));
}

}  // namespace

std::vector<StageChoice> stage_choices(const session::GraphRecord& graph) {
  if (graph.passes.empty()) return {};
  const std::vector<std::string> names = explain::stage_names(graph);
  const size_t last = explain::pass_count(graph);
  const std::vector<size_t> counts = explain::changed_by_passes(graph);
  const auto changes = [&](size_t pass) {
    return counts[pass] ? counted(counts[pass], "node", "nodes") : QStringLiteral("nothing");
  };
  std::vector<StageChoice> all{{{0, false}, QStringLiteral("as traced"), {}}};
  all.push_back({{0, true}, QStringLiteral("before ") + title_of(names[1]),
                 QStringLiteral("it changes ") + changes(0)});
  for (size_t k = 1; k <= last; ++k) {
    QString name = QStringLiteral("after ") + title_of(names[k]);
    if (k == last) name = QStringLiteral("as it runs, ") + name;
    all.push_back({{k, true}, name, QStringLiteral("it changed ") + changes(k - 1)});
  }
  return all;
}

std::shared_ptr<const Document> part_at(const std::shared_ptr<const Document>& traced, GraphStage stage) {
  if (!stage.passes) return traced;
  auto made = std::make_shared<Document>(*traced);
  for (const session::GraphRecord& g : traced->graphs)
    if (!g.changes.empty()) made->add(explain::graph_after(g, stage.passes));
  return made;
}

StageSentences stage_sentences(const Document& part, GraphId root, GraphStage stage) {
  const session::GraphRecord* g = part.graph(root);
  if (!g || !stage.marks) return {};
  StageSentences made;
  if (stage.passes > 0 && stage.passes <= explain::pass_count(*g)) made.last = sentence(part, *g, stage.passes - 1);
  if (stage.passes < explain::pass_count(*g)) made.next = sentence(part, *g, stage.passes);
  return made;
}

std::vector<FoundNode> changed_at(const Document& part, GraphStage stage) {
  std::vector<FoundNode> nodes;
  if (!stage.marks) return nodes;
  for (const session::GraphRecord& g : part.graphs) {
    for (const explain::NodeStep& step : explain::steps_in(g, stage.passes)) nodes.push_back({g.id, step.node});
    if (stage.passes < explain::pass_count(g) || !stage.passes) continue;
    for (const session::GraphChange& change : g.changes)
      if (change.pass + size_t{1} == stage.passes && change.fate == session::Fate::kInserted)
        nodes.push_back({g.id, change.by});
  }
  return nodes;
}

void mark_stage(GraphPlan& plan, const Document& part, GraphStage stage) {
  if (!stage.marks) return;
  std::vector<size_t> inside(plan.boxes.size(), 0);  // changed nodes in what is folded
  std::vector<QString> by(plan.boxes.size());
  for (const session::GraphRecord& g : part.graphs) {
    for (const explain::NodeStep& step : explain::steps_in(g, stage.passes)) {
      const int at = plan.place_of(g.id, step.node);
      if (at < 0) continue;
      PlanBox& box = plan.boxes[static_cast<size_t>(at)];
      if (box.kind == PlanBox::Kind::kNode && box.node == step.node && box.graph == g.id) {
        const bool removed = step.fate == session::Fate::kNothing;
        mark(box, removed ? PlanBox::Mark::kOnlyLeft : PlanBox::Mark::kReplaced,
             QStringLiteral("next, ") + q(step.pass) + QStringLiteral(": ") + q(step.words));
      } else if (box.kind != PlanBox::Kind::kNode) {
        ++inside[static_cast<size_t>(at)];
        by[static_cast<size_t>(at)] = q(step.pass);
      }
    }
    note_alone(plan, g, stage);
    if (!stage.passes) continue;
    for (const session::GraphChange& change : g.changes) {
      if (change.pass + size_t{1} != stage.passes || change.fate != session::Fate::kInserted) continue;
      const int at = plan.place_of(g.id, change.by);
      if (at < 0 || stage.passes > explain::pass_count(g)) continue;
      PlanBox& box = plan.boxes[static_cast<size_t>(at)];
      if (box.kind == PlanBox::Kind::kNode && box.mark == PlanBox::Mark::kNone)
        mark(box, PlanBox::Mark::kOnlyRight, QStringLiteral("made by ") + title_of(g.passes[stage.passes - 1]));
    }
  }
  for (size_t i = 0; i < plan.boxes.size(); ++i)
    if (inside[i])
      mark(plan.boxes[i], PlanBox::Mark::kReplaced,
           QStringLiteral("next, ") + by[i] + QStringLiteral(" changes ") +
               counted(inside[i], "node", "nodes") + QStringLiteral(" in it"));
}

}  // namespace footlight::app
