// A number for what the arguments of a call are to an engine that traces: two calls with equal numbers are served by
// the same trace, as far as can be seen without the engine.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <cstdint>
#include <set>
#include <string>

namespace footlight::python {

// What the signature of a call counts by value, and how it looks into containers of a class that it does not know.
struct SignatureRules {
  std::set<Py_ssize_t> static_positions;
  std::set<std::string> static_names;
  Ref flatten;  // flatten(object) -> (leaves, hashable structure); null: the class alone counts

  bool any() const { return flatten || !static_positions.empty() || !static_names.empty(); }
};

// Arrays count by shape, dtype and weak type, numbers by class, containers by their structure, and static arguments by
// their hash(). Throws what the arguments' own code raises.
uint64_t signature_of(const SignatureRules& rules, PyObject* const* args, size_t count, PyObject* keywords);

}  // namespace footlight::python
