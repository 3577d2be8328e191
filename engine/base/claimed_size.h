// Checks the size that a file or a message claims before memory is allocated for it: a few bytes may stand for much, up
// to a limit; more must be backed by bytes that are there.
#pragma once

#include "engine/base/text.h"

#include <cstdint>

namespace footlight {

inline constexpr uint64_t kMaxUnbackedBytes = uint64_t{1} << 28;
inline constexpr uint64_t kMaxDeflateRatio = 1100;  // deflate reaches 1,032
inline constexpr uint64_t kMaxJpegRatio = 2000;     // a bit per component of a block of 64 pixels, three components

// Throws if `claimed` bytes are more than `given` bytes can stand for when each expands at most `ratio` times.
// Example: check_claimed_size(ErrorKind::kInvalidArgument, "a PNG image", pixels, file.size(), kMaxDeflateRatio)
inline void check_claimed_size(ErrorKind kind, const char* what, uint64_t claimed, uint64_t given, uint64_t ratio) {
  if (claimed <= kMaxUnbackedBytes || claimed / ratio <= given) return;
  fail(kind, what, " takes ", bytes_text(claimed), ", which its ", bytes_text(given),
       " cannot hold: it is damaged, or was made to use up memory");
}

}  // namespace footlight
