// Trackable: an empty class, so that `isinstance` holds for the engine's own types and for classes written in Python.
#include "engine/python/types/trackable_object.h"

#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/types.h"

namespace footlight::python {
namespace {

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

PyTypeObject* trackable_type = &type;

void init_trackable() {
  define_type(type, "footlight.__internal__.tracking.Trackable",
              {.doc = "What a checkpoint can save: it has named children, and values of its own.",
               .flags = Py_TPFLAGS_BASETYPE,
               .construct = PyBaseObject_Type.tp_new});
  // It would come before the constructor of a class that a user's class also derives from.
  if (PyDict_DelItemString(type.tp_dict, "__new__") < 0) throw PythonErrorSet();
  PyType_Modified(&type);
  publish("__internal__.tracking.Trackable", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
