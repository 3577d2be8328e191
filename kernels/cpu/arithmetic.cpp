// Kernels of two-input arithmetic.
#include "kernels/functors/arithmetic.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/elementwise.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

// Quotients of integers that fit a double are exact enough to be rounded down, and are vectorised where rounding
// is an instruction.
#if defined(__SSE4_1__)
template <class T>
inline constexpr bool by_doubles = std::is_same_v<T, int32_t> || sizeof(T) < 4;
#else
template <class T>
inline constexpr bool by_doubles = false;
#endif
struct FloorDiv {
  template <class T> T operator()(T a, T b) const {
    if constexpr (by_doubles<T>) {
      const double q = std::floor(static_cast<double>(a) / static_cast<double>(b));
      return static_cast<T>(static_cast<int32_t>(q > 2147483647.0 ? -2147483648.0 : q));  // the lowest number wraps
    } else {
      return functors::FloorDiv()(a, b);
    }
  }
};
struct FloorMod {
  template <class T> T operator()(T a, T b) const {
    if constexpr (by_doubles<T>) return functors::Sub()(a, functors::Mul()(FloorDiv()(a, b), b));
    else return functors::FloorMod()(a, b);
  }
};

// Throws what Python raises as ZeroDivisionError, in TensorFlow's words.
template <class F, class T>
void checked_division(KernelContext& c) {
  const T* b = c.in<T>(1);
  const int64_t n = c.outputs[0].elements() ? c.inputs[1].elements() : 0;
  T zeros = 0;
  for (int64_t i = 0; i < n; ++i) zeros = static_cast<T>(zeros | (b[i] == 0));
  if (zeros) invalid("Integer division by zero [Op:", c.row.name, "]");
  binary_kernel<F, T, T, 4>(c);
}

template <class T>
void integer_power(KernelContext& c) {
  if constexpr (std::is_signed_v<T>) {
    const T* b = c.in<T>(1);
    for (int64_t i = 0, n = c.outputs[0].elements() ? c.inputs[1].elements() : 0; i < n; ++i)
      if (b[i] < 0) invalid("Integers to negative integer powers are not allowed; make one of them a float [Op:Pow]");
  }
  binary_kernel<functors::Pow, T, T, 8>(c);
}

template <class T>
void power_loop(const void* a, int a_stride, const void* b, int b_stride, void* out_memory, int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* out = static_cast<T*>(out_memory);
  if constexpr (is_half<T>) {
    binary_by_blocks(x, a_stride, y, b_stride, out, n, power_loop<float>);
  } else if (a_stride && !b_stride && *y == T(2)) {  // rounded once, like the power
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] * x[i];
  } else {
    binary_loop<functors::Pow, T, T>(x, a_stride, y, b_stride, out, n);
  }
}
template <class T>
void float_power(KernelContext& c) {
  run_binary(c, power_loop<T>, sizeof(T), sizeof(T), 8);
}

template <class... Types>
void integer_division() {
  (on_cpu("FloorDiv", bit_of(dtype_of<Types>), checked_division<FloorDiv, Types>), ...);
  (on_cpu("FloorMod", bit_of(dtype_of<Types>), checked_division<FloorMod, Types>), ...);
  (on_cpu("Pow", bit_of(dtype_of<Types>), integer_power<Types>), ...);
}

template <class T>
void add_n(KernelContext& c) {
  using C = functors::Compute<T>;
  T* out = c.out<T>();
  parallel_for(c.outputs[0].elements(), kParallelElements, [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 2048;  // stays in the L1 cache while all inputs are added
    for (; begin < end; begin += kBlock) {
      const int64_t stop = std::min(end, begin + kBlock);
      const T* first = c.in<T>(0);
      std::copy(first + begin, first + stop, out + begin);
      for (size_t k = 1; k < c.inputs.size(); ++k) {
        const T* in = c.in<T>(k);
#pragma GCC ivdep
        for (int64_t i = begin; i < stop; ++i)
          out[i] = static_cast<T>(functors::Add()(static_cast<C>(out[i]), static_cast<C>(in[i])));
      }
    }
  });
}

template <class... Types>
void sums() {
  (on_cpu("AddN", bit_of(dtype_of<Types>), add_n<Types>, {binary_loop<functors::Add, Types, Types>, 1}), ...);
}

}  // namespace

FL_CPU_KERNELS {
  sums<FL_FLOATS, FL_INTEGERS, FL_COMPLEX>();
  binary<functors::Add, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, std::string>("AddV2");
  binary<functors::Sub, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Sub");
  binary<functors::Mul, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Mul");
  binary<functors::Div, FL_FLOATS>("RealDiv");
  binary<functors::DivNoNan, FL_FLOATS, FL_COMPLEX>("DivNoNan");
  binary<functors::Maximum, FL_FLOATS, FL_INTEGERS>("Maximum");
  binary<functors::Minimum, FL_FLOATS, FL_INTEGERS>("Minimum");
  binary<functors::SquaredDifference, float, double, int32_t, int64_t, FL_COMPLEX>("SquaredDifference");
  costly_binary<functors::FloorDiv, float, double>("FloorDiv");
  costly_binary<functors::FloorMod, FL_FLOATS>("FloorMod");
  costly_binary<functors::Pow, FL_COMPLEX>("Pow");
  on_cpu("Pow", bit_of(DType::kFloat32), float_power<float>, {power_loop<float>, 8});
  on_cpu("Pow", bit_of(DType::kFloat64), float_power<double>, {power_loop<double>, 8});
  on_cpu("Pow", bit_of(DType::kFloat16), float_power<Float16>, {power_loop<Float16>, 8});
  on_cpu("Pow", bit_of(DType::kBFloat16), float_power<BFloat16>, {power_loop<BFloat16>, 8});
  integer_division<FL_INTEGERS>();
}

}  // namespace footlight::FL_ISA
