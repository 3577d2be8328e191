// Counts the calls that a trace served, and begins findings of wrong results.
#include "engine/explain/causes/observed.h"

#include <algorithm>

namespace footlight::explain {

using session::ObservationRecord;
using session::TraceRecord;

size_t hits_of(const Evidence& evidence, TraceId id, int64_t since) {
  const TraceRecord* trace = evidence.trace(id);
  if (!trace) return 0;
  size_t hits = 0;
  for (const auto& [function, run] : evidence.functions()) {
    for (const FunctionRun::Step& step : run.steps) {
      if (!step.call || step.start_ns < since || step.start_ns < step.trace->end_ns) continue;
      const bool around = step.trace->start_ns <= trace->start_ns && trace->end_ns <= step.trace->end_ns;
      hits += step.trace == trace || around;
    }
  }
  return hits;
}

std::string name_in(const std::string& path) {
  for (const std::string_view kind : {"global ", "closure "})
    if (path.starts_with(kind)) return path.substr(kind.size());
  return path;
}

Finding wrong_result(const Evidence& evidence, const ObservationRecord& observed, size_t hits) {
  Finding f;
  f.function = observed.function;
  f.severity = Severity::kWrongResult;
  f.path = observed.path;
  f.line = {observed.file, observed.line};
  f.example = observed.trace;
  f.calls = hits;
  f.checked.why_not = "run again with the change to confirm";
  const auto run = evidence.functions().find(observed.function);
  if (run != evidence.functions().end()) f.cost_ns = run->second.tracing_ns();
  return f;
}

void relate(Finding& finding, const ObservationRecord& observed, std::string_view from, const char* role) {
  for (const session::ObservedLine& l : observed.lines) {
    const Line line{l.file, l.line};
    const bool known = std::ranges::any_of(finding.related, [&](const RelatedLine& r) { return r.at == line; });
    if (l.role == from && line && line != finding.line && !known) finding.related.push_back({role, line});
  }
}

std::string later_calls(size_t count) {
  return std::to_string(count) + (count == 1 ? " later call" : " later calls");
}

std::string short_name(const Evidence& evidence, FunctionId function) {
  for (const session::FunctionRecord& f : evidence.records().functions)
    if (f.id == function) return f.name.substr(f.name.rfind('.') + 1);
  return "the function";
}

}  // namespace footlight::explain
