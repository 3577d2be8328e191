// Ops applied to a batch of elements at once: what tf.vectorized_map replays a traced function with.
#pragma once

#include "engine/ops/row.h"

#include <optional>
#include <vector>

namespace footlight::ops {

// A tensor of each element along a new first dimension, or one for all elements.
struct Batched {
  Tensor tensor;
  bool batched = false;
};

// The op for every element; nothing, and nothing is applied, if it has no rule, or none for inputs like these.
// At least one input is batched. `size`: the number of elements, an int32 scalar. `lists`: a list of tensors of each
// element is one list of batches.
std::optional<std::vector<Batched>> apply_to_batch(const OpRow&, const Attrs&, std::span<const Batched> inputs,
                                                   const Tensor& size, bool lists);

// Copies the value for each element.
Tensor for_each_element(const Batched&, const Tensor& size);

// Whether it is one list of batches, and not a list for each element.
bool is_list_of_batches(const Batched&);
// The shape of a batch of `elements`, as the input of a list op; a scalar means that it is unknown.
Tensor shape_of_batch(const Tensor& shape, const Tensor& size, DType elements);
// Swaps the first two dimensions: the tensors of a list, and the elements.
Tensor swapped(const Tensor&);

}  // namespace footlight::ops
