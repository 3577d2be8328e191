// Chrome's trace events as JSON, and Kineto's, which PyTorch writes: an object with a list "traceEvents", or that list.
#pragma once

#include "engine/foreign/builder.h"
#include "engine/foreign/input.h"

namespace footlight::foreign {

// Whether a file that begins with this text is in the format.
bool looks_like_chrome(std::string_view begin);
// Reads all events. Throws kValue where nothing of it can be read; of a damaged file, what comes before the damage is
// kept, and `builder` is told.
void read_chrome(Input& input, Builder& builder, FileFacts& facts);

}  // namespace footlight::foreign
