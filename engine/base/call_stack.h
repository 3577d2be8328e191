// Where the user's program stands, with everything that called it.
#pragma once

#include "engine/base/recording.h"

#include <span>

namespace footlight {

// The line of the user's call: as current_source(), but outside of libraries that make the call for the program.
inline SourceRef caller_source() { return front_end_hooks.caller ? front_end_hooks.caller() : current_source(); }

}  // namespace footlight
