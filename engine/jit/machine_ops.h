// Machine instructions for the steps of a fused loop, on vectors of the processor's width. AVX-512 keeps results of
// comparisons in mask registers, AVX2 in vectors. A product is never contracted with a sum, and minimum and maximum
// choose as the kernels' functors do, so that the results are the same bits.
#pragma once

#include "engine/base/errors.h"
#include "engine/ops/jit_ops.h"
#include "engine/tensor/dtype.h"

#include <bit>
#include <cstdint>
#include <span>
#include <xbyak/xbyak.h>

namespace footlight::jit {

// Predicates of comparisons, for floating-point numbers and for integers.
struct Predicate {
  uint8_t floating, integer;
};
inline constexpr Predicate kEqualTo{0, 0}, kLessThan{0x11, 1}, kAtMost{0x12, 2}, kNotEqualTo{4, 4}, kMoreThan{0x1e, 6},
    kAtLeast{0x1d, 5}, kUnordered{3, 3};

class MachineOps : protected Xbyak::CodeGenerator {
 protected:
  using Opmask = Xbyak::Opmask;
  using Xmm = Xbyak::Xmm;

  MachineOps(std::span<std::byte> memory, bool wide)
      : CodeGenerator(memory.size(), memory.data()), wide_(wide), num_registers_(wide ? 30 : 14) {}
  ~MachineOps() = default;

  // A register that holds these bits in each lane.
  virtual Xmm constant(uint64_t bits, size_t size) = 0;

  Xmm number(double x, DType dtype) {
    switch (dtype) {
      case DType::kFloat32: return constant(std::bit_cast<uint32_t>(static_cast<float>(x)), 4);
      case DType::kFloat64: return constant(std::bit_cast<uint64_t>(x), 8);
      case DType::kInt32: return constant(static_cast<uint32_t>(static_cast<int32_t>(x)), 4);
      default: return constant(static_cast<uint64_t>(static_cast<int64_t>(x)), 8);
    }
  }
  static bool floats(DType d) { return d == DType::kFloat32 || d == DType::kFloat64; }

  // A register as wide as the lanes for elements of this size.
  Xmm vector(int r, size_t size) const {
    const size_t bytes = size * static_cast<size_t>(lanes_);
    if (bytes == 64) return Xbyak::Zmm(r);
    if (bytes == 32) return Xbyak::Ymm(r);
    return Xmm(r);
  }
  Xmm temporary(size_t size) const { return vector(num_registers_, size); }

  // The result of a comparison: a mask register, or a vector in which all bits of an element are set.
  struct Comparison {
    int mask;
  };
  Comparison compare(const Xmm& a, const Xmm& b, Predicate p, DType dtype, int to) {
    const bool is_double = size_of(dtype) == 8;
    if (floats(dtype)) {
      if (wide_) is_double ? vcmppd(Opmask(to), a, b, p.floating) : vcmpps(Opmask(to), a, b, p.floating);
      else is_double ? vcmppd(same_width(to, a), a, b, p.floating) : vcmpps(same_width(to, a), a, b, p.floating);
    } else if (wide_) {
      is_double ? vpcmpq(Opmask(to), a, b, p.integer) : vpcmpd(Opmask(to), a, b, p.integer);
    } else {
      compare_avx2(same_width(to, a), a, b, p.integer);
    }
    return {to};
  }
  static Xmm same_width(int r, const Xmm& like) {
    if (like.isYMM()) return Xbyak::Ymm(r);
    return Xmm(r);
  }
  // Compares 32-bit integers, for which there are instructions for equal and greater.
  void compare_avx2(const Xmm& to, const Xmm& a, const Xmm& b, uint8_t p) {
    if (p == kEqualTo.integer || p == kNotEqualTo.integer) vpcmpeqd(to, a, b);
    else if (p == kMoreThan.integer || p == kAtMost.integer) vpcmpgtd(to, a, b);
    else vpcmpgtd(to, b, a);
    if (p == kNotEqualTo.integer || p == kAtMost.integer || p == kAtLeast.integer)
      vpxor(to, to, constant(UINT32_MAX, 4));
  }
  int temporary_test() const { return wide_ ? kTempMask : num_registers_ + 1; }

  // to = test ? yes : no
  void choose(const Xmm& to, Comparison test, const Xmm& yes, const Xmm& no, size_t size) {
    if (wide_) size == 8 ? vblendmpd(to | Opmask(test.mask), no, yes) : vblendmps(to | Opmask(test.mask), no, yes);
    else vblendvps(to, no, yes, same_width(test.mask, to));
  }
  // to = test ? yes : 0
  void mask_or_zero(const Xmm& to, Comparison test, const Xmm& yes, size_t size) {
    if (wide_) size == 8 ? vmovapd(to | Opmask(test.mask) | T_z, yes) : vmovaps(to | Opmask(test.mask) | T_z, yes);
    else vandps(to, yes, same_width(test.mask, to));
  }

  void add_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    switch (t) {
      case DType::kFloat32: return vaddps(d, a, b);
      case DType::kFloat64: return vaddpd(d, a, b);
      case DType::kInt32: return vpaddd(d, a, b);
      default: return vpaddq(d, a, b);
    }
  }
  void sub_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    switch (t) {
      case DType::kFloat32: return vsubps(d, a, b);
      case DType::kFloat64: return vsubpd(d, a, b);
      case DType::kInt32: return vpsubd(d, a, b);
      default: return vpsubq(d, a, b);
    }
  }
  void mul_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    switch (t) {
      case DType::kFloat32: return vmulps(d, a, b);
      case DType::kFloat64: return vmulpd(d, a, b);
      case DType::kInt32: return vpmulld(d, a, b);
      default: return vpmullq(d, a, b);
    }
  }
  void div_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    t == DType::kFloat32 ? vdivps(d, a, b) : vdivpd(d, a, b);
  }
  // Takes the second operand if neither is greater, one is NaN, or both are zeros.
  void max_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    switch (t) {
      case DType::kFloat32: return vmaxps(d, a, b);
      case DType::kFloat64: return vmaxpd(d, a, b);
      case DType::kInt32: return vpmaxsd(d, a, b);
      default: return vpmaxsq(d, a, b);
    }
  }
  void min_(const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    switch (t) {
      case DType::kFloat32: return vminps(d, a, b);
      case DType::kFloat64: return vminpd(d, a, b);
      case DType::kInt32: return vpminsd(d, a, b);
      default: return vpminsq(d, a, b);
    }
  }
  void sqrt_(const Xmm& d, const Xmm& a, DType t) { t == DType::kFloat32 ? vsqrtps(d, a) : vsqrtpd(d, a); }
  void round_(const Xmm& d, const Xmm& a, DType t, uint8_t how) {
    if (wide_) t == DType::kFloat32 ? vrndscaleps(d, a, how) : vrndscalepd(d, a, how);
    else t == DType::kFloat32 ? vroundps(d, a, how) : vroundpd(d, a, how);
  }
  void abs_(const Xmm& d, const Xmm& a, DType t) {
    switch (t) {
      case DType::kFloat32: return vandps(d, a, constant(0x7fffffff, 4));
      case DType::kFloat64: return vandpd(d, a, constant(0x7fffffffffffffff, 8));
      case DType::kInt32: return vpabsd(d, a);
      default: return vpabsq(d, a);
    }
  }

  // d = step(a, b), for steps whose result has elements as large as their inputs. Nothing is written to d while a or b
  // is still needed, except where all of them are read at once.
  void compute(JitOp what, const Xmm& d, const Xmm& a, const Xmm& b, DType t) {
    const size_t size = size_of(t);
    const Xmm x = temporary(size);
    const auto compared = [&](const Xmm& with, double to, Predicate p) {
      return compare(with, number(to, t), p, t, temporary_test());
    };
    switch (what) {
      case JitOp::kAdd: return add_(d, a, b, t);
      case JitOp::kSub: return sub_(d, a, b, t);
      case JitOp::kMul: return mul_(d, a, b, t);
      case JitOp::kDiv: return div_(d, a, b, t);
      case JitOp::kMaximum:
      case JitOp::kMinimum:
        what == JitOp::kMaximum ? max_(d, a, b, t) : min_(d, a, b, t);
        if (floats(t)) choose(d, compare(a, a, kUnordered, t, temporary_test()), a, d, size);
        return;
      case JitOp::kSquaredDifference:
        sub_(d, a, b, t);
        return mul_(d, d, d, t);
      case JitOp::kNeg:
        if (t == DType::kFloat32) return vxorps(d, a, constant(0x80000000, 4));
        if (t == DType::kFloat64) return vxorpd(d, a, constant(uint64_t{1} << 63, 8));
        return sub_(d, number(0, t), a, t);
      case JitOp::kAbs: return abs_(d, a, t);
      case JitOp::kSign:
        choose(d, compared(a, 0, kLessThan), number(-1, t), a, size);
        return choose(d, compared(a, 0, kMoreThan), number(1, t), d, size);
      case JitOp::kSquare: return mul_(d, a, a, t);
      case JitOp::kReciprocal: return div_(d, number(1, t), a, t);
      case JitOp::kSqrt: return sqrt_(d, a, t);
      case JitOp::kRsqrt:
        sqrt_(d, a, t);
        return div_(d, number(1, t), d, t);
      case JitOp::kFloor: return round_(d, a, t, 9);
      case JitOp::kCeil: return round_(d, a, t, 10);
      case JitOp::kRound: return round_(d, a, t, 8);
      case JitOp::kRelu: return max_(d, number(0, t), a, t);
      case JitOp::kReluGrad: return mask_or_zero(d, compared(b, 0, kMoreThan), a, size);
      case JitOp::kTanhGrad:
        mul_(x, a, a, t);
        sub_(x, number(1, t), x, t);
        return mul_(d, b, x, t);
      case JitOp::kSigmoidGrad:
        mul_(d, b, a, t);
        sub_(x, number(1, t), a, t);
        return mul_(d, d, x, t);
      default: FL_CHECK(false);
    }
  }

  void cast(const Xmm& d, const Xmm& a, DType from, DType to) {
    using enum DType;
    static constexpr auto both = [](DType x, DType y) { return static_cast<int>(x) << 8 | static_cast<int>(y); };
    switch (both(from, to)) {
      case both(kFloat32, kFloat64): return vcvtps2pd(d, a);
      case both(kFloat32, kInt32): return vcvttps2dq(d, a);
      case both(kFloat32, kInt64): return vcvttps2qq(d, a);
      case both(kFloat64, kFloat32): return vcvtpd2ps(d, a);
      case both(kFloat64, kInt32): return vcvttpd2dq(d, a);
      case both(kFloat64, kInt64): return vcvttpd2qq(d, a);
      case both(kInt32, kFloat32): return vcvtdq2ps(d, a);
      case both(kInt32, kFloat64): return vcvtdq2pd(d, a);
      case both(kInt32, kInt64): return vpmovsxdq(d, a);
      case both(kInt64, kFloat32): return vcvtqq2ps(d, a);
      case both(kInt64, kFloat64): return vcvtqq2pd(d, a);
      case both(kInt64, kInt32): return vpmovqd(d, a);
      default: FL_CHECK(false);
    }
  }

  static constexpr int kTempMask = 6;
  const bool wide_;
  const int num_registers_;  // vector registers for values and constants; two more are temporaries
  int lanes_ = 0;
};

}  // namespace footlight::jit
