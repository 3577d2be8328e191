// XPlane, which the profilers of TensorFlow and JAX write: an XSpace message of planes, lines and events.
#pragma once

#include "engine/foreign/builder.h"

namespace footlight::foreign {

// Whether a file that begins with these bytes is in the format.
bool looks_like_xplane(std::string_view begin);
// Throws kValue if no event can be read. Of a damaged message it keeps what can be read, and tells `builder`.
void read_xplane(std::string_view bytes, Builder& builder, FileFacts& facts);

}  // namespace footlight::foreign
