// The slots of one run. They are on the stack if they are few and keep no memory; the executable keeps frames with
// memory.
#pragma once

#include "engine/compile/program.h"

#include <cstring>
#include <memory>

namespace footlight::runtime {

class Frame {
 public:
  // `devices`: whether some of the values may be on a device.
  Frame(const compile::Executable& executable, bool devices)
      : executable_(executable), size_(executable.frame_size), devices_(devices) {
    if (executable.keeps_memory) {
      slots_ = executable.spare_frame.exchange(nullptr, std::memory_order_acq_rel);
      if (!slots_) slots_ = new Tensor[size_];
      from_executable_ = true;
    } else if (size_ > kMaxInlineSlots) {
      heap_ = std::make_unique<Tensor[]>(size_);
      slots_ = heap_.get();
    } else {
      std::memset(inline_, 0, size_ * sizeof(Tensor));  // an empty handle is a null pointer
      slots_ = reinterpret_cast<Tensor*>(inline_);
    }
  }
  ~Frame() {
    if (from_executable_) return_to_executable();
    if (from_executable_ || heap_) return;
    for (uint32_t i = 0; i < size_; ++i) slots_[i].~Tensor();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  Tensor* slots() { return slots_; }
  // Called if a run ends before its last instruction: then the frame keeps no memory.
  void invalidate() { invalid_ = true; }

 private:
  void return_to_executable() {
    if (invalid_) {
      delete[] slots_;
      return;
    }
    for (const compile::Operand result : executable_.results)
      if (result.array() == compile::Operand::kFrame) slots_[result.index()] = Tensor();
    if (devices_)  // memory of devices is not kept
      for (uint32_t i = 0; i < size_; ++i)
        if (slots_[i] && slots_[i].device() != Device::cpu()) slots_[i] = Tensor();
    delete[] executable_.spare_frame.exchange(slots_, std::memory_order_acq_rel);
  }

  static constexpr uint32_t kMaxInlineSlots = 128;
  alignas(Tensor) std::byte inline_[kMaxInlineSlots * sizeof(Tensor)];
  std::unique_ptr<Tensor[]> heap_;
  const compile::Executable& executable_;
  Tensor* slots_;
  uint32_t size_;
  bool devices_, from_executable_ = false, invalid_ = false;
};

}  // namespace footlight::runtime
