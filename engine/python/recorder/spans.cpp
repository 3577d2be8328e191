// Spans and counters from Python: a context manager, a callable that times another one, a function.
#include "engine/python/recorder/module.h"

#include "engine/base/clock.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/record/spans.h"

#include <cstddef>
#include <new>

namespace footlight::python {
namespace {

// A JSON object of a dict; what JSON cannot say becomes its str().
std::string json_of(PyObject* dict) {
  const Ref json = checked(PyImport_ImportModule("json"));
  const Ref dumps = checked(PyObject_GetAttrString(json.get(), "dumps"));
  const Ref arguments = checked(PyTuple_Pack(1, dict));
  const Ref keywords = checked(Py_BuildValue("{s:O}", "default", &PyUnicode_Type));
  const Ref text = checked(PyObject_Call(dumps.get(), arguments.get(), keywords.get()));
  return readable(text.get());
}

// ---- span(name, category='', **args) as a context manager --------------------------------------------------------
struct Span {
  PyObject_HEAD std::string name, category;
  Ref args;  // a dict, or null
  int64_t start_ns;  // 0: not entered, or nothing is recorded
};

PyObject* span_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) {
  PyObject *name, *category = nullptr;
  if (!PyArg_ParseTuple(positional, "U|U:span", &name, &category)) throw PythonErrorSet();
  std::string name_text = readable(name), category_text = category ? readable(category) : "";
  Ref args = keywords && PyDict_Size(keywords) ? checked(PyDict_Copy(keywords)) : Ref();
  return new_object_of<Span>(type, std::move(name_text), std::move(category_text), std::move(args)).release();
}

PyObject* span_enter(PyObject* self, PyObject*) {
  reinterpret_cast<Span*>(self)->start_ns = recording_structure() ? now_ns() : 0;
  return Py_NewRef(self);
}

PyObject* span_exit(PyObject* self, PyObject*) {
  auto* span = reinterpret_cast<Span*>(self);
  if (span->start_ns && recording_structure()) {
    const int64_t end_ns = now_ns();
    record::add_span(span->name, span->category, span->start_ns, end_ns, span->args ? json_of(span->args.get()) : "");
  }
  span->start_ns = 0;
  Py_RETURN_NONE;
}

PyMethodDef span_methods[] = {{"__enter__", span_enter, METH_NOARGS, nullptr},
                              {"__exit__", guard<span_exit>, METH_VARARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

PyTypeObject span_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

// ---- timed(callable, name=None, category='') ---------------------------------------------------------------------
// Stands in for a callable wherever that is used: as a method, a key, an argument of weakref.ref, in a pickle.
struct Timed {
  PyObject_HEAD vectorcallfunc vectorcall;
  Ref wrapped;
  std::string name, category;
  PyObject *dict, *weakrefs;
};

Timed* timed_of(PyObject* self) { return reinterpret_cast<Timed*>(self); }

PyObject* timed_call(PyObject* self, PyObject* const* args, size_t count, PyObject* keywords) {
  Timed* const timed = timed_of(self);
  if (!recording_structure()) return PyObject_Vectorcall(timed->wrapped.get(), args, count, keywords);
  const Ref kept = Ref::borrow(self);  // the callable may drop the last reference to this
  const int64_t start_ns = now_ns();
  PyObject* const result = PyObject_Vectorcall(timed->wrapped.get(), args, count, keywords);
  record::add_span(timed->name, timed->category, start_ns, now_ns());
  return result;
}

PyObject* timed_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* const kNames[] = {"callable", "name", "category", nullptr};
  PyObject *wrapped, *name = Py_None, *category = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OU:timed", const_cast<char**>(kNames), &wrapped, &name,
                                   &category))
    throw PythonErrorSet();
  if (!PyCallable_Check(wrapped)) throw Error(ErrorKind::kType, "timed: the first argument is not callable");
  Ref own_name = Ref::borrow(name);
  if (name == Py_None) {
    own_name = Ref::steal(PyObject_GetAttrString(wrapped, "__qualname__"));
    if (!own_name) clear_only(PyExc_AttributeError);
    if (!own_name) own_name = checked(PyType_GetQualName(Py_TYPE(wrapped)));
  }
  if (!PyUnicode_Check(own_name.get())) throw Error(ErrorKind::kType, "timed: the name must be a str");
  std::string name_text = readable(own_name.get()), category_text = category ? readable(category) : "";
  Ref made =
      new_object_of<Timed>(type, timed_call, Ref::borrow(wrapped), std::move(name_text), std::move(category_text));
  // __name__, __doc__, __module__, __wrapped__; what is in its __dict__ is looked up there (timed_getattr).
  const Ref functools = checked(PyImport_ImportModule("functools"));
  const Ref assigned = checked(PyObject_GetAttrString(functools.get(), "WRAPPER_ASSIGNMENTS"));
  checked(PyObject_CallMethod(functools.get(), "update_wrapper", "OOO()", made.get(), wrapped, assigned.get()));
  return made.release();
}

// What it has not itself, its callable may have: f.get_concrete_function.
PyObject* timed_getattr(PyObject* self, PyObject* name) {
  if (PyObject* own = PyObject_GenericGetAttr(self, name)) return own;
  if (!cleared_if(PyExc_AttributeError)) return nullptr;
  return PyObject_GetAttr(timed_of(self)->wrapped.get(), name);
}

PyObject* timed_bind(PyObject* self, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* timed_repr(PyObject* self) { return PyUnicode_FromFormat("<timed %R>", timed_of(self)->wrapped.get()); }

// What the name leads to from the module on; null: nothing.
Ref object_named(PyObject* module, PyObject* qualname) {
  const Ref dot = checked(PyUnicode_FromString("."));
  const Ref parts = checked(PyUnicode_Split(qualname, dot.get(), -1));
  Ref found = Ref::steal(PyImport_Import(module));
  for (Py_ssize_t i = 0; found && i < PyList_GET_SIZE(parts.get()); ++i)
    found = Ref::steal(PyObject_GetAttr(found.get(), PyList_GET_ITEM(parts.get(), i)));
  if (!found) clear_only(PyExc_Exception);
  return found;
}

// By its name where that leads to this very object, as functions are; else with all that it is made of.
PyObject* timed_reduce(PyObject* self, PyObject*) {
  Timed* const timed = timed_of(self);
  const Ref module = Ref::steal(PyObject_GetAttrString(self, "__module__"));
  const Ref qualname = Ref::steal(module ? PyObject_GetAttrString(self, "__qualname__") : nullptr);
  if (!qualname) clear_only(PyExc_AttributeError);
  if (qualname && PyUnicode_Check(qualname.get()) && PyUnicode_Check(module.get()) &&
      object_named(module.get(), qualname.get()).get() == self)
    return Py_NewRef(qualname.get());
  return Py_BuildValue("O(Os#s#)", Py_TYPE(self), timed->wrapped.get(), timed->name.data(),
                       static_cast<Py_ssize_t>(timed->name.size()), timed->category.data(),
                       static_cast<Py_ssize_t>(timed->category.size()));
}

PyMethodDef timed_methods[] = {{"__reduce__", guard<timed_reduce>, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef timed_getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject timed_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* counter(PyObject*, PyObject* args) {
  PyObject* name;
  double value;
  if (!PyArg_ParseTuple(args, "Ud:counter", &name, &value)) throw PythonErrorSet();
  if (recording_structure()) record::add_counter(readable(name), value);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"counter", guard<counter>, METH_VARARGS, "counter(name, value): records a number, which is `name` from now on."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_spans(PyObject* module) {
  define_type<Span>(span_type, "footlight_recorder._recorder.span",
                    {.doc = "span(name, category='', /, **args): records how long the block of a with statement takes.",
                     .construct = guard<span_new>,
                     .methods = span_methods});

  define_type<Timed>(
      timed_type, "footlight_recorder._recorder.timed",
      {.doc = "timed(callable, name=None, category=''): the callable, each call of which is recorded as a span.",
       .flags = Py_TPFLAGS_METHOD_DESCRIPTOR,
       .construct = guard<timed_new>,
       .traverse = visit_members<&Timed::wrapped, &Timed::dict>,
       .clear = clear_members<&Timed::dict>,
       .repr = timed_repr,
       .get_attribute = timed_getattr,
       .bind = timed_bind,
       .properties = timed_getset,
       .methods = timed_methods});

  if (PyModule_AddType(module, &span_type) < 0 || PyModule_AddType(module, &timed_type) < 0 ||
      PyModule_AddFunctions(module, functions) < 0)
    throw PythonErrorSet();
}

}  // namespace footlight::python
