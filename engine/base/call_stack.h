// Where the user's program stands, with everything that called it.
#pragma once

#include "engine/base/recording.h"

#include <span>

namespace footlight {

// Fills `frames` with this thread's positions in the user's code, the innermost first, and returns how many there are;
// that may be more than fit. Installed by the Python layer, as source_provider is; null: nobody knows.
using StackProvider = size_t (*)(std::span<SourceRef> frames);
extern StackProvider stack_provider;

// Where the program stands whose call this is: as current_source(), but not inside of a library that calls for it.
extern SourceProvider caller_provider;
inline SourceRef caller_source() { return caller_provider ? caller_provider() : current_source(); }

}  // namespace footlight
