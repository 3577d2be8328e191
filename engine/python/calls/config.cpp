// tf.config, tf.random.set_seed, tf.version and other settings; context managers are in scopes.cpp.
#include "engine/base/clock.h"
#include "engine/base/step_parallelism.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/builder.h"
#include "engine/ops/random_seeds.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/calls/library.h"
#include "engine/runtime/watch.h"
#include "engine/tensor/gpu.h"
#include "engine/trace/graph_builder.h"

namespace footlight::python {

bool functions_run_eagerly = false;

namespace {

bool soft_placement = true;

PyObject* run_functions_eagerly(PyObject*, PyObject* args, PyObject* keywords) {
  int on;
  parse_keywords(args, keywords, "p:run_functions_eagerly", {"run_eagerly"}, &on);
  functions_run_eagerly = on;
  Py_RETURN_NONE;
}
PyObject* are_run_eagerly(PyObject*, PyObject*) { return PyBool_FromLong(functions_run_eagerly); }
PyObject* executing_eagerly(PyObject*, PyObject*) { return PyBool_FromLong(!this_thread.builder); }
PyObject* inside_function(PyObject*, PyObject*) {
  const trace::GraphBuilder* builder = this_thread.builder ? trace::GraphBuilder::innermost() : nullptr;
  return PyBool_FromLong(builder && builder->graph()->is_function);  // not in a tf.Graph
}

PyObject* devices(PyObject*, PyObject*) {
  Ref list = checked(PyList_New(0));
  const auto add = [&](const char* kind, int index) {
    Ref one = checked(Py_BuildValue("(si)", kind, index));
    if (PyList_Append(list.get(), one.get()) < 0) throw PythonErrorSet();
  };
  add("CPU", 0);
  for (int i = 0; i < gpu::count(); ++i) add("GPU", i);
  return list.release();
}

PyObject* gpu_details(PyObject*, PyObject* index) {
  const long i = PyLong_AsLong(index);
  if (i == -1 && PyErr_Occurred()) throw PythonErrorSet();
  if (i < 0 || i >= gpu::count()) fail(ErrorKind::kValue, "there is no GPU ", i);
  const gpu::Info& info = gpu::info(static_cast<int>(i));
  return Py_BuildValue("{s:s,s:(ii)}", "device_name", info.name.c_str(), "compute_capability", info.major,
                       info.minor);
}

// Compared with the count of tensors, it tells whether an op ran or a tensor was made since the import.
uint64_t tensors_at_start = 0;
bool something_ran() {
  const bool is = next_tensor_id() > tensors_at_start + 1;
  if (!is) ++tensors_at_start;  // this call makes a tensor itself
  return is;
}
PyObject* has_run(PyObject*, PyObject*) { return PyBool_FromLong(something_ran()); }

int threads_within = 0, threads_between = 0;  // 0: as many as cores

PyObject* set_threads(int& threads, const char* what, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"num_threads", nullptr};
  PyObject* given;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:set_threads", const_cast<char**>(names), &given))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const int wanted = static_cast<int>(PyLong_AsLong(given));
    const bool is_number = !PyErr_Occurred();
    if ((!is_number || wanted != threads) && something_ran()) {
      clear_only(PyExc_Exception);
      fail(ErrorKind::kRuntime, what, " op parallelism cannot be modified after initialization: set it before the "
                                      "first op runs");
    }
    if (!is_number) throw PythonErrorSet();
    if (wanted < 0) fail(ErrorKind::kValue, "num_threads must be 0 (as many as there are cores) or more, got ", wanted);
    threads = wanted;
    if (&threads == &threads_within) set_pool_size(wanted);
    else set_max_parallel_steps(wanted);
    Py_RETURN_NONE;
  });
}
PyObject* set_within(PyObject*, PyObject* a, PyObject* k) { return set_threads(threads_within, "Intra", a, k); }
PyObject* set_between(PyObject*, PyObject* a, PyObject* k) { return set_threads(threads_between, "Inter", a, k); }
PyObject* get_within(PyObject*, PyObject*) { return PyLong_FromLong(threads_within); }
PyObject* get_between(PyObject*, PyObject*) { return PyLong_FromLong(threads_between); }

template <void (*set)(bool)>
PyObject* set_switch(PyObject*, PyObject* on) {
  set(is_true(on));
  Py_RETURN_NONE;
}

PyObject* set_seed(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* seed;
  parse_keywords(args, keywords, "O:set_seed", {"seed"}, &seed);
  if (seed == Py_None) {
    if (this_thread.builder) random::set_graph_seed({});
    else random::set_global_seed(now_ns());  // as random as no seed
  } else {
    Ref index = checked(PyFloat_Check(seed) ? PyNumber_Long(seed) : PyNumber_Index(seed));
    const long long s = PyLong_AsLongLong(index.get());
    if (s == -1 && PyErr_Occurred()) return nullptr;
    if (this_thread.builder) random::set_graph_seed(s);
    else random::set_global_seed(s);
  }
  Py_RETURN_NONE;
}

PyObject* num_gpus(PyObject*, PyObject*) { return PyLong_FromLong(gpu::count()); }
PyObject* nothing(PyObject*, PyObject*, PyObject*) { Py_RETURN_NONE; }
PyObject* get_soft(PyObject*, PyObject*) { return PyBool_FromLong(soft_placement); }
PyObject* set_soft(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* on;
  parse_keywords(args, keywords, "O:set_soft_device_placement", {"enabled"}, &on);
  soft_placement = is_true(on);
  Py_RETURN_NONE;
}

PyMethodDef run_method = {
    "run_functions_eagerly", as_method(guard<run_functions_eagerly>), METH_VARARGS | METH_KEYWORDS,
    "run_functions_eagerly(run_eagerly)\n--\n\nWhether tf.functions run their Python body on every call."};
PyMethodDef are_method = {"functions_run_eagerly", are_run_eagerly, METH_NOARGS,
                          "functions_run_eagerly()\n--\n\nSee run_functions_eagerly."};
PyMethodDef eager_method = {"executing_eagerly", executing_eagerly, METH_NOARGS,
                            "executing_eagerly()\n--\n\nFalse while a function is being traced."};
PyMethodDef inside_method = {"inside_function", inside_function, METH_NOARGS,
                             "inside_function()\n--\n\nTrue while a function is being traced."};
PyMethodDef engine_methods[] = {  // for the namespace _config, from which the Python side builds its API
    {"devices", guard<devices>, METH_NOARGS, nullptr},
    {"gpu_details", guard<gpu_details>, METH_O, nullptr},
    {"has_run", has_run, METH_NOARGS, nullptr},
    {"check_numerics", set_switch<check_numerics>, METH_O, nullptr},
    {"log_placement", set_switch<log_placement>, METH_O, nullptr},
    {"want_seeds", set_switch<random::require_seeds>, METH_O, nullptr},
};
PyMethodDef thread_methods[] = {
    {"get_intra_op_parallelism_threads", get_within, METH_NOARGS,
     "get_intra_op_parallelism_threads()\n--\n\nThreads that work on one op; 0: as many as cores."},
    {"set_intra_op_parallelism_threads", as_method(set_within), METH_VARARGS | METH_KEYWORDS,
     "set_intra_op_parallelism_threads(num_threads)\n--\n\nThreads that work on one op; 0: as many as cores."},
    {"get_inter_op_parallelism_threads", get_between, METH_NOARGS,
     "get_inter_op_parallelism_threads()\n--\n\nThreads that run ops side by side; 0: as many as cores."},
    {"set_inter_op_parallelism_threads", as_method(set_between), METH_VARARGS | METH_KEYWORDS,
     "set_inter_op_parallelism_threads(num_threads)\n--\n\nThreads that run ops side by side."},
};
PyMethodDef seed_method = {"set_seed", as_method(guard<set_seed>), METH_VARARGS | METH_KEYWORDS,
                           "set_seed(seed)\n--\n\nThe global seed of random ops."};
PyMethodDef gpus_method = {"num_gpus", guard<num_gpus>, METH_NOARGS, "num_gpus()\n--\n\nThe number of GPUs."};
PyMethodDef enable_method = {"enable_eager_execution", as_method(nothing), METH_VARARGS | METH_KEYWORDS,
                             "enable_eager_execution()\n--\n\nEager execution is always on: does nothing."};
PyMethodDef get_soft_method = {"get_soft_device_placement", get_soft, METH_NOARGS, nullptr};
PyMethodDef set_soft_method = {"set_soft_device_placement", as_method(guard<set_soft>), METH_VARARGS | METH_KEYWORDS,
                               nullptr};

}  // namespace

void init_config() {
  for (const char* filled_in_python : {"test", "version", "config.experimental", "debugging", "train",
                                       "compat.v1.train"})
    namespace_of(filled_in_python);
  for (PyMethodDef& m : engine_methods) publish_function(str("_config.", m.ml_name).c_str(), &m);
  for (PyMethodDef& m : thread_methods) publish_function(str("config.threading.", m.ml_name).c_str(), &m);
  publish_function("config.run_functions_eagerly", &run_method);
  publish_function("config.experimental_run_functions_eagerly", &run_method);
  publish_function("config.functions_run_eagerly", &are_method);
  publish_function("config.get_soft_device_placement", &get_soft_method);
  publish_function("config.set_soft_device_placement", &set_soft_method);
  publish_function("executing_eagerly", &eager_method);
  publish_function("inside_function", &inside_method);
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
