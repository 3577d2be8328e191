// Tensors as TensorProto messages with raw bytes, as in files of saved datasets.
#pragma once

#include "engine/tensor/tensor.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::data {

std::string tensor_message(const Tensor& tensor);
// Throws kDataLoss for bytes that are no such message, kUnimplemented for a dtype that we do not have.
Tensor tensor_of_message(std::string_view bytes);

// Writes a ragged tensor as the variant that TensorFlow makes of it.
std::string ragged_message(std::span<const Tensor> values_and_splits);
std::string sparse_message(std::span<const Tensor> indices_values_shape);
// Reads the tensors of such a variant. One of n dimensions holds rows: the outermost n splits give their layout.
std::vector<Tensor> ragged_of_message(std::string_view bytes, size_t splits);
std::vector<Tensor> sparse_of_message(std::string_view bytes);

}  // namespace footlight::data
