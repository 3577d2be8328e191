// Changes of keys for arguments whose form or structure varies: the key that a call would have if all passed one form.
#pragma once

#include "engine/explain/replay.h"

namespace footlight::explain {

// Numbers, and lists of them, become the tensors that they make. Variables become tensors. None becomes what
// other calls with the same rest of the key pass there, if they all pass the same; otherwise it stays, as for a state
// that grows.
ProposedFix::Change always_tensors(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places,
                                   uint8_t dtype);
// Lists of tensors of one shape become one tensor, whose first dimension is the same in every key. Lists of tuples,
// dicts or lists of one form become one such structure of tensors, each for one part of the elements; numbers count as
// tensors there. What cannot be stacked stays what it is. `flat`: lists of other nestings, whose tensors all have one
// shape, become one tensor of them all.
struct Stacked {
  ProposedFix::Change change;
  bool flat = false;
};
Stacked stacked(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);
// Every dict gets all keys that any of the dicts has. A missing key gets the value that the others have for it, if that
// is always the same.
ProposedFix::Change with_all_keys(const Evidence& evidence, const FunctionRun& run, std::set<std::string> places);

// Whether tf.convert_to_tensor and tf.constant make a tensor of this dtype of what stands there: of a list, if they do
// of each of its items. They make none of None, and none of a value that would be changed.
bool converts_to(const session::KeyLeaf& leaf, const std::string& dtype);

}  // namespace footlight::explain
