// What public functions read from tensors of known value, and conversion of arguments of any type to tensors.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/infer.h"

namespace footlight::composite {

// The one integer that a tensor holds; anything else is refused by parameter name.
inline int64_t one_integer(const Tensor& t, std::string_view what) {
  if (t.elements() != 1) invalid(what, " must be a scalar, its shape is ", t.shape().to_string());
  return infer::ints_of(t)[0];
}

// An argument of type `any` as a tensor: a number, a string, or a list of these, some of which may be tensors. If it is
// none of `wanted`, where given, a TypeError names `what`.
Tensor value_tensor(const Arg&, std::string_view what, DType wanted = DType::kInvalid);

}  // namespace footlight::composite
