// Spans and counters from Python: a context manager and a function.
#include "engine/python/recorder/module.h"

#include "engine/base/clock.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/record/spans.h"

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

// span(name, category='', **args) as a context manager.
struct Span {
  PyObject_HEAD
  std::string name, category;
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

  if (PyModule_AddType(module, &span_type) < 0 || PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
