// Appending, and the two forms of lists.
#include "engine/python/autograph/lists.h"

#include "engine/ops/functions.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/types/convert.h"

namespace footlight::python::ag {

namespace {

PyObject* list_class() {
  static PyObject* const type = [] {
    const Ref module = checked(PyImport_ImportModule("footlight._autograph.ag"));
    return checked(PyObject_GetAttrString(module.get(), "List")).release();
  }();
  return type;
}

Tensor element_of(PyObject* value, DType dtype) {
  if (is_tensor_like(value)) return as_tensor(value);
  return dtype == DType::kInvalid ? to_tensor(value) : to_tensor(value, dtype);
}

bool is_plain_list(const Ref& value) { return value && PyList_CheckExact(value.get()); }

bool same_items(PyObject* a, PyObject* b) {
  if (PyList_GET_SIZE(a) != PyList_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(a); ++i)
    if (PyList_GET_ITEM(a, i) != PyList_GET_ITEM(b, i)) return false;
  return true;
}

}  // namespace

bool is_grown(PyObject* object) { return reinterpret_cast<PyObject*>(Py_TYPE(object)) == list_class(); }

Tensor grown_values(PyObject* list) { return as_tensor(checked(PyObject_GetAttrString(list, "values")).get()); }

Ref grown_list(const Tensor& values) {
  const Ref wrapped = checked(wrap(values));
  return checked(PyObject_CallOneArg(list_class(), wrapped.get()));
}

ElementType element_type(PyObject* list) {
  ElementType type;
  if (is_grown(list)) {
    const Tensor values = grown_values(list);
    type.dtype = values.dtype();
    if (!values.shape().has_rank()) type.shape = Shape::unknown_rank();
    else
      for (int i = 1; i < values.shape().rank(); ++i) type.shape.append(values.shape()[i]);
    return type;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    const Tensor element = element_of(PyList_GET_ITEM(list, i), type.dtype);
    if (type.dtype != DType::kInvalid && type.dtype != element.dtype())
      fail(ErrorKind::kType, "a list that grows in a staged statement holds elements of dtypes ", name_of(type.dtype),
           " and ", name_of(element.dtype()), "; make them one dtype, for example with tf.cast");
    type.shape = type.dtype == DType::kInvalid ? element.shape() : relax(type.shape, element.shape());
    type.dtype = element.dtype();
  }
  return type;
}

Ref as_grown(PyObject* list, const ElementType& type) {
  if (is_grown(list)) return Ref::borrow(list);
  std::vector<Tensor> elements;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
    elements.push_back(element_of(PyList_GET_ITEM(list, i), type.dtype));
  if (!elements.empty()) return grown_list(stacked(elements));
  if (!type.shape.has_rank())
    fail(ErrorKind::kValue, "a list that grows in a staged statement needs elements of a known rank");
  Shape shape{0};
  for (int i = 0; i < type.shape.rank(); ++i) shape.append(type.shape[i]);
  return grown_list(zeros_like(type.dtype, shape));
}

Tensor with_element(const Tensor& values, const Tensor& element) {
  const Tensor row = ops::expand_dims(element, 0);
  Tensor rows = values;
  if (!row.shape().fully_known()) {
    // Without elements, the other dimensions are not those of the elements yet.
    const Tensor parts[] = {ops::slice(ops::shape(values), ops::ints({0}), ops::ints({1})), ops::shape(element)};
    rows = ops::reshape(values, ops::concat(parts, 0));
  }
  const Tensor parts[] = {rows, row};
  return ops::concat(parts, 0);
}

void copy_lists(const State& state, const std::vector<Ref>& before) {
  for (size_t i = 0; i < before.size(); ++i)
    if (state.is_list(i) && is_plain_list(before[i])) state.set(i, checked(PySequence_List(before[i].get())));
}

void restore_lists(const State& state, const std::vector<Ref>& before) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (!state.is_list(i) || !is_plain_list(before[i])) continue;
    const Ref now = state.get(i);
    if (is_plain_list(now) && same_items(now.get(), before[i].get())) state.set(i, before[i]);
  }
}

// append(list, value)
PyObject* append(PyObject*, PyObject* const* args, Py_ssize_t) {
  PyObject* const list = args[0];
  if (PyList_CheckExact(list)) return PyList_Append(list, args[1]) < 0 ? nullptr : Py_NewRef(list);
  return guarded([&]() -> PyObject* {
    if (is_grown(list)) {
      const Tensor values = grown_values(list);
      const Tensor element = element_of(args[1], values.dtype());
      if (element.dtype() != values.dtype())
        fail(ErrorKind::kType, "this list holds elements of dtype ", name_of(values.dtype()),
             ", what is appended has dtype ", name_of(element.dtype()),
             "; make them one dtype, for example with tf.cast");
      return grown_list(with_element(values, element)).release();
    }
    const Ref method = checked(PyObject_GetAttrString(list, "append"));
    PyObject* const call[] = {method.get(), args[1]};
    checked(converted_call(nullptr, call, 2, nullptr));
    return Py_NewRef(list);
  });
}

}  // namespace footlight::python::ag
