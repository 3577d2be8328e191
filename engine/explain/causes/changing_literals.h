// Numbers and texts in keys that take many values, for python_scalar_argument and identical_graphs.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// Fewer values cost little, unless each is traced again for every shape and few calls use each of those traces.
inline constexpr size_t kManyValues = 5;

struct ChangingLiteral {
  Candidate candidate;           // with path, values; without a fix
  std::string type;              // "float", "int", "str"; the widest if there are several
  std::set<std::string> places;  // its paths as in places(); empty without raw keys
  CallChange::Touches written;   // calls that pass it; calls that leave it out keep its default
};

// Leaves that hold at least two values; bools are left out. Leaves that change together with one of these belong to it.
// With fewer than five values they are no finding, unless few calls use each trace.
std::vector<ChangingLiteral> changing_literals(const Evidence& evidence, const FunctionRun& run);

// "e is a Python number with 4 values"; empty for those with many.
std::string few_text(const ChangingLiteral& literal);

// "args[1]: 6 values, 0.1 → 0.05 → … → 0.017"
std::string values_text(const Finding& finding);

}  // namespace footlight::explain
