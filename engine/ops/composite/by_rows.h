// Public elementwise functions that accept an IndexedSlices: they are applied to its rows and return one.
#pragma once

#include "engine/ops/composite/define.h"
#include "engine/ops/indexed_slices.h"

namespace footlight::composite {

// Wraps `function`, whose parameter number `which` is a "tensor or slices".
template <Arg (*function)(Args, std::string_view), size_t which = 0>
Arg by_rows(Args args, std::string_view name) {
  const Tensor& given = tensor(args[which]);
  const IndexedSlices* slices = given.dtype() == DType::kResource ? ops::slices_of(given) : nullptr;
  if (!slices) return function(args, name);
  std::vector<Arg> of_rows(args.begin(), args.end());
  of_rows[which] = {slices->values};
  return {ops::indexed_slices(tensor(function(of_rows, name)), slices->indices, slices->dense_shape)};
}

}  // namespace footlight::composite
