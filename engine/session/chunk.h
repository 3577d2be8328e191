// The chunk format, version 3: columns of one kind of event by name, delta and varint coded, then compressed with zstd.
// Columns in which every value is the default are omitted; readers skip columns they do not know.
//
//   u8 version, u8 kind, u32 rows, u32 bytes uncompressed, zstd frame of: varint columns, each text name, u8 coding,
//   varint size, bytes
//
// Versions 1 and 2 have their columns in a fixed order and without names (chunk.cpp).
#pragma once

#include "engine/session/events.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::session {

constexpr size_t kMaxChunkRows = 1u << 16;  // a few bytes of zstd must not become a gigabyte
constexpr size_t kUsualChunkRows = 1u << 14;

// Operations on one kind of chunk; chunk.cpp has them for every kind in EventChunks.
template <class Chunk>
struct ChunkFunctions {
  std::string (*encode)(const Chunk& chunk, InSession ids);
  void (*decode)(std::string_view bytes, uint32_t rows, Chunk& out);
  ChunkInfo (*describe)(const Chunk& chunk);
  void (*append)(Chunk& to, const Chunk& from, size_t begin, size_t end);
  size_t (*bytes)(const Chunk& chunk);
};
template <class Chunks>
struct FunctionsOf;
template <class... Chunk>
struct FunctionsOf<std::tuple<Chunk...>> { using type = std::tuple<ChunkFunctions<Chunk>...>; };
extern const FunctionsOf<EventChunks>::type chunk_functions;

template <class Chunk>
std::string encode_chunk(const Chunk& chunk, InSession ids = InSession()) {
  return std::get<ChunkFunctions<Chunk>>(chunk_functions).encode(chunk, ids);
}
// Throws Error (kDataLoss) if anything is wrong, and leaves `out` empty; `rows` is the count in the index.
template <class Chunk>
void decode_chunk(std::string_view bytes, uint32_t rows, Chunk& out) {
  std::get<ChunkFunctions<Chunk>>(chunk_functions).decode(bytes, rows, out);
}
// Time range and number of rows; not empty.
template <class Chunk>
ChunkInfo describe(const Chunk& chunk) {
  return std::get<ChunkFunctions<Chunk>>(chunk_functions).describe(chunk);
}
template <class Chunk>
void append(Chunk& to, const Chunk& from, size_t begin = 0, size_t end = static_cast<size_t>(-1)) {
  std::get<ChunkFunctions<Chunk>>(chunk_functions).append(to, from, begin, std::min(end, from.size()));
}
// Approximate size in memory.
template <class Chunk>
size_t bytes_of(const Chunk& chunk) {
  return std::get<ChunkFunctions<Chunk>>(chunk_functions).bytes(chunk);
}

// The columns of a chunk of op events that sums need.
struct OpDurations {
  std::vector<uint64_t> ns;
  std::vector<CallId> call;
  std::vector<OpNumber> op;
  std::vector<SignatureId> signature;
  size_t size() const { return ns.size(); }

  static void describe(auto& f) {
    f.column("duration_ns", &OpDurations::ns, "");
    f.column("call", &OpDurations::call, "");
    f.column("op", &OpDurations::op, "");
    f.column("signature", &OpDurations::signature, "");
  }
};

void decode_chunk(std::string_view bytes, uint32_t rows, OpDurations& out);

// The data of an ArtifactRecord.
Blob pack(std::string_view text);
std::string unpack(const Blob& packed);  // throws Error

}  // namespace footlight::session
