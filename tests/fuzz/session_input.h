// The meaning of the fuzzer's bytes, shared with the seeds. The first byte says how the rest becomes something to
// open: a whole file, or a part of one with a correct checksum or correct compression, which chance would
// never make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace footlight::fuzz {

enum Mode : uint8_t {
  kFile,
  kFrames,
  kOpColumns,
  kCallColumns,
  kDeviceColumns,
  kSpanColumns,
  kCounterColumns,
  kSideFiles,  // a file, and its NAME-wal and NAME-journal: each preceded by four bytes of length
  kModes
};

// Opens, reads and follows the session that `input` describes; expected failures are Errors and fine.
void read_session(std::string_view input);
// How many comparisons could be made in all inputs so far: of repetitions, of what was recorded.
struct Compared { uint64_t repeated = 0, recorded = 0; };
const Compared& compared();

}  // namespace footlight::fuzz
