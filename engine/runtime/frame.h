// The slots of one run; on the stack if there are few.
#pragma once

#include "engine/tensor/tensor.h"

#include <cstring>
#include <memory>

namespace footlight::runtime {

class Frame {
 public:
  explicit Frame(uint32_t size) : size_(size) {
    if (size > kInline) heap_ = std::make_unique<Tensor[]>(size);
    slots_ = size > kInline ? heap_.get() : reinterpret_cast<Tensor*>(inline_);
    if (size <= kInline) std::memset(inline_, 0, size * sizeof(Tensor));  // an empty handle is a null pointer
  }
  ~Frame() {
    if (heap_) return;
    for (uint32_t i = 0; i < size_; ++i) slots_[i].~Tensor();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  Tensor* slots() { return slots_; }

 private:
  static constexpr uint32_t kInline = 128;
  alignas(Tensor) std::byte inline_[kInline * sizeof(Tensor)];
  std::unique_ptr<Tensor[]> heap_;
  Tensor* slots_;
  uint32_t size_;
};

}  // namespace footlight::runtime
