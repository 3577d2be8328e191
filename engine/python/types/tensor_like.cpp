// The class above tf.Tensor: empty, so that Python classes may derive from it and from others. It keeps its name of
// TensorFlow, because libraries recognise tensors by the names of their classes without importing anything.
#include "engine/python/types/tensor_like.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/dtype_object.h"

namespace footlight::python {
namespace {

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

PyTypeObject* tensor_like_type = &type;

bool converts_itself(PyObject* o) { return class_has_attribute(o, "__tf_tensor__"); }

Tensor converted_by_itself(PyObject* o, DType dtype) {
  const Level level("__tf_tensor__");
  const Ref wanted = Ref::borrow(dtype == DType::kInvalid ? Py_None : dtype_object(dtype));
  const Ref result = checked(PyObject_CallMethod(o, "__tf_tensor__", "OO", wanted.get(), Py_None));
  if (result.get() == o)
    fail(ErrorKind::kType, "__tf_tensor__ of ", Py_TYPE(o)->tp_name, " returned the object itself, not a tensor");
  return to_tensor(result.get(), dtype);
}

std::optional<Tensor> handle_behind(PyObject* o) {
  if (!class_has_attribute(o, "_should_act_as_resource_variable")) return {};
  const Ref handle = optional_attribute(o, "handle");
  if (!handle || !is_tensor(handle.get()) || tensor_of(handle.get()).dtype() != DType::kResource) return {};
  return tensor_of(handle.get());
}

void init_tensor_like() {
  define_type(type, "tensorflow.python.types.core.Tensor",
              {.doc = "What stands for a tensor: tf.Tensor and classes that derive from this one.",
               .flags = Py_TPFLAGS_BASETYPE,
               .construct = PyBaseObject_Type.tp_new});
  // A class that derives from this one and another finds the other's __new__, not this empty class's.
  if (PyDict_DelItemString(type.tp_dict, "__new__") < 0) throw PythonErrorSet();
  PyType_Modified(&type);
  publish("__internal__.types.Tensor", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
