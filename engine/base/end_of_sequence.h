// How the end of a dataset is told from other errors of kind kOutOfRange.
#pragma once

#include <string_view>

namespace footlight {

// What an iterator raises where its dataset ends begins with this.
inline constexpr std::string_view kEndOfSequence = "End of sequence";

// Name and category of a span without length where a traced call began that raised this end. Such a call is recorded as
// one that did not fail, since loops over a dataset end so, but its graph did not run to the end.
inline constexpr std::string_view kEndOfData = "end of data";

}  // namespace footlight
