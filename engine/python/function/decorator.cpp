// tf.function itself: options, the forms of the decorator, and the public names of this folder.
#include "engine/base/text.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/concrete.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/function/call/signature.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/compare.h"
#include "engine/python/function/observed/values.h"
#include "engine/python/function/tracing/collected.h"
#include "engine/python/function/tracing/control.h"
#include "engine/python/function/tracing/graph_parts.h"
#include "engine/python/function/tracing/source.h"
#include "engine/python/function/tracing/vectorized.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/record/recorder.h"
#include "engine/trace/function_recording.h"

namespace footlight::python {
namespace {

void check_specs(PyObject* item) {
  if (is_spec(item) || is_variable(item)) return;
  const Level level("input_signature");
  if (PyList_Check(item) || PyTuple_Check(item)) {
    for (PyObject* one : Items::stored(item)) check_specs(one);
    return;
  }
  if (flattens_itself(item)) {
    for (const Ref& part : flattened(item).components) check_specs(part.get());
    return;
  }
  if (is_mapping(item)) {
    Ref values = checked(PyMapping_Values(item));
    return check_specs(values.get());
  }
  if (!PyType_Check(item) && has_attribute(item, "dtype") && has_attribute(item, "shape"))
    return;  // a VariableSpec
  if (is_typed_composite(item) || has_custom_type(item)) return;
  fail(ErrorKind::kType,
       "input_signature must be a possibly nested sequence of tf.TensorSpec objects, it holds ",
       repr_of(item));
}

Ref signature_tuple(PyObject* given) {
  if (!given || given == Py_None) return Ref();
  if (!PyList_Check(given) && !PyTuple_Check(given))
    fail(ErrorKind::kType,
         "input_signature must be either a tuple or a list, with one entry for each argument, not a ",
         Py_TYPE(given)->tp_name);
  check_specs(given);
  return checked(PySequence_Tuple(given));
}

bool truth(PyObject* o, bool otherwise) {
  return !o || o == Py_None ? otherwise : is_true(o);
}

// Whether tf.autograph.experimental.Feature.NAME is among these: one, several, or ALL.
bool has_feature(PyObject* features, const char* name) {
  if (!features || features == Py_None) return false;
  if (PyList_Check(features) || PyTuple_Check(features) || PyAnySet_Check(features)) {
    bool any = false;
    for (PyObject* one : Items(features)) any |= has_feature(one, name);
    return any;
  }
  const Ref own = optional_attribute(features, "name");
  return own && PyUnicode_Check(own.get()) &&
         (PyUnicode_CompareWithASCIIString(own.get(), name) == 0 ||
          PyUnicode_CompareWithASCIIString(own.get(), "ALL") == 0);
}

// Attributes allowed for a function in a library.
constexpr std::string_view kAttributes[] = {"api_implements",
                                            "api_preferred_device",
                                            "_disable_acd",
                                            "disable_summaries_at_runtime",
                                            "go_backwards",
                                            "_implements",
                                            "experimental_ints_on_device",
                                            "_noinline",
                                            "function_runs_at_most_once",
                                            "runtime_constant_optimization",
                                            "_tf_data_function",
                                            "time_major",
                                            "_OutputsOnOpDevice"};

[[noreturn]] void not_an_attribute(const std::string& name, PyObject* value) {
  fail(ErrorKind::kValue, "Attribute ", name, " must be bool, int, float, string, list, or AttrValue. Got ",
       repr_of(reinterpret_cast<PyObject*>(Py_TYPE(value))), ".");
}

std::string text_in(PyObject* value) { return PyBytes_Check(value) ? PyBytes_AsString(value) : readable(value); }

AttrValue attribute_list(const std::string& name, PyObject* list) {
  const Items items = Items::stored(list);
  const auto all = [&](auto&& is) { return std::ranges::all_of(items, is); };
  if (all([](PyObject* o) { return PyUnicode_Check(o) || PyBytes_Check(o); })) {
    std::vector<std::string> texts;
    for (PyObject* item : items) texts.push_back(text_in(item));
    return texts;
  }
  if (all([](PyObject* o) { return PyLong_CheckExact(o); })) {
    std::vector<int64_t> numbers;
    for (PyObject* item : items) numbers.push_back(PyLong_AsLongLong(item));
    if (PyErr_Occurred()) throw PythonErrorSet();
    return numbers;
  }
  if (!all([](PyObject* o) { return PyFloat_Check(o); })) not_an_attribute(name, list);
  std::vector<float> numbers;
  for (PyObject* item : items) numbers.push_back(static_cast<float>(PyFloat_AsDouble(item)));
  return numbers;
}

AttrValue attribute_value(const std::string& name, PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  if (PyLong_Check(value)) {
    const long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
    return static_cast<int64_t>(number);
  }
  if (PyFloat_Check(value)) return static_cast<float>(PyFloat_AsDouble(value));
  if (PyUnicode_Check(value) || PyBytes_Check(value)) return text_in(value);
  if (PyList_Check(value)) return attribute_list(name, value);
  if (!has_attribute(value, "WhichOneof")) not_an_attribute(name, value);
  const Ref which = checked(PyObject_CallMethod(value, "WhichOneof", "s", "value"));  // an AttrValue
  const std::string kind = which.get() == Py_None ? "" : readable(which.get());
  if (kind != "b" && kind != "i" && kind != "f" && kind != "s") not_an_attribute(name, value);
  return attribute_value(name, checked(PyObject_GetAttr(value, which.get())).get());
}

void read_attributes(PyObject* given, PyObject* implements, FunctionOptions& options) {
  if (given && given != Py_None) {
    for (PyObject* pair : Items(checked(PyMapping_Items(given)).get())) {
      const std::string name = str_of(PyTuple_GET_ITEM(pair, 0));
      if (std::ranges::find(kAttributes, name) == std::end(kAttributes))
        fail(ErrorKind::kValue, "`", name, "` is not supported by tf.function as an attribute.");
      options.attributes.set(AttrName(name), attribute_value(name, PyTuple_GET_ITEM(pair, 1)));
    }
  }
  if (implements && implements != Py_None)
    options.attributes.set("_implements"_attr, attribute_value("_implements", implements));
  options.pure = options.attributes.find("_implements"_attr) != nullptr;
}

PyObject* function(PyObject*, PyObject* args, PyObject* keywords);
PyMethodDef decorate_method;

// The result of `tf.function(...)` without a function: `self` holds the keywords.
PyObject* decorate(PyObject* self, PyObject* callable) {
  Ref args = Ref::steal(PyTuple_Pack(1, callable));
  return args ? function(nullptr, args.get(), self) : nullptr;
}

PyObject* function(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"func",
                                "input_signature",
                                "autograph",
                                "jit_compile",
                                "reduce_retracing",
                                "experimental_implements",
                                "experimental_autograph_options",
                                "experimental_attributes",
                                "experimental_relax_shapes",
                                "experimental_compile",
                                "experimental_follow_type_hints",
                                nullptr};
  PyObject *callable = Py_None, *signature = nullptr, *autograph = nullptr, *jit = nullptr, *reduce = nullptr,
           *implements = nullptr, *autograph_options = nullptr, *attributes = nullptr, *relax = nullptr,
           *compile = nullptr, *hints = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOOOOOOOOOO:function", const_cast<char**>(names),
                                   &callable, &signature, &autograph, &jit, &reduce, &implements,
                                   &autograph_options, &attributes, &relax, &compile, &hints))
    return nullptr;
  return guarded([&]() -> PyObject* {
    FunctionOptions options;
    options.input_signature = signature_tuple(signature);
    options.autograph = truth(autograph, true);
    options.stages_prints = has_feature(autograph_options, "BUILTIN_FUNCTIONS");
    options.reduce_retracing = truth(reduce, false) || truth(relax, false);
    read_attributes(attributes, implements, options);
    if (compile && compile != Py_None) options.jit_compile = Ref::borrow(compile);
    if (jit && jit != Py_None) options.jit_compile = Ref::borrow(jit);
    if (options.jit_compile && options.jit_compile.get() == Py_True) {
      options.attributes.set(AttrName("_XlaMustCompile"), true);
      options.attributes.set(AttrName("_noinline"), true);
    }
    Ref kept = checked(keywords ? PyDict_Copy(keywords) : PyDict_New());
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(args); ++i)
      if (PyDict_SetItemString(kept.get(), names[i], PyTuple_GET_ITEM(args, i)) < 0) throw PythonErrorSet();
    if (PyDict_DelItemString(kept.get(), "func") < 0) clear_only(PyExc_KeyError);
    if (callable == Py_None) return PyCFunction_New(&decorate_method, kept.get());
    if (PyDict_GET_SIZE(kept.get())) options.given = std::move(kept);
    if (!PyCallable_Check(callable))
      fail(ErrorKind::kType, "tf.function needs something that can be called: ", repr_of(callable),
           " is not a callable object");
    Ref made = make_function(callable, options);
    if (options.input_signature) check_signature(core_of(made.get()));
    return made.release();
  });
}

PyObject* get_logger(PyObject*, PyObject*) {
  Ref logging = Ref::steal(PyImport_ImportModule("logging"));
  return logging ? PyObject_CallMethod(logging.get(), "getLogger", "s", "tensorflow") : nullptr;
}

PyMethodDef decorate_definition = {"decorator", decorate, METH_O, "Makes a tf.function of a function."};
PyMethodDef function_definition = {
    "function", as_method(function), METH_VARARGS | METH_KEYWORDS,
    "function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False, "
    "experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None, "
    "experimental_relax_shapes=None, experimental_compile=None, experimental_follow_type_hints=None)\n--\n\n"
    R"(Traces a Python function into graphs: one for each kind of arguments.

A call with tensors of a new dtype or shape, or with another Python value, runs the function once with symbols in
place of its tensors and keeps the graph. Later calls run the graph: what the function does to Python's objects
happens only while it is traced.

  >>> @tf.function
  ... def double(x):
  ...     print('traced')
  ...     return x * 2
  >>> print(double(tf.constant(3)))
  traced
  tf.Tensor(6, shape=(), dtype=int32)
  >>> print(double(tf.constant(5)))
  tf.Tensor(10, shape=(), dtype=int32)

Args:
  func: the function; without it the result is a decorator, as in @tf.function(reduce_retracing=True).
  input_signature: a tf.TensorSpec for each argument, in a list or tuple; one graph then serves all calls.
  autograph: whether `if`, `while` and `for` over tensors become part of the graph.
  jit_compile: True allows experimental_get_compiler_ir(); hot loops are compiled with and without it.
  reduce_retracing: whether a new shape makes a graph for several shapes instead of one more.
  experimental_implements: a name for what the function does, kept as an attribute of its graphs.
  experimental_autograph_options: members of tf.autograph.experimental.Feature; BUILTIN_FUNCTIONS stages print().
  experimental_attributes: a dict of further attributes of its graphs.
  experimental_relax_shapes: the old name of reduce_retracing.
  experimental_compile: the old name of jit_compile.
  experimental_follow_type_hints: has no effect.)"};
// Called at the end of a run, while Python still works.
PyObject* warn_of_retracing(PyObject*, PyObject*) {
  for (const std::string& sentence : trace::retracing_after_warnings()) log_warning(sentence);
  return Py_NewRef(Py_None);
}
PyMethodDef at_exit_definition = {"warn_of_retracing", guard<warn_of_retracing>, METH_NOARGS, nullptr};

void register_exit_handler() {
  const Ref atexit = checked(PyImport_ImportModule("atexit"));
  const Ref function = checked(PyCFunction_New(&at_exit_definition, nullptr));
  checked(PyObject_CallMethod(atexit.get(), "register", "O", function.get()));
}

PyMethodDef logger_definition = {"get_logger", get_logger, METH_NOARGS, "The logger that warnings go to."};

}  // namespace

void init_function(PyObject* module) {
  decorate_method = decorate_definition;
  init_function_type();
  init_concrete(module);
  init_captures(module);
  init_graph_parts(module);
  init_collected(module);
  init_function_control();
  init_vectorized();
  init_compare();
  init_values();
  publish_function("function", &function_definition);
  publish_function("get_logger", &logger_definition);
  register_exit_handler();
  record::on_recording_stopping(trace::record_eviction_totals);
  publish("types.experimental.PolymorphicFunction", reinterpret_cast<PyObject*>(function_type));
}

}  // namespace footlight::python
