// Counts the calls that ran a trace's graph, and begins findings of wrong results.
#include "engine/explain/causes/observed.h"

#include "engine/explain/engines.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace footlight::explain {

using session::ObservationRecord;
using session::TraceRecord;

std::map<TraceId, int64_t> LaterCalls::run_by(const std::set<TraceId>& traces) const {
  std::map<TraceId, int64_t> all;
  for (const TraceId id : traces) {
    const TraceRecord* trace = evidence_.trace(id);
    const auto at = served_.run_by.find(id);
    if (!trace || at == served_.run_by.end()) continue;
    const auto add = [&](TraceId served_by) {
      const auto [since, fresh] = all.try_emplace(served_by, trace->end_ns);
      if (!fresh) since->second = std::min(since->second, trace->end_ns);
    };
    add(id);
    std::ranges::for_each(at->second, add);
  }
  return all;
}

size_t LaterCalls::count_of(TraceId served_by, int64_t since, int64_t until) const {
  const std::vector<int64_t>& starts = served_.starts.at(served_by);
  const auto first = std::ranges::lower_bound(starts, since);
  return static_cast<size_t>(std::lower_bound(first, starts.end(), until) - first);
}

size_t LaterCalls::count(const std::set<TraceId>& traces) const {
  size_t sum = 0;
  for (const auto& [served_by, made] : run_by(traces)) sum += count_of(served_by, made, INT64_MAX);
  return sum;
}

size_t LaterCalls::count(const std::vector<Span>& spans) const {
  std::map<TraceId, std::vector<std::pair<int64_t, int64_t>>> times;
  for (const Span& span : spans)
    for (const auto& [served_by, made] : run_by({span.trace}))
      times[served_by].emplace_back(std::max(span.since, made), span.until);
  size_t sum = 0;
  for (auto& [served_by, all] : times) {
    std::ranges::sort(all);
    int64_t counted_to = INT64_MIN;
    for (const auto& [since, until] : all) {
      if (until <= counted_to) continue;
      sum += count_of(served_by, std::max(since, counted_to), until);
      counted_to = until;
    }
  }
  return sum;
}

std::vector<FunctionId> LaterCalls::functions(const std::set<TraceId>& traces) const {
  std::vector<FunctionId> called;
  for (const auto& [served_by, made] : run_by(traces)) {
    const TraceRecord* trace = count_of(served_by, made, INT64_MAX) ? evidence_.trace(served_by) : nullptr;
    if (trace && std::ranges::find(called, trace->function) == called.end()) called.push_back(trace->function);
  }
  return called;
}

void suppress(const Evidence& evidence, const ObservationRecord& observed, Findings& findings) {
  const TraceRecord* trace = evidence.trace(observed.trace);
  if (trace && trace->reason == session::TraceReason::kVariableCreation)
    findings.suppressed.push_back({observed.function, {}, Rule::kAskedFor});
}

namespace {

// The innermost code of the program that holds a line. None: no such code was recorded.
CodeId code_around(const Evidence& evidence, const Line& line) {
  const session::CodeRecord* found = nullptr;
  for (const session::CodeRecord& code : evidence.records().codes) {
    if (code.file != line.file || code.first_line > line.line) continue;
    const bool holds = std::ranges::any_of(
        code.lines, [&](const session::CodeLine& l) { return static_cast<int>(l.line) >= line.line; });
    if (holds && (!found || code.first_line > found->first_line)) found = &code;
  }
  return found ? found->id : CodeId();
}

}  // namespace

Finding wrong_result(const Evidence& evidence, const ObservationRecord& observed, size_t hits) {
  Finding f;
  f.function = observed.function;
  f.severity = Severity::kWrongResult;
  f.path = observed.path;
  f.line = {observed.file, observed.line};
  f.example = observed.trace;
  f.calls = hits;
  f.counted = "later calls";
  f.checked.why_not = "run again with the change to confirm it";
  const auto run = evidence.functions().find(observed.function);
  if (run == evidence.functions().end()) return f;
  f.cost_ns = run->second.tracing_ns();
  // What goes wrong inside of a step that a library traces belongs to the program's function that does it.
  if (is_step_of_library(evidence, observed.function)) f.code = code_around(evidence, f.line);
  size_t parameter = 0;
  const char* path = f.path.c_str();
  if (std::sscanf(path, "args[%zu]", &parameter) == 1 && run->second.record &&
      parameter < run->second.record->parameters.size())
    f.parameter = run->second.record->parameters[parameter];
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
  return with_commas(count) + (count == 1 ? " later call" : " later calls");
}

std::optional<double> number_of(std::string_view text) {
  if (text == "True" || text == "False") return text == "True" ? 1 : 0;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

bool is_scalar(const std::string& value) {
  return number_of(value) || value.starts_with('\'') || value.starts_with('"');
}

std::string short_name(const Evidence& evidence, FunctionId function) {
  const auto run = evidence.functions().find(function);
  const bool known = run != evidence.functions().end() && run->second.record;
  return known ? std::string(last_name(run->second.record->name)) : "the function";
}

bool is_step_of_library(const Evidence& evidence, FunctionId function) {
  const auto run = evidence.functions().find(function);
  return run != evidence.functions().end() &&
         (is_step_of_library(run->second.record) || is_made_by_library(evidence, run->second));
}

std::string name_at(const Evidence& evidence, FunctionId function, const Line& line) {
  if (line && is_step_of_library(evidence, function)) {
    Outlines outlines(evidence);
    if (const source::Function* def = outlines.of(line.file).innermost(line.line)) return def->name;
  }
  return short_name(evidence, function);
}

}  // namespace footlight::explain
