// Changes of keys where an argument has another form or structure at times: what its key is if it always has the same.
#pragma once

#include "engine/explain/replay.h"

namespace footlight::explain {

// Numbers, and lists of them, become the tensors that they make; variables become tensors. None becomes what other
// calls that are the same in everything else pass there, if all of these pass the same: a state that grows has no such
// form.
ProposedFix::Change always_tensors(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places,
                                   uint8_t dtype);
// Lists of tensors of one shape become one tensor with a first dimension that is always the same; what cannot be
// stacked becomes one that is the same in every call.
ProposedFix::Change stacked(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);
// Dicts have all the keys that any of them has; a missing one gets what the others hold there, if that is always the
// same.
ProposedFix::Change with_all_keys(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);

}  // namespace footlight::explain
