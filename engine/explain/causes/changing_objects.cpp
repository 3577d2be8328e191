// Finds objects that are made for one call.
#include "engine/explain/causes/changing_objects.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::explain {

using session::KeyLeaf;
using session::TraceRecord;

namespace {

constexpr size_t kManyObjects = 3, kManyCalls = 3;

// An object in the calls of a run, one after the other.
struct Used {
  std::string text;
  int64_t since_ns = 0, last_ns = 0;  // known to exist since then; the end of the last call with it
  size_t calls = 0;
};

// Members of an ensemble exist side by side. A list of objects that a function meets once each is no ensemble.
bool are_side_by_side(const std::vector<Used>& objects, bool instances) {
  bool met = false;
  size_t calls = 0;
  for (size_t i = 0; i < objects.size(); ++i) {
    calls += objects[i].calls;
    met |= i > 0 && objects[i].since_ns > 0 && objects[i].since_ns <= objects[i - 1].last_ns;
  }
  return met && (instances || calls >= kManyCalls * objects.size());
}

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
    std::vector<Used> objects;
    std::unordered_set<std::string> known;
    bool comes_back = false;
    for (const FunctionRun::Step& step : run.steps) {
      if (!step.call) continue;
      std::string now = object_text(step, s.path);
      if (objects.empty() || objects.back().text != now) {
        comes_back = !known.insert(now).second;
        if (comes_back) break;
        const KeyLeaf* leaf = leaf_at(*step.trace, s.path);
        objects.push_back({std::move(now), leaf ? evidence.known_since(*step.trace, leaf->value) : 0});
      }
      objects.back().last_ns = step.end_ns;
      ++objects.back().calls;
    }
    if (comes_back || objects.size() < kManyObjects) continue;
    Candidate c;
    c.variants = are_side_by_side(objects, s.path == "args[0]" && s.parameter == "self");
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
