// The leaves of a function's keys over its traces and calls: which values each took, and on which lines.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/explain/words.h"

#include <functional>
#include <set>

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
// The different texts that calls from one line pass, the most of any line.
size_t most_from_one_line(const Evidence& evidence, const FunctionRun& run, const std::string& path,
                          const LeafText& text);
// How many calls pass each text.
std::map<std::string, size_t> uses(const FunctionRun& run, const std::string& path, const LeafText& text);
// Few, and each is used again after its trace: legitimate (rules 2 and 3).
bool recurring(const std::map<std::string, size_t>& uses, size_t few, size_t often);
// Each text is passed by calls in a row, and never again once there is another.
bool one_after_the_other(const FunctionRun& run, const std::string& path, const LeafText& text);

}  // namespace footlight::explain
