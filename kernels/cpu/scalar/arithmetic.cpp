// Kernels of arithmetic that does not vectorise: division and remainders towards 0, logarithms of factors.
#include "kernels/functors/guarded.h"

#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

namespace {

// An integer b must not be 0: the kernel has checked that.
struct TruncateDiv {
  template <class T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1)) return functors::Sub()(T(0), a);  // the lowest number wraps
      return static_cast<T>(a / b);
    } else {
      return std::trunc(a / b);
    }
  }
};
struct TruncateMod {
  template <class T> T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1)) return 0;
      return static_cast<T>(a % b);
    } else {
      return std::fmod(a, b);
    }
  }
};
struct NextAfter {
  template <class T> T operator()(T a, T b) const { return std::nextafter(a, b); }
};

template <class F, class T>
void checked_division(KernelContext& c) {
  const T* b = c.in<T>(1);
  for (int64_t i = 0, n = c.outputs[0].elements() ? c.inputs[1].elements() : 0; i < n; ++i)
    if (b[i] == 0) invalid("Integer division by zero [Op:", c.row.name, "]");
  binary_kernel<F, T, T, 4>(c);
}

template <class F, class... Types>
void integer_division(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), checked_division<F, Types>), ...);
}

// The bounds are scalars or have t's shape. Each part of a complex number is clipped separately.
template <class T>
void clip(KernelContext& c) {
  using C = Compute<T>;
  const T* t = c.in<T>(0);
  const T* low = c.in<T>(1);
  const T* high = c.in<T>(2);
  const int64_t low_step = c.inputs[1].shape().rank() != 0;
  const int64_t high_step = c.inputs[2].shape().rank() != 0;
  const auto bounded = [](auto x, auto least, auto most) {
    return functors::Maximum()(functors::Minimum()(x, most), least);
  };
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i) {
    const C x = static_cast<C>(t[i]);
    const C least = static_cast<C>(low[i * low_step]);
    const C most = static_cast<C>(high[i * high_step]);
    if constexpr (functors::is_complex_v<T>)
      c.out<T>()[i] = T(bounded(x.real(), least.real(), most.real()), bounded(x.imag(), least.imag(), most.imag()));
    else
      c.out<T>()[i] = static_cast<T>(bounded(x, least, most));
  }
}

template <class... Types>
void clips() {
  (on_cpu("ClipByValue", bit_of(dtype_of<Types>), clip<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  costly_binary<functors::Xlogy, FL_FLOATS, FL_COMPLEX>("Xlogy");
  costly_binary<functors::Xlog1py, FL_FLOATS, FL_COMPLEX>("Xlog1py");
  clips<FL_FLOATS, FL_INTEGERS, FL_COMPLEX>();
  integer_division<TruncateDiv, FL_INTEGERS>("TruncateDiv");
  integer_division<TruncateMod, int32_t, int64_t>("TruncateMod");
  binary<TruncateDiv, float, double>("TruncateDiv");
  costly_binary<TruncateMod, FL_FLOATS>("TruncateMod");
  costly_binary<NextAfter, float, double>("NextAfter");
}

}  // namespace footlight::FL_ISA
