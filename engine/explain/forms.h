// Changes of keys for arguments whose form or structure varies: the key that a call would have if all passed one form.
#pragma once

#include "engine/explain/replay.h"

namespace footlight::explain {

// Numbers, and lists of them, become the tensors that they make. Variables become tensors. None becomes what
// other calls with the same rest of the key pass there, if they all pass the same; otherwise it stays, as for a state
// that grows.
ProposedFix::Change always_tensors(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places,
                                   uint8_t dtype);
// Lists of tensors of one shape become one tensor, whose first dimension is the same in every key. What cannot be
// stacked becomes a tensor of unknown shape.
ProposedFix::Change stacked(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);
// Every dict gets all keys that any of the dicts has. A missing key gets the value that the others have for it, if that
// is always the same.
ProposedFix::Change with_all_keys(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);

}  // namespace footlight::explain
