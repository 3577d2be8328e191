// Reference-counted memory from the caching allocator of a device.
#pragma once

#include "engine/tensor/device.h"

#include <cstddef>
#include <memory>

namespace footlight {

// Bytes in use, and the peak.
struct MemoryUse {
  size_t current = 0;
  size_t peak = 0;
};

// The allocator of a device. The GPU registers its own at start if there is one.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes) = 0;  // 64-byte aligned; throws kResourceExhausted with the size
  virtual void release(void* memory, size_t bytes) = 0;
  virtual MemoryUse use() const { return {}; }  // only for registered devices
};

Allocator& allocator_of(Device);
Allocator& host_allocator();
void register_allocator(Device, Allocator*);
MemoryUse memory_use(Device);

class Buffer {
 public:
  virtual ~Buffer() = default;
  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 protected:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};
using BufferPtr = std::shared_ptr<Buffer>;

// Uninitialised memory of a device, from its allocator.
BufferPtr allocate_buffer(Device, size_t bytes);

}  // namespace footlight
