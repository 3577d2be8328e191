// Public functions of shapes, dtypes and constants.
#include "engine/ops/composite/by_rows.h"
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

Tensor scalar_of(double value, DType dtype) {
  if (dtype == DType::kString) return Tensor::string(value == 0 ? "" : "1").as_constant();
  return ops::number(value, dtype);
}

// tf.zeros and tf.ones: a constant if the shape is small and known, else a Fill.
Tensor filled(const Arg& shape, double value, DType dtype, std::string_view name) {
  if (dtype == DType::kString && value != 0) fail(ErrorKind::kType, "tf.ones makes numbers and bools, not strings");
  const Tensor dims = shape_tensor(shape);
  return apply("Fill"_op, {dims, scalar_of(value, dtype)}, {}, name);
}
Arg zeros(const Arg& dims, DType type, const Arg&, std::string_view name) {
  return {filled(dims, 0, type, name_or(name, "zeros"))};
}
Arg ones(const Arg& dims, DType type, const Arg&, std::string_view name) {
  return {filled(dims, 1, type, name_or(name, "ones"))};
}

Tensor filled_like(const Tensor& x, const Arg& wanted, double value, const Op& op, std::string_view name) {
  if (wanted.none() || dtype(wanted) == x.dtype()) return apply(op, {x}, {}, name);
  if (is_plain(x.dtype()) && is_plain(dtype(wanted)) && !x.shape().fully_known())
    return apply(op, {ops::cast(x, dtype(wanted))}, {}, name);  // the static shape is kept
  return apply("Fill"_op, {ops::shape(x), scalar_of(value, dtype(wanted))}, {}, name);
}
Arg zeros_like(const Tensor& input, const Arg& dtype, const Arg&, std::string_view name) {
  return {filled_like(input, dtype, 0, "ZerosLike"_op, name_or(name, "zeros_like"))};
}
Arg ones_like(const Tensor& input, const Arg& dtype, const Arg&, std::string_view name) {
  return {filled_like(input, dtype, 1, "OnesLike"_op, name_or(name, "ones_like"))};
}

Arg fill(const Arg& dims, const Tensor& value, const Arg&, std::string_view name) {
  return {apply("Fill"_op, {shape_tensor(dims), value}, {}, name)};
}

Arg cast(const Tensor& x, DType to, std::string_view name) {
  if (x.dtype() == to) return {x};
  if (!is_plain(x.dtype()) || !is_plain(to))
    fail(ErrorKind::kUnimplemented, "cannot cast ", name_of(x.dtype()), " to ", name_of(to),
         "; strings go through tf.strings.to_number and tf.strings.as_string [Op:Cast]");
  return {apply("Cast"_op, {x}, {{"DstT"_attr, to}}, name)};
}

Arg reshape(const Tensor& tensor, const Arg& dims, std::string_view name) {
  const Arg& wanted = dims;
  if (const Shape* shape = std::get_if<Shape>(&wanted.value); shape && shape->fully_known())
    return {apply("Reshape"_op.row(), Borrowed(tensor, ops::ints(shape->dims())), {}, name)};
  return {apply("Reshape"_op.row(), Borrowed(tensor, shape_tensor(wanted)), {}, name)};
}

Arg transpose(const Tensor& x, const Tensor& perm_given, bool conjugate, std::string_view name) {
  static const Op op{"Transpose"};
  const std::string_view node = name_or(name, "transpose");
  const Tensor value = conjugate ? ops::conj(x) : x;
  if (perm_given) {
    // An empty list would be a float tensor; it is the permutation of a scalar all the same.
    const Tensor& given = perm_given;
    const bool nothing = given.shape() == Shape{0} && !is_integer(given.dtype());
    return {apply(op, {value, nothing ? ops::ints(std::initializer_list<int64_t>{}) : given}, {}, node)};
  }
  if (!x.shape().has_rank()) {
    const Scope scope(node);
    const Tensor count = ops::rank(x);
    const Tensor last = ops::sub(count, ops::integer(1));
    const Tensor up = ops::range(ops::integer(0), count, "Range");
    return {apply(op, {value, ops::sub(last, up)}, {}, scope.own_name())};
  }
  Shape perm;
  for (int d = x.shape().rank() - 1; d >= 0; --d) perm.append(d);
  return {apply(op.row(), Borrowed(value, ops::ints(perm.dims())), {}, node)};
}

Arg expand_dims(const Tensor& input, const Tensor& axis, std::string_view name) {
  return {apply("ExpandDims"_op.row(), Borrowed(input, axis), {}, name)};
}

Arg squeeze(const Tensor& input, const std::optional<Ints>& axis, std::string_view name) {
  return {ops::squeeze(input, !axis ? std::vector<int64_t>{} : *axis, name)};
}

DType out_type(const Arg& a) { return a.none() ? DType::kInt32 : dtype(a); }

Tensor int_vector(std::span<const int64_t> values, DType dtype, const Shape& shape) {
  return ops::ints(values, dtype).reshaped(shape);
}

void check_index_type(DType type, const char* function) {
  if (type != DType::kInt32 && type != DType::kInt64)
    fail(ErrorKind::kType, "out_type of ", function, " is int32 or int64, not ", name_of(type));
}

// A known result is a constant.
Arg shape(const Tensor& x, const Arg& out_type_given, std::string_view name) {
  const DType type = out_type(out_type_given);
  if (x.shape().fully_known())
    return {constant(int_vector(x.shape().dims(), type, Shape{x.shape().rank()}), name_or(name, "Shape"))};
  return {apply("Shape"_op, {x}, {{"out_type"_attr, type}}, name)};
}
Arg size(const Tensor& x, const Arg& out_type_given, std::string_view name) {
  const DType type = out_type(out_type_given);
  if (x.shape().fully_known()) {
    const int64_t count = x.shape().elements();
    return {constant(ops::number(static_cast<double>(count), type), name_or(name, "Size"))};
  }
  check_index_type(type, "tf.size");
  return {apply("Size"_op, {x}, {{"out_type"_attr, type}}, name)};
}
Arg rank(const Tensor& x, std::string_view name) {
  if (x.shape().has_rank()) {
    const int64_t count = x.shape().rank();
    return {constant(int_vector({&count, 1}, DType::kInt32, Shape()), name_or(name, "Rank"))};
  }
  return {apply("Rank"_op, {x}, {}, name)};
}

Arg range(const Tensor& start_given, const Tensor& limit_given, const Tensor& delta_given, DType dtype,
          std::string_view name) {
  Tensor start = start_given;
  Tensor limit;
  if (!limit_given) {
    limit = start;
    start = ops::number(0, limit.dtype());
  } else {
    limit = limit_given;
  }
  Tensor delta = delta_given;
  // The widest of the three decides, in the order in which TensorFlow ranks them.
  static constexpr DType kOrder[] = {DType::kInt32,    DType::kInt64,   DType::kFloat16,
                                     DType::kBFloat16, DType::kFloat32, DType::kFloat64};
  DType type = DType::kInt32;
  if (dtype != DType::kInvalid) {
    type = dtype;
  } else {
    const auto place = [](DType d) { return std::find(std::begin(kOrder), std::end(kOrder), d) - std::begin(kOrder); };
    for (const Tensor* t : {&start, &limit, &delta}) {
      if (place(t->dtype()) == std::ssize(kOrder))
        fail(ErrorKind::kType, "tf.range counts in int32, int64 and floating-point numbers, and an argument is ",
             name_of(t->dtype()), "; convert it, or give the dtype of the result as `dtype`");
      if (place(t->dtype()) > place(type)) type = t->dtype();
    }
  }
  const auto as = [&](const Tensor& t) {
    if (t.dtype() == type) return t;
    const Tensor converted = ops::cast(t, type);
    return t.body()->python_number && !converted.is_symbolic() ? converted.as_constant() : converted;
  };
  return {apply("Range"_op, {as(start), as(limit), as(delta)}, {}, name_or(name, "range"))};
}

Arg one_hot(const Tensor& indices, const Tensor& depth, const Tensor& on_value, const Tensor& off_value,
            std::optional<int64_t> axis, DType dtype, std::string_view name) {
  const bool asked = dtype != DType::kInvalid;
  const DType type = asked       ? dtype
                     : on_value  ? on_value.dtype()
                     : off_value ? off_value.dtype()
                                 : DType::kFloat32;
  Tensor values[] = {on_value, off_value};
  for (size_t k = 0; k < 2; ++k) {
    const char* what = k == 0 ? "on_value" : "off_value";
    if (!values[k]) {
      if (!in_set(type, kNumberTypes))
        fail(ErrorKind::kType, what, " must be given for values of dtype ", name_of(type));
      values[k] = ops::number(k == 0 ? 1 : 0, type);
      continue;
    }
    const DType own = values[k].dtype();
    // A Python integer takes any requested numeric dtype.
    const bool fits = values[k].body()->python_number && own == DType::kInt32 && in_set(type, kNumberTypes) &&
                      asked;
    if (own != type && fits) values[k] = ops::cast(values[k], type).as_constant();
    else if (own != type)
      fail(ErrorKind::kType, "dtype ", name_of(own), " of ", what, " does not match dtype ",
           asked ? "parameter " : "", name_of(type), asked ? "" : " of on_value");
  }
  return {apply("OneHot"_op, {indices, depth, values[0], values[1]}, {{"axis"_attr, axis.value_or(-1)}},
                name_or(name, "one_hot"))};
}

Arg broadcast_to(const Tensor& input, const Arg& shape, std::string_view name) {
  return {apply("BroadcastTo"_op, {input, shape_tensor(shape)}, {}, name)};
}

Arg where(const Tensor& condition, const Tensor& x, const Tensor& y, std::string_view name) {
  if (!x && !y) return {apply("Where"_op, {condition}, {}, name)};
  if (!x || !y) fail(ErrorKind::kValue, "tf.where requires both x and y, or neither");
  return {apply("SelectV2"_op, {condition, x, y}, {}, name)};
}

}  // namespace

FL_PUBLIC(shape) {
  return {
      {"zeros", "shape: shape, dtype: dtype = float32, name: str? = None, layout: any? = None", bind<zeros>,
       "zeros of a shape"},
      {"ones", "shape: shape, dtype: dtype = float32, name: str? = None, layout: any? = None", bind<ones>,
       "ones of a shape"},
      {"zeros_like", "input: tensor, dtype: dtype? = None, name: str? = None, layout: any? = None",
       bind<zeros_like>, "zeros in the shape of a tensor"},
      {"ones_like", "input: tensor, dtype: dtype? = None, name: str? = None, layout: any? = None", bind<ones_like>,
       "ones in the shape of a tensor"},
      {"fill", "dims: shape, value: tensor, name: str? = None, layout: any? = None", bind<fill>,
       "a tensor filled with one value"},
      {"dtypes.cast cast", "x: tensor or slices, dtype: dtype, name: str? = None", by_rows<bind<cast>>,
       "the same values in another dtype"},
      {"reshape", "tensor: tensor, shape: shape, name: str? = None", bind<reshape>,
       "the same elements in another shape; -1: inferred"},
      {"transpose", "a: tensor, perm: tensor? of int32 = None, conjugate: bool = False, name: str? = None",
       bind<transpose>,
       "dimensions in another order; reversed when none is given"},
      {"expand_dims", "input: tensor, axis: tensor of int32, name: str? = None", bind<expand_dims>,
       "a new dimension of size 1"},
      {"squeeze", "input: tensor, axis: ints? = None, name: str? = None", bind<squeeze>,
       "without dimensions of size 1"},
      {"identity", "input: tensor or slices, name: str? = None", by_rows<one_op<"Identity">>, "the same value"},
      {"stop_gradient", "input: tensor, name: str? = None", one_op<"StopGradient">,
       "the same value; no gradient passes"},
      {"shape", "input: tensor, out_type: dtype? = None, name: str? = None", bind<shape>, "the shape as a tensor"},
      {"size", "input: tensor, out_type: dtype? = None, name: str? = None", bind<size>,
       "the number of elements as a tensor"},
      {"rank", "input: tensor, name: str? = None", bind<rank>, "the number of dimensions as a tensor"},
      {"range",
       "start: tensor after dtype, limit: tensor? after dtype = None, delta: tensor after dtype = 1, "
       "dtype: dtype? = None, name: str? = None",
       bind<range>, "numbers from start up to, not including, limit"},
      {"one_hot",
       "indices: tensor of int64, depth: tensor fits int32, on_value: tensor? = None, off_value: tensor? = None, axis: "
       "int? = None, "
       "dtype: dtype? = None, name: str? = None",
       bind<one_hot>, "on_value at each index along a new dimension"},
      {"broadcast_to", "input: tensor, shape: shape, name: str? = None", bind<broadcast_to>,
       "repeated to fill a shape"},
      {"where", "condition: tensor, x: tensor? as y = None, y: tensor? as x = None, name: str? = None",
       bind<where>, "the elements of x where the condition holds, those of y elsewhere"},
  };
}

}  // namespace footlight::composite
