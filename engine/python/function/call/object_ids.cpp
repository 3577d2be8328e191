// Ids of objects in keys: one for each object, or for all equal ones; freed with the object.
#include "engine/python/function/call/object_ids.h"

#include "engine/base/dtype_names.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/function/call/key.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/coexisting.h"
#include "engine/python/function/observed/state_value.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/weak.h"
#include "engine/python/types/spec_object.h"
#include "engine/trace/function.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace footlight::python {
namespace {

// Protected by the GIL.
struct Numbers {
  // Keyed by weak reference, if the object allows it: two of them are equal while their objects live and are
  // equal, and a dead one is never found again.
  Ref living = checked(PyDict_New());       // weakref -> number
  struct ByAddress { uint64_t number; Ref reference; };
  std::unordered_map<PyObject*, ByAddress> unhashable;  // objects with __eq__ but no hash
  // The others are kept alive, by type and value, as long as the key of a trace contains them.
  Ref kept = checked(PyDict_New());         // (type, object) -> number
  std::unordered_map<uint64_t, Ref> kept_by_number;     // the tuple of that dict
  size_t sweep_at = kSweepAtLeast;
  uint64_t swept_below = 0;

  keys::Names names;
  // Objects whose class defines equality, by class, hash and attributes: the key of a new one says that an equal one
  // has died. A dead one cannot be compared any more, and a hash alone says little.
  using Equal = std::tuple<std::string, Py_hash_t, uint64_t>;
  std::unordered_map<uint64_t, Equal> equals;
  std::map<Equal, uint64_t> dead_equals;
  uint64_t next = 1;

  static constexpr size_t kMaxDead = 1024;

  static constexpr size_t kSweepAtLeast = 128;
};

Numbers& numbers() {
  static Numbers& all = *new Numbers;
  return all;
}

std::string short_name(PyTypeObject* type) {
  const std::string name = type->tp_name;
  return name.substr(name.rfind('.') + 1);
}

// "Point(x,y)" if the class has fields.
std::string class_text(PyObject* type) {
  std::string text = short_name(reinterpret_cast<PyTypeObject*>(type));
  Ref fields = optional_attribute(type, "_fields");
  if (!fields || !PyTuple_Check(fields.get())) fields = optional_attribute(type, "__match_args__");
  if (!fields || !PyTuple_Check(fields.get())) return text;
  text += '(';
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields.get()); ++i) {
    if (i) text += ',';
    PyObject* field = PyTuple_GET_ITEM(fields.get(), i);
    text += PyUnicode_Check(field) ? readable(field) : "?";
  }
  return text + ')';
}

constexpr int kDeepestElement = 16;

// "(f32[4,4] {'n': i32[4]})": what keys::element_leaves() reads. Empty if it cannot be written so.
std::string element_text(PyObject* spec, int depth = 0) {
  if (depth > kDeepestElement) return {};
  if (is_spec(spec)) {
    const SpecValue& value = spec_of(spec);
    std::string sizes = value.shape.has_rank() ? "" : "<unknown>";
    for (int i = 0; value.shape.has_rank() && i < value.shape.rank(); ++i) {
      const int64_t size = value.shape[i];
      sizes += (i ? "," : "") + (size < 0 ? "None" : std::to_string(size));
    }
    return str(dtype_names(static_cast<uint8_t>(value.dtype)).abbreviation, '[', sizes, ']');
  }
  std::string text;
  if (PyTuple_Check(spec)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(spec); ++i) {
      const std::string one = element_text(PyTuple_GET_ITEM(spec, i), depth + 1);
      if (one.empty()) return {};
      text += (i ? " " : "") + one;
    }
    return '(' + text + ')';
  }
  if (PyDict_Check(spec)) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(spec, &at, &key, &value);) {
      const std::string name = repr_of(key), one = element_text(value, depth + 1);
      if (one.empty() || name.find(": ") != name.npos) return {};
      text += (text.empty() ? "" : " ") + name + ": " + one;
    }
    return '{' + text + '}';
  }
  const std::string name = short_name(Py_TYPE(spec));
  return name.find_first_of("[](){} ") == name.npos ? name + "[]" : std::string();
}

// "IteratorSpec(f32[4,4])" for the type of a dataset or an iterator, else empty.
std::string dataset_type_text(PyObject* type) {
  const std::string name = short_name(Py_TYPE(type));
  if (name != "IteratorSpec" && name != "DatasetSpec") return {};
  const Ref element = optional_attribute(type, "element_spec");
  const std::string text = element ? element_text(element.get()) : std::string();
  return text.empty() ? text : name + '(' + text + ')';
}

// "Mode.TRAIN" for a member of an enumeration, else empty.
std::string member_text(PyObject* object) {
  if (!optional_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "_member_map_")) return {};
  const Ref name = optional_attribute(object, "_name_");
  if (!name || !PyUnicode_Check(name.get())) return {};
  return str(short_name(Py_TYPE(object)), '.', readable(name.get()));
}

// What its equality says of an object: that of `object` is its identity.
bool defines_equality(PyObject* object) {
  return Py_TYPE(object)->tp_richcompare && Py_TYPE(object)->tp_richcompare != PyBaseObject_Type.tp_richcompare;
}

// The attributes of an object by name: what its __dict__ holds, or the slots of a dataclass.
Ref attributes_of(PyObject* object) {
  Ref attributes = Ref::steal(PyObject_GenericGetDict(object, nullptr));
  if (attributes) return attributes;
  clear_only(PyExc_AttributeError);
  const Ref fields = optional_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__dataclass_fields__");
  if (!fields || !PyDict_Check(fields.get())) return {};
  attributes = checked(PyDict_New());
  PyObject *name = nullptr, *field = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(fields.get(), &at, &name, &field);) {
    PyObject* slot = PyUnicode_Check(name) ? PyDict_GetItemWithError(Py_TYPE(object)->tp_dict, name) : nullptr;
    if (!slot || Py_TYPE(slot) != &PyMemberDescr_Type) continue;
    const Ref value = Ref::steal(PyObject_GenericGetAttr(object, name));
    if (!value) clear_only(PyExc_AttributeError);
    else if (PyDict_SetItem(attributes.get(), name, value.get()) < 0) throw PythonErrorSet();
  }
  return attributes;
}

// ": lr=0.1, name='a'": the numbers and texts that an object holds, for who compares it with another one.
std::string fields_text(PyObject* object) {
  constexpr size_t kMaxFields = 8, kMaxLength = 40;
  const Ref attributes = recording_structure() ? attributes_of(object) : Ref();
  if (!attributes || !PyDict_Check(attributes.get())) return {};
  std::string text;
  size_t fields = 0;
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(attributes.get(), &at, &name, &value) && fields < kMaxFields;) {
    const bool is_plain = PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
                          PyUnicode_CheckExact(value) || value == Py_None;
    if (!is_plain || !PyUnicode_Check(name)) continue;
    if (PyUnicode_CheckExact(value) && PyUnicode_GET_LENGTH(value) > static_cast<Py_ssize_t>(kMaxLength)) continue;
    int too_large = 0;
    if (PyLong_CheckExact(value)) PyLong_AsLongLongAndOverflow(value, &too_large);
    if (too_large) continue;  // Python writes no number of thousands of digits
    const std::string written = repr_of(value);
    if (written.size() > kMaxLength) continue;
    text += str(fields++ ? ", " : ": ", readable(name), '=', written);
  }
  return text;
}

// `by_value`: equal objects have one number.
uint64_t fresh_number(PyObject* object, bool by_value) {
  const uint64_t number = numbers().next++;
  keys::NumberedObject made;
  if (PyType_Check(object)) {
    made.name = class_text(object);
  } else if (PyCode_Check(object)) {
    auto* code = reinterpret_cast<PyCodeObject*>(object);
    made.name = str(readable(code->co_qualname), " (line ", code->co_firstlineno, ")");
  } else if (made.name = dataset_type_text(object); !made.name.empty()) {
    // Its name says what it is; equal ones have one number.
  } else if (made.name = member_text(object); made.name.empty()) {
    made = {str("<", short_name(Py_TYPE(object)), by_value ? " value " : " object ", number,
                by_value ? fields_text(object) : std::string(), ">"),
            known_since(object)};
  }
  numbers().names.emplace(number, std::move(made));
  return number;
}

uint64_t number_at(PyObject* found) { return PyLong_AsUnsignedLongLong(found); }

uint64_t add_to(PyObject* table, PyObject* key, PyObject* object) {
  const uint64_t number = fresh_number(object, defines_equality(object));
  const Ref value = checked(PyLong_FromUnsignedLongLong(number));
  if (PyDict_SetItem(table, key, value.get()) < 0) throw PythonErrorSet();
  return number;
}

// Used by recordings. `hash`: of an object with this new number, which may equal a dead one.
void note_equal(uint64_t number, PyObject* object, Py_hash_t hash) {
  if (!recording_structure() || !defines_equality(object)) return;
  const Ref attributes = Ref::steal(PyObject_GenericGetDict(object, nullptr));
  if (!attributes) return clear_only(PyExc_AttributeError);
  Numbers& all = numbers();
  Numbers::Equal equal(Py_TYPE(object)->tp_name, hash, see(attributes.get()).hash);
  const bool is_described = !all.names[number].name.starts_with('<');
  if (const auto dead = all.dead_equals.find(equal); !is_described && dead != all.dead_equals.end())
    all.names[number].name =
        str("<", short_name(Py_TYPE(object)), " value ", number, " like ", dead->second, fields_text(object), ">");
  all.equals.emplace(number, std::move(equal));
}

// Evicts the traces of an object that has died.
void retire(uint64_t number) {
  Numbers& all = numbers();
  if (auto equal = all.equals.extract(number); !equal.empty()) {
    if (all.dead_equals.size() >= Numbers::kMaxDead) all.dead_equals.clear();
    all.dead_equals.insert_or_assign(std::move(equal.mapped()), number);
  }
  trace::key_object_died(number);
  numbers().names.erase(number);
}

PyObject* object_died(PyObject*, PyObject* reference) {
  PyObject* found = find_item(numbers().living.get(), reference);
  if (found) {
    const uint64_t number = number_at(found);
    if (PyDict_DelItem(numbers().living.get(), reference) < 0) throw PythonErrorSet();
    retire(number);
  }
  return Py_NewRef(Py_None);
}
PyMethodDef object_died_method = {"object_died", guard<object_died>, METH_O, nullptr};

PyObject* unhashable_died(PyObject*, PyObject* reference) {
  auto& all = numbers().unhashable;
  const auto at = std::ranges::find_if(all, [&](const auto& e) { return e.second.reference.get() == reference; });
  if (at != all.end()) {
    const auto [number, own] = std::move(at->second);
    all.erase(at);
    retire(number);
  }
  return Py_NewRef(Py_None);
}
PyMethodDef unhashable_died_method = {"object_died", guard<unhashable_died>, METH_O, nullptr};

uint64_t number_by_address(PyObject* object) {
  auto& all = numbers().unhashable;
  if (const auto at = all.find(object); at != all.end() && weak_target(at->second.reference.get()).get() == object)
    return at->second.number;
  static PyObject* const callback = PyCFunction_New(&unhashable_died_method, nullptr);
  Ref reference = checked(PyWeakref_NewRef(object, callback));
  const uint64_t number = fresh_number(object, false);
  all.insert_or_assign(object, Numbers::ByAddress{number, std::move(reference)});
  return number;
}

// Code that is compiled again each time has no other user: its traces are evicted with it.
bool is_abandoned_code(PyObject* object) { return PyCode_Check(object) && Py_REFCNT(object) == 1; }

// The value that is kept with this number, or null.
Ref kept_with(uint64_t number) {
  const auto& kept = numbers().kept_by_number;
  const auto found = kept.find(number);
  return found == kept.end() ? Ref() : Ref::borrow(PyTuple_GET_ITEM(found->second.get(), 1));
}

}  // namespace

// Asks the trace type `specific` whether a trace made for `general` serves it.
bool custom_subtype(uint64_t specific, uint64_t general) {
  const Ref type = kept_with(specific), other = kept_with(general);
  const Ref method = type && other ? optional_attribute(type.get(), "is_subtype_of") : Ref();
  return method && is_true(checked(PyObject_CallOneArg(method.get(), other.get())).get());
}

// Asks a trace type for one that covers both.
std::optional<uint64_t> custom_supertype(uint64_t a, uint64_t b) {
  const Ref type = kept_with(a), other = kept_with(b);
  const Ref method = type && other ? optional_attribute(type.get(), "most_specific_common_supertype") : Ref();
  if (!method) return std::nullopt;
  const Ref others = checked(PyList_New(0));
  if (PyList_Append(others.get(), other.get()) < 0) throw PythonErrorSet();
  const Ref both = checked(PyObject_CallOneArg(method.get(), others.get()));
  if (both.get() == Py_None) return std::nullopt;
  return kept_number(both.get());
}

uint64_t kept_number(PyObject* object) {
  Numbers& all = numbers();
  Ref key = checked(PyTuple_Pack(2, reinterpret_cast<PyObject*>(Py_TYPE(object)), object));
  if (PyObject* found = find_item(all.kept.get(), key.get())) return number_at(found);
  const uint64_t number = add_to(all.kept.get(), key.get(), object);
  all.kept_by_number.emplace(number, std::move(key));
  return number;
}

uint64_t object_number(PyObject* object) {
  if (is_function(object)) object = lasting(object);
  Ref reference = Ref::steal(PyWeakref_NewRef(object, nullptr));
  if (!reference) {
    clear_only(PyExc_TypeError);
    if (PyObject_Hash(object) == -1) {
      clear_only(PyExc_TypeError);
      fail(ErrorKind::kType, "Could not generate a generic TraceType for the argument ", repr_of(object),
           " of type ", Py_TYPE(object)->tp_name,
           " cannot be part of a tracing key: it is neither hashable nor can it be referenced weakly. Give "
           "it a method "
           "__tf_tracing_type__(self, context), or pass what the function needs of it as tensors");
    }
    return kept_number(object);
  }
  if (PyObject_Hash(reference.get()) == -1) {
    clear_only(PyExc_TypeError);
    return number_by_address(object);
  }
  PyObject* living = numbers().living.get();
  if (PyObject* found = find_item(living, reference.get())) return number_at(found);
  static PyObject* const callback = PyCFunction_New(&object_died_method, nullptr);
  const Ref watched = checked(PyWeakref_NewRef(object, callback));
  const Py_hash_t hash = PyObject_Hash(watched.get());
  if (hash == -1) throw PythonErrorSet();
  const uint64_t number = add_to(living, watched.get(), object);
  note_equal(number, object, hash);
  return number;
}

uint64_t flattened_class_number(PyObject* type) {
  const uint64_t number = kept_number(type);
  numbers().names[number].name = short_name(reinterpret_cast<PyTypeObject*>(type));
  return number;
}

std::vector<Ref> types_in(std::span<const uint64_t> words) {
  std::vector<Ref> types;
  for (size_t at = 0; at < words.size();) {
    const keys::Item item = keys::read(words, at);
    if (item.token != keys::Token::kCustom) continue;
    Ref type = kept_with(item.number);
    types.push_back(type ? std::move(type) : Ref::borrow(Py_None));
  }
  return types;
}

void drop_unused_numbers() {
  Numbers& all = numbers();
  if (all.kept_by_number.size() < all.sweep_at) return;
  std::vector<uint64_t> unused;
  for (const auto& [number, key] : all.kept_by_number) {
    const bool used = trace::key_object_is_used(number);
    // Numbers given since the last time may be part of a key that is still being written.
    if ((!used && number < all.swept_below) || (used && is_abandoned_code(PyTuple_GET_ITEM(key.get(), 1))))
      unused.push_back(number);
  }
  all.swept_below = all.next;
  all.sweep_at = std::max(Numbers::kSweepAtLeast, 2 * (all.kept_by_number.size() - unused.size()));
  for (uint64_t number : unused) {
    const Ref key = std::move(all.kept_by_number.extract(number).mapped());
    if (PyDict_DelItem(all.kept.get(), key.get()) < 0) throw PythonErrorSet();
    retire(number);
  }
}

std::shared_ptr<const keys::Names> names_for(std::span<const uint64_t> words) {
  auto result = std::make_shared<keys::Names>();
  const auto& names = numbers().names;
  for (size_t at = 0; at < words.size();) {
    const keys::Item item = keys::read(words, at);
    if (!item.number) continue;
    if (const auto found = names.find(item.number); found != names.end()) result->insert(*found);
  }
  return result;
}

}  // namespace footlight::python
