// Walks the arguments of a call and hashes shapes, dtypes, structures and static values.
#include "engine/python/recorder/signature.h"

#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"

#include <unordered_map>
#include <utility>

namespace footlight::python {
namespace {

uint64_t hash_of(PyObject* object) {
  const Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1) throw PythonErrorSet();
  return static_cast<uint64_t>(hash);
}

uint64_t address(const void* object) { return reinterpret_cast<uintptr_t>(object); }

// Hashes of the types of arrays, and of shardings: many arrays share one. Accessed with the GIL held.
class KnownTypes {
 public:
  const uint64_t* find(PyObject* type) const {
    const auto known = hashes_.find(type);
    return known == hashes_.end() ? nullptr : &known->second.hash;
  }
  void add(PyObject* type, uint64_t hash) {
    if (hashes_.size() >= kMaxTypes) std::exchange(hashes_, {});  // what they held may run code when it goes
    hashes_.try_emplace(type, Ref::borrow(type), hash);
  }

 private:
  static constexpr size_t kMaxTypes = 1024;
  struct Known {
    Ref type;  // kept, so that its address stays its own
    uint64_t hash;
  };
  std::unordered_map<PyObject*, Known> hashes_;
};
KnownTypes& known_types() {
  static KnownTypes* const types = new KnownTypes;
  return *types;
}

class ArgumentHasher {
 public:
  enum class By : bool { kType, kPlacement };  // what counts of arrays
  explicit ArgumentHasher(const SignatureRules& rules, By by = By::kType) : rules_(rules), by_(by) {}

  uint64_t value(PyObject* object) const {
    PyTypeObject* const type = Py_TYPE(object);
    if (object == Py_None || type == &PyBool_Type || type == &PyLong_Type || type == &PyFloat_Type ||
        type == &PyComplex_Type)
      return address(type);
    const Level level("the arguments of a recorded call");
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) return items(object, address(type));
    if (PyDict_CheckExact(object)) return mapping(object);
    if (const Ref array_type = type_of_array(object))
      return by_ == By::kPlacement ? placed(object) : typed(array_type.get());
    if (const Ref dtype = optional_attribute(object, "dtype")) return array(object, dtype.get());
    return flattened(object);
  }

  static uint64_t typed(PyObject* array_type) {
    if (const uint64_t* const known = known_types().find(array_type)) return *known;
    const Ref dtype = optional_attribute(array_type, "dtype");
    uint64_t hash = array(array_type, dtype ? dtype.get() : Py_None);
    if (const Ref sharding = optional_attribute(array_type, "sharding"))
      hash = mixed(hash, hash_if_any(sharding.get()));
    known_types().add(array_type, hash);
    return hash;
  }

 private:
  uint64_t items(PyObject* sequence, uint64_t hash) const {
    for (PyObject* const item : Items(sequence)) hash = mixed(hash, value(item));
    return hash;
  }

  // Entries are summed, so that their order does not count.
  uint64_t mapping(PyObject* dict) const {
    uint64_t sum = address(&PyDict_Type);
    const Ref pairs = checked(PyDict_Items(dict));
    for (PyObject* const pair : Items(pairs.get()))
      sum += mixed(hash_of(PyTuple_GET_ITEM(pair, 0)), value(PyTuple_GET_ITEM(pair, 1)));
    return sum;
  }

  Ref type_of_array(PyObject* object) const {
    if (!rules_.array_type) return {};
    PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    if (PyObject_GetOptionalAttr(object, rules_.array_type.get(), &found) < 0) throw PythonErrorSet();
#else
    if (_PyObject_LookupAttr(object, rules_.array_type.get(), &found) < 0) throw PythonErrorSet();
#endif
    return Ref::steal(found);
  }

  static uint64_t array(PyObject* object, PyObject* dtype) {
    uint64_t hash = mixed(1, hash_of(dtype));
    if (const Ref shape = optional_attribute(object, "shape")) hash = mixed(hash, hash_of(shape.get()));
    const Ref weak = optional_attribute(object, "weak_type");
    return mixed(hash, weak && is_true(weak.get()));
  }

  static uint64_t hash_if_any(PyObject* object) {
    const Py_hash_t hash = PyObject_Hash(object);
    if (hash == -1) clear_only(PyExc_TypeError);
    return static_cast<uint64_t>(hash);
  }

  // Shardings are shared by many arrays, so that their hashes are kept.
  static uint64_t placed(PyObject* array) {
    const Ref committed = optional_attribute(array, "_committed"), sharding = optional_attribute(array, "sharding");
    const uint64_t where = committed && is_true(committed.get());
    if (!sharding) return where;
    if (const uint64_t* const known = known_types().find(sharding.get())) return mixed(*known, where);
    const uint64_t hash = hash_if_any(sharding.get());
    known_types().add(sharding.get(), hash);
    return mixed(hash, where);
  }

  uint64_t flattened(PyObject* object) const {
    if (!rules_.flatten) return address(Py_TYPE(object));
    const Ref parts = checked(PyObject_CallOneArg(rules_.flatten.get(), object));
    const Items leaves_and_structure(parts.get());
    if (leaves_and_structure.size() != 2) return address(Py_TYPE(object));
    uint64_t hash = hash_of(leaves_and_structure[1]);
    for (PyObject* const leaf : Items(leaves_and_structure[0]))
      hash = mixed(hash, leaf == object ? address(Py_TYPE(leaf)) : value(leaf));
    return hash;
  }

  const SignatureRules& rules_;
  By by_;
};

uint64_t hash_of_call(const SignatureRules& rules, ArgumentHasher::By by, PyObject* const* args, size_t count,
                      PyObject* keywords) {
  const ArgumentHasher hasher(rules, by);
  uint64_t hash = count;
  for (size_t i = 0; i < count; ++i) {
    const auto from_front = static_cast<Py_ssize_t>(i), from_end = from_front - static_cast<Py_ssize_t>(count);
    const bool is_static =
        rules.static_positions.contains(from_front) || rules.static_positions.contains(from_end);
    hash = mixed(hash, is_static ? hash_of(args[i]) : hasher.value(args[i]));
  }
  uint64_t named = 0;  // a sum, so that the order of keyword arguments does not count
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(keywords, i);
    PyObject* const argument = args[count + static_cast<size_t>(i)];
    const bool is_static = rules.static_names.contains(std::string(utf8(name)));
    named += mixed(hash_of(name), is_static ? hash_of(argument) : hasher.value(argument));
  }
  return mixed(hash, named);
}

}  // namespace

uint64_t signature_of(const SignatureRules& rules, PyObject* const* args, size_t count, PyObject* keywords) {
  return hash_of_call(rules, ArgumentHasher::By::kType, args, count, keywords);
}

uint64_t placement_of(const SignatureRules& rules, PyObject* const* args, size_t count, PyObject* keywords) {
  return hash_of_call(rules, ArgumentHasher::By::kPlacement, args, count, keywords);
}

uint64_t hash_of_array_type(PyObject* array_type) { return ArgumentHasher::typed(array_type); }

uint64_t context_of(const SignatureRules& rules) {
  return rules.context ? hash_of(checked(PyObject_CallNoArgs(rules.context.get())).get()) : 0;
}

}  // namespace footlight::python
