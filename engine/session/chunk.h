// The chunk format, version 2: columns of one kind of event, delta and varint coded, then compressed with zstd.
// Version 1 lacks the last column of op events.
//
//   u8 version, u8 kind, u32 rows, u32 bytes uncompressed, zstd frame of: per column varint size, bytes
#pragma once

#include "engine/session/events.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight::session {

constexpr size_t kMaxChunkRows = 1u << 16;  // a few bytes of zstd must not become a gigabyte
constexpr size_t kUsualChunkRows = 1u << 14;

std::string encode_chunk(const OpColumns& events);
std::string encode_chunk(const std::vector<CallRecord>& calls);
std::string encode_chunk(const std::vector<DeviceRecord>& events);

// Throw Error (kDataLoss) for whatever is not as it should be; `rows` is what the index says.
void decode_chunk(std::string_view bytes, uint32_t rows, OpColumns& out);
void decode_chunk(std::string_view bytes, uint32_t rows, std::vector<CallRecord>& out);
void decode_chunk(std::string_view bytes, uint32_t rows, std::vector<DeviceRecord>& out);

// Of a chunk of op events only what sums need: some of its columns are decoded.
struct OpDurations {
  std::vector<uint64_t> ns, call;
  std::vector<uint16_t> op;
  std::vector<uint32_t> signature;
};
void decode_durations(std::string_view bytes, uint32_t rows, OpDurations& out);

// Time range and number of rows; not empty.
ChunkInfo describe(const OpColumns& events);
ChunkInfo describe(const std::vector<CallRecord>& calls);
ChunkInfo describe(const std::vector<DeviceRecord>& events);

}  // namespace footlight::session
