// Sparse gradients to Python and back.
#include "engine/python/types/slices_object.h"

#include "engine/ops/indexed_slices.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/module.h"

namespace footlight::python {
namespace {

Tensor part(PyObject* slices, const char* name) {
  Ref value = checked(PyObject_GetAttrString(slices, name));
  return value.get() == Py_None ? Tensor() : to_tensor(value.get());
}

}  // namespace

PyObject* slices_class() {
  static PyObject* const found = checked(PyObject_GetAttrString(namespace_of(""), "IndexedSlices")).release();
  return found;
}

bool is_slices(PyObject* o) {
  if (is_tensor(o)) return false;
  return is_instance(o, slices_class());
}

PyObject* wrap_gradient(const Tensor& gradient) {
  const IndexedSlices* slices = ops::slices_of(gradient);
  if (!slices) return wrap(gradient);
  Ref values = checked(wrap(slices->values)), indices = checked(wrap(slices->indices));
  Ref shape = slices->dense_shape ? checked(wrap(slices->dense_shape)) : Ref::borrow(Py_None);
  return PyObject_CallFunctionObjArgs(slices_class(), values.get(), indices.get(), shape.get(), nullptr);
}

Tensor gradient_from(PyObject* o, DType hint) {
  if (!is_slices(o)) return to_tensor_with_hint(o, hint);
  return ops::indexed_slices(part(o, "values"), part(o, "indices"), part(o, "dense_shape"));
}

}  // namespace footlight::python
