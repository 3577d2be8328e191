// Calls other kernels by name, through the table.
#pragma once

#include "kernels/cpu/register.h"

#include <array>
#include <initializer_list>

namespace footlight::FL_ISA {

// Runs the host kernel of an op with one output, which must be allocated.
inline Tensor call(const char* name, std::initializer_list<Tensor> inputs, Tensor output, const Attrs& attrs = {}) {
  const OpRow& row = *find_row(name);
  KernelContext c{row, attrs, std::span<const Tensor>(inputs.begin(), inputs.size()), {&output, 1}};
  const DType type = dispatch_dtype(row, c.inputs, std::array{output.dtype()});
  if (const Kernel kernel = kernel_for(DeviceType::kCpu, row.id, type)) kernel(c);
  else no_kernel(DeviceType::kCpu, row, type);
  return output;
}

inline Tensor cast(const Tensor& x, DType to) {
  return x.dtype() == to ? x : call("Cast", {x}, Tensor::empty(to, x.shape()), {{"DstT"_attr, to}});
}

}  // namespace footlight::FL_ISA
