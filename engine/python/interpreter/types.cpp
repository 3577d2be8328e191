// Fills in CPython's PyTypeObject from TypeSlots.
#include "engine/python/interpreter/types.h"

namespace footlight::python {

void define_type(PyTypeObject& type, const char* name, const TypeSlots& slots, const ObjectLayout& layout) {
  // What is not given stays as it is: the operators of tensors are in their types before these are made ready.
  const auto set = [](auto& slot, auto given) {
    if (given) slot = given;
  };
  type.tp_name = name;
  set(type.tp_doc, slots.doc);
  set(type.tp_base, slots.base);
  type.tp_basicsize = layout.size;
  type.tp_weaklistoffset = layout.weakrefs;
  type.tp_dictoffset = layout.dict;
  type.tp_vectorcall_offset = layout.vectorcall;
  type.tp_flags = Py_TPFLAGS_DEFAULT | slots.flags | (slots.traverse ? Py_TPFLAGS_HAVE_GC : 0) |
                  (layout.vectorcall ? Py_TPFLAGS_HAVE_VECTORCALL : 0);
  set(type.tp_new, slots.construct);
  set(type.tp_init, slots.initialize);
  set(type.tp_dealloc, slots.destroy);
  set(type.tp_traverse, slots.traverse);
  set(type.tp_clear, slots.clear);
  set(type.tp_repr, slots.repr);
  set(type.tp_str, slots.str);
  set(type.tp_hash, slots.hash);
  set(type.tp_richcompare, slots.compare);
  set(type.tp_getattro, slots.get_attribute);
  set(type.tp_setattro, slots.set_attribute);
  set(type.tp_iter, slots.iterate);
  set(type.tp_iternext, slots.next);
  set(type.tp_call, layout.vectorcall ? PyVectorcall_Call : slots.call);
  set(type.tp_descr_get, slots.bind);
  set(type.tp_getset, slots.properties);
  set(type.tp_methods, slots.methods);
  set(type.tp_as_buffer, slots.buffer);
  // These tables are never freed, like the type itself.
  if (slots.item || slots.contains) {
    type.tp_as_sequence = new PySequenceMethods{};
    type.tp_as_sequence->sq_length = slots.item ? slots.length : nullptr;
    type.tp_as_sequence->sq_item = slots.item;
    type.tp_as_sequence->sq_contains = slots.contains;
  }
  if (slots.subscript) {
    type.tp_as_mapping = new PyMappingMethods{};
    type.tp_as_mapping->mp_length = slots.length;
    type.tp_as_mapping->mp_subscript = slots.subscript;
    type.tp_as_mapping->mp_ass_subscript = slots.assign_subscript;
  }
  if (slots.add || slots.truth || slots.to_int) {
    type.tp_as_number = new PyNumberMethods{};
    type.tp_as_number->nb_add = slots.add;
    type.tp_as_number->nb_bool = slots.truth;
    type.tp_as_number->nb_int = slots.to_int;
  }
  if (PyType_Ready(&type) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
