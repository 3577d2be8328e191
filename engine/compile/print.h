// A program in words: what runs in which order, what runs together, where memory is used again, what it costs.
#pragma once

#include "engine/compile/program.h"

#include <string>

namespace footlight::compile {

// With the programs that it runs. Sizes that are known only at run time are left out of the costs.
std::string to_text(const Program&);

}  // namespace footlight::compile
