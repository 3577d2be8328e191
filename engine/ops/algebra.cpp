// The table of laws by op.
#include "engine/ops/algebra.h"

#include <vector>

namespace footlight {
namespace {

struct Law {
  const char* op;
  Algebra algebra;
};

std::vector<Law> laws() {
  const NeutralElements zero{0.0, 0.0}, one{1.0, 1.0}, right_zero{0.0, {}}, right_one{1.0, {}};
  std::vector<Law> all{
      // 0 is not neutral for floating-point numbers: -0 + 0 is 0.
      {"AddV2", {.integer = zero, .floating = {-0.0, -0.0}}},
      {"Sub", {.integer = right_zero, .floating = right_zero, .equal_inputs_give_zero = true}},
      {"Mul", {.integer = one, .floating = one, .absorbing = 0}},
      {"RealDiv", {.floating = right_one}},
      {"DivNoNan", {.floating = right_one}},
      {"MulNoNan", {.floating = right_one}},
      {"FloorDiv", {.integer = right_one, .rejects_some_integers = true}},
      {"FloorMod", {.rejects_some_integers = true}},
      {"TruncateDiv", {.integer = right_one, .rejects_some_integers = true}},
      {"TruncateMod", {.rejects_some_integers = true}},
      {"Pow", {.integer = right_one, .rejects_some_integers = true}},
      {"Maximum", {.equal_inputs_give_input = true}},
      {"Minimum", {.equal_inputs_give_input = true}},
      {"LogicalAnd", {.integer = one, .absorbing = 0, .equal_inputs_give_input = true}},
      {"LogicalOr", {.integer = zero, .absorbing = 1, .equal_inputs_give_input = true}},
      {"BitwiseAnd", {.absorbing = 0, .equal_inputs_give_input = true}},
      {"BitwiseOr", {.integer = zero, .equal_inputs_give_input = true}},
      {"BitwiseXor", {.integer = zero, .equal_inputs_give_zero = true}},
      {"LeftShift", {.integer = right_zero}},
      {"RightShift", {.integer = right_zero}},
      {"Neg", {.is_involution = true}},
      {"LogicalNot", {.is_involution = true}},
      {"Invert", {.is_involution = true}},
      {"Conj", {.is_involution = true}},
      {"Abs", {.is_idempotent = true}},
      {"Relu", {.is_idempotent = true}},
      {"Floor", {.is_idempotent = true}},
      {"Ceil", {.is_idempotent = true}},
      {"Round", {.is_idempotent = true}},
      {"Rint", {.is_idempotent = true}},
      {"Sign", {.is_idempotent = true}},
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

bool accepts_all_values(const OpRow& row, DType dtype) {
  if (row.stateful() || row.host_only || row.execution != Execution::kKernel || !is_plain(dtype)) return false;
  const Algebra& algebra = algebra_of(row);
  if (algebra.never_fails) return true;
  // Kernels that apply a functor to each element cannot raise for one.
  return row.family == OpFamily::kElementwise && row.fast != FastPath::kNone && row.fast != FastPath::kProduct &&
         !(algebra.rejects_some_integers && is_integer(dtype));
}

}  // namespace footlight
