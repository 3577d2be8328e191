// What the fuzzer's bytes mean, shared with the seeds. The first byte says how the rest becomes something to
// open: a file as it is, or a part of one behind a good checksum or good compression, which chance would
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
  kSideFiles,  // a file, and what lies beside it as NAME-wal and NAME-journal: each behind four bytes of length
  kModes
};

// Opens, reads and follows what `input` stands for; expected failures are Errors and fine.
void read_session(std::string_view input);

}  // namespace footlight::fuzz
