// Dispatches apply() to the graph that is being built, or to eager execution.
#include "engine/ops/builder.h"

namespace footlight {

constinit ops::Hooks ops::hooks;

Builder& current_builder() {
  if (this_thread.builder) return *this_thread.builder;
  FL_CHECK(ops::hooks.eager_builder != nullptr);
  return *ops::hooks.eager_builder;
}

// A tape must not see what the builder itself does while it adds a node; eager notifies the tape separately.
Tensor apply(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, std::string_view name) {
  if (!this_thread.builder) return current_builder().emit_one(row, inputs, attrs, name);
  Tensor out = this_thread.builder->emit_one(row, inputs, attrs, name);
  show_recorders(row, attrs, inputs, {&out, 1});
  return out;
}

Tensor apply(const Op& op, std::initializer_list<Tensor> inputs, const Attrs& attrs, std::string_view name) {
  return apply(op.row(), std::span<const Tensor>(inputs.begin(), inputs.size()), attrs, name);
}

std::vector<Tensor> apply_all(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs,
                              std::string_view name) {
  if (!this_thread.builder) return current_builder().emit(row, inputs, attrs, name);
  std::vector<Tensor> outs = this_thread.builder->emit(row, inputs, attrs, name);
  show_recorders(row, attrs, inputs, outs);
  return outs;
}

Scope::Scope(std::string_view name) : builder_(this_thread.builder) {
  if (!builder_) return;
  before_ = builder_->enter_scope(name);
  own_name_ = builder_->scope();
}

Scope::~Scope() {
  if (builder_) builder_->leave_scope(std::move(before_));
}

}  // namespace footlight
