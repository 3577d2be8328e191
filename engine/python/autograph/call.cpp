// Calls from converted code: callees are converted too. Functions that are not to be converted.
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/lists.h"
#include "engine/trace/graph_builder.h"

#include <structmember.h>

#include <algorithm>

namespace footlight::python::ag {

namespace {

// The call of a builtin or an op, with the tensors of lists that have grown while tracing.
PyObject* with_tensors(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* const stack = checked(PyObject_GetAttrString(
      checked(PyImport_ImportModule("footlight")).get(), "stack")).release();
  if (args[0] == stack && count == 2 && !names) return wrap(grown_values(args[1]));
  std::vector<Ref> held;
  std::vector<PyObject*> all(args, args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  for (size_t i = 1; i < all.size(); ++i) {
    if (!is_grown(all[i])) continue;
    held.push_back(checked(wrap(grown_values(all[i]))));
    all[i] = held.back().get();
  }
  return converted_call(nullptr, all.data(), count, names);
}

// Calls a function or method whose conversion is known. False: it is not, or something else is called.
bool call_known(PyObject* function, PyObject* const* args, size_t count, PyObject* names, PyObject*& result) {
  if (PyFunction_Check(function)) return ag_call(function, args, count, names, result);
  if (!PyMethod_Check(function) || !PyFunction_Check(PyMethod_GET_FUNCTION(function))) return false;
  constexpr size_t kMost = 8;
  const size_t all = count + static_cast<size_t>(names ? PyTuple_GET_SIZE(names) : 0);
  if (all >= kMost) return false;
  PyObject* with_self[kMost] = {PyMethod_GET_SELF(function)};
  std::copy_n(args, all, with_self + 1);
  return ag_call(PyMethod_GET_FUNCTION(function), with_self, count + 1, names, result);
}

}  // namespace

// converted_call(function, *args, **kwargs)
PyObject* converted_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* function = args[0];
  if (on_converted_call) on_converted_call(function, args + 1, count - 1);
  if (conversion_is_off()) return PyObject_Vectorcall(function, args + 1, static_cast<size_t>(count - 1), names);
  if (PyFunction_Check(function) || PyMethod_Check(function)) {
    PyObject* result = nullptr;
    bool known = false;
    if (guarded(-1, [&] {
          known = call_known(function, args + 1, static_cast<size_t>(count - 1), names, result);
          return 0;
        }) < 0)
      return nullptr;
    if (known) return result;
    const Ref converted = Ref::steal(guarded([&] { return ag_convert(function); }));
    return converted ? PyObject_Vectorcall(converted.get(), args + 1, static_cast<size_t>(count - 1), names) : nullptr;
  }
  if (!trace::tracing() && (PyCFunction_Check(function) || PyType_Check(function)))
    return PyObject_Vectorcall(function, args + 1, static_cast<size_t>(count - 1), names);
  return guarded([&]() -> PyObject* {
    const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    if (trace::tracing())
      for (Py_ssize_t i = 1; i < count + keywords; ++i)
        if (is_grown(args[i])) return with_tensors(args, count, names);
    if (PyCFunction_Check(function) || PyType_Check(function)) {
      if (Ref result = call_tensor_builtin(function, args + 1, count - 1 + keywords, names)) return result.release();
      return PyObject_Vectorcall(function, args + 1, static_cast<size_t>(count - 1), names);
    }
    const Ref converted = Ref::steal(ag_convert(function));
    if (!converted) return nullptr;
    return PyObject_Vectorcall(converted.get(), args + 1, static_cast<size_t>(count - 1), names);
  });
}

namespace {

// tf.autograph.do_not_convert: looks and binds like the function, and runs it with conversion off.
struct Unconverted {
  PyObject_HEAD
  PyObject* function;
  PyObject* weakrefs;
  vectorcallfunc call;
};
PyTypeObject* unconverted_type = nullptr;

PyObject* unconverted_vectorcall(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
  const ConversionOff off;
  return PyObject_Vectorcall(reinterpret_cast<Unconverted*>(self)->function, args, count, names);
}

void unconverted_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* o = reinterpret_cast<Unconverted*>(self);
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->function);
  const Ref type = Ref::steal(reinterpret_cast<PyObject*>(Py_TYPE(self)));  // instances of heap types own it
  Py_TYPE(self)->tp_free(self);
}

int unconverted_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<Unconverted*>(self)->function);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int unconverted_clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Unconverted*>(self)->function);
  return 0;
}

PyObject* unconverted_bind(PyObject* self, PyObject* object, PyObject*) {
  return !object || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

PyObject* unconverted_attribute(PyObject* self, PyObject* name) {
  PyObject* function = reinterpret_cast<Unconverted*>(self)->function;
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) return Py_NewRef(function);
  if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0) return PyObject_GenericGetAttr(self, name);
  return PyObject_GetAttr(function, name);
}

PyMemberDef unconverted_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Unconverted, call), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Unconverted, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* slot_of(F* function) { return reinterpret_cast<void*>(function); }

PyType_Slot unconverted_slots[] = {{Py_tp_dealloc, slot_of(unconverted_dealloc)},
                                   {Py_tp_traverse, slot_of(unconverted_traverse)},
                                   {Py_tp_clear, slot_of(unconverted_clear)},
                                   {Py_tp_call, slot_of(PyVectorcall_Call)},
                                   {Py_tp_descr_get, slot_of(unconverted_bind)},
                                   {Py_tp_getattro, slot_of(unconverted_attribute)},
                                   {Py_tp_members, unconverted_members},
                                   {0, nullptr}};
PyType_Spec unconverted_spec = {"footlight.autograph.Unconverted", sizeof(Unconverted), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                unconverted_slots};

}  // namespace

void init_unconverted() {
  unconverted_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&unconverted_spec));
  if (!unconverted_type) throw PythonErrorSet();
}

bool is_unconverted(PyObject* o) { return Py_TYPE(o) == unconverted_type; }

PyObject* unconverted(PyObject* function) {
  Unconverted* made = PyObject_GC_New(Unconverted, unconverted_type);
  if (!made) return nullptr;
  made->function = Py_NewRef(function);
  made->weakrefs = nullptr;
  made->call = unconverted_vectorcall;
  PyObject_GC_Track(made);
  return reinterpret_cast<PyObject*>(made);
}

}  // namespace footlight::python::ag
