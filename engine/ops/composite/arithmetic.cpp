// Public functions of arithmetic, comparison and logic.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

// What an integer divides as.
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

Arg truediv_of(Args args, std::string_view name) {
  return {truediv(tensor(args[0]), tensor(args[1]), name_or(name, "truediv"))};
}

Arg logical_xor(Args args, std::string_view name) {
  static const Op either{"LogicalOr"};
  static const Op both{"LogicalAnd"};
  static const Op negation{"LogicalNot"};
  const Scope scope(name_or(name, "LogicalXor"));
  const Tensor& x = tensor(args[0]);
  const Tensor& y = tensor(args[1]);
  return {apply(both, {apply(either, {x, y}), apply(negation, {apply(both, {x, y})})}, {}, scope.own_name())};
}

Arg add_n(Args args, std::string_view name) {
  static const Op op{"AddN"};
  static const Op same{"Identity"};
  const auto terms = tensors(args[0]);
  if (terms.empty()) fail(ErrorKind::kValue, "tf.add_n wants at least one tensor, the list is empty");
  if (terms.size() == 1) return {name.empty() ? terms[0] : apply(same, {terms[0]}, {}, name)};
  return {apply(op.row(), terms, {}, name)};
}

Arg absolute(Args args, std::string_view name) { return {abs(tensor(args[0]), name_or(name, "Abs"))}; }

Arg clip_by_value(Args args, std::string_view name) {
  static const Op least{"Minimum"};
  static const Op most{"Maximum"};
  const Scope scope(name_or(name, "clip_by_value"));
  return {apply(most, {apply(least, {tensor(args[0]), tensor(args[2])}), tensor(args[1])}, {}, scope.own_name())};
}

constexpr char kTwo[] = "x: tensor like y, y: tensor like x, name: str? = None";
constexpr char kTwoBools[] = "x: tensor of bool, y: tensor of bool, name: str? = None";

}  // namespace

Tensor truediv(const Tensor& x, const Tensor& y, std::string_view name) {
  static const Op op{"RealDiv"};
  if (x.dtype() != y.dtype())
    fail(ErrorKind::kType, "x and y of a division must have one dtype: tf.", name_of(x.dtype()), " and tf.",
         name_of(y.dtype()), " came; cast one of them with tf.cast");
  const DType dtype = quotient_dtype(x.dtype());
  if (dtype == x.dtype()) return apply(op, {x, y}, {}, name);
  const Scope scope(name);
  return apply(op, {ops::cast(x, dtype), ops::cast(y, dtype)}, {}, scope.own_name());
}

Tensor abs(const Tensor& x, std::string_view name) {
  static const Op of_complex{"ComplexAbs"};
  static const Op of_real{"Abs"};
  static const AttrName kTout{"Tout"};
  if (!is_complex(x.dtype())) return apply(of_real, {x}, {}, name);
  return apply(of_complex, {x}, {{kTout, x.dtype() == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64}}, name);
}

FL_PUBLIC(arithmetic) {
  return {
      {"math.add add", kTwo, one_op<"AddV2", "Add">, "x + y, with broadcasting"},
      {"math.subtract subtract", kTwo, one_op<"Sub">, "x - y, with broadcasting"},
      {"math.multiply multiply", kTwo, one_op<"Mul">, "x * y, with broadcasting"},
      {"math.truediv truediv", kTwo, truediv_of, "x / y; integers divide as floats"},
      {"math.divide divide", kTwo, truediv_of, "x / y, as Python's operator"},
      {"math.divide_no_nan", kTwo, one_op<"DivNoNan", "div_no_nan">, "x / y, and 0 where y is 0"},
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
      {"math.logical_xor", "x: tensor of bool, y: tensor of bool, name: str? = None", logical_xor,
       "one of x and y, not both"},
      {"math.logical_not logical_not", "x: tensor of bool, name: str? = None", one_op<"LogicalNot">, "not x"},
      {"math.add_n add_n", "inputs: tensors, name: str? = None", add_n, "the sum of tensors of one shape"},
      {"math.abs abs", "x: tensor, name: str? = None", absolute, "the absolute value"},
      {"clip_by_value", "t: tensor, clip_value_min: tensor like t, clip_value_max: tensor like t, name: str? = None",
       clip_by_value, "t, with what is below the least or above the most replaced by these"},
  };
}

}  // namespace footlight::composite
