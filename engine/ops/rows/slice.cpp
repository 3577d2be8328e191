// Rows of the slice family.
#include "engine/ops/define.h"

namespace footlight {

std::vector<RowDef> slice_rows() { return {}; }

}  // namespace footlight
