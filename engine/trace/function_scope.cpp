// Handles variables created while tracing, and their initial values.
#include "engine/trace/function_scope.h"

#include "engine/base/text.h"
#include "engine/compile/program.h"
#include "engine/eager/tape.h"
#include "engine/runtime/executor.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/inline.h"

#include <algorithm>
#include <optional>

namespace footlight::trace {
namespace {

using Feeds = std::vector<std::pair<Edge, Tensor>>;

// The outside values that an edge depends on. Empty if it depends on an argument, on a value of an enclosing trace, or
// on a variable, whose value may have changed when the graph runs.
std::optional<Feeds> values_from_outside(const GraphBuilder& builder, Edge wanted) {
  const Graph& graph = *builder.graph();
  std::vector<bool> seen(graph.size());
  std::vector<NodeId> queue{wanted.node};
  Feeds values;
  while (!queue.empty()) {
    const NodeId id = queue.back();
    queue.pop_back();
    if (seen[id.value]) continue;
    seen[id.value] = true;
    const Node& node = graph.node(id);
    if (const auto input = std::ranges::find(graph.inputs, id); input != graph.inputs.end()) {
      const auto at = static_cast<size_t>(input - graph.inputs.begin());
      if (at < graph.parameters) return {};
      const Tensor& value = builder.captures()[at - graph.parameters];
      if (value.is_symbolic() || value.dtype() == DType::kResource) return {};
      values.emplace_back(Edge{id, 0}, value);
    }
    for (Edge edge : node.inputs) queue.push_back(edge.node);
    for (NodeId control : node.control_inputs) queue.push_back(control);
  }
  return values;
}

Tensor computed(const Graph& graph, Edge wanted, const Feeds& feeds) {
  GraphBuilder part("initial_value");
  {
    const Building building(&part);
    const std::vector<Tensor> found = inline_graph(part, graph, feeds, {&wanted, 1});
    part.finish(found);
  }
  const Building eagerly(nullptr);
  Tensor value;
  runtime::run(*compile::compile(*part.graph(), nullptr, optimize::Keep::kOutputs), part.captures(), {&value, 1});
  return value;
}

// Adds an assignment to the graph that runs unless the variable has a value.
void assign_in_graph(const Tensor& handle, const Tensor& value) {
  const HideTapes hidden;
  const auto keep = [] { return std::vector<Tensor>(); };
  const auto assign = [&] {
    Attrs attrs;
    attrs.set("dtype"_attr, value.dtype());
    apply_all("AssignVariableOp"_op.row(), std::vector<Tensor>{handle, value}, attrs);
    return std::vector<Tensor>();
  };
  build_cond(apply("VarIsInitializedOp"_op, {handle}), keep, assign);
}

}  // namespace

FunctionScope::FunctionScope(GraphBuilder& builder, std::string function, TraceId trace, Variables variables)
    : builder_(builder), function_(std::move(function)), trace_(trace), variables_(variables),
      outer_(std::exchange(this_thread.function_scope, this)) {}

FunctionScope::~FunctionScope() { this_thread.function_scope = outer_; }

FunctionScope* FunctionScope::innermost() { return this_thread.function_scope; }

TraceId current_trace() { return this_thread.function_scope ? this_thread.function_scope->trace_ : TraceId(); }

Tensor note_variable(const Tensor& handle, const Tensor& initial, bool lifted) {
  return this_thread.function_scope ? this_thread.function_scope->note(handle, initial, lifted) : initial;
}

Tensor FunctionScope::note(const Tensor& handle, const Tensor& initial, bool lifted) {
  GraphBuilder* const builder = GraphBuilder::innermost();
  if (builder && builder->kind() == GraphBuilder::Kind::kGraph) return initial;  // in the program's own tf.Graph
  if (variables_ == Variables::kMade || (lifted && variables_ == Variables::kNone))
    fail(ErrorKind::kValue, "function '", function_,
         "' made a variable on a call that is not its first: tf.function only supports singleton tf.Variables, made "
         "once, on the first call (keep it in an attribute or a global and make it only when it is not there yet), or "
         "outside of the function");
  const bool symbolic = initial.is_symbolic();
  if (symbolic && !lifted)
    fail(ErrorKind::kValue, "the initial value of a variable made with experimental_enable_variable_lifting=False in "
         "function '", function_, "' is a tensor of its graph, which has no value outside of it: make the value in "
         "tf.init_scope, or leave the option out");
  if (!lifted) return initial;
  made_ = true;
  if (!symbolic) return initial;  // also in tf.init_scope, which is outside of the trace
  if (!builder || initial.graph() != builder->graph().get()) throw_leaked(initial);
  const Edge wanted{initial.node(), initial.output()};
  if (const std::optional<Feeds> values = values_from_outside(*builder, wanted))
    return computed(*builder->graph(), wanted, *values);
  assign_in_graph(handle, initial);
  set_by_graph_.push_back(handle);
  return {};
}

}  // namespace footlight::trace
