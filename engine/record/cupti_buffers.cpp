// The pool behind CUPTI's buffer callbacks.
#include "engine/record/cupti_buffers.h"

#include <cstdlib>
#include <cstring>

namespace footlight::cupti {

BufferPool::~BufferPool() {
  for (uint8_t* data : free_) std::free(data);
  for (const Full& full : full_) std::free(full.data);
  // CUPTI may still write to the buffers it holds: do not free them.
}

uint8_t* BufferPool::request() {
  std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    uint8_t* data = free_.back();
    free_.pop_back();
    return data;
  }
  // calloc of this size maps zero pages: no memory is touched here.
  uint8_t* data = allocated_ < most_ ? static_cast<uint8_t*>(std::calloc(1, bytes_)) : nullptr;
  if (data)
    ++allocated_;
  else
    ++refused_;
  return data;
}

void BufferPool::complete(uint8_t* data, size_t valid) {
  std::lock_guard lock(mutex_);
  full_.push_back({data, valid});
}

BufferPool::Full BufferPool::take() {
  std::lock_guard lock(mutex_);
  if (full_.empty()) return {};
  Full full = full_.front();
  full_.pop_front();
  return full;
}

void BufferPool::recycle(uint8_t* data) {
  std::memset(data, 0, bytes_);  // on the reading thread, so that CUPTI need not do it inside the user's CUDA call
  std::lock_guard lock(mutex_);
  free_.push_back(data);
}

size_t BufferPool::allocated() const {
  std::lock_guard lock(mutex_);
  return allocated_;
}

uint64_t BufferPool::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace footlight::cupti
