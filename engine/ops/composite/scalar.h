// Reads tensors of known value, and converts arguments of any type to tensors.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/infer.h"
#include "engine/tensor/size.h"

namespace footlight::composite {

// The one integer that a tensor holds; anything else is refused by parameter name.
inline int64_t one_integer(const Tensor& t, std::string_view what) {
  if (t.elements() != 1) invalid(what, " must be a scalar, its shape is ", t.shape().to_string());
  return infer::ints_of(t)[0];
}

// An axis of a tensor whose rank may be unknown yet; throws if it exceeds the largest possible rank.
inline int64_t possible_axis(int64_t axis, std::string_view function) {
  if (axis < -kMaxDimensions || axis >= kMaxDimensions)
    fail(ErrorKind::kValue, function, ": axis ", axis, " is beyond the ", kMaxDimensions,
         " dimensions that a tensor may have");
  return axis;
}

// Gives indices and sizes of an op one dtype: those from Python values get that of the tensors among them, or int64 if
// one of them needs it. No value is truncated: the op refuses a value that does not fit.
void one_index_type(std::initializer_list<Tensor*>);

// Converts a size or an axis to int32. Throws if it is known not to fit. At run time it is clamped, so that it stays
// too large or too small instead of wrapping around.
Tensor as_int32(const Tensor& t, std::string_view what);

// An argument of type `any` as a tensor: a number, a string, or a list of these, some of which may be tensors. If it is
// none of `wanted`, where given, a TypeError names `what`.
Tensor value_tensor(const Arg&, std::string_view what, DType wanted = DType::kInvalid);

}  // namespace footlight::composite
