// A variable: a resource that holds one tensor, which can be replaced.
#pragma once

#include "engine/tensor/tensor.h"

#include <atomic>
#include <mutex>
#include <string>
#include <typeinfo>

namespace footlight {

class Variable final : public Resource {
 public:
  // The shape may be partly unknown: every value must be compatible with it.
  Variable(DType dtype, Shape shape, std::string name = "Variable", bool trainable = true)
      : dtype_(dtype), shape_(std::move(shape)), name_(std::move(name)), trainable_(trainable) {
    if (noted) [[unlikely]] noted(this, true);
  }
  ~Variable() override {
    if (noted) [[unlikely]] noted(this, false);
  }
  static void (*noted)(Variable*, bool alive);  // null: nobody wants to know (kept_states.h)

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const std::string& name() const { return name_; }
  // Whether tapes watch it by themselves from now on.
  bool trainable() const { return trainable_.load(std::memory_order_relaxed); }
  void set_trainable(bool yes) { trainable_.store(yes, std::memory_order_relaxed); }

  bool initialized() const;
  // A new handle to the value (tapes see a new tensor); throws kFailedPrecondition if it has no value.
  Tensor read() const;
  // Checks dtype and shape: kInvalidArgument and kValue naming the variable and both.
  void assign(const Tensor& value);
  // Calls update(value) while nobody else reads or writes; the tensor may be replaced, or written if it is exclusive.
  template <class Update>
  void update(Update&& update) {
    std::lock_guard lock(mutex_);
    if (!value_) throw_uninitialized();
    update(value_);
  }
  // The value itself, whatever it is; empty: none.
  Tensor value_or_none() const;
  Tensor replace(Tensor value);  // unchecked; returns the one before
  void check(DType dtype, const Shape& shape) const;

 private:
  [[noreturn]] void throw_uninitialized() const;

  const DType dtype_;
  const Shape shape_;
  const std::string name_;
  std::atomic<bool> trainable_;
  mutable std::mutex mutex_;
  Tensor value_;
};

// The variable behind a resource tensor; null when it is another resource or not known.
inline Variable* variable_of(const Tensor& handle) {
  Resource* const r = handle.resource_object();
  return r && typeid(*r) == typeid(Variable) ? static_cast<Variable*>(r) : nullptr;  // final: no class derives from it
}

}  // namespace footlight
