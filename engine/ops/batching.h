// Applies an op to a batch of elements at once. tf.vectorized_map replays a traced function with these.
#pragma once

#include "engine/ops/row.h"

#include <optional>
#include <vector>

namespace footlight::ops {

// The values of a tensor for all elements of a batch: stacked along a new first dimension (`batched`), or one tensor
// that is the same for all elements.
struct Batched {
  Tensor tensor;
  bool batched = false;
};

// Applies the op to every element, of which there are `size` (an int32 scalar). At least one input is batched. Empty,
// with nothing applied, if the op has no rule for these inputs. `lists`: a list of tensors of each element is one list
// of batches.
std::optional<std::vector<Batched>> apply_to_batch(const OpRow&, const Attrs&, std::span<const Batched> inputs,
                                                   const Tensor& size, bool lists);

// Returns the value stacked, with a copy for each element if it is the same for all.
Tensor for_each_element(const Batched&, const Tensor& size);

// Whether the value is one list of batches, and not a batch of lists.
bool is_list_of_batches(const Batched&);
// The shape of a batch of `elements`, as the input of a list op; a scalar means that it is unknown.
Tensor shape_of_batch(const Tensor& shape, const Tensor& size, DType elements);
// Swaps the first two dimensions, those of the list and of the batch.
Tensor swapped(const Tensor&);

}  // namespace footlight::ops
