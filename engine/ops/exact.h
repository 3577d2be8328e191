// Ops whose elements one or a few instructions of the machine give, with the bits that the kernel's loop gives: what
// code that is made at run time (engine/jit/machine_code.h) consists of.
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
