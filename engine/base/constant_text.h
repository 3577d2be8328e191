// How the text of a constant ends that is too long to be written whole; written with the graph, read by explanations.
#pragma once

namespace footlight {

// In place of a hash of the contents: all elements are the same.
inline constexpr const char* kAllEqual = " #all-equal";

}  // namespace footlight
