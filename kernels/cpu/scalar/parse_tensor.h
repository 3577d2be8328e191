// Reading a tensor needs no kernel, so it is also fuzzed by itself.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>

namespace footlight::tensor_proto {

// Parses the TensorProto `serialized`, which must have the dtype `wanted`.
Tensor parse(const std::string& serialized, DType wanted);

}  // namespace footlight::tensor_proto
