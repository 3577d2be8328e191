// Numbers and texts in keys that take many values, for python_scalar_argument and identical_graphs.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

struct ChangingLiteral {
  std::set<std::string> paths;   // the leaf's own, and those of leaves that change together with it
  Finding finding;               // with path, values, graphs
  std::string type;              // "float", "int", "str"; the widest if there are several
  std::set<std::string> places;  // `paths` as in places(); empty without raw keys
};

// Leaves that hold at least five values, other than bools; graphs that differ in them are compared.
std::vector<ChangingLiteral> changing_literals(const Evidence& evidence, const FunctionRun& run);

// What would have been traced after `fix`, or an estimate if the run cannot be replayed.
ReplayResult try_fix(const Evidence& evidence, const FunctionRun& run, const ChangingLiteral& literal,
                     const ProposedFix& fix);

// "args[1]: 6 values, 0.1 → 0.05 → … → 0.017"
std::string values_text(const ChangingLiteral& literal);

}  // namespace footlight::explain
