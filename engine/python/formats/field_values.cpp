// One switch over the kinds of fields in each direction.
#include "engine/python/formats/field_values.h"

#include "engine/base/errors.h"
#include "engine/python/interpreter/exceptions.h"

#include <limits>
#include <string>

namespace footlight::python {
namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

template <class Int>
Int integer(PyObject* value, const FieldDescriptor* field) {
  const Ref number = checked(PyNumber_Index(value));
  bool fits = true;
  Int result = 0;
  if constexpr (std::is_signed_v<Int>) {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    fits = !overflow && wide >= std::numeric_limits<Int>::min() && wide <= std::numeric_limits<Int>::max();
    result = static_cast<Int>(wide);
  } else {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(number.get());
    fits = !PyErr_Occurred();
    if (!fits) clear_only(PyExc_OverflowError);
    fits = fits && wide <= std::numeric_limits<Int>::max();
    result = static_cast<Int>(wide);
  }
  if (!fits) {
    PyErr_Format(PyExc_ValueError, "the value %R is out of range for the field '%s'", value, field->name().c_str());
    throw PythonErrorSet();
  }
  return result;
}

double real(PyObject* value) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return number;
}

std::string text(PyObject* value, const FieldDescriptor* field) {
  const Ref bytes = PyUnicode_Check(value) ? checked(PyUnicode_AsUTF8String(value)) : Ref::borrow(value);
  if (!PyBytes_Check(bytes.get()) || (field->type() == FieldDescriptor::TYPE_BYTES && PyUnicode_Check(value))) {
    PyErr_Format(PyExc_TypeError, "the field '%s' takes %s, not %s", field->name().c_str(),
                 field->type() == FieldDescriptor::TYPE_BYTES ? "bytes" : "a str", Py_TYPE(value)->tp_name);
    throw PythonErrorSet();
  }
  return {PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

// Calls `set` with the value as the field's own type.
template <class Set>
void convert(const FieldDescriptor* field, PyObject* value, Set&& set) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: return set(integer<int32_t>(value, field));
    case FieldDescriptor::CPPTYPE_INT64: return set(integer<int64_t>(value, field));
    case FieldDescriptor::CPPTYPE_UINT32: return set(integer<uint32_t>(value, field));
    case FieldDescriptor::CPPTYPE_UINT64: return set(integer<uint64_t>(value, field));
    case FieldDescriptor::CPPTYPE_DOUBLE: return set(real(value));
    case FieldDescriptor::CPPTYPE_FLOAT: return set(static_cast<float>(real(value)));
    case FieldDescriptor::CPPTYPE_BOOL: return set(integer<int64_t>(value, field) != 0);
    case FieldDescriptor::CPPTYPE_ENUM: return set(integer<int32_t>(value, field));
    case FieldDescriptor::CPPTYPE_STRING: return set(text(value, field));
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  FL_CHECK(false);
}

}  // namespace

Ref field_value(const pb::Message& m, const FieldDescriptor* f, int i) {
  const pb::Reflection* r = m.GetReflection();
  const bool one = i < 0;
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return checked(PyLong_FromLong(one ? r->GetInt32(m, f) : r->GetRepeatedInt32(m, f, i)));
    case FieldDescriptor::CPPTYPE_INT64:
      return checked(PyLong_FromLongLong(one ? r->GetInt64(m, f) : r->GetRepeatedInt64(m, f, i)));
    case FieldDescriptor::CPPTYPE_UINT32:
      return checked(PyLong_FromUnsignedLong(one ? r->GetUInt32(m, f) : r->GetRepeatedUInt32(m, f, i)));
    case FieldDescriptor::CPPTYPE_UINT64:
      return checked(PyLong_FromUnsignedLongLong(one ? r->GetUInt64(m, f) : r->GetRepeatedUInt64(m, f, i)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return checked(PyFloat_FromDouble(one ? r->GetDouble(m, f) : r->GetRepeatedDouble(m, f, i)));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return checked(PyFloat_FromDouble(one ? r->GetFloat(m, f) : r->GetRepeatedFloat(m, f, i)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return checked(PyBool_FromLong(one ? r->GetBool(m, f) : r->GetRepeatedBool(m, f, i)));
    case FieldDescriptor::CPPTYPE_ENUM:
      return checked(PyLong_FromLong(one ? r->GetEnumValue(m, f) : r->GetRepeatedEnumValue(m, f, i)));
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string s = one ? r->GetString(m, f) : r->GetRepeatedString(m, f, i);
      const auto size = static_cast<Py_ssize_t>(s.size());
      return checked(f->type() == FieldDescriptor::TYPE_BYTES ? PyBytes_FromStringAndSize(s.data(), size)
                                                              : PyUnicode_DecodeUTF8(s.data(), size, "replace"));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: break;
  }
  FL_CHECK(false);
  return {};
}

#define FL_STORE(VERB)                                                                          \
  const pb::Reflection* r = m.GetReflection();                                                  \
  convert(f, value, [&]<class T>(const T& v) {                                                  \
    if (f->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {                                       \
      if constexpr (std::is_same_v<T, int32_t>) r->VERB##EnumValue(&m, f, v);                   \
    } else if constexpr (std::is_same_v<T, int32_t>) {                                          \
      r->VERB##Int32(&m, f, v);                                                                 \
    } else if constexpr (std::is_same_v<T, int64_t>) {                                          \
      r->VERB##Int64(&m, f, v);                                                                 \
    } else if constexpr (std::is_same_v<T, uint32_t>) {                                         \
      r->VERB##UInt32(&m, f, v);                                                                \
    } else if constexpr (std::is_same_v<T, uint64_t>) {                                         \
      r->VERB##UInt64(&m, f, v);                                                                \
    } else if constexpr (std::is_same_v<T, double>) {                                           \
      r->VERB##Double(&m, f, v);                                                                \
    } else if constexpr (std::is_same_v<T, float>) {                                            \
      r->VERB##Float(&m, f, v);                                                                 \
    } else if constexpr (std::is_same_v<T, bool>) {                                             \
      r->VERB##Bool(&m, f, v);                                                                  \
    } else {                                                                                    \
      r->VERB##String(&m, f, v);                                                                \
    }                                                                                           \
  })

void set_field_value(pb::Message& m, const FieldDescriptor* f, PyObject* value) { FL_STORE(Set); }
void add_field_value(pb::Message& m, const FieldDescriptor* f, PyObject* value) { FL_STORE(Add); }
#undef FL_STORE

}  // namespace footlight::python
