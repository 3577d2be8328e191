// Public functions that are also used internally: operators, conversions, gradients of higher-order functions.
#pragma once

#include "engine/ops/builder.h"

namespace footlight::composite {

Tensor truediv(const Tensor& x, const Tensor& y, std::string_view name);
Tensor matmul(const Tensor& a, const Tensor& b, std::string_view name, bool transpose_a = false,
              bool transpose_b = false, bool adjoint_a = false, bool adjoint_b = false);
Tensor abs(const Tensor& x, std::string_view name);
Tensor logical_xor(const Tensor& x, const Tensor& y, std::string_view name);
Tensor boolean_mask(const Tensor& x, const Tensor& mask);

}  // namespace footlight::composite
