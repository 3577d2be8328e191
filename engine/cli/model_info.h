// `footlight info` of a model: what stands in the file, without running anything.
#pragma once

#include <string>

namespace footlight::cli {

// Throws Error for what cannot be read.
void print_model(const std::string& path, bool json);

}  // namespace footlight::cli
