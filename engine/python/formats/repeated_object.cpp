// Repeated fields as Python sequences.
#include "engine/base/text.h"
#include "engine/python/formats/field_values.h"
#include "engine/python/formats/field_path.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/types.h"

#include <algorithm>

namespace footlight::python {
namespace {

namespace pb = google::protobuf;

struct PyRepeated {
  PyObject_HEAD
  FieldPath place;
  const pb::FieldDescriptor* field;
};
PyTypeObject repeated_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

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
  return guarded(
      [&] { return item_at(repeated_of(self).place, repeated_of(self).field, static_cast<int>(index)).release(); });
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
  append(repeated_of(self).place.write(), repeated_of(self).field, value);
  Py_RETURN_NONE;
}

PyObject* repeated_extend(PyObject* self, PyObject* values) {
  extend(repeated_of(self).place, repeated_of(self).field, values);
  Py_RETURN_NONE;
}

PyObject* repeated_add(PyObject* self, PyObject* arguments, PyObject* keywords) {
  const PyRepeated& repeated = repeated_of(self);
  if (repeated.field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE || PyTuple_GET_SIZE(arguments) > 0)
    fail(ErrorKind::kType, "add() makes a message, of the values of its fields by name");
  pb::Message& message = repeated.place.write();
  message.GetReflection()->AddMessage(&message, repeated.field);
  const int index = message.GetReflection()->FieldSize(message, repeated.field) - 1;
  Ref made = object_at(repeated.place.at(repeated.field, index));
  set_all(made.get(), keywords);
  return made.release();
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

// Removes the items [first, last).
void remove(const PyRepeated& repeated, int first, int last) {
  pb::Message& message = repeated.place.write();
  const pb::Reflection* r = message.GetReflection();
  const int size = r->FieldSize(message, repeated.field);
  for (int from = last; from < size; ++from) r->SwapElements(&message, repeated.field, first + from - last, from);
  for (int k = first; k < last; ++k) r->RemoveLast(&message, repeated.field);
}

int index_of(const PyRepeated& repeated, PyObject* key) {
  const Py_ssize_t size = repeated.place.read().GetReflection()->FieldSize(repeated.place.read(), repeated.field);
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) throw PythonErrorSet();
  if (index < 0) index += size;
  if (index < 0 || index >= size) fail(ErrorKind::kIndex, "list index out of range");
  return static_cast<int>(index);
}

// x[i] = value, del x[i], del x[i:j], x[i:j] = values.
int repeated_assign(PyObject* self, PyObject* key, PyObject* value) {
  const PyRepeated& repeated = repeated_of(self);
  const bool messages = repeated.field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
  if (value && messages)
    fail(ErrorKind::kType, "messages in a row cannot be assigned: use CopyFrom, or del and add()");
  if (!PySlice_Check(key)) {
    const int index = index_of(repeated, key);
    if (!value)
      remove(repeated, index, index + 1);
    else {
      append(repeated.place.write(), repeated.field, value);
      pb::Message& message = repeated.place.write();
      const int last = message.GetReflection()->FieldSize(message, repeated.field) - 1;
      message.GetReflection()->SwapElements(&message, repeated.field, index, last);
      message.GetReflection()->RemoveLast(&message, repeated.field);
    }
    return 0;
  }
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(key, &start, &stop, &step) < 0) throw PythonErrorSet();
  const Py_ssize_t count = PySlice_AdjustIndices(repeated_length(self), &start, &stop, step);
  if (!value && step == 1) {
    remove(repeated, static_cast<int>(start), static_cast<int>(start + count));
    return 0;
  }
  // Anything else by way of a list.
  const Ref list = checked(PySequence_List(self));
  if (value ? PyObject_SetItem(list.get(), key, value) < 0 : PyObject_DelItem(list.get(), key) < 0)
    throw PythonErrorSet();
  if (messages) fail(ErrorKind::kType, "messages in a row can only be removed one by one, or many in a row");
  pb::Message& message = repeated.place.write();
  message.GetReflection()->ClearField(&message, repeated.field);
  extend(repeated.place, repeated.field, list.get());
  return 0;
}

PyObject* repeated_pop(PyObject* self, PyObject* arguments) {
  PyObject* key = nullptr;
  if (!PyArg_ParseTuple(arguments, "|O:pop", &key)) return nullptr;
  const PyRepeated& repeated = repeated_of(self);
  const Ref last = checked(PyLong_FromLong(-1));
  const int index = index_of(repeated, key ? key : last.get());
  Ref item = item_at(repeated.place, repeated.field, index);
  if (is_message(item.get())) {  // it outlives its place in the list
    std::shared_ptr<pb::Message> copy(place_of(item.get()).read().New());
    copy->CopyFrom(place_of(item.get()).read());
    item = object_at(FieldPath(std::move(copy)));
  }
  remove(repeated, index, index + 1);
  return item.release();
}

PyObject* repeated_remove(PyObject* self, PyObject* value) {
  const PyRepeated& repeated = repeated_of(self);
  const Ref list = checked(PySequence_List(self));
  const Py_ssize_t index = PySequence_Index(list.get(), value);
  if (index < 0) return nullptr;
  remove(repeated, static_cast<int>(index), static_cast<int>(index) + 1);
  Py_RETURN_NONE;
}

PyObject* repeated_insert(PyObject* self, PyObject* arguments) {
  Py_ssize_t index;
  PyObject* value;
  if (!PyArg_ParseTuple(arguments, "nO:insert", &index, &value)) return nullptr;
  const PyRepeated& repeated = repeated_of(self);
  const auto size = static_cast<int>(repeated_length(self));
  append(repeated.place.write(), repeated.field, value);
  pb::Message& message = repeated.place.write();
  if (index < 0) index = std::max<Py_ssize_t>(0, index + size);
  for (int k = size; k > index; --k) message.GetReflection()->SwapElements(&message, repeated.field, k, k - 1);
  Py_RETURN_NONE;
}

PyMethodDef repeated_methods[] = {
    {"pop", guard<repeated_pop>, METH_VARARGS, "Removes an item, the last one by default, and returns it."},
    {"remove", guard<repeated_remove>, METH_O, "Removes the first item that is equal to a value."},
    {"insert", guard<repeated_insert>, METH_VARARGS, "Adds a copy of a value before an item."},
    {"append", guard<repeated_append>, METH_O, "Adds a copy of a value at the end."},
    {"extend", guard<repeated_extend>, METH_O, "Adds copies of many values at the end."},
    {"add", as_method(guard<repeated_add>), METH_VARARGS | METH_KEYWORDS, "Makes a message at the end and returns it."},
    {nullptr, nullptr, 0, nullptr}};
}  // namespace

Ref repeated_at(FieldPath place, const pb::FieldDescriptor* field) {
  return new_object<PyRepeated>(repeated_type, std::move(place), field);
}

Ref item_at(const FieldPath& place, const pb::FieldDescriptor* field, int index) {
  if (field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE) return object_at(place.at(field, index));
  return field_value(place.read(), field, index);
}

void append(pb::Message& message, const pb::FieldDescriptor* field, PyObject* value) {
  if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) return add_field_value(message, field, value);
  // Copied first: the value may be a part of this very message.
  std::unique_ptr<pb::Message> copy(
      pb::MessageFactory::generated_factory()->GetPrototype(field->message_type())->New());
  copy_into(*copy, field, value);
  message.GetReflection()->AddAllocatedMessage(&message, field, copy.release());
}

void extend(const FieldPath& place, const pb::FieldDescriptor* field, PyObject* values) {
  const Ref items = checked(PySequence_List(values));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i)
    append(place.write(), field, PyList_GET_ITEM(items.get(), i));
}

void init_repeated() {
  define_type<PyRepeated>(repeated_type, "footlight.Repeated",
                          {.flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .repr = repeated_repr,
                           .hash = PyObject_HashNotImplemented,
                           .compare = repeated_compare,
                           .methods = repeated_methods,
                           .length = repeated_length,
                           .item = repeated_item,
                           .subscript = repeated_subscript,
                           .assign_subscript = guard<repeated_assign>});
}

}  // namespace footlight::python
