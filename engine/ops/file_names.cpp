// Names of ops in files: TensorFlow's AddV2 takes no strings, its Add does, and numbers too.
#include "engine/ops/file_names.h"

namespace footlight {
namespace {

const OpRow& add() { return "AddV2"_op.row(); }

}  // namespace

const char* name_in_files(const OpRow& row, std::span<const DType> output_dtypes) {
  if (&row == &add() && !output_dtypes.empty() && output_dtypes[0] == DType::kString) return "Add";
  return row.name;
}

const OpRow* row_of_file(std::string_view name) { return name == "Add" ? &add() : find_row(name); }

}  // namespace footlight
