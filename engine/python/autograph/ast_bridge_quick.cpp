// Node classes for trees that are only compiled. CPython asks a node for its class once for each kind that it is not,
// and for every field by name; these answer both without the general look-up, a large part of the time of compiling.
#include "engine/base/text.h"
#include "engine/python/autograph/ast_bridge_types.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/exceptions.h"

#include <array>
#include <string>

namespace footlight::python::bridge {

namespace {

PyObject* class_name = nullptr;  // "__class__"

PyObject* quick_attribute(PyObject* node, PyObject* name) {
  PyTypeObject* const type = Py_TYPE(node);
  if (name == class_name) return Py_NewRef(reinterpret_cast<PyObject*>(type));
  return guarded([&] {
    PyObject* const dict = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(node) + type->tp_dictoffset);
    PyObject* const found = dict ? find_item(dict, name) : nullptr;
    return found ? Py_NewRef(found) : PyObject_GenericGetAttr(node, name);
  });
}

}  // namespace

PyTypeObject* quick_type(KindEntry& entry) {
  if (entry.quick) return entry.quick;
  PyTypeObject* const of = entry.type;
  if (!class_name && !(class_name = PyUnicode_InternFromString("__class__"))) return nullptr;
  if (of->tp_dictoffset <= 0) return entry.quick = of;  // its nodes do not keep their fields where these look
  std::array<PyType_Slot, 3> slots{{{Py_tp_getattro, reinterpret_cast<void*>(quick_attribute)},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(of->tp_dealloc)},
                                    {0, nullptr}}};
  const std::string name = str("ast.", of->tp_name);
  PyType_Spec spec{name.c_str(), 0, 0, Py_TPFLAGS_DEFAULT, slots.data()};
  PyObject* const made = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(of));
  return entry.quick = reinterpret_cast<PyTypeObject*>(made);
}

}  // namespace footlight::python::bridge
