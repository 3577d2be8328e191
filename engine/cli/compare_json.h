// A comparison as JSON: all that the text and the window say of it.
#pragma once

#include "engine/explain/compare/comparison.h"

#include <string>

namespace footlight::cli {

std::string comparison_json(const session::Reader& reader, const explain::Comparison& comparison);

}  // namespace footlight::cli
