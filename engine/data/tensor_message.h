// A tensor as a TensorProto, as files of saved datasets have it: in raw bytes.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>
#include <string_view>

namespace footlight::data {

std::string tensor_message(const Tensor& tensor);
// Throws kDataLoss for what is no such message, kUnimplemented for a dtype that none is made of here.
Tensor tensor_of_message(std::string_view bytes);

}  // namespace footlight::data
