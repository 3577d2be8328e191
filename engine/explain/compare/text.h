// A comparison as text for a terminal.
#pragma once

#include "engine/explain/compare/comparison.h"

#include <string>

namespace footlight::explain {

// "412 us", "6.10 ms": three digits.
std::string time_text(double ns);

// What events add to a repetition of that side: "17.2 us".
std::string recording_text(const Side& side);

// The sentence, the waterfall and the table.
std::string text_of(const session::Reader& reader, const Comparison& comparison);

}  // namespace footlight::explain
