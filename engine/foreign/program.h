// Writes a program from a text file as functions, traces and graphs of a recording in which nothing ran.
#pragma once

#include "engine/foreign/builder.h"
#include "engine/foreign/input.h"
#include "engine/session/writer.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::foreign {

// The arguments of an importer: the file that it reads, and the writers that it fills.
struct Import {
  const Source& source;
  session::Writer& writer;
  Builder& builder;
  FileFacts& facts;
  Progress& progress;
};

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class T>
using ByName = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

// A graph that is being read, with the values of its nodes by name.
struct TextGraph {
  session::GraphRecord record;
  ByName<session::EdgeRecord> values;
  int line = 0;  // of the text, where it begins

  // Adds a node, which gives the value of its name.
  session::NodeRecord& add(std::string name, std::string op, std::string family, LocationNumber location);
  // Makes an edge to the last node where the value is known; false: it is not.
  bool take(std::string_view value);
};

// A function, computation or module of a text by its name there, known before its graph is read.
struct NamedGraph {
  GraphId graph;
  std::string signature;
  int line = 0;            // of the text, where it begins
  bool is_called = false;  // by another one in the text
  bool is_entry = false;
};
// All of a text, in its order.
class NamedGraphs {
 public:
  // Null: one before it has the same name.
  NamedGraph* add(std::string_view name);
  NamedGraph* find(std::string_view name);
  bool empty() const { return in_order_.empty(); }

 private:
  friend class Program;
  ByName<NamedGraph> by_name_;
  std::vector<std::string> in_order_;
};

class Program {
 public:
  explicit Program(const Import& import) : import_(import) {}

  // The text of a file that the importer read, which the Source view then shows, if it is small enough.
  session::FileId own_text(std::string_view text);
  // The place of a line of that text; kNoLocation where the text is not kept.
  LocationNumber own_line(int line, std::string_view function);

  GraphId new_graph() { return GraphId(++graphs_); }
  void add(TextGraph&& graph);
  TraceId new_trace() { return TraceId(++traces_); }
  // Each returns the record's number. A trace that has a number keeps it.
  FunctionId add(session::FunctionRecord function);
  TraceId add(session::TraceRecord trace);
  // Adds a function whose only trace has that graph at that stage, and the text that it was read from.
  void add_function(std::string_view name, int line, std::string_view signature, std::string_view stage, GraphId graph,
                    const session::ArtifactRecord& text);
  // Adds as functions the entry, under the module's name if it has one, and then all that nothing in the text calls.
  void add_functions(const NamedGraphs& graphs, std::string_view module, std::string_view stage,
                     const session::ArtifactRecord& text);
  const Import& import() const { return import_; }
  Locations& locations() { return import_.builder.locations(); }

 private:
  static constexpr size_t kMaxKept = 4 << 20;
  const Import& import_;
  session::FileId file_;
  std::string_view path_;
  uint32_t functions_ = 0, traces_ = 0, graphs_ = 0;
  uint64_t nodes_ = 0;
  bool keeps_text_ = false;
};

// The text as an artifact of a trace, or why it is not kept.
session::ArtifactRecord text_artifact(std::string_view name, std::string_view kind, std::string_view text);
// The signature of a graph: its inputs with their types.
std::string signature_of(const session::GraphRecord& graph);

// The most bytes of a program's text that an importer reads.
constexpr size_t kMaxProgramText = size_t{512} << 20;

}  // namespace footlight::foreign
