// Calls from converted code: callees are converted too, and builtins have versions for tensors.
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/calls/operators.h"
#include "engine/trace/graph_builder.h"

#include <structmember.h>

namespace footlight::python::ag {

namespace {

const AttrName kDstT("DstT");

Ref cast(PyObject* value, DType dtype) {
  static const Op kCast{"Cast"};
  const Tensor tensor = as_tensor(value);
  if (tensor.dtype() == dtype) return Ref::steal(wrap(tensor));
  Attrs attrs;
  attrs.set(kDstT, dtype);
  return Ref::steal(wrap(apply(kCast, {tensor}, attrs)));
}

Ref tensor_len(PyObject* const* args, Py_ssize_t) {
  static const Op kShape{"Shape"};
  const Tensor tensor = as_tensor(args[0]);
  const Shape& shape = tensor.shape();
  if (shape.has_rank() && shape.rank() == 0) fail(ErrorKind::kType, "len() of a scalar tensor");
  if (shape.has_rank() && shape[0] != kUnknownDim) return Ref::steal(PyLong_FromLongLong(shape[0]));
  const Ref zero = Ref::steal(PyLong_FromLong(0));
  return Ref::steal(wrap(subscript(apply(kShape, {tensor}), zero.get())));
}

Ref tensor_int(PyObject* const* args, Py_ssize_t) { return cast(args[0], DType::kInt32); }
Ref tensor_float(PyObject* const* args, Py_ssize_t) { return cast(args[0], DType::kFloat32); }

Ref tensor_range(PyObject* const* args, Py_ssize_t count) {
  static const Op kRange{"Range"};
  DType dtype = DType::kInt32;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (is_tensor_like(args[i])) dtype = as_tensor(args[i]).dtype();
  const Ref zero = Ref::steal(PyLong_FromLong(0)), one = Ref::steal(PyLong_FromLong(1));
  const Tensor start = as_tensor(count > 1 ? args[0] : zero.get(), dtype);
  const Tensor limit = as_tensor(count > 1 ? args[1] : args[0], dtype);
  const Tensor step = as_tensor(count > 2 ? args[2] : one.get(), dtype);
  return Ref::steal(wrap(apply(kRange, {start, limit, step}, {}, "range")));
}

}  // namespace

Builtin tensor_builtin(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  if (!trace::tracing() || count < 1 || count > 3) return nullptr;
  bool tensor = false;
  for (Py_ssize_t i = 0; i < count; ++i) tensor |= is_tensor_like(args[i]);
  if (!tensor) return nullptr;
  if (function == reinterpret_cast<PyObject*>(&PyRange_Type)) return tensor_range;
  if (count != 1) return nullptr;
  if (function == reinterpret_cast<PyObject*>(&PyLong_Type))
    return as_tensor(args[0]).is_symbolic() ? tensor_int : nullptr;
  if (function == reinterpret_cast<PyObject*>(&PyFloat_Type))
    return as_tensor(args[0]).is_symbolic() ? tensor_float : nullptr;
  static PyObject* const len = [] {
    const Ref builtins = Ref::steal(PyImport_ImportModule("builtins"));
    return builtins ? PyObject_GetAttrString(builtins.get(), "len") : nullptr;
  }();
  return function == len ? tensor_len : nullptr;
}

// converted_call(function, *args, **kwargs)
PyObject* converted_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* function = args[0];
  if (on_converted_call) on_converted_call(function, args + 1, count - 1);
  if (conversion_is_off()) return PyObject_Vectorcall(function, args + 1, static_cast<size_t>(count - 1), names);
  if (PyFunction_Check(function) || PyMethod_Check(function)) {
    const Ref converted = Ref::steal(guarded([&] { return ag_convert(function); }));
    return converted ? PyObject_Vectorcall(converted.get(), args + 1, static_cast<size_t>(count - 1), names) : nullptr;
  }
  return guarded([&]() -> PyObject* {
    if (PyCFunction_Check(function) || PyType_Check(function)) {
      if (const Builtin builtin = names ? nullptr : tensor_builtin(function, args + 1, count - 1))
        return builtin(args + 1, count - 1).release();
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
