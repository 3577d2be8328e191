// The ending of a constant's text that is too long to write in full; graphs write it and explanations read it.
#pragma once

namespace footlight {

// It replaces the hash of the contents if all elements are equal.
inline constexpr const char* kAllEqual = " #all-equal";

}  // namespace footlight
