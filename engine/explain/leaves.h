// The leaves of a function's keys over its traces and calls: which values each took, and on which lines.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/explain/words.h"

#include <functional>
#include <optional>
#include <set>
#include <unordered_map>

namespace footlight::explain {

// One path in the keys of all traces made by calls.
struct LeafSeries {
  std::string path, parameter;
  std::vector<const session::KeyLeaf*> leaves;  // of each trace, in order; null where the key has no such path
  std::string name() const { return argument_name(path, parameter); }
};

// In the order of the keys. Without the leaves inside callables: what a callable closes over is no argument.
std::vector<LeafSeries> leaf_series(const FunctionRun& run);

using LeafText = std::function<std::string(const session::KeyLeaf*)>;  // null: the key has no such path
// What `text` says of each trace's leaf, each text once, in order of their traces.
std::vector<std::string> distinct(const LeafSeries& series, const LeafText& text);
// How many different pairs there are of the texts that `a` and `b` give for 0 to `count` - 1, if each text of one goes
// with a single text of the other; nothing if not.
template <class A, class B>
std::optional<size_t> one_to_one(size_t count, A&& a, B&& b) {
  std::unordered_map<std::string, std::string> there, back;
  for (size_t i = 0; i < count; ++i) {
    const std::string x = a(i), y = b(i);
    if (there.emplace(x, y).first->second != y || back.emplace(y, x).first->second != x) return {};
  }
  return there.size();
}
// Whether, from trace to trace, one text changes exactly when the other does, between the same values.
bool change_together(const LeafSeries& a, const LeafSeries& b, const LeafText& text);
using TraceText = std::function<std::string(const session::TraceRecord&)>;
// What `text` says of a trace's leaf at this path.
TraceText at_path(const std::string& path, const LeafText& text);
// How many different texts the calls from one line give by their traces, the most of any line.
size_t most_from_one_line(const Evidence& evidence, const FunctionRun& run, const TraceText& text);
// What the structure at a path holds: paths from there on, kinds of structures, and which are tensors.
struct Contents {
  std::string text;      // "[0] [1]list[2] [1][0] "
  bool tensors = false;  // or variables, objects: more than numbers and texts
};
Contents contents_of(const session::TraceRecord& trace, const std::string& path);
// How many calls give each text.
std::map<std::string, size_t> uses(const FunctionRun& run, const TraceText& text);
// Few, and each is used again after its trace: legitimate (rules 2 and 3).
bool recurring(const std::map<std::string, size_t>& uses, size_t few, size_t often);

}  // namespace footlight::explain
