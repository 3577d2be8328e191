// The input_signature that would serve all recorded calls of a function.
#pragma once

#include "engine/explain/evidence.h"

#include <map>
#include <set>
#include <string>

namespace footlight::explain {

// The specs of all parameters, "tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)", with None for these
// dimensions: path -> dimensions. Empty if such a function would refuse a call or a request that was recorded: a
// function with a signature takes nothing but tensors, in one structure, of one dtype and rank each.
std::string signature_for_all(const Evidence& evidence, const FunctionRun& run,
                              const std::map<std::string, std::set<size_t>>& unknown);
// Whether the leaf is the first of a ragged tensor: its own spec, before its values and row splits.
bool is_ragged_spec(const session::KeyLeaf& leaf);
// "tf.TensorSpec([None, 8], tf.float32)" of "8,8", with None for these dimensions.
std::string spec_text(const std::string& shape, const std::string& dtype, const std::set<size_t>& unknown);

}  // namespace footlight::explain
