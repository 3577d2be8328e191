// Names the op families.
#include "engine/ops/row.h"

namespace footlight {

const char* name_of(OpFamily family) {
  switch (family) {
    case OpFamily::kProduct: return "product";
    case OpFamily::kElementwise: return "elementwise";
    case OpFamily::kReduction: return "reduction";
    case OpFamily::kVariable: return "variable";
    case OpFamily::kControl: return "control";
    case OpFamily::kConstant: return "constant";
    case OpFamily::kMove: return "move";
    case OpFamily::kRandom: return "random";
    case OpFamily::kIo: return "io";
  }
  return "";
}

}  // namespace footlight
