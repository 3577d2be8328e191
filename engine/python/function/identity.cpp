// Numbers for objects in keys, the kinds of records, and arguments rebuilt around placeholders.
#include "engine/python/function/key.h"

#include "engine/base/text.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/python/interpreter/weak.h"

#include <unordered_map>

namespace footlight::python {
namespace {

// Under the GIL. Weak references as keys: equal while their objects live and are equal; a dead one is never
// found again.
PyObject* living = nullptr;   // weakref -> number
PyObject* kept = nullptr;     // (type, object) -> number: what cannot be referenced weakly
uint64_t next_number = 1;
std::unordered_map<uint64_t, std::string>* names = nullptr;

PyObject* forget(PyObject*, PyObject* reference) {
  if (living && PyDict_DelItem(living, reference) < 0) PyErr_Clear();
  Py_RETURN_NONE;
}
PyMethodDef forget_method = {"forget", forget, METH_O, nullptr};

void start() {
  if (living) return;
  living = PyDict_New();
  kept = PyDict_New();
  names = new std::unordered_map<uint64_t, std::string>;
}

std::string described(PyObject* object) {
  if (PyType_Check(object)) {
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    std::string text = type->tp_name;
    text = text.substr(text.rfind('.') + 1);
    Ref fields = Ref::steal(PyObject_GetAttrString(object, "_fields"));
    PyErr_Clear();
    if (!fields || !PyTuple_Check(fields.get())) {
      fields = Ref::steal(PyObject_GetAttrString(object, "__match_args__"));
      PyErr_Clear();
    }
    if (!fields || !PyTuple_Check(fields.get())) return text;
    text += '(';
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i) {
      const char* field = PyUnicode_AsUTF8(PyTuple_GET_ITEM(fields.get(), i));
      text += (i ? "," : "") + std::string(field ? field : "?");
    }
    return text + ')';
  }
  if (PyCode_Check(object)) {
    auto* code = reinterpret_cast<PyCodeObject*>(object);
    const char* name = PyUnicode_AsUTF8(code->co_qualname);
    return str(name ? name : "?", " (line ", code->co_firstlineno, ")");
  }
  return {};
}

uint64_t fresh_number(PyObject* object) {
  const uint64_t number = next_number++;
  std::string text = described(object);
  if (text.empty()) {
    std::string type = Py_TYPE(object)->tp_name;
    text = str("<", type.substr(type.rfind('.') + 1), " object ", number, ">");
  }
  names->emplace(number, std::move(text));
  return number;
}

uint64_t number_in(PyObject* table, PyObject* key, PyObject* object) {
  PyObject* found = PyDict_GetItemWithError(table, key);
  if (found) return PyLong_AsUnsignedLongLong(found);
  if (PyErr_Occurred()) throw PythonErrorSet();
  const uint64_t number = fresh_number(object);
  Ref value = checked(PyLong_FromUnsignedLongLong(number));
  if (PyDict_SetItem(table, key, value.get()) < 0) throw PythonErrorSet();
  return number;
}

bool has_fields_attribute(PyObject* o, const char* name) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  const int has = PyObject_HasAttrString(type, name);
  return has == 1;
}

}  // namespace

uint64_t type_number(PyObject* object) {
  start();
  Ref key = checked(PyTuple_Pack(2, reinterpret_cast<PyObject*>(Py_TYPE(object)), object));
  return number_in(kept, key.get(), object);
}

uint64_t object_number(PyObject* object) {
  start();
  static PyObject* const callback = PyCFunction_New(&forget_method, nullptr);
  Ref reference = Ref::steal(PyWeakref_NewRef(object, nullptr));
  if (!reference) {
    PyErr_Clear();
    Ref key = checked(PyTuple_Pack(2, reinterpret_cast<PyObject*>(Py_TYPE(object)), object));
    if (PyObject_Hash(key.get()) == -1) {
      PyErr_Clear();
      Ref text = checked(PyObject_Repr(object));
      const char* utf8 = PyUnicode_AsUTF8(text.get());
      fail(ErrorKind::kType, "the argument ", utf8 ? utf8 : "?", " of type ", Py_TYPE(object)->tp_name,
           " cannot be part of a tracing key: it is neither hashable nor can it be referenced weakly. Give it a method "
           "__tf_tracing_type__(self, context), or pass what the function needs of it as tensors");
    }
    return number_in(kept, key.get(), object);
  }
  if (PyObject_Hash(reference.get()) == -1) {  // an object with equality and no hash: by address, as long as it lives
    PyErr_Clear();
    static std::unordered_map<PyObject*, std::pair<uint64_t, Ref>> unhashable;
    auto at = unhashable.find(object);
    if (at != unhashable.end() && weak_target(at->second.second.get()).get() == object) return at->second.first;
    const uint64_t number = fresh_number(object);
    unhashable.insert_or_assign(object, std::pair<uint64_t, Ref>{number, reference});
    return number;
  }
  PyObject* found = PyDict_GetItemWithError(living, reference.get());
  if (found) return PyLong_AsUnsignedLongLong(found);
  if (PyErr_Occurred()) throw PythonErrorSet();
  Ref watched = checked(PyWeakref_NewRef(object, callback));
  if (PyObject_Hash(watched.get()) == -1) throw PythonErrorSet();
  return number_in(living, watched.get(), object);
}

std::shared_ptr<const explain::Names> names_for(std::span<const uint64_t> words) {
  auto result = std::make_shared<explain::Names>();
  for (size_t at = 0; at < words.size();) {
    const explain::Item item = explain::read(words, at);
    if (!item.number || !names) continue;
    if (auto found = names->find(item.number); found != names->end()) result->insert(*found);
  }
  return result;
}

bool is_namedtuple(PyObject* o) { return PyTuple_Check(o) && has_fields_attribute(o, "_fields"); }

bool is_mapping(PyObject* o) {
  if (PyDict_Check(o)) return true;
  if (!PyMapping_Check(o) || PySequence_Check(o)) return false;
  static PyObject* const abc = [] {
    Ref module = Ref::steal(PyImport_ImportModule("collections.abc"));
    return module ? PyObject_GetAttrString(module.get(), "Mapping") : nullptr;
  }();
  const int is = abc ? PyObject_IsInstance(o, abc) : 0;
  if (is < 0) PyErr_Clear();
  return is == 1;
}

bool is_dataclass_instance(PyObject* o) { return !PyType_Check(o) && has_fields_attribute(o, "__dataclass_fields__"); }
bool is_attrs_instance(PyObject* o) {
  return !PyType_Check(o) && (has_fields_attribute(o, "__attrs_attrs__") || is_composite(o));
}
bool is_composite(PyObject* o) { return !PyType_Check(o) && has_fields_attribute(o, "__tensor_fields__"); }

Ref record_field_names(PyObject* o) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  if (is_composite(o)) return checked(PyObject_GetAttrString(type, "__tensor_fields__"));
  if (is_attrs_instance(o)) {
    Ref attributes = checked(PyObject_GetAttrString(type, "__attrs_attrs__"));
    Ref found = checked(PyList_New(0));
    Ref items = checked(PySequence_List(attributes.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
      Ref name = checked(PyObject_GetAttrString(PyList_GET_ITEM(items.get(), i), "name"));
      if (PyList_Append(found.get(), name.get()) < 0) throw PythonErrorSet();
    }
    return checked(PyList_AsTuple(found.get()));
  }
  Ref fields = checked(PyObject_GetAttrString(type, "__dataclass_fields__"));
  return checked(PySequence_Tuple(fields.get()));
}

Ref sorted_keys(PyObject* mapping) {
  Ref keys = checked(PyMapping_Keys(mapping));
  if (PyList_Sort(keys.get()) == 0) return keys;
  PyErr_Clear();  // keys of several types have no order of their own
  return checked(PyMapping_Keys(mapping));
}

Ref Rebuilder::rebuild(PyObject* value) {
  if (is_tensor(value) || is_variable(value) || is_spec(value)) return take(value);
  const bool list = PyList_Check(value);
  if (list || PyTuple_Check(value)) {
    const Py_ssize_t count = Py_SIZE(value);
    const size_t before = taken_;
    std::vector<Ref> items;
    for (Py_ssize_t i = 0; i < count; ++i)
      items.push_back(rebuild(list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i)));
    if (taken_ == before && !list) return Ref::borrow(value);
    Ref sequence = checked(list ? PyList_New(count) : PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = items[static_cast<size_t>(i)].release();
      list ? PyList_SET_ITEM(sequence.get(), i, item) : PyTuple_SET_ITEM(sequence.get(), i, item);
    }
    if (!is_namedtuple(value)) return sequence;
    return checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(Py_TYPE(value)), "_make", "(O)", sequence.get()));
  }
  if (is_mapping(value)) {
    Ref keys = sorted_keys(value);
    std::vector<Ref> items;
    Ref rebuilt = checked(PyDict_New());
    // In the order of the caller's mapping, though walked sorted.
    if (PyDict_Check(value)) rebuilt = checked(PyDict_Copy(value));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
      PyObject* name = PyList_GET_ITEM(keys.get(), i);
      Ref item = checked(PyObject_GetItem(value, name));
      Ref fresh = rebuild(item.get());
      if (PyDict_SetItem(rebuilt.get(), name, fresh.get()) < 0) throw PythonErrorSet();
    }
    if (PyDict_CheckExact(value) || !PyDict_Check(value)) return rebuilt;
    Ref same = Ref::steal(PyObject_CallMethod(value, "copy", nullptr));  // an OrderedDict, a defaultdict
    if (!same || PyDict_Update(same.get(), rebuilt.get()) < 0) {
      PyErr_Clear();
      return rebuilt;
    }
    return same;
  }
  const bool attrs = is_attrs_instance(value);
  if (attrs || (is_dataclass_instance(value) && Py_TYPE(value)->tp_hash == PyObject_HashNotImplemented)) {
    const size_t before = taken_;
    Ref fields = record_field_names(value);
    std::vector<Ref> items;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i) {
      Ref item = checked(PyObject_GetAttr(value, PyTuple_GET_ITEM(fields.get(), i)));
      items.push_back(rebuild(item.get()));
    }
    if (taken_ == before) return Ref::borrow(value);
    Ref module = checked(PyImport_ImportModule("copy"));
    Ref fresh = checked(PyObject_CallMethod(module.get(), "copy", "O", value));
    for (size_t i = 0; i < items.size(); ++i)
      if (PyObject_GenericSetAttr(fresh.get(), PyTuple_GET_ITEM(fields.get(), static_cast<Py_ssize_t>(i)),
                                  items[i].get()) < 0)
        throw PythonErrorSet();
    return fresh;
  }
  if (!PyType_Check(value) && PyObject_HasAttrString(value, "__tf_tracing_type__")) {
    Ref type = checked(PyObject_CallMethod(value, "__tf_tracing_type__", "O", Py_None));
    Ref placeholder = Ref::steal(PyObject_CallMethod(type.get(), "placeholder_value", "O", Py_None));
    if (!placeholder) PyErr_Clear();
    return placeholder ? placeholder : Ref::borrow(value);
  }
  if (!PyType_Check(value) && !PyFunction_Check(value) && is_array(value)) return take(value);
  return Ref::borrow(value);
}

}  // namespace footlight::python
