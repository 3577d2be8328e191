// The run itself: its processes, threads and tracks, its files, what it printed, what could not be recorded.
#include "engine/base/errors.h"
#include "engine/sql/columns.h"

namespace footlight::sql {
namespace {

using namespace session;
using L = Lookup;
using Run = const Contents*;
using File = const FileRecord*;
using Thread = const ThreadRecord*;
using Track = const TrackRecord*;
using Console = const ConsoleRecord*;
using Missing = const DroppedRecord*;

struct Line {
  const FileRecord* file = nullptr;
  int number = 0;
  std::string_view text;
};

constexpr size_t kMaxLines = 2'000'000;

std::vector<Line> lines(L& l) {
  std::vector<Line> out;
  for (const FileRecord& f : l.reader.contents().files) {
    std::string_view rest = f.text;
    for (int number = 1; !rest.empty(); ++number) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (out.size() == kMaxLines) throw Error(ErrorKind::kResourceExhausted, "its files have too many lines");
      out.push_back({&f, number, rest.substr(0, end)});
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  return out;
}

Columns<Run> run_columns() {
  Columns<Run> c;
  c.add("script", "what was run", [](L&, const Run& r) { return Kept{r->run.script}; });
  c.add("arguments", "of the script", [](L&, const Run& r) { return joined(r->run.arguments); });
  c.add("working_directory", "where it was run", [](L&, const Run& r) { return Kept{r->run.working_directory}; });
  c.add("python", "version and executable", [](L&, const Run& r) { return Kept{r->run.python}; });
  c.add("engine", "that recorded it", [](L&, const Run& r) { return Kept{r->run.engine}; });
  c.add("machine", "that it ran on", [](L&, const Run& r) { return Kept{r->run.machine}; });
  c.add("started_ns", "when, since 1970", [](L&, const Run& r) { return r->run.started_ns; });
  c.add("first_ns", "the time from which other tables count, since 1970", [](L& l, const Run&) { return l.origin; });
  c.add("last_ns", "the last time of anything recorded", [](L& l, const Run&) { return Time{l.reader.last_time()}; });
  c.add("exit_code", "of the script; NULL: it has not ended",
        [](L&, const Run& r) { return r->end ? std::optional(r->end->exit_code) : std::nullopt; });
  c.add("signal", "that ended it",
        [](L&, const Run& r) { return r->end ? std::optional(r->end->signal) : std::nullopt; });
  c.add("ended", "how it ended", [](L&, const Run& r) { return r->end ? r->end->reason : std::string(); });
  return c;
}

Columns<File> file_columns() {
  Columns<File> c;
  c.add("file", "its path", [](L& l, const File& r) { return l.names.path(r->id); });
  c.add("path", "its whole path", [](L&, const File& r) { return Kept{r->path}; });
  c.add("bytes", "its size", [](L&, const File& r) { return r->text.size(); });
  return c;
}

Columns<Line> line_columns() {
  Columns<Line> c;
  c.add("file", "its path", [](L& l, const Line& r) { return l.names.path(r.file->id); });
  c.add("line", "from 1", [](L&, const Line& r) { return r.number; });
  c.add("source", "train.py:14", [](L& l, const Line& r) {
    return l.names.path(r.file->id) + ':' + std::to_string(r.number);
  });
  c.add("text", "as it was when it ran", [](L&, const Line& r) { return Kept{r.text}; });
  return c;
}

Columns<Thread> thread_columns() {
  Columns<Thread> c;
  c.add("thread", "its name", [](L& l, const Thread& r) { return l.names.thread(r->number); });
  c.add("thread_id", "its number, in the order in which threads began", [](L&, const Thread& r) { return r->number; });
  c.add("system_thread", "as the system knows it", [](L&, const Thread& r) { return r->system_id; });
  c.add("process", "whose thread it is", [](L&, const Thread& r) { return r->process; });
  return c;
}

Columns<Track> track_columns() {
  Columns<Track> c;
  c.add("track", "what is shown", [](L&, const Track& r) { return Kept{r->name}; });
  c.add("track_id", "spans and counters name it so", [](L&, const Track& r) { return r->id; });
  c.add("parent_id", "the track that it stands under", [](L&, const Track& r) { return r->parent; });
  c.add("kind", "thread, stage, queue, memory, counter", [](L&, const Track& r) { return Kept{r->kind}; });
  c.add("source", "train.py:14", [](L& l, const Track& r) { return Kept{l.names.place(r->source)}; });
  return c;
}

Columns<Console> console_columns() {
  Columns<Console> c;
  c.add("time_ns", "when it was printed", [](L&, const Console& r) { return Time{r->time_ns}; });
  c.add("stream", "stdout, stderr, tf.print, note", [](L&, const Console& r) { return Kept{query::word(r->stream)}; });
  c.add("text", "what was printed", [](L&, const Console& r) { return Kept{r->text}; });
  return c;
}

Columns<Missing> missing_columns() {
  Columns<Missing> c;
  c.add("what", "op events, calls, records", [](L&, const Missing& r) { return Kept{r->what}; });
  c.add("why", "it was not recorded", [](L&, const Missing& r) { return Kept{r->why}; });
  c.add("count", "how many", [](L&, const Missing& r) { return r->count; });
  return c;
}

// Names and meanings of all columns, itself included.
class ColumnsTable : public Table {
 public:
  explicit ColumnsTable(const std::vector<std::unique_ptr<Table>>& all)
      : Table("columns", "The columns of all tables."), all_(all) {
    for (const char* const name : {"table_name", "column_name", "type", "meaning"})
      columns_.push_back({name, Type::kText, ""});
    columns_[0].meaning = "the table";
    columns_[1].meaning = "the column";
    columns_[2].meaning = "INTEGER, REAL, TEXT";
    columns_[3].meaning = "what it says";
  }
  uint64_t rows() const override {
    uint64_t count = 0;
    for (const auto& table : all_) count += table->columns().size();
    return count;
  }
  std::unique_ptr<Cursor> open() const override { return std::make_unique<NamesCursor>(all_); }

 private:
  struct NamesCursor : Cursor {
    explicit NamesCursor(const std::vector<std::unique_ptr<Table>>& a) : all(a) {}
    void go_to(uint64_t row) override {
      for (const auto& t : all) {
        if (row < t->columns().size()) {
          table = t.get();
          column = &t->columns()[row];
          return;
        }
        row -= t->columns().size();
      }
    }
    void read(size_t which, Cell& to) override {
      constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
      to.kind = Cell::Kind::kKeptText;
      to.kept = which == 0   ? std::string_view(table->name())
                : which == 1 ? std::string_view(column->name)
                : which == 2 ? std::string_view(kTypes[static_cast<size_t>(column->type)])
                             : std::string_view(column->meaning);
    }
    const std::vector<std::unique_ptr<Table>>& all;
    const Table* table = nullptr;
    const Column* column = nullptr;
  };
  const std::vector<std::unique_ptr<Table>>& all_;
};

}  // namespace

void add_run_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  add_list<Run>(lookup, to, "run", "What was run, on what, and how it ended; one row.",
                [](L& l) { return std::vector<Run>{&l.reader.contents()}; }, run_columns());
  add_list<File>(lookup, to, "files", "Source files, as they were when they ran.",
                 [](L& l) { return all_of(l.reader.contents().files); }, file_columns());
  add_list<Line>(lookup, to, "lines", "The lines of those files.", lines, line_columns());
  add_list<Thread>(lookup, to, "threads", "Threads that ran ops or calls.",
                   [](L& l) { return all_of(l.reader.contents().threads); }, thread_columns());
  add_list<Track>(lookup, to, "tracks", "Rows of the timeline on which spans and counters lie.",
                  [](L& l) { return all_of(l.reader.contents().tracks); }, track_columns());
  add_list<Console>(lookup, to, "console", "What the run printed, and notes of Footlight's.",
                    [](L& l) { return all_of(l.reader.contents().console); }, console_columns());
  add_list<Missing>(lookup, to, "missing", "What was not recorded, and why.",
                    [](L& l) { return all_of(l.reader.contents().dropped); }, missing_columns());
  to.push_back(std::make_unique<ColumnsTable>(to));
}

void add_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  add_program_tables(lookup, to);
  add_event_tables(lookup, to);
  add_total_tables(lookup, to);
  add_graph_tables(lookup, to);
  add_run_tables(lookup, to);
}

}  // namespace footlight::sql
