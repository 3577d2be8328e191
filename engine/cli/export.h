// What the formats of `footlight export` share. Each is a function that reads a session and writes into an Output; all
// of them read chunk by chunk.
#pragma once

#include "engine/cli/export_output.h"
#include "engine/session/reader.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::cli {

// What export_* are given; they throw Error.
struct Export {
  const session::Reader& reader;
  Output& out;
  Progress& progress;
  std::string session;      // the path, for messages
  std::string table = {};   // of --table
  std::string graph = {};   // of --graph
};

void export_chrome(const Export& what);
void export_perfetto(const Export& what);
void export_csv(const Export& what);
void export_dot(const Export& what);
void export_svg(const Export& what);

// For messages and the help: "ops, calls, ...".
std::string csv_tables();
// The graph that --graph chose, in Graphviz' language. `sparse`: most edges of nodes with many are left out and named
// in the labels instead, because Graphviz may take minutes for them.
std::string dot_text(const Export& what, bool sparse);
// The graph that --graph chose as a picture; throws Error if Graphviz is missing or takes too long.
std::string svg_text(const Export& what);

// What ids stand for, as text. Texts stay valid as long as this object.
class Names {
 public:
  explicit Names(const session::Reader& reader) : reader_(reader) {}

  std::string op(session::OpNumber op) const;
  std::string function(FunctionId id) const;
  std::string trace_number(TraceId id) const;                // "#2"; "": no trace
  std::string thread(session::ThreadId id) const;
  std::string device(session::DeviceNumber number) const;
  const session::NodeRecord* node(GraphId graph, NodeId node) const;
  // "train.py:14", with the path below the run's folder; "": unknown. `location` is for where there is no code object.
  const std::string& place(SourceRef source, session::LocationId location = {});
  std::string path(session::FileId file) const;
  // The function and trace that a graph belongs to, if one names it.
  const session::TraceRecord* trace_of(GraphId graph);

 private:
  const session::Reader& reader_;
  std::unordered_map<uint64_t, std::string> places_, locations_;
  std::unordered_map<GraphId, const session::TraceRecord*> traces_;
};

// The index of the process that gave an id (engine/session/describe.h).
template <class Tag, class Int>
uint32_t process_of(Id<Tag, Int> id) {
  return id.valid() ? static_cast<uint32_t>(id.value >> session::kProcessShift<Int>) : 0;
}

// An enumerator's name; a file may hold values that there are none for.
template <class E>
std::string_view word(E value) {
  using session::enumerators;
  const std::span<const char* const> names = enumerators(value);
  const auto at = static_cast<size_t>(value);
  return at < names.size() ? names[at] : "unknown";
}

}  // namespace footlight::cli
