// Calls methods from converted code: finds the function in the object's class, so that no bound method is created.
#include "engine/base/recording.h"
#include "engine/python/autograph/callees.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/lists.h"
#include "engine/python/interpreter/object_layout.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <array>

namespace footlight::python::ag {

namespace {

enum class How : uint8_t {
  kOther,     // done as Python does: object.name, then a call
  kMethod,    // `found` is a function, which is given the object
  kOfClass,   // the same, given the object's class
  kStatic,    // the same, given neither
  kBuiltin,   // `found` is a method of a builtin class, which is given the object
};

// The meaning of a name in a class, or as an attribute of a class itself.
struct Attribute {
  PyTypeObject* type = nullptr;  // borrowed; its version is no other class's
  Ref name;
  unsigned version = 0;
  bool of_class = false;         // the object is the class
  How how = How::kOther;
  PyObject* found = nullptr;     // borrowed from the class, or from one of its bases
  OwnAttribute own;
};
auto& attributes = *new std::array<Attribute, 1024>;

Ref function_in(PyObject* descriptor) { return checked(PyObject_GetAttrString(descriptor, "__func__")); }

void look_up(Attribute& attribute, PyTypeObject* type, PyObject* name, bool of_class) {
  attribute = {};
  PyObject* const found = _PyType_Lookup(type, name);
  attribute.type = type;
  attribute.name = Ref::borrow(name);
  attribute.version = type->tp_version_tag;  // given by that look-up, as long as there are any
  attribute.of_class = of_class;
  if (!found || (of_class && _PyType_Lookup(&PyType_Type, name))) return;
  if (PyFunction_Check(found)) {
    attribute.how = of_class ? How::kStatic : How::kMethod;
    attribute.found = found;
  } else if (Py_IS_TYPE(found, &PyClassMethod_Type) || Py_IS_TYPE(found, &PyStaticMethod_Type)) {
    PyObject* const function = function_in(found).get();  // the descriptor keeps it
    if (!PyFunction_Check(function)) return;
    attribute.how = Py_IS_TYPE(found, &PyClassMethod_Type) ? How::kOfClass : How::kStatic;
    attribute.found = function;
  } else if (!of_class && Py_IS_TYPE(found, &PyMethodDescr_Type)) {
    attribute.how = How::kBuiltin;
    attribute.found = found;
  }
}

bool any_grown(PyObject* const* args, Py_ssize_t all) {
  return trace::tracing() && std::any_of(args, args + all, is_grown);
}

PyObject* as_python_does(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Ref function = Ref::steal(PyObject_GetAttr(args[1], args[0]));
  if (!function) return nullptr;
  constexpr size_t kMax = 10;
  const auto all = static_cast<size_t>(count + (names ? PyTuple_GET_SIZE(names) : 0));
  PyObject* few[kMax];
  std::vector<PyObject*> many(all > kMax ? all : 0);
  PyObject** const call = all > kMax ? many.data() : few;
  call[0] = function.get();
  std::copy_n(args + 2, all - 2, call + 1);
  return converted_call(nullptr, call, count - 1, names);
}

}  // namespace

PyObject* method_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject *const name = args[0], *const object = args[1];
  PyTypeObject* type = Py_TYPE(object);
  const bool of_class = type == &PyType_Type;
  if (!of_class && type->tp_getattro != PyObject_GenericGetAttr) return as_python_does(args, count, names);
  if (recording_structure() || conversion_is_off()) return as_python_does(args, count, names);
  if (of_class) type = reinterpret_cast<PyTypeObject*>(object);
  const auto mixed = (reinterpret_cast<uintptr_t>(type) >> 4) + (reinterpret_cast<uintptr_t>(name) >> 3);
  Attribute& attribute = attributes[(mixed + of_class) % attributes.size()];
  if (attribute.type != type || attribute.name.get() != name || attribute.version != type->tp_version_tag ||
      attribute.of_class != of_class || !attribute.version) {
    if (guarded(-1, [&] {
          look_up(attribute, type, name, of_class);
          return 0;
        }) < 0)
      return nullptr;
  }
  const How how = attribute.how;
  PyObject* const found = attribute.found;
  if (how == How::kOther) return as_python_does(args, count, names);
  if (!of_class) {
    bool known = true;
    const int own = guarded(-1, [&] { return attribute.own.find(object, name, known) ? 1 : 0; });
    if (own < 0) return nullptr;
    if (own || !known) return as_python_does(args, count, names);
  }
  const auto given = static_cast<size_t>(count - 2);
  switch (how) {
    case How::kMethod: return call_function(found, args + 1, given + 1, names);
    case How::kStatic: return call_function(found, args + 2, given, names);
    case How::kBuiltin: {
      if (any_grown(args + 2, count - 2 + (names ? PyTuple_GET_SIZE(names) : 0))) break;
      const Ref kept = Ref::borrow(found);
      return PyObject_Vectorcall(found, args + 1, given + 1, names);
    }
    case How::kOfClass: {
      constexpr size_t kMax = 8;
      const size_t all = given + static_cast<size_t>(names ? PyTuple_GET_SIZE(names) : 0);
      if (all >= kMax) break;
      PyObject* with_class[kMax] = {reinterpret_cast<PyObject*>(type)};
      std::copy_n(args + 2, all, with_class + 1);
      return call_function(found, with_class, given + 1, names);
    }
    case How::kOther: break;
  }
  return as_python_does(args, count, names);
}

}  // namespace footlight::python::ag
