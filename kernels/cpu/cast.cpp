// Kernels of Cast, one loop per pair of dtypes.
#include "kernels/cpu/half_block.h"
#include "kernels/cpu/loop.h"

#include "engine/base/thread_pool.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

template <class T>
constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
constexpr bool is_complex_t = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// Converts as the machine's conversion to the wider integer does, where C++ leaves the result undefined.
template <class To, class From>
To to_integer(From x) {
  using Wide = std::conditional_t<(sizeof(To) < 4), int32_t, To>;
  if constexpr (std::is_unsigned_v<To> && sizeof(To) == 8) {
    if (x >= From(9223372036854775808.0) && x < From(18446744073709551616.0)) return static_cast<To>(x);
    return static_cast<To>(to_integer<int64_t>(x));
  } else if constexpr (std::is_unsigned_v<To> && sizeof(To) == 4) {
    return static_cast<To>(to_integer<int64_t>(x));
  } else {
    constexpr double kTop = sizeof(Wide) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (x != x || x >= From(kTop) || x < From(-kTop)) return static_cast<To>(std::numeric_limits<Wide>::min());
    return static_cast<To>(static_cast<Wide>(x));
  }
}

template <class To, class From>
inline To convert(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (is_complex_t<To>) {
    using Part = typename To::value_type;
    if constexpr (is_complex_t<From>) return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
    else return To(static_cast<Part>(x), 0);
  } else if constexpr (is_complex_t<From>) {
    return convert<To>(x.real());
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (is_half<From>) return static_cast<float>(x) != 0;
    else return x != From(0);
  } else if constexpr (is_half<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert_all(const void* from, void* to, int64_t n) {
  const From* in = static_cast<const From*>(from);
  To* out = static_cast<To*>(to);
  if constexpr (is_half<From> && std::is_same_v<To, float>) {
    widen(in, out, n);
  } else if constexpr (std::is_same_v<From, float> && is_half<To>) {
    narrow(in, out, n);
  } else if constexpr (is_half<From> || is_half<To>) {  // through floats, a block at a time
    float block[kHalfBlock];
    for (int64_t i = 0; i < n; i += kHalfBlock) {
      const int64_t here = std::min(kHalfBlock, n - i);
      convert_all<From, float>(in + i, block, here);
      convert_all<float, To>(block, out + i, here);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<To>(in[i]);
  }
}

using Loop = void (*)(const void*, void*, int64_t);

template <class From>
Loop loop_to(DType to) {
  return with_plain_type(to, [](auto zero) -> Loop { return convert_all<From, decltype(zero)>; });
}

template <class From>
void cast(KernelContext& c) {
  const DType to = c.outputs[0].dtype();
  if (to == dtype_of<From>) {
    c.outputs[0] = c.inputs[0].alias();
    return;
  }
  const Loop loop = loop_to<From>(to);
  const char* in = static_cast<const char*>(c.inputs[0].raw());
  char* out = static_cast<char*>(c.outputs[0].raw());
  const int64_t size = static_cast<int64_t>(size_of(to));
  parallel_for(c.outputs[0].elements(), 1 << 15, [&](int64_t begin, int64_t end) {
    loop(in + begin * static_cast<int64_t>(sizeof(From)), out + begin * size, end - begin);
  });
}

template <class... Types>
void casts() {
  (on_cpu("Cast", bit_of(dtype_of<Types>), cast<Types>, {loop_to<Types>, 1}), ...);
}

}  // namespace

FL_CPU_KERNELS {
  casts<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
        Float16, BFloat16, std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
