// A program in words: what runs in which order, what runs together, where memory is used again, what it costs; and,
// after its first runs, which steps run side by side.
#pragma once

#include "engine/compile/program.h"

#include <string>

namespace footlight::compile {

// With the programs that it runs. Sizes that are known only at run time are left out of the costs. After its first
// runs it also says which steps run side by side, or what that would save.
std::string to_text(const Program&);

// Why an instruction whose op may run in walks over memory is in none; empty: it is in one, or its op never is.
const char* why_alone(const Program&, const Instruction&);

}  // namespace footlight::compile
