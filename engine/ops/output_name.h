// The name of an output of a node whose op may have several lists of outputs: its attributes say how long they are.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

OutputName output_name(const OpRow&, size_t outputs, size_t output, const Attrs&);  // `outputs`: how many the node has

}  // namespace footlight
