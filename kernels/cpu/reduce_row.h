// Reduction of contiguous elements, vectorised: shared by reductions, softmax and means.
#pragma once

#include "kernels/cpu/half_block.h"
#include "kernels/cpu/vector.h"
#include "kernels/functors/arithmetic.h"
#include "kernels/streamed_reduction.h"

#include <algorithm>

namespace footlight::FL_ISA {

template <class C>
constexpr C lowest() {
  if constexpr (std::numeric_limits<C>::has_infinity) return -std::numeric_limits<C>::infinity();
  else return std::numeric_limits<C>::lowest();
}
template <class C>
constexpr C highest() {
  if constexpr (std::numeric_limits<C>::has_infinity) return std::numeric_limits<C>::infinity();
  else return std::numeric_limits<C>::max();
}

// Sums numbers or, if `vectors`, vectors of them.
struct SumOf {
  template <class C> static C start() { return C(0); }
  template <class C> static C join(C a, C b) { return functors::Add()(a, b); }
  template <class V> static V vectors(V a, V b) { return a + b; }
};
struct ProductOf {
  template <class C> static C start() { return C(1); }
  template <class C> static C join(C a, C b) { return functors::Mul()(a, b); }
  template <class V> static V vectors(V a, V b) { return a * b; }
};
// The maximum. NaN propagates.
struct LargestOf {
  template <class C> static C start() { return lowest<C>(); }
  template <class C> static C join(C a, C b) { return a > b || a != a ? a : b; }
  template <class V> static V vectors(V a, V b) { return (a > b) | (a != a) ? a : b; }
};
struct SmallestOf {
  template <class C> static C start() { return highest<C>(); }
  template <class C> static C join(C a, C b) { return a < b || a != a ? a : b; }
  template <class V> static V vectors(V a, V b) { return (a < b) | (a != a) ? a : b; }
};
// Logical and of bytes that are 0 or 1.
struct AllOf {
  template <class C> static C start() { return C(1); }
  template <class C> static C join(C a, C b) { return a & b; }
  template <class V> static V vectors(V a, V b) { return a & b; }
};
struct AnyOf {
  template <class C> static C start() { return C(0); }
  template <class C> static C join(C a, C b) { return a | b; }
  template <class V> static V vectors(V a, V b) { return a | b; }
};

// Integer vectors wrap around, so they are unsigned where that makes no difference.
template <class Op, class T>
using Lane = std::conditional_t<std::is_integral_v<T> && (std::is_same_v<Op, SumOf> || std::is_same_v<Op, ProductOf>),
                                std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>, T>;

// How a row of elements computed in C is halved.
template <class C, class T>
inline constexpr Halving kHalving =
    !std::is_same_v<C, T>      ? Halving{kHalfBlock, kHalfBlock - 1, kHalfBlock}
    : std::is_arithmetic_v<T> ? Halving{128 * (64 / static_cast<int64_t>(sizeof(T))), 0, 64}
                              : Halving{64, 0, 1};

// Four accumulators of 64 bytes, whatever the register width, so that sums have the same digits everywhere: each is as
// many registers as that takes, because the compiler keeps longer vectors in memory. Long rows are halved first, which
// keeps the error of a float sum small.
template <class Op, class T>
[[gnu::noinline]] T reduce_row(const T* in, int64_t n) {
  if (const int64_t half = kHalving<T, T>.first_half_of(n))
    return Op::join(reduce_row<Op>(in, half), reduce_row<Op>(in + half, n - half));
  if constexpr (std::is_arithmetic_v<T>) {
    using L = Lane<Op, T>;
    constexpr int64_t kV = 64 / static_cast<int64_t>(sizeof(T)), kLength = VectorOf<L>::kLength;
    constexpr int kParts = 64 / kVectorBytes;
    if (n >= kV) {
      const L* at = reinterpret_cast<const L*>(in);
      Vector<L> sums[4 * kParts];
#pragma GCC unroll 4
      for (int v = 0; v < kParts; ++v) sums[v] = load(at + v * kLength);
      int64_t i = kV;
      if (n >= 4 * kV) {
#pragma GCC unroll 16
        for (int v = kParts; v < 4 * kParts; ++v) sums[v] = load(at + v * kLength);
        for (i = 4 * kV; i + 4 * kV <= n; i += 4 * kV)
#pragma GCC unroll 16
          for (int v = 0; v < 4 * kParts; ++v) sums[v] = Op::vectors(sums[v], load(at + i + v * kLength));
#pragma GCC unroll 4
        for (int v = 0; v < kParts; ++v)
          sums[v] = Op::vectors(Op::vectors(sums[v], sums[v + kParts]),
                                Op::vectors(sums[v + 2 * kParts], sums[v + 3 * kParts]));
      }
      for (; i + kV <= n; i += kV)
#pragma GCC unroll 4
        for (int v = 0; v < kParts; ++v) sums[v] = Op::vectors(sums[v], load(at + i + v * kLength));
      T lanes[kV];
      std::memcpy(lanes, sums, sizeof lanes);
      for (int64_t k = kV / 2; k > 0; k /= 2)
        for (int64_t j = 0; j < k; ++j) lanes[j] = Op::join(lanes[j], lanes[j + k]);
      for (; i < n; ++i) lanes[0] = Op::join(lanes[0], in[i]);
      return lanes[0];
    }
  }
  T one = Op::template start<T>();
  for (int64_t i = 0; i < n; ++i) one = Op::join(one, in[i]);
  return one;
}

// n elements converted to C, in the caller's block.
template <class C, class T>
void convert_block(const T* in, C* out, int64_t n) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) widen(in, out, n);
  else for (int64_t i = 0; i < n; ++i) out[i] = static_cast<C>(in[i]);
}

// The same for elements computed in another type.
template <class Op, class C, class T>
[[gnu::noinline]] C reduce_row_as(const T* in, int64_t n) {
  if constexpr (std::is_same_v<C, T>) {
    return reduce_row<Op>(in, n);
  } else {
    if (const int64_t half = kHalving<C, T>.first_half_of(n))
      return Op::join(reduce_row_as<Op, C>(in, half), reduce_row_as<Op, C>(in + half, n - half));
    C block[kHalfBlock];
    convert_block(in, block, n);
    return reduce_row<Op>(block, n);
  }
}

}  // namespace footlight::FL_ISA
