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
// At least one input is batched. `size`: the number of elements, an int32 scalar.
std::optional<std::vector<Batched>> apply_to_batch(const OpRow&, const Attrs&, std::span<const Batched> inputs,
                                                   const Tensor& size);

// With its own copy for each element.
Tensor for_each_element(const Batched&, const Tensor& size);

}  // namespace footlight::ops
