// Differentiates the nodes of a graph in reverse.
#include "engine/trace/derivative.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/eager/tape.h"
#include "engine/ops/indexed_slices.h"
#include "engine/trace/hooks.h"
#include "engine/trace/saved_values.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace footlight::trace {
namespace {

// A variant is a list of tensors, of which the gradient is a list.
bool differentiable(DType dtype) { return is_floating(dtype) || is_complex(dtype) || dtype == DType::kVariant; }

// Tapes do not record the construction of the gradient, only the call of the result.
class NoTape {
 public:
  NoTape() : before_(std::exchange(this_thread.recorders, nullptr)) {}
  ~NoTape() { this_thread.recorders = before_; }

 private:
  Recorders* before_;
};

class Sums {
 public:
  explicit Sums(const Graph& graph) : at_(graph.size()) {}
  void add(Edge edge, const Tensor& gradient) {
    auto& outputs = at_[edge.node.value];
    if (outputs.size() <= edge.output) outputs.resize(edge.output + 1);
    Tensor& sum = outputs[edge.output];
    if (!sum) sum = gradient;
    else if (ops::slices_of(sum) || ops::slices_of(gradient) || gradient.dtype() == DType::kVariant)
      sum = ops::accumulate(std::array{sum, gradient});
    else sum = footlight::apply("AddV2"_op, {sum, gradient});
  }
  bool any(uint32_t node) const {
    return std::ranges::any_of(at_[node], [](const Tensor& t) { return static_cast<bool>(t); });
  }
  void drop(uint32_t node) { at_[node] = {}; }
  Tensor of(Edge edge) const {
    const auto& outputs = at_[edge.node.value];
    return edge.output < outputs.size() ? outputs[edge.output] : Tensor();
  }

 private:
  std::vector<std::vector<Tensor>> at_;
};

// Nodes that depend on one of `xs`.
std::vector<bool> reached_from(const Graph& graph, std::span<const Edge> xs) {
  std::vector<bool> reached(graph.size(), false);
  for (Edge x : xs) reached[x.node.value] = true;
  for (uint32_t i = 0; i < graph.size(); ++i)
    for (Edge in : graph.node(NodeId(i)).inputs)
      if (reached[in.node.value]) reached[i] = true;
  return reached;
}

// The part of a graph that has a custom gradient.
struct Custom {
  std::vector<Edge> inputs;    // invalid for values without a gradient
  std::vector<Edge> outputs;
  std::shared_ptr<Backward> backward;
  const Graph* graph = nullptr;  // the graph in which it was traced; copies have it too, and the function uses its
                                 // tensors
};
using Customs = std::vector<Custom>;

}  // namespace

void note_custom_gradient(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                          const std::shared_ptr<Backward>& backward) {
  GraphBuilder& builder = *GraphBuilder::innermost();
  Graph& graph = *builder.graph();
  Custom custom;
  for (const Tensor& input : inputs) {
    if (!input.is_symbolic() && input.body()->python_number) {
      custom.inputs.push_back({});
      continue;
    }
    const Tensor own = builder.as_own(input);
    custom.inputs.push_back({own.node(), own.output()});
  }
  for (const Tensor& output : outputs) {
    if (!output.is_symbolic() || output.graph() != &graph) return;
    custom.outputs.push_back({output.node(), output.output()});
  }
  custom.backward = backward;
  custom.graph = &graph;
  auto customs = graph.custom_gradients
                     ? std::make_shared<Customs>(*std::static_pointer_cast<Customs>(graph.custom_gradients))
                     : std::make_shared<Customs>();
  customs->push_back(std::move(custom));
  graph.custom_gradients = std::move(customs);
}

namespace {

// True if node `index` is an output of such a part: then the user's function computes the gradient once all outputs
// have their gradients, instead of the nodes.
bool backpropagate_custom(Graph& graph, uint32_t index, Sums& sums, const std::vector<bool>& reached) {
  if (!graph.custom_gradients) return false;
  const auto customs = std::static_pointer_cast<Customs>(graph.custom_gradients);
  for (const Custom& custom : *customs) {
    if (std::ranges::none_of(custom.outputs, [&](Edge e) { return e.node.value == index; })) continue;
    const auto lowest = std::ranges::min(custom.outputs, {}, [](Edge e) { return e.node.value; });
    if (lowest.node.value != index) return true;
    std::vector<Tensor> arriving;
    for (Edge edge : custom.outputs) {
      const Tensor sum = sums.of(edge);
      arriving.push_back(sum ? sum : footlight::apply("ZerosLike"_op, {graph.tensor(edge)}));
    }
    const std::vector<Tensor> leaving = custom.backward->run(arriving);
    for (size_t i = 0; i < leaving.size() && i < custom.inputs.size(); ++i)
      if (leaving[i] && custom.inputs[i].node.valid() && reached[custom.inputs[i].node.value])
        sums.add(custom.inputs[i], leaving[i]);
    return true;
  }
  return false;
}

// Uses the gradient registered for another type; outputs without a gradient get zeros.
void backpropagate_as(const std::string& type, Graph& graph, NodeId id, Sums& sums, const std::vector<bool>& reached) {
  std::vector<Tensor> arriving;
  for (uint32_t k = 0; k < graph.node(id).dtypes.size(); ++k) {
    Tensor sum = sums.of({id, k});
    if (!sum && differentiable(graph.node(id).dtypes[k]))
      sum = footlight::apply("ZerosLike"_op, {graph.tensor({id, k})});
    arriving.push_back(std::move(sum));
  }
  if (!hooks.registered_gradient)
    fail(ErrorKind::kLookup, "there is no gradient of ", type, " (node '", graph.node(id).name, "')");
  const std::vector<Tensor> leaving = hooks.registered_gradient(type, graph, id, arriving);
  const auto edges = graph.node(id).inputs;
  for (size_t k = 0; k < edges.size(); ++k)
    if (leaving[k] && reached[edges[k].node.value]) sums.add(edges[k], leaving[k]);
}

class OfNode final : public Inference {
 public:
  OfNode(const OpRow& r, const Attrs& a, std::span<const Tensor> in, std::span<DType> dtypes,
         std::span<Shape> shapes)
      : Inference(r, a, in) {
    output_dtypes = dtypes;
    output_shapes = shapes;
  }
  Tensor constant(size_t input) override { return this_thread.builder->constant_value(inputs[input]); }
};

// The attributes of a node as an op of another type, whose gradient it uses; throws if it cannot be such an op.
Attrs attrs_as(const OpRow& row, const Node& node, std::span<const Tensor> inputs) {
  Attrs given;
  for (const AttrSpec& spec : row.attrs)
    if (const AttrValue* value = spec.hidden ? nullptr : node.attrs.find(spec.key)) given.set(spec.key, *value);
  const bool alike = row.execution == Execution::kKernel && inputs.size() >= row.inputs.size() &&
                     output_count(row, inputs, given) == node.dtypes.size();
  if (!alike)
    fail(ErrorKind::kValue, "the node '", node.name, "' (", node.op->name, ") cannot have the gradient of ", row.name,
         ", which has other inputs or outputs");
  std::vector<DType> dtypes(node.dtypes.size());
  std::vector<Shape> shapes(node.dtypes.size());
  OfNode inference(row, given, inputs, dtypes, shapes);
  infer_outputs(inference);
  return complete_attrs(row, inputs, given);
}

void backpropagate(Graph& graph, uint32_t index, Sums& sums, const std::vector<bool>& reached) {
  const OpRow* type = graph.node(NodeId(index)).op;
  const AttrValue* other = graph.node(NodeId(index)).attrs.find("_gradient_op_type"_attr);
  if (const std::string* name = other ? std::get_if<std::string>(other) : nullptr) {
    type = find_row(*name);
    if (!type) return backpropagate_as(std::string(*name), graph, NodeId(index), sums, reached);
  }
  const OpRow& row = *type;
  if (row.zero_gradient || graph.node(NodeId(index)).inputs.empty()) return;
  if (!row.gradient)
    fail(ErrorKind::kLookup, "there is no gradient of ", row.name, " (node '", graph.node(NodeId(index)).name, "')");
  const auto edges = graph.node(NodeId(index)).inputs;
  std::vector<Tensor> inputs, outputs, arriving, leaving(edges.size());
  for (Edge edge : edges) inputs.push_back(graph.tensor(edge));
  const Node& node = graph.node(NodeId(index));
  const Attrs attrs = &row == node.op ? node.attrs.all() : attrs_as(row, node, inputs);
  for (uint32_t k = 0; k < graph.node(NodeId(index)).dtypes.size(); ++k) {
    outputs.push_back(graph.tensor({NodeId(index), k}));
    arriving.push_back(sums.of({NodeId(index), k}));
    if (!row.takes_slices) arriving.back() = ops::dense(arriving.back());
  }
  GradientCall call{row, attrs, inputs, outputs, arriving, leaving};
  row.gradient(call);
  for (size_t k = 0; k < edges.size(); ++k)
    if (leaving[k] && reached[edges[k].node.value]) sums.add(edges[k], leaving[k]);
}

}  // namespace

std::vector<Tensor> graph_gradients(Graph& graph, std::span<const Edge> ys, std::span<const Tensor> y_gradients,
                                    std::span<const Edge> xs, std::span<const Edge> stops) {
  const uint32_t last = static_cast<uint32_t>(graph.size());  // gradients may add nodes to this very graph
  const std::vector<bool> reached = reached_from(graph, xs);
  Sums sums(graph);
  for (size_t i = 0; i < ys.size(); ++i)
    if (y_gradients[i]) sums.add(ys[i], y_gradients[i]);
  std::vector<bool> wanted(last, graph.custom_gradients != nullptr);  // custom gradients look at several nodes together
  for (Edge x : xs) wanted[x.node.value] = true;
  for (uint32_t i = last; i-- > 0;) {
    // The gradient at a stop is its result if requested, and is not propagated.
    if (std::ranges::any_of(stops, [&](Edge e) { return e.node.value == i; })) continue;
    if (reached[i] && sums.any(i) && !backpropagate_custom(graph, i, sums, reached))
      backpropagate(graph, i, sums, reached);
    if (!wanted[i]) sums.drop(i);  // gradients of all nodes of a large graph would take much memory
  }
  std::vector<Tensor> results;
  for (Edge x : xs) {
    const DType dtype = graph.node(x.node).dtypes[x.output];
    results.push_back(differentiable(dtype) || dtype == DType::kResource ? sums.of(x) : Tensor());
  }
  return results;
}

namespace {

// Stored in the graph, so it must not own anything that owns the graph.
struct Kept {
  std::shared_ptr<const Forward> forward;        // forward graph of a graph that was differentiated
  std::shared_ptr<const Forward> within;         // the same, within the forward graph of an enclosing graph
  std::shared_ptr<const Derivative> derivative;  // derivative of a forward graph
};

Kept& kept(Graph& graph) {
  if (!graph.derivative) graph.derivative = std::make_shared<Kept>();
  return *std::static_pointer_cast<Kept>(graph.derivative);
}

struct Deeper {
  Deeper() { ++this_thread.derivative_depth; }
  ~Deeper() { --this_thread.derivative_depth; }
};

std::shared_ptr<const Forward> differentiate(const Graph& graph) {
  const Deeper deeper;
  auto result = std::make_shared<Derivative>();
  const GraphPtr copy = clone(graph);
  Graph& forward = *copy;
  forward.rename(numbered("__forward_" + graph.name() + '_'));
  forward.attrs = {};  // it has more outputs than the function, so it does not implement it
  result->outputs = forward.outputs.size();
  result->shallower = derivative_of(graph);

  NoTape quiet;
  GraphBuilder backward(numbered("__backward_" + graph.name() + '_'), GraphBuilder::Kind::kGradient);
  backward.source = &forward;
  backward.source_originals.push_back(&graph);
  if (graph.custom_gradients)
    for (const Custom& custom : *std::static_pointer_cast<Customs>(graph.custom_gradients))
      backward.source_originals.push_back(custom.graph);
  Building building(&backward);
  std::vector<Tensor> arriving(forward.outputs.size());
  for (size_t i = 0; i < forward.outputs.size(); ++i) {
    const Edge edge = forward.outputs[i];
    const Node& node = forward.node(edge.node);
    if (!differentiable(node.dtypes[edge.output])) continue;
    arriving[i] = backward.parameter(node.dtypes[edge.output], node.shapes[edge.output], "gradients/" + node.name, {});
    result->seeds.push_back(i);
  }
  std::vector<Edge> inputs;
  for (NodeId input : forward.inputs) inputs.push_back({input, 0});
  const std::vector<Edge> outputs = forward.outputs;
  const std::vector<Tensor> gradients = graph_gradients(forward, outputs, arriving, inputs);
  std::vector<Tensor> found;
  for (const Tensor& gradient : gradients) {
    result->gradient_of.push_back(gradient ? static_cast<int>(found.size()) : -1);
    result->sparse.push_back(ops::slices_of(gradient) != nullptr);
    if (const IndexedSlices* slices = ops::slices_of(gradient))
      found.insert(found.end(), {slices->values, slices->indices, slices->dense_shape});
    else if (gradient)
      found.push_back(gradient);
  }
  backward.finish(found);

  // Captures of backward from forward become inputs that the caller passes.
  const auto is_saved = [&](const Tensor& value) {
    return value.is_symbolic() && value.graph() == &forward &&
           std::ranges::find(forward.inputs, value.node()) == forward.inputs.end();
  };
  std::vector<SavedValue> listed;
  for (size_t i = 0; this_thread.derivative_depth > 1 && i < backward.captures().size(); ++i) {
    const Tensor& value = backward.captures()[i];
    if (is_saved(value) && (is_plain(value.dtype()) || value.dtype() == DType::kVariant))
      listed.push_back({backward.graph()->parameters + i, {value.node(), value.output()}});
  }
  // A custom gradient refers to tensors of this very graph, which then cannot be copied.
  if (listed.size() <= most_saved_apart || backward.graph()->custom_gradients) listed.clear();
  auto next = listed.begin();
  for (size_t i = 0; i < backward.captures().size(); ++i) {
    const Tensor& value = backward.captures()[i];
    if (next != listed.end() && next->input == backward.graph()->parameters + i) {
      ++next;
    } else if (is_saved(value)) {
      result->needs.push_back({false, forward.outputs.size(), {}});
      forward.outputs.push_back({value.node(), value.output()});
    } else if (value.is_symbolic() && value.graph() == &forward) {
      const auto input = std::ranges::find(forward.inputs, value.node());
      result->needs.push_back({true, static_cast<size_t>(input - forward.inputs.begin()), {}});
    } else {
      result->needs.push_back({false, 0, value});  // captured by the function of a custom gradient
    }
  }
  GraphPtr back = backward.graph();
  if (!listed.empty()) {
    SavedLists lists = save_as_lists(forward, *back, listed);
    back = lists.backward;
    for (const Edge list : lists.lists) {
      result->needs.push_back({false, forward.outputs.size(), {}});
      forward.outputs.push_back(list);
    }
  }
  forward.trim();
  back->parameters = back->inputs.size();
  result->backward = std::make_shared<Concrete>(back, std::vector<Tensor>());
  kept(forward).derivative = result;
  return std::make_shared<Forward>(Forward{std::make_shared<Concrete>(copy, std::vector<Tensor>()), result});
}

}  // namespace

std::shared_ptr<const Forward> forward_of(const GraphPtr& graph) {
  static std::recursive_mutex building;
  const std::lock_guard lock(building);
  Kept& keep = kept(*graph);
  std::shared_ptr<const Forward>& known = this_thread.derivative_depth ? keep.within : keep.forward;
  if (!known) known = differentiate(*graph);
  return known;
}

namespace {

class AddedOutputs final : public Backward {
 public:
  AddedOutputs(std::span<const Tensor> inputs, std::span<const Tensor> added)
      : inputs_(inputs.begin(), inputs.end()), added_(added.begin(), added.end()) {}
  bool wants_zeros() const override { return false; }

  std::vector<Tensor> run(std::span<const Tensor> output_gradients) override {
    Graph& graph = *added_[0].graph();
    const NodeId id = added_[0].node();
    std::vector<Tensor> outputs, arriving, leaving(inputs_.size());
    for (uint32_t k = 0; k < graph.node(id).dtypes.size(); ++k) outputs.push_back(graph.tensor({id, k}));
    arriving.resize(outputs.size());
    for (size_t i = 0; i < added_.size(); ++i)
      if (differentiable(added_[i].dtype())) arriving[added_[i].output()] = output_gradients[i];
    const Attrs attrs = graph.node(id).attrs;
    GradientCall call{*graph.node(id).op, attrs, inputs_, outputs, arriving, leaving};
    call.row.gradient(call);
    return leaving;
  }

 private:
  const std::vector<Tensor> inputs_, added_;
};

}  // namespace

void record_added_outputs(std::span<const Tensor> inputs, std::span<const Tensor> added) {
  if (this_thread.recorders && !added.empty())
    record_backward(inputs, added, std::make_shared<AddedOutputs>(inputs, added));
}

std::shared_ptr<const Derivative> derivative_of(const Graph& forward) {
  return forward.derivative ? std::static_pointer_cast<Kept>(forward.derivative)->derivative : nullptr;
}

void Derivative::apply(std::span<const Tensor> given, std::span<const Tensor> results, std::span<const Tensor> arriving,
                       std::span<Tensor> leaving, CallId call) const {
  std::vector<Tensor> arguments;
  for (size_t seed : seeds)
    arguments.push_back(arriving[seed] ? arriving[seed] : footlight::apply("ZerosLike"_op, {results[seed]}));
  for (const Need& need : needs)
    arguments.push_back(need.value ? need.value : need.input ? given[need.index] : results[need.index]);
  const std::vector<Tensor> gradients = backward->call(arguments, call);
  for (size_t i = 0; i < gradient_of.size(); ++i) leaving[i] = of_input(i, gradients);
}

Tensor Derivative::of_input(size_t input, std::span<const Tensor> results) const {
  if (gradient_of[input] < 0) return {};
  const size_t at = static_cast<size_t>(gradient_of[input]);
  return sparse[input] ? ops::indexed_slices(results[at], results[at + 1], results[at + 2]) : results[at];
}

}  // namespace footlight::trace
