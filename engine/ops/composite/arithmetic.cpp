// Public functions of arithmetic, comparison and logic.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/by_rows.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/infer.h"

namespace footlight::composite {

namespace {

// The dtype in which an integer is divided.
DType quotient_dtype(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kUInt8:
    case DType::kUInt16:
      return DType::kFloat32;
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt32:
    case DType::kUInt64:
      return DType::kFloat64;
    default:
      return dtype;
  }
}

// Gives a Python number a node of its own, named after the parameter.
Tensor as_node(const Tensor& t, std::string_view name) { return t.body()->python_number ? constant(t, name) : t; }

template <Literal op_name, Literal scope_name>
Arg scoped_two(const Tensor& x, const Tensor& y, std::string_view name) {
  const Scope scope(name_or(name, scope_name.text));
  return {apply(op_named<op_name>(), {x, y})};
}

// Converts both to the dtype in which they are divided.
std::pair<Tensor, Tensor> quotient_of(const Tensor& x, const Tensor& y, std::string_view what) {
  if (x.dtype() != y.dtype())
    fail(ErrorKind::kType, "x and y of ", what, " must have the same dtype, got tf.", name_of(x.dtype()), " and tf.",
         name_of(y.dtype()), "; cast one of them with tf.cast");
  if (!in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "x and y of ", what, " must be numbers, got tensors of tf.", name_of(x.dtype()));
  const DType dtype = quotient_dtype(x.dtype());
  const Tensor a = as_node(x, "x"), b = as_node(y, "y");
  Tensor of_a = ops::cast(a, dtype);
  return {std::move(of_a), ops::cast(b, dtype)};
}

Arg truediv_of(const Tensor& x, const Tensor& y, std::string_view name) {
  return {truediv(x, y, name_or(name, "truediv"))};
}

Arg logical_xor_of(const Tensor& x, const Tensor& y, std::string_view name) {
  return {logical_xor(x, y, name_or(name, "LogicalXor"))};
}

Arg add_n(const std::vector<Tensor>& terms, std::string_view name) {
  if (terms.empty()) fail(ErrorKind::kValue, "tf.add_n requires at least one tensor, got an empty list");
  if (terms.size() == 1) return {name.empty() ? terms[0] : apply("Identity"_op, {terms[0]}, {}, name)};
  return {apply("AddN"_op.row(), terms, {}, name)};
}

Arg absolute(const Tensor& x, std::string_view name) { return {abs(x, name_or(name, "Abs"))}; }

Arg divide_no_nan(const Tensor& x_given, const Tensor& y_given, std::string_view name) {
  const Scope scope(name_or(name, "div_no_nan"));
  const auto [x, y] = quotient_of(x_given, y_given, "tf.math.divide_no_nan");
  return {apply("DivNoNan"_op, {x, y}, {}, scope.own_name())};
}

Arg reciprocal_no_nan(const Tensor& x, std::string_view name) {
  const Scope scope(name_or(name, "reciprocal_no_nan"));
  if (!in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "tf.math.reciprocal_no_nan: x must be a tensor of numbers, not of ", name_of(x.dtype()));
  const Tensor one = constant(ops::number(1, x.dtype()), "one");
  return {apply("DivNoNan"_op, {one, x}, {}, scope.own_name())};
}

Arg multiply_no_nan(const Tensor& x, const Tensor& y, std::string_view name) {
  if (x.dtype() != y.dtype())
    fail(ErrorKind::kValue, "tf.math.multiply_no_nan: x and y must have one dtype, not ", name_of(x.dtype()), " and ",
         name_of(y.dtype()), "; cast one of them with tf.cast");
  return {apply("MulNoNan"_op, {x, y}, {}, name_or(name, "multiply_no_nan"))};
}

// Converts to floats only if both arguments are Python numbers; the op refuses integer tensors.
Arg next_after(const Tensor& x1, const Tensor& x2, std::string_view name) {
  const bool bare = x1.body()->python_number && x2.body()->python_number;
  const auto as_float = [&](const Tensor& t) {
    return bare && is_integer(t.dtype()) ? ops::cast(t, DType::kFloat32) : t;
  };
  return {apply("NextAfter"_op, {as_float(x1), as_float(x2)}, {}, name)};
}

Arg scalar_mul(const Tensor& scalar, const Tensor& x, std::string_view name) {
  if (!scalar.shape().has_rank() || scalar.shape().rank() != 0)
    fail(ErrorKind::kValue, "tf.math.scalar_mul: scalar must be a scalar, its shape is ", scalar.shape().to_string());
  if (scalar.dtype() != x.dtype())
    fail(ErrorKind::kValue, "tf.math.scalar_mul: scalar is of ", name_of(scalar.dtype()), ", x of ",
         name_of(x.dtype()), "; cast one of them with tf.cast");
  const Scope scope(name_or(name, "scalar_mul"));
  return {apply("Mul"_op, {as_node(scalar, "scalar"), x}, {}, scope.own_name())};
}

Arg accumulate_n(const std::vector<Tensor>& terms, const Arg& dims, DType tensor_dtype, std::string_view name) {
  if (terms.empty()) fail(ErrorKind::kValue, "tf.math.accumulate_n: inputs must be a list of at least one tensor");
  Shape shape = Shape::unknown_rank();
  if (const auto* said = std::get_if<Shape>(&dims.value)) shape = *said;
  if (const auto* said = std::get_if<Tensor>(&dims.value))
    if (const Tensor known = known_value(*said)) shape = Shape(std::span<const int64_t>(infer::ints_of(known)));
  for (const Tensor& t : terms) {
    if (t.dtype() != terms[0].dtype() || !compatible(shape, t.shape()))
      fail(ErrorKind::kValue, "tf.math.accumulate_n: inputs must have one dtype and shape; ", name_of(t.dtype()), " ",
           t.shape().to_string(), " next to ", name_of(terms[0].dtype()), " ", shape.to_string());
    shape = merge(shape, t.shape());
  }
  if (tensor_dtype != DType::kInvalid && tensor_dtype != terms[0].dtype())
    fail(ErrorKind::kType, "tf.math.accumulate_n: tensor_dtype is ", name_of(tensor_dtype), ", the inputs are of ",
         name_of(terms[0].dtype()));
  if (terms.size() == 1) return {name.empty() ? terms[0] : apply("Identity"_op, {terms[0]}, {}, name)};
  return {apply("AddN"_op.row(), terms, {}, name)};
}

// Uses Horner's rule. The first coefficient is that of the highest power.
Arg polyval(const std::vector<Tensor>& coefficients, const Tensor& x, std::string_view name) {
  const Scope scope(name_or(name, "polyval"));
  if (coefficients.empty()) return {ops::zeros_like(x)};
  std::vector<Tensor> c;
  for (size_t k = 0; k < coefficients.size(); ++k) c.push_back(as_node(coefficients[k], str("coeff_", k)));
  Tensor p = c[0];
  for (size_t k = 1; k < c.size(); ++k) p = ops::add(c[k], ops::mul(p, x));
  return {p};
}

// Computes x / |x| for complex numbers, so that the gradient is that of the quotient.
Arg sign(const Tensor& x, std::string_view name) {
  if (!is_complex(x.dtype())) return {apply("Sign"_op, {x}, {}, name)};
  return {apply("DivNoNan"_op, {x, ops::cast(abs(x, "ComplexAbs"), x.dtype())}, {}, name)};
}

constexpr char kTwo[] = "x: tensor as y, y: tensor as x, name: str? = None";
constexpr char kTwoAsTheyCome[] = "x: tensor like y, y: tensor like x, name: str? = None";
constexpr char kFirstLeads[] = "x: tensor, y: tensor follows x, name: str? = None";
constexpr char kTwoBools[] = "x: tensor as y fits bool, y: tensor as x fits bool, name: str? = None";

}  // namespace

Tensor truediv(const Tensor& x, const Tensor& y, std::string_view name) {
  if (x.dtype() == y.dtype() && (is_floating(x.dtype()) || is_complex(x.dtype())))
    return apply("RealDiv"_op, {x, y}, {}, name);
  const Scope scope(name);
  const auto [a, b] = quotient_of(x, y, "a division");
  return apply("RealDiv"_op, {a, b}, {}, scope.own_name());
}

Tensor logical_xor(const Tensor& x, const Tensor& y, std::string_view name) {
  const Tensor one = apply("LogicalOr"_op, {x, y});
  const Tensor not_two = apply("LogicalNot"_op, {apply("LogicalAnd"_op, {x, y})});
  return apply("LogicalAnd"_op, {one, not_two}, {}, name);
}

Tensor abs(const Tensor& x, std::string_view name) {
  if (!is_complex(x.dtype())) return apply("Abs"_op, {x}, {}, name);
  return apply("ComplexAbs"_op, {x},
               {{"Tout"_attr, x.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64}}, name);
}

FL_PUBLIC(arithmetic) {
  return {
      {"math.add add", kFirstLeads, one_op<"AddV2", "Add">, "x + y, with broadcasting"},
      {"math.subtract subtract", kTwo, one_op<"Sub">, "x - y, with broadcasting"},
      {"math.multiply multiply", kTwo, one_op<"Mul">, "x * y, with broadcasting"},
      {"math.truediv truediv", kFirstLeads, bind<truediv_of>, "x / y; integers divide as floats"},
      {"math.divide divide", kTwoAsTheyCome, bind<truediv_of>, "x / y, as Python's operator"},
      {"math.divide_no_nan", kTwoAsTheyCome, bind<divide_no_nan>, "x / y, and 0 where y is 0"},
      {"math.floordiv floordiv", kTwo, one_op<"FloorDiv", "floordiv">, "x // y: rounds towards minus infinity"},
      {"math.floormod math.mod mod", kTwo, one_op<"FloorMod">, "x % y: has the sign of y"},
      {"math.pow pow", kTwo, one_op<"Pow">, "x ** y, with broadcasting"},
      {"math.maximum maximum", kTwo, one_op<"Maximum">, "the larger of x and y; NaN if either is"},
      {"math.minimum minimum", kTwo, one_op<"Minimum">, "the smaller of x and y; NaN if either is"},
      {"math.squared_difference", kTwo, one_op<"SquaredDifference">, "(x - y) squared"},
      {"math.less less", kTwo, one_op<"Less">, "x < y"},
      {"math.less_equal less_equal", kTwo, one_op<"LessEqual">, "x <= y"},
      {"math.greater greater", kTwo, one_op<"Greater">, "x > y"},
      {"math.greater_equal greater_equal", kTwo, one_op<"GreaterEqual">, "x >= y"},
      {"math.equal equal", kTwo, one_op<"Equal">, "x == y, element by element"},
      {"math.not_equal not_equal", kTwo, one_op<"NotEqual">, "x != y, element by element"},
      {"math.logical_and logical_and", kTwoBools, one_op<"LogicalAnd">, "x and y"},
      {"math.logical_or logical_or", kTwoBools, one_op<"LogicalOr">, "x or y"},
      {"math.logical_xor", "x: tensor as y fits bool, y: tensor as x fits bool, name: str? = 'LogicalXor'",
       bind<logical_xor_of>,
       "one of x and y, not both"},
      {"math.logical_not logical_not", "x: tensor fits bool, name: str? = None", one_op<"LogicalNot">, "not x"},
      {"math.add_n add_n", "inputs: tensor*, name: str? = None", bind<add_n>, "the sum of tensors of the same shape"},
      {"math.abs abs", "x: tensor, name: str? = None", bind<absolute>, "the absolute value"},
      {"truncatediv", kTwo, one_op<"TruncateDiv">, "x / y, rounded towards 0"},
      {"truncatemod", kTwo, one_op<"TruncateMod">, "the remainder of x / y, with the sign of x"},
      {"realdiv", kTwo, one_op<"RealDiv">, "x / y of floats"},
      {"math.multiply_no_nan", "x: tensor, y: tensor after x, name: str? = None", bind<multiply_no_nan>,
       "x * y, and 0 where y is 0"},
      {"math.reciprocal_no_nan", "x: tensor, name: str? = None", bind<reciprocal_no_nan>, "1 / x, and 0 where x is 0"},
      {"math.xdivy", kTwo, bind<scoped_two<"Xdivy", "xdivy">>, "x / y, and 0 where x is 0"},
      {"math.xlogy", kTwo, one_op<"Xlogy">, "x * log(y), and 0 where x is 0"},
      {"math.xlog1py", kTwo, bind<scoped_two<"Xlog1py", "xlog1py">>, "x * log(1 + y), and 0 where x is 0"},
      {"math.nextafter", "x1: tensor as x2, x2: tensor as x1, name: str? = None", bind<next_after>,
       "the number next to x1 on the way to x2"},
      {"math.scalar_mul scalar_mul", "scalar: tensor as x, x: tensor or slices, name: str? = None",
       by_rows<bind<scalar_mul>, 1>,
       "x times a scalar"},
      {"math.accumulate_n", "inputs: tensors, shape: shape? = None, tensor_dtype: dtype? = None, name: str? = None",
       bind<accumulate_n>, "the sum of tensors of the same shape"},
      {"math.polyval", "coeffs: tensors of any, x: tensor, name: str? = None", bind<polyval>,
       "the polynomial with these coefficients, highest power first, at x"},
      {"math.sign sign", "x: tensor, name: str? = None", bind<sign>, "-1, 0 or 1; of a complex number x / |x|"},
  };
}

}  // namespace footlight::composite
