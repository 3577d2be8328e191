// The laws, op by op.
#include "engine/ops/algebra.h"

#include <vector>

namespace footlight {
namespace {

struct Law {
  const char* op;
  Algebra algebra;
};

std::vector<Law> laws() {
  const Neutral zero{0.0, 0.0}, one{1.0, 1.0}, right_zero{0.0, {}}, right_one{1.0, {}};
  std::vector<Law> all{
      // 0 is not neutral to floating numbers: -0 + 0 is 0.
      {"AddV2", {.integer = zero, .floating = {-0.0, -0.0}}},
      {"Sub", {.integer = right_zero, .floating = right_zero, .same_is_zero = true}},
      {"Mul", {.integer = one, .floating = one, .absorbing = 0}},
      {"RealDiv", {.floating = right_one}},
      {"DivNoNan", {.floating = right_one}},
      {"MulNoNan", {.floating = right_one}},
      {"FloorDiv", {.integer = right_one, .integers_fail = true}},
      {"FloorMod", {.integers_fail = true}},
      {"TruncateDiv", {.integer = right_one, .integers_fail = true}},
      {"TruncateMod", {.integers_fail = true}},
      {"Pow", {.integer = right_one, .integers_fail = true}},
      {"Maximum", {.same_is_input = true}},
      {"Minimum", {.same_is_input = true}},
      {"LogicalAnd", {.integer = one, .absorbing = 0, .same_is_input = true}},
      {"LogicalOr", {.integer = zero, .absorbing = 1, .same_is_input = true}},
      {"BitwiseAnd", {.absorbing = 0, .same_is_input = true}},
      {"BitwiseOr", {.integer = zero, .same_is_input = true}},
      {"BitwiseXor", {.integer = zero, .same_is_zero = true}},
      {"LeftShift", {.integer = right_zero}},
      {"RightShift", {.integer = right_zero}},
      {"Neg", {.undoes_itself = true}},
      {"LogicalNot", {.undoes_itself = true}},
      {"Invert", {.undoes_itself = true}},
      {"Conj", {.undoes_itself = true}},
      {"Abs", {.settles = true}},
      {"Relu", {.settles = true}},
      {"Floor", {.settles = true}},
      {"Ceil", {.settles = true}},
      {"Round", {.settles = true}},
      {"Rint", {.settles = true}},
      {"Sign", {.settles = true}},
  };
  for (const char* op :
       {"AddN",    "All",       "Any",       "ArgMax",     "ArgMin",  "BatchMatMulV2", "BiasAdd", "BroadcastTo", "Cast",
        "ConcatV2", "ExpandDims", "Fill",     "LogSoftmax", "MatMul",  "Max",     "Mean",    "Min",         "OnesLike",
        "Pack",    "Pad",       "PadV2",     "Prod",       "Rank",    "Reshape", "ReverseV2", "SelectV2",    "Shape",
        "Size",    "Slice",     "Softmax",   "Split",      "Squeeze", "StridedSlice", "Sum", "Tile",        "Transpose",
        "Unpack",  "ZerosLike"})
    all.push_back({op, {.never_fails = true}});
  return all;
}

}  // namespace

const Algebra& algebra_of(const OpRow& row) {
  static const std::vector<Algebra> by_id = [] {
    std::vector<Algebra> table(all_rows().size());
    for (const Law& law : laws()) table[Op(law.op).id().value] = law.algebra;
    return table;
  }();
  return by_id[row.id.value];
}

bool takes_all_values(const OpRow& row, DType dtype) {
  if (row.stateful() || row.host_only || row.execution != Execution::kKernel || !is_plain(dtype)) return false;
  const Algebra& algebra = algebra_of(row);
  if (algebra.never_fails) return true;
  // These consist of functors of elements, which cannot refuse one.
  return row.family == OpFamily::kElementwise && row.fast != FastPath::kNone && row.fast != FastPath::kProduct &&
         !(algebra.integers_fail && is_integer(dtype));
}

}  // namespace footlight
