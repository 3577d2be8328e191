// Ops that one or a few machine instructions compute per element, with the same bits as the kernel's loop: the JIT
// (engine/jit/machine_code.h) compiles these.
#pragma once

#include "engine/ops/row.h"

#include <cstdint>

namespace footlight {

enum class Exact : uint8_t {
  kNone,
  kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kSquaredDifference,
  kNeg, kAbs, kSign, kSquare, kReciprocal, kSqrt, kRsqrt, kFloor, kCeil, kRound,
  kRelu, kReluGrad, kTanhGrad, kSigmoidGrad,
  kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual, kIsNan,
  kLogicalAnd, kLogicalOr, kLogicalNot, kSelect, kCast
};

Exact exact(const OpRow& row);

}  // namespace footlight
