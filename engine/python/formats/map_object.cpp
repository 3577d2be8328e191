// Maps as Python dictionaries that write through: reading a missing message creates it.
#include "engine/base/text.h"
#include "engine/python/formats/field_values.h"
#include "engine/python/formats/message_object.h"
#include "engine/python/formats/field_path.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/types.h"

namespace footlight::python {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

struct PyMap {
  PyObject_HEAD
  FieldPath place;
  const FieldDescriptor* field;
};
PyTypeObject map_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyMap& map_of(PyObject* o) { return *reinterpret_cast<PyMap*>(o); }

bool has_messages(const FieldDescriptor* map) {
  return map->message_type()->map_value()->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// A new entry with this key, not yet in the map; also checks the key's type.
std::unique_ptr<pb::Message> new_entry(const FieldDescriptor* map, PyObject* key) {
  const pb::Descriptor* type = map->message_type();
  std::unique_ptr<pb::Message> entry(pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
  set_field_value(*entry, type->map_key(), key);
  return entry;
}

void add_entry(const FieldPath& place, const FieldDescriptor* map, const pb::Message& entry) {
  pb::Message& message = place.write();
  const int at = find_entry(message, map, key_text(entry));
  pb::Message* to = at < 0 ? message.GetReflection()->AddMessage(&message, map)
                           : message.GetReflection()->MutableRepeatedMessage(&message, map, at);
  to->CopyFrom(entry);
}

Ref value_at(const PyMap& map, const std::string& key) {
  return item_at(map.place.entry(map.field, key), map.field->message_type()->map_value(), -1);
}

Py_ssize_t length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&]() -> Py_ssize_t {
    const pb::Message& message = map_of(self).place.read();
    return message.GetReflection()->FieldSize(message, map_of(self).field);
  });
}

PyObject* item(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const PyMap& map = map_of(self);
    const std::unique_ptr<pb::Message> entry = new_entry(map.field, key);
    const std::string text = key_text(*entry);
    if (find_entry(map.place.read(), map.field, text) < 0) {
      if (!has_messages(map.field)) {
        PyErr_SetObject(PyExc_KeyError, key);
        return nullptr;
      }
      add_entry(map.place, map.field, *entry);
    }
    return value_at(map, text).release();
  });
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  const PyMap& map = map_of(self);
  const std::unique_ptr<pb::Message> entry = new_entry(map.field, key);
  if (value) {
    if (has_messages(map.field))
      fail(ErrorKind::kValue, "messages in a map cannot be assigned: use CopyFrom on the entry");
    set_field_value(*entry, map.field->message_type()->map_value(), value);
    add_entry(map.place, map.field, *entry);
    return 0;
  }
  pb::Message& message = map.place.write();
  const int at = find_entry(message, map.field, key_text(*entry));
  if (at < 0) {
    PyErr_SetObject(PyExc_KeyError, key);
    return -1;
  }
  const pb::Reflection* r = message.GetReflection();
  r->SwapElements(&message, map.field, at, r->FieldSize(message, map.field) - 1);
  r->RemoveLast(&message, map.field);
  return 0;
}

int contains(PyObject* self, PyObject* key) {
  return guarded(-1, [&] {
    const PyMap& map = map_of(self);
    return static_cast<int>(find_entry(map.place.read(), map.field, key_text(*new_entry(map.field, key))) >= 0);
  });
}

// A dictionary of the same keys and values.
Ref dictionary(PyObject* self) {
  const PyMap& map = map_of(self);
  Ref all = checked(PyDict_New());
  const FieldDescriptor* key = map.field->message_type()->map_key();
  for (int i = 0;; ++i) {
    const pb::Message& message = map.place.read();
    if (i >= message.GetReflection()->FieldSize(message, map.field)) return all;
    const pb::Message& entry = message.GetReflection()->GetRepeatedMessage(message, map.field, i);
    const Ref name = field_value(entry, key, -1);
    if (PyDict_SetItem(all.get(), name.get(), value_at(map, key_text(entry)).get()) < 0) throw PythonErrorSet();
  }
}

PyObject* iterate(PyObject* self) { return PyObject_GetIter(dictionary(self).get()); }
PyObject* keys(PyObject* self, PyObject*) { return PyDict_Keys(dictionary(self).get()); }
PyObject* values(PyObject* self, PyObject*) { return PyDict_Values(dictionary(self).get()); }
PyObject* items(PyObject* self, PyObject*) { return PyDict_Items(dictionary(self).get()); }
PyObject* get(PyObject* self, PyObject* arguments) {
  PyObject *key, *otherwise = Py_None;
  if (!PyArg_ParseTuple(arguments, "O|O:get", &key, &otherwise)) return nullptr;
  const int there = contains(self, key);
  if (there < 0) return nullptr;
  return there ? item(self, key) : Py_NewRef(otherwise);
}
PyObject* clear(PyObject* self, PyObject*) {
  pb::Message& message = map_of(self).place.write();
  message.GetReflection()->ClearField(&message, map_of(self).field);
  Py_RETURN_NONE;
}
PyObject* entry_class(PyObject* self, PyObject*) {
  return Py_NewRef(message_class(map_of(self).field->message_type()));
}
PyObject* repr(PyObject* self) { return PyObject_Repr(dictionary(self).get()); }
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  const Ref other = Py_TYPE(b) == &map_type ? dictionary(b) : Ref::borrow(b);
  return PyObject_RichCompare(dictionary(a).get(), other.get(), op);
}

PyMethodDef methods[] = {
    {"keys", guard<keys>, METH_NOARGS, "All keys."},
    {"values", guard<values>, METH_NOARGS, "All values."},
    {"items", guard<items>, METH_NOARGS, "Pairs of keys and values."},
    {"get", guard<get>, METH_VARARGS, "The value of a key, or another one."},
    {"clear", guard<clear>, METH_NOARGS, "Removes everything."},
    {"GetEntryClass", guard<entry_class>, METH_NOARGS, "The class of messages with a key and its value."},
    {nullptr, nullptr, 0, nullptr}};
}  // namespace

std::string key_text(const pb::Message& entry) {
  const FieldDescriptor* key = entry.GetDescriptor()->map_key();
  const pb::Reflection* r = entry.GetReflection();
  switch (key->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: return r->GetString(entry, key);
    case FieldDescriptor::CPPTYPE_INT32: return std::to_string(r->GetInt32(entry, key));
    case FieldDescriptor::CPPTYPE_UINT32: return std::to_string(r->GetUInt32(entry, key));
    case FieldDescriptor::CPPTYPE_UINT64: return std::to_string(r->GetUInt64(entry, key));
    default: FL_CHECK(!"no map here has keys of another type"); return {};
  }
}

int find_entry(const pb::Message& message, const FieldDescriptor* map, const std::string& key) {
  const pb::Reflection* r = message.GetReflection();
  for (int i = 0; i < r->FieldSize(message, map); ++i)
    if (key_text(r->GetRepeatedMessage(message, map, i)) == key) return i;
  return -1;
}

Ref map_at(FieldPath place, const FieldDescriptor* field) {
  return new_object<PyMap>(map_type, std::move(place), field);
}

void set_map(const FieldPath& place, const FieldDescriptor* field, PyObject* given) {
  const Ref pairs = checked(PyMapping_Items(given));
  const FieldDescriptor* value = field->message_type()->map_value();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs.get()); ++i) {
    PyObject* pair = PyList_GET_ITEM(pairs.get(), i);
    const std::unique_ptr<pb::Message> entry = new_entry(field, PyTuple_GET_ITEM(pair, 0));
    PyObject* item = PyTuple_GET_ITEM(pair, 1);
    if (has_messages(field)) copy_into(*entry->GetReflection()->MutableMessage(entry.get(), value), value, item);
    else set_field_value(*entry, value, item);
    add_entry(place, field, *entry);
  }
}

void init_maps() {
  define_type<PyMap>(map_type, "footlight.Map",
                     {.flags = Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_MAPPING,
                      .repr = guard<repr>,
                      .hash = PyObject_HashNotImplemented,
                      .compare = guard<compare>,
                      .iterate = guard<iterate>,
                      .methods = methods,
                      .length = length,
                      .contains = contains,
                      .subscript = item,
                      .assign_subscript = guard<assign>});
}

}  // namespace footlight::python
