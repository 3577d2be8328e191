// The ops that the JIT compiles (engine/jit/machine_code.h): one or a few machine instructions compute an element, with
// the same bits as the kernel's loop.
#pragma once

#include "engine/ops/row.h"

#include <cstdint>

namespace footlight {

enum class JitOp : uint8_t {
  kNone,
  kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kSquaredDifference,
  kNeg, kAbs, kSign, kSquare, kReciprocal, kSqrt, kRsqrt, kFloor, kCeil, kRound,
  kRelu, kReluGrad, kTanhGrad, kSigmoidGrad,
  kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual, kIsNan,
  kLogicalAnd, kLogicalOr, kLogicalNot, kSelect, kCast
};

// kNone if the JIT cannot compile the op.
JitOp jit_op(const OpRow& row);

}  // namespace footlight
