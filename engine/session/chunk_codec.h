// Encodes and decodes the columns of any chunk, from the description of its rows.
#pragma once

#include "engine/session/bytes.h"
#include "engine/session/chunk.h"
#include "engine/session/tables.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <type_traits>
#include <unordered_map>

namespace footlight::session {

enum class Coding : uint8_t {
  kNumbers,      // differences, zigzag, varint
  kTexts,        // varint count, the texts; then each row's text number as kNumbers
  kSharedTexts,  // before version 3: numbers in a dictionary in front of the columns
};

struct ColumnBytes {
  std::string_view name;
  Coding coding = Coding::kNumbers;
  std::string_view bytes;
};
// A chunk's columns as they are in the file, whatever its version. The views point into `raw`.
struct RawChunk {
  std::string raw;
  std::vector<ColumnBytes> columns;
  std::vector<std::string_view> shared_texts;
};
RawChunk open_chunk(uint8_t kind, std::string_view bytes, uint32_t rows);
std::string close_chunk(uint8_t kind, size_t rows, const std::string& raw);

template <class T>
uint64_t number_of(const T& value, InSession ids) {
  if constexpr (requires { value.value; }) return ids(value);
  else if constexpr (std::is_floating_point_v<T>) return std::bit_cast<uint64_t>(double{value});
  else return static_cast<uint64_t>(value);
}

template <class T>
void set_number(T& to, uint64_t v) {
  if constexpr (requires { to.value; }) {
    to.value = static_cast<decltype(to.value)>(v);
  } else if constexpr (std::is_floating_point_v<T>) {
    to = static_cast<T>(std::bit_cast<double>(v));
  } else if constexpr (std::is_enum_v<T>) {
    constexpr auto kOther = std::numeric_limits<std::underlying_type_t<T>>::max();
    to = T(v < kOther ? static_cast<std::underlying_type_t<T>>(v) : kOther);
  } else {
    to = static_cast<T>(v);
  }
}

// --- Encoding -----------------------------------------------------------------------------------------------------
template <class Get>
std::string differences(size_t rows, Get&& get) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(rows * wire::kMaxVarint);
  char* at = buffer.get();
  uint64_t previous = 0;
  for (size_t i = 0; i < rows; ++i) {
    const uint64_t value = get(i);
    at = wire::write_varint(at, zigzag(static_cast<int64_t>(value - previous)));
    previous = value;
  }
  return {buffer.get(), at};
}

template <class Chunk>
struct WriteColumns : Fields {
  const Chunk& chunk;
  InSession ids;
  size_t count = 0;
  ByteWriter out;
  WriteColumns(const Chunk& c, InSession i) : chunk(c), ids(i) {}

  template <class R, class M>
  void column(const char* name, M R::* member, const char*, Note note = {}) {
    if constexpr (!kOfRecords<Chunk>) {
      const auto& values = chunk.*member;
      put<typename RowsOf<M>::type>(name, note, [&](size_t i) -> const auto& { return values[i]; });
    } else if constexpr (std::is_same_v<M, SourceRef>) {
      put<CodeId>(std::string(name) + "_code", note, [&](size_t i) { return (chunk[i].*member).code; });
      put<uint32_t>(std::string(name) + "_offset", note, [&](size_t i) { return (chunk[i].*member).offset; });
    } else {
      put<M>(name, note, [&](size_t i) -> const auto& { return chunk[i].*member; });
    }
  }
  // Unsigned: a hostile file may hold any times.
  template <class R, class M>
  void duration(const char* name, M R::* end, M R::* start, const char*, Note note = {}) {
    const auto ns = [](int64_t from, int64_t to) { return static_cast<uint64_t>(to) - static_cast<uint64_t>(from); };
    if constexpr (!kOfRecords<Chunk>)
      put<uint64_t>(name, note, [&](size_t i) { return ns((chunk.*start)[i], (chunk.*end)[i]); });
    else
      put<uint64_t>(name, note, [&](size_t i) { return ns(chunk[i].*start, chunk[i].*end); });
  }

 private:
  template <class T, class Get>
  void put(std::string_view name, const Note& note, Get&& get) {
    if constexpr (std::is_same_v<T, std::string>) {
      texts(name, get);
    } else {
      const uint64_t usual = number_of(T{}, InSession());
      size_t i = 0;
      while (i < chunk.size() && number_of(T(get(i)), ids) == usual) ++i;
      if (i == chunk.size()) return;
      if (note.of_process)
        finish(name, Coding::kNumbers, differences(chunk.size(), [&](size_t row) {
                 const uint64_t v = number_of(T(get(row)), InSession());
                 return v ? ids.number(v) : v;
               }));
      else
        finish(name, Coding::kNumbers,
               differences(chunk.size(), [&](size_t row) { return number_of(T(get(row)), ids); }));
    }
  }
  template <class Get>
  void texts(std::string_view name, Get&& get) {
    std::unordered_map<std::string_view, uint32_t> numbers;
    std::vector<std::string_view> list;
    std::vector<uint32_t> rows;
    for (size_t i = 0; i < chunk.size(); ++i) {
      const auto [it, added] = numbers.try_emplace(get(i), static_cast<uint32_t>(list.size()));
      if (added) list.push_back(it->first);
      rows.push_back(it->second);
    }
    if (list.size() == 1 && list[0].empty()) return;
    ByteWriter bytes;
    bytes.varint(list.size());
    for (const std::string_view text : list) bytes.text(text);
    const std::string numbered = differences(rows.size(), [&](size_t i) { return uint64_t{rows[i]}; });
    bytes.raw(numbered.data(), numbered.size());
    finish(name, Coding::kTexts, bytes.bytes());
  }
  void finish(std::string_view name, Coding coding, std::string_view bytes) {
    ++count;
    out.text(name);
    out.u8(uint8_t(coding));
    out.text(bytes);
  }
};

template <class Chunk>
std::string encode_columns_of(uint8_t kind, const Chunk& chunk, InSession ids) {
  WriteColumns<Chunk> columns(chunk, ids);
  RowsOf<Chunk>::type::describe(columns);
  ByteWriter raw;
  raw.varint(columns.count);
  raw.raw(columns.out.bytes().data(), columns.out.size());
  return close_chunk(kind, chunk.size(), raw.bytes());
}

// --- Decoding -----------------------------------------------------------------------------------------------------
template <class Set>
void read_differences(ByteReader& column, size_t rows, Set&& set) {
  uint64_t previous = 0;
  for (size_t i = 0; i < rows; ++i) {
    previous += static_cast<uint64_t>(unzigzag(column.varint()));
    set(i, previous);
  }
  if (!column.done()) throw_broken("a column of a chunk is too long");
}

template <class Chunk>
struct ReadColumns : Fields {
  const RawChunk& raw;
  Chunk& chunk;
  const size_t rows;
  size_t next = 0;         // columns usually stand in our order
  uint64_t text_bytes = 0;
  ReadColumns(const RawChunk& r, Chunk& c, size_t n) : raw(r), chunk(c), rows(n) {}

  template <class R, class M>
  void column(const char* name, M R::* member, const char*, Note note = {}) {
    if constexpr (!kOfRecords<Chunk>) {
      auto& values = chunk.*member;
      values.resize(rows);
      take<typename RowsOf<M>::type>(name, note, [&](size_t i) -> auto& { return values[i]; });
    } else if constexpr (std::is_same_v<M, SourceRef>) {
      take<CodeId>(std::string(name) + "_code", note, [&](size_t i) -> auto& { return (chunk[i].*member).code; });
      take<uint32_t>(std::string(name) + "_offset", note, [&](size_t i) -> auto& { return (chunk[i].*member).offset; });
    } else {
      take<M>(name, note, [&](size_t i) -> auto& { return chunk[i].*member; });
    }
  }
  template <class R, class M>
  void duration(const char* name, M R::* end, M R::* start, const char*, Note = {}) {
    const auto add = [](int64_t from, uint64_t ns) { return static_cast<int64_t>(static_cast<uint64_t>(from) + ns); };
    const ColumnBytes* bytes = find(name);
    if constexpr (!kOfRecords<Chunk>) {
      auto& ends = chunk.*end;
      const auto& starts = chunk.*start;
      ends = starts;
      if (bytes) numbers(*bytes, [&](size_t i, uint64_t v) { ends[i] = add(starts[i], v); });
    } else {
      for (auto& record : chunk) record.*end = record.*start;
      if (bytes) numbers(*bytes, [&](size_t i, uint64_t v) { chunk[i].*end = add(chunk[i].*start, v); });
    }
  }

 private:
  const ColumnBytes* find(std::string_view name) {
    for (size_t tried = 0; tried < raw.columns.size(); ++tried) {
      const size_t at = next < raw.columns.size() ? next : next - raw.columns.size();
      next = at + 1;
      if (raw.columns[at].name == name) return &raw.columns[at];
    }
    return nullptr;
  }
  template <class Set>
  void numbers(const ColumnBytes& column, Set&& set) {
    if (column.coding != Coding::kNumbers) throw_broken("a column of a chunk has another coding");
    ByteReader in(column.bytes);
    read_differences(in, rows, set);
  }
  template <class T, class At>
  void take(std::string_view name, const Note& note, At&& at) {
    const ColumnBytes* column = find(name);
    if (!column && *note.formerly) column = find(note.formerly);
    if (!column) return;
    if constexpr (std::is_same_v<T, std::string>) texts(*column, at);
    else numbers(*column, [&](size_t i, uint64_t v) { set_number(at(i), v); });
  }
  template <class At>
  void texts(const ColumnBytes& column, At&& at) {
    constexpr uint64_t kMaxTextBytes = uint64_t{256} << 20;  // texts of one chunk in memory
    if (column.coding == Coding::kNumbers) throw_broken("a column of a chunk has another coding");
    ByteReader in(column.bytes);
    std::vector<std::string_view> own;
    const bool shared = column.coding == Coding::kSharedTexts;
    if (!shared) {
      const uint64_t count = in.varint();
      if (count > in.left()) throw_broken("a chunk has more names than bytes");
      for (uint64_t i = 0; i < count; ++i) own.push_back(in.text());
    }
    const auto& list = shared ? raw.shared_texts : own;
    read_differences(in, rows, [&](size_t i, uint64_t v) {
      if (v >= list.size()) throw_broken("a chunk names a name that it does not have");
      text_bytes += list[v].size();
      if (text_bytes > kMaxTextBytes) throw_broken("the names of a chunk are too long");
      at(i).assign(list[v]);
    });
  }
};

template <class Chunk>
void decode_columns_of(uint8_t kind, std::string_view bytes, uint32_t rows, Chunk& out) {
  out = {};
  const RawChunk raw = open_chunk(kind, bytes, rows);
  try {
    if constexpr (kOfRecords<Chunk>) out.resize(rows);
    ReadColumns<Chunk> columns(raw, out, rows);
    RowsOf<Chunk>::type::describe(columns);
  } catch (...) {
    out = {};  // partly filled columns must not count
    throw;
  }
}

// --- Encoding and decoding ----------------------------------------------------------------------------------------
template <class Chunk>
struct TimeRange : Fields {
  const Chunk& chunk;
  int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
  explicit TimeRange(const Chunk& c) : chunk(c) {}

  template <class R, class M>
  void column(const char* name, M R::* member, const char*, Note = {}) {
    if (std::string_view(name) != "start_ns" && std::string_view(name) != "time_ns") return;
    if constexpr (std::is_same_v<M, int64_t>)
      for (const auto& record : chunk) note(record.*member);
    else if constexpr (std::is_same_v<M, std::vector<int64_t>>)
      for (const int64_t ns : chunk.*member) note(ns);
  }
  template <class R, class M>
  void duration(const char*, M R::* end, M R::*, const char*, Note = {}) {
    last = std::numeric_limits<int64_t>::min();
    if constexpr (kOfRecords<Chunk>)
      for (const auto& record : chunk) last = std::max(last, record.*end);
    else
      for (const int64_t ns : chunk.*end) last = std::max(last, ns);
  }

 private:
  void note(int64_t ns) {
    first = std::min(first, ns);
    last = std::max(last, ns);
  }
};

template <class Chunk>
ChunkInfo time_range_of(const Chunk& chunk) {
  TimeRange<Chunk> range(chunk);
  RowsOf<Chunk>::type::describe(range);
  return {range.first, range.last, static_cast<uint32_t>(chunk.size()), 0};
}

// Adds up what columns take in memory.
template <class Chunk>
struct MemoryOf : Fields {
  const Chunk& chunk;
  size_t bytes = 0;
  explicit MemoryOf(const Chunk& c) : chunk(c) {}

  template <class R, class M>
  void column(const char*, M R::* member, const char*, Note = {}) {
    if constexpr (!kOfRecords<Chunk>) bytes += (chunk.*member).size() * sizeof((chunk.*member)[0]);
    else if constexpr (std::is_same_v<M, std::string>)
      for (const auto& record : chunk) bytes += (record.*member).size();
  }
  template <class R, class M>
  void duration(const char* name, M R::* end, M R::*, const char* meaning, Note note = {}) {
    column(name, end, meaning, note);
  }
};

template <class Chunk>
size_t memory_of(const Chunk& chunk) {
  MemoryOf<Chunk> memory(chunk);
  RowsOf<Chunk>::type::describe(memory);
  if constexpr (kOfRecords<Chunk>) memory.bytes += chunk.size() * sizeof(chunk[0]);
  return memory.bytes;
}

// Appends a range of rows of a struct of vectors.
template <class Chunk>
struct CopyRows : Fields {
  Chunk& to;
  const Chunk& from;
  size_t begin, end;
  CopyRows(Chunk& t, const Chunk& f, size_t b, size_t e) : to(t), from(f), begin(b), end(e) {}

  template <class R, class M>
  void column(const char*, M R::* member, const char*, Note = {}) {
    const auto first = (from.*member).begin();
    (to.*member).insert((to.*member).end(), first + static_cast<std::ptrdiff_t>(begin),
                        first + static_cast<std::ptrdiff_t>(end));
  }
  template <class R, class M>
  void duration(const char* name, M R::* member, M R::*, const char* meaning, Note note = {}) {
    column(name, member, meaning, note);
  }
};

template <class Chunk>
void copy_rows(Chunk& to, const Chunk& from, size_t begin, size_t end) {
  if constexpr (kOfRecords<Chunk>) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
  } else {
    CopyRows<Chunk> rows(to, from, begin, end);
    Chunk::describe(rows);
  }
}

}  // namespace footlight::session
