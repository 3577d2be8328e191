// Finds objects that are made for one call.
#include "engine/explain/causes/changing_objects.h"

#include <algorithm>

namespace footlight::explain {

using session::KeyLeaf;
using session::TraceRecord;

namespace {

constexpr size_t kManyObjects = 3;

// A callable is told from others by its closure, too; it stands in the key by the words of the call.
std::string object_text(const FunctionRun::Step& step, const std::string& path) {
  std::string text;
  for (const KeyLeaf& leaf : step.trace->key)
    if (leaf.path == path || leaf.path.starts_with(path + ".closure[")) text += leaf.value + leaf.shape + ' ';
  return text;
}

}  // namespace

bool replaces_dead_equal(const KeyLeaf& leaf) { return leaf.value.find(" like ") != leaf.value.npos; }

std::vector<Candidate> changing_objects(const Evidence& evidence, const FunctionRun& run,
                                        bool (*wanted)(const LeafSeries& series)) {
  std::vector<Candidate> found;
  for (const LeafSeries& s : leaf_series(run)) {
    if (!wanted(s)) continue;
    // In the order of the calls: how many there are, and whether one comes back after another.
    std::vector<std::string> objects;
    bool comes_back = false;
    for (const FunctionRun::Step& step : run.steps) {
      if (!step.call) continue;
      std::string now = object_text(step, s.path);
      if (!objects.empty() && objects.back() == now) continue;
      comes_back = std::ranges::find(objects, now) != objects.end();
      if (comes_back) break;
      objects.push_back(std::move(now));
    }
    if (comes_back || objects.size() < kManyObjects) continue;
    Candidate c;
    c.finding.path = s.path;
    c.finding.parameter = s.parameter;
    c.paths = {s.path};
    c.finding.values = distinct(s, [](const KeyLeaf* leaf) { return leaf->value; });
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.captures_may_differ = true;
    found.push_back(std::move(c));
  }
  return found;
}

}  // namespace footlight::explain
