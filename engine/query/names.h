// Turns ids of a recording into text for exports and SQL.
#pragma once

#include "engine/session/reader.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace footlight::query {

// Texts stay valid as long as this object.
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
  const std::string& place(session::Reader::SourcePlace);
  std::string path(session::FileId file) const;
  // The function and trace that a graph belongs to, if one names it.
  const session::TraceRecord* trace_of(GraphId graph);

 private:
  const session::Reader& reader_;
  std::unordered_map<uint64_t, std::string> places_, locations_, lines_;
  std::unordered_map<GraphId, const session::TraceRecord*> traces_;
};

// "scale" of "Dataset_map_scale", which names what a dataset runs; "<lambda>" of "make.<locals>.<lambda>".
std::string_view written_name(std::string_view name);
bool is_lambda(std::string_view written_name);
// The name of a function as the window shows it: the recorded one; of a lambda its text, or its place where that is not
// known. `line`: the text of the line of its definition; `place`: "train.py:14".
std::string function_title(const session::FunctionRecord& function, std::string_view line, const std::string& place);

// The index of the process that gave an id (engine/session/describe.h).
template <class Tag, class Int>
uint32_t process_of(Id<Tag, Int> id) {
  return id.valid() ? static_cast<uint32_t>(id.value >> session::kProcessShift<Int>) : 0;
}

// An enumerator's name; a file may hold values that have no name.
template <class E>
std::string_view word(E value) {
  using session::enumerators;
  const std::span<const char* const> names = enumerators(value);
  const auto at = static_cast<size_t>(value);
  return at < names.size() ? names[at] : "unknown";
}

}  // namespace footlight::query
