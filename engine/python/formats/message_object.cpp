// A message is found by its path from the root that owns it, so the object of a part stays valid whatever happens to
// the whole; using a part that was removed raises an error.
#include "engine/python/formats/message_object.h"

#include "engine/base/text.h"
#include "engine/formats/checkpoint.pb.h"
#include "engine/formats/config.pb.h"
#include "engine/formats/event.pb.h"
#include "engine/formats/example.pb.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/read.h"
#include "engine/formats/saved_model.pb.h"
#include "engine/python/formats/field_values.h"
#include "engine/python/formats/field_path.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <map>
#include <vector>

namespace footlight::python {
namespace {

namespace pb = google::protobuf;

struct PyMessage {
  PyObject_HEAD
  FieldPath place;
};
PyTypeObject message_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

std::map<const pb::Descriptor*, PyObject*>& classes() {
  static std::map<const pb::Descriptor*, PyObject*> all;
  return all;
}

Ref field_at(const FieldPath& place, const pb::FieldDescriptor* field) {
  if (field->is_map()) return map_at(place, field);
  if (field->is_repeated()) return repeated_at(place, field);
  return item_at(place, field, -1);
}

// The index to which a step leads in a message; -1: its single value.
int position(const pb::Message& m, const Step& step) {
  if (!step.field->is_repeated()) return -1;
  const int index = step.field->is_map() ? find_entry(m, step.field, step.key) : step.index;
  if (index < 0 || index >= m.GetReflection()->FieldSize(m, step.field))
    fail(ErrorKind::kValue, "this part of the message was removed: '", step.field->name(), "' has fewer items now");
  return index;
}

const pb::FieldDescriptor* field_named(PyObject* self, PyObject* name) {
  return place_of(self).read().GetDescriptor()->FindFieldByName(distinct_utf8(name));
}

PyObject* message_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
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
  const std::string text = formats::text_of(place_of(self).read());
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject* message_has(PyObject* self, PyObject* name) {
  const pb::FieldDescriptor* field = field_named(self, name);
  if (!field || field->is_repeated())
    return PyErr_Format(PyExc_ValueError, "a %s has no single field %R", Py_TYPE(self)->tp_name, name);
  const pb::Message& message = place_of(self).read();
  return PyBool_FromLong(message.GetReflection()->HasField(message, field));
}

PyObject* message_serialize(PyObject* self, PyObject*, PyObject*) {
  const std::string bytes = formats::bytes_of(place_of(self).read());
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

// Parses into a message of its own first: the whole is unchanged if the bytes are not valid.
void parse(PyObject* self, PyObject* bytes, bool merge,
           void (*read)(pb::Message&, std::string_view, const formats::Limits&)) {
  pb::Message& message = place_of(self).write();
  const std::unique_ptr<pb::Message> parsed(message.New());
  read(*parsed, {PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes))}, {});
  if (merge) message.MergeFrom(*parsed);
  else message.GetReflection()->Swap(&message, parsed.get());
}

Ref as_bytes(PyObject* given) {
  if (PyUnicode_Check(given)) return checked(PyUnicode_AsUTF8String(given));
  if (PyBytes_Check(given)) return Ref::borrow(given);
  return checked(PyBytes_FromObject(given));
}

PyObject* message_parse(PyObject* self, PyObject* bytes) {
  return guarded([&]() -> PyObject* {
    if (PyUnicode_Check(bytes)) fail(ErrorKind::kType, "ParseFromString takes bytes; a text is read by FromText");
    const Ref data = as_bytes(bytes);
    parse(self, data.get(), false, formats::read_bytes);
    return PyLong_FromSsize_t(PyBytes_GET_SIZE(data.get()));
  });
}

PyObject* message_merge_bytes(PyObject* self, PyObject* bytes) {
  const Ref data = as_bytes(bytes);
  parse(self, data.get(), true, formats::read_bytes);
  return PyLong_FromSsize_t(PyBytes_GET_SIZE(data.get()));
}

PyObject* message_from_text(PyObject* type, PyObject* text) {
  Ref made = checked(PyObject_CallNoArgs(type));
  parse(made.get(), as_bytes(text).get(), false, formats::read_text);
  return made.release();
}

PyObject* message_from(PyObject* type, PyObject* bytes) {
  Ref made = Ref::steal(PyObject_CallNoArgs(type));
  if (!made) return nullptr;
  const Ref parsed = Ref::steal(message_parse(made.get(), bytes));
  return parsed ? made.release() : nullptr;
}

// The bytes of a message of protobuf's own Python package that has the type of `self`; else an error of `what`.
Ref bytes_of_foreign(PyObject* self, PyObject* other, const char* what) {
  const Ref module = checked(PyImport_ImportModule("footlight._descriptors"));
  return as_bytes(checked(PyObject_CallMethod(module.get(), "bytes_of", "OOs", self, other, what)).get());
}

PyObject* message_copy(PyObject* self, PyObject* other) {
  if (!is_message(other) || Py_TYPE(other) != Py_TYPE(self))
    parse(self, bytes_of_foreign(self, other, "CopyFrom").get(), false, formats::read_bytes);
  else place_of(self).write().CopyFrom(place_of(other).read());
  Py_RETURN_NONE;
}

PyObject* message_merge(PyObject* self, PyObject* other) {
  if (!is_message(other) || Py_TYPE(other) != Py_TYPE(self)) {
    parse(self, bytes_of_foreign(self, other, "MergeFrom").get(), true, formats::read_bytes);
    Py_RETURN_NONE;
  }
  const std::unique_ptr<pb::Message> copy(place_of(other).read().New());  // it may be a part of this very message
  copy->CopyFrom(place_of(other).read());
  place_of(self).write().MergeFrom(*copy);
  Py_RETURN_NONE;
}

PyObject* message_clear_field(PyObject* self, PyObject* name) {
  const pb::FieldDescriptor* field = field_named(self, name);
  if (!field) return PyErr_Format(PyExc_ValueError, "%s has no field %R", Py_TYPE(self)->tp_name, name);
  pb::Message& message = place_of(self).write();
  message.GetReflection()->ClearField(&message, field);
  Py_RETURN_NONE;
}

PyObject* message_clear(PyObject* self, PyObject*) {
  place_of(self).write().Clear();
  Py_RETURN_NONE;
}

// An empty message counts as set once it was written to.
PyObject* message_set_in_parent(PyObject* self, PyObject*) {
  place_of(self).write();
  Py_RETURN_NONE;
}

PyObject* message_which(PyObject* self, PyObject* name) {
  const pb::Message& message = place_of(self).read();
  const pb::OneofDescriptor* one = message.GetDescriptor()->FindOneofByName(std::string(utf8(name)));
  if (!one) return PyErr_Format(PyExc_ValueError, "%s has no oneof %R", Py_TYPE(self)->tp_name, name);
  const pb::FieldDescriptor* field = message.GetReflection()->GetOneofFieldDescriptor(message, one);
  if (!field) Py_RETURN_NONE;
  return PyUnicode_FromString(field->name().c_str());
}

PyObject* message_size(PyObject* self, PyObject*) { return PyLong_FromSize_t(place_of(self).read().ByteSizeLong()); }

PyObject* message_compare(PyObject* a, PyObject* b, int op) {
  if (!is_message(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  const bool same = Py_TYPE(a) == Py_TYPE(b) &&
                    formats::bytes_of(place_of(a).read()) == formats::bytes_of(place_of(b).read());
  return PyBool_FromLong(same == (op == Py_EQ));
}

void add_files(const pb::FileDescriptor* file, PyObject* list, std::vector<const pb::FileDescriptor*>& added) {
  if (std::ranges::find(added, file) != added.end()) return;
  added.push_back(file);
  for (int i = 0; i < file->dependency_count(); ++i) add_files(file->dependency(i), list, added);
  pb::FileDescriptorProto described;
  file->CopyTo(&described);
  const std::string bytes = described.SerializeAsString();
  const Ref object = checked(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
  if (PyList_Append(list, object.get()) < 0) throw PythonErrorSet();
}

// The descriptor in protobuf's own Python package, which writes messages as text and JSON.
PyObject* message_descriptor(PyObject* self, void*) {
  const pb::Descriptor* descriptor = place_of(self).read().GetDescriptor();
  const Ref files = checked(PyList_New(0));
  std::vector<const pb::FileDescriptor*> added;
  add_files(descriptor->file(), files.get(), added);
  const Ref module = checked(PyImport_ImportModule("footlight._descriptors"));
  return PyObject_CallMethod(module.get(), "descriptor", "sO", descriptor->full_name().c_str(), files.get());
}

PyObject* message_list_fields(PyObject* self, PyObject*) {
  const Ref module = Ref::steal(PyImport_ImportModule("footlight._descriptors"));
  return module ? PyObject_CallMethod(module.get(), "set_fields", "O", self) : nullptr;
}

PyGetSetDef message_properties[] = {
    {"DESCRIPTOR", guard<message_descriptor>, nullptr, "What protobuf's Python package knows of the type.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef message_methods[] = {
    {"ListFields", message_list_fields, METH_NOARGS,
     "Pairs of a field's descriptor and its value, of those that are set."},
    {"HasField", guard<message_has>, METH_O, "Whether a field is set."},
    {"WhichOneof", guard<message_which>, METH_O, "The name of the alternative that is set, or None."},
    {"SerializeToString", as_method(guard<message_serialize>), METH_VARARGS | METH_KEYWORDS,
     "The bytes of the message."},
    {"ParseFromString", message_parse, METH_O, "Replaces the message by the one parsed from the bytes."},
    {"FromString", message_from, METH_O | METH_CLASS, "Parses a message from bytes."},
    {"MergeFromString", guard<message_merge_bytes>, METH_O, "Adds the message parsed from the bytes to this one."},
    {"FromText", guard<message_from_text>, METH_O | METH_CLASS, "Parses a message from its text form."},
    {"MergeFrom", guard<message_merge>, METH_O, "Adds another message to this one."},
    {"ClearField", guard<message_clear_field>, METH_O, "Unsets a field."},
    {"CopyFrom", guard<message_copy>, METH_O, "Replaces the message by a copy of another."},
    {"Clear", guard<message_clear>, METH_NOARGS, "Unsets every field."},
    {"SetInParent", guard<message_set_in_parent>, METH_NOARGS,
     "Sets the field that the message is, if it is empty too."},
    {"ByteSize", guard<message_size>, METH_NOARGS, "The size of the serialized message in bytes."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

const pb::Message& FieldPath::read() const {
  const pb::Message* m = root_.get();
  for (const Step& step : path_) {
    const pb::Reflection* r = m->GetReflection();
    const int index = position(*m, step);
    m = index < 0 ? &r->GetMessage(*m, step.field) : &r->GetRepeatedMessage(*m, step.field, index);
  }
  return *m;
}

pb::Message& FieldPath::write() const {
  pb::Message* m = root_.get();
  for (const Step& step : path_) {
    const pb::Reflection* r = m->GetReflection();
    const int index = position(*m, step);
    m = index < 0 ? r->MutableMessage(m, step.field) : r->MutableRepeatedMessage(m, step.field, index);
  }
  return *m;
}

const FieldPath& place_of(PyObject* o) { return reinterpret_cast<PyMessage*>(o)->place; }
bool is_message(PyObject* o) { return PyType_IsSubtype(Py_TYPE(o), &message_type); }
const pb::Message* message_in(PyObject* o) { return is_message(o) ? &place_of(o).read() : nullptr; }

Ref object_at(FieldPath place) {
  auto* type = reinterpret_cast<PyTypeObject*>(message_class(place.read().GetDescriptor()));
  return new_object_of<PyMessage>(type, std::move(place));
}

void copy_into(pb::Message& to, const pb::FieldDescriptor* field, PyObject* value) {
  if (!is_message(value) || place_of(value).read().GetDescriptor() != to.GetDescriptor())
    fail(ErrorKind::kType, "the field '", field->name(), "' takes a ", to.GetDescriptor()->name(), ", not ",
         Py_TYPE(value)->tp_name);
  to.CopyFrom(place_of(value).read());
}

void set_all(PyObject* self, PyObject* keywords) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (keywords && PyDict_Next(keywords, &at, &name, &value)) {
    const pb::FieldDescriptor* field = field_named(self, name);
    const FieldPath& place = place_of(self);
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
  for (int i = 0; i < descriptor->enum_type_count(); ++i)
    for (int k = 0; k < descriptor->enum_type(i)->value_count(); ++k) {
      const pb::EnumValueDescriptor* value = descriptor->enum_type(i)->value(k);
      const Ref number = checked(PyLong_FromLong(value->number()));
      if (PyDict_SetItemString(members.get(), value->name().c_str(), number.get()) < 0) throw PythonErrorSet();
    }
  Ref type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O)O",
                                           descriptor->name().c_str(), &message_type, members.get()));
  return classes()[descriptor] = type.release();
}

Ref message_object(std::shared_ptr<pb::Message> message) { return object_at(FieldPath(std::move(message))); }

Ref value_set(const pb::Message& message) {
  std::vector<const pb::FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  if (fields.empty()) return Ref::borrow(Py_None);
  std::shared_ptr<pb::Message> copy(message.New());
  copy->CopyFrom(message);
  return field_at(FieldPath(std::move(copy)), fields.front());
}

void init_messages(PyObject* module) {
  define_type<PyMessage>(message_type, "footlight.Message",
                         {.flags = Py_TPFLAGS_BASETYPE,
                          .construct = guard<message_new>,
                          .initialize = message_init,
                          .repr = guard<message_text>,
                          .str = guard<message_text>,
                          .hash = PyObject_HashNotImplemented,
                          .compare = guard<message_compare>,
                          .get_attribute = message_get,
                          .set_attribute = message_set,
                          .properties = message_properties,
                          .methods = message_methods});
  init_repeated();
  init_maps();
  for (const pb::FileDescriptor* file :
       {formats::GraphDef::descriptor()->file(), formats::TrackableObjectGraph::descriptor()->file(),
        formats::Event::descriptor()->file(), formats::SavedModel::descriptor()->file(),
        formats::Example::descriptor()->file(), formats::ConfigProto::descriptor()->file()})
    for (int i = 0; i < file->message_type_count(); ++i) {
      const pb::Descriptor* message = file->message_type(i);
      if (PyObject_SetAttrString(module, message->name().c_str(), message_class(message)) < 0) throw PythonErrorSet();
    }
  const pb::EnumDescriptor* dtypes = formats::DataType_descriptor();
  for (int i = 0; i < dtypes->value_count(); ++i)
    if (PyModule_AddIntConstant(module, dtypes->value(i)->name().c_str(), dtypes->value(i)->number()) < 0)
      throw PythonErrorSet();
}

}  // namespace footlight::python
