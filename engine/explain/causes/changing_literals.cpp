// Finds literal leaves that take many values, and the leaves that change together with them.
#include "engine/explain/causes/changing_literals.h"

#include "engine/explain/edits.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

bool is_number_or_text(const KeyLeaf& leaf) {
  return leaf.kind == "literal" && (leaf.type == "int" || leaf.type == "float" || leaf.type == "complex" ||
                                    leaf.type == "str" || leaf.type == "bytes");
}

// What a callable closes over is not an argument itself.
bool inside_callable(const TraceRecord& trace, const KeyLeaf& leaf) {
  return std::any_of(trace.key.begin(), trace.key.end(), [&](const KeyLeaf& outer) {
    return outer.kind == "callable" && leaf.path.size() > outer.path.size() && leaf.path.starts_with(outer.path) &&
           (leaf.path[outer.path.size()] == '.' || leaf.path[outer.path.size()] == '[');
  });
}

// In the order of the keys.
std::vector<std::string> literal_paths(const FunctionRun& run) {
  std::vector<std::string> found;
  for (const TraceRecord* t : run.traces) {
    for (const KeyLeaf& leaf : t->key) {
      if (is_number_or_text(leaf) && !inside_callable(*t, leaf) &&
          std::find(found.begin(), found.end(), leaf.path) == found.end())
        found.push_back(leaf.path);
    }
  }
  return found;
}

std::string value_at(const TraceRecord& t, const std::string& path) {
  const KeyLeaf* leaf = leaf_at(t, path);
  return leaf ? leaf->type + ' ' + leaf->value : std::string();
}

using Traces = std::vector<const TraceRecord*>;

// The calls that pass a value for the parameter at a path, and the traces that served them. A call whose line does not
// show its arguments counts as one of them.
struct Passed {
  using Instruction = std::pair<CodeId, uint32_t>;
  std::set<Instruction> left_out;  // of the calls that leave the parameter out
  Traces traces;  // in order
  bool contains(const FunctionRun::Step& step) const {
    return left_out.empty() || !left_out.contains({step.source.code, step.source.offset});
  }
};

Passed passed_at(const Evidence& evidence, const FunctionRun& run, const std::string& path) {
  Passed passed;
  std::string parameter;
  for (const TraceRecord* t : run.traces)
    if (const KeyLeaf* leaf = leaf_at(*t, path); leaf && parameter.empty()) parameter = leaf->parameter;
  std::set<Passed::Instruction> known;
  std::unordered_set<const TraceRecord*> used;
  for (const FunctionRun::Step& step : run.steps) {
    const Passed::Instruction call{step.source.code, step.source.offset};
    if (evidence.line(step.source) && known.insert(call).second &&
        is_written(evidence, run, step.source, path, parameter) == Written::kNo)
      passed.left_out.insert(call);
    if (passed.contains(step)) used.insert(step.trace);
  }
  for (const TraceRecord* t : run.traces)
    if (run.steps.empty() || used.contains(t)) passed.traces.push_back(t);
  return passed;
}

std::vector<std::string> values_of(const Traces& traces, const std::string& path) {
  std::vector<std::string> values;
  std::unordered_set<std::string_view> known;
  for (const TraceRecord* t : traces) {
    const KeyLeaf* leaf = leaf_at(*t, path);
    if (leaf && is_number_or_text(*leaf) && known.insert(leaf->value).second) values.push_back(leaf->value);
  }
  return values;
}

// Whether each trace served several calls after the one that made it.
bool are_often_used(const FunctionRun& run) {
  constexpr size_t kOften = 3;
  std::map<TraceId, size_t> calls;
  for (const FunctionRun::Step& step : run.steps)
    if (step.call) ++calls[step.trace->id];
  return std::ranges::all_of(run.traces, [&](const TraceRecord* t) { return calls[t->id] > kOften; });
}

// Each value of one always goes with the same value of the other.
bool change_together(const Traces& traces, const std::string& a, const std::string& b) {
  const auto values = [&](const std::string& path) {
    return [&](size_t i) { return value_at(*traces[i], path); };
  };
  return one_to_one(traces.size(), values(a), values(b)).value_or(0) > 1;
}

// "args[0][1]" and "args[0][2]": items of the same list.
bool in_one_list(const std::string& a, const std::string& b) {
  const size_t x = a.rfind('['), y = b.rfind('[');
  return x == y && x > std::string("args").size() && a.compare(0, x, b, 0, x) == 0;
}

// The widest type among its values.
std::string type_of(const Traces& traces, const std::string& path) {
  static constexpr const char* kTypes[] = {"int", "float", "complex", "bytes", "str"};
  size_t widest = 0;
  for (const TraceRecord* t : traces)
    if (const KeyLeaf* leaf = leaf_at(*t, path))
      for (size_t i = 0; i < std::size(kTypes); ++i)
        if (leaf->type == kTypes[i]) widest = std::max(widest, i);
  return kTypes[widest];
}

}  // namespace

std::vector<ChangingLiteral> changing_literals(const Evidence& evidence, const FunctionRun& run) {
  std::vector<ChangingLiteral> found;
  if (run.traces.size() < 2) return found;
  std::vector<std::string> candidates = literal_paths(run);
  // A finding about leaves that change together is named after the one with most values.
  std::map<std::string, size_t> values;
  for (const std::string& path : candidates) values[path] = values_of(run.traces, path).size();
  std::ranges::stable_sort(candidates, std::greater(), [&](const std::string& path) { return values[path]; });
  std::set<std::string> taken;
  std::map<std::string, Passed> known;  // by argument
  for (const std::string& path : candidates) {
    if (taken.count(path)) continue;
    const auto [at, added] = known.try_emplace(path.substr(0, path.find(']') + 1));
    if (added) at->second = passed_at(evidence, run, path);
    const Passed& passed = at->second;
    ChangingLiteral literal;
    Finding& f = literal.candidate.finding;
    f.values = values_of(passed.traces, path);
    if (f.values.size() < kManyValues) {
      if (f.values.size() < 2) continue;
      literal.candidate.variants = are_often_used(run);
      literal.candidate.fewest = kManyValues - 1;  // what a number with five values would cost
    }
    f.path = path;
    std::set<std::string>& paths = literal.candidate.paths;
    paths.insert(path);
    for (const std::string& other : candidates) {
      if (other == path || taken.count(other)) continue;
      const bool varies = values_of(passed.traces, other).size() > 1;
      if (!change_together(passed.traces, path, other) && !(varies && in_one_list(path, other))) continue;
      f.also_paths.push_back(other);
      paths.insert(other);
    }
    if (!passed.left_out.empty())
      literal.written = [passed](const FunctionRun::Step& step) { return passed.contains(step); };
    literal.type = type_of(passed.traces, path);
    for (const TraceRecord* t : run.traces)
      if (const KeyLeaf* leaf = leaf_at(*t, path); leaf && f.parameter.empty()) f.parameter = leaf->parameter;
    literal.places = places_of(evidence, run, paths);
    taken.insert(paths.begin(), paths.end());
    found.push_back(std::move(literal));
  }
  return found;
}

std::string few_text(const ChangingLiteral& literal) {
  const Finding& f = literal.candidate.finding;
  if (f.values.size() >= kManyValues) return {};
  const bool is_text = literal.type == "str" || literal.type == "bytes";
  return argument_name(f.path, f.parameter) + (is_text ? " is a Python string" : " is a Python number") + " with " +
         with_commas(f.values.size()) + " values";
}

std::string values_text(const Finding& f) {
  return f.path + ": " + with_commas(f.values.size()) + " values, " + progression(f.values);
}

}  // namespace footlight::explain
