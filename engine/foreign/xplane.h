// XPlane, which the profilers of TensorFlow and JAX write: an XSpace message of planes, lines and events.
#pragma once

#include "engine/foreign/builder.h"

namespace footlight::foreign {

bool looks_like_xplane(std::string_view begin);
// Throws kValue for what is no such message; of a damaged one, what can be read is kept, and `builder` is told.
void read_xplane(std::string_view bytes, Builder& builder, FileFacts& facts);

}  // namespace footlight::foreign
