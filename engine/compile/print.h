// Prints a program: order, fused loops, reuse of memory, costs and, after its first runs, which steps run in parallel.
#pragma once

#include "engine/compile/program.h"

#include <string>

namespace footlight::compile {

// Prints a program and the programs that it calls. Costs leave out sizes that are known only at run time.
std::string to_text(const Program&);

// Why an instruction whose op can be fused is not; empty if it is fused or its op never can be.
const char* why_not_fusible(const Program&, const Instruction&);

}  // namespace footlight::compile
