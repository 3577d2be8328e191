// Translates names of ops in TensorFlow's files that differ from ours: there, one op joins strings and another adds
// numbers.
#pragma once

#include "engine/ops/row.h"

#include <span>
#include <string_view>

namespace footlight {

const char* name_in_files(const OpRow&, std::span<const DType> output_dtypes);
const OpRow* row_of_file(std::string_view name);  // null if no row has the name

}  // namespace footlight
