// A gradient takes the op's result, or what the op took; its own op is named after the op, or is a product again.
#include "app/models/graph_gradients.h"

#include "engine/explain/node_hashes.h"

#include <map>

namespace footlight::app {
namespace {

using session::NodeRecord;

bool is_gradient_op(const std::string& op) {
  return op.find("Grad") != std::string::npos || op.find("Backprop") != std::string::npos;
}

// "ReluGrad" of "Relu", "Conv2DBackpropFilter" of "Conv2D", "FusedBatchNormGradV3" of "FusedBatchNormV3".
bool named_after(const std::string& gradient, const std::string& op) {
  if (op.empty()) return false;
  const size_t version = op.rfind('V');
  const bool numbered = version != std::string::npos && version + 1 < op.size() &&
                        op.find_first_not_of("0123456789", version + 1) == std::string::npos;
  const std::string base = numbered ? op.substr(0, version) : op;
  return gradient.starts_with(base + "Grad") || gradient.starts_with(base + "Backprop") ||
         gradient.starts_with(base + "InputGrad") || gradient.starts_with(base + "FilterGrad");
}

// The boxes given and all from which there is a way to them.
std::vector<bool> with_ancestors(const std::vector<std::vector<int>>& from, std::vector<int> open) {
  std::vector<bool> found(from.size(), false);
  for (const int box : open) found[static_cast<size_t>(box)] = true;
  while (!open.empty()) {
    const int box = open.back();
    open.pop_back();
    for (const int before : from[static_cast<size_t>(box)]) {
      if (found[static_cast<size_t>(before)]) continue;
      found[static_cast<size_t>(before)] = true;
      open.push_back(before);
    }
  }
  return found;
}

}  // namespace

std::vector<size_t> forward_ops(const session::GraphRecord& graph) {
  const explain::GraphIndex index(graph);
  const size_t none = graph.nodes.size();
  std::vector<size_t> forward(none, none);
  std::vector<std::vector<size_t>> readers(none);
  for (size_t i = 0; i < none; ++i) {
    for (const session::EdgeRecord& e : graph.nodes[i].inputs) {
      const size_t from = index.find(e.from);
      if (from < none) readers[from].push_back(i);
    }
  }
  constexpr size_t kFewReaders = 32;  // a value that everything reads says nothing
  for (size_t i = 0; i < none; ++i) {
    const NodeRecord& n = graph.nodes[i];
    const bool product = n.family == "product" && !is_gradient_op(n.op);
    if (!product && !is_gradient_op(n.op)) continue;
    const auto belongs = [&](size_t to) {
      const NodeRecord& f = graph.nodes[to];
      if (to >= i || is_gradient_op(f.op)) return false;
      if (!product) return named_after(n.op, f.op);
      // A product's gradient is a product of what comes back and what it took; it is made on another line.
      return f.op == n.op && !(f.source == n.source) && f.attributes != n.attributes;
    };
    for (const session::EdgeRecord& e : n.inputs) {
      const size_t from = index.find(e.from);
      if (from >= none) continue;
      if (!product && belongs(from)) forward[i] = from;
      if (readers[from].size() > kFewReaders) continue;
      for (const size_t reader : readers[from])
        if (forward[i] == none && reader != i && belongs(reader)) forward[i] = reader;
    }
  }
  return forward;
}

void lay_back_beside(GraphPlan& plan, int area, const std::vector<size_t>& forward,
                     const std::function<int(size_t)>& shown) {
  std::map<int, std::map<int, size_t>> votes;  // a folded box may hold gradients of several
  for (size_t i = 0; i < forward.size(); ++i) {
    if (forward[i] >= forward.size()) continue;
    const int gradient = shown(i), op = shown(forward[i]);
    if (gradient >= 0 && op >= 0 && gradient != op) ++votes[gradient][op];
  }
  std::vector<int> gradients, ops;
  for (const auto& [gradient, of] : votes) {
    const int op = std::ranges::max_element(of, {}, [](const auto& vote) { return vote.second; })->first;
    if (votes.contains(op)) continue;  // it computes a gradient itself
    plan.boxes[static_cast<size_t>(gradient)].beside = op;
    gradients.push_back(gradient);
    ops.push_back(op);
  }
  if (gradients.empty()) return;
  std::vector<std::vector<int>> from(plan.boxes.size());
  for (const int e : plan.areas[static_cast<size_t>(area)].edges) {
    const PlanEdge& edge = plan.edges[static_cast<size_t>(e)];
    from[static_cast<size_t>(edge.to)].push_back(edge.from);
  }
  const std::vector<bool> to_ops = with_ancestors(from, ops), to_gradients = with_ancestors(from, gradients);
  for (const int e : plan.areas[static_cast<size_t>(area)].edges) {
    PlanEdge& edge = plan.edges[static_cast<size_t>(e)];
    const auto source = static_cast<size_t>(edge.from);
    // Nodes without inputs, such as constants, are placed above their readers.
    edge.back = to_gradients[static_cast<size_t>(edge.to)] && !to_ops[source] && !from[source].empty();
  }
}

}  // namespace footlight::app
