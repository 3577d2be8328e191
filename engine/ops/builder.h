// The interface through which composites, gradients and Python apply ops: run now (eager), or add a node (tracing).
#pragma once

#include "engine/base/thread_context.h"
#include "engine/ops/hooks.h"
#include "engine/ops/row.h"
#include "engine/tensor/gpu.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace footlight {

struct GraphSeed {
  std::optional<int64_t> seed;
  int64_t unseeded_random_ops = 0;  // random ops without a seed of their own: a graph's seeds count up from 0
};

class Builder {
 public:
  virtual ~Builder() = default;
  // Runs or records the op. `name` is the user's `name=`, or the public function's own ("add", "matmul"); empty: the
  // row's name. The row, or its attributes, give the number of outputs.
  virtual std::vector<Tensor> emit(const OpRow&, std::span<const Tensor> inputs, const Attrs&,
                                   std::string_view name) = 0;
  // emit() for an op with one output; eager execution overrides it to avoid the vector.
  virtual Tensor emit_one(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, std::string_view name) {
    return emit(row, inputs, attrs, name)[0];
  }
  // The value of a tensor if it is known now (eager, or a constant in the graph), else an empty tensor.
  virtual Tensor constant_value(const Tensor&) = 0;
  virtual bool is_graph() const = 0;
  // Name scopes: while one is entered, new nodes are named below it. Returns what leave_scope() needs.
  virtual std::string enter_scope(std::string_view) { return {}; }
  virtual void leave_scope(std::string) {}
  virtual std::string scope() { return {}; }  // "outer/inner/"
  // The seed that is set for what this builds, and the one in force: that of a tf.Graph around,
  // or of a function that sets one; null: that of tf.random.set_seed in eager code.
  GraphSeed function_seed;
  GraphSeed* own_seed = &function_seed;
  GraphSeed* graph_seed = nullptr;
};

// The name scope of a public function that makes several nodes: "random_uniform/shape", ... Left on destruction.
class Scope {
 public:
  explicit Scope(std::string_view name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // The scope itself as a name, for the node that represents the whole function: "random_uniform/".
  const std::string& own_name() const { return own_name_; }

 private:
  Builder* builder_;
  std::string before_, own_name_;
};

// Applies an op; all code does so by this function. Eager execution goes straight to the kernel, and tapes record the
// op afterwards.
Tensor apply(const Op&, std::initializer_list<Tensor> inputs, const Attrs& = {}, std::string_view name = {});
Tensor apply(const OpRow&, std::span<const Tensor> inputs, const Attrs& = {}, std::string_view name = {});
std::vector<Tensor> apply_all(const OpRow&, std::span<const Tensor> inputs, const Attrs&, std::string_view name = {});
inline std::vector<Tensor> apply_all(const Op& op, std::initializer_list<Tensor> inputs, const Attrs& attrs,
                                     std::string_view name = {}) {
  return apply_all(op.row(), std::span(inputs), attrs, name);
}

// The builder of the graph that is being traced, else that of eager execution.
Builder& current_builder();
// The value of a tensor, on the host, if it is known now, else an empty tensor.
inline Tensor known_value(const Tensor& t) {
  return t.is_symbolic() ? current_builder().constant_value(t) : gpu::on_host(t);
}

// Tells the tapes and accumulators that record on this thread that an op was applied.
inline void show_recorders(const OpRow& row, const Attrs& attrs, std::span<const Tensor> inputs,
                           std::span<const Tensor> outputs) {
  if (this_thread.recorders) [[unlikely]] ops::hooks.op_applied(row, attrs, inputs, outputs);
}

}  // namespace footlight
