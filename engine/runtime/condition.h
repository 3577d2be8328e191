// Reads the scalar by which a branch or a loop decides, also from a device.
#pragma once

#include "engine/base/errors.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/tensor.h"

#include <string>

namespace footlight::runtime {

inline bool condition_value(const Tensor& tensor) {
  if (tensor.dtype() != DType::kBool || tensor.elements() != 1)
    throw Error(ErrorKind::kInvalidArgument, "a condition must be a bool scalar, not " +
                                                 std::string(name_of(tensor.dtype())) + " of shape " +
                                                 tensor.shape().to_string());
  return tensor.device() == Device::cpu() ? *tensor.data<bool>() : *gpu::on_host(tensor).data<bool>();
}

inline int32_t branch_number(const Tensor& tensor) {
  if (tensor.dtype() != DType::kInt32 || tensor.elements() != 1)
    throw Error(ErrorKind::kInvalidArgument, "the number of a branch must be an int32 scalar, not " +
                                                 std::string(name_of(tensor.dtype())) + " of shape " +
                                                 tensor.shape().to_string());
  return *gpu::on_host(tensor).data<int32_t>();
}

}  // namespace footlight::runtime
