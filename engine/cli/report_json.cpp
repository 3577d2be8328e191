// The report as JSON, for programs.
#include "engine/base/place.h"
#include "engine/cli/json.h"
#include "engine/cli/ranks.h"
#include "engine/cli/report.h"

#include <cstdio>

namespace footlight::cli {
namespace {

using explain::Finding;
using session::Reader;

std::string number(double value, int decimals = 3) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}
std::string ms(int64_t ns) { return number(static_cast<double>(ns) / 1e6); }

std::string texts(const std::vector<std::string>& all) {
  std::vector<std::string> quoted;
  for (const std::string& one : all) quoted.push_back(json_text(one));
  return json_list(quoted);
}

// "train.py:12"; null: no line is known.
std::string place_or_null(const Reader& reader, const explain::Line& line) {
  const std::string path = explain::path_of(reader, line);
  return path.empty() || line.line <= 0 ? "null" : json_text(place_text(path, line.line));
}

std::string of_edit(const Reader& reader, const Finding::Edit& edit) {
  if (!edit.at) return "null";
  return JsonObject()
      .add("file", explain::path_of(reader, edit.at))
      .add("line", edit.at.line)
      .add("old", edit.old_text)
      .add("new", edit.new_text)
      .inline_();
}

std::string of_check(const explain::Checked& checked) {
  if (checked.method == explain::Checked::Method::kNone) return "false";
  JsonObject made;
  made.add("method", checked.method == explain::Checked::Method::kRerun ? "rerun" : "replay")
      .add("ok", checked.ok)
      .add("traces_before", uint64_t{checked.traces_before})
      .add("traces_after", uint64_t{checked.traces_after});
  if (checked.eager_before > 0)
    made.add("eager_calls_before", uint64_t{checked.eager_before})
        .add("eager_calls_after", uint64_t{checked.eager_after});
  if (checked.cost_after_ns > 0)
    made.raw("cost_before_ms", ms(checked.cost_before_ns)).raw("cost_after_ms", ms(checked.cost_after_ns));
  return made.inline_();
}

// Why the engine itself says that a trace was made; null: it did not say, or was not asked.
std::string engine_said(const Reader& reader, const Finding& f) {
  if (!f.engine_said.empty()) return json_text(f.engine_said);
  if (const session::TraceRecord* trace = reader.trace(f.example))
    for (const session::MissRecord& miss : trace->misses)
      if (!miss.words.empty()) return json_text(miss.words);
  return "null";
}

std::string of_finding(const Reader& reader, const explain::Report& report, size_t place) {
  const Finding& f = report.findings[place];
  std::vector<std::string> related;
  for (const explain::RelatedLine& r : f.related)
    related.push_back(JsonObject()
                          .add("role", r.role)
                          .add("file", explain::path_of(reader, r.at))
                          .add("line", r.at.line)
                          .inline_());
  const std::string name = explain::function_name(reader, f);
  const explain::ReportedFunction* function = report.function(f.function);
  JsonObject evidence;
  evidence.raw("values", texts(f.values)).add("distinct", uint64_t{f.values.size()}).add("calls", uint64_t{f.calls});
  evidence.add("traces", uint64_t{function ? function->traces : f.checked.traces_before});
  if (function) evidence.add("compiles", uint64_t{function->compiles});
  // Causes that are no retraces compare no graphs.
  if (f.graphs == explain::GraphRelation::kUnknown) evidence.raw("graphs", "null");
  else evidence.add("graphs", explain::name_of(f.graphs));
  evidence.add("nodes", uint64_t{f.nodes}).add("bytes", f.bytes).add("counted", f.counted);
  if (f.eager_calls) evidence.add("eager_calls", uint64_t{f.eager_calls});
  if (f.limit) evidence.add("limit", uint64_t{f.limit});
  if (f.graphs_per_call) evidence.add("graphs_per_call", uint64_t{f.graphs_per_call});
  if (!f.collective.empty()) evidence.add("collective", f.collective);
  if (!f.facts.empty()) {
    JsonObject facts;
    for (const explain::Fact& fact : f.facts) facts.add(fact.name.c_str(), fact.value);
    evidence.raw("facts", facts.inline_());
  }
  const session::TraceRecord *left = reader.trace(f.pair.left), *right = reader.trace(f.pair.right);
  if (left && right)
    evidence.raw("pair", JsonObject()
                             .add("left", uint64_t(left->number))
                             .add("right", uint64_t(right->number))
                             .add("difference", f.pair.difference)
                             .inline_());
  std::vector<std::string> alternatives;
  for (const Finding::Alternative& a : f.alternatives)
    alternatives.push_back(JsonObject()
                               .add("text", a.fix)
                               .raw("edit", of_edit(reader, a.edit))
                               .raw("checked", of_check(a.checked))
                               .inline_());
  JsonObject out;
  out.add("id", "F" + std::to_string(place + 1)).add("function", name).add("cause", f.cause);
  out.add("severity", f.severity == explain::Severity::kWrongResult ? "wrong_result" : "cost");
  out.add("file", explain::path_of(reader, f.line)).add("line", f.line.line).add("path", f.path);
  out.add("title", f.title).raw("place", place_or_null(reader, f.line));
  out.add("parameter", f.parameter).raw("also_paths", texts(f.also_paths)).raw("related_lines", json_list(related));
  if (function) out.add("engine", function->engine);
  out.raw("engine_said", engine_said(reader, f));
  out.raw("evidence", evidence.inline_()).raw("cost_ms", ms(f.cost_ns));
  JsonObject saves;
  saves.add("traces", uint64_t{f.saved.size()}).raw("ms", f.checked.ok ? ms(f.saved_ns) : "null");
  if (f.checked.eager_before) saves.add("eager_calls", uint64_t{f.checked.eager_before - f.checked.eager_after});
  out.raw("saves", saves.inline_());
  out.raw("fix", JsonObject().add("text", f.fix).raw("edit", of_edit(reader, f.edit)).inline_());
  out.raw("alternatives", json_list(alternatives)).raw("checked", of_check(f.checked));
  if (f.checked.method == explain::Checked::Method::kNone) out.add("not_checked_because", f.checked.why_not);
  std::vector<std::string> after;
  for (const size_t other : f.after) after.push_back("F" + std::to_string(other + 1));
  return out.raw("after", texts(after)).add("message", explain::message_of(report.findings, place)).inline_();
}

}  // namespace

std::string report_json(const Reader& reader, const explain::Report& report) {
  JsonObject run;
  run.add("script", report.script).raw("seconds", number(static_cast<double>(report.run_ns) / 1e9, 6));
  if (report.ended) run.add("exit", report.signal ? 128 + report.signal : report.exit_code);
  else run.raw("exit", "null");
  const auto text_or_null = [](const std::string& text) { return text.empty() ? "null" : json_text(text); };
  run.raw("error", text_or_null(report.error_message)).raw("error_text", text_or_null(report.error));  // with its place
  run.raw("gaps", texts(report.gaps));
  std::vector<std::string> engines;
  for (const explain::ReportedEngine& e : report.engines)
    engines.push_back(JsonObject()
                          .add("name", e.name)
                          .add("version", e.version)
                          .raw("adapter", e.adapter.empty() ? "null" : json_text(e.adapter))
                          .raw("missing_hooks", texts(e.missing_hooks))
                          .inline_());
  run.raw("engines", json_list(engines));
  JsonObject summary;
  summary.add("functions", uint64_t{report.functions.size()}).add("calls", uint64_t{report.calls});
  summary.add("traces", uint64_t{report.traces}).add("failed_traces", uint64_t{report.failed_traces});
  summary.add("retraces", uint64_t{report.retraces}).add("compiles", uint64_t{report.compiles});
  summary.add("eager_calls", uint64_t{report.eager_calls});
  summary.raw("trace_ms", ms(report.trace_ns)).add("removable_traces", uint64_t{report.removable.size()});
  summary.add("also_removable_traces", uint64_t{report.also_removable.size()});  // of what is suppressed
  std::vector<std::string> functions, findings, suppressed;
  for (const explain::ReportedFunction& f : report.functions)
    functions.push_back(JsonObject()
                            .add("function", f.name)
                            .add("file", explain::path_of(reader, f.at))
                            .add("line", f.at.line)
                            .raw("place", place_or_null(reader, f.at))
                            .add("calls", uint64_t{f.calls})
                            .add("traces", uint64_t{f.traces})
                            .add("retraces", uint64_t{f.retraces})
                            .add("hits", uint64_t{f.hits})
                            .add("failed", uint64_t{f.failed})
                            .raw("trace_ms", ms(f.trace_ns))
                            .raw("run_ms", ms(f.run_ns))
                            .add("engine", f.engine)
                            .add("kind", f.kind)
                            .add("compiles", uint64_t{f.compiles})
                            .raw("compile_ms", ms(f.compile_ns))
                            .add("resumes", uint64_t{f.resumes})
                            .add("eager_calls", uint64_t{f.eager_calls})
                            .inline_());
  for (size_t i = 0; i < report.findings.size(); ++i) findings.push_back(of_finding(reader, report, i));
  for (const auto& s : report.suppressed)
    suppressed.push_back(JsonObject()
                             .add("function", s.function)
                             .add("cause", s.cause)
                             .add("rule", s.rule)
                             .raw("detail", text_or_null(s.detail))
                             .add("saved_traces", uint64_t{s.saved})
                             .inline_());
  JsonObject out;
  out.add("format", "footlight-report").add("version", 1).raw("run", run.inline_()).raw("summary", summary.inline_());
  if (reader.contents().processes.size() > 1) out.raw("ranks", ranks_json(reader));
  out.raw("functions", json_list(functions)).raw("findings", json_list(findings));
  return out.raw("suppressed", json_list(suppressed)).lines() + '\n';
}

}  // namespace footlight::cli
