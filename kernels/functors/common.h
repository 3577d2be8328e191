// Needed by every functor header: the CUDA annotations, and the type in which an element is computed.
#pragma once

#include "engine/tensor/half.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#define FL_HOST_DEVICE __host__ __device__
#else
#define FL_HOST_DEVICE
#endif

namespace footlight::functors {

// 16-bit floats are computed in float.
template <class T> struct ComputeOf { using type = T; };
template <> struct ComputeOf<Float16> { using type = float; };
template <> struct ComputeOf<BFloat16> { using type = float; };
template <class T> using Compute = typename ComputeOf<T>::type;

template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {};
template <class T> inline constexpr bool is_complex_v = IsComplex<T>::value;

// Integers wrap around: computed unsigned, in at least 32 bits.
template <class T>
using Wrapping = std::conditional_t<
    (sizeof(T) < 4), uint32_t,
    std::make_unsigned_t<std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, T, int>>>;

}  // namespace footlight::functors
