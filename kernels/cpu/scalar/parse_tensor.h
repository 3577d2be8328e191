// Reads a tensor out of a TensorProto. It is apart from the kernel so that it can be fuzzed.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>

namespace footlight::tensor_proto {

// Parses the TensorProto `serialized`, which must have the dtype `wanted`.
Tensor parse(const std::string& serialized, DType wanted);

}  // namespace footlight::tensor_proto
