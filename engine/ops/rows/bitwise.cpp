// Rows of bitwise ops on integers.
#include "engine/ops/define.h"

namespace footlight {

namespace {

RowDef binary(const char* name, const char* doc) {
  return {name, "x: T, y: T -> z: T", "T: integers", infer::broadcast, nullptr, OpFamily::kElementwise, doc,
          {.fast = FastPath::kBinary, .zero_gradient = true}};
}

}  // namespace

FL_ROWS(bitwise) {
  return {
      binary("BitwiseAnd", "the bits that both have"),
      binary("BitwiseOr", "the bits that one of both has"),
      binary("BitwiseXor", "the bits that exactly one of both has"),
      binary("LeftShift", "x moved y bits up"),
      binary("RightShift", "x moved y bits down; the sign stays"),
      {"Invert", "x: T -> y: T", "T: integers", infer::same, nullptr, OpFamily::kElementwise, "all bits flipped",
       {.fast = FastPath::kUnary, .zero_gradient = true}},
      {"PopulationCount", "x: T -> y: uint8", "T: integers", infer::same, nullptr, OpFamily::kElementwise,
       "how many bits are set", {.zero_gradient = true}},
  };
}

}  // namespace footlight
