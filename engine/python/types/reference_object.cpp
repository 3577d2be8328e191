// tensor.ref(): equal, with the same hash, if it refers to the same object.
#include "engine/python/types/reference_object.h"

#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <new>

namespace footlight::python {
namespace {

struct Reference {
  PyObject_HEAD Ref object;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* of(PyObject* o) { return reinterpret_cast<Reference*>(o)->object.get(); }

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != &type) Py_RETURN_NOTIMPLEMENTED;
  const auto x = reinterpret_cast<uintptr_t>(of(a)), y = reinterpret_cast<uintptr_t>(of(b));  // an order to sort by
  Py_RETURN_RICHCOMPARE(x, y, op);
}
Py_hash_t hash(PyObject* self) {
  const auto h = static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(of(self)) >> 4);
  return h == -1 ? -2 : h;
}
PyObject* repr(PyObject* self) { return PyUnicode_FromFormat("<Reference wrapping %R>", of(self)); }
void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  reinterpret_cast<Reference*>(self)->object.~Ref();
  PyObject_GC_Del(self);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(of(self));
  return 0;
}
PyObject* deref(PyObject* self, PyObject*) { return Py_NewRef(of(self)); }
PyMethodDef methods[] = {{"deref", deref, METH_NOARGS, "The object."}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* reference_to(PyObject* object) {
  auto* r = PyObject_GC_New(Reference, &type);
  if (!r) return nullptr;
  new (&r->object) Ref(Ref::borrow(object));
  PyObject_GC_Track(reinterpret_cast<PyObject*>(r));
  return reinterpret_cast<PyObject*>(r);
}

void init_reference() {
  type.tp_name = "footlight.Reference";
  type.tp_basicsize = sizeof(Reference);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
  type.tp_doc = "A hashable handle on a tensor or variable.";
  type.tp_richcompare = compare;
  type.tp_hash = hash;
  type.tp_repr = repr;
  type.tp_dealloc = destroy;
  type.tp_traverse = traverse;
  type.tp_methods = methods;
  if (PyType_Ready(&type) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
