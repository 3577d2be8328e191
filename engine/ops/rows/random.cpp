// Rows of the random family.
#include "engine/ops/define.h"

namespace footlight {

std::vector<RowDef> random_rows() { return {}; }

}  // namespace footlight
