// Rows of the string family.
#include "engine/ops/define.h"

namespace footlight {

std::vector<RowDef> string_rows() { return {}; }

}  // namespace footlight
