// The signature of a call: a hash over what a tracing engine looks at in the arguments. Calls with equal signatures are
// taken to be served by the same trace, as far as can be seen without the engine.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <set>
#include <string>

namespace footlight::python {

// Says which arguments are static, so that their values count, and how to look into containers of unknown classes.
struct SignatureRules {
  std::set<Py_ssize_t> static_positions;  // negative ones count from the last positional argument, as in JAX
  std::set<std::string> static_names;
  Ref flatten;     // flatten(object) -> (leaves, hashable structure); null: the class alone counts
  Ref context;     // context() -> the settings that count besides the arguments, hashable; null: none do
  Ref array_type;  // the name of an array's attribute that has its shape, dtype and weak type, and never changes

  bool any() const { return flatten || context || array_type || !static_positions.empty() || !static_names.empty(); }
};

// Arrays count by shape, dtype and weak type, numbers by class, containers by their structure, and static arguments by
// their hash(). Throws what the arguments' own code raises.
uint64_t signature_of(const SignatureRules& rules, PyObject* const* args, size_t count, PyObject* keywords);

// Where the arrays lie: by their shardings, and whether they are committed to them. JAX compiles for each of these.
uint64_t placement_of(const SignatureRules& rules, PyObject* const* args, size_t count, PyObject* keywords);

// The hash of an array's attribute that has its shape, dtype and weak type, and never changes.
uint64_t hash_of_array_type(PyObject* array_type);
constexpr uint64_t mixed(uint64_t hash, uint64_t with) {
  hash = (hash ^ with) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// The hash of the settings that count now; 0 without rules for them.
uint64_t context_of(const SignatureRules& rules);

}  // namespace footlight::python
