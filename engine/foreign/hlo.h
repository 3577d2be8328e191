// HLO, XLA's own form of a program, as text: computations are graphs, instructions are nodes.
#pragma once

#include "engine/foreign/program.h"

namespace footlight::foreign {

bool looks_like_hlo(std::string_view begin);
void read_hlo(const Import& import);

}  // namespace footlight::foreign
