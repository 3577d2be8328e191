// A tensor as a TensorProto, as files of saved datasets have it: in raw bytes.
#pragma once

#include "engine/tensor/tensor.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::data {

std::string tensor_message(const Tensor& tensor);
// Throws kDataLoss for what is no such message, kUnimplemented for a dtype that none is made of here.
Tensor tensor_of_message(std::string_view bytes);

// What consists of several tensors, as the variants that TensorFlow makes of it.
std::string ragged_message(std::span<const Tensor> values_and_splits);
std::string sparse_message(std::span<const Tensor> indices_values_shape);
// The same tensors. A variant of n dimensions holds rows: the outermost n splits say how they lie.
std::vector<Tensor> ragged_of_message(std::string_view bytes, size_t splits);
std::vector<Tensor> sparse_of_message(std::string_view bytes);

}  // namespace footlight::data
