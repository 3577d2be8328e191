// The table of kernels: from device type, op and dtype to a function, with one array load.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// The arguments of a kernel. Outputs whose shape and dtype were fully inferred are allocated (uninitialised); the
// others are empty and the kernel makes them with set_output().
struct KernelContext {
  const OpRow& row;
  const Attrs& attrs;
  std::span<const Tensor> inputs;
  std::span<Tensor> outputs;
  Device device = Device::cpu();
  void* stream = nullptr;  // the device's stream: a cudaStream_t

  template <class T>
  const T* in(size_t i) const { return inputs[i].data<T>(); }
  template <class T>
  T* out(size_t i = 0) const { return outputs[i].data<T>(); }
  Tensor& set_output(size_t i, DType dtype, const Shape& shape) {
    if (!outputs[i]) outputs[i] = Tensor::empty(dtype, shape, device);
    return outputs[i];
  }
};

using Kernel = void (*)(KernelContext&);

// How to reach devices: the stream of this thread, and copies between devices. A device backend installs it.
struct DeviceAccess {
  void* (*stream)(Device);
  Tensor (*copy)(const Tensor&, Device);
};
extern DeviceAccess device_access;

inline constexpr size_t kMaxOps = 1024;
extern Kernel kernel_table[2][kMaxOps][kDTypeCount];

inline Kernel kernel_for(DeviceType device, OpId op, DType dtype) {
  return kernel_table[static_cast<size_t>(device)][op.value][static_cast<size_t>(dtype)];
}

// The dtype that selects the kernel (OpRow::dispatch).
inline DType dispatch_dtype(const OpRow& row, std::span<const Tensor> inputs, std::span<const DType> output_dtypes) {
  if (row.dispatch >= 0 && static_cast<size_t>(row.dispatch) < inputs.size())
    return inputs[static_cast<size_t>(row.dispatch)].dtype();
  return output_dtypes.empty() ? DType::kFloat32 : output_dtypes[0];
}

// Registers a kernel for a set of dtypes (dtype_set(...), kAllTypes). FL_CHECKs that the row exists.
void register_kernel(DeviceType, std::string_view op, uint32_t dtypes, Kernel);

// Chooses the instruction set (FOOTLIGHT_ISA forces one: "baseline", "avx2", "avx512") and registers the host's
// kernels. Called once by engine/eager's and engine/runtime's start; calling it again does nothing.
void init_cpu_kernels();
std::string_view cpu_isa();
// Throws kInvalidArgument because there is no kernel, naming op, dtype and device, and the dtypes that have one.
[[noreturn]] void no_kernel(DeviceType, const OpRow&, DType);

}  // namespace footlight
