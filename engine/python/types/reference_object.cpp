// tensor.ref(): equal, with the same hash, if it refers to the same object.
#include "engine/python/types/reference_object.h"

#include "engine/python/interpreter/ref.h"
#include "engine/python/interpreter/types.h"

#include <cstdint>

namespace footlight::python {
namespace {

struct Reference {
  PyObject_HEAD
  Ref object;
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
PyObject* deref(PyObject* self, PyObject*) { return Py_NewRef(of(self)); }
PyMethodDef methods[] = {{"deref", deref, METH_NOARGS, "The object."}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* reference_to(PyObject* object) {
  return guarded([&] { return new_object<Reference>(type, Ref::borrow(object)).release(); });
}

void init_reference() {
  define_type<Reference>(type, "footlight.Reference",
                         {.doc = "A hashable handle on a tensor or variable.",
                          .traverse = visit_members<&Reference::object>,
                          .repr = repr,
                          .hash = hash,
                          .compare = compare,
                          .methods = methods});
}

}  // namespace footlight::python
