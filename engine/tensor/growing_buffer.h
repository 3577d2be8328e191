// Host memory for contents that grow: those who hold an earlier, shorter state of them share it.
#pragma once

#include "engine/tensor/buffer.h"

#include <atomic>
#include <cstddef>

namespace footlight {

class GrowingBuffer final : public Buffer {
 public:
  // Holds `bytes` of contents, and may grow to `capacity`.
  GrowingBuffer(size_t bytes, size_t capacity) : used_(bytes) {
    data_ = host_allocator().allocate(capacity);
    bytes_ = capacity;
  }
  ~GrowingBuffer() override { host_allocator().release(data_, bytes_); }

  // Reserves `bytes` after `end` for the caller if the contents end there and enough are left; once for each place.
  bool claim(const void* end, size_t bytes) {
    size_t used = static_cast<size_t>(static_cast<const char*>(end) - static_cast<const char*>(data_));
    return bytes <= bytes_ - used && used_.compare_exchange_strong(used, used + bytes, std::memory_order_acq_rel);
  }

 private:
  std::atomic<size_t> used_;
};

}  // namespace footlight
