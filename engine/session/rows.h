// Records as rows of values, in both directions: the log holds rows as bytes, the finished file as SQLite rows.
#pragma once

#include "engine/session/bytes.h"
#include "engine/session/schema.h"
#include "engine/session/tables.h"

#include <bit>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

namespace footlight::session {

struct Value {
  enum class Type : uint8_t { kNull, kInteger, kText, kBlob, kReal };
  Type type = Type::kNull;
  int64_t integer = 0;  // for a real number, its bits
  std::string_view bytes;
};
using Row = std::span<const Value>;

// --- Out: a record as rows of the log, its own first, then what is nested in it -------------------------------------
class RowEncoder {
 public:
  RowEncoder(ByteWriter& out, InSession ids) : out_(out), ids_(ids) {}
  InSession ids() const { return ids_; }

  void begin(size_t table) { out_.varint(table + 1); }
  void null() { out_.u8(uint8_t(Value::Type::kNull)); }
  void integer(int64_t v) {
    out_.u8(uint8_t(Value::Type::kInteger));
    out_.varint(zigzag(v));
  }
  void text(std::string_view s) {
    out_.u8(uint8_t(Value::Type::kText));
    out_.text(s);
  }
  void real(double v) {
    out_.u8(uint8_t(Value::Type::kReal));
    out_.u64(std::bit_cast<uint64_t>(v));
  }
  void blob(std::string_view s) {
    out_.u8(uint8_t(Value::Type::kBlob));
    out_.text(s);
  }

  void put(const std::string& s) { text(s); }
  void put(const Blob& b) { blob(b.bytes); }
  void put(const std::vector<uint64_t>& words) {
    static_assert(std::endian::native == std::endian::little);
    blob({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t)});
  }
  void put(double v) { real(v); }
  void put(SourceRef s) {
    put(s.code);
    integer(s.offset);
  }
  // None stands for the writing process.
  void put(ProcessId id) {
    id.value = ids_.process(id.value);
    if (id.valid()) integer(id.value);
    else null();
  }
  template <class Tag, class Int>
  void put(Id<Tag, Int> id) {
    const Int value = ids_(id);
    if (value == id.kNone) null();
    else integer(static_cast<int64_t>(value));
  }
  template <class T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void put(T v) {
    integer(static_cast<int64_t>(v));
  }

 private:
  ByteWriter& out_;
  InSession ids_;
};

// A visitor that writes the columns of one row.
template <class R>
struct EncodeColumns : Fields {
  RowEncoder& out;
  const R& record;
  EncodeColumns(RowEncoder& o, const R& r) : out(o), record(r) {}
  template <class M>
  void id(const char*, M R::* member, const char*, Note = {}) { out.put(record.*member); }
  template <class M>
  void column(const char*, M R::* member, const char*, Note = {}) { out.put(record.*member); }
};

template <class R>
void encode_columns(RowEncoder& out, const R& record) {
  if constexpr (Described<R>) {
    EncodeColumns<R> columns(out, record);
    R::describe(columns);
  } else {
    out.put(record);
  }
}

// A visitor that writes the rows of nested lists. `owners` are the leading values of these rows.
template <class R>
struct EncodeLists : Fields {
  RowEncoder& out;
  const R& record;
  size_t table;  // table of the next list
  std::vector<int64_t>& owners;
  EncodeLists(RowEncoder& o, const R& r, size_t t, std::vector<int64_t>& w) : out(o), record(r), table(t), owners(w) {}

  template <class E>
  void list(const char*, std::vector<E> R::* member, const char*, Note = {}) {
    const size_t own = table;
    table += table_count<E>();
    const bool nested = table > own + 1;
    int64_t position = 0;
    for (const E& element : record.*member) {
      owners.push_back(position++);
      out.begin(own);
      for (const int64_t owner : owners) out.integer(owner);
      encode_columns(out, element);
      if constexpr (Described<E>) {
        if (nested) {
          EncodeLists<E> inner(out, element, own + 1, owners);
          E::describe(inner);
        }
      }
      owners.pop_back();
    }
  }
};

template <class R>
struct IdOf : Fields {
  const R& record;
  InSession ids;
  int64_t value = -1;
  IdOf(const R& r, InSession i) : record(r), ids(i) {}
  template <class M>
  void id(const char*, M R::* member, const char*, Note = {}) {
    if constexpr (std::is_same_v<M, ProcessId>) value = ids.process((record.*member).value);
    else value = static_cast<int64_t>(ids(record.*member));
  }
};

template <class R>
void encode(ByteWriter& out, InSession ids, const R& record) {
  const size_t table = first_table(table_of<R>());
  RowEncoder rows(out, ids);
  rows.begin(table);
  encode_columns(rows, record);
  if (table_count<R>() == 1) return;
  IdOf<R> id(record, ids);
  R::describe(id);
  std::vector<int64_t> owners;
  owners.push_back(id.value);
  EncodeLists<R> lists(rows, record, table + 1, owners);
  R::describe(lists);
}

// A row of `meta`, and the members of a record that are stored there.
void encode_meta(ByteWriter& out, std::string_view key, std::string_view text);
void encode_meta(ByteWriter& out, std::string_view key, int64_t number);

template <class R>
struct EncodeMeta : Fields {
  ByteWriter& out;
  const R& record;
  EncodeMeta(ByteWriter& o, const R& r) : out(o), record(r) {}
  template <class M>
  void column(const char* name, M R::* member, const char*, Note = {}) {
    RowEncoder row(out, InSession());
    row.begin(kMetaTable);
    row.text(name);
    row.put(record.*member);
  }
};
template <class R>
  requires is_meta<R>
void encode(ByteWriter& out, InSession ids, const R& record) {
  EncodeMeta<R> members(out, record);
  R::describe(members);
  RowEncoder rows(out, ids);
  std::vector<int64_t> owners;
  EncodeLists<R> lists(rows, record, kMetaTable + 1, owners);
  R::describe(lists);
}

// --- In: values, from either form, checked --------------------------------------------------------------------------
// Takes the columns of a table, in our order, out of a row in the file's order. Columns that the file lacks keep their
// default; unknown enumerators keep their number.
class RowDecoder {
 public:
  RowDecoder(Row row, const Binding& binding, size_t column = 0) : row_(row), binding_(binding), next_(column) {}

  // Null: the file does not have the column.
  const Value* next() {
    const int16_t place = binding_.columns[next_++];
    return place < 0 ? nullptr : &row_[static_cast<size_t>(place)];
  }

  void get(std::string& s) {
    const Value* v = next();
    if (!v) return;
    if (v->type == Value::Type::kInteger) throw_broken("a number where a text should be");
    s.assign(v->bytes);  // NULL and foreign blobs read as text
  }
  void get(Blob& b) { get(b.bytes); }
  void get(std::vector<uint64_t>& words) {
    std::string bytes;
    get(bytes);
    words.resize(bytes.size() / sizeof(uint64_t));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
  }
  // SQLite keeps no NaN: NULL is one.
  void get(double& v) {
    const Value* value = next();
    if (!value) return;
    switch (value->type) {
      case Value::Type::kReal: v = std::bit_cast<double>(value->integer); break;
      case Value::Type::kInteger: v = static_cast<double>(value->integer); break;
      case Value::Type::kNull: v = std::numeric_limits<double>::quiet_NaN(); break;
      default: throw_broken("a text where a number should be");
    }
  }
  void get(SourceRef& s) {
    get(s.code);
    get(s.offset);
  }
  template <class Tag, class Int>
  void get(Id<Tag, Int>& id) {
    const Value* v = next();
    if (!v) return;
    if (v->type == Value::Type::kNull) id.value = id.kNone;
    else number(*v, id.value);
  }
  template <class T>
    requires(std::is_integral_v<T>)
  void get(T& v) {
    if (const Value* value = next()) number(*value, v);
  }
  template <class E>
    requires(std::is_enum_v<E>)
  void get(E& v) {
    const Value* value = next();
    if (!value) return;
    int64_t n = 0;
    number(*value, n);
    constexpr auto kOther = std::numeric_limits<std::underlying_type_t<E>>::max();
    v = E(n >= 0 && n < kOther ? static_cast<std::underlying_type_t<E>>(n) : kOther);
  }

 private:
  template <class T>
  static void number(const Value& value, T& v) {
    if (value.type == Value::Type::kNull) {
      v = 0;
      return;
    }
    if (value.type == Value::Type::kReal) throw_broken("a fraction where none should be");
    if (value.type != Value::Type::kInteger) throw_broken("a text where a number should be");
    v = static_cast<T>(value.integer);
    if (static_cast<int64_t>(v) != value.integer) throw_broken("a number is out of range");
  }
  Row row_;
  const Binding& binding_;
  size_t next_;
};

template <class R>
struct DecodeColumns : Fields {
  RowDecoder& in;
  R& record;
  DecodeColumns(RowDecoder& i, R& r) : in(i), record(r) {}
  template <class M>
  void id(const char*, M R::* member, const char*, Note = {}) { in.get(record.*member); }
  template <class M>
  void column(const char*, M R::* member, const char*, Note = {}) { in.get(record.*member); }
  template <class Set>
  void former(const char*, int, Set&& set) {
    const Value* v = in.next();
    if (v && v->type == Value::Type::kInteger) set(record, v->integer);
  }
};

template <class R>
void decode_columns(RowDecoder& in, R& record) {
  if constexpr (Described<R>) {
    DecodeColumns<R> columns(in, record);
    R::describe(columns);
  } else {
    in.get(record);
  }
}

// A row of a table of chunks.
struct ChunkRow {
  ChunkInfo info;
  std::string_view data;
};
ChunkRow decode_chunk_row(Row row, const Binding& binding);
void encode_chunk_row(ByteWriter& out, size_t kind, const ChunkInfo& info, std::string_view data);

// --- Frames of a log ------------------------------------------------------------------------------------------------
// Since version 3 a frame begins with the number of its layout, the checksum of the layout's text; frames of layout 0
// hold such a text. A row is a varint, the table's place in the layout from 1, then one value per column.
uint32_t layout_number(std::string_view text);
uint32_t own_layout();
std::string layout_frame();  // the payload with this version's layout

// Reads the frames of one log.
class FrameReader {
 public:
  explicit FrameReader(uint32_t version);
  // Calls visit(binding, row) for every row whose table is known here. The bytes of values point into the payload.
  // Throws Error if something is broken.
  template <class Visit>
  void read(std::string_view payload, Visit&& visit) {
    ByteReader in(payload);
    const std::vector<Binding>* layout = begin(in);
    if (!layout) return;
    while (!in.done())
      if (const Binding* binding = row(in, *layout)) visit(*binding, Row(values_.data(), binding->width));
  }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  const std::vector<Binding>* begin(ByteReader& in);
  const Binding* row(ByteReader& in, const std::vector<Binding>& layout);
  void learn(uint32_t number, const Layout& layout);
  bool numbered_;
  std::vector<std::pair<uint32_t, std::vector<Binding>>> layouts_;
  std::vector<Value> values_;
  std::vector<std::string> left_out_;
};

}  // namespace footlight::session
