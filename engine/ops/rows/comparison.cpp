// Rows of comparisons and logic.
#include "engine/ops/define.h"

#include <algorithm>

namespace footlight {

namespace {

// If shapes that do not broadcast are allowed, the result is a scalar: no element is equal, as with `==` of tensors.
void equality_shape(Inference& i) {
  const Shape& a = i.shape(0);
  const Shape& b = i.shape(1);
  if (i.attrs.get_or("incompatible_shape_error"_attr, true)) {
    infer::broadcast(i);
    return;
  }
  i.output_shapes[0] = Shape::unknown_rank();
  if (!a.has_rank() || !b.has_rank()) return;
  // Two different dimensions settle it. Beside one that is not 1, an unknown one may be anything: even the rank of the
  // result is unknown.
  bool open = false;
  for (int k = 1; k <= std::min(a.rank(), b.rank()); ++k) {
    const int64_t x = a[a.rank() - k], y = b[b.rank() - k];
    const bool unknown = x == kUnknownDim || y == kUnknownDim;
    if (!unknown && x != y && x != 1 && y != 1) return infer::scalar(i);
    open |= unknown && std::max(x, y) != kUnknownDim && std::max(x, y) != 1;
  }
  if (!open) i.output_shapes[0] = footlight::broadcast(a, b);
}

RowDef compare(const char* name, const char* doc) {
  return {name, "x: T, y: T -> z: bool", "T: real", infer::broadcast, nullptr, OpFamily::kElementwise, doc,
          {.fast = FastPath::kCompare, .zero_gradient = true}};
}
RowDef equality(const char* name, const char* doc) {
  return {name, "x: T, y: T -> z: bool", "T: plain|string|resource|variant; incompatible_shape_error: bool = true",
          equality_shape, nullptr, OpFamily::kElementwise, doc, {.fast = FastPath::kCompare, .zero_gradient = true}};
}

}  // namespace

FL_ROWS(comparison) {
  return {
      compare("Less", "x < y"),
      compare("LessEqual", "x <= y"),
      compare("Greater", "x > y"),
      compare("GreaterEqual", "x >= y"),
      equality("Equal", "x == y"),
      equality("NotEqual", "x != y"),
      {"LogicalAnd", "x: bool, y: bool -> z: bool", "", infer::broadcast, nullptr, OpFamily::kElementwise,
       "x and y", {.fast = FastPath::kBinary, .zero_gradient = true}},
      {"LogicalOr", "x: bool, y: bool -> z: bool", "", infer::broadcast, nullptr, OpFamily::kElementwise,
       "x or y", {.fast = FastPath::kBinary, .zero_gradient = true}},
      {"LogicalNot", "x: bool -> y: bool", "", infer::same, nullptr, OpFamily::kElementwise,
       "not x", {.fast = FastPath::kUnary, .zero_gradient = true}},
  };
}

}  // namespace footlight
