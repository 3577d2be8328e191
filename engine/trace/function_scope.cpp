// Variables created while tracing, and their lifted initial values.
#include "engine/trace/function_scope.h"

#include "engine/base/text.h"
#include "engine/compile/program.h"
#include "engine/runtime/executor.h"
#include "engine/trace/inline.h"

#include <algorithm>

namespace footlight::trace {
namespace {
thread_local FunctionScope* innermost_scope = nullptr;
}

FunctionScope::FunctionScope(GraphBuilder& builder, std::string function, TraceId trace, bool may_create_variables)
    : builder_(builder), function_(std::move(function)), trace_(trace), may_create_(may_create_variables),
      outer_(std::exchange(innermost_scope, this)) {}

FunctionScope::~FunctionScope() { innermost_scope = outer_; }

FunctionScope* FunctionScope::innermost() { return innermost_scope; }

TraceId current_trace() { return innermost_scope ? innermost_scope->trace_ : TraceId(); }

bool note_variable(const Tensor& handle, const Tensor& initial) {
  return innermost_scope && innermost_scope->note(handle, initial);
}

bool FunctionScope::note(const Tensor& handle, const Tensor& initial) {
  if (!may_create_)
    fail(ErrorKind::kValue, "function '", function_,
         "' made a variable on a call that is not its first: variables are made once, on the first call (keep it in an "
         "attribute or a global and make it only when it is not there yet), or outside of the function");
  const bool later = initial && initial.is_symbolic();  // not in tf.init_scope, which lifts it out of the trace
  if (later && initial.graph() != builder_.graph().get()) throw_leaked(initial);
  created_.push_back({handle, later ? initial : Tensor()});
  return later;
}

namespace {

using Feeds = std::vector<std::pair<Edge, Tensor>>;

// The inputs that an edge depends on, with their values; nothing if one of these has no value.
Feeds needed_for(const Graph& graph, Edge wanted, std::span<const Tensor> values) {
  std::vector<bool> seen(graph.size());
  std::vector<NodeId> queue{wanted.node};
  Feeds needed;
  while (!queue.empty()) {
    const NodeId id = queue.back();
    queue.pop_back();
    if (seen[id.value]) continue;
    seen[id.value] = true;
    const Node& node = graph.node(id);
    const auto input = std::ranges::find(graph.inputs, id);
    if (input != graph.inputs.end()) needed.emplace_back(Edge{id, 0}, values[input - graph.inputs.begin()]);
    for (Edge edge : node.inputs) queue.push_back(edge.node);
    for (NodeId control : node.control_inputs) queue.push_back(control);
  }
  return needed;
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

}  // namespace

void initialise(const FunctionScope& scope, const Graph& graph, std::span<const Tensor> arguments,
                std::span<const Tensor> captures) {
  static const Op kAssign{"AssignVariableOp"};
  static const AttrName kDType("dtype");
  std::vector<Tensor> values(arguments.begin(), arguments.end());
  values.insert(values.end(), captures.begin(), captures.end());
  for (const NewVariable& made : scope.created()) {
    if (!made.initial) continue;
    const Edge wanted{made.initial.node(), made.initial.output()};
    const Feeds feeds = needed_for(graph, wanted, values);
    if (std::ranges::any_of(feeds, [](const auto& feed) { return !feed.second; }))
      fail(ErrorKind::kValue, "function '", scope.function(),
           "' makes a variable whose initial value depends on its arguments: call it with tensors first");
    if (std::ranges::any_of(feeds, [](const auto& feed) { return feed.second.is_symbolic(); })) {
      // The call is inside of another trace: the value is computed there, and assigned when that one is done.
      GraphBuilder* around = GraphBuilder::innermost();
      if (around && scope.outer())
        scope.outer()->note(made.handle, inline_graph(*around, graph, feeds, {&wanted, 1})[0]);
      continue;
    }
    const Tensor value = computed(graph, wanted, feeds);
    const Building eagerly(nullptr);
    const std::vector<Tensor> assign{made.handle, value};
    Attrs attrs;
    attrs.set(kDType, value.dtype());
    apply_all(kAssign.row(), assign, attrs);
  }
}

}  // namespace footlight::trace
