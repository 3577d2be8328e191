// Finds arguments whose layout differs from call to call.
#include "engine/explain/causes/layouts.h"

#include "engine/explain/engines.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;

constexpr std::string_view kLayout = ".layout";
constexpr size_t kCallsOfLayout = 3, kFewLayouts = 2;

}  // namespace

std::string layout_part(const KeyLeaf* leaf, LayoutPart part) {
  if (!leaf || leaf->kind != "layout") return {};
  std::string_view rest = leaf->value;
  for (auto i = static_cast<size_t>(part); i > 0; --i) {
    const size_t end = rest.find("; ");
    if (end == rest.npos) return {};
    rest.remove_prefix(end + 2);
  }
  return std::string(rest.substr(0, rest.find("; ")));
}

std::vector<LayoutChange> layout_changes(const Evidence& evidence, const FunctionRun& run, LayoutPart part) {
  std::vector<LayoutChange> found;
  if (!is_torch(run)) return found;
  const auto text = [part](const KeyLeaf* leaf) { return layout_part(leaf, part); };
  for (const LeafSeries& s : leaf_series(run)) {
    const bool argument = s.path.starts_with("args[") || s.path.starts_with("local ");
    if (!argument || !s.path.ends_with(kLayout)) continue;
    if (std::ranges::any_of(s.leaves, [](const KeyLeaf* leaf) { return !leaf; })) continue;
    LayoutChange change;
    change.texts = distinct(s, text);
    if (change.texts.size() < 2) continue;
    change.path = s.path.substr(0, s.path.size() - kLayout.size());
    change.parameter = s.parameter;
    Candidate& c = change.candidate;
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    const TraceText of_trace = at_path(s.path, text);
    // Two uses of the function, each from a line of its own, are two traces rightly.
    c.variants = change.texts.size() <= kFewLayouts && recurring(uses(run, of_trace), kFewLayouts, kCallsOfLayout) &&
                 most_from_one_line(evidence, run, of_trace) < 2;
    c.finding.parameter = s.parameter;
    c.finding.values = change.texts;
    found.push_back(std::move(change));
  }
  return found;
}

}  // namespace footlight::explain
