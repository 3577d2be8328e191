// Public functions of shapes, dtypes and constants.
#include "engine/ops/composite/by_rows.h"
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

const AttrName kOutType{"out_type"};

Tensor scalar_of(double value, DType dtype) {
  if (dtype == DType::kString) return Tensor::string(value == 0 ? "" : "1").as_constant();
  return ops::number(value, dtype);
}

// tf.zeros and tf.ones: a constant while the shape is small and known, else a Fill.
Tensor filled(const Arg& shape, double value, DType dtype, std::string_view name) {
  static const Op fill{"Fill"};
  if (dtype == DType::kString && value != 0) fail(ErrorKind::kType, "tf.ones makes numbers and bools, not strings");
  const Tensor dims = shape_tensor(shape);
  return apply(fill, {dims, scalar_of(value, dtype)}, {}, name);
}
Arg zeros(Args args, std::string_view name) { return {filled(args[0], 0, dtype(args[1]), name_or(name, "zeros"))}; }
Arg ones(Args args, std::string_view name) { return {filled(args[0], 1, dtype(args[1]), name_or(name, "ones"))}; }

Tensor filled_like(const Tensor& x, const Arg& wanted, double value, const Op& op, std::string_view name) {
  static const Op fill{"Fill"};
  if (wanted.none() || dtype(wanted) == x.dtype()) return apply(op, {x}, {}, name);
  if (is_plain(x.dtype()) && is_plain(dtype(wanted)) && !x.shape().fully_known())
    return apply(op, {ops::cast(x, dtype(wanted))}, {}, name);  // the shape stays as well known as it is
  return apply(fill, {ops::shape(x), scalar_of(value, dtype(wanted))}, {}, name);
}
Arg zeros_like(Args args, std::string_view name) {
  static const Op op{"ZerosLike"};
  return {filled_like(tensor(args[0]), args[1], 0, op, name_or(name, "zeros_like"))};
}
Arg ones_like(Args args, std::string_view name) {
  static const Op op{"OnesLike"};
  return {filled_like(tensor(args[0]), args[1], 1, op, name_or(name, "ones_like"))};
}

Arg fill(Args args, std::string_view name) {
  static const Op op{"Fill"};
  return {apply(op, {shape_tensor(args[0]), tensor(args[1])}, {}, name)};
}

Arg cast(Args args, std::string_view name) {
  static const Op op{"Cast"};
  static const AttrName kDstT{"DstT"};
  const Tensor& x = tensor(args[0]);
  const DType to = dtype(args[1]);
  if (x.dtype() == to) return {x};
  if (!is_plain(x.dtype()) || !is_plain(to))
    fail(ErrorKind::kUnimplemented, "cannot cast ", name_of(x.dtype()), " to ", name_of(to),
         "; strings go through tf.strings.to_number and tf.strings.as_string [Op:Cast]");
  return {apply(op, {x}, {{kDstT, to}}, name)};
}

Arg reshape(Args args, std::string_view name) {
  static const Op op{"Reshape"};
  const Arg& wanted = args[1];
  if (const Shape* shape = std::get_if<Shape>(&wanted.value); shape && shape->fully_known())
    return {apply(op.row(), Borrowed(tensor(args[0]), ops::ints(shape->dims())), {}, name)};
  return {apply(op.row(), Borrowed(tensor(args[0]), shape_tensor(wanted)), {}, name)};
}

Arg transpose(Args args, std::string_view name) {
  static const Op op{"Transpose"};
  const Tensor& x = tensor(args[0]);
  const std::string_view node = name_or(name, "transpose");
  const Tensor value = flag(args[2]) ? ops::conj(x) : x;
  if (!args[1].none()) {
    // An empty list is a tensor of floats, and the permutation of a scalar all the same.
    const Tensor& given = tensor(args[1]);
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

Arg expand_dims(Args args, std::string_view name) {
  static const Op op{"ExpandDims"};
  return {apply(op.row(), Borrowed(tensor(args[0]), tensor(args[1])), {}, name)};
}

Arg squeeze(Args args, std::string_view name) {
  return {ops::squeeze(tensor(args[0]), args[1].none() ? std::vector<int64_t>{} : integers(args[1]), name)};
}

DType out_type(const Arg& a) { return a.none() ? DType::kInt32 : dtype(a); }

Tensor int_vector(std::span<const int64_t> values, DType dtype, const Shape& shape) {
  return ops::ints(values, dtype).reshaped(shape);
}

void check_index_type(DType type, const char* function) {
  if (type != DType::kInt32 && type != DType::kInt64)
    fail(ErrorKind::kType, "out_type of ", function, " is int32 or int64, not ", name_of(type));
}

// A known answer is a constant.
Arg shape(Args args, std::string_view name) {
  static const Op op{"Shape"};
  const Tensor& x = tensor(args[0]);
  const DType type = out_type(args[1]);
  if (x.shape().fully_known())
    return {constant(int_vector(x.shape().dims(), type, Shape{x.shape().rank()}), name_or(name, "Shape"))};
  return {apply(op, {x}, {{kOutType, type}}, name)};
}
Arg size(Args args, std::string_view name) {
  static const Op op{"Size"};
  const Tensor& x = tensor(args[0]);
  const DType type = out_type(args[1]);
  if (x.shape().fully_known()) {
    const int64_t count = x.shape().elements();
    return {constant(ops::number(static_cast<double>(count), type), name_or(name, "Size"))};
  }
  check_index_type(type, "tf.size");
  return {apply(op, {x}, {{kOutType, type}}, name)};
}
Arg rank(Args args, std::string_view name) {
  static const Op op{"Rank"};
  const Tensor& x = tensor(args[0]);
  if (x.shape().has_rank()) {
    const int64_t count = x.shape().rank();
    return {constant(int_vector({&count, 1}, DType::kInt32, Shape()), name_or(name, "Rank"))};
  }
  return {apply(op, {x}, {}, name)};
}

Arg range(Args args, std::string_view name) {
  static const Op op{"Range"};
  Tensor start = tensor(args[0]);
  Tensor limit;
  if (args[1].none()) {
    limit = start;
    start = ops::number(0, limit.dtype());
  } else {
    limit = tensor(args[1]);
  }
  Tensor delta = tensor(args[2]);
  // The widest of the three decides, in the order in which TensorFlow lists them.
  static constexpr DType kOrder[] = {DType::kInt32,    DType::kInt64,   DType::kFloat16,
                                     DType::kBFloat16, DType::kFloat32, DType::kFloat64};
  DType type = DType::kInt32;
  if (!args[3].none()) {
    type = dtype(args[3]);
  } else {
    const auto place = [](DType d) { return std::find(std::begin(kOrder), std::end(kOrder), d) - std::begin(kOrder); };
    for (const Tensor* t : {&start, &limit, &delta}) {
      if (place(t->dtype()) == std::end(kOrder) - std::begin(kOrder)) {
        if (type == DType::kInt32) type = t->dtype();
      } else if (place(t->dtype()) > place(type)) {
        type = t->dtype();
      }
    }
  }
  const auto as = [&](const Tensor& t) {
    if (t.dtype() == type) return t;
    const Tensor converted = ops::cast(t, type);
    return t.body()->python_number && !converted.is_symbolic() ? converted.as_constant() : converted;
  };
  return {apply(op, {as(start), as(limit), as(delta)}, {}, name_or(name, "range"))};
}

Arg one_hot(Args args, std::string_view name) {
  static const Op op{"OneHot"};
  static const AttrName kAxis{"axis"};
  const Tensor& depth = tensor(args[1]);
  const bool has[] = {!args[2].none(), !args[3].none()};
  const DType type = !args[5].none() ? dtype(args[5])
                     : has[0]        ? tensor(args[2]).dtype()
                     : has[1]        ? tensor(args[3]).dtype()
                                     : DType::kFloat32;
  Tensor values[2];
  for (size_t k = 0; k < 2; ++k) {
    const char* what = k == 0 ? "on_value" : "off_value";
    if (!has[k]) {
      if (!in_set(type, kNumberTypes))
        fail(ErrorKind::kType, what, " must be given for values of dtype ", name_of(type));
      values[k] = ops::number(k == 0 ? 1 : 0, type);
      continue;
    }
    values[k] = tensor(args[2 + k]);
    const DType own = values[k].dtype();
    // A Python integer is any number that is asked for.
    const bool fits = values[k].body()->python_number && own == DType::kInt32 && in_set(type, kNumberTypes) &&
                      !args[5].none();
    if (own != type && fits) values[k] = ops::cast(values[k], type).as_constant();
    else if (own != type)
      fail(ErrorKind::kType, "dtype ", name_of(own), " of ", what, " does not match dtype ",
           !args[5].none() ? "parameter " : "", name_of(type), !args[5].none() ? "" : " of on_value");
  }
  return {apply(op, {tensor(args[0]), depth, values[0], values[1]},
                {{kAxis, args[4].none() ? int64_t{-1} : integer(args[4])}}, name_or(name, "one_hot"))};
}

Arg broadcast_to(Args args, std::string_view name) {
  static const Op op{"BroadcastTo"};
  return {apply(op, {tensor(args[0]), shape_tensor(args[1])}, {}, name)};
}

Arg where(Args args, std::string_view name) {
  static const Op op{"SelectV2"};
  static const Op places{"Where"};
  if (args[1].none() && args[2].none()) return {apply(places, {tensor(args[0])}, {}, name)};
  if (args[1].none() || args[2].none()) fail(ErrorKind::kValue, "tf.where wants x and y, both or neither");
  return {apply(op, {tensor(args[0]), tensor(args[1]), tensor(args[2])}, {}, name)};
}

}  // namespace

FL_PUBLIC(shape) {
  return {
      {"zeros", "shape: shape, dtype: dtype = float32, name: str? = None, layout: any? = None", zeros,
       "zeros of a shape"},
      {"ones", "shape: shape, dtype: dtype = float32, name: str? = None, layout: any? = None", ones,
       "ones of a shape"},
      {"zeros_like", "input: tensor, dtype: dtype? = None, name: str? = None, layout: any? = None",
       zeros_like, "zeros in the shape of a tensor"},
      {"ones_like", "input: tensor, dtype: dtype? = None, name: str? = None, layout: any? = None", ones_like,
       "ones in the shape of a tensor"},
      {"fill", "dims: shape, value: tensor, name: str? = None, layout: any? = None", fill,
       "a tensor of one value"},
      {"dtypes.cast cast", "x: tensor or slices, dtype: dtype, name: str? = None", by_rows<cast>,
       "the same values in another dtype"},
      {"reshape", "tensor: tensor, shape: shape, name: str? = None", reshape,
       "the same elements in another shape; -1: what is left over"},
      {"transpose", "a: tensor, perm: tensor? of int32 = None, conjugate: bool = False, name: str? = None", transpose,
       "dimensions in another order; reversed when none is given"},
      {"expand_dims", "input: tensor, axis: tensor of int32, name: str? = None", expand_dims,
       "a new dimension of size 1"},
      {"squeeze", "input: tensor, axis: ints? = None, name: str? = None", squeeze,
       "without dimensions of size 1"},
      {"identity", "input: tensor or slices, name: str? = None", by_rows<one_op<"Identity">>, "the same value"},
      {"stop_gradient", "input: tensor, name: str? = None", one_op<"StopGradient">,
       "the same value; no gradient passes"},
      {"shape", "input: tensor, out_type: dtype? = None, name: str? = None", shape, "the shape as a tensor"},
      {"size", "input: tensor, out_type: dtype? = None, name: str? = None", size,
       "the number of elements as a tensor"},
      {"rank", "input: tensor, name: str? = None", rank, "the number of dimensions as a tensor"},
      {"range",
       "start: tensor, limit: tensor? = None, delta: tensor = 1, dtype: dtype? = None, name: str? = None",
       range, "numbers from start up to, not including, limit"},
      {"one_hot",
       "indices: tensor of int64, depth: tensor fits int32, on_value: tensor? = None, off_value: tensor? = None, axis: "
       "int? = None, "
       "dtype: dtype? = None, name: str? = None",
       one_hot, "on_value at each index along a new dimension"},
      {"broadcast_to", "input: tensor, shape: shape, name: str? = None", broadcast_to,
       "repeated to fill a shape"},
      {"where", "condition: tensor, x: tensor? as y = None, y: tensor? as x = None, name: str? = None",
       where, "x where the condition holds, else y"},
  };
}

}  // namespace footlight::composite
