// The run itself: its processes, threads and tracks, its files, what it printed, what could not be recorded.
#include "engine/base/place.h"
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

std::vector<Line> lines(L& l) {
  std::vector<Line> out;
  for (const FileRecord& f : l.reader.contents().files) {
    std::string_view rest = f.text;
    for (int number = 1; !rest.empty(); ++number) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      add_row(out, {&f, number, rest.substr(0, end)});
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  return out;
}

Columns<Run> run_columns() {
  Columns<Run> c;
  c.add("script", "Path of the script", [](L&, const Run& r) { return Kept{r->run.script}; });
  c.add("arguments", "Arguments of the script", [](L&, const Run& r) { return joined(r->run.arguments); });
  c.add("working_directory", "Working directory of the run",
        [](L&, const Run& r) { return Kept{r->run.working_directory}; });
  c.add("python", "Version and path of the Python interpreter", [](L&, const Run& r) { return Kept{r->run.python}; });
  c.add("engine", "Name and version of the engine", [](L&, const Run& r) { return Kept{r->run.engine}; });
  c.add("machine", "Machine that it ran on", [](L&, const Run& r) { return Kept{r->run.machine}; });
  c.add("started_ns", "Start of the script, in ns since 1970", [](L&, const Run& r) { return r->run.started_ns; });
  c.add("first_ns", "Time from which the other tables count, in ns since 1970",
        [](L& l, const Run&) { return l.origin; });
  c.add("last_ns", "Time of the last thing that was recorded",
        [](L& l, const Run&) { return Time{l.reader.last_time()}; });
  c.add("exit_code", "Exit code of the script; NULL while it runs",
        [](L&, const Run& r) { return r->end ? std::optional(r->end->exit_code) : std::nullopt; });
  c.add("signal", "Signal that ended it, else 0",
        [](L&, const Run& r) { return r->end ? std::optional(r->end->signal) : std::nullopt; });
  c.add("ended", "How it ended, in words", [](L&, const Run& r) { return r->end ? r->end->reason : std::string(); });
  return c;
}

Columns<File> file_columns() {
  Columns<File> c;
  c.add("file", "Path of the file, below the working directory where it lies there",
        [](L& l, const File& r) { return l.names.path(r->id); });
  c.add("path", "Absolute path of the file", [](L&, const File& r) { return Kept{r->path}; });
  c.add("bytes", "Size in bytes", [](L&, const File& r) { return r->text.size(); });
  return c;
}

Columns<Line> line_columns() {
  Columns<Line> c;
  c.add("file", "Path of the file, below the working directory where it lies there",
        [](L& l, const Line& r) { return l.names.path(r.file->id); });
  c.add("line", "Number of the line, from 1", [](L&, const Line& r) { return r.number; });
  c.add("source", "Line of the program, such as train.py:14", [](L& l, const Line& r) {
    return place_text_with_path(l.names.path(r.file->id), r.number);
  });
  c.add("text", "Text of the line when the program ran", [](L&, const Line& r) { return Kept{r.text}; });
  return c;
}

Columns<Thread> thread_columns() {
  Columns<Thread> c;
  c.add("thread", "Name of the thread", [](L& l, const Thread& r) { return l.names.thread(r->number); });
  c.add("thread_id", "Number of the thread, in the order in which threads began",
        [](L&, const Thread& r) { return r->number; });
  c.add("system_thread", "Number of the thread, as the system counts",
        [](L&, const Thread& r) { return r->system_id; });
  c.add("process", "Number of the process that it belongs to", [](L&, const Thread& r) { return r->process; });
  return c;
}

Columns<Track> track_columns() {
  Columns<Track> c;
  c.add("track", "Name of the track", [](L&, const Track& r) { return Kept{r->name}; });
  c.add("track_id", "Number of the track, as in the tables spans and counters",
        [](L&, const Track& r) { return r->id; });
  c.add("parent_id", "Number of the track under which it stands", [](L&, const Track& r) { return r->parent; });
  c.add("kind", "Kind of track: thread, stage, queue, memory or counter",
        [](L&, const Track& r) { return Kept{r->kind}; });
  c.add("source", "Line of the program, such as train.py:14",
        [](L& l, const Track& r) { return Kept{l.names.place(r->source)}; });
  return c;
}

Columns<Console> console_columns() {
  Columns<Console> c;
  c.add("time_ns", "When it was printed", [](L&, const Console& r) { return Time{r->time_ns}; });
  c.add("stream", "Where it was printed: stdout, stderr, tf.print or note",
        [](L&, const Console& r) { return Kept{query::word(r->stream)}; });
  c.add("text", "Text that was printed", [](L&, const Console& r) { return Kept{r->text}; });
  return c;
}

Columns<Missing> missing_columns() {
  Columns<Missing> c;
  c.add("what", "What is missing: op events, calls or records", [](L&, const Missing& r) { return Kept{r->what}; });
  c.add("why", "Why it was not recorded", [](L&, const Missing& r) { return Kept{r->why}; });
  c.add("count", "How many are missing", [](L&, const Missing& r) { return r->count; });
  return c;
}

// Names and meanings of all columns, itself included.
class ColumnsTable : public Table {
 public:
  explicit ColumnsTable(const std::vector<std::unique_ptr<Table>>& all)
      : Table("columns", "The columns of all tables."), all_(all) {
    for (const char* const name : {"table_name", "column_name", "type", "meaning"})
      columns_.push_back({name, Type::kText, ""});
    columns_[0].meaning = "Name of the table";
    columns_[1].meaning = "Name of the column";
    columns_[2].meaning = "Type of its values: INTEGER, REAL or TEXT";
    columns_[3].meaning = "What the column says";
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
