// A comparison as text for a terminal.
#pragma once

#include "engine/explain/compare/comparison.h"

#include <string>

namespace footlight::explain {

// "412 us", "6.10 ms": three digits.
std::string time_text(double ns);

// The sentence, the waterfall and the table.
std::string text_of(const session::Reader& reader, const Comparison& comparison);

}  // namespace footlight::explain
