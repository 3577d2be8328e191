// Python's operators on tensors. Two tensors go straight to the op; a Python value takes the dtype of the
// other operand.
#include "engine/python/calls/operators.h"

#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/graph/graph.h"
#include "engine/ops/builder.h"
#include "engine/ops/composite/composites.h"
#include "engine/ops/functions.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/gil.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

Tensor value_of(PyObject* o) {
  return is_variable(o) ? variable_value(o) : is_tensor(o) ? tensor_of(o) : to_tensor(o);  // the last: a subclass
}
bool is_value(PyObject* o) { return is_tensor(o) || is_variable(o); }

// Converts both operands to tensors. `self` is a tensor or variable; the other one takes its dtype.
struct Operands {
  Tensor left, right;
};
Operands operands(PyObject* a, PyObject* b, Misfit misfit) {
  if (is_value(a) || (!is_value(b) && is_variable_subclass(a))) {
    Tensor left = value_of(a);
    Tensor right = is_value(b) ? value_of(b) : operand(b, left.dtype(), misfit);
    return {std::move(left), std::move(right)};
  }
  Tensor right = value_of(b);
  Tensor left = operand(a, right.dtype(), Misfit::kRefuse);
  return {std::move(left), std::move(right)};
}

const Attrs kNone;

// The first check decides most cases: small tensors have no buffer. Dims up to rank 4 are stored inline.
bool is_long(const Tensor& t) { return t.body()->buffer && !t.is_symbolic() && t.elements() >= kLongWork; }

// The operators of NumPy arrays defer to a higher __array_priority__, so the tensor's operator is used.
template <class Body>
PyObject* binary(PyObject* a, PyObject* b, Body&& body, Misfit misfit = Misfit::kRefuse) {
  return guarded([&]() -> PyObject* {
    if (!may_be_operand(is_value(a) ? b : a)) Py_RETURN_NOTIMPLEMENTED;
    if (!is_value(a) && !is_value(b) && !may_be_operand(b)) Py_RETURN_NOTIMPLEMENTED;  // a subclass of tf.Variable
    const Operands o = operands(a, b, misfit);
    return wrap(body(o.left, o.right));
  });
}

// A plain Python number that fits the tensor's dtype: the second most common operand.
bool fits(PyObject* number, DType dtype) {
  if (PyFloat_CheckExact(number)) return is_floating(dtype) || is_complex(dtype);
  return PyLong_CheckExact(number) && (is_integer(dtype) || is_floating(dtype) || is_complex(dtype));
}

struct BinaryOp {
  const Op op;
  const char* name;
  Misfit misfit = Misfit::kRefuse;
  // A variable on the right of an operator is read below the op's own name in a graph: "mul/ReadVariableOp", "mul".
  PyObject* with_read(PyObject* a, PyObject* b) const {
    return guarded([&] {
      const Tensor left = value_of(a);
      const Scope scope(name);
      const Tensor right = variable_value(b);
      return wrap(apply(op.row(), Borrowed(left, right), kNone, scope.own_name()));
    });
  }
  PyObject* operator()(PyObject* a, PyObject* b) const {
    if (Py_TYPE(a) == tensor_type && Py_TYPE(b) == tensor_type)
      return guarded([&] { return wrap(run(tensor_of(a), tensor_of(b))); });
    if (Py_TYPE(a) == tensor_type && fits(b, tensor_of(a).dtype()))
      return guarded([&] { return wrap(run(tensor_of(a), *scalar_from_object(b, tensor_of(a).dtype()))); });
    if (this_thread.builder && is_variable(b) && is_value(a)) return with_read(a, b);
    return binary(
        a, b, [this](const Tensor& x, const Tensor& y) { return run(x, y); }, misfit);
  }
  Tensor run(const Tensor& x, const Tensor& y) const {
    if (this_thread.builder) return apply(op.row(), Borrowed(x, y), kNone, name);
    WithoutGil released(is_long(x) || is_long(y));
    return eager::binary(op.row(), x, y);
  }
};

PyObject* add(PyObject* a, PyObject* b) {
  static const BinaryOp op{Op("AddV2"), "add",
                           Misfit::kLeaveToOp};  // int tensor + 2.5: the op reports the error, as in TensorFlow
  return op(a, b);
}
PyObject* subtract(PyObject* a, PyObject* b) {
  static const BinaryOp op{Op("Sub"), "sub"};
  return op(a, b);
}
bool is_bool(PyObject* o) {
  return (is_tensor(o) ? tensor_of(o).dtype() : is_variable(o) ? variable_dtype(o) : DType::kInvalid) == DType::kBool;
}
// If one is a bool, both are multiplied as int32, and the product is a bool.
PyObject* multiply_bools(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    if (!may_be_operand(is_value(a) ? b : a)) Py_RETURN_NOTIMPLEMENTED;
    const auto whole = [](const Tensor& t) { return ops::cast(t, DType::kInt32); };
    const Tensor x = is_value(a) ? value_of(a) : operand(a, DType::kBool, Misfit::kRefuse);
    const Tensor y = is_value(b) ? value_of(b) : operand(b, DType::kInvalid);
    const Scope scope("mul");
    return wrap(ops::cast(apply("Mul"_op, {whole(x), whole(y)}, {}, scope.own_name()), DType::kBool));
  });
}
PyObject* multiply(PyObject* a, PyObject* b) {
  static const BinaryOp op{Op("Mul"), "mul"};
  if (is_bool(a) || is_bool(b)) return multiply_bools(a, b);
  return op(a, b);
}
PyObject* floor_divide(PyObject* a, PyObject* b) {
  static const BinaryOp op{Op("FloorDiv"), "floordiv"};
  return op(a, b);
}
PyObject* modulo(PyObject* a, PyObject* b) {
  static const BinaryOp op{Op("FloorMod"), "mod"};
  return op(a, b);
}
PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow() of a tensor takes no third argument");
    return nullptr;
  }
  static const BinaryOp op{Op("Pow"), "pow"};
  return op(a, b);
}
PyObject* divide(PyObject* a, PyObject* b) {
  return binary(a, b, [](const Tensor& x, const Tensor& y) { return composite::truediv(x, y, "truediv"); });
}
PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) == tensor_type && Py_TYPE(b) == tensor_type && !this_thread.builder) {
    // Two matrices: no batch dimensions to infer.
    const Tensor &x = tensor_of(a), &y = tensor_of(b);
    if (x.dtype() == y.dtype() && x.shape().has_rank() && y.shape().has_rank() && x.shape().rank() == 2 &&
        y.shape().rank() == 2 && !x.is_symbolic() && !y.is_symbolic())
      return guarded([&] {
        Tensor product;
        {
          WithoutGil released(is_long(x) || is_long(y));
          product = eager::binary("MatMul"_op.row(), x, y);
        }
        return wrap(std::move(product));
      });
  }
  return binary(
      a, b,
      [](const Tensor& x, const Tensor& y) {
        WithoutGil released(!this_thread.builder && (is_long(x) || is_long(y)));
        return composite::matmul(x, y, "matmul");
      },
      Misfit::kLeaveToOp);
}

template <int Which>
PyObject* bit_operator(PyObject* a, PyObject* b) {
  static const Op logical[] = {Op("LogicalAnd"), Op("LogicalOr")};
  static const Op bitwise[] = {Op("BitwiseAnd"), Op("BitwiseOr"), Op("BitwiseXor")};
  static constexpr const char* kNames[] = {"and", "or", "xor"};
  return binary(a, b, [](const Tensor& x, const Tensor& y) {
    const bool is_bool = x.dtype() == DType::kBool;
    if (is_bool && Which < 2) return apply(logical[Which % 2].row(), Borrowed(x, y), kNone, kNames[Which]);
    const Scope scope(kNames[Which]);
    if (is_bool) return composite::logical_xor(x, y, scope.own_name());
    return apply(bitwise[Which].row(), Borrowed(x, y));
  });
}

template <class Body>
PyObject* unary(PyObject* a, Body&& body) { return guarded([&] { return wrap(body(value_of(a))); }); }
PyObject* negative(PyObject* a) { return unary(a, [](const Tensor& x) { return apply("Neg"_op, {x}, kNone, "Neg"); }); }
PyObject* absolute(PyObject* a) { return unary(a, [](const Tensor& x) { return composite::abs(x, "Abs"); }); }
PyObject* invert(PyObject* a) {
  return unary(a,
               [](const Tensor& x) { return apply(x.dtype() == DType::kBool ? "LogicalNot"_op : "Invert"_op, {x}); });
}

int truth(PyObject* a) {
  try {
    return truth_of(value_of(a));
  } catch (...) {
    set_python_error();
    return -1;
  }
}

// The only element of a tensor, for int(), float() or an index.
Tensor only_element(PyObject* a, const char* wanted) {
  const Tensor t = value_of(a);
  if (t.is_symbolic())
    fail(ErrorKind::kType, wanted, " argument must be a value, not the symbolic tensor '",
         symbolic_name(t), "': it has none while the function is being traced");
  const Tensor host = on_host(t);
  if (host.shape().rank() != 0)
    fail(ErrorKind::kType, "only 0-dimensional tensors can be converted to Python scalars, this one has shape ",
         host.shape().to_string(), "; take the element first, as in t[0]");
  return host;
}
// The value of a scalar as a Python object; the real part of a complex number.
Ref number_of(PyObject* a, const char* wanted) {
  Ref v = python_value(only_element(a, wanted));
  return PyComplex_Check(v.get()) ? checked(PyFloat_FromDouble(PyComplex_RealAsDouble(v.get()))) : std::move(v);
}
PyObject* as_integer(PyObject* a) {
  Ref v = number_of(a, "int()");
  if (PyBytes_Check(v.get()))
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyLong_Type), v.get());
  return PyNumber_Long(v.get());
}
PyObject* as_float(PyObject* a) {
  Ref v = number_of(a, "float()");
  return PyNumber_Float(v.get());
}
PyObject* as_index(PyObject* a) {
  const Tensor t = value_of(a);
  if (!is_integer(t.dtype()) || !t.shape().has_rank() || t.shape().rank() != 0)
    fail(ErrorKind::kType, "only integer scalar tensors can be converted to an index, not ",
         name_of(t.dtype()), " of shape ", t.shape().to_string());
  return python_value(only_element(a, "index")).release();
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  static const BinaryOp less{Op("Less"), "Less"}, less_equal{Op("LessEqual"), "LessEqual"},
      greater{Op("Greater"), "Greater"}, greater_equal{Op("GreaterEqual"), "GreaterEqual"};
  switch (op) {
    case Py_LT: return less(a, b);
    case Py_LE: return less_equal(a, b);
    case Py_GT: return greater(a, b);
    case Py_GE: return greater_equal(a, b);
  }
  static const Attrs lenient{{AttrName("incompatible_shape_error"), false}};
  if (b == Py_None) return PyBool_FromLong(op == Py_NE);
  if (is_tensor(a) && is_graph_element(tensor_of(a))) {
    const Tensor& x = tensor_of(a);
    const bool same = is_tensor(b) && tensor_of(b).is_symbolic() && tensor_of(b).graph() == x.graph() &&
                      tensor_of(b).node() == x.node() && tensor_of(b).output() == x.output();
    return PyBool_FromLong(same == (op == Py_EQ));
  }
  if (is_variable(a) && is_graph_variable(a)) return PyBool_FromLong((a == b) == (op == Py_EQ));
  return binary(a, b, [&](const Tensor& x, const Tensor& y) {
    return op == Py_EQ ? apply("Equal"_op.row(), Borrowed(x, y), lenient, "Equal")
                       : apply("NotEqual"_op.row(), Borrowed(x, y), lenient, "NotEqual");
  });
}

PyNumberMethods number_methods() {
  PyNumberMethods n{};
  n.nb_add = add;
  n.nb_subtract = subtract;
  n.nb_multiply = multiply;
  n.nb_remainder = modulo;
  n.nb_power = power;
  n.nb_negative = negative;
  n.nb_absolute = absolute;
  n.nb_bool = truth;
  n.nb_invert = invert;
  n.nb_and = bit_operator<0>;
  n.nb_or = bit_operator<1>;
  n.nb_xor = bit_operator<2>;
  n.nb_int = guard<as_integer>;
  n.nb_float = guard<as_float>;
  n.nb_index = guard<as_index>;
  n.nb_floor_divide = floor_divide;
  n.nb_true_divide = divide;
  n.nb_matrix_multiply = matrix_multiply;
  return n;
}

// `v += x` would bind the name to a tensor and not change the variable.
PyObject* refuse(const char* operation, const char* instead) {
  PyErr_Format(PyExc_RuntimeError,
               "`variable %s= value` with a tf.Variable is not supported: use `%s` to change the variable, or "
               "`out = variable %s value` for a new tensor",
               operation, instead, operation);
  return nullptr;
}
PyNumberMethods variable_number_methods() {
  PyNumberMethods n = number_methods();
  n.nb_inplace_add = [](PyObject*, PyObject*) { return refuse("+", "variable.assign_add(value)"); };
  n.nb_inplace_subtract = [](PyObject*, PyObject*) { return refuse("-", "variable.assign_sub(value)"); };
  n.nb_inplace_multiply = [](PyObject*, PyObject*) { return refuse("*", "variable.assign(variable * value)"); };
  n.nb_inplace_true_divide = [](PyObject*, PyObject*) { return refuse("/", "variable.assign(variable / value)"); };
  n.nb_inplace_power = [](PyObject*, PyObject*, PyObject*) {
    return refuse("**", "variable.assign(variable ** value)");
  };
  return n;
}

}  // namespace

bool truth_of(const Tensor& t) {
  if (t.is_symbolic())
    fail(ErrorKind::kOperatorNotAllowedInGraph, "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: '",
         symbolic_name(t), "' has no value while the function is being traced. AutoGraph did not convert "
         "this code (it turns `if` and `while` statements of a tf.function into tf.cond and tf.while_loop). "
         "Decorate the "
         "function with @tf.function, or use tf.cond.");
  const Tensor host = on_host(t);
  if (host.elements() == 0) return false;
  if (host.elements() != 1)
    fail(ErrorKind::kValue, "The truth value of a tensor with more than one element is ambiguous (shape ",
         host.shape().to_string(), "). Use tf.reduce_any() or tf.reduce_all()");
  Ref v = python_value(host.reshaped(Shape()));
  return is_true(v.get());
}

void install_operators() {
  static PyNumberMethods numbers = number_methods(), variable_numbers = variable_number_methods();
  static PySequenceMethods sequence{.sq_length = tensor_length, .sq_item = tensor_item};
  static PyMappingMethods mapping{.mp_length = tensor_length, .mp_subscript = tensor_subscript};
  static PyMappingMethods variable_mapping{.mp_subscript = variable_subscript};
  tensor_type->tp_as_number = &numbers;
  tensor_type->tp_as_sequence = &sequence;
  tensor_type->tp_as_mapping = &mapping;
  tensor_type->tp_richcompare = compare;
  variable_type->tp_as_number = &variable_numbers;
  variable_type->tp_as_mapping = &variable_mapping;
  variable_type->tp_richcompare = compare;
}

}  // namespace footlight::python
