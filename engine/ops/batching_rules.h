// The arguments and the result of a rule that applies an op to a batch of elements.
#pragma once

#include "engine/ops/batching.h"

#include <string_view>

namespace footlight::ops {

struct BatchCall {
  const OpRow& row;
  const Attrs& attrs;
  std::span<const Batched> inputs;
  const Tensor& size;

  bool batched(size_t i) const { return inputs[i].batched; }
  const Tensor& operator[](size_t i) const { return inputs[i].tensor; }
  // The rank of an element of input i; -1 if unknown.
  int rank(size_t i) const {
    const Shape& shape = inputs[i].tensor.shape();
    return shape.has_rank() ? shape.rank() - (inputs[i].batched ? 1 : 0) : -1;
  }
  // Whether input 0 is batched and no other.
  bool only_first() const {
    for (size_t i = 1; i < inputs.size(); ++i)
      if (batched(i)) return false;
    return batched(0);
  }
};
using BatchResult = std::optional<std::vector<Batched>>;
using BatchRule = BatchResult (*)(const BatchCall&);

// The result of a rule all of whose outputs are batched.
BatchResult all_batched(std::vector<Tensor> outputs);
// The vector with a value in front.
Tensor prefixed(int64_t value, const Tensor& vector);
// The vector without its first element.
Tensor rest_of(const Tensor& vector);

// The rule for an op on lists of tensors, which treats a batch of lists as one list of batches; null if it has none.
BatchRule list_rule(std::string_view op);

}  // namespace footlight::ops
