// Opens what a person names: a recording of ours, or one of another program, which is imported first.
#pragma once

#include "engine/session/reader.h"

#include <memory>
#include <string>

namespace footlight::cli {

// Shows progress on a terminal. Throws Error.
std::unique_ptr<session::Reader> open_file(const std::string& path);

// Whether a word names a recording: by its ending, or by what is in the file.
bool names_recording(const std::string& word);

}  // namespace footlight::cli
