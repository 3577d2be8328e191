// A gradient takes the op's result, or what the op took; its own op is named after the op, or is a product again.
#include "app/models/graph_gradients.h"

#include "engine/explain/node_hashes.h"

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

}  // namespace footlight::app
