// How GPU kernel files register their kernels in the table, and helpers shared by kernels.
#pragma once

#include "kernels/table.h"

#include <cuda_runtime_api.h>

namespace footlight::cuda {

// One per kernel file, chained at static initialisation; filled in when there is a device.
struct KernelFile {
  void (*fill)();
  KernelFile* next;
  static KernelFile* first;
  explicit KernelFile(void (*f)()) : fill(f), next(first) { first = this; }
};

inline void on_gpu(std::string_view op, uint32_t dtypes, Kernel kernel) {
  register_kernel(DeviceType::kGpu, op, dtypes, kernel);
}

// Throws kInternal (kResourceExhausted for memory) naming the failed operation.
void check(cudaError_t result, const char* what);

inline cudaStream_t stream_of(const KernelContext& c) { return static_cast<cudaStream_t>(c.stream); }

// Makes the device the current one of this thread.
void use_device(Device);

}  // namespace footlight::cuda

// FL_CUDA_KERNELS { on_gpu("AddV2", bit_of(DType::kInt32), kernel); ... }
#define FL_CUDA_KERNELS                                      \
  static void fill_kernels();                                \
  static const KernelFile kernel_file{fill_kernels};         \
  static void fill_kernels()
