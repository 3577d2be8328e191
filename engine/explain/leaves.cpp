// Collects the leaves of keys by path.
#include "engine/explain/leaves.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::explain {

using session::KeyLeaf;
using session::TraceRecord;

std::vector<LeafSeries> leaf_series(const FunctionRun& run) {
  std::vector<LeafSeries> all;
  std::unordered_map<std::string, size_t> at;
  for (size_t i = 0; i < run.traces.size(); ++i) {
    const std::string* callable = nullptr;  // the last callable's path; its closure follows it
    for (const KeyLeaf& leaf : run.traces[i]->key) {
      if (callable && leaf.path.starts_with(*callable + ".closure[")) continue;
      callable = leaf.kind == "callable" ? &leaf.path : nullptr;
      const auto [known, added] = at.emplace(leaf.path, all.size());
      if (added) all.push_back({leaf.path, leaf.parameter, {}});
      all[known->second].leaves.resize(run.traces.size());
      all[known->second].leaves[i] = &leaf;
    }
  }
  return all;
}

std::vector<std::string> distinct(const LeafSeries& series, const LeafText& text) {
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  for (const KeyLeaf* leaf : series.leaves)
    if (std::string one = text(leaf); known.insert(one).second) texts.push_back(std::move(one));
  return texts;
}

bool change_together(const LeafSeries& a, const LeafSeries& b, const LeafText& text) {
  const auto text_of = [&](const LeafSeries& series) {
    return [&](size_t i) { return text(i < series.leaves.size() ? series.leaves[i] : nullptr); };
  };
  return one_to_one(std::max(a.leaves.size(), b.leaves.size()), text_of(a), text_of(b)).value_or(0) > 1;
}

TraceText at_path(const std::string& path, const LeafText& text) {
  return [path, text](const TraceRecord& trace) { return text(leaf_at(trace, path)); };
}

size_t most_from_one_line(const Evidence& evidence, const FunctionRun& run, const TraceText& text) {
  std::map<Line, std::set<std::string>> lines;
  size_t most = 0;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call) continue;
    Line line = evidence.line(step.source);
    if (!line) line = {session::FileId(step.source.code.value), static_cast<int>(step.source.offset)};
    auto& texts = lines[line];
    texts.insert(text(*step.trace));
    most = std::max(most, texts.size());
  }
  return most;
}

Contents contents_of(const TraceRecord& trace, const std::string& path) {
  Contents found;
  for (const KeyLeaf& leaf : trace.key) {
    const bool inside = leaf.path.starts_with(path) && leaf.path.size() > path.size() &&
                        (leaf.path[path.size()] == '[' || leaf.path[path.size()] == '.');
    if (leaf.path != path && !inside) continue;
    found.text += leaf.path.substr(path.size()) + (leaf.kind == "structure" ? leaf.type : "") + ' ';
    found.tensors |= leaf.kind != "literal" && leaf.kind != "structure" && leaf.kind != "none";
  }
  return found;
}

std::map<std::string, size_t> uses(const FunctionRun& run, const TraceText& text) {
  std::map<std::string, size_t> counts;
  for (const FunctionRun::Step& step : run.steps)
    if (step.call) ++counts[text(*step.trace)];
  return counts;
}

bool recurring(const std::map<std::string, size_t>& uses, size_t few, size_t often) {
  return uses.size() <= few && std::ranges::all_of(uses, [&](const auto& u) { return u.second >= often; });
}

}  // namespace footlight::explain
