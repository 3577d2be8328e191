// One GPU: its stream and its memory. All work of a device goes through one stream, so that tensors can be passed
// between threads without events: work runs in the order in which it was started.
#pragma once

#include "engine/base/memory_watch.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/gpu.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>

namespace footlight::cuda {

class GpuDevice final : public Allocator {
 public:
  explicit GpuDevice(int index, gpu::Info info)
      : index_(index), info_(std::move(info)), watch_(static_cast<uint8_t>(1 + index)) {}

  cudaStream_t stream();  // makes this device the thread's current one
  const gpu::Info& info() const { return info_; }
  bool started() const { return stream_.load(std::memory_order_acquire) != nullptr; }

  void* allocate(size_t bytes) override;
  void release(void* memory, size_t bytes) override;
  MemoryUse use() const override;

 private:
  void start();
  const int index_;
  const gpu::Info info_;
  std::once_flag started_;
  std::atomic<cudaStream_t> stream_{nullptr};
  bool pooled_ = false;
  std::atomic<size_t> current_{0}, peak_{0};
  MemoryWatch watch_;
};

}  // namespace footlight::cuda
