// A message is found by its path from the root that owns it, so the object of a part stays valid whatever happens to
// the whole; using a part that was removed raises an error.
#include "engine/python/formats/message_object.h"

#include "engine/base/text.h"
#include "engine/formats/graph_def.h"
#include "engine/python/formats/field_values.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <new>
#include <vector>

namespace footlight::python {
namespace {

namespace pb = google::protobuf;

struct Step {
  const pb::FieldDescriptor* field;
  int index;  // -1: not repeated
};

// The path of a message.
struct Place {
  std::shared_ptr<pb::Message> root;
  std::vector<Step> path;

  Place at(const pb::FieldDescriptor* field, int index = -1) const {
    Place inner = *this;
    inner.path.push_back({field, index});
    return inner;
  }
  const pb::Message& read() const {
    const pb::Message* m = root.get();
    for (const Step& step : path) {
      const pb::Reflection* r = m->GetReflection();
      check(*m, step);
      m = step.index < 0 ? &r->GetMessage(*m, step.field) : &r->GetRepeatedMessage(*m, step.field, step.index);
    }
    return *m;
  }
  pb::Message& write() const {
    pb::Message* m = root.get();
    for (const Step& step : path) {
      const pb::Reflection* r = m->GetReflection();
      check(*m, step);
      m = step.index < 0 ? r->MutableMessage(m, step.field) : r->MutableRepeatedMessage(m, step.field, step.index);
    }
    return *m;
  }

 private:
  static void check(const pb::Message& m, const Step& step) {
    if (step.index >= 0 && step.index >= m.GetReflection()->FieldSize(m, step.field))
      fail(ErrorKind::kValue, "this part of the message was removed: '", step.field->name(), "' has fewer items now");
  }
};

struct PyMessage {
  PyObject_HEAD
  Place place;
};
struct PyRepeated {
  PyObject_HEAD
  Place place;
  const pb::FieldDescriptor* field;
};
PyTypeObject message_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject repeated_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

const Place& place_of(PyObject* o) { return reinterpret_cast<PyMessage*>(o)->place; }
bool is_message(PyObject* o) { return PyType_IsSubtype(Py_TYPE(o), &message_type); }

std::map<const pb::Descriptor*, PyObject*>& classes() {
  static std::map<const pb::Descriptor*, PyObject*> all;
  return all;
}

Ref object_at(Place place) {
  auto* type = reinterpret_cast<PyTypeObject*>(message_class(place.read().GetDescriptor()));
  Ref object = checked(type->tp_alloc(type, 0));
  new (&reinterpret_cast<PyMessage*>(object.get())->place) Place(std::move(place));
  return object;
}

Ref repeated_at(Place place, const pb::FieldDescriptor* field) {
  Ref object = checked(repeated_type.tp_alloc(&repeated_type, 0));
  auto* repeated = reinterpret_cast<PyRepeated*>(object.get());
  new (&repeated->place) Place(std::move(place));
  repeated->field = field;
  return object;
}

template <class Object>
void destroy(PyObject* o) {
  reinterpret_cast<Object*>(o)->place.~Place();
  Py_TYPE(o)->tp_free(o);  // the deallocator of the message's class calls this one and releases the class
}

Ref item_at(const Place& place, const pb::FieldDescriptor* field, int index) {
  if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) return object_at(place.at(field, index));
  return field_value(place.read(), field, index);
}

Ref dictionary_of(const Place& place, const pb::FieldDescriptor* field) {
  const pb::Message& message = place.read();
  const pb::Descriptor* entry = field->message_type();
  Ref map = checked(PyDict_New());
  for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
    const Place at = place.at(field, i);
    const Ref key = field_value(at.read(), entry->map_key(), -1);
    const Ref value = item_at(at, entry->map_value(), -1);
    if (PyDict_SetItem(map.get(), key.get(), value.get()) < 0) throw PythonErrorSet();
  }
  return map;
}

Ref field_at(const Place& place, const pb::FieldDescriptor* field) {
  if (field->is_map()) return dictionary_of(place, field);
  if (field->is_repeated()) return repeated_at(place, field);
  return item_at(place, field, -1);
}

const pb::FieldDescriptor* field_named(PyObject* self, PyObject* name) {
  return place_of(self).read().GetDescriptor()->FindFieldByName(distinct_utf8(name));
}

void copy_into(pb::Message& to, const pb::FieldDescriptor* field, PyObject* value) {
  if (!is_message(value) || place_of(value).read().GetDescriptor() != to.GetDescriptor())
    fail(ErrorKind::kType, "the field '", field->name(), "' takes a ", to.GetDescriptor()->name(), ", not ",
         Py_TYPE(value)->tp_name);
  to.CopyFrom(place_of(value).read());
}

void append(pb::Message& message, const pb::FieldDescriptor* field, PyObject* value) {
  if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) return add_field_value(message, field, value);
  // Copied first: the value may be a part of this very message.
  std::unique_ptr<pb::Message> copy(
      pb::MessageFactory::generated_factory()->GetPrototype(field->message_type())->New());
  copy_into(*copy, field, value);
  message.GetReflection()->AddAllocatedMessage(&message, field, copy.release());
}

void extend(const Place& place, const pb::FieldDescriptor* field, PyObject* values) {
  const Ref items = checked(PySequence_List(values));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i)
    append(place.write(), field, PyList_GET_ITEM(items.get(), i));
}

void set_map(const Place& place, const pb::FieldDescriptor* field, PyObject* values) {
  const Ref items = checked(PyMapping_Items(values));
  const pb::Descriptor* entry = field->message_type();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    pb::Message& message = place.write();
    std::unique_ptr<pb::Message> made(message.GetReflection()->GetMessageFactory()->GetPrototype(entry)->New());
    PyObject* pair = PyList_GET_ITEM(items.get(), i);
    set_field_value(*made, entry->map_key(), PyTuple_GET_ITEM(pair, 0));
    PyObject* value = PyTuple_GET_ITEM(pair, 1);
    if (entry->map_value()->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE)
      copy_into(*made->GetReflection()->MutableMessage(made.get(), entry->map_value()), entry->map_value(), value);
    else set_field_value(*made, entry->map_value(), value);
    message.GetReflection()->AddMessage(&message, field)->CopyFrom(*made);
  }
}

void set_all(PyObject* self, PyObject* keywords) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (keywords && PyDict_Next(keywords, &at, &name, &value)) {
    const pb::FieldDescriptor* field = field_named(self, name);
    const Place& place = place_of(self);
    if (!field) {
      PyErr_Format(PyExc_ValueError, "%s has no field %R", Py_TYPE(self)->tp_name, name);
      throw PythonErrorSet();
    }
    if (value == Py_None) continue;
    const Ref held = Ref::borrow(value);
    if (field->is_map()) set_map(place, field, value);
    else if (field->is_repeated()) extend(place, field, value);
    else if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE)
      copy_into(place.at(field).write(), field, value);
    else set_field_value(place.write(), field, value);
  }
}

PyObject* message_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    if (PyTuple_GET_SIZE(arguments) > 0)
      fail(ErrorKind::kType, type->tp_name, "() takes the values of its fields by name only");
    for (const auto& [descriptor, known] : classes()) {
      if (known != reinterpret_cast<PyObject*>(type)) continue;
      std::shared_ptr<pb::Message> message(
          pb::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
      Ref self = message_object(std::move(message));
      set_all(self.get(), keywords);
      return self.release();
    }
    fail(ErrorKind::kType, "the class Message is abstract: use the class of a message type");
  });
}
int message_init(PyObject*, PyObject*, PyObject*) { return 0; }

PyObject* message_get(PyObject* self, PyObject* name) {
  const pb::FieldDescriptor* field = nullptr;
  PyObject* value = guarded([&]() -> PyObject* {
    field = field_named(self, name);
    return field ? field_at(place_of(self), field).release() : nullptr;
  });
  return field || PyErr_Occurred() ? value : PyObject_GenericGetAttr(self, name);
}

int message_set(PyObject* self, PyObject* name, PyObject* value) {
  PyObject* done = guarded([&]() -> PyObject* {
    const pb::FieldDescriptor* field = field_named(self, name);
    if (!field) {
      PyErr_Format(PyExc_AttributeError, "%s has no field %R", Py_TYPE(self)->tp_name, name);
      throw PythonErrorSet();
    }
    if (!value || field->is_repeated() || field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE)
      fail(ErrorKind::kAttribute, "the field '", field->name(),
           "' cannot be assigned: change it in place, or use CopyFrom");
    set_field_value(place_of(self).write(), field, value);
    Py_RETURN_NONE;
  });
  return Ref::steal(done) ? 0 : -1;
}

PyObject* message_text(PyObject* self) {
  return guarded([&] {
    const std::string text = formats::text_of(place_of(self).read());
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  });
}

PyObject* message_has(PyObject* self, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const pb::FieldDescriptor* field = field_named(self, name);
    if (!field || field->is_repeated())
      return PyErr_Format(PyExc_ValueError, "a %s has no single field %R", Py_TYPE(self)->tp_name, name);
    const pb::Message& message = place_of(self).read();
    return PyBool_FromLong(message.GetReflection()->HasField(message, field));
  });
}

PyObject* message_serialize(PyObject* self, PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    const std::string bytes = formats::bytes_of(place_of(self).read());
    return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
  });
}

PyObject* message_parse(PyObject* self, PyObject* bytes) {
  return guarded([&]() -> PyObject* {
    char* data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0) return nullptr;
    if (size > INT32_MAX || !place_of(self).write().ParseFromArray(data, static_cast<int>(size)))
      fail(ErrorKind::kValue, "these bytes are not a valid ", Py_TYPE(self)->tp_name);
    return PyLong_FromSsize_t(size);
  });
}

PyObject* message_from(PyObject* type, PyObject* bytes) {
  Ref made = Ref::steal(PyObject_CallNoArgs(type));
  if (!made) return nullptr;
  const Ref parsed = Ref::steal(message_parse(made.get(), bytes));
  return parsed ? made.release() : nullptr;
}

PyObject* message_copy(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    if (!is_message(other) || Py_TYPE(other) != Py_TYPE(self))
      fail(ErrorKind::kType, "CopyFrom takes a ", Py_TYPE(self)->tp_name, ", not ", Py_TYPE(other)->tp_name);
    place_of(self).write().CopyFrom(place_of(other).read());
    Py_RETURN_NONE;
  });
}

PyObject* message_clear(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    place_of(self).write().Clear();
    Py_RETURN_NONE;
  });
}

PyObject* message_which(PyObject* self, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const pb::Message& message = place_of(self).read();
    const pb::OneofDescriptor* one = message.GetDescriptor()->FindOneofByName(std::string(utf8(name)));
    if (!one) return PyErr_Format(PyExc_ValueError, "%s has no oneof %R", Py_TYPE(self)->tp_name, name);
    const pb::FieldDescriptor* field = message.GetReflection()->GetOneofFieldDescriptor(message, one);
    if (!field) Py_RETURN_NONE;
    return PyUnicode_FromString(field->name().c_str());
  });
}

PyObject* message_size(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromSize_t(place_of(self).read().ByteSizeLong()); });
}

PyObject* message_compare(PyObject* a, PyObject* b, int op) {
  if (!is_message(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    const bool same = Py_TYPE(a) == Py_TYPE(b) &&
                      formats::bytes_of(place_of(a).read()) == formats::bytes_of(place_of(b).read());
    return PyBool_FromLong(same == (op == Py_EQ));
  });
}

PyMethodDef message_methods[] = {
    {"HasField", message_has, METH_O, "Whether a field is set."},
    {"WhichOneof", message_which, METH_O, "The name of the alternative that is set, or None."},
    {"SerializeToString", with_keywords(message_serialize), METH_VARARGS | METH_KEYWORDS, "The bytes of the message."},
    {"ParseFromString", message_parse, METH_O, "Replaces the message by the one parsed from the bytes."},
    {"FromString", message_from, METH_O | METH_CLASS, "Parses a message from bytes."},
    {"CopyFrom", message_copy, METH_O, "Replaces the message by a copy of another."},
    {"Clear", message_clear, METH_NOARGS, "Unsets every field."},
    {"ByteSize", message_size, METH_NOARGS, "The size of the serialized message in bytes."},
    {nullptr, nullptr, 0, nullptr}};

// --- repeated fields ---
PyRepeated& repeated_of(PyObject* o) { return *reinterpret_cast<PyRepeated*>(o); }

Py_ssize_t repeated_length(PyObject* self) {
  Py_ssize_t length = -1;
  PyObject* done = guarded([&]() -> PyObject* {
    const pb::Message& message = repeated_of(self).place.read();
    length = message.GetReflection()->FieldSize(message, repeated_of(self).field);
    return Py_None;
  });
  return done ? length : -1;
}

PyObject* repeated_item(PyObject* self, Py_ssize_t index) {
  if (index < 0 || index >= repeated_length(self)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "list index out of range");
    return nullptr;
  }
  return guarded([&] {
    return item_at(repeated_of(self).place, repeated_of(self).field, static_cast<int>(index)).release();
  });
}

PyObject* as_list(PyObject* self) { return PySequence_List(self); }

PyObject* repeated_subscript(PyObject* self, PyObject* key) {
  if (PySlice_Check(key)) {
    const Ref list = Ref::steal(as_list(self));
    return list ? PyObject_GetItem(list.get(), key) : nullptr;
  }
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  if (index < 0) index += repeated_length(self);
  return repeated_item(self, index);
}

PyObject* repeated_append(PyObject* self, PyObject* value) {
  return guarded([&]() -> PyObject* {
    append(repeated_of(self).place.write(), repeated_of(self).field, value);
    Py_RETURN_NONE;
  });
}

PyObject* repeated_extend(PyObject* self, PyObject* values) {
  return guarded([&]() -> PyObject* {
    extend(repeated_of(self).place, repeated_of(self).field, values);
    Py_RETURN_NONE;
  });
}

PyObject* repeated_add(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const PyRepeated& repeated = repeated_of(self);
    if (repeated.field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE || PyTuple_GET_SIZE(arguments) > 0)
      fail(ErrorKind::kType, "add() makes a message, of the values of its fields by name");
    pb::Message& message = repeated.place.write();
    message.GetReflection()->AddMessage(&message, repeated.field);
    const int index = message.GetReflection()->FieldSize(message, repeated.field) - 1;
    Ref made = object_at(repeated.place.at(repeated.field, index));
    set_all(made.get(), keywords);
    return made.release();
  });
}

PyObject* repeated_compare(PyObject* a, PyObject* b, int op) {
  const Ref mine = Ref::steal(as_list(a));
  if (!mine) return nullptr;
  if (Py_TYPE(b) != &repeated_type) return PyObject_RichCompare(mine.get(), b, op);
  const Ref other = Ref::steal(as_list(b));
  return other ? PyObject_RichCompare(mine.get(), other.get(), op) : nullptr;
}

PyObject* repeated_repr(PyObject* self) {
  const Ref list = Ref::steal(as_list(self));
  return list ? PyObject_Repr(list.get()) : nullptr;
}

PyMethodDef repeated_methods[] = {
    {"append", repeated_append, METH_O, "Adds a copy of a value at the end."},
    {"extend", repeated_extend, METH_O, "Adds copies of many values at the end."},
    {"add", with_keywords(repeated_add), METH_VARARGS | METH_KEYWORDS, "Makes a message at the end and returns it."},
    {nullptr, nullptr, 0, nullptr}};
PySequenceMethods repeated_sequence = {};
PyMappingMethods repeated_mapping = {};

}  // namespace

PyObject* message_class(const pb::Descriptor* descriptor) {
  PyObject*& known = classes()[descriptor];
  if (known) return known;
  Ref members = checked(Py_BuildValue("{s:(), s:s}", "__slots__", "__module__", "footlight"));
  for (int i = 0; i < descriptor->nested_type_count(); ++i) {
    const pb::Descriptor* inner = descriptor->nested_type(i);
    if (!inner->options().map_entry() &&
        PyDict_SetItemString(members.get(), inner->name().c_str(), message_class(inner)) < 0)
      throw PythonErrorSet();
  }
  Ref type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O)O",
                                           descriptor->name().c_str(), &message_type, members.get()));
  return classes()[descriptor] = type.release();
}

Ref message_object(std::shared_ptr<pb::Message> message) { return object_at(Place{std::move(message), {}}); }

Ref value_set(const pb::Message& message) {
  std::vector<const pb::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty()) return Ref::borrow(Py_None);
  std::shared_ptr<pb::Message> copy(message.New());
  copy->CopyFrom(message);
  return field_at(Place{std::move(copy), {}}, fields.front());
}

void init_messages(PyObject* module) {
  message_type.tp_name = "footlight.Message";
  message_type.tp_basicsize = sizeof(PyMessage);
  message_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  message_type.tp_dealloc = destroy<PyMessage>;
  message_type.tp_new = message_new;
  message_type.tp_init = message_init;
  message_type.tp_getattro = message_get;
  message_type.tp_setattro = message_set;
  message_type.tp_str = message_text;
  message_type.tp_repr = message_text;
  message_type.tp_hash = PyObject_HashNotImplemented;
  message_type.tp_richcompare = message_compare;
  message_type.tp_methods = message_methods;
  repeated_sequence.sq_length = repeated_length;
  repeated_sequence.sq_item = repeated_item;
  repeated_mapping.mp_length = repeated_length;
  repeated_mapping.mp_subscript = repeated_subscript;
  repeated_type.tp_name = "footlight.Repeated";
  repeated_type.tp_basicsize = sizeof(PyRepeated);
  repeated_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  repeated_type.tp_dealloc = destroy<PyRepeated>;
  repeated_type.tp_as_sequence = &repeated_sequence;
  repeated_type.tp_as_mapping = &repeated_mapping;
  repeated_type.tp_hash = PyObject_HashNotImplemented;
  repeated_type.tp_richcompare = repeated_compare;
  repeated_type.tp_repr = repeated_repr;
  repeated_type.tp_methods = repeated_methods;
  for (PyTypeObject* type : {&message_type, &repeated_type})
    if (PyType_Ready(type) < 0) throw PythonErrorSet();
  const pb::FileDescriptor* file = formats::GraphDef::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i)
    if (PyObject_SetAttrString(module, file->message_type(i)->name().c_str(), message_class(file->message_type(i))) < 0)
      throw PythonErrorSet();
}

}  // namespace footlight::python
