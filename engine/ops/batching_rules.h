// Arguments and results of a rule for a batch of elements, shared by the files of rules.
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
  // The rank of an element, or -1.
  int rank(size_t i) const {
    const Shape& shape = inputs[i].tensor.shape();
    return shape.has_rank() ? shape.rank() - (inputs[i].batched ? 1 : 0) : -1;
  }
  bool only_first() const {
    for (size_t i = 1; i < inputs.size(); ++i)
      if (batched(i)) return false;
    return batched(0);
  }
};
using BatchResult = std::optional<std::vector<Batched>>;
using BatchRule = BatchResult (*)(const BatchCall&);

BatchResult all_batched(std::vector<Tensor> outputs);
Tensor prefixed(int64_t value, const Tensor& vector);
Tensor rest_of(const Tensor& vector);

// The rule of an op on lists of tensors, if it has one: a list of each element is one list of batches.
BatchRule list_rule(std::string_view op);

}  // namespace footlight::ops
