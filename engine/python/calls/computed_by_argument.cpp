// Functions of tensors whose argument is an object made of several, such as a sparse or a ragged tensor: its class says
// what the function makes of its parts.
#include "engine/python/calls/binder.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/objects.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

constexpr const char* kMethod = "__tensor_function__";

bool computes(PyObject* o) {
  if (o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || is_tensor(o) || is_variable(o))
    return false;
  return class_has_attribute(o, kMethod);
}

// The object that computes the function: an argument or an item of one that is a list.
PyObject* who_computes(const std::vector<Parameter>& parameters, PyObject* const* slots) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!slots[i] || parameters[i].is_name) continue;
    if (computes(slots[i])) return slots[i];
    if (!PyList_CheckExact(slots[i]) && !PyTuple_CheckExact(slots[i])) continue;
    for (PyObject* item : Items(slots[i]))
      if (computes(item)) return item;
  }
  return nullptr;
}

}  // namespace

Ref computed_by_argument(PyObject* function, std::string_view name, const std::vector<Parameter>& parameters,
                         PyObject* const* slots) {
  PyObject* who = who_computes(parameters, slots);
  if (!who) return {};
  const Level level("a function of tensors");
  const Ref given = checked(PyDict_New());
  for (size_t i = 0; i < parameters.size(); ++i)
    if (slots[i] && PyDict_SetItem(given.get(), parameters[i].key, slots[i]) < 0) throw PythonErrorSet();
  Ref result = checked(PyObject_CallMethod(who, kMethod, "NOO", text_object(name).release(), function, given.get()));
  if (result.get() == Py_NotImplemented) return {};
  return result;
}

}  // namespace footlight::python
