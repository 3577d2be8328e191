// C++ errors as Python exceptions, one to one; the classes are defined in footlight/_errors.py.
#include "engine/base/assertion.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"

#include <array>
#include <new>
#include <system_error>

namespace footlight::python {
namespace {

constexpr size_t kKinds = static_cast<size_t>(ErrorKind::kSignatureMismatch) + 1;
std::array<PyObject*, kKinds> classes{};
PyObject* failed_assert = nullptr;

struct Named {
  ErrorKind kind;
  const char* name;
};
constexpr Named kErrors[] = {
    {ErrorKind::kInvalidArgument, "InvalidArgumentError"},
    {ErrorKind::kFailedPrecondition, "FailedPreconditionError"},
    {ErrorKind::kOutOfRange, "OutOfRangeError"},
    {ErrorKind::kUnimplemented, "UnimplementedError"},
    {ErrorKind::kInternal, "InternalError"},
    {ErrorKind::kNotFound, "NotFoundError"},
    {ErrorKind::kAlreadyExists, "AlreadyExistsError"},
    {ErrorKind::kResourceExhausted, "ResourceExhaustedError"},
    {ErrorKind::kCancelled, "CancelledError"},
    {ErrorKind::kAborted, "AbortedError"},
    {ErrorKind::kDataLoss, "DataLossError"},
    {ErrorKind::kUnavailable, "UnavailableError"},
    {ErrorKind::kPermissionDenied, "PermissionDeniedError"},
    {ErrorKind::kDeadlineExceeded, "DeadlineExceededError"},
    {ErrorKind::kUnknown, "UnknownError"},
};

bool is_op_error(ErrorKind kind) {
  return kind >= ErrorKind::kInvalidArgument && kind <= ErrorKind::kUnknown;
}

void set(PyObject* type, bool of_op, const std::string& message) {
  if (!type) type = PyExc_RuntimeError;
  // An exception left by a failed look-up: our error says more. Keep an interrupt.
  if (PyErr_Occurred() && !cleared_if(PyExc_Exception)) return;
  const Ref text =
      Ref::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  if (!text) return;
  const Ref value = Ref::steal(of_op ? PyObject_CallFunction(type, "OOO", Py_None, Py_None, text.get())
                                     : PyObject_CallOneArg(type, text.get()));
  if (value) PyErr_SetObject(type, value.get());
}

}  // namespace

void set_python_error() {
  try {
    throw;
  } catch (const PythonErrorSet&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a Python call failed without setting an exception");
  } catch (const AssertionFailure& e) {
    set(failed_assert, true, e.message());
  } catch (const Error& e) {
    set(classes[static_cast<size_t>(e.kind())], is_op_error(e.kind()), e.message());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::system_error& e) {
    set(PyExc_OSError, false, e.what());
  } catch (const std::exception& e) {  // bad_variant_access, out_of_range, ...: never the program's fault
    set(classes[static_cast<size_t>(ErrorKind::kInternal)], true,
        std::string("this is a bug in Footlight, not in your program (") + e.what() +
            "). Please report it, with this traceback and the lines of your program that it names");
  }
}

void init_errors() {
  const std::pair<ErrorKind, PyObject*> builtin[] = {
      {ErrorKind::kValue, PyExc_ValueError},
      {ErrorKind::kType, PyExc_TypeError},
      {ErrorKind::kRuntime, PyExc_RuntimeError},
      {ErrorKind::kIndex, PyExc_IndexError},
      {ErrorKind::kKey, PyExc_KeyError},
      {ErrorKind::kLookup, PyExc_LookupError},
      {ErrorKind::kAttribute, PyExc_AttributeError},
      {ErrorKind::kName, PyExc_NameError},
      {ErrorKind::kNotImplemented, PyExc_NotImplementedError},
      {ErrorKind::kMemory, PyExc_MemoryError},
      {ErrorKind::kZeroDivision, PyExc_ZeroDivisionError},
      {ErrorKind::kRecursion, PyExc_RecursionError},
      {ErrorKind::kOverflow, PyExc_OverflowError},
      {ErrorKind::kKeyboardInterrupt, PyExc_KeyboardInterrupt},
      {ErrorKind::kIo, PyExc_OSError},
  };
  for (const auto& [kind, type] : builtin) classes[static_cast<size_t>(kind)] = Py_NewRef(type);
  Ref module = checked(PyImport_ImportModule("footlight._errors"));
  Ref by_name = checked(PyObject_GetAttrString(module.get(), "CLASSES"));
  for (const Named& n : kErrors) {
    PyObject* type = find_item(by_name.get(), n.name);
    FL_CHECK(type != nullptr);
    classes[static_cast<size_t>(n.kind)] = Py_NewRef(type);
  }
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(by_name.get(), &at, &key, &value);)
    publish(("errors." + std::string(utf8(key))).c_str(), value);
  Ref codes = checked(PyObject_GetAttrString(module.get(), "CODES"));
  for (Py_ssize_t at = 0; PyDict_Next(codes.get(), &at, &key, &value);)
    publish(("errors." + std::string(utf8(key))).c_str(), value);
  const std::pair<ErrorKind, const char*> own[] = {
      {ErrorKind::kOperatorNotAllowedInGraph, "OperatorNotAllowedInGraphError"},
      {ErrorKind::kInaccessibleTensor, "InaccessibleTensorError"},
      {ErrorKind::kSignatureMismatch, "SignatureMismatchError"},
  };
  for (const auto& [kind, name] : own) {
    Ref type = checked(PyObject_GetAttrString(module.get(), name));
    publish((std::string("errors.") + name).c_str(), type.get());
    classes[static_cast<size_t>(kind)] = type.release();
  }
  failed_assert = checked(PyObject_GetAttrString(module.get(), "FailedAssert")).release();
  Ref base = checked(PyObject_GetAttrString(module.get(), "OpError"));
  publish("errors.OpError", base.get());
}

}  // namespace footlight::python
