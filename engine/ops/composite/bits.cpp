// Public functions of parts of complex numbers, of bits, and of conversions that clip.
#include "engine/ops/composite/define.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace footlight::composite {

namespace {

const AttrName kTout{"Tout"};

DType part_of(DType t) {
  return t == DType::kComplex64 ? DType::kFloat32 : t == DType::kComplex128 ? DType::kFloat64 : t;
}

Arg complex_of(const Tensor& re, const Tensor& im, std::string_view name) {
  if (re.dtype() != im.dtype() || (re.dtype() != DType::kFloat32 && re.dtype() != DType::kFloat64))
    fail(ErrorKind::kType, "tf.complex: real and imag must both be float32 or both float64, not ", name_of(re.dtype()),
         " and ", name_of(im.dtype()));
  const DType whole = re.dtype() == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
  return {apply("Complex"_op, {re, im}, {{kTout, whole}}, name_or(name, "Complex"))};
}

Arg real_part(const Tensor& x, std::string_view name) {
  if (is_complex(x.dtype())) return {apply("Real"_op, {x}, {{kTout, part_of(x.dtype())}}, name_or(name, "Real"))};
  if (!in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "tf.math.real: input must be a tensor of numbers, not of ", name_of(x.dtype()));
  return {x};
}

Arg imaginary_part(const Tensor& x, std::string_view name) {
  if (is_complex(x.dtype())) return {apply("Imag"_op, {x}, {{kTout, part_of(x.dtype())}}, name_or(name, "Imag"))};
  const Scope scope(name_or(name, "Imag"));
  return {ops::zeros_like(x)};
}

// The angle of a real number: 0, or pi if it is negative.
Arg angle(const Tensor& x, std::string_view name) {
  if (is_complex(x.dtype())) return {apply("Angle"_op, {x}, {{kTout, part_of(x.dtype())}}, name_or(name, "Angle"))};
  if (!is_floating(x.dtype()))
    fail(ErrorKind::kType, "tf.math.angle: input must be of a floating or complex dtype, not ", name_of(x.dtype()),
         "; cast it with tf.cast");
  const Scope scope(name_or(name, "Angle"));
  const Tensor pi = ops::mul(ops::number(std::numbers::pi, x.dtype()), ops::ones_like(x));
  return {ops::where(ops::less(x, ops::number(0, x.dtype())), pi, ops::zeros_like(x))};
}

Arg conjugate(const Tensor& x, std::string_view name) {
  if (is_complex(x.dtype()) || x.dtype() == DType::kVariant) return {apply("Conj"_op, {x}, {}, name_or(name, "Conj"))};
  if (!in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "tf.math.conj: x must be a tensor of numbers, not of ", name_of(x.dtype()));
  return {x};
}

// The limits of a dtype, in a type that holds every 64-bit integer.
struct Limits {
  long double least, most;
};
Limits limits_of(DType t) {
  if (t == DType::kFloat16) return {-65504, 65504};
  if (t == DType::kBFloat16) return {-0x1.fep127, 0x1.fep127};
  return with_plain_type(t, [](auto zero) -> Limits {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>)
      return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
    else
      return {0, 1};
  });
}

// The bound for a value of `from` so that it fits `to`: where `from` has less precision than the limit,
// the nearest representable number within it.
Tensor bound_of(DType from, DType to, bool upper) {
  const Limits own = limits_of(from), other = limits_of(to);
  long double limit = upper ? std::min(own.most, other.most) : std::max(own.least, other.least);
  if (is_floating(from) && limit != 0) {
    const int digits = from == DType::kFloat64 ? 53 : from == DType::kFloat32 ? 24 : from == DType::kFloat16 ? 11 : 8;
    int exponent;
    const long double fraction = std::frexp(limit, &exponent);
    limit = std::ldexp(std::trunc(std::ldexp(fraction, digits)), exponent - digits);
  }
  Tensor bound = Tensor::empty(from, Shape());
  with_plain_type(from, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) *bound.data<T>() = static_cast<T>(limit);
    else if constexpr (std::is_same_v<T, double>) *bound.data<T>() = static_cast<double>(limit);
    else *bound.data<T>() = T(static_cast<float>(limit));
  });
  return bound.as_constant();
}

Tensor cast_as(const Tensor& x, DType to, std::string_view name) {
  return x.dtype() == to ? x : apply("Cast"_op, {x}, {{"DstT"_attr, to}}, name);
}

// Clips to the range of the other dtype before the cast, so that nothing wraps around.
Arg saturate_cast(const Tensor& value, DType to, std::string_view name) {
  Tensor x = value;
  const Scope scope(name_or(name, "saturate_cast"));
  if (is_complex(x.dtype())) {
    if (is_complex(to)) {
      if (x.dtype() == DType::kComplex128 && to == DType::kComplex64) {
        const double most = std::numeric_limits<float>::max();
        const Tensor low = constant(Tensor::scalar(std::complex<double>(-most, -most)).as_constant());
        const Tensor high = constant(Tensor::scalar(std::complex<double>(most, most)).as_constant());
        x = apply("ClipByValue"_op, {x, low, high}, {}, "clamp");
      }
      return {cast_as(x, to, scope.own_name())};
    }
    x = apply("Real"_op, {x}, {{kTout, part_of(x.dtype())}});
  }
  if (!in_set(x.dtype(), kRealTypes) || !in_set(to, kNumberTypes))
    fail(ErrorKind::kType, "tf.saturate_cast: cannot bound ", name_of(x.dtype()), " by what ", name_of(to), " holds");
  const Tensor low = constant(bound_of(x.dtype(), part_of(to), false));
  const Tensor high = constant(bound_of(x.dtype(), part_of(to), true));
  return {cast_as(apply("ClipByValue"_op, {x, low, high}, {}, "clamp"), to, scope.own_name())};
}

constexpr char kTwo[] = "x: tensor as y, y: tensor as x, name: str? = None";
constexpr char kInput[] = "input: tensor, name: str? = None";

}  // namespace

FL_PUBLIC(bits) {
  return {
      {"dtypes.complex complex", "real: tensor, imag: tensor, name: str? = None", bind<complex_of>, "real + i imag"},
      {"math.real", kInput, bind<real_part>, "the real part"},
      {"math.imag", kInput, bind<imaginary_part>, "the imaginary part"},
      {"math.angle", kInput, bind<angle>, "the angle in the complex plane"},
      {"math.conj", "x: tensor, name: str? = None",
       bind<conjugate>, "the complex conjugate; real numbers stay as they are"},
      {"dtypes.saturate_cast saturate_cast", "value: tensor, dtype: dtype, name: str? = None", bind<saturate_cast>,
       "a cast that gives the nearest number where the dtype cannot hold one"},
      {"bitwise.bitwise_and", kTwo, one_op<"BitwiseAnd">, "the bits that both have"},
      {"bitwise.bitwise_or", kTwo, one_op<"BitwiseOr">, "the bits that one of both has"},
      {"bitwise.bitwise_xor", kTwo, one_op<"BitwiseXor">, "the bits that exactly one of both has"},
      {"bitwise.left_shift", kTwo, one_op<"LeftShift">, "x moved y bits up"},
      {"bitwise.right_shift", kTwo, one_op<"RightShift">, "x moved y bits down; the sign stays"},
      {"bitwise.invert", "x: tensor, name: str? = None", one_op<"Invert">, "all bits flipped"},
  };
}

}  // namespace footlight::composite
