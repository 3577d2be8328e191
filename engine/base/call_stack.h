// Where the user's program stands, with everything that called it.
#pragma once

#include "engine/base/recording.h"

#include <span>

namespace footlight {

// Where the program stands whose call this is: as current_source(), but not inside of a library that calls for it.
inline SourceRef caller_source() { return front_end_hooks.caller ? front_end_hooks.caller() : current_source(); }

}  // namespace footlight
