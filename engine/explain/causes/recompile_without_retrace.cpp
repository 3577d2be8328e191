// recompile_without_retrace: one trace was compiled again. JAX: an argument lies on another device than before, or was
// committed to one only then; fix: place it from the start as later calls have it. TensorFlow: XLA compiles for each
// length that the trace leaves open; fix: few lengths, or no jit_compile.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <map>

namespace footlight::explain {
namespace {

using session::MissRecord;
using session::PhaseRecord;
using session::TraceRecord;

constexpr std::string_view kPlaced = ".sharding", kCommitted = "committed to ";

// How the executables of a trace are used once the last was made. The adapter notes "2 executables: each was ...".
enum class Use : uint8_t { kUnknown, kAgain, kSteady };

Use use_of(const Evidence& evidence, TraceId trace, size_t executables) {
  const std::string note = std::to_string(executables) + " executables: ";
  Use use = Use::kUnknown;
  for (const session::DecisionRecord& d : evidence.records().decisions) {
    if (d.trace != trace || d.kind != "executables" || !d.note.starts_with(note)) continue;
    use = std::max(use, d.fate == "steady" ? Use::kSteady : Use::kAgain);
  }
  return use;
}

// Whether both placements are on one device each.
bool is_of_another_device(const MissRecord& miss) {
  return miss.was.starts_with(kCommitted) && miss.now.starts_with(kCommitted) && miss.was.find("over") == miss.was.npos;
}

constexpr size_t kOften = 3;  // calls of an executable after all others were made
constexpr const char* kCompiles = "jit_compile=True";

bool is_placement(const TraceRecord& trace, const MissRecord& miss) {
  return miss.existing == trace.id && miss.path.ends_with(kPlaced);
}

// Whether all of its executables are there for good: each is in use, or each is for a device of its own and was used
// again.
bool is_steady(const Evidence& evidence, const TraceRecord& trace, size_t executables) {
  const Use use = use_of(evidence, trace.id, executables);
  if (use != Use::kAgain) return use == Use::kSteady;
  return std::ranges::all_of(trace.misses, [&](const MissRecord& miss) {
    return !is_placement(trace, miss) || is_of_another_device(miss);
  });
}

// A dimension that a trace of TensorFlow leaves open and XLA does not: "args[0].shape[1]".
bool is_open_size(const MissRecord& miss) { return miss.was == "None" && miss.path.ends_with(']'); }

// Whether the executables of a trace, one for each key of its calls, all stay in use once the last was made.
bool in_use(const FunctionRun& run, const TraceRecord& trace) {
  std::map<std::vector<uint64_t>, size_t> calls;
  for (const FunctionRun::Step& step : run.steps) {
    if (!step.call || step.trace != &trace) continue;
    const auto [at, made] = calls.try_emplace({step.key.begin(), step.key.end()});
    if (made) {
      for (auto& one : calls) one.second = 0;
    } else {
      ++at->second;
    }
  }
  return std::ranges::all_of(calls, [](const auto& one) { return one.second >= kOften; });
}

// "jit_compile=False" in its place, if it stands on the line.
Finding::Edit without_compilation(const Evidence& evidence, const Line& line) {
  const std::string text(source::trimmed(evidence.text(line)));
  const size_t at = text.find(kCompiles);
  if (at == text.npos) return {};
  std::string changed = text;
  return {line, text, changed.replace(at, std::string_view(kCompiles).size(), "jit_compile=False")};
}

void find_lengths(const Evidence& evidence, const FunctionRun& run, Findings& findings) {
  Finding f;
  std::map<std::string, std::vector<std::string>> sizes;  // by path
  size_t compiles = 0;
  bool steady = true;
  for (const TraceRecord* t : run.traces) {
    size_t of_trace = 0;
    for (const PhaseRecord& p : t->phases) {
      if (p.category != "compile") continue;
      f.cost_ns += p.end_ns - p.start_ns;
      if (of_trace++) f.saved_ns += p.end_ns - p.start_ns;
    }
    compiles += of_trace;
    for (const MissRecord& miss : t->misses) {
      std::vector<std::string>& known = sizes[miss.path];
      if (is_open_size(miss) && std::ranges::find(known, miss.now) == known.end()) known.push_back(miss.now);
    }
    if (of_trace < 2) continue;
    steady = steady && in_use(run, *t);
    if (!f.example.valid()) f.example = t->id;
  }
  std::erase_if(sizes, [](const auto& one) { return one.second.empty(); });
  if (sizes.empty() || !f.example.valid()) return;
  if (steady) {
    findings.suppressed.push_back({run.id, "recompile_without_retrace", Rule::kSteady});
    return;
  }
  const auto most = std::ranges::max_element(sizes, {}, [](const auto& one) { return one.second.size(); });
  f.function = run.id;
  f.path = most->first;
  f.values = most->second;
  for (const auto& [other, same] : sizes)
    if (other != f.path) f.also_paths.push_back(other);
  const std::string argument = f.path.substr(0, f.path.rfind(".shape["));
  if (const session::KeyLeaf* leaf = leaf_at(*evidence.trace(f.example), argument)) f.parameter = leaf->parameter;
  f.graphs = GraphRelation::kIdentical;
  f.graphs_words = "are identical";
  f.calls = evidence.calls_of(run.id);
  f.counted = "calls";
  f.line = evidence.definition(run);
  Line call = evidence.line(evidence.trace(f.example)->source);
  for (const session::CallRecord& one : evidence.records().calls)
    if (one.function == run.id && one.outcome == CallOutcome::kCompile && evidence.line(one.source)) {
      call = evidence.line(one.source);
      break;
    }
  if (!f.line) f.line = call;
  if (call && call != f.line) f.related.push_back({"call", call});
  const std::string name = argument_name(argument, f.parameter);
  f.title = "XLA compiles again for each length of " + name;
  f.detail = with_commas(run.traces.size()) + (run.traces.size() == 1 ? " trace serves" : " traces serve") +
             " all lengths, but XLA made " + with_commas(compiles) + " executables: " + f.path + " was " +
             progression(f.values) + with_it(f.also_paths);
  f.reason = "XLA compiles for each length";
  f.fix = "Leave out jit_compile, or set jit_compile=False";
  f.edit = without_compilation(evidence, f.line);
  f.checked.why_not = "run again with the change to confirm it";
  add_alternative(f, "Pad " + name + " to few lengths before the call", f.checked);
  findings.found.push_back(std::move(f));
}

void find_in(const Evidence& evidence, const FunctionRun& run, Findings& findings) {
  if (!is_jax(run)) return find_lengths(evidence, run, findings);
  Finding f;
  bool steady = false;
  std::map<std::string, const MissRecord*> placed;  // by path
  for (const TraceRecord* t : run.traces) {
    size_t compiles = 0;
    int64_t later_ns = 0;
    for (const PhaseRecord& p : t->phases) {
      if (p.name != "compile") continue;
      f.cost_ns += p.end_ns - p.start_ns;
      if (compiles++) later_ns += p.end_ns - p.start_ns;
    }
    if (compiles < 2) continue;
    if (is_steady(evidence, *t, compiles)) {
      steady = true;
      continue;
    }
    f.saved_ns += later_ns;
    for (const MissRecord& miss : t->misses)
      if (is_placement(*t, miss)) placed.emplace(miss.path, &miss);
    if (!f.example.valid()) f.example = t->id;
  }
  if (placed.empty()) {
    if (steady) findings.suppressed.push_back({run.id, "recompile_without_retrace", Rule::kSteady});
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
  findings.found.push_back(std::move(f));
}

const Cause recompile_without_retrace("recompile_without_retrace", find_in, "jax tensorflow");

}  // namespace
}  // namespace footlight::explain
