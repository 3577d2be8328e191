// A value, possibly none, that copies share until one of them is changed; as large as a pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace footlight {

template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  explicit CopyOnWrite(T value) : held_(new Held{.value = std::move(value)}) {}
  CopyOnWrite(const CopyOnWrite& o) : held_(o.held_) {
    if (held_) held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  CopyOnWrite(CopyOnWrite&& o) noexcept : held_(std::exchange(o.held_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite o) noexcept {
    std::swap(held_, o.held_);
    return *this;
  }
  ~CopyOnWrite() {
    if (held_ && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held_;
  }

  explicit operator bool() const { return held_ != nullptr; }
  const T& operator*() const { return held_->value; }
  // The value to be changed: a copy of its own if it was shared.
  T& own() {
    if (!held_) *this = CopyOnWrite(T());
    else if (held_->owners.load(std::memory_order_acquire) > 1) *this = CopyOnWrite(held_->value);
    return held_->value;
  }

 private:
  struct Held {
    std::atomic<uint32_t> owners{1};
    T value;
  };
  Held* held_ = nullptr;
};

}  // namespace footlight
