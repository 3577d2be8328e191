// The slots of one run: on the stack if they are few, else kept by the program together with their memory.
#pragma once

#include "engine/compile/program.h"

#include <cstring>
#include <memory>

namespace footlight::runtime {

class Frame {
 public:
  // `devices`: some of the results may lie on a device.
  Frame(const compile::Tape& tape, bool devices) : tape_(tape), size_(tape.frame_size), devices_(devices) {
    if (tape.keeps) {
      slots_ = tape.spare_frame.exchange(nullptr, std::memory_order_acq_rel);
      if (!slots_) slots_ = new Tensor[size_];
      kept_ = true;
    } else if (size_ > kInline) {
      heap_ = std::make_unique<Tensor[]>(size_);
      slots_ = heap_.get();
    } else {
      std::memset(inline_, 0, size_ * sizeof(Tensor));  // an empty handle is a null pointer
      slots_ = reinterpret_cast<Tensor*>(inline_);
    }
  }
  ~Frame() {
    if (kept_) put_back();
    if (kept_ || heap_) return;
    for (uint32_t i = 0; i < size_; ++i) slots_[i].~Tensor();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  Tensor* slots() { return slots_; }
  // Called if a run ends before its last instruction: no memory is kept.
  void spoilt() { spoilt_ = true; }

 private:
  void put_back() {
    if (spoilt_) {
      delete[] slots_;
      return;
    }
    for (const compile::Operand result : tape_.results)
      if (result.array() == compile::Operand::kFrame) slots_[result.index()] = Tensor();
    if (devices_)  // memory of devices is not kept
      for (uint32_t i = 0; i < size_; ++i)
        if (slots_[i] && slots_[i].device() != Device::cpu()) slots_[i] = Tensor();
    delete[] tape_.spare_frame.exchange(slots_, std::memory_order_acq_rel);
  }

  static constexpr uint32_t kInline = 128;
  alignas(Tensor) std::byte inline_[kInline * sizeof(Tensor)];
  std::unique_ptr<Tensor[]> heap_;
  const compile::Tape& tape_;
  Tensor* slots_;
  uint32_t size_;
  bool devices_, kept_ = false, spoilt_ = false;
};

}  // namespace footlight::runtime
