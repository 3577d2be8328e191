// recompile_without_retrace: JAX compiled a trace again because an argument lies on another device than before, or was
// committed to one only then. Fix: place it from the start as later calls have it.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::MissRecord;
using session::PhaseRecord;
using session::TraceRecord;

constexpr std::string_view kPlaced = ".sharding", kCommitted = "committed to ";

// An executable for each of several devices is legitimate.
bool is_of_another_device(const MissRecord& miss) {
  return miss.was.starts_with(kCommitted) && miss.now.starts_with(kCommitted) && miss.was.find("over") == miss.was.npos;
}

void find_in(const Evidence& evidence, const FunctionRun& run, Findings& to) {
  if (!is_jax(run)) return;
  Finding f;
  std::map<std::string, const MissRecord*> placed;  // by path
  for (const TraceRecord* t : run.traces) {
    size_t compiles = 0;
    for (const PhaseRecord& p : t->phases) {
      if (p.name != "compile") continue;
      f.cost_ns += p.end_ns - p.start_ns;
      if (compiles++) f.saved_ns += p.end_ns - p.start_ns;
    }
    if (compiles < 2) continue;
    for (const MissRecord& miss : t->misses)
      if (miss.existing == t->id && miss.path.ends_with(kPlaced)) placed.emplace(miss.path, &miss);
    if (!f.example.valid()) f.example = t->id;
  }
  if (placed.empty()) return;
  if (std::ranges::all_of(placed, [](const auto& one) { return is_of_another_device(*one.second); })) {
    to.suppressed.push_back({run.id, "recompile_without_retrace", Rule::kSteady});
    return;
  }
  const auto& [path, miss] = *placed.begin();
  f.function = run.id;
  f.path = path;
  for (const auto& [other, same] : placed)
    if (other != path) f.also_paths.push_back(other);
  if (const session::KeyLeaf* leaf = leaf_at(*evidence.trace(f.example), path.substr(0, path.size() - kPlaced.size())))
    f.parameter = leaf->parameter;
  f.values = {miss->was, miss->now};
  f.graphs = GraphRelation::kIdentical;
  f.graphs_words = "are identical";
  f.calls = evidence.calls_of(run.id);
  f.counted = "calls";
  for (const session::CallRecord& call : evidence.records().calls) {
    if (call.function != run.id || call.outcome != CallOutcome::kCompile) continue;
    f.line = evidence.line(call.source);
    if (f.line) break;
  }
  if (!f.line) f.line = evidence.line(evidence.trace(f.example)->source);
  const Line definition = evidence.definition(run);
  if (definition && definition != f.line) f.related.push_back({"definition", definition});
  const std::string name = argument_name(path.substr(0, path.size() - kPlaced.size()), f.parameter);
  f.title = "Compiled again because " + name + " is placed differently";
  f.detail = path + ": " + miss->was + ", then " + miss->now + "; nothing else of the trace differs" +
             with_it(f.also_paths);
  f.reason = "an argument is placed differently";
  f.fix = miss->now.starts_with(kCommitted)
              ? "Place " + name + " from the first call on as later calls have it, or leave out the device: jnp.asarray"
              : "Keep " + name + " where the first call had it: jax.device_put";
  to.found.push_back(std::move(f));
}

const Cause recompile_without_retrace("recompile_without_retrace", find_in, "jax");

}  // namespace
}  // namespace footlight::explain
