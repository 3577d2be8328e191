// Chunks as bytes: header, compression, and the columns of versions in which columns had no names.
#include "engine/session/chunk_codec.h"

#include <zstd.h>

#include <memory>

namespace footlight::session {
namespace {
constexpr uint8_t kChunkVersion = 3;
constexpr size_t kMaxColumns = 64;
constexpr size_t kMaxTexts = size_t{16} << 20;  // bytes of the dictionaries

// The columns of versions 1 and 2 by kind; version 1 lacks the last column of ops.
constexpr std::string_view kOpColumns[] = {"start_ns", "duration_ns", "id", "call",   "code",   "offset",
                                           "node",     "bytes",       "op", "thread", "device", "signature"};
constexpr std::string_view kCallColumns[] = {"start_ns", "duration_ns", "id",          "function",     "trace",
                                             "outcome",  "thread",      "source_code", "source_offset"};
constexpr std::string_view kDeviceColumns[] = {"kind",   "name",    "start_ns", "duration_ns", "device",   "context",
                                               "stream", "thread",  "correlation", "op_event", "call",     "bytes"};

std::span<const std::string_view> columns_before_3(uint8_t kind, uint8_t version) {
  switch (kind) {
    case 1: return std::span(kOpColumns).first(version < 2 ? 11 : 12);
    case 2: return kCallColumns;
    case 3: return kDeviceColumns;
    default: throw_broken("a chunk is damaged");
  }
}

std::string decompress(std::string_view frame, size_t size) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    throw_broken("a chunk differs in size from its header");
  std::string raw;
  raw.resize(size);
  // Contexts are costly to make: one per thread.
  thread_local std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (ZSTD_decompressDCtx(context.get(), raw.data(), raw.size(), frame.data(), frame.size()) != size)
    throw_broken("a chunk cannot be decompressed");
  return raw;
}

void compress(std::string& to, std::string_view raw) {
  const size_t header = to.size();
  to.resize(header + ZSTD_compressBound(raw.size()));
  // Reused like the context above.
  thread_local std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const size_t size =
      ZSTD_compressCCtx(context.get(), to.data() + header, to.size() - header, raw.data(), raw.size(), 1);
  FL_CHECK(!ZSTD_isError(size));
  to.resize(header + size);
}
}  // namespace

std::string close_chunk(uint8_t kind, size_t rows, const std::string& raw) {
  ByteWriter out;
  out.u8(kChunkVersion);
  out.u8(kind);
  out.u32(static_cast<uint32_t>(rows));
  out.u32(static_cast<uint32_t>(raw.size()));
  compress(out.bytes(), raw);
  return std::move(out.bytes());
}

RawChunk open_chunk(uint8_t kind, std::string_view bytes, uint32_t rows) {
  ByteReader in(bytes);
  const uint8_t version = in.u8();
  if (version > kChunkVersion) throw_broken("a chunk has the newer format " + std::to_string(version));
  const uint8_t said = in.u8();
  if (version == 0 || said != kind) throw_broken("a chunk is damaged");
  if (in.u32() != rows || rows > kMaxChunkRows) throw_broken("a chunk differs in its number of rows from its index");
  const uint32_t size = in.u32();
  // No column takes more than 10 bytes a row: a small chunk that claims 200 MB is an attack.
  if (size > size_t{rows} * kMaxColumns * 10 + (size_t{1} << 16) + kMaxTexts) throw_broken("a chunk is too large");
  RawChunk chunk;
  chunk.raw = decompress(in.bytes(in.left()), size);
  ByteReader raw(chunk.raw);
  if (version >= 3) {
    const uint64_t count = raw.varint();
    if (count > kMaxColumns) throw_broken("a chunk has too many columns");
    for (uint64_t i = 0; i < count; ++i) {
      ColumnBytes column;
      column.name = raw.text();
      column.coding = Coding(raw.u8());
      column.bytes = raw.text();
      chunk.columns.push_back(column);
    }
    return chunk;
  }
  const auto names = columns_before_3(kind, version);
  const bool texts = names[0] == "kind";
  if (texts) {
    const uint64_t count = raw.varint();
    if (count > raw.left()) throw_broken("a chunk has more names than bytes");
    for (uint64_t i = 0; i < count; ++i) chunk.shared_texts.push_back(raw.text());
  }
  for (size_t i = 0; i < names.size(); ++i)
    chunk.columns.push_back({names[i], texts && i < 2 ? Coding::kSharedTexts : Coding::kNumbers, raw.text()});
  return chunk;
}

void OpColumns::append(uint16_t thread_number, uint64_t event_id, const OpEvent& e, LocationId caller) {
  start_ns.push_back(e.start_ns);
  end_ns.push_back(e.end_ns);
  id.push_back(event_id);
  call.push_back(e.call);
  const SourceRef source = e.source();
  code.push_back(source.code);
  offset.push_back(source.offset);
  graph.push_back(e.graph());
  node.push_back(e.node());
  bytes.push_back(0);
  op.push_back(e.op);
  thread.push_back(ThreadId(thread_number));
  device.push_back(DeviceNumber(e.device));
  signature.push_back(e.signature);
  location.push_back(caller);
}

void decode_chunk(std::string_view bytes, uint32_t rows, OpDurations& out) {
  decode_columns_of(static_cast<uint8_t>(chunk_kind<OpColumns>() + 1), bytes, rows, out);
}

namespace {
template <class Chunk>
constexpr ChunkFunctions<Chunk> functions_of() {
  constexpr auto kKind = static_cast<uint8_t>(chunk_kind<Chunk>() + 1);
  return {[](const Chunk& chunk, InSession ids) { return encode_columns_of(kKind, chunk, ids); },
          [](std::string_view bytes, uint32_t rows, Chunk& out) { decode_columns_of(kKind, bytes, rows, out); },
          [](const Chunk& chunk) { return time_range_of(chunk); },
          [](Chunk& to, const Chunk& from, size_t begin, size_t end) { copy_rows(to, from, begin, end); },
          [](const Chunk& chunk) { return memory_of(chunk); }};
}
template <class... Chunk>
constexpr std::tuple<ChunkFunctions<Chunk>...> all_functions(std::tuple<Chunk...>*) {
  return {functions_of<Chunk>()...};
}
}  // namespace

constinit const FunctionsOf<EventChunks>::type chunk_functions = all_functions(static_cast<EventChunks*>(nullptr));

constexpr size_t kMaxArtifact = size_t{256} << 20;

Blob pack(std::string_view text) {
  ByteWriter out;
  out.varint(text.size());
  compress(out.bytes(), text);
  return {std::move(out.bytes())};
}

std::string unpack(const Blob& packed) {
  ByteReader in(packed.bytes);
  const uint64_t size = in.varint();
  if (size > kMaxArtifact) throw_broken("an artifact is too large");
  return decompress(in.bytes(in.left()), static_cast<size_t>(size));
}

}  // namespace footlight::session
