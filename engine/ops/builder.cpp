// Dispatch of apply().
#include "engine/ops/builder.h"

namespace footlight {

thread_local Builder* current_graph_builder = nullptr;
Builder* eager_builder = nullptr;
void (*on_leaked)(const Tensor&) = nullptr;
thread_local TapeHook tape_hook = nullptr;
thread_local TapeWatching tape_watching = nullptr;

Builder& current_builder() {
  if (current_graph_builder) return *current_graph_builder;
  FL_CHECK(eager_builder != nullptr);
  return *eager_builder;
}

// A tape must not see what the builder itself does while it adds a node; eager notifies the tape separately.
Tensor apply(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs, std::string_view name) {
  if (!current_graph_builder) return current_builder().emit_one(row, inputs, attrs, name);
  Tensor out = current_graph_builder->emit_one(row, inputs, attrs, name);
  if (tape_hook) tape_hook(row, attrs, inputs, {&out, 1});
  return out;
}

Tensor apply(const Op& op, std::initializer_list<Tensor> inputs, const Attrs& attrs, std::string_view name) {
  return apply(op.row(), std::span<const Tensor>(inputs.begin(), inputs.size()), attrs, name);
}

std::vector<Tensor> apply_all(const OpRow& row, std::span<const Tensor> inputs, const Attrs& attrs,
                              std::string_view name) {
  if (!current_graph_builder) return current_builder().emit(row, inputs, attrs, name);
  std::vector<Tensor> outs = current_graph_builder->emit(row, inputs, attrs, name);
  if (tape_hook) tape_hook(row, attrs, inputs, outs);
  return outs;
}

Scope::Scope(std::string_view name) : builder_(current_graph_builder) {
  if (!builder_) return;
  before_ = builder_->enter_scope(name);
  own_name_ = builder_->scope();
}

Scope::~Scope() {
  if (builder_) builder_->leave_scope(std::move(before_));
}

}  // namespace footlight
