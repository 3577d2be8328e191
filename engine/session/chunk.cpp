// Chunks: every column as differences to the row before (times, ids) or as it is, in varints; zstd does the rest.
#include "engine/session/chunk.h"

#include "engine/session/bytes.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace footlight::session {
namespace {
constexpr uint8_t kVersion = 2;
constexpr size_t kMaxNames = size_t{16} << 20;      // bytes of the dictionary
constexpr size_t kMaxNameBytes = size_t{256} << 20;  // and of what it makes in memory
enum Kind : uint8_t { kOps = 1, kCalls = 2, kDevice = 3 };

template <class Get>
void differences(ByteWriter& out, size_t rows, Get&& get) {
  std::string column;
  column.resize(rows * 10);
  char* at = column.data();
  uint64_t previous = 0;
  for (size_t i = 0; i < rows; ++i) {
    const auto value = static_cast<uint64_t>(get(i));
    uint64_t v = zigzag(static_cast<int64_t>(value - previous));
    previous = value;
    for (; v >= 0x80; v >>= 7) *at++ = static_cast<char>(v | 0x80);
    *at++ = static_cast<char>(v);
  }
  out.text({column.data(), static_cast<size_t>(at - column.data())});
}

template <class Set>
void read_differences(ByteReader& in, size_t rows, Set&& set) {
  ByteReader column(in.text());
  uint64_t previous = 0;
  for (size_t i = 0; i < rows; ++i) {
    previous += static_cast<uint64_t>(unzigzag(column.varint()));
    set(i, previous);
  }
  if (!column.done()) throw_broken("a column of a chunk is too long");
}

// Unsigned: times of a hostile file may be anything.
template <class Record>
uint64_t duration(const Record& r) {
  return static_cast<uint64_t>(r.end_ns) - static_cast<uint64_t>(r.start_ns);
}

template <class T>
void write_column(ByteWriter& out, const std::vector<T>& values) {
  differences(out, values.size(), [&](size_t i) { return values[i]; });
}

template <class T>
void read_column(ByteReader& in, size_t rows, std::vector<T>& values) {
  values.resize(rows);
  read_differences(in, rows, [&](size_t i, uint64_t v) { values[i] = static_cast<T>(v); });
}

std::string compress(Kind kind, size_t rows, const std::string& raw) {
  ByteWriter out;
  out.u8(kVersion);
  out.u8(kind);
  out.u32(static_cast<uint32_t>(rows));
  out.u32(static_cast<uint32_t>(raw.size()));
  const size_t header = out.size();
  std::string& bytes = out.bytes();
  bytes.resize(header + ZSTD_compressBound(raw.size()));
  // Contexts are costly to make: one per thread.
  thread_local std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const size_t size =
      ZSTD_compressCCtx(context.get(), bytes.data() + header, bytes.size() - header, raw.data(), raw.size(), 1);
  FL_CHECK(!ZSTD_isError(size));
  bytes.resize(header + size);
  return std::move(bytes);
}

std::string decompress(Kind kind, std::string_view bytes, uint32_t rows, uint8_t* said = nullptr) {
  ByteReader in(bytes);
  const uint8_t version = in.u8();
  if (version > kVersion) throw_broken("a chunk has the newer format " + std::to_string(version));
  if (said) *said = version;
  if (version == 0 || in.u8() != kind) throw_broken("a chunk is not what it should be");
  if (in.u32() != rows || rows > kMaxChunkRows) throw_broken("a chunk has another number of rows than its index says");
  const uint32_t size = in.u32();
  // No column takes more than 10 bytes a row: a small chunk that says 200 MB is made to hurt.
  const size_t names = kind == kDevice ? kMaxNames : 0;
  if (size > size_t{rows} * 13 * 10 + 128 + names) throw_broken("a chunk is too large");
  const std::string_view frame = in.bytes(in.left());
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    throw_broken("a chunk has another size than it says");
  std::string raw;
  raw.resize(size);
  thread_local std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (ZSTD_decompressDCtx(context.get(), raw.data(), raw.size(), frame.data(), frame.size()) != size)
    throw_broken("a chunk cannot be decompressed");
  return raw;
}

void read_signatures(ByteReader& in, size_t rows, uint8_t version, std::vector<uint32_t>& values) {
  if (version < 2) {
    values.assign(rows, SignatureId::kNone);
  } else {
    read_column(in, rows, values);
  }
}
}  // namespace

void OpColumns::reserve(size_t n) {
  start_ns.reserve(n), end_ns.reserve(n), id.reserve(n), call.reserve(n), code.reserve(n), offset.reserve(n);
  node.reserve(n), bytes.reserve(n), op.reserve(n), thread.reserve(n), device.reserve(n);
  signature.reserve(n);
}

void OpColumns::append(uint16_t thread_number, uint64_t event_id, const OpEvent& e) {
  start_ns.push_back(e.start_ns);
  end_ns.push_back(e.end_ns);
  id.push_back(event_id);
  call.push_back(e.call.value);
  code.push_back(e.source.code.value);
  offset.push_back(e.source.offset);
  node.push_back(e.node.value);
  bytes.push_back(0);
  op.push_back(e.op.value);
  thread.push_back(thread_number);
  device.push_back(e.device);
  signature.push_back(e.signature.value);
}

void OpColumns::append(const OpColumns& o) {
  const auto all = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  all(start_ns, o.start_ns), all(end_ns, o.end_ns), all(id, o.id), all(call, o.call), all(code, o.code);
  all(offset, o.offset), all(node, o.node), all(bytes, o.bytes), all(op, o.op), all(thread, o.thread);
  all(device, o.device), all(signature, o.signature);
}

void OpColumns::clear() {
  start_ns.clear(), end_ns.clear(), id.clear(), call.clear(), code.clear(), offset.clear();
  node.clear(), bytes.clear(), op.clear(), thread.clear(), device.clear();
  signature.clear();
}

std::string encode_chunk(const OpColumns& e) {
  ByteWriter out;
  const size_t n = e.size();
  write_column(out, e.start_ns);
  differences(out, n, [&](size_t i) {
    return static_cast<uint64_t>(e.end_ns[i]) - static_cast<uint64_t>(e.start_ns[i]);
  });
  write_column(out, e.id);
  write_column(out, e.call);
  write_column(out, e.code);
  write_column(out, e.offset);
  write_column(out, e.node);
  write_column(out, e.bytes);
  write_column(out, e.op);
  write_column(out, e.thread);
  write_column(out, e.device);
  write_column(out, e.signature);
  return compress(kOps, n, out.bytes());
}

void decode_chunk(std::string_view bytes, uint32_t rows, OpColumns& e) {
  uint8_t version = 0;
  const std::string raw = decompress(kOps, bytes, rows, &version);
  ByteReader in(raw);
  read_column(in, rows, e.start_ns);
  e.end_ns.resize(rows);
  read_differences(in, rows, [&](size_t i, uint64_t v) {
    e.end_ns[i] = static_cast<int64_t>(static_cast<uint64_t>(e.start_ns[i]) + v);
  });
  read_column(in, rows, e.id);
  read_column(in, rows, e.call);
  read_column(in, rows, e.code);
  read_column(in, rows, e.offset);
  read_column(in, rows, e.node);
  read_column(in, rows, e.bytes);
  read_column(in, rows, e.op);
  read_column(in, rows, e.thread);
  read_column(in, rows, e.device);
  read_signatures(in, rows, version, e.signature);
}

void decode_durations(std::string_view bytes, uint32_t rows, OpDurations& out) {
  uint8_t version = 0;
  const std::string raw = decompress(kOps, bytes, rows, &version);
  ByteReader in(raw);
  in.text();  // start
  read_column(in, rows, out.ns);
  in.text();  // id
  read_column(in, rows, out.call);
  for (int skipped = 0; skipped < 4; ++skipped) in.text();  // code, offset, node, bytes
  read_column(in, rows, out.op);
  for (int skipped = 0; skipped < 2; ++skipped) in.text();  // thread, device
  read_signatures(in, rows, version, out.signature);
}

std::string encode_chunk(const std::vector<CallRecord>& calls) {
  ByteWriter out;
  const auto column = [&](auto&& get) { differences(out, calls.size(), [&](size_t i) { return get(calls[i]); }); };
  column([](const CallRecord& c) { return c.start_ns; });
  column([](const CallRecord& c) { return duration(c); });
  column([](const CallRecord& c) { return c.id.value; });
  column([](const CallRecord& c) { return c.function.value; });
  column([](const CallRecord& c) { return c.trace.value; });
  column([](const CallRecord& c) { return uint8_t(c.outcome); });
  column([](const CallRecord& c) { return c.thread; });
  column([](const CallRecord& c) { return c.source.code.value; });
  column([](const CallRecord& c) { return c.source.offset; });
  return compress(kCalls, calls.size(), out.bytes());
}

void decode_chunk(std::string_view bytes, uint32_t rows, std::vector<CallRecord>& calls) {
  const std::string raw = decompress(kCalls, bytes, rows);
  ByteReader in(raw);
  calls.resize(rows);
  const auto column = [&](auto&& set) { read_differences(in, rows, [&](size_t i, uint64_t v) { set(calls[i], v); }); };
  column([](CallRecord& c, uint64_t v) { c.start_ns = static_cast<int64_t>(v); });
  column([](CallRecord& c, uint64_t v) { c.end_ns = static_cast<int64_t>(static_cast<uint64_t>(c.start_ns) + v); });
  column([](CallRecord& c, uint64_t v) { c.id.value = v; });
  column([](CallRecord& c, uint64_t v) { c.function.value = static_cast<uint32_t>(v); });
  column([](CallRecord& c, uint64_t v) { c.trace.value = static_cast<uint32_t>(v); });
  column([](CallRecord& c, uint64_t v) {
    if (v > uint8_t(CallOutcome::kFailed)) throw_broken("a call ended in no known way");
    c.outcome = CallOutcome(v);
  });
  column([](CallRecord& c, uint64_t v) { c.thread = static_cast<uint16_t>(v); });
  column([](CallRecord& c, uint64_t v) { c.source.code.value = static_cast<uint32_t>(v); });
  column([](CallRecord& c, uint64_t v) { c.source.offset = static_cast<uint32_t>(v); });
}

// Kinds and names are few: a dictionary in front, numbers in the columns.
std::string encode_chunk(const std::vector<DeviceRecord>& events) {
  ByteWriter out;
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::string_view> texts;
  const auto number_of = [&](const std::string& s) {
    const auto [it, added] = numbers.try_emplace(s, static_cast<uint32_t>(texts.size()));
    if (added) texts.push_back(s);
    return it->second;
  };
  std::vector<uint32_t> kinds, names;
  for (const DeviceRecord& e : events) {
    kinds.push_back(number_of(e.kind));
    names.push_back(number_of(e.name));
  }
  out.varint(texts.size());
  for (std::string_view s : texts) out.text(s);
  write_column(out, kinds);
  write_column(out, names);
  const auto column = [&](auto&& get) { differences(out, events.size(), [&](size_t i) { return get(events[i]); }); };
  column([](const DeviceRecord& e) { return e.start_ns; });
  column([](const DeviceRecord& e) { return duration(e); });
  column([](const DeviceRecord& e) { return e.device; });
  column([](const DeviceRecord& e) { return e.context; });
  column([](const DeviceRecord& e) { return e.stream; });
  column([](const DeviceRecord& e) { return e.thread; });
  column([](const DeviceRecord& e) { return e.correlation; });
  column([](const DeviceRecord& e) { return e.op_event; });
  column([](const DeviceRecord& e) { return e.call.value; });
  column([](const DeviceRecord& e) { return e.bytes; });
  return compress(kDevice, events.size(), out.bytes());
}

void decode_chunk(std::string_view bytes, uint32_t rows, std::vector<DeviceRecord>& events) {
  const std::string raw = decompress(kDevice, bytes, rows);
  ByteReader in(raw);
  const uint64_t count = in.varint();
  if (count > in.left()) throw_broken("a chunk has more names than bytes");
  std::vector<std::string_view> texts;
  for (uint64_t i = 0; i < count; ++i) texts.push_back(in.text());
  const auto text = [&](uint64_t number) {
    if (number >= texts.size()) throw_broken("a chunk names a name that it does not have");
    return texts[number];
  };
  events.resize(rows);
  uint64_t name_bytes = 0;
  const auto column = [&](auto&& set) { read_differences(in, rows, [&](size_t i, uint64_t v) { set(events[i], v); }); };
  const auto name = [&](std::string& to, uint64_t v) {
    name_bytes += text(v).size();
    if (name_bytes > kMaxNameBytes) throw_broken("the names of a chunk are too long");
    to = text(v);
  };
  column([&](DeviceRecord& e, uint64_t v) { name(e.kind, v); });
  column([&](DeviceRecord& e, uint64_t v) { name(e.name, v); });
  column([](DeviceRecord& e, uint64_t v) { e.start_ns = static_cast<int64_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.end_ns = static_cast<int64_t>(static_cast<uint64_t>(e.start_ns) + v); });
  column([](DeviceRecord& e, uint64_t v) { e.device = static_cast<uint32_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.context = static_cast<uint32_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.stream = static_cast<uint32_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.thread = static_cast<uint32_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.correlation = static_cast<uint32_t>(v); });
  column([](DeviceRecord& e, uint64_t v) { e.op_event = v; });
  column([](DeviceRecord& e, uint64_t v) { e.call.value = v; });
  column([](DeviceRecord& e, uint64_t v) { e.bytes = v; });
}

ChunkInfo describe(const OpColumns& e) {
  return {*std::min_element(e.start_ns.begin(), e.start_ns.end()), *std::max_element(e.end_ns.begin(), e.end_ns.end()),
          static_cast<uint32_t>(e.size()), 0};
}

namespace {
template <class Record>
ChunkInfo describe_records(const std::vector<Record>& records) {
  ChunkInfo info{records.front().start_ns, records.front().end_ns, static_cast<uint32_t>(records.size()), 0};
  for (const Record& r : records) {
    info.first_ns = std::min(info.first_ns, r.start_ns);
    info.last_ns = std::max(info.last_ns, r.end_ns);
  }
  return info;
}
}  // namespace

ChunkInfo describe(const std::vector<CallRecord>& calls) { return describe_records(calls); }
ChunkInfo describe(const std::vector<DeviceRecord>& events) { return describe_records(events); }

}  // namespace footlight::session
