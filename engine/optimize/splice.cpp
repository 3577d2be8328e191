// Copies nodes from one graph into another.
#include "engine/optimize/splice.h"

#include "engine/base/errors.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

constexpr size_t kMaxPathLength = 80;

// Cuts the middle out of a long path: else names would take most of the memory of deeply nested graphs.
std::string prefix_of(const std::string& site) {
  if (site.size() <= kMaxPathLength) return site + '/';
  return site.substr(0, site.find('/')) + "/.../" + site.substr(site.rfind('/') + 1) + '/';
}

}  // namespace

void splice(Rewrite& caller, NodeId site, const Rewrite& callee, std::span<const Edge> arguments) {
  FL_CHECK(arguments.size() == callee.inputs.size());
  std::vector<Edge> copied(callee.num_values());  // for each value of the callee, the one in the caller
  for (size_t i = 0; i < arguments.size(); ++i)
    copied[callee.value_index({callee.inputs[i], 0})] = caller.resolve(arguments[i]);
  // A placeholder that is read but is not an input is copied too: it raises the user's error when it runs.
  std::vector<bool> read(callee.size(), false);
  const auto mark_read = [&](Edge edge) { read[callee.resolve(edge).node.value] = true; };
  for (uint32_t i = 0; i < callee.size(); ++i)
    if (callee.is_live(NodeId(i))) std::ranges::for_each(callee.node(NodeId(i)).inputs, mark_read);
  std::ranges::for_each(callee.outputs, mark_read);
  const auto unfed = [&](NodeId id) { return read[id.value] && !copied[callee.value_index({id, 0})].node.valid(); };
  std::vector<NodeId> order = callee.order();
  std::erase_if(order, [&](NodeId id) {
    const Execution execution = callee.node(id).op->execution;
    return !callee.is_live(id) || execution == Execution::kNoOp ||
           (execution == Execution::kPlaceholder && !unfed(id));
  });
  // Nodes without inputs may come after their users, so they move to the front, as in compile::Compiler.
  std::ranges::stable_partition(order, [&](NodeId id) {
    return callee.node(id).inputs.empty() && !callee.node(id).op->stateful();
  });
  const NodeName prefix = prefix_of(caller.name(site));
  NodeName full_prefix = prefix, inner_prefix;  // the inner one is that of a node which the callee had inlined
  NodeId last = site;
  for (const NodeId id : order) {
    Node node = callee.node(id);
    if (const NodeName& inner = callee.is_inserted(id) ? callee.name_prefix(id) : NodeName();
        !(inner == inner_prefix)) {
      inner_prefix = inner;
      full_prefix = std::string(prefix) + inner;
    }
    node.control_inputs.clear();  // they run in this order
    for (Edge& edge : node.inputs) {
      edge = copied[callee.value_index(callee.resolve(edge))];
      FL_CHECK(edge.node.valid());
    }
    last = caller.insert(std::move(node), site, callee.origin(id), full_prefix);
    for (uint32_t k = 0; k < callee.node(id).dtypes.size(); ++k) copied[callee.value_index({id, k})] = {last, k};
  }
  for (uint32_t k = 0; k < callee.outputs.size(); ++k)
    if (!caller.is_replaced({site, k}))
      caller.replace({site, k}, copied[callee.value_index(callee.resolve(callee.outputs[k]))]);
  if (last == site) caller.remove(site);
  else caller.remove(site, last);
}

size_t live_nodes(const Rewrite& rewrite) {
  size_t count = 0;
  for (uint32_t i = 0; i < rewrite.size(); ++i) {
    const Execution execution = rewrite.node(NodeId(i)).op->execution;
    count += rewrite.is_live(NodeId(i)) && execution != Execution::kNoOp && execution != Execution::kPlaceholder &&
             execution != Execution::kConstant;
  }
  return count;
}

}  // namespace footlight::optimize
