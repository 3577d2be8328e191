// The table is by op name; tests/runtime/test_fused.cpp compares each op with its kernel, for each dtype.
#include "engine/ops/jit_ops.h"

#include <vector>

namespace footlight {

JitOp jit_op(const OpRow& row) {
  using enum JitOp;
  struct Named {
    const char* op;
    JitOp jit_op;
  };
  static constexpr Named kAll[] = {
      {"AddV2", kAdd}, {"AddN", kAdd}, {"Sub", kSub}, {"Mul", kMul}, {"RealDiv", kDiv}, {"Maximum", kMaximum},
      {"Minimum", kMinimum}, {"SquaredDifference", kSquaredDifference}, {"Neg", kNeg}, {"Abs", kAbs}, {"Sign", kSign},
      {"Square", kSquare}, {"Reciprocal", kReciprocal}, {"Sqrt", kSqrt}, {"Rsqrt", kRsqrt}, {"Floor", kFloor},
      {"Ceil", kCeil}, {"Round", kRound}, {"Rint", kRound}, {"Relu", kRelu}, {"ReluGrad", kReluGrad},
      {"TanhGrad", kTanhGrad}, {"SigmoidGrad", kSigmoidGrad}, {"Less", kLess}, {"LessEqual", kLessEqual},
      {"Greater", kGreater}, {"GreaterEqual", kGreaterEqual}, {"Equal", kEqual}, {"NotEqual", kNotEqual},
      {"IsNan", kIsNan}, {"LogicalAnd", kLogicalAnd}, {"LogicalOr", kLogicalOr}, {"LogicalNot", kLogicalNot},
      {"SelectV2", kSelect}, {"Cast", kCast}};
  static const std::vector<JitOp> by_id = [] {
    std::vector<JitOp> table(all_rows().size(), kNone);
    for (const Named& one : kAll) table[Op(one.op).id().value] = one.jit_op;
    return table;
  }();
  return by_id[row.id.value];
}

}  // namespace footlight
