// Reads a finished session: plain tables into records, the index of the chunks, and chunks on request.
#include "engine/session/budget.h"
#include "engine/session/chunk_store.h"
#include "engine/session/database.h"
#include "engine/session/open.h"
#include "engine/session/read_only_file.h"

#include <algorithm>

namespace footlight::session {
namespace {

class DatabaseReader final : public Reader {
  static Budget begun(ReadOptions options, const ReadOnlyFile& file) {
    Budget budget(std::move(options));
    budget.begin(file.stored());
    return budget;
  }
  // SQLite only reports that it was interrupted; the budget knows why.
  template <class Read>
  auto limited(Read&& read) {
    try {
      return read();
    } catch (const Error&) {
      budget_.check();
      throw;
    }
  }

 public:
  DatabaseReader(std::unique_ptr<ReadOnlyFile> file, std::string left_beside, ReadOptions options)
      : file_(std::move(file)),
        budget_(begun(std::move(options), *file_)),
        db_(Database::open_untrusted(*file_, budget_)),
        lazy_(stores(std::make_index_sequence<kChunkKinds>())) {
    std::apply([this](auto&... store) { stores_ = {&store...}; }, lazy_);
    limited([&] {
      check_version();
      read_tables();
      for_each_chunk_kind([&]<class Chunk, size_t I>() { index(std::get<I>(lazy_), I); });
    });
    state_ = contents_.end ? State::kFinished : State::kKilled;
    left_out_ = words_for(unknown_);
    damage_ = std::move(left_beside);
    if (const std::string words = budget_.left_out_words(); !words.empty())
      damage_ += (damage_.empty() ? "" : "; ") + words;
  }

  Changes refresh() override { return {}; }

 private:
  void check_version() {
    Statement application = db_.prepare("PRAGMA application_id");
    if (!application.step() || application.integer(0) != kApplicationId)
      throw Error(ErrorKind::kDataLoss, "an SQLite file, but not a recording");
    Statement version = db_.prepare("PRAGMA user_version");
    version_ = version.step() ? static_cast<int>(version.integer(0)) : 0;
    if (version_ < 1) throw_broken("it says version " + std::to_string(version_));
    if (version_ < 3) return;
    if (columns_of("meta").columns.size() < 2) throw_broken("table meta is missing");
    Statement meta = db_.prepare("SELECT value FROM meta WHERE key=?");
    const auto look_up = [&](const char* key) {
      meta.reset();
      meta.bind(1, Value{Value::Type::kText, 0, key});
      return meta.step();
    };
    if (look_up("readable_from")) refuse_newer(version_, static_cast<int>(meta.integer(0)));
    // Tables describe their own columns; the layout describes chunks and enumerations.
    if (!look_up("layout")) return;
    for (const Layout::Table& table : parse_layout(meta.column(0).bytes).tables) {
      if (table.chunk) bind_chunk(table, unknown_);
      else bind(table, unknown_);
    }
  }

  // The columns of a plain table: no view, no virtual table, no computed column. Empty: there is no such table.
  Layout::Table columns_of(const std::string& name) {
    Layout::Table table{name, {}, false};
    Statement kind = db_.prepare("SELECT count(*) FROM sqlite_schema WHERE name=? AND type='table' AND "
                                 "sql LIKE 'CREATE TABLE %'");
    kind.bind(1, Value{Value::Type::kText, 0, name});
    if (!kind.step() || kind.integer(0) != 1) return table;
    Statement info = db_.prepare("SELECT name, hidden FROM pragma_table_xinfo(?)");
    info.bind(1, Value{Value::Type::kText, 0, name});
    while (info.step()) {
      if (info.integer(1) != 0) throw_broken("table " + name + " is computed");
      table.columns.push_back({std::string(info.column(0).bytes), 0});
    }
    return table;
  }

  void read_tables() {
    std::vector<std::string> others;
    Statement names = db_.prepare("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'");
    while (names.step()) others.emplace_back(names.column(0).bytes);
    const auto& tables = schema().tables;
    for (size_t i = 0; i < tables.size(); ++i) {
      std::erase(others, tables[i].name);
      if (i < schema().first_chunk_table) read(tables[i]);
    }
    for (const std::string& name : others)
      if (!name.ends_with("_summary")) unknown_.push_back("table " + name);
  }

  // The table with those of its columns that are known here, in our order.
  Binding select_list(const TableSchema& table, std::string& list) {
    const Layout::Table has = columns_of(table.name);
    if (has.columns.empty()) {
      // A table that is new in a version may be newer than a file of that same version.
      if (table.since == 1 && version_ <= kVersion) throw_broken("table " + table.name + " is missing");
      return {};
    }
    Binding binding = bind(has, unknown_);
    if (binding.table < 0) throw_broken("table " + table.name + " has other columns");
    binding.width = 0;
    for (int16_t& place : binding.columns) {
      if (place < 0) continue;
      list += (list.empty() ? "\"" : ",\"") + has.columns[static_cast<size_t>(place)].name + '"';
      place = static_cast<int16_t>(binding.width++);
    }
    return binding;
  }

  void read(const TableSchema& table) {
    std::string list;
    const Binding binding = select_list(table, list);
    if (binding.table < 0 || list.empty()) return;
    Statement select = db_.prepare("SELECT " + list + " FROM " + table.name);
    std::vector<Value> values(binding.width);
    while (select.step()) {
      uint64_t text_bytes = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = select.column(static_cast<int>(i));
        text_bytes += values[i].bytes.size();
      }
      budget_.row(text_bytes);
      index_->add(binding, values);
      budget_.records(index_->rows(), index_->bytes());
    }
  }

  template <class Store>
  void index(Store& store, size_t kind) {
    const TableSchema& table = schema().tables[schema().first_chunk_table + kind];
    const Layout::Table has = columns_of(table.name);
    if (has.columns.empty()) {
      if (table.since == 1 && version_ <= kVersion) throw_broken("table " + table.name + " is missing");
      return;
    }
    for (const char* column : {"id", "first_ns", "last_ns", "count", "data"})
      if (std::none_of(has.columns.begin(), has.columns.end(), [&](const auto& c) { return c.name == column; }))
        throw_broken("table " + table.name + " has other columns");
    Statement select = db_.prepare("SELECT id,first_ns,last_ns,count,length(data) FROM " + table.name);
    const Binding binding{0, 3, {0, 1, 2, -1}};
    while (select.step()) {
      const Value values[] = {select.column(1), select.column(2), select.column(3)};
      const int64_t bytes = select.column(4).type == Value::Type::kInteger ? select.integer(4) : 0;
      budget_.row(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
      const ChunkInfo info = decode_chunk_row(values, binding).info;
      if (info.count > kMaxChunkRows || budget_.events(info.count)) store.add(info, select.integer(0), 0);
    }
  }

  template <size_t... I>
  LazyStores stores(std::index_sequence<I...>) {
    return LazyStores(fetch(I)...);
  }
  std::function<std::string(const ChunkPlace&)> fetch(size_t kind) {
    const std::string& table = schema().tables[schema().first_chunk_table + kind].name;
    return [this, sql = "SELECT data FROM " + table + " WHERE id=?"](const ChunkPlace& place) {
      std::lock_guard lock(mutex_);
      budget_.begin(file_->stored());
      return limited([&] {
        Statement select = db_.prepare(sql);
        select.bind(1, place.at);
        if (!select.step()) throw_broken("a chunk is missing");
        return std::string(select.column(0).bytes);
      });
    };
  }

  std::unique_ptr<ReadOnlyFile> file_;
  Budget budget_;
  Database db_;
  std::mutex mutex_;  // chunks are fetched from any thread
  LazyStores lazy_;
  std::vector<std::string> unknown_;
};

}  // namespace

bool is_database(std::string_view first_bytes) {
  return first_bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

// SQLite itself would only notice when the missing part is read.
static void check_length(const ReadOnlyFile& file) {
  char header[100];
  if (file.read(header, sizeof header, 0) != sizeof header) throw_broken("the file is cut off");
  const auto byte = [&](size_t i) { return int64_t{static_cast<unsigned char>(header[i])}; };
  const int64_t page = byte(16) << 8 | byte(17);
  const int64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
  if (pages * (page == 1 ? 65536 : page) > file.size()) throw_broken("the file is cut off");
}

std::unique_ptr<Reader> open_database(const std::string& path, Descriptor file, ReadOptions options) {
  auto read_only = std::make_unique<ReadOnlyFile>(std::move(file));
  std::string left_out = read_only->take_side_files(path);
  check_length(*read_only);
  return std::make_unique<DatabaseReader>(std::move(read_only), std::move(left_out), std::move(options));
}

}  // namespace footlight::session
