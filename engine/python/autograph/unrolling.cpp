// Loops that stay in Python while tracing.
#include "engine/python/autograph/unrolling.h"

#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/autograph/sequences.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/types.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>

namespace footlight::python::ag {

size_t nodes_so_far() {
  trace::GraphBuilder* builder = trace::tracing() ? trace::GraphBuilder::innermost() : nullptr;
  return builder ? builder->graph()->size() : 0;
}

Unrolling::Unrolling() : start_(nodes_so_far()) {}

void Unrolling::turn() {
  if (++turns_ != kMany || !trace::tracing() || nodes_so_far() < start_ + kMany) return;
  const UserLine place = current_line();
  const std::string message =
      str("this Python loop adds a copy of its body to the graph in every iteration, more than ", kMany,
          " so far; a loop over tf.range or a tensor is staged once");
  if (PyErr_WarnExplicit(PyExc_UserWarning, message.c_str(), place.file.c_str(), place.line, nullptr, nullptr) < 0)
    throw PythonErrorSet();
}

void Unrolling::done(const char* kind) const {
  if (!trace::tracing()) return;
  record(kind, "python",
         nodes_so_far() > start_ && turns_ > 1 ? str("unrolled into ", turns_, " copies")
                                        : str("ran in Python, ", turns_, turns_ == 1 ? " iteration" : " iterations"));
}

namespace {

// An iterator that counts.
struct Turns {
  PyObject_HEAD
  Ref iterator;
  Unrolling unrolling;
};
PyTypeObject turns_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* next(PyObject* self) {
  auto* const turns = reinterpret_cast<Turns*>(self);
  PyObject* const iterator = turns->iterator.get();
  PyObject* const item = iterator ? Py_TYPE(iterator)->tp_iternext(iterator) : nullptr;
  if (!item || turns->unrolling.passed()) return item;
  return guarded([&] {
    Ref kept = Ref::steal(item);
    turns->unrolling.turn();
    return kept.release();
  });
}

}  // namespace

// Whether a loop has too few iterations for a warning.
bool turns_rarely(PyObject* values) {
  if (PyList_CheckExact(values) || PyTuple_CheckExact(values)) return Py_SIZE(values) < Unrolling::kMany;
  if (!Py_IS_TYPE(values, &PyRange_Type)) return false;
  const Py_ssize_t size = PyObject_Size(values);
  if (size < 0) clear_only(PyExc_OverflowError);  // longer than any list
  return size >= 0 && size < Unrolling::kMany;
}

void init_turns() {
  define_type<Turns>(turns_type, "footlight.autograph.Turns",
                     {.traverse = visit_members<&Turns::iterator>,
                      .clear = clear_members<&Turns::iterator>,
                      .iterate = PyObject_SelfIter,
                      .next = next});
}

PyObject* turns(PyObject*, PyObject* values) {
  if (!trace::tracing()) return Py_NewRef(values);
  // An iterator too: who leaves the loop goes on with the rest.
  return guarded([&]() -> PyObject* {
    if (turns_rarely(values)) return PyObject_GetIter(values);
    Ref iterator = checked(PyObject_GetIter(values));
    return new_object<Turns>(turns_type, std::move(iterator)).release();
  });
}

PyObject* staged(PyObject*, PyObject* value) {
  if (!trace::tracing())  // loops on tensors keep tensors
    return guarded([&] { return PyBool_FromLong(is_tensor_like(value) || is_dataset_or_iterator(value)); });
  const bool all = recording_structure() || strict();
  if (is_pythons_own(value)) return PyBool_FromLong(all);
  return guarded([&] {
    const bool known = all || is_tensor_like(value) || wrapped_elements(value) || is_grown(value);
    return PyBool_FromLong(known || is_dataset_or_iterator(value) || is_rows(value));
  });
}

namespace {
int is_to_stage(PyObject*, PyObject* value) {
  if (PyBool_Check(value)) return 0;
  const Ref answer = Ref::steal(staged(nullptr, value));
  return answer ? answer.get() == Py_True : -1;
}
}  // namespace

Ref to_stage() {
  static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
  define_type<PyObject>(type, "footlight.ToStage", {.contains = is_to_stage});
  return checked(PyObject_New(PyObject, &type));
}

PyObject* plain(PyObject*, PyObject* const* values, Py_ssize_t count) {
  if (!trace::tracing()) Py_RETURN_TRUE;
  const auto is_plain = [](PyObject* o) {
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None ||
           PyUnicode_CheckExact(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyDict_CheckExact(o);
  };
  return PyBool_FromLong(!recording_structure() && std::all_of(values, values + count, is_plain));
}

PyObject* tracing(PyObject*, PyObject*) { return PyBool_FromLong(trace::tracing()); }

}  // namespace footlight::python::ag
