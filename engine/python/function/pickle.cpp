// How tf.function objects are pickled.
#include "engine/python/function/pickle.h"

#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"

namespace footlight::python {
namespace {

// What its module has under the name of a function, or null.
Ref found_by_name(PyObject* self) {
  const Ref module = optional_attribute(self, "__module__"), name = optional_attribute(self, "__qualname__");
  if (!module || !name || !PyUnicode_Check(module.get()) || !PyUnicode_Check(name.get())) return {};
  Ref here = Ref::borrow(find_item(PyImport_GetModuleDict(), module.get()));
  const std::string path = readable(name.get()) + '.';
  for (size_t from = 0, to; here && (to = path.find('.', from)) != std::string::npos; from = to + 1)
    here = optional_attribute(here.get(), path.substr(from, to - from).c_str());
  return here;
}

}  // namespace

// As Python's own functions: by name, a method by its object and name. One that its module has under another name, or
// not at all, is made again of its Python function.
PyObject* reduce_function(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const FunctionCore& core = core_of(self);
    PyObject* const function = core.python_function.get();
    if (!core.self_number || !PyMethod_Check(function)) {
      if (found_by_name(self).get() == self) return PyObject_GetAttrString(self, "__qualname__");
      const Ref package = checked(PyImport_ImportModule("footlight._types.functions"));
      const Ref make = checked(PyObject_GetAttrString(package.get(), "make"));
      return Py_BuildValue("(O(OO))", make.get(), function, core.options.given ? core.options.given.get() : Py_None);
    }
    const Ref builtins = checked(PyImport_ImportModule("builtins"));
    const Ref get = checked(PyObject_GetAttrString(builtins.get(), "getattr"));
    const Ref name = checked(PyObject_GetAttrString(function, "__name__"));
    return Py_BuildValue("(O(OO))", get.get(), PyMethod_GET_SELF(function), name.get());
  });
}

}  // namespace footlight::python
