// Random numbers for other composites: dropout, initializers.
#pragma once

#include "engine/ops/public_names.h"

#include <optional>

namespace footlight::composite {

// The key and counter that a stateless op draws from, and the algorithm as it is passed to the node.
struct RandomStream {
  Tensor key, counter, alg;
};
// `alg`: 'philox', 'threefry', 'auto_select', the number of one, or none.
RandomStream random_stream(const Tensor& seed, const Arg& alg = {});

// Converts a shape argument, which, unlike elsewhere, may not be a single integer.
Tensor drawn_shape(const Arg&);
// A bound or a parameter in the dtype of the numbers; `what` is its name.
Tensor in_dtype_of_numbers(const Arg&, double otherwise, DType, const char* what);

// Returns drawn * by + from. The last node represents the whole function.
Tensor scale_and_shift(const Tensor& drawn, const Tensor& by, const Tensor& from, const Scope&);

// tf.random.uniform in [0, 1) with the op seed of the call, for dropout.
Tensor random_uniform(const Tensor& shape, DType, std::optional<int64_t> op_seed, std::string_view name = {});
// tf.random.stateless_uniform in [0, 1).
Tensor stateless_uniform(const Tensor& shape, const Tensor& seed, DType, const Arg& alg = {},
                         std::string_view name = {});

}  // namespace footlight::composite
