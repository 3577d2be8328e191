// tf.debugging's assertions: values known while tracing are checked at once, with a Python exception; others become an
// Assert node, in program order.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/tensor/print.h"

namespace footlight::composite {

namespace {

constexpr int64_t kShown = 3;

Tensor words(std::string text) { return Tensor::string(std::move(text)).as_constant(); }

int64_t shown(const Arg& summarize) { return summarize.none() ? kShown : integer(summarize); }

bool all_true(const Tensor& t) {
  for (int64_t i = 0, n = t.elements(); i < n; ++i)
    if (!t.data<bool>()[i]) return false;
  return true;
}

// While the scope lives, ops run eagerly, even inside a trace.
class EagerScope {
 public:
  EagerScope() : graph_(this_thread.builder) { this_thread.builder = nullptr; }
  ~EagerScope() { this_thread.builder = graph_; }

 private:
  Builder* const graph_;
};

// The text of a message, which may be any object.
std::string message_text(const Arg& a) {
  if (a.none()) return "";
  if (const auto* s = std::get_if<std::string>(&a.value)) return *s;
  if (const auto* i = std::get_if<int64_t>(&a.value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&a.value)) return number_text(*d);
  if (const auto* b = std::get_if<bool>(&a.value)) return *b ? "True" : "False";
  if (const auto* t = std::get_if<Tensor>(&a.value); t && known_value(*t)) return summary(known_value(*t), 3);
  if (const auto* list = std::get_if<ArgList>(&a.value)) {
    std::string out;
    for (const Arg& item : *list) out += (out.empty() ? "[" : ", ") + message_text(item);
    return out.empty() ? "[]" : out + "]";
  }
  return "";
}
std::string prefix(const Arg& message) {
  const std::string s = message_text(message);
  return s.empty() ? s : s + ".  ";
}
std::string first_line(const Arg& message) {
  const std::string s = message_text(message);
  return s.empty() ? s : s + "\n";
}
std::string shape_and_dtype(const Tensor& t) {
  return str("shape=", t.shape().to_string(), " dtype=", name_of(t.dtype()));
}

// Adds an Assert node to a graph. The message is prepended to `data`.
void assert_node(const Tensor& condition, const Arg& message, std::vector<Tensor> data, int64_t summarize) {
  std::vector<Tensor> inputs{condition};
  if (!message.none()) inputs.push_back(words(message_text(message)));
  for (Tensor& t : data) inputs.push_back(std::move(t));
  apply_all("Assert"_op.row(), inputs, {{"summarize"_attr, summarize}});
}

Tensor all_of(const Tensor& t) {
  if (t.shape().has_rank() && t.shape().rank() == 0) return t;
  return apply("All"_op, {t, ops::all_axes(t)});
}

// The positions where the condition fails, and the values there.
std::string differences(const char* sign, const Tensor& x, const Tensor& y, const Tensor& holds, int64_t most) {
  if (most < 0) most = holds.elements() + x.elements() + y.elements();
  std::string out = str("Condition x ", sign, " y did not hold.");
  const auto at = [](const Tensor& t, int64_t i) {
    const Tensor flat = t.reshaped(Shape{t.elements()});
    return ops::slice(flat, ops::ints({i}), ops::ints({1}));
  };
  if (most > 0 && x.shape() == y.shape() && x.shape().rank() > 0) {
    std::string places, xs, ys;
    int64_t count = 0;
    for (int64_t i = 0, n = holds.elements(); i < n && count < most; ++i) {
      if (holds.data<bool>()[i]) continue;
      std::string place;
      int64_t rest = i;
      for (int d = x.shape().rank() - 1; d >= 0; --d) {
        place = std::to_string(rest % x.shape()[d]) + (place.empty() ? "" : " ") + place;
        rest /= x.shape()[d];
      }
      places += (count ? "\n [" : "[") + place + "]";
      const std::string one = first_elements(at(x, i), 1), other = first_elements(at(y, i), 1);
      xs += (count ? " " : "") + one.substr(1, one.size() - 2);
      ys += (count ? " " : "") + other.substr(1, other.size() - 2);
      ++count;
    }
    out += str("\nIndices of first ", count, " different values:\n[", places, "]\nCorresponding x values:\n[", xs,
               "]\nCorresponding y values:\n[", ys, "]");
  }
  if (most > 0) {
    const int64_t a = std::min(most, x.elements()), b = std::min(most, y.elements());
    const auto first = [](const Tensor& t, int64_t n) {
      std::string s = first_elements(t, n);
      return n < t.elements() ? s.substr(0, s.size() - 4) + "]" : s;
    };
    out += str("\nFirst ", a, " elements of x:\n", first(x, a), "\nFirst ", b, " elements of y:\n", first(y, b));
  }
  return out;
}

void compare(const Op& op, const char* sign, const Tensor& x, const Tensor& y, const Arg& message,
             const Arg& summarize) {
  const Tensor holds = apply(op, {x, y});
  if (const Tensor known = known_value(holds)) {
    if (all_true(known)) return;
    const Tensor a = known_value(x), b = known_value(y);
    const EagerScope eagerly;
    invalid(first_line(message), differences(sign, a, b, known, shown(summarize)));
  }
  const Tensor a = known_value(x), b = known_value(y);
  if (a && b) {
    const EagerScope eagerly;
    const Tensor now = apply(op, {a, b});
    if (!all_true(now)) invalid(first_line(message), differences(sign, a, b, now, shown(summarize)));
  }
  assert_node(all_of(holds), message,
              {words(str("Condition x ", sign, " y did not hold element-wise:")), words("x = "), x, words("y = "), y},
              shown(summarize));
}

template <Literal op_name, Literal sign, Literal function>
Arg two(const Tensor& x, const Tensor& y, const Arg& message, const Arg& summarize, std::string_view name) {
  const Scope scope(name_or(name, function.text));
  compare(op_named<op_name>(), sign.text, x, y, message, summarize);
  return {};
}
// Unlike in the other assertions, `message` is the last parameter.
Arg assert_not_equal(const Tensor& x, const Tensor& y, const Arg& summarize, const Arg& message,
                     std::string_view name) {
  return two<"NotEqual", "!=", "assert_none_equal">(x, y, message, summarize, name);
}

// Asserts that x compares as required with 0.
template <Literal op_name, Literal sign, Literal function>
Arg one(const Tensor& x, const Arg& message, const Arg& summarize, std::string_view name) {
  const Scope scope(name_or(name, function.text));
  if (!in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "tf.debugging.", function.text, " compares numbers with 0, not values of dtype ",
         name_of(x.dtype()));
  const Tensor holds = apply(op_named<op_name>(), {x, ops::number(0, x.dtype())});
  Tensor known = known_value(holds);
  if (const Tensor value = known_value(x); !known && value) {
    const EagerScope eagerly;
    known = apply(op_named<op_name>(), {value, ops::number(0, x.dtype())});
  }
  const std::string said = str("Condition x ", sign.text, " 0 did not hold element-wise:");
  if (known) {
    if (all_true(known)) return {};
    invalid(first_line(message), said, "\nx (", shape_and_dtype(x), ") = \n",
            first_elements(known_value(x), shown(summarize), " "));
  }
  assert_node(all_of(holds), message, {words(said), words(str("x (", shape_and_dtype(x), ") = ")), x},
              shown(summarize));
  return {};
}

Arg near(const Tensor& x, const Tensor& y, const Arg& rtol_given, const Arg& atol_given, const Arg& message,
         const Arg& summarize, std::string_view name) {
  const Scope scope(name_or(name, "assert_near"));
  if (x.dtype() != y.dtype())
    fail(ErrorKind::kValue, "tf.debugging.assert_near: y must have the dtype of x, ", name_of(x.dtype()), ", not ",
         name_of(y.dtype()));
  const DType type = x.dtype() == DType::kComplex64    ? DType::kFloat32
                     : x.dtype() == DType::kComplex128 ? DType::kFloat64
                                                       : x.dtype();
  if (!is_floating(type))
    fail(ErrorKind::kValue, "tf.debugging.assert_near compares floats or complex numbers, not ", name_of(x.dtype()));
  const double eps = type == DType::kFloat64    ? 2.220446049250313e-16
                     : type == DType::kFloat32  ? 1.1920929e-07
                     : type == DType::kFloat16  ? 0.000976562
                                                : 0.0078125;
  const auto tolerance = [&](const Arg& a) {
    return a.none() ? ops::number(10 * eps, type) : ops::cast(tensor(a), type);
  };
  const Tensor rtol = tolerance(rtol_given), atol = tolerance(atol_given);
  const Tensor holds = ops::less(abs(ops::sub(x, y), {}), ops::add(atol, ops::mul(rtol, abs(y, {}))));
  if (const Tensor known = known_value(holds)) {
    if (all_true(known)) return {};
    invalid(first_line(message), "x and y not equal to tolerance rtol = ", first_elements(rtol, 1),
            ", atol = ", first_elements(atol, 1), "\nx (", shape_and_dtype(x), ") = \n",
            first_elements(x, shown(summarize)), "\ny (", shape_and_dtype(y), ") = \n",
            first_elements(y, shown(summarize)));
  }
  assert_node(all_of(holds), message,
              {words("x and y not equal to tolerance rtol = "), rtol, words(", atol = "), atol, words("x = "), x,
               words("y = "), y},
              shown(summarize));
  return {};
}

Arg assert_true(const Tensor& condition_given, const std::vector<Tensor>& data, const Arg& summarize,
                std::string_view) {
  Tensor condition = condition_given;
  if (!is_plain(condition.dtype()))
    fail(ErrorKind::kType, "the condition of an assertion must be a bool, not a tensor of dtype ",
         name_of(condition.dtype()));
  if (condition.dtype() != DType::kBool) {
    const Tensor value = known_value(condition);
    std::optional<EagerScope> eagerly;
    if (value) eagerly.emplace();
    condition = value ? ops::cast(value, DType::kBool).as_constant() : ops::cast(condition, DType::kBool);
  }
  if (condition.shape().fully_known() && condition.shape().rank() != 0 && condition.shape().elements() == 1)
    condition = ops::reshape(condition, ops::ints({}));  // to a scalar
  if (condition.shape().has_rank() && condition.shape().rank() != 0)
    fail(ErrorKind::kValue, "the condition of an assertion must be a scalar, got shape ", condition.shape().to_string(),
         ": use tf.reduce_all");
  const Tensor known = known_value(condition);
  if (known && all_true(known)) return {};
  if (!this_thread.builder) {
    std::string out = "Expected 'False' to be true. Summarized data:";
    for (const Tensor& t : data) {
      const std::string text = first_elements(t, shown(summarize), ", ");
      out += (&t == data.data() ? " " : "\n") + text.substr(1, text.size() - 2);
    }
    invalid(out);
  }
  assert_node(condition, {}, data, shown(summarize));
  return {};
}

Arg check(const Tensor& tensor, const std::string& message, std::string_view name) {
  return {apply("CheckNumerics"_op, {tensor}, {{"message"_attr, message}}, name)};
}

// Reads ranks to `out`. False if one is a symbolic tensor.
bool known_ranks(const Arg& a, std::vector<int64_t>& out) {
  const auto add = [&](const Tensor& t) {
    if (t.dtype() != DType::kInt32)
      fail(ErrorKind::kType, "a rank must be of type int32; got ", name_of(t.dtype()));
    const Tensor known = known_value(t);
    if (t.shape().has_rank() && t.shape().rank() != 0) fail(ErrorKind::kValue, "Rank must be a scalar.");
    if (!known) return false;
    out.push_back(*known.data<int32_t>());
    return true;
  };
  if (const Tensor* t = std::get_if<Tensor>(&a.value)) return add(*t);
  bool all = true;
  for (const Arg& item : std::get<ArgList>(a.value)) all &= add(tensor(item));
  return all;
}

template <class Fits>
void check_rank(const Tensor& x, const Arg& ranks, const char* wanted, const Arg& message, const char* op_name,
                Fits&& fits) {
  std::vector<int64_t> known;
  const bool all = known_ranks(ranks, known);
  if (all && x.shape().has_rank()) {
    if (fits(x.shape().rank(), known)) return;
    std::string list;
    for (const int64_t r : known) list += (list.empty() ? "" : ", ") + std::to_string(r);
    if (std::holds_alternative<ArgList>(ranks.value)) list = "(" + list + ")";
    fail(ErrorKind::kValue, prefix(message), "Tensor must have rank ", wanted, list, ".  Received rank ",
         x.shape().rank(), ", shape ", x.shape().to_string());
  }
  const Op compare{op_name};
  const Tensor own = ops::rank(x);
  Tensor holds;
  std::vector<Tensor> data{words(str("Tensor must have rank ", wanted))};
  const auto add = [&](const Tensor& r) {
    const Tensor one = apply(compare, {own, r});
    holds = holds ? apply("LogicalOr"_op, {holds, one}) : one;
    data.push_back(r);
  };
  if (const Tensor* t = std::get_if<Tensor>(&ranks.value)) add(*t);
  else
    for (const Arg& item : std::get<ArgList>(ranks.value)) add(tensor(item));
  data.push_back(words("Received shape: "));
  data.push_back(ops::shape(x));
  assert_node(holds ? holds : Tensor::scalar(false).as_constant(), message, std::move(data), kShown);
}

Arg rank_is(const Tensor& x, const Arg& rank_given, const Arg& message, std::string_view name) {
  const Scope scope(name_or(name, "assert_rank"));
  check_rank(x, rank_given, "", message, "Equal",
             [](int64_t rank, const std::vector<int64_t>& r) { return rank == r[0]; });
  return {};
}
Arg rank_at_least(const Tensor& x, const Arg& rank_given, const Arg& message, std::string_view name) {
  const Scope scope(name_or(name, "assert_rank_at_least"));
  check_rank(x, rank_given, "at least ", message, "GreaterEqual",
             [](int64_t rank, const std::vector<int64_t>& r) { return rank >= r[0]; });
  return {};
}
Arg rank_in(const Tensor& x, const Arg& ranks, const Arg& message, std::string_view name) {
  const Scope scope(name_or(name, "assert_rank_in"));
  check_rank(x, ranks, "in ", message, "Equal", [](int64_t rank, const std::vector<int64_t>& r) {
    return std::find(r.begin(), r.end(), rank) != r.end();
  });
  return {};
}

Arg is_whole(const Tensor& x, const Arg& message, std::string_view) {
  if (!is_integer(x.dtype()))
    fail(ErrorKind::kType, prefix(message), "Expected \"x\" to be integer type.  Found: tensor of dtype ",
         name_of(x.dtype()));
  return {};
}

Arg is_type(const Tensor& tensor, DType tf_type, const Arg& message, std::string_view) {
  if (tensor.dtype() != tf_type)
    fail(ErrorKind::kType, prefix(message), "tensor must be of type tf.", name_of(tf_type), "; got tf.",
         name_of(tensor.dtype()));
  return {};
}

Arg is_scalar(const Tensor& tensor, const Arg& message, std::string_view) {
  const Shape& shape = tensor.shape();
  if (!shape.has_rank() || shape.rank() != 0)
    fail(ErrorKind::kValue, prefix(message), "Expected scalar shape, saw shape: ", shape.to_string(), ".");
  return {};
}

Arg no_op(Args, std::string_view name) {
  if (this_thread.builder) apply_all("NoOp"_op.row(), {}, {}, name);
  return {};
}

Arg timestamp(Args, std::string_view name) { return {apply("Timestamp"_op, {}, {}, name)}; }

constexpr char kTwo[] = "x: tensor, y: tensor, message: any = None, summarize: int? = None, name: str? = None";
constexpr char kOne[] = "x: tensor, message: any = None, summarize: int? = None, name: str? = None";

}  // namespace

FL_PUBLIC(debugging) {
  return {
      {"debugging.assert_equal assert_equal compat.v1.assert_equal", kTwo, bind<two<"Equal", "==", "assert_equal">>,
       "fails unless x == y everywhere"},
      {"debugging.assert_none_equal",
       "x: tensor, y: tensor, summarize: int? = None, message: any = None, name: str? = None",
       bind<assert_not_equal>, "fails unless x != y everywhere"},
      {"debugging.assert_less assert_less compat.v1.assert_less", kTwo, bind<two<"Less", "<", "assert_less">>,
       "fails unless x < y everywhere"},
      {"debugging.assert_less_equal", kTwo, bind<two<"LessEqual", "<=", "assert_less_equal">>,
       "fails unless x <= y everywhere"},
      {"debugging.assert_greater assert_greater compat.v1.assert_greater", kTwo,
       bind<two<"Greater", ">", "assert_greater">>, "fails unless x > y everywhere"},
      {"debugging.assert_greater_equal", kTwo, bind<two<"GreaterEqual", ">=", "assert_greater_equal">>,
       "fails unless x >= y everywhere"},
      {"debugging.assert_positive", kOne,
       bind<one<"Greater", ">", "assert_positive">>, "fails unless x > 0 everywhere"},
      {"debugging.assert_negative", kOne, bind<one<"Less", "<", "assert_negative">>, "fails unless x < 0 everywhere"},
      {"debugging.assert_non_negative", kOne, bind<one<"GreaterEqual", ">=", "assert_non_negative">>,
       "fails unless x >= 0 everywhere"},
      {"debugging.assert_non_positive", kOne, bind<one<"LessEqual", "<=", "assert_non_positive">>,
       "fails unless x <= 0 everywhere"},
      {"debugging.assert_near",
       "x: tensor, y: tensor as x, rtol: tensor? like x = None, atol: tensor? like x = None, "
       "message: any = None, summarize: int? = None, name: str? = None",
       bind<near>, "fails unless x and y are near each other everywhere"},
      {"debugging.Assert Assert",
       "condition: tensor of bool, data: tensors of any, summarize: int? = None, name: str? = None", bind<assert_true>,
       "fails with `data` unless the condition holds"},
      {"debugging.check_numerics", "tensor: tensor, message: str, name: str? = None", bind<check>,
       "the tensor; fails when an element is NaN or infinite"},
      {"debugging.assert_all_finite", "x: tensor, message: str, name: str? = None", bind<check>,
       "the tensor; fails when an element is NaN or infinite"},
      {"debugging.assert_rank assert_rank compat.v1.assert_rank",
       "x: tensor, rank: tensor, message: any = None, name: str? = None",
       bind<rank_is>, "fails unless x has this rank"},
      {"debugging.assert_rank_at_least", "x: tensor, rank: tensor, message: any = None, name: str? = None",
       bind<rank_at_least>, "fails when x has a lower rank"},
      {"debugging.assert_rank_in", "x: tensor, ranks: tensors of any, message: any = None, name: str? = None",
       bind<rank_in>, "fails unless x has one of these ranks"},
      {"debugging.assert_integer", "x: tensor, message: any = None, name: str? = None", bind<is_whole>,
       "fails unless x holds integers"},
      {"debugging.assert_type", "tensor: tensor, tf_type: dtype, message: any = None, name: str? = None", bind<is_type>,
       "fails unless the tensor has this dtype"},
      {"debugging.assert_scalar", "tensor: tensor, message: any = None, name: str? = None", bind<is_scalar>,
       "fails unless the tensor is a scalar"},
      {"no_op", "name: str? = None", no_op, "does nothing, in a graph as a node"},
      {"timestamp", "name: str? = None", timestamp, "seconds since 1970"},
  };
}

}  // namespace footlight::composite
