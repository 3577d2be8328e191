// recursion: the function was traced inside a trace of itself. Fix: decorate an outer function only.
#include "engine/explain/findings.h"
#include "engine/explain/nesting.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::TraceRecord;

bool inside(const TraceRecord& outer, const TraceRecord& inner) {
  return outer.start_ns < inner.start_ns && inner.end_ns < outer.end_ns && on_same_thread(outer, inner);
}

void propose_recursion(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const TraceRecord* first = nullptr;  // of those made inside another one
  size_t inner = 0;
  for (const TraceRecord* t : run.traces) {
    const auto around = [&](const TraceRecord* o) { return inside(*o, *t); };
    if (std::ranges::none_of(run.traces, around)) continue;
    if (!first || t->start_ns < first->start_ns) first = t;
    ++inner;
  }
  if (!first) return;
  Candidate c;
  Finding& f = c.finding;
  for (const TraceRecord* t : run.traces) {
    for (const session::KeyLeaf& leaf : t->key) {
      if (leaf.kind == "context") continue;
      const auto differs = [&](const TraceRecord* other) {
        const session::KeyLeaf* there = leaf_at(*other, leaf.path);
        return !there || there->value != leaf.value || there->shape != leaf.shape || there->type != leaf.type;
      };
      if (c.paths.count(leaf.path) || std::ranges::none_of(run.traces, differs)) continue;
      if (f.path.empty()) {
        f.path = leaf.path;
        f.parameter = leaf.parameter;
      }
      c.paths.insert(leaf.path);
    }
  }
  c.fix.no_longer_made = [&run](const FunctionRun::Step& step) {
    return std::ranges::any_of(run.traces, [&](const TraceRecord* t) {
      const bool is_during = t->start_ns < step.start_ns && step.start_ns < t->end_ns;
      return is_during && (!step.trace || on_same_thread(*step.trace, *t));
    });
  };
  c.most = GraphRelation::kIdentical;
  const std::string name = run.record ? run.record->name : "the function";
  f.title = name + " is traced inside its own trace";
  f.reason = "traced inside its own trace";
  f.detail = with_commas(inner) + " of " + with_commas(run.traces.size()) +
             " traces were made while it was being traced itself: each step of the recursion has its own graph";
  f.fix = "Decorate an outer function only, and let " + name + " recurse in plain Python";
  c.complete = [line = evidence.line(first->source)](Finding& made, const ReplayResult&) { made.line = line; };
  candidates.push_back(std::move(c));
}

const Cause recursion("recursion", propose_recursion);

}  // namespace
}  // namespace footlight::explain
