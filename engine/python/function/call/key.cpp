// Builds the key from the arguments. Exact built-in types first; everything else in the order that the tracing
// protocol defines.
#include "engine/python/function/call/key.h"

#include "engine/base/text.h"
#include "engine/python/function/call/object_ids.h"
#include "engine/python/function/call/rebuild.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/key_spec.h"

namespace footlight::python {
namespace {

using keys::Token;
constexpr int kDeepest = 64;

void put_text(keys::KeyWriter& key, PyObject* text) {
  try {
    key.text(Token::kString, utf8(text));
  } catch (const PythonErrorSet&) {
    clear_only(PyExc_UnicodeEncodeError);  // lone surrogates
    key.text(Token::kString, distinct_utf8(text));
  }
}

void put_integer(keys::KeyWriter& key, PyObject* value) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (!overflow) return key.integer(small);
  Ref digits = checked(PyNumber_ToBase(value, 16));
  key.text(Token::kBigInt, utf8(digits.get()));
}

bool put_literal(keys::KeyWriter& key, PyObject* value, PyTypeObject* type) {
  if (type == &PyLong_Type) put_integer(key, value);
  else if (type == &PyBool_Type) key.put(Token::kBool, value == Py_True);
  else if (type == &PyFloat_Type) key.floating(PyFloat_AS_DOUBLE(value));
  else if (value == Py_None) key.put(Token::kNone);
  else if (type == &PyUnicode_Type) put_text(key, value);
  else if (type == &PyBytes_Type)
    key.text(Token::kBytes, {PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))});
  else if (type == &PyComplex_Type) key.complex(PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value));
  else if (value == Py_Ellipsis) key.put(Token::kEllipsis);
  else return false;
  return true;
}

// The names that a code object, and those inside it, look up as globals.
void global_names(PyObject* code, PyObject* names) {
  PyObject* own = reinterpret_cast<PyCodeObject*>(code)->co_names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(own); ++i)
    if (PySet_Add(names, PyTuple_GET_ITEM(own, i)) < 0) throw PythonErrorSet();
  PyObject* constants = reinterpret_cast<PyCodeObject*>(code)->co_consts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i)
    if (PyCode_Check(PyTuple_GET_ITEM(constants, i))) global_names(PyTuple_GET_ITEM(constants, i), names);
}

[[noreturn]] void refuse(PyObject* value, const char* why) {
  fail(ErrorKind::kType, "Could not generate a generic TraceType for the argument ",
       repr_of(value).substr(0, 200), " of type ", Py_TYPE(value)->tp_name,
       " cannot be part of a tracing key: ", why,
       ". Make it hashable, let it be weakly referenced, or give it a method __tf_tracing_type__(self, "
       "context)");
}

}  // namespace

void CallKey::add_tensor(Tensor tensor) {
  key.tensor(trace::key_spec(tensor.dtype(), tensor.shape()));
  flat.push_back(tensor.body());
  owned.push_back(std::move(tensor));
}

void CallKey::add_variable(PyObject* variable) {
  Tensor handle = variable_handle(variable);
  Resource* resource = handle.resource_object();
  uint32_t alias = 0;
  while (alias < resources.size() && resources[alias] != resource) ++alias;
  if (alias == resources.size()) resources.push_back(resource);
  const Shape& shape = variable_shape(variable);
  key.variable(trace::key_spec(variable_dtype(variable), shape), variable_trainable(variable), alias);
  flat.push_back(handle.body());
  owned.push_back(std::move(handle));
}

void CallKey::add_spec(PyObject* spec) {
  const SpecValue& value = spec_of(spec);
  key.tensor(trace::key_spec(value.dtype, value.shape));
  flat.push_back(nullptr);
  has_specs = true;
}

void CallKey::add(PyObject* value) {
  PyTypeObject* const type = Py_TYPE(value);
  if (type == tensor_type) [[likely]] {
    const Tensor& tensor = tensor_of(value);
    key.tensor(trace::key_spec(tensor.dtype(), tensor.shape()));
    flat.push_back(tensor.body());
    has_symbolic |= tensor.is_symbolic();
    return;
  }
  if (put_literal(key, value, type)) return;
  add_slowly(value, 0);
}

void CallKey::add_child(PyObject* value, int depth) {
  PyTypeObject* const type = Py_TYPE(value);
  if (type == tensor_type || put_literal(key, value, type)) {
    if (type != tensor_type) return;
    owned.push_back(tensor_of(value));  // the container may lose it before the call
    return add(value);
  }
  add_slowly(value, depth + 1);
}

void CallKey::add_slowly(PyObject* value, int depth) {
  if (depth > kDeepest) refuse(value, "it is nested too deeply");
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyList_Type || type == &PyTuple_Type) return add_items(value, depth);
  if (type == &PyDict_Type) return add_mapping(value, depth);
  if (is_variable(value)) return add_variable(value);
  if (is_tensor(value)) return add_tensor(tensor_of(value));
  if (is_spec(value)) return add_spec(value);
  add_outside(value, depth);
}

void CallKey::add_outside(PyObject* value, int depth) {
  PyTypeObject* const type = Py_TYPE(value);
  if (is_typed_composite(value)) {
    const Ref spec = composite_spec(value);
    std::vector<Ref> parts, specs;
    nest_flatten(composite_parts(spec.get(), value).get(), parts, true);
    if (is_composite_spec(spec.get()))
      nest_flatten(composite_parts(spec.get(), spec.get()).get(), specs, true);
    return add_parts(spec.get(), parts, depth, specs);
  }
  if (has_custom_type(value)) {
    const Ref trace_type = custom_type(value);
    const std::vector<Ref> parts = custom_parts(trace_type.get(), value);
    if (parts.empty()) return key.numbered(Token::kCustom, kept_number(trace_type.get()));
    return add_parts(trace_type.get(), parts, depth);
  }
  if (PyWeakref_Check(value))
    refuse(value, "a weak reference does not say what the function will get from it; pass the object itself");
  if (PyFunction_Check(value) || PyMethod_Check(value)) return add_callable(value, depth);
  if (flattens_itself(value)) return add_flattened(value, depth);
  if (is_namedtuple(value)) {
    key.numbered(Token::kNamedTuple, object_number(reinterpret_cast<PyObject*>(type)),
                 static_cast<uint64_t>(PyTuple_GET_SIZE(value)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) add_child(PyTuple_GET_ITEM(value, i), depth);
    return;
  }
  if (PyList_Check(value) || PyTuple_Check(value)) return add_items(value, depth);
  if (is_mapping(value)) return add_mapping(value, depth);
  if (is_attrs_instance(value)) return add_fields(value, record_field_names(value).get(), depth);
  if (!PyType_Check(value) && is_array(value)) return add_tensor(to_tensor(value));
  if (PySlice_Check(value)) {
    auto* slice = reinterpret_cast<PySliceObject*>(value);
    key.put(Token::kSlice, 3);
    for (PyObject* part : {slice->start, slice->stop, slice->step})
      if (!put_literal(key, part, Py_TYPE(part))) key.numbered(Token::kObject, object_number(part));
    return;
  }
  if (type == &PySet_Type) {
    Ref items = checked(PySequence_List(value));
    if (PyList_Sort(items.get()) < 0) {  // not sortable: order by hash
      clear_only(PyExc_TypeError);
      Ref frozen = checked(PyFrozenSet_New(value));
      return key.numbered(Token::kObject, kept_number(frozen.get()));
    }
    key.put(Token::kSet, static_cast<uint64_t>(PyList_GET_SIZE(items.get())));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) add_child(PyList_GET_ITEM(items.get(), i), depth);
    return;
  }
  if (is_dataclass_instance(value) && type->tp_hash == PyObject_HashNotImplemented)
    return add_fields(value, record_field_names(value).get(), depth);
  static PyObject* const partial = [] {
    Ref module = Ref::steal(PyImport_ImportModule("functools"));
    return module ? PyObject_GetAttrString(module.get(), "partial") : nullptr;
  }();
  if (partial && reinterpret_cast<PyObject*>(type) == partial) return add_callable(value, depth);
  if (PyType_Check(value)) return key.numbered(Token::kType, object_number(value));
  key.numbered(Token::kObject, object_number(value));
}

// Writes a tuple of the type and the tensors, so that more general ones may cover both.
void CallKey::add_parts(PyObject* type, std::span<const Ref> parts, int depth, std::span<const Ref> specs) {
  key.put(Token::kTuple, static_cast<uint64_t>(parts.size() + 1));
  key.numbered(Token::kCustom, kept_number(type));
  for (size_t i = 0; i < parts.size(); ++i) {
    // Details that the type leaves open, such as the number of values, cause no other trace.
    PyObject* const part = parts[i].get();
    const SpecValue* spec =
        specs.size() == parts.size() && is_spec(specs[i].get()) ? &spec_of(specs[i].get()) : nullptr;
    if (!spec || !is_tensor(part) || tensor_of(part).dtype() != spec->dtype ||
        !is_subshape(tensor_of(part).shape(), spec->shape)) {
      add_child(part, depth);
      continue;
    }
    key.tensor(trace::key_spec(spec->dtype, spec->shape));
    flat.push_back(tensor_of(part).body());
    has_symbolic |= tensor_of(part).is_symbolic();
    owned.push_back(tensor_of(part));
  }
}

void CallKey::add_items(PyObject* list_or_tuple, int depth) {
  const Items items = Items::stored(list_or_tuple);
  key.put(PyList_Check(list_or_tuple) ? Token::kList : Token::kTuple, static_cast<uint64_t>(items.size()));
  for (PyObject* item : items) add_child(item, depth);
}

void CallKey::add_mapping(PyObject* value, int depth) {
  Ref keys = sorted_keys(value);
  const Py_ssize_t count = PyList_GET_SIZE(keys.get());
  key.put(Token::kDict, static_cast<uint64_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyList_GET_ITEM(keys.get(), i);
    add_child(name, depth);
    Ref item = checked(PyObject_GetItem(value, name));
    add_child(item.get(), depth);
  }
}

void CallKey::add_fields(PyObject* value, PyObject* names, int depth) {
  key.numbered(Token::kRecord, object_number(reinterpret_cast<PyObject*>(Py_TYPE(value))),
               static_cast<uint64_t>(PyTuple_GET_SIZE(names)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    Ref item = checked(PyObject_GetAttr(value, PyTuple_GET_ITEM(names, i)));
    add_child(item.get(), depth);
  }
}

void CallKey::add_flattened(PyObject* value, int depth) {
  const Flattened parts = flattened(value);
  key.numbered(Token::kRecord, flattened_class_number(reinterpret_cast<PyObject*>(Py_TYPE(value))),
               parts.components.size() + 1);
  const size_t tensors = flat.size();
  add_child(parts.metadata.get(), depth);
  if (flat.size() != tensors) refuse(value, "the metadata that its __tf_flatten__() returns holds tensors");
  for (const Ref& part : parts.components) add_child(part.get(), depth);
}

// A function created at the call is identified by what its trace would depend on: its code, cells, defaults and
// the globals that the code names. Tensors and containers among these count by identity; where one has none that can be
// kept (a list that a lambda closes over), the function counts by its own.
void CallKey::add_callable(PyObject* value, int depth) {
  if (depth > 6) return key.numbered(Token::kObject, object_number(value));
  auto outside = [&](PyObject* item) {
    if (put_literal(key, item, Py_TYPE(item))) return;
    if (PyFunction_Check(item) || PyMethod_Check(item)) return add_callable(item, depth + 1);
    if (!PyType_SUPPORTS_WEAKREFS(Py_TYPE(item)) && PyObject_Hash(item) == -1) {
      clear_only(PyExc_TypeError);
      item = value;
    }
    key.numbered(Token::kObject, object_number(item));
  };
  if (PyMethod_Check(value)) {
    key.numbered(Token::kCallable, object_number(reinterpret_cast<PyObject*>(&PyMethod_Type)), 2);
    outside(PyMethod_GET_FUNCTION(value));
    return outside(PyMethod_GET_SELF(value));
  }
  if (!PyFunction_Check(value)) {  // a partial
    Ref function = checked(PyObject_GetAttrString(value, "func"));
    Ref args = checked(PyObject_GetAttrString(value, "args"));
    Ref keywords = checked(PyObject_GetAttrString(value, "keywords"));
    Ref names = sorted_keys(keywords.get());
    key.numbered(Token::kCallable, object_number(reinterpret_cast<PyObject*>(Py_TYPE(value))),
                 static_cast<uint64_t>(1 + PyTuple_GET_SIZE(args.get()) + 2 * PyList_GET_SIZE(names.get())));
    outside(function.get());
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i) outside(PyTuple_GET_ITEM(args.get(), i));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
      outside(PyList_GET_ITEM(names.get(), i));
      outside(checked(PyObject_GetItem(keywords.get(), PyList_GET_ITEM(names.get(), i))).get());
    }
    return;
  }
  auto* function = reinterpret_cast<PyFunctionObject*>(value);
  const size_t head = key.words.size();
  key.numbered(Token::kCallable, kept_number(function->func_code), 0);
  uint64_t children = 0;
  if (function->func_closure)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(function->func_closure); ++i, ++children) {
      const Ref held = Ref::borrow(PyCell_GET(PyTuple_GET_ITEM(function->func_closure, i)));
      PyObject* content = held.get();
      if (content == value) key.put(Token::kEllipsis);  // a function that refers to itself
      else if (content) outside(content);
      else key.put(Token::kNone);
    }
  if (function->func_defaults)
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(function->func_defaults); ++i, ++children)
      outside(PyTuple_GET_ITEM(function->func_defaults, i));
  Ref names = checked(PySet_New(nullptr));
  global_names(function->func_code, names.get());
  Ref ordered = checked(PySequence_List(names.get()));
  if (PyList_Sort(ordered.get()) < 0) throw PythonErrorSet();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(ordered.get()); ++i) {
    const Ref held = Ref::borrow(find_item(function->func_globals, PyList_GET_ITEM(ordered.get(), i)));
    PyObject* content = held.get();
    if (!content || content == value) continue;
    outside(content);
    ++children;
  }
  key.words[head] |= children << 8;
}

}  // namespace footlight::python
