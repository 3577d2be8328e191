// Names what an observation is about: the parameter, the lines, and the program's function inside a library's step.
#include "engine/explain/causes/wrong_results.h"

#include "engine/explain/engines.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"

#include "engine/source/line.h"

#include <algorithm>
#include <set>
#include <charconv>
#include <cstdio>

namespace footlight::explain {

using session::ObservationRecord;
using session::TraceRecord;

void suppress(const Evidence& evidence, const ObservationRecord& observed, Findings& findings) {
  const TraceRecord* trace = evidence.trace(observed.trace);
  if (trace && trace->reason == session::TraceReason::kVariableCreation)
    findings.suppressed.push_back({observed.function, {}, Rule::kAskedFor});
}

bool adds_the_same(const Evidence& evidence, const session::ObservationRecord& o) {
  const std::string name = name_in(o.path);
  const std::string_view line = source::trimmed(evidence.text({o.file, o.line}));
  if (!line.starts_with(name + ".add(")) return false;
  const auto arguments = source::arguments_from(line, name.size() + 5);
  const TraceRecord* trace = evidence.trace(o.trace);
  if (!arguments || arguments->size() != 1 || !trace) return false;
  const auto is_argument = [&](const session::KeyLeaf& leaf) {
    return leaf.kind == "literal" && leaf.parameter == source::trimmed(arguments->front()) &&
           leaf.path.find('[') == leaf.path.rfind('[');
  };
  if (std::ranges::none_of(trace->key, is_argument)) return false;
  int stores = 0;
  for (int at = 1; at <= evidence.line_count(o.file); ++at) {
    const std::string_view text = source::without_comment(evidence.text({o.file, at}));
    for (const char* taken : {".discard(", ".remove(", ".pop(", ".clear(", "_update("})
      if (text.find(name + taken) != text.npos) return false;
    stores += source::assigns(text, name);
  }
  return stores <= 1;
}

namespace {

// The innermost recorded code of the program that holds a line; none where no such code ran. A name needs no run:
// name_at reads the source.
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

std::vector<std::string> short_names(const Evidence& evidence, const std::vector<FunctionId>& functions) {
  std::set<std::string> names;
  for (const FunctionId function : functions) names.insert(short_name(evidence, function));
  return {names.begin(), names.end()};
}

bool is_step_of_library(const Evidence& evidence, FunctionId function) {
  const auto run = evidence.functions().find(function);
  return run != evidence.functions().end() &&
         (is_step_of_library(run->second.record) || is_made_by_library(evidence, run->second));
}

bool is_of_dataset(const Evidence& evidence, FunctionId function) {
  const auto run = evidence.functions().find(function);
  return run != evidence.functions().end() && run->second.record && run->second.record->kind == "dataset";
}

std::string name_at(const Evidence& evidence, FunctionId function, const Line& line) {
  if (line && is_step_of_library(evidence, function)) {
    Outlines outlines(evidence);
    if (const source::Function* def = outlines.of(line.file).innermost(line.line)) return def->name;
  }
  return short_name(evidence, function);
}

}  // namespace footlight::explain
