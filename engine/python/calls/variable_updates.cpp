// Methods that change or read parts of a tf.Variable: scatter_*, sliced assignment, rows, counting.
#include "engine/base/text.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/indexed_slices.h"
#include "engine/python/calls/library.h"
#include "engine/python/calls/operators.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/variable.h"

namespace footlight::python {
namespace {

std::string op_name(PyObject* name) {
  if (!name || name == Py_None) return {};
  if (!PyUnicode_Check(name)) fail(ErrorKind::kType, "name must be a str, not ", Py_TYPE(name)->tp_name);
  return std::string(utf8(name));
}

Tensor part(PyObject* slices, const char* name, DType dtype = DType::kInvalid) {
  Ref value = checked(PyObject_GetAttrString(slices, name));
  return to_tensor(value.get(), dtype);
}

// A Python value as a node of its own: "Const".
Tensor as_const(const Tensor& t) { return t.is_symbolic() || !t.body()->python_number ? t : composite::constant(t); }

// --- rows: scatter_add(sparse_delta) etc. ---
template <int which>
PyObject* scatter(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *delta, *locking = nullptr, *name = nullptr;
  parse_keywords(args, keywords, "O|OO:scatter", {"sparse_delta", "use_locking", "name"}, &delta, &locking, &name);
  static const Op ops[] = {Op("ResourceScatterUpdate"), Op("ResourceScatterAdd"), Op("ResourceScatterSub"),
                           Op("ResourceScatterMul"),    Op("ResourceScatterDiv"), Op("ResourceScatterMin"),
                           Op("ResourceScatterMax")};
  if (!is_slices(delta))
    fail(ErrorKind::kType, "Argument `sparse_delta` must be a `tf.IndexedSlices`, not ", Py_TYPE(delta)->tp_name);
  const Tensor inputs[] = {variable_handle(self), part(delta, "indices"),
                           as_const(part(delta, "values", variable_dtype(self)))};
  apply_all(ops[which].row(), inputs, {}, op_name(name));
  return variable_updated(self);
}

// --- elements: scatter_nd_add(indices, updates) etc. ---
template <int which>
PyObject* scatter_nd(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *indices, *updates, *name = nullptr;
  parse_keywords(args, keywords, "OO|O:scatter_nd", {"indices", "updates", "name"}, &indices, &updates, &name);
  static const Op ops[] = {Op("ResourceScatterNdUpdate"), Op("ResourceScatterNdAdd"), Op("ResourceScatterNdSub"),
                           Op("ResourceScatterNdMin"), Op("ResourceScatterNdMax")};
  const Tensor inputs[] = {variable_handle(self), to_tensor(indices),
                           as_const(to_tensor(updates, variable_dtype(self)))};
  apply_all(ops[which].row(), inputs, {}, op_name(name));
  return variable_updated(self);
}

// --- reading ---
PyObject* sparse_read(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *indices, *name = nullptr;
  parse_keywords(args, keywords, "O|O:sparse_read", {"indices", "name"}, &indices, &name);
  return wrap(ops::gather_rows(variable_handle(self), to_tensor_with_hint(indices, DType::kInt32), op_name(name)));
}

PyObject* gather_nd(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *indices, *name = nullptr;
  parse_keywords(args, keywords, "O|O:gather_nd", {"indices", "name"}, &indices, &name);
  return wrap(ops::gather_elements(variable_handle(self), to_tensor(indices), {}, op_name(name)));
}

PyObject* count_up_to(PyObject* self, PyObject* args, PyObject* keywords) {
  long long limit;
  parse_keywords(args, keywords, "L:count_up_to", {"limit"}, &limit);
  const DType dtype = variable_dtype(self);
  if (dtype != DType::kInt32 && dtype != DType::kInt64)
    invalid("count_up_to: the variable has dtype ", name_of(dtype), ", a counter is int32 or int64");
  return wrap(
      apply("ResourceCountUpTo"_op, {variable_handle(self)}, {{"limit"_attr, int64_t{limit}}, {"T"_attr, dtype}}));
}

// --- v[1:3].assign(...) ---
// The result of v[...]: a tensor that knows which part of the variable it is.
struct PySlice {
  PyTensor tensor;
  Ref variable, key;
  ~PySlice() {
    if (tensor.weakrefs) PyObject_ClearWeakRefs(&tensor.ob_base);
    Py_CLEAR(tensor.dict);
  }
};
PyTypeObject slice_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PySlice* slice_of(PyObject* o) { return reinterpret_cast<PySlice*>(o); }

PyObject* assign_slice(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *value, *name = nullptr;
  parse_keywords(args, keywords, "O|O:assign", {"val", "name"}, &value, &name);
  PyObject* variable = slice_of(self)->variable.get();
  const SliceSpec s = slice_spec(slice_of(self)->key.get());
  const std::string given = op_name(name);
  const Tensor inputs[] = {variable_handle(variable), s.begin, s.end, s.strides,
                           as_const(to_tensor(value, variable_dtype(variable)))};
  apply_all("ResourceStridedSliceAssign"_op.row(), inputs,
            {{"begin_mask"_attr, s.begin_mask},
             {"end_mask"_attr, s.end_mask},
             {"ellipsis_mask"_attr, s.ellipsis_mask},
             {"new_axis_mask"_attr, s.new_axis_mask},
             {"shrink_axis_mask"_attr, s.shrink_axis_mask}},
            given.empty() ? "strided_slice/_assign" : given);
  return variable_updated(variable);
}
PyMethodDef slice_methods[] = {{"assign", as_method(guard<assign_slice>), METH_VARARGS | METH_KEYWORDS,
                                "assign(val, name=None)\n--\n\nGives this part of the variable another value."},
                               {nullptr, nullptr, 0, nullptr}};

PyMethodDef methods[] = {
    {"scatter_update", as_method(guard<scatter<0>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_update(sparse_delta, use_locking=False, name=None)\n--\n\nGives rows other values."},
    {"scatter_add", as_method(guard<scatter<1>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_add(sparse_delta, use_locking=False, name=None)\n--\n\nAdds to rows."},
    {"scatter_sub", as_method(guard<scatter<2>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_sub(sparse_delta, use_locking=False, name=None)\n--\n\nSubtracts from rows."},
    {"scatter_mul", as_method(guard<scatter<3>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_mul(sparse_delta, use_locking=False, name=None)\n--\n\nMultiplies rows."},
    {"scatter_div", as_method(guard<scatter<4>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_div(sparse_delta, use_locking=False, name=None)\n--\n\nDivides rows."},
    {"scatter_min", as_method(guard<scatter<5>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_min(sparse_delta, use_locking=False, name=None)\n--\n\nThe smaller one in rows."},
    {"scatter_max", as_method(guard<scatter<6>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_max(sparse_delta, use_locking=False, name=None)\n--\n\nThe larger one in rows."},
    {"scatter_nd_update", as_method(guard<scatter_nd<0>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_nd_update(indices, updates, name=None)\n--\n\nGives elements other values."},
    {"scatter_nd_add", as_method(guard<scatter_nd<1>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_nd_add(indices, updates, name=None)\n--\n\nAdds to elements."},
    {"scatter_nd_sub", as_method(guard<scatter_nd<2>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_nd_sub(indices, updates, name=None)\n--\n\nSubtracts from elements."},
    {"scatter_nd_min", as_method(guard<scatter_nd<3>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_nd_min(indices, updates, name=None)\n--\n\nThe smaller one in elements."},
    {"scatter_nd_max", as_method(guard<scatter_nd<4>>), METH_VARARGS | METH_KEYWORDS,
     "scatter_nd_max(indices, updates, name=None)\n--\n\nThe larger one in elements."},
    {"sparse_read", as_method(guard<sparse_read>), METH_VARARGS | METH_KEYWORDS,
     "sparse_read(indices, name=None)\n--\n\nSome rows of the value."},
    {"gather_nd", as_method(guard<gather_nd>), METH_VARARGS | METH_KEYWORDS,
     "gather_nd(indices, name=None)\n--\n\nElements of the value at index vectors."},
    {"count_up_to", as_method(guard<count_up_to>), METH_VARARGS | METH_KEYWORDS,
     "count_up_to(limit)\n--\n\nThe value, which then goes one up; OutOfRangeError at the limit."},
    {nullptr, nullptr, 0, nullptr}};

PyObject* complex_number(PyObject* self, PyObject*) {
  Ref value = checked(wrap(is_variable(self) ? variable_value(self) : to_tensor(self)));
  return PyObject_CallMethod(value.get(), "__complex__", nullptr);
}
PyMethodDef numbers[] = {{"__complex__", guard<complex_number>, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* variable_subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    if (!is_variable(self)) return wrap(subscript(to_tensor(self), key));
    Tensor cut = subscript(variable_value(self), key);
    if (is_tensor(key) && tensor_of(key).dtype() == DType::kBool) return wrap(std::move(cut));
    return new_object<PySlice>(slice_type, std::move(cut), nullptr, nullptr, Ref::borrow(self), Ref::borrow(key))
        .release();
  });
}

void init_variable_updates() {
  define_type<PySlice>(slice_type, "footlight.Tensor",
                       {.base = tensor_type,
                        .hash = tensor_type->tp_hash,
                        .compare = tensor_type->tp_richcompare,
                        .methods = slice_methods});
  add_methods(variable_type, methods);
  add_methods(variable_type, numbers);
}

}  // namespace footlight::python
