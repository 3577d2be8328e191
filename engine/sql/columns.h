// Tables from a list of columns, each with a function that makes its value of a row. The type of the column follows
// from that of the value.
#pragma once

#include "engine/base/errors.h"
#include "engine/sql/table.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace footlight::sql {

// A text in the recording's records, which SQLite may refer to.
struct Kept {
  std::string_view text;
};
// A time, given since the first event; 0: unknown.
struct Time {
  int64_t ns = 0;
};

template <class T>
constexpr Type type_of = std::is_floating_point_v<T>                                 ? Type::kReal
                         : std::is_same_v<T, std::string> || std::is_same_v<T, Kept> ? Type::kText
                                                                                     : Type::kInteger;
template <class T>
constexpr Type type_of<std::optional<T>> = type_of<T>;

// Writes an empty text as NULL.
inline void put(Lookup&, Cell& to, Kept value) {
  to.kind = value.text.empty() ? Cell::Kind::kNull : Cell::Kind::kKeptText;
  to.kept = value.text;
}
inline void put(Lookup&, Cell& to, std::string value) {
  to.kind = value.empty() ? Cell::Kind::kNull : Cell::Kind::kText;
  to.text = std::move(value);
}
inline void put(Lookup& lookup, Cell& to, Time value) {
  to.kind = value.ns > 0 ? Cell::Kind::kInteger : Cell::Kind::kNull;
  to.integer = lookup.since(value.ns);
}
template <class T>
  requires(std::is_integral_v<T>)
void put(Lookup&, Cell& to, T value) {
  to.kind = Cell::Kind::kInteger;
  to.integer = static_cast<int64_t>(value);
}
inline void put(Lookup&, Cell& to, double value) {
  to.kind = Cell::Kind::kReal;
  to.real = value;
}
template <class Tag, class Int>
void put(Lookup&, Cell& to, Id<Tag, Int> value) {
  to.kind = value.valid() ? Cell::Kind::kInteger : Cell::Kind::kNull;
  to.integer = static_cast<int64_t>(value.value);
}
template <class T>
void put(Lookup& lookup, Cell& to, std::optional<T> value) {
  if (value) put(lookup, to, std::move(*value));
  else to.kind = Cell::Kind::kNull;
}

template <class Row>
struct Columns {
  std::vector<Column> described;
  std::vector<void (*)(Lookup&, const Row&, Cell&)> makers;
  int time = -1;

  // `Make`: a lambda without captures, value of (Lookup&, const Row&).
  template <class Make>
  Columns& add(const char* name, const char* meaning, Make) {
    using Value = decltype(Make{}(std::declval<Lookup&>(), std::declval<const Row&>()));
    described.push_back({name, type_of<Value>, meaning});
    makers.push_back([](Lookup& lookup, const Row& row, Cell& to) { put(lookup, to, Make{}(lookup, row)); });
    return *this;
  }
  // The column by which chunks are skipped: when rows begin.
  template <class Make>
  Columns& add_start(const char* name, const char* meaning, Make make) {
    time = static_cast<int>(described.size());
    return add(name, meaning, make);
  }
};

// Rows that lie in memory, listed when a statement names the table.
template <class Row>
class ListTable : public Table {
 public:
  using List = std::vector<Row> (*)(Lookup&);
  ListTable(Lookup& lookup, std::string name, std::string meaning, List list, Columns<Row> columns)
      : Table(std::move(name), std::move(meaning)),
        lookup_(lookup),
        list_(list),
        makers_(std::move(columns.makers)) {
    columns_ = std::move(columns.described);
  }
  // Marks lists that need a pass over all events: they are built when rows are read, not when a statement is prepared.
  void set_costly() { is_costly_ = true; }
  uint64_t expected_rows() const override {
    constexpr uint64_t kExpected = 100;
    return list_ && is_costly_ ? kExpected : rows();
  }
  uint64_t rows() const override {
    if (list_) rows_ = std::exchange(list_, nullptr)(lookup_);
    return rows_.size();
  }
  std::unique_ptr<Cursor> open() const override { return std::make_unique<ListCursor>(*this); }

 private:
  struct ListCursor : Cursor {
    explicit ListCursor(const ListTable& t) : table(t) {}
    void go_to(uint64_t to) override { row = to; }
    void read(size_t column, Cell& to) override { table.makers_[column](table.lookup_, table.rows_[row], to); }
    const ListTable& table;
    uint64_t row = 0;
  };
  Lookup& lookup_;
  mutable List list_;
  bool is_costly_ = false;
  mutable std::vector<Row> rows_;
  std::vector<void (*)(Lookup&, const Row&, Cell&)> makers_;
};

template <class Row>
ListTable<Row>& add_list(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to, const char* name,
                         const char* meaning, std::vector<Row> (*list)(Lookup&), Columns<Row> columns) {
  auto table = std::make_unique<ListTable<Row>>(lookup, name, meaning, list, std::move(columns));
  ListTable<Row>& added = *table;
  to.push_back(std::move(table));
  return added;
}

// A row of a chunk.
template <class Chunk>
struct ChunkRow {
  const Chunk* chunk = nullptr;
  size_t at = 0;
  uint64_t row = 0;  // row in the whole table
  decltype(auto) operator*() const { return (*chunk)[at]; }
  auto operator->() const { return &(*chunk)[at]; }
};

// Rows that lie in chunks, which are decoded one after the other.
template <class Chunk>
class ChunkTable : public Table {
 public:
  using Row = ChunkRow<Chunk>;
  ChunkTable(Lookup& lookup, std::string name, std::string meaning, Columns<Row> columns)
      : Table(std::move(name), std::move(meaning)),
        lookup_(lookup),
        store_(lookup.reader.events<Chunk>()),
        makers_(std::move(columns.makers)),
        time_(columns.time) {
    columns_ = std::move(columns.described);
  }
  uint64_t rows() const override { return store_.rows(); }
  std::unique_ptr<Cursor> open() const override { return std::make_unique<ChunkCursor>(*this); }
  int time_column() const override { return time_; }
  uint64_t next_between(uint64_t row, int64_t from, int64_t to) const override {
    const auto& index = store_.index();
    for (size_t n = number_of(row); n < index.size(); ++n) {
      const session::ChunkInfo& chunk = index[n];
      if (lookup_.since(chunk.last_ns) >= from && lookup_.since(chunk.first_ns) < to)
        return std::max(row, chunk.first_row);
    }
    return rows();
  }

 private:
  size_t number_of(uint64_t row) const {
    const auto& index = store_.index();
    const auto after = std::upper_bound(index.begin(), index.end(), row, [](uint64_t r, const session::ChunkInfo& c) {
      return r < c.first_row;
    });
    return static_cast<size_t>(after - index.begin()) - (after == index.begin() ? 0 : 1);
  }
  struct ChunkCursor : Cursor {
    explicit ChunkCursor(const ChunkTable& t) : table(t) {}
    void go_to(uint64_t to) override {
      if (!chunk || to < first || to >= end) {
        const size_t number = table.number_of(to);
        const session::ChunkInfo& info = table.store_.index()[number];
        chunk = table.store_.chunk(number);
        first = info.first_row;
        end = first + info.count;
      }
      row = {chunk.get(), static_cast<size_t>(to - first), to};
    }
    void read(size_t column, Cell& to) override { table.makers_[column](table.lookup_, row, to); }
    const ChunkTable& table;
    std::shared_ptr<const Chunk> chunk;
    uint64_t first = 0, end = 0;
    Row row;
  };
  Lookup& lookup_;
  const session::ChunkStore<Chunk>& store_;
  std::vector<void (*)(Lookup&, const Row&, Cell&)> makers_;
  int time_;
};

template <class Chunk>
void add_chunks(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to, const char* name, const char* meaning,
                Columns<ChunkRow<Chunk>> columns) {
  to.push_back(std::make_unique<ChunkTable<Chunk>>(lookup, name, meaning, std::move(columns)));
}

// A recording may come from anybody, and a list of its rows is to fit into memory.
inline constexpr size_t kMaxListBytes = size_t{256} << 20;
template <class Row>
constexpr size_t kMaxListRows = kMaxListBytes / sizeof(Row);

// Adds a row. Throws when there are more than a statement may list.
template <class Row>
void add_row(std::vector<Row>& rows, Row row, size_t most = kMaxListRows<Row>) {
  if (rows.size() >= most)
    throw Error(ErrorKind::kResourceExhausted,
                "A table of this recording has more than " + std::to_string(most) + " rows: too many to be listed");
  rows.push_back(row);
}

// Pointers to all records of a list.
template <class Record>
std::vector<const Record*> all_of(const std::vector<Record>& records) {
  std::vector<const Record*> out;
  for (const Record& record : records) add_row(out, &record);
  return out;
}

// A record and one element of its list.
template <class Owner, class Element>
struct Within {
  const Owner* of = nullptr;
  const Element* it = nullptr;
};
template <class Owner, class Element>
std::vector<Within<Owner, Element>> all_within(const std::vector<Owner>& owners, std::vector<Element> Owner::*list) {
  std::vector<Within<Owner, Element>> out;
  for (const Owner& owner : owners)
    for (const Element& element : owner.*list) add_row(out, {&owner, &element});
  return out;
}

// The number of a trace among its function's, as it is shown.
inline std::optional<int64_t> number_of(Lookup& lookup, TraceId id) {
  const session::TraceRecord* trace = lookup.trace(id);
  return trace ? std::optional<int64_t>(trace->number) : std::nullopt;
}
// Files may say anything, so the difference may not fit.
inline int64_t length(int64_t start, int64_t end) {
  return end > start ? static_cast<int64_t>(static_cast<uint64_t>(end) - static_cast<uint64_t>(start)) : 0;
}
inline std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) (out += out.empty() ? "" : "; ") += part;
  return out;
}

}  // namespace footlight::sql
