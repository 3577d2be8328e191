// Finds the op by the value that its gradient reads: one that the op read or made. A backward function gets these
// values as arguments: its caller passes results of the forward function.
#include "engine/explain/forward_op.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::EdgeRecord;
using session::GraphRecord;
using session::NodeRecord;

enum class Shares : uint8_t {
  kInput,        // the op read the same value, as the same input
  kResult,       // the op made the value
  kInputBefore,  // the gradient made its input of a value that the op read
};

struct GradientForm {
  const char* gradient;
  size_t input;  // of the gradient
  const char* forward;
  Shares shares;
};
constexpr GradientForm kForms[] = {
    {"SqrtGrad", 0, "Sqrt", Shares::kResult},
    {"RsqrtGrad", 0, "Rsqrt", Shares::kResult},
    {"ReciprocalGrad", 0, "Reciprocal", Shares::kResult},
    {"Reciprocal", 0, "Log", Shares::kInput},
    {"RealDiv", 1, "RealDiv", Shares::kInput},
    {"Pow", 0, "Pow", Shares::kInput},
    {"Reciprocal", 0, "Log1p", Shares::kInputBefore},
    {"Reciprocal", 0, "Acos", Shares::kInputBefore},
    {"Reciprocal", 0, "Asin", Shares::kInputBefore},
    {"Reciprocal", 0, "Acosh", Shares::kInputBefore},
    {"Reciprocal", 0, "Atanh", Shares::kInputBefore},
};

bool is_same(const EdgeRecord& a, const EdgeRecord& b) { return a.from == b.from && a.output == b.output; }
bool is_same(const SourceRef& a, const SourceRef& b) { return a.code == b.code && a.offset == b.offset; }

const NodeRecord* node_at(const GraphRecord& graph, uint32_t id) {
  return id < graph.nodes.size() ? &graph.nodes[id] : nullptr;
}

// A value of the program's forward part.
struct ForwardValue {
  const GraphRecord* graph = nullptr;  // null: not found
  EdgeRecord edge = {};
};

class ForwardOp {
 public:
  ForwardOp(const Evidence& evidence, const GraphRecord& graph, const NodeRecord& node)
      : evidence_(evidence), graph_(graph), node_(node), is_backward_(graph.name.starts_with("__backward_")) {}

  const NodeRecord* find() const {
    if (!is_gradient()) return nullptr;
    for (const bool before : {false, true}) {
      std::set<const NodeRecord*> found;
      for (const GradientForm& form : kForms) {
        if (node_.op != form.gradient || form.input >= node_.inputs.size()) continue;
        if ((form.shares == Shares::kInputBefore) != before) continue;
        for (const ForwardValue& value : values(node_.inputs[form.input], before)) add(form, value, found);
      }
      if (found.size() == 1) return *found.begin();
      if (!found.empty()) return nullptr;
    }
    return nullptr;
  }

 private:
  // The call of tape.gradient() made the node: it also made the ones that gradients begin with, or its line says so.
  bool is_gradient() const {
    if (is_backward_) return true;
    const auto begins = [&](const NodeRecord& n) { return n.op == "OnesLike" && is_same(n.source, node_.source); };
    const std::string_view line = evidence_.text(evidence_.line(node_.source));
    return std::ranges::any_of(graph_.nodes, begins) || line.find(".gradient(") != line.npos;
  }

  bool is_of_gradient(const NodeRecord& node) const { return is_same(node.source, node_.source); }

  // The value that an input of the gradient is; `before`: those that the gradient made the input of.
  std::vector<ForwardValue> values(const EdgeRecord& input, bool before) const {
    std::vector<ForwardValue> found;
    std::set<uint32_t> seen;
    for (std::vector<EdgeRecord> open{input}; !open.empty();) {
      const EdgeRecord edge = open.back();
      open.pop_back();
      const NodeRecord* const from = node_at(graph_, edge.from);
      if (!from) continue;
      if (const ForwardValue value = forward_value(*from, edge); value.graph) {
        if (!before || !is_same(edge, input)) found.push_back(value);
      } else if (before && seen.insert(edge.from).second) {
        open.insert(open.end(), from->inputs.begin(), from->inputs.end());
      }
    }
    return found;
  }

  ForwardValue forward_value(const NodeRecord& from, const EdgeRecord& edge) const {
    if (is_backward_) return saved_value(from);
    return is_of_gradient(from) ? ForwardValue() : ForwardValue{&graph_, edge};
  }

  // What the caller of the backward function passes for one of its arguments.
  ForwardValue saved_value(const NodeRecord& argument) const {
    const auto place = std::ranges::find(graph_.inputs, argument.id);
    if (place == graph_.inputs.end()) return {};
    const auto number = static_cast<size_t>(place - graph_.inputs.begin());
    const auto runs_it = [&](const NodeRecord& n) {
      return std::ranges::find(n.functions, graph_.id, &session::NodeFunction::graph) != n.functions.end();
    };
    for (const GraphRecord& caller : evidence_.records().graphs) {
      const auto call = std::ranges::find_if(caller.nodes, runs_it);
      if (call == caller.nodes.end() || number >= call->inputs.size()) continue;
      const EdgeRecord& passed = call->inputs[number];
      const NodeRecord* const from = node_at(caller, passed.from);
      if (!from || from->functions.empty()) continue;
      const GraphRecord* const forward = evidence_.graph(from->functions.front().graph);
      if (forward && passed.output < forward->outputs.size()) return {forward, forward->outputs[passed.output]};
    }
    return {};
  }

  void add(const GradientForm& form, const ForwardValue& value, std::set<const NodeRecord*>& found) const {
    const size_t input = form.shares == Shares::kInputBefore ? 0 : form.input;
    for (const NodeRecord& other : value.graph->nodes) {
      if (other.op != form.forward || (value.graph == &graph_ && is_of_gradient(other))) continue;
      if (form.shares == Shares::kResult ? other.id == value.edge.from
                                         : input < other.inputs.size() && is_same(other.inputs[input], value.edge))
        found.insert(&other);
    }
  }

  const Evidence& evidence_;
  const GraphRecord& graph_;
  const NodeRecord& node_;
  const bool is_backward_;
};

}  // namespace

const NodeRecord* forward_op(const Evidence& evidence, GraphId graph, const NodeRecord& node) {
  const GraphRecord* const found = evidence.graph(graph);
  return found ? ForwardOp(evidence, *found, node).find() : nullptr;
}

}  // namespace footlight::explain
