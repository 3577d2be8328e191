// Variables created while tracing, and their lifted initial values.
#include "engine/trace/function_scope.h"

#include "engine/base/text.h"
#include "engine/compile/program.h"
#include "engine/runtime/executor.h"

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
  if (!innermost_scope) return false;  // not tracing
  FunctionScope& scope = *innermost_scope;
  if (!scope.may_create_)
    fail(ErrorKind::kValue, "function '", scope.function_,
         "' made a variable on a call that is not its first: variables are made once, on the first call (keep it in an "
         "attribute or a global and make it only when it is not there yet), or outside of the function");
  const bool later = initial && initial.is_symbolic();  // not in tf.init_scope, which lifts it out of the trace
  if (later && initial.graph() != scope.builder_.graph().get()) throw_leaked(initial);
  scope.created_.push_back({handle, later ? initial : Tensor()});
  return later;
}

void initialise(const FunctionScope& scope, const Graph& graph, std::span<const Tensor> arguments,
                std::span<const Tensor> captures) {
  static const Op kAssign{"AssignVariableOp"};
  static const AttrName kDType("dtype");
  for (const NewVariable& made : scope.created()) {
    if (!made.initial) continue;
    const GraphPtr part = clone(graph);
    part->outputs = {{made.initial.node(), made.initial.output()}};
    std::vector<Tensor> inputs(arguments.begin(), arguments.end());
    inputs.insert(inputs.end(), captures.begin(), captures.end());
    Tensor value;
    runtime::run(*compile::compile(*part, nullptr, optimize::Keep::kOutputs), inputs, {&value, 1});
    const Building eagerly(nullptr);
    const std::vector<Tensor> assign{made.handle, value};
    Attrs attrs;
    attrs.set(kDType, value.dtype());
    apply_all(kAssign.row(), assign, attrs);
  }
}

}  // namespace footlight::trace
