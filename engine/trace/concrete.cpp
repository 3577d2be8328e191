// Calling a trace: eagerly, under a tape, or as a node of another trace.
#include "engine/trace/concrete.h"

#include "engine/eager/execute.h"
#include "engine/eager/tape.h"
#include "engine/runtime/executor.h"
#include "engine/trace/call_shapes.h"
#include "engine/trace/derivative.h"

#include <algorithm>

namespace footlight::trace {
namespace {

// Arguments followed by captures, without reference counting.
class Joined {
 public:
  Joined(std::span<const Tensor> a, std::span<const Tensor> b) : size_(a.size() + b.size()) {
    if (size_ > kFew) many_.resize(size_);
    TensorBody** at = size_ > kFew ? many_.data() : few_;
    data_ = at;
    for (const Tensor& t : a) *at++ = t.body();
    for (const Tensor& t : b) *at++ = t.body();
  }
  operator std::span<const Tensor>() const {
    static_assert(sizeof(Tensor) == sizeof(TensorBody*));
    return {reinterpret_cast<const Tensor*>(data_), size_};
  }

 private:
  static constexpr size_t kFew = 16;
  size_t size_;
  TensorBody* few_[kFew];
  std::vector<TensorBody*> many_;
  TensorBody** data_;
};

constexpr size_t kMaxOrders = 4;  // highest order of derivatives for which a call keeps values

}  // namespace

// A string has a destructor, so it cannot be part of ThreadContext.
std::string& executor_type() {
  static thread_local std::string type;
  return type;
}

CallId call_of(const Attrs& attrs) {
  const AttrValue* value = attrs.find("_call"_attr);
  const int64_t* number = value ? std::get_if<int64_t>(value) : nullptr;
  return number ? CallId(static_cast<uint64_t>(*number)) : CallId();
}

std::vector<DType> output_dtypes(const Graph& graph) {
  std::vector<DType> dtypes;
  for (Edge edge : graph.outputs) dtypes.push_back(graph.node(edge.node).dtypes[edge.output]);
  return dtypes;
}

std::vector<Shape> output_shapes(const Graph& graph) {
  std::vector<Shape> shapes;
  for (Edge edge : graph.outputs) shapes.push_back(graph.node(edge.node).shapes[edge.output]);
  return shapes;
}

const OpRow& call_row(const Graph& callee) {
  return has_effects(callee) ? "StatefulPartitionedCall"_op.row() : "PartitionedCall"_op.row();
}

Attrs call_attrs(const GraphPtr& callee, std::span<const Tensor> inputs) {
  std::vector<DType> in;
  for (const Tensor& t : inputs) in.push_back(t.dtype());
  Attrs attrs;
  attrs.set("Tin"_attr, std::move(in));
  attrs.set("Tout"_attr, output_dtypes(*callee));
  attrs.set("f"_attr, callee);
  attrs.set("config"_attr, std::string());
  attrs.set("config_proto"_attr, std::string());
  attrs.set("executor_type"_attr, executor_type());
  attrs.set("_collective_manager_ids"_attr, std::vector<int64_t>());
  return attrs;
}

Concrete::Concrete(GraphBuilder& builder) : Concrete(builder.graph(), builder.captures()) {}

Concrete::Concrete(GraphPtr graph, std::vector<Tensor> captures)
    : graph_(std::move(graph)), captures_(std::move(captures)), stateful_(has_effects(*graph_)) {}

const compile::ProgramPtr& Concrete::shared_program(compile::Phases* phases) {
  std::call_once(compiled_, [this, phases] {
    program_ = make_program(phases);
    made_program_.store(program_.get(), std::memory_order_release);
  });
  return program_;
}

compile::ProgramPtr Concrete::make_program(compile::Phases* phases) const {
  return compile::compile(*graph_, runtime::run_op, optimize::Keep::kOutputsAndEffects, phases);
}

std::vector<Tensor> Concrete::call(std::span<const Tensor> arguments, CallId call) {
  std::vector<Tensor> results(outputs());
  this->call(arguments, results, call);
  return results;
}

void Concrete::call(std::span<const Tensor> arguments, std::span<Tensor> outputs, CallId call) {
  const Joined inputs(arguments, captures_);
  if (this_thread.builder) return stage(inputs, outputs);
  for (const Tensor& t : std::span<const Tensor>(inputs))
    if (t.is_symbolic()) [[unlikely]] throw_leaked(t);
  if (this_thread.recorders && recorders_watching(inputs)) [[unlikely]]
    return run_for_tape(inputs, outputs, call);
  runtime::run(program(), inputs, outputs, call);
  eager::make_own(outputs);
}

void Concrete::run_for_tape(std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call) {
  std::shared_ptr<const Forward> forward = forward_of(graph_);
  // Gradients of gradients also need values of the backward pass, because nodes with effects, or reads of state that
  // may have changed, cannot run again.
  const size_t orders = std::clamp<size_t>(recorders_watching(inputs), 1, kMaxOrders);
  size_t differentiated = outputs.size();
  for (size_t order = 1; order < orders; ++order) {
    differentiated = forward->function->outputs();
    if (stateful_) forward = forward_of(forward->graph());
  }
  std::vector<Tensor> all(forward->function->outputs());
  runtime::run(forward->function->program(), inputs, all, call);
  eager::make_own(all);
  std::copy_n(all.begin(), outputs.size(), outputs.begin());
  if (!this_thread.recorders) return;
  Attrs attrs = call_attrs(forward->graph(), inputs);
  if (call.valid()) attrs.set("_call"_attr, static_cast<int64_t>(call.value));
  if (differentiated < all.size()) attrs.set("_differentiated"_attr, static_cast<int64_t>(differentiated));
  show_recorders(call_row(*forward->graph()), attrs, inputs, all);
}

void Concrete::stage(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  GraphBuilder& builder = *GraphBuilder::innermost();
  const OpRow& row = call_row(*graph_);
  const Attrs attrs = call_attrs(graph_, inputs);
  std::vector<Tensor> results =
      builder.add_known(row, inputs, attrs, output_dtypes(*graph_), call_shapes(*graph_, inputs), row.name);
  show_recorders(row, attrs, inputs, results);
  std::move(results.begin(), results.end(), outputs.begin());
}

}  // namespace footlight::trace
