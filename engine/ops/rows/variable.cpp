// Rows of the variable family.
#include "engine/ops/define.h"

namespace footlight {

std::vector<RowDef> variable_rows() { return {}; }

}  // namespace footlight
