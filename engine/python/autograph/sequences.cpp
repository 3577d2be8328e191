// Sequences of unknown length as Python objects.
#include "engine/python/autograph/sequences.h"

#include "engine/ops/functions.h"
#include "engine/python/calls/operators.h"
#include "engine/python/interpreter/types.h"

namespace footlight::python::ag {

namespace {

struct Sequence {
  PyObject_HEAD
  Elements elements;
};
PyTypeObject sequence_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* iterate(PyObject*) {
  fail(ErrorKind::kOperatorNotAllowedInGraph,
       "this sequence over a tensor has a length that is known only when the graph runs: only a `for` statement or a "
       "comprehension in a converted function can iterate over it");
}

Tensor count_of(const Tensor& values) {
  const Shape& shape = values.shape();
  if (shape.has_rank() && shape.rank() == 0) fail(ErrorKind::kType, "Cannot iterate over a scalar tensor.");
  if (shape.has_rank() && shape[0] != kUnknownDim)
    return Tensor::scalar<int32_t>(static_cast<int32_t>(shape[0])).as_constant();
  const Ref zero = Ref::steal(PyLong_FromLong(0));
  return subscript(ops::shape(values), zero.get());
}

}  // namespace

bool is_rows(PyObject* o) {
  static PyObject* const name = PyUnicode_InternFromString("_row_count");
  PyTypeObject* const type = Py_TYPE(o);
  return type->tp_flags & Py_TPFLAGS_HEAPTYPE && _PyType_Lookup(type, name);
}

Elements rows_of(PyObject* o) {
  const Ref rows = Ref::borrow(o);
  return {as_tensor(checked(PyObject_CallMethod(o, "_row_count", nullptr)).get()),
          [rows](const Tensor& index) { return checked(PyObject_GetItem(rows.get(), checked(wrap(index)).get())); }};
}

bool is_dataset_or_iterator(PyObject* o) {
  static PyObject* const name = PyUnicode_InternFromString("_staged_iterator");
  PyTypeObject* const type = Py_TYPE(o);
  return type->tp_flags & Py_TPFLAGS_HEAPTYPE && _PyType_Lookup(type, name);
}

std::optional<std::vector<Ref>> known_elements(const Tensor& values) {
  const Shape& shape = values.shape();
  if (!shape.has_rank()) return {};
  if (shape.rank() == 0) fail(ErrorKind::kType, "Cannot iterate over a scalar tensor.");
  if (shape[0] == kUnknownDim) return {};
  std::vector<Ref> elements;
  if (shape[0] == 0) return elements;
  for (const Tensor& element :
       apply_all("Unpack"_op.row(), {&values, 1}, {{"num"_attr, shape[0]}, {"axis"_attr, int64_t{0}}}))
    elements.push_back(checked(wrap(element)));
  return elements;
}

Elements elements_of(PyObject* object) {
  if (const Elements* elements = wrapped_elements(object)) return *elements;
  const Tensor values = as_tensor(object);
  return {count_of(values), [values](const Tensor& index) {
            const Ref at = checked(wrap(index));
            return checked(wrap(subscript(values, at.get())));
          }};
}

Ref wrap_elements(Elements elements) {
  return new_object<Sequence>(sequence_type, std::move(elements));
}

const Elements* wrapped_elements(PyObject* object) {
  return Py_TYPE(object) == &sequence_type ? &reinterpret_cast<Sequence*>(object)->elements : nullptr;
}

void init_sequences() {
  define_type<Sequence>(sequence_type, "footlight.autograph.Sequence", {.iterate = guard<iterate>});
}

}  // namespace footlight::python::ag
