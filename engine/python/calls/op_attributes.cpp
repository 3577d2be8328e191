// Attributes of ops from Python values.
#include "engine/python/calls/op_attributes.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/shape_object.h"

namespace footlight::python {
namespace {

int64_t integer_of(PyObject* value) {
  const Ref index = checked(PyNumber_Index(value));
  const int64_t number = PyLong_AsLongLong(index.get());
  if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return number;
}

float float_of(PyObject* value) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return static_cast<float>(number);
}

std::string text_of(PyObject* value) {
  if (PyBytes_Check(value))
    return std::string(PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value)));
  return std::string(utf8(value));
}

template <class T>
AttrValue list_of(PyObject* value, T (*one)(PyObject*)) {
  std::vector<T> list;
  for (PyObject* item : Items(value)) list.push_back(one(item));
  return list;
}

DType type_of(PyObject* value) { return dtype_from_object(value); }
Shape shape_of_value(PyObject* value) { return shape_from_object(value); }

}  // namespace

void set_attribute(Attrs& attrs, const AttrSpec& spec, PyObject* value) {
  const std::string_view kind = spec.type;
  const AttrName name(spec.name);
  if (kind == "type") attrs.set(name, type_of(value));
  else if (kind == "int") attrs.set(name, integer_of(value));
  else if (kind == "float") attrs.set(name, float_of(value));
  else if (kind == "bool") attrs.set(name, is_true(value));
  else if (kind == "string") attrs.set(name, text_of(value));
  else if (kind == "shape") attrs.set(name, shape_of_value(value));
  else if (kind == "list(int)") attrs.set(name, list_of(value, integer_of));
  else if (kind == "list(float)") attrs.set(name, list_of(value, float_of));
  else if (kind == "list(string)") attrs.set(name, list_of(value, text_of));
  else if (kind == "list(type)") attrs.set(name, list_of(value, type_of));
  else if (kind == "list(shape)") attrs.set(name, list_of(value, shape_of_value));
  else fail(ErrorKind::kType, "an attribute of type ", kind, " cannot be given from Python: ", spec.name);
}

const AttrSpec* attribute_named(const OpRow& row, std::string_view name) {
  for (const AttrSpec& spec : row.attrs)
    if (spec.name == name) return &spec;
  return nullptr;
}

}  // namespace footlight::python
