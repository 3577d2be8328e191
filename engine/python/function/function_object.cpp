// The type of tf.function objects: methods of instances, attributes, traces as objects.
#include "engine/python/function/function_object.h"

#include "engine/base/call_stack.h"
#include "engine/compile/print.h"
#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/call.h"
#include "engine/python/function/call/concrete.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/call/object_ids.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/call/signature.h"
#include "engine/python/function/observed/compare.h"
#include "engine/python/function/observed/values.h"
#include "engine/python/function/pickle.h"
#include "engine/python/function/tracing/source.h"
#include "engine/python/function/tracing/trace.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/trackable_object.h"

#include <algorithm>
#include <vector>

namespace footlight::python {

PyTypeObject* function_type = nullptr;
bool is_function(PyObject* o) { return Py_TYPE(o) == function_type; }

namespace {

// An instance keeps this for a method: traces and attributes, but no reference to the instance, which only the garbage
// collector could free then. Reading the method creates a PyTracedFunction, which holds the instance.
struct PyKeptMethod {
  PyObject_HEAD
  FunctionCore* core;
  PyObject* attributes;       // the function's `dict`
  PyObject* weakrefs;         // a key names it, not what is bound
  PyTracedFunction* bound;    // while somebody holds it
};

void destroy(PyObject* self) {
  auto* f = reinterpret_cast<PyTracedFunction*>(self);
  PyObject_GC_UnTrack(self);
  if (f->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(f->dict);
  if (f->method) {
    reinterpret_cast<PyKeptMethod*>(f->method)->bound = nullptr;
    // These may be the last to hold the instance.
    const Ref function = f->core->decorated ? Ref() : std::exchange(f->core->python_function, Ref());
    const Ref converted = std::exchange(f->core->converted, Ref());
    const Ref method = Ref::steal(f->method);
    PyObject_GC_Del(self);
    return;
  }
  delete f->core;
  PyObject_GC_Del(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  auto* f = reinterpret_cast<PyTracedFunction*>(self);
  Py_VISIT(f->dict);
  Py_VISIT(f->method);
  if (f->core) {
    Py_VISIT(f->core->python_function.get());
    Py_VISIT(f->core->converted.get());  // the same object again where nothing is converted: a reference of its own
  }
  return 0;
}

int clear(PyObject* self) {
  auto* f = reinterpret_cast<PyTracedFunction*>(self);
  Py_CLEAR(f->dict);
  if (f->core) {
    const Ref function = std::exchange(f->core->python_function, Ref::borrow(Py_None));
    const Ref converted = std::exchange(f->core->converted, Ref());
  }
  return 0;
}

void destroy_method(PyObject* self) {
  auto* method = reinterpret_cast<PyKeptMethod*>(self);
  PyObject_GC_UnTrack(self);
  if (method->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(method->attributes);
  delete method->core;
  PyObject_GC_Del(self);
}
int traverse_method(PyObject* self, visitproc visit, void* arg) {
  auto* method = reinterpret_cast<PyKeptMethod*>(self);
  Py_VISIT(method->attributes);
  if (!method->bound) Py_VISIT(method->core->python_function.get());  // only where it was decorated
  return 0;
}
int clear_method(PyObject* self) {
  auto* method = reinterpret_cast<PyKeptMethod*>(self);
  Py_CLEAR(method->attributes);
  if (!method->bound) const Ref function = std::exchange(method->core->python_function, Ref());
  return 0;
}
PyTypeObject method_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

// A dictionary that is pickled and copied as an empty one.
PyObject* reduce_to_nothing(PyObject*, PyObject*) { return Py_BuildValue("(O())", &PyDict_Type); }
PyMethodDef functions_methods[] = {{"__reduce__", reduce_to_nothing, METH_NOARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};
PyTypeObject functions_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

// The functions of one instance, stored in its own dictionary, so they die with it. A copied instance gets new ones.
Ref functions_of(PyObject* instance) {
  static PyObject* const name = PyUnicode_InternFromString("__footlight_functions__");
  Ref own = Ref::steal(PyObject_GenericGetDict(instance, nullptr));
  if (!own) {
    clear_only(PyExc_AttributeError);
    return {};
  }
  Ref owner = checked(PyLong_FromVoidPtr(instance));
  const Ref known = Ref::borrow(find_item(own.get(), name));
  if (known && PyDict_Check(known.get())) {
    const Ref of = Ref::borrow(find_item(known.get(), Py_None));
    if (of && are_equal(of.get(), owner.get())) return known;
  }
  Ref fresh = checked(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&functions_type)));
  if (PyDict_SetItem(fresh.get(), Py_None, owner.get()) < 0 ||
      PyDict_SetItem(own.get(), name, fresh.get()) < 0)
    throw PythonErrorSet();
  return fresh;
}

PyTracedFunction* new_function();

// The function that whoever asks an instance for a method gets: the same one as long as somebody holds it.
PyObject* bound(PyKeptMethod* method, PyObject* python_function, PyObject* instance) {
  if (method->bound) return Py_NewRef(reinterpret_cast<PyObject*>(method->bound));
  Ref own;
  if (!method->core->python_function) own = checked(PyMethod_New(python_function, instance));
  PyTracedFunction* const f = new_function();
  f->core = method->core;
  f->dict = Py_XNewRef(method->attributes);
  f->method = Py_NewRef(reinterpret_cast<PyObject*>(method));
  if (own) f->core->python_function = std::move(own);
  method->bound = f;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(f));
  return reinterpret_cast<PyObject*>(f);
}

// Lets an instance keep what its new function has, under the class's function.
void keep(PyObject* functions, PyObject* of, PyObject* made) {
  auto* const f = reinterpret_cast<PyTracedFunction*>(made);
  if (PyDict_DelItemString(f->dict, "__wrapped__") < 0) throw PythonErrorSet();  // it holds the instance
  f->method = new_object<PyKeptMethod>(method_type, f->core, Py_NewRef(f->dict), nullptr, f).release();
  if (PyDict_SetItem(functions, of, f->method) < 0) throw PythonErrorSet();
}

// A method: the instance gets a Function of its own.
PyObject* bind_to(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(self);
  return guarded([&]() -> PyObject* {
    const Ref known = functions_of(instance);
    auto* f = reinterpret_cast<PyTracedFunction*>(self);
    if (known)
      if (PyObject* found = find_item(known.get(), self); found && Py_IS_TYPE(found, &method_type))
        return bound(reinterpret_cast<PyKeptMethod*>(found), f->core->python_function.get(), instance);
    Ref method = checked(PyMethod_New(f->core->python_function.get(), instance));
    Ref made = make_function(method.get(), f->core->options);
    FunctionCore& core = core_of(made.get());
    core.name = f->core->name;
    core.qualified_name = f->core->qualified_name;
    core.made_at = f->core->made_at;
    core.self_number = object_number(instance);
    core.function.belong_to(f->core->function, core.self_number);
    if (known) keep(known.get(), self, made.get());
    return made.release();
  });
}

// Copies of an object that holds a function share it.
PyObject* copy_self(PyObject* self, PyObject*) { return Py_NewRef(self); }

// A function with the same options, of another Python function.
PyObject* clone(PyObject* self, PyObject* arguments, PyObject* keywords) {
  PyObject* callable = Py_None;
  parse_keywords(arguments, keywords, "|O:_clone", {"python_function"}, &callable);
  const FunctionCore& core = core_of(self);
  if (callable == Py_None) callable = core.python_function.get();
  if (!PyCallable_Check(callable)) fail(ErrorKind::kType, repr_of(callable), " is not a callable object");
  return make_function(callable, core.options).release();
}
// Puts a decorated function in the place of the Python function, before anything was traced.
PyObject* redecorate(PyObject* self, PyObject* decorator) {
  FunctionCore& core = core_of(self);
  if (core.function.tracing_count() > 0)
    fail(ErrorKind::kValue, "Functions cannot be decorated after they have been traced.");
  core.python_function = checked(PyObject_CallOneArg(decorator, core.python_function.get()));
  core.converted = {};
  core.decorated = true;
  Py_RETURN_NONE;
}

PyObject* tracing_count(PyObject* self, PyObject*) { return PyLong_FromLong(core_of(self).function.tracing_count()); }

std::shared_ptr<TraceEntry> trace_for(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  FunctionCore& core = core_of(self);
  core.prepare();
  BoundArguments bound;
  if (core.options.input_signature && nargs == 0 && !kwnames) {
    // The declared specs stand for the arguments.
    PyObject* specs = core.options.input_signature.get();
    bind_arguments(core.signature, core.name, PySequence_Fast_ITEMS(specs), PyTuple_GET_SIZE(specs), nullptr, bound);
  } else {
    bind_arguments(core.signature, core.name, args, nargs, kwnames, bound);
  }
  if (core.options.input_signature) apply_signature(core, bound);
  if (core.options.pure) make_tensors(bound);
  std::vector<PyObject*> values;
  for (const Ref& value : bound.values) values.push_back(value.get());
  CallKey key;
  write_key(core, values, key);
  bool traced;
  const auto entry = std::static_pointer_cast<TraceEntry>(
      core.function.find_or_trace({key.key.words.data(), key.key.words.size()}, CallArguments(key, values),
                                  session::TraceReason::kGetConcreteFunction, traced));
  return key.has_specs ? with_names(core, entry, values) : entry;
}

PyObject* concrete_of_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return concrete_object(self, trace_for(self, args, nargs, kwnames)).release();
}

// Every stage gives the same form: the program as text.
PyObject* program_text(PyObject* text, PyObject* args, PyObject* kwargs) {
  const char *stage = "hlo", *device = nullptr, *platform = nullptr;
  static const char* names[] = {"stage", "device_name", "platform_name", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|szz", const_cast<char**>(names), &stage, &device, &platform))
    return nullptr;
  static constexpr std::string_view kStages[] = {"hlo", "hlo_no_metadata", "stablehlo", "optimized_hlo", "program"};
  if (std::ranges::find(kStages, std::string_view(stage)) == std::end(kStages))
    return PyErr_Format(PyExc_ValueError, "Invalid stage %s: a program is only printed in words", stage);
  return Py_NewRef(text);
}
PyMethodDef program_text_definition = {"compiler_ir",
                                       as_method(program_text),
                                       METH_VARARGS | METH_KEYWORDS, "The compiled program in words."};

PyObject* compiler_ir(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Ref& jit = core_of(self).options.jit_compile;
  if (!jit || jit.get() != Py_True)
    fail(ErrorKind::kValue, "Compiler IR can only be returned for functions marked with 'jit_compile=True'");
  const std::string text = compile::to_text(trace_for(self, args, nargs, kwnames)->concrete->program());
  return checked(PyCFunction_New(&program_text_definition, text_object(text).get())).release();
}

PyObject* pretty(PyObject* self, PyObject*) {
  std::string out;
  for (const auto& trace : core_of(self).function.traces())
    out += (out.empty() ? "" : "\n\n") + signature_block(static_cast<const TraceEntry&>(*trace));
  return PyUnicode_FromStringAndSize(out.data(), static_cast<Py_ssize_t>(out.size()));
}

PyObject* all_concrete(PyObject* self, PyObject*) {
  return list_of(core_of(self).function.traces(), [&](const auto& trace) {
           return concrete_object(self, std::static_pointer_cast<TraceEntry>(trace));
         }).release();
}

PyObject* get_python_function(PyObject* self, void*) { return Py_NewRef(core_of(self).python_function.get()); }
PyObject* get_input_signature(PyObject* self, void*) {
  const Ref& signature = core_of(self).options.input_signature;
  return Py_NewRef(signature ? signature.get() : Py_None);
}
PyObject* get_signature(PyObject* self, void*) {
  Ref inspect = checked(PyImport_ImportModule("inspect"));
  return PyObject_CallMethod(inspect.get(), "signature", "O", core_of(self).python_function.get());
}
PyObject* get_jit(PyObject* self, void*) {
  const Ref& jit = core_of(self).options.jit_compile;
  return Py_NewRef(jit ? jit.get() : Py_None);
}
// Set by a decorator, or the function it was made from.
PyObject* get_wrapped(PyObject* self, void*) {
  static PyObject* const name = PyUnicode_InternFromString("__wrapped__");
  PyObject* const dict = reinterpret_cast<PyTracedFunction*>(self)->dict;
  PyObject* const set = dict ? find_item(dict, name) : nullptr;
  return Py_NewRef(set ? set : core_of(self).python_function.get());
}
int set_wrapped(PyObject* self, PyObject* value, void*) {
  PyObject* const dict = reinterpret_cast<PyTracedFunction*>(self)->dict;
  return value ? PyDict_SetItemString(dict, "__wrapped__", value) : PyDict_DelItemString(dict, "__wrapped__");
}
PyObject* get_name(PyObject* self, void*) { return text_object(core_of(self).name).release(); }

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<footlight.Function '%s' at %p>", core_of(self).qualified_name.c_str(), self);
}

PyMethodDef methods[] = {
    {"experimental_get_tracing_count", tracing_count, METH_NOARGS, "How often the function was traced."},
    {"get_concrete_function", as_method(guard<concrete_of_call>), METH_FASTCALL | METH_KEYWORDS,
     "The trace for arguments like these (values, or TensorSpecs), made when there is none."},
    {"pretty_printed_concrete_signatures", guard<pretty>, METH_VARARGS, "The traces, one block each."},
    {"experimental_get_compiler_ir", as_method(guard<compiler_ir>), METH_FASTCALL | METH_KEYWORDS,
     "A function that gives the program for arguments like these in words: what runs together, what cannot, costs."},
    {"__deepcopy__", copy_self, METH_O, nullptr},
    {"__copy__", copy_self, METH_NOARGS, nullptr},
    {"__reduce__", reduce_function, METH_NOARGS, nullptr},
    {"_clone", as_method(guard<clone>), METH_VARARGS | METH_KEYWORDS,
     "A function with the same options, of another Python function."},
    {"_decorate", guard<redecorate>, METH_O, "Decorates the Python function, which has not been traced yet."},
    {"_list_all_concrete_functions", guard<all_concrete>, METH_NOARGS, "All traces."},
    {nullptr, nullptr, 0, nullptr}};

// The keywords that tf.function was given.
PyObject* get_options(PyObject* self, void*) {
  const Ref& given = core_of(self).options.given;
  return given ? PyDict_Copy(given.get()) : PyDict_New();
}

PyGetSetDef properties[] = {
    {"_options", get_options, nullptr, nullptr, nullptr},
    {"python_function", get_python_function, nullptr, "the function that is traced", nullptr},
    {"_python_function", get_python_function, nullptr, nullptr, nullptr},
    {"input_signature", get_input_signature, nullptr, "the declared signature, or None", nullptr},
    {"__signature__", guard<get_signature>, nullptr, nullptr, nullptr},
    {"_jit_compile", get_jit, nullptr, nullptr, nullptr},
    {"name", guard<get_name>, nullptr, nullptr, nullptr},
    {"__wrapped__", guard<get_wrapped>, set_wrapped, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

std::string class_name(PyObject* o) {
  const std::string name = Py_TYPE(o)->tp_name;
  return name.substr(name.rfind('.') + 1);
}

std::string text_attribute(PyObject* o, const char* name, const std::string& otherwise) {
  const Ref value = optional_attribute(o, name);
  return value && PyUnicode_Check(value.get()) ? readable(value.get()) : otherwise;
}

}  // namespace

FunctionCore::FunctionCore(PyObject* callable, const FunctionOptions& o)
    : python_function(Ref::borrow(callable)),
      name(text_attribute(callable, "__name__", class_name(callable))),
      qualified_name(name_by_library(text_attribute(callable, "__qualname__", name))),
      options(o),
      made_at(caller_source()),
      function(*this, {.reduce_retracing = o.reduce_retracing},
               trace::definition_at(qualified_name, definition_place(callable))) {}

namespace {
// Empty, and not known to the garbage collector yet.
PyTracedFunction* new_function() {
  auto* f = PyObject_GC_New(PyTracedFunction, &type);
  if (!f) throw PythonErrorSet();
  f->vectorcall = called_by(watched_by_values(call_function));
  f->core = nullptr;
  f->dict = f->weakrefs = f->method = nullptr;
  return f;
}
}  // namespace

PyObject* lasting(PyObject* function) {
  PyObject* const method = reinterpret_cast<PyTracedFunction*>(function)->method;
  return method ? method : function;
}

Ref make_function(PyObject* callable, const FunctionOptions& options) {
  PyTracedFunction* const f = new_function();
  Ref object = Ref::steal(reinterpret_cast<PyObject*>(f));
  f->core = new FunctionCore(callable, options);
  f->dict = checked(PyDict_New()).release();
  // The function gets the callable's own attributes, such as the variables of an object with __call__.
  if (const Ref own = optional_attribute(callable, "__dict__"); own && PyDict_Check(own.get()))
    if (PyDict_Merge(f->dict, own.get(), 0) < 0) throw PythonErrorSet();
  for (const char* name : {"__module__", "__name__", "__qualname__", "__doc__"})
    if (const Ref value = optional_attribute(callable, name))
      if (PyDict_SetItemString(f->dict, name, value.get()) < 0) throw PythonErrorSet();
  if (PyDict_SetItemString(f->dict, "__wrapped__", callable) < 0) throw PythonErrorSet();
  PyObject_GC_Track(object.get());
  return object;
}

void init_function_type() {
  define_type<PyTracedFunction>(type, "footlight.Function",
                                {.doc = "A Python function that is traced into graphs.",
                                 .base = trackable_type,
                                 .flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .destroy = destroy,
                                 .traverse = traverse,
                                 .clear = clear,
                                 .repr = guard<repr>,
                                 .bind = bind_to,
                                 .properties = properties,
                                 .methods = methods});
  define_type<PyKeptMethod>(method_type, "footlight.Function",
                            {.flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .destroy = destroy_method,
                             .traverse = traverse_method,
                             .clear = clear_method});
  define_type(functions_type, "footlight.Functions",
              {.doc = "the traced methods of one instance", .base = &PyDict_Type, .methods = functions_methods});
  function_type = &type;
}

}  // namespace footlight::python
