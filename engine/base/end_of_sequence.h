// How the end of a dataset is told from other errors of kind kOutOfRange.
#pragma once

#include <string_view>

namespace footlight {

// What an iterator raises where its dataset ends begins with this.
inline constexpr std::string_view kEndOfSequence = "End of sequence";

}  // namespace footlight
