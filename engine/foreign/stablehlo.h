// StableHLO and MHLO modules as MLIR's text, in its short or its generic form: functions and regions are graphs,
// operations are nodes.
#pragma once

#include "engine/foreign/program.h"

namespace footlight::foreign {

bool looks_like_stablehlo(std::string_view begin);
void read_stablehlo(const Import& import);

}  // namespace footlight::foreign
