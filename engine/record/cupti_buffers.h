// The buffers that CUPTI fills: all of one size, pooled up to a cap, full ones queued for the thread that reads them.
// CUPTI calls request() and complete() from inside CUDA calls: they only move pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace footlight::cupti {

class BufferPool {
 public:
  struct Full {
    uint8_t* data = nullptr;
    size_t valid = 0;
  };

  // CUPTI requires 8-byte alignment and, because we configure it so, zeroed memory. Nothing is allocated before it is
  // requested.
  explicit BufferPool(size_t buffer_bytes = size_t{4} << 20, size_t most = 16) : bytes_(buffer_bytes), most_(most) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Null if all are in use: CUPTI then drops records and counts them.
  uint8_t* request();
  void complete(uint8_t* data, size_t valid);

  // The oldest full buffer, or one without data. Give it back with recycle().
  Full take();
  void recycle(uint8_t* data);

  size_t buffer_bytes() const { return bytes_; }
  size_t allocated() const;
  uint64_t refused() const;  // requests that returned null

 private:
  const size_t bytes_, most_;
  mutable std::mutex mutex_;
  std::vector<uint8_t*> free_;
  std::deque<Full> full_;
  size_t allocated_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace footlight::cupti
