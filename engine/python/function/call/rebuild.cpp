// The kinds of values that keys distinguish, and arguments rebuilt with placeholders.
#include "engine/python/function/call/rebuild.h"

#include "engine/base/text.h"
#include "engine/python/function/call/key.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/nest.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/graph_builder.h"

#include <optional>

namespace footlight::python {
namespace {

bool has_fields_attribute(PyObject* o, const char* name) {
  return has_attribute(reinterpret_cast<PyObject*>(Py_TYPE(o)), name);
}

}  // namespace

bool is_namedtuple(PyObject* o) { return PyTuple_Check(o) && has_fields_attribute(o, "_fields"); }

bool is_mapping(PyObject* o) {
  if (PyDict_Check(o)) return true;
  if (!PyMapping_Check(o) || PySequence_Check(o)) return false;
  static PyObject* const abc = [] {
    const Ref module = checked(PyImport_ImportModule("collections.abc"));
    return checked(PyObject_GetAttrString(module.get(), "Mapping")).release();
  }();
  return is_instance(o, abc);
}

bool is_dataclass_instance(PyObject* o) { return !PyType_Check(o) && has_fields_attribute(o, "__dataclass_fields__"); }
bool is_attrs_instance(PyObject* o) {
  return !PyType_Check(o) && (has_fields_attribute(o, "__attrs_attrs__") || is_composite(o));
}
bool is_composite(PyObject* o) { return !PyType_Check(o) && has_fields_attribute(o, "__tensor_fields__"); }

bool is_composite_spec(PyObject* o) {
  if (is_spec(o) || PyType_Check(o) || !class_has_attribute(o, "_component_specs")) return false;
  const Ref holds = checked(PyObject_GetAttrString(o, "_holds_tensors"));
  return holds.get() == Py_True;
}

bool is_typed_composite(PyObject* o) {
  if (PyType_Check(o) || is_tensor(o) || is_variable(o) || is_spec(o) || is_composite(o)) return false;
  return class_has_attribute(o, "_type_spec") || is_composite_spec(o);
}

Ref composite_spec(PyObject* o) {
  if (is_composite_spec(o)) return Ref::borrow(o);
  const char* const kind = has_attribute(o, "_declared_spec") ? "_declared_spec" : "_type_spec";  // input_signature
  const Ref own = checked(PyObject_GetAttrString(o, kind));
  const Ref state = checked(PyObject_CallMethod(own.get(), "_serialize", nullptr));
  return checked(PyObject_CallMethod(own.get(), "_deserialize", "(O)", state.get()));
}

Ref composite_parts(PyObject* spec, PyObject* o) {
  if (is_composite_spec(o)) return checked(PyObject_GetAttrString(o, "_component_specs"));
  return checked(PyObject_CallMethod(spec, "_to_components", "(O)", o));
}

namespace {

bool is_custom_type(PyObject* o) {
  static PyObject* const kind = [] {
    const Ref module = checked(PyImport_ImportModule("footlight.types.experimental"));
    return checked(PyObject_GetAttrString(module.get(), "TraceType")).release();
  }();
  return PyType_IsSubtype(Py_TYPE(o), reinterpret_cast<PyTypeObject*>(kind));
}

}  // namespace

bool has_custom_type(PyObject* o) {
  return !PyType_Check(o) && !is_tensor(o) && !is_variable(o) &&
         (has_attribute(o, "__tf_tracing_type__") || is_custom_type(o));
}

Ref custom_type(PyObject* o) {
  if (is_custom_type(o)) return Ref::borrow(o);
  static PyObject* const context = [] {
    const Ref module = checked(PyImport_ImportModule("footlight._types.trace_types"));
    return checked(PyObject_GetAttrString(module.get(), "tracing_context")).release();
  }();
  Ref type = checked(PyObject_CallMethod(o, "__tf_tracing_type__", "O", context));
  if (!has_attribute(type.get(), "is_subtype_of") || !has_attribute(type.get(), "flatten"))
    fail(ErrorKind::kType, "__tf_tracing_type__() of a ", Py_TYPE(o)->tp_name,
         " must return a trace type, not ", repr_of(type.get()));
  return type;
}

std::vector<Ref> custom_parts(PyObject* type, PyObject* o) {
  const bool is_type = is_custom_type(o);
  const Ref specs = checked(PyObject_CallMethod(type, "flatten", nullptr));
  std::vector<Ref> parts;
  for (PyObject* spec : Items(specs.get(), "flatten() of a trace type must return a list of tf.TensorSpec"))
    parts.push_back(Ref::borrow(spec));
  if (is_type || parts.empty()) return parts;
  const Ref tensors = checked(PyObject_CallMethod(type, "to_tensors", "(O)", o));
  const Items given(tensors.get(), "to_tensors() of a trace type must return a list of tensors");
  if (static_cast<size_t>(given.size()) != parts.size())
    fail(ErrorKind::kValue, "the trace type ", repr_of(type), " has ", parts.size(), " tensors by its flatten() and ",
         given.size(), " by its to_tensors()");
  for (Py_ssize_t i = 0; i < given.size(); ++i) parts[static_cast<size_t>(i)] = Ref::borrow(given[i]);
  return parts;
}

Ref record_field_names(PyObject* o) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  if (is_composite(o))
    return checked(PySequence_Tuple(checked(PyObject_GetAttrString(type, "__tensor_fields__")).get()));
  if (is_attrs_instance(o)) {
    Ref attributes = checked(PyObject_GetAttrString(type, "__attrs_attrs__"));
    return tuple_of(Items(attributes.get()), [](auto* one) {
      return checked(PyObject_GetAttrString(one, "name"));
    });
  }
  Ref fields = checked(PyObject_GetAttrString(type, "__dataclass_fields__"));
  return checked(PySequence_Tuple(fields.get()));
}

Ref sorted_keys(PyObject* mapping) {
  Ref keys = checked(PyMapping_Keys(mapping));
  if (PyList_Sort(keys.get()) == 0) return keys;
  clear_only(PyExc_TypeError);  // keys of different types are not sortable
  return checked(PyMapping_Keys(mapping));
}

namespace {

// While a function is traced, its arguments are values of what is around it.
class Outside {
 public:
  explicit Outside(bool tracing) {
    trace::GraphBuilder* const own = tracing ? trace::GraphBuilder::innermost() : nullptr;
    if (own) building_.emplace(own->outer());
  }

 private:
  std::optional<trace::Building> building_;
};

}  // namespace

// The next type of the key, which may be more general than that of the value.
Ref Rebuilder::type_in_key(const Ref& own) {
  if (next_type_ >= types_.size()) return own;
  const Ref& kept = types_[next_type_++];
  return Py_TYPE(kept.get()) == Py_TYPE(own.get()) ? kept : own;
}

Ref Rebuilder::composite(PyObject* value) {
  const Ref spec = composite_spec(value), parts = [&] {
    const Outside outside(builds_);
    return composite_parts(spec.get(), value);
  }();
  std::vector<Ref> leaves;
  nest_flatten(parts.get(), leaves, true);
  for (Ref& leaf : leaves) leaf = take(leaf.get());
  if (!builds_) return spec;
  const Ref wanted = type_in_key(spec);
  return checked(PyObject_CallMethod(wanted.get(), "_from_components", "(O)",
                                     nest_pack(parts.get(), leaves, true).get()));
}

Ref Rebuilder::custom(PyObject* value) {
  const Ref type = custom_type(value);
  const Ref placeholders = checked(PyList_New(0));
  const std::vector<Ref> parts = [&] {
    const Outside outside(builds_);
    return custom_parts(type.get(), value);
  }();
  for (const Ref& part : parts)
    if (PyList_Append(placeholders.get(), take(part.get()).get()) < 0) throw PythonErrorSet();
  if (!builds_) return type;
  const Ref module = checked(PyImport_ImportModule("footlight._types.trace_types"));
  const Ref context = checked(PyObject_CallMethod(module.get(), "PlaceholderContext", "O", placeholders.get()));
  return checked(PyObject_CallMethod(type_in_key(type).get(), "placeholder_value", "O", context.get()));
}

Ref Rebuilder::rebuild(PyObject* value) {
  const Level level("the arguments of a traced function");
  if (is_tensor(value) || is_variable(value) || is_spec(value)) return take(value);
  if (is_typed_composite(value)) return composite(value);
  const bool list = PyList_Check(value);
  if (!list && !PyTuple_Check(value) && !PyDict_Check(value) && has_custom_type(value)) return custom(value);
  if (!list && flattens_itself(value)) {
    const size_t before = taken_;
    Flattened parts = flattened(value);
    for (Ref& part : parts.components) part = rebuild(part.get());
    if (taken_ == before) return Ref::borrow(value);
    return unflattened(reinterpret_cast<PyObject*>(Py_TYPE(value)), parts.metadata.get(), parts.components);
  }
  if (list || PyTuple_Check(value)) {
    const size_t before = taken_;
    std::vector<Ref> items;
    for (PyObject* item : Items::stored(value)) items.push_back(rebuild(item));
    const auto count = static_cast<Py_ssize_t>(items.size());
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
    const Items keys(sorted_keys(value).get());
    Ref rebuilt = checked(PyDict_New());
    // Keep the order of the caller's mapping, although it was visited sorted.
    if (PyDict_Check(value)) rebuilt = checked(PyDict_Copy(value));
    for (PyObject* name : keys) {
      Ref item = checked(PyObject_GetItem(value, name));
      Ref fresh = rebuild(item.get());
      if (PyDict_SetItem(rebuilt.get(), name, fresh.get()) < 0) throw PythonErrorSet();
    }
    if (PyDict_CheckExact(value) || !PyDict_Check(value)) return rebuilt;
    Ref same = Ref::steal(PyObject_CallMethod(value, "copy", nullptr));  // an OrderedDict, a defaultdict
    if (same && PyDict_Update(same.get(), rebuilt.get()) == 0) return same;
    clear_only(PyExc_Exception);
    return rebuilt;
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
  if (!PyType_Check(value) && !PyFunction_Check(value) && is_array(value)) return take(value);
  return Ref::borrow(value);
}

}  // namespace footlight::python
