// Copying nodes from one graph into another.
#include "engine/optimize/splice.h"

#include "engine/base/errors.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

constexpr size_t kLongest = 80;

// Cuts the middle out of a long path: else names would take most of the memory of deeply nested graphs.
std::string prefix_of(const std::string& site) {
  if (site.size() <= kLongest) return site + '/';
  return site.substr(0, site.find('/')) + "/.../" + site.substr(site.rfind('/') + 1) + '/';
}

}  // namespace

void splice(Rewrite& caller, NodeId site, const Rewrite& callee, std::span<const Edge> arguments) {
  FL_CHECK(arguments.size() == callee.inputs.size());
  std::vector<Edge> copied(callee.slots());  // for each value of the callee, the one in the caller
  for (size_t i = 0; i < arguments.size(); ++i)
    copied[callee.slot({callee.inputs[i], 0})] = caller.resolve(arguments[i]);
  // A placeholder that is read and is no input comes along: running it is the user's error.
  std::vector<bool> read(callee.size(), false);
  const auto note = [&](Edge edge) { read[callee.resolve(edge).node.value] = true; };
  for (uint32_t i = 0; i < callee.size(); ++i)
    if (callee.live(NodeId(i))) std::ranges::for_each(callee.node(NodeId(i)).inputs, note);
  std::ranges::for_each(callee.outputs, note);
  const auto unfed = [&](NodeId id) { return read[id.value] && !copied[callee.slot({id, 0})].node.valid(); };
  std::vector<NodeId> order = callee.order();
  std::erase_if(order, [&](NodeId id) {
    const Execution by = callee.node(id).op->execution;
    return !callee.live(id) || by == Execution::kNoOp || (by == Execution::kPlaceholder && !unfed(id));
  });
  // Nodes without inputs may come after their users: see the compiler.
  std::ranges::stable_partition(order, [&](NodeId id) {
    return callee.node(id).inputs.empty() && !callee.node(id).op->stateful();
  });
  const NodeName prefix = prefix_of(caller.name(site));
  NodeName inside = prefix, deeper;
  NodeId last = site;
  for (const NodeId id : order) {
    Node node = callee.node(id);
    if (const NodeName& there = callee.inserted(id) ? callee.inside(id) : NodeName(); !(there == deeper)) {
      deeper = there;
      inside = std::string(prefix) + there;
    }
    node.control_inputs.clear();  // they run in this order
    for (Edge& edge : node.inputs) {
      edge = copied[callee.slot(callee.resolve(edge))];
      FL_CHECK(edge.node.valid());
    }
    last = caller.insert(std::move(node), site, callee.origin(id), inside);
    for (uint32_t k = 0; k < callee.node(id).dtypes.size(); ++k) copied[callee.slot({id, k})] = {last, k};
  }
  for (uint32_t k = 0; k < callee.outputs.size(); ++k)
    if (!caller.replaced({site, k})) caller.replace({site, k}, copied[callee.slot(callee.resolve(callee.outputs[k]))]);
  if (last == site) caller.remove(site);
  else caller.remove(site, last);
}

size_t live_nodes(const Rewrite& rewrite) {
  size_t count = 0;
  for (uint32_t i = 0; i < rewrite.size(); ++i) {
    const Execution by = rewrite.node(NodeId(i)).op->execution;
    count += rewrite.live(NodeId(i)) && by != Execution::kNoOp && by != Execution::kPlaceholder &&
             by != Execution::kConstant;
  }
  return count;
}

}  // namespace footlight::optimize
