// Finds variables and groups, or takes them from the memo.
#include "app/models/area_facts.h"

#include "app/models/graph_gradients.h"
#include "app/models/text.h"

#include <set>

namespace footlight::app {
namespace {

bool is_handle(const session::NodeRecord& n) {
  return n.op == "Placeholder" && !n.outputs.empty() && n.outputs.front().starts_with("resource");
}

QHash<quint32, QString> captures_of(const Document& document, const session::GraphRecord& g) {
  QHash<quint32, QString> captures;
  const session::TraceRecord* t = document.trace_of_graph(g.id);
  if (!t || t->graph() != g.id || t->captures.size() > g.inputs.size()) return captures;
  const size_t first = g.inputs.size() - t->captures.size();
  for (size_t i = first; i < g.inputs.size(); ++i) captures.insert(g.inputs[i], q(t->captures[i - first]));
  return captures;
}

// Handles of variables, and the reads of them, whose readers get a chip.
std::vector<QString> find_variables(const session::GraphRecord& g, const AreaFacts& facts,
                                    const std::vector<QString>& parameters) {
  std::vector<QString> variable(g.nodes.size());
  std::set<uint32_t> given;  // results of the graph stay boxes
  for (const session::EdgeRecord& e : g.outputs) given.insert(e.from);
  QHash<quint32, int> input;
  for (size_t k = 0; k < g.inputs.size(); ++k) input.insert(g.inputs[k], static_cast<int>(k));
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const session::NodeRecord& n = g.nodes[i];
    if (given.count(n.id)) continue;
    if (is_handle(n)) {
      QString name = facts.captures.value(n.id).section(QLatin1Char(' '), 0, 0).section(QLatin1Char(':'), 0, 0);
      const auto parameter = static_cast<size_t>(input.value(n.id, -1));
      if (name.isEmpty() && parameter < parameters.size()) name = parameters[parameter];
      variable[i] = name.isEmpty() ? QStringLiteral("variable") : name;
    } else if (n.op == "ReadVariableOp" && !n.inputs.empty()) {
      const int from = facts.row.value(n.inputs.front().from, -1);
      if (from >= 0) variable[i] = variable[static_cast<size_t>(from)];
    }
  }
  return variable;
}

}  // namespace

std::shared_ptr<PlanMemo> plan_memo() { return std::make_shared<PlanMemo>(); }

bool is_constant(const session::NodeRecord& n) { return n.op == "Const"; }
bool is_identity(const session::NodeRecord& n) { return n.op == "Identity" || n.op == "NoOp"; }

bool is_hidden(const session::NodeRecord& n, const GraphOptions& options) {
  return (options.hide_constants && is_constant(n)) ||
         (options.hide_identities && is_identity(n) && n.inputs.size() == 1 && n.functions.empty());
}

std::shared_ptr<const AreaFacts> area_facts(const Document& document, const session::GraphRecord& g,
                                            const GraphOptions& options, const AreaWay& way,
                                            const std::function<void()>& go_on, PlanMemo* memo) {
  const PlanMemo::Key key{g.id.value,           way.prefix, options.grouping, options.hide_constants,
                          options.hide_identities, options.fold_repeats, options.chips};
  if (memo) {
    const auto known = memo->areas.find(key);
    if (known != memo->areas.end()) return known->second;
  }
  auto facts = std::make_shared<AreaFacts>();
  for (size_t i = 0; i < g.nodes.size(); ++i) facts->row.insert(g.nodes[i].id, static_cast<int>(i));
  facts->captures = captures_of(document, g);
  facts->variable = options.chips ? find_variables(g, *facts, way.parameters) : std::vector<QString>(g.nodes.size());
  std::vector<std::string> names = made_in(document, g, options.grouping);
  facts->common = common_scope(names);
  const auto shown = [&](size_t i) {
    if (i % 256 == 0) go_on();
    return !is_hidden(g.nodes[i], options) && facts->variable[i].isEmpty();
  };
  facts->groups =
      group_nodes(document, g, {way.prefix, std::move(names), facts->common, !options.fold_repeats, shown});
  if (options.chips) facts->forward = forward_ops(g);
  if (memo) memo->areas.emplace(key, facts);
  return facts;
}

}  // namespace footlight::app
