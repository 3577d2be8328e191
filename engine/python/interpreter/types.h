// Defines Python types in C++. The struct of an object begins with PyObject_HEAD; its other members construct
// and destroy themselves, and some of them say by their names what they are for:
//
//   struct PyThing {
//     PyObject_HEAD
//     std::string text;
//     PyObject *weakrefs, *dict;  // weak references to it, and its attributes; a vectorcallfunc is `vectorcall`
//   };
//   define_type<PyThing>(type, "footlight.Thing", {.doc = "A thing.", .repr = guard<repr>, .methods = methods});
//   new_object<PyThing>(type, "text");
#pragma once

#include "engine/python/interpreter/exceptions.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace footlight::python {

// CPython's slots under plain names. A slot that is not given keeps its value, or is inherited.
struct TypeSlots {
  const char* doc = nullptr;
  PyTypeObject* base = nullptr;
  unsigned long flags = 0;  // beyond Py_TPFLAGS_DEFAULT and those that follow from the slots
  newfunc construct = nullptr;
  initproc initialize = nullptr;
  destructor destroy = nullptr;  // unless the members' own destructors do
  traverseproc traverse = nullptr;
  inquiry clear = nullptr;
  reprfunc repr = nullptr, str = nullptr;
  hashfunc hash = nullptr;
  richcmpfunc compare = nullptr;
  getattrofunc get_attribute = nullptr;
  setattrofunc set_attribute = nullptr;
  getiterfunc iterate = nullptr;
  iternextfunc next = nullptr;
  ternaryfunc call = nullptr;
  descrgetfunc bind = nullptr;
  PyGetSetDef* properties = nullptr;
  PyMethodDef* methods = nullptr;
  PyBufferProcs* buffer = nullptr;
  lenfunc length = nullptr;
  ssizeargfunc item = nullptr;
  objobjproc contains = nullptr;
  binaryfunc subscript = nullptr;
  objobjargproc assign_subscript = nullptr;
  binaryfunc add = nullptr;
  inquiry truth = nullptr;
  unaryfunc to_int = nullptr;
};

struct ObjectLayout {
  Py_ssize_t size = 0;  // 0: that of the base
  Py_ssize_t weakrefs = 0, dict = 0, vectorcall = 0;
};

// Makes a static type ready. Throws. Without a struct of its own the type has its base's objects.
void define_type(PyTypeObject&, const char* name, const TypeSlots&, const ObjectLayout& = {});

// The deallocator of a class that is derived in Python calls this one, and releases the class itself.
template <class Object>
void destroy_object(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (PyType_IS_GC(type)) PyObject_GC_UnTrack(self);
  auto* const object = reinterpret_cast<Object*>(self);
  if constexpr (requires { object->weakrefs; })
    if (object->weakrefs) PyObject_ClearWeakRefs(self);
  if constexpr (requires { object->dict; }) Py_CLEAR(object->dict);
  std::destroy_at(object);
  type->tp_free(self);
}

template <class Object>
void define_type(PyTypeObject& type, const char* name, TypeSlots slots) {
  ObjectLayout layout{.size = sizeof(Object)};
  if constexpr (requires(Object o) { o.weakrefs; }) layout.weakrefs = offsetof(Object, weakrefs);
  if constexpr (requires(Object o) { o.dict; }) layout.dict = offsetof(Object, dict);
  if constexpr (requires(Object o) { o.vectorcall; }) layout.vectorcall = offsetof(Object, vectorcall);
  if (!slots.destroy) slots.destroy = destroy_object<Object>;
  define_type(type, name, slots, layout);
}

// Puts the members into the memory of an object that Python has just made.
template <class Object, class... Members>
void construct_members(PyObject* memory, Members&&... members) {
  const PyObject head = *memory;  // read before the new object begins, which ends what is there
  new (memory) Object{head, std::forward<Members>(members)...};
}

// A new object with these members, in their order; those after them are null. Throws.
template <class Object, class... Members>
Ref new_object(PyTypeObject& type, Members&&... members) {
  const bool collected = PyType_IS_GC(&type);
  auto* const memory = reinterpret_cast<PyObject*>(collected ? PyObject_GC_New(Object, &type)
                                                             : PyObject_New(Object, &type));
  if (!memory) throw PythonErrorSet();
  construct_members<Object>(memory, std::forward<Members>(members)...);
  if (collected) PyObject_GC_Track(memory);
  return Ref::steal(memory);
}
// The same for a type that programs derive classes from.
template <class Object, class... Members>
Ref new_object_of(PyTypeObject* subtype, Members&&... members) {
  Ref object = checked(subtype->tp_alloc(subtype, 0));
  construct_members<Object>(object.get(), std::forward<Members>(members)...);
  return object;
}

// Slots `traverse` and `clear` for members that are references: visit_members<&PyThing::first, &PyThing::second>.
inline PyObject* object_in(const Ref& member) { return member.get(); }
inline PyObject* object_in(PyObject* member) { return member; }
inline Ref taken_from(Ref& member) { return std::exchange(member, Ref()); }
inline Ref taken_from(PyObject*& member) { return Ref::steal(std::exchange(member, nullptr)); }
template <class Object, class Member>
Object* owner_of(Member Object::*, PyObject* self) { return reinterpret_cast<Object*>(self); }
template <auto... members>
int visit_members(PyObject* self, visitproc visit, void* arg) {
  int stopped = 0;
  const auto one = [&](PyObject* o) { return o && (stopped = visit(o, arg)) != 0; };
  static_cast<void>((one(object_in(owner_of(members, self)->*members)) || ...));
  return stopped;
}
template <auto... members>
int clear_members(PyObject* self) {
  (static_cast<void>(taken_from(owner_of(members, self)->*members)), ...);
  return 0;
}

}  // namespace footlight::python
