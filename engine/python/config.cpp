// tf.config, tf.random.set_seed, tf.version and other switches; the context managers come from scopes.cpp.
#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/random_seeds.h"
#include "engine/python/convert.h"
#include "engine/python/module.h"
#include "engine/python/scopes.h"
#include "engine/tensor/gpu.h"

namespace footlight::python {

bool functions_run_eagerly = false;

namespace {

PyTypeObject *physical_type = nullptr, *logical_type = nullptr;
bool soft_placement = true;

PyObject* run_functions_eagerly(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"run_eagerly", nullptr};
  int on;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "p:run_functions_eagerly", const_cast<char**>(names), &on))
    return nullptr;
  functions_run_eagerly = on;
  Py_RETURN_NONE;
}
PyObject* are_run_eagerly(PyObject*, PyObject*) { return PyBool_FromLong(functions_run_eagerly); }
PyObject* executing_eagerly(PyObject*, PyObject*) { return PyBool_FromLong(!current_graph_builder); }

Ref device_object(PyTypeObject* type, const std::string& name, const char* kind) {
  Ref o = checked(PyStructSequence_New(type));
  PyStructSequence_SetItem(o.get(), 0, checked(PyUnicode_FromString(name.c_str())).release());
  PyStructSequence_SetItem(o.get(), 1, checked(PyUnicode_FromString(kind)).release());
  return o;
}

PyObject* devices(PyTypeObject* type, const char* prefix, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"device_type", nullptr};
  const char* wanted = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z:list_devices", const_cast<char**>(names), &wanted))
    return nullptr;
  return guarded([&] {
    Ref list = checked(PyList_New(0));
    const auto add = [&](const char* kind, int index) {
      if (wanted && std::string_view(wanted) != kind) return;
      Ref d = device_object(type, str(prefix, kind, ":", index), kind);
      if (PyList_Append(list.get(), d.get()) < 0) throw PythonErrorSet();
    };
    add("CPU", 0);
    if (!wanted || std::string_view(wanted) == "GPU")
      for (int i = 0; i < gpu::count(); ++i) add("GPU", i);
    return list.release();
  });
}
PyObject* physical_devices(PyObject*, PyObject* a, PyObject* k) {
  return devices(physical_type, "/physical_device:", a, k);
}
PyObject* logical_devices(PyObject*, PyObject* a, PyObject* k) {
  return devices(logical_type, "/device:", a, k);
}

PyObject* set_seed(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"seed", nullptr};
  PyObject* seed;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:set_seed", const_cast<char**>(names), &seed))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (seed == Py_None) {
      random::set_global_seed(now_ns());  // as good as none
    } else {
      Ref index = checked(PyNumber_Index(seed));
      const long long s = PyLong_AsLongLong(index.get());
      if (s == -1 && PyErr_Occurred()) return nullptr;
      random::set_global_seed(s);
    }
    Py_RETURN_NONE;
  });
}

PyObject* num_gpus(PyObject*, PyObject*) {
  return guarded([&] { return PyLong_FromLong(gpu::count()); });
}
PyObject* nothing(PyObject*, PyObject*, PyObject*) { Py_RETURN_NONE; }
PyObject* get_soft(PyObject*, PyObject*) { return PyBool_FromLong(soft_placement); }
PyObject* set_soft(PyObject*, PyObject* on) {
  const int is = PyObject_IsTrue(on);
  if (is < 0) return nullptr;
  soft_placement = is;
  Py_RETURN_NONE;
}

PyMethodDef run_method = {
    "run_functions_eagerly", with_keywords(run_functions_eagerly), METH_VARARGS | METH_KEYWORDS,
    "run_functions_eagerly(run_eagerly)\n--\n\nWhether tf.functions run their Python body on every call."};
PyMethodDef are_method = {"functions_run_eagerly", are_run_eagerly, METH_NOARGS,
                          "functions_run_eagerly()\n--\n\nSee run_functions_eagerly."};
PyMethodDef eager_method = {"executing_eagerly", executing_eagerly, METH_NOARGS,
                            "executing_eagerly()\n--\n\nFalse while a function is being traced."};
PyMethodDef physical_method = {"list_physical_devices", with_keywords(physical_devices),
                               METH_VARARGS | METH_KEYWORDS,
                               "list_physical_devices(device_type=None)\n--\n\nThe devices of this machine."};
PyMethodDef logical_method = {
    "list_logical_devices", with_keywords(logical_devices), METH_VARARGS | METH_KEYWORDS,
    "list_logical_devices(device_type=None)\n--\n\nThe devices that ops can run on."};
PyMethodDef seed_method = {"set_seed", with_keywords(set_seed), METH_VARARGS | METH_KEYWORDS,
                           "set_seed(seed)\n--\n\nThe global seed of random ops."};
PyMethodDef gpus_method = {"num_gpus", num_gpus, METH_NOARGS, "num_gpus()\n--\n\nHow many GPUs there are."};
PyMethodDef enable_method = {"enable_eager_execution", with_keywords(nothing), METH_VARARGS | METH_KEYWORDS,
                             "enable_eager_execution()\n--\n\nEager execution is always on: does nothing."};
PyMethodDef get_soft_method = {"get_soft_device_placement", get_soft, METH_NOARGS, nullptr};
PyMethodDef set_soft_method = {"set_soft_device_placement", set_soft, METH_O, nullptr};

PyStructSequence_Field fields[] = {{"name", nullptr}, {"device_type", nullptr}, {nullptr, nullptr}};
PyStructSequence_Desc physical = {"PhysicalDevice", "A device of the machine.", fields, 2};
PyStructSequence_Desc logical = {"LogicalDevice", "A device that ops run on.", fields, 2};

}  // namespace

void init_config(PyObject*) {
  init_scopes();
  physical_type = PyStructSequence_NewType(&physical);
  logical_type = PyStructSequence_NewType(&logical);
  if (!physical_type || !logical_type) throw PythonErrorSet();
  publish("config.PhysicalDevice", reinterpret_cast<PyObject*>(physical_type));
  publish("config.LogicalDevice", reinterpret_cast<PyObject*>(logical_type));
  publish_function("config.run_functions_eagerly", &run_method);
  publish_function("config.experimental_run_functions_eagerly", &run_method);
  publish_function("config.functions_run_eagerly", &are_method);
  publish_function("config.list_physical_devices", &physical_method);
  publish_function("config.experimental.list_physical_devices", &physical_method);
  publish_function("config.get_visible_devices", &physical_method);
  publish_function("config.list_logical_devices", &logical_method);
  publish_function("config.get_soft_device_placement", &get_soft_method);
  publish_function("config.set_soft_device_placement", &set_soft_method);
  publish_function("executing_eagerly", &eager_method);
  publish_function("random.set_seed", &seed_method);
  publish_function("set_random_seed", &seed_method);
  publish_function("compat.v1.set_random_seed", &seed_method);
  publish_function("contrib.eager.num_gpus", &gpus_method);
  publish_function("enable_eager_execution", &enable_method);
  publish_function("compat.v1.enable_eager_execution", &enable_method);
  publish_function("compat.v1.enable_v2_behavior", &enable_method);
  publish_function("contrib.eager.enable_eager_execution", &enable_method);
}

}  // namespace footlight::python
