// Sums up a session and its findings.
#include "engine/explain/report.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/engines.h"
#include "engine/explain/run_end.h"
#include "engine/explain/session_records.h"
#include "engine/explain/words.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <cstdio>

namespace footlight::explain {
namespace {

using session::Reader;

using session::TimeSpan;

// When a function was traced, and when each thread called it.
struct Times {
  std::vector<TimeSpan> traces;
  std::map<session::ThreadId, std::vector<TimeSpan>> calls;
};

// How long the spans last together, without the moments that `others`, which are joined, cover as well.
int64_t time_outside(std::vector<TimeSpan> spans, const std::vector<TimeSpan>& others) {
  std::vector<TimeSpan> both = others;
  both.insert(both.end(), spans.begin(), spans.end());
  return session::covered_time(std::move(both)) - session::covered_time(others);
}

// Counts the executables that a trace made: TorchDynamo makes one for each trace, the others in phases of their own.
void add_compiles(const session::TraceRecord& t, ReportedFunction& f) {
  if (f.kind == "dynamo") {
    if (!t.error.empty()) return;
    ++f.compiles;
    f.compile_ns += t.end_ns - t.start_ns;
    return;
  }
  for (const session::PhaseRecord& p : t.phases) {
    if (p.category != "compile") continue;
    ++f.compiles;
    f.compile_ns += p.end_ns - p.start_ns;
  }
}

// For each function, the one during whose tracing it was first traced. Keras makes one_step_on_data once for
// train_function and once for test_function: the second one's trace is no retrace.
std::map<FunctionId, FunctionId> outer_functions(const RunRecords& records) {
  std::vector<const session::TraceRecord*> all;
  for (const session::TraceRecord& t : records.traces)
    if (!t.phases.empty()) all.push_back(&t);
  std::map<FunctionId, FunctionId> outer;
  const auto thread = [](const session::TraceRecord& t) { return thread_of(t); };
  session::visit_nested(std::move(all), thread, [&](const session::TraceRecord& t, const session::TraceRecord* around) {
    outer.try_emplace(t.function, around ? around->function : FunctionId());
  });
  return outer;
}

std::vector<ReportedFunction> functions_of(const RunRecords& records, bool tensorflow) {
  std::vector<ReportedFunction> all;
  using Definition = std::pair<std::string, Line>;
  std::map<Definition, size_t> by_definition;
  std::map<FunctionId, Definition> definitions;
  for (const session::FunctionRecord& f : records.functions) definitions[f.id] = {f.name, def_of(f)};
  const std::map<FunctionId, FunctionId> outer = outer_functions(records);
  const auto key = [&](const session::FunctionRecord& f) { return definitions.at(f.id); };
  std::map<FunctionId, Definition> around;  // the definition of the function around it
  for (const session::FunctionRecord& f : records.functions) {
    const bool by_outer = f.kind == "tf.function" || f.kind == "keras";
    const auto its = by_outer ? outer.find(f.id) : outer.end();
    const auto definition = its == outer.end() ? definitions.end() : definitions.find(its->second);
    if (definition != definitions.end()) around[f.id] = definition->second;
  }
  std::unordered_map<FunctionId, size_t> by_id;
  std::set<FunctionId> resumes;
  for (const session::FunctionRecord& f : records.functions) {
    const Line line = def_of(f);
    const auto [at, added] = by_definition.try_emplace(key(f), all.size());
    if (is_resume(f)) {  // a part of the function that it continues
      if (added) by_definition.erase(at);
      resumes.insert(f.id);
      continue;
    }
    if (added) all.push_back({.name = f.name, .at = line, .engine = engine_of(f, tensorflow), .kind = f.kind});
    if (all[at->second].kind == kInternal) all[at->second].kind = f.kind;
    all[at->second].ids.push_back(f.id);
    by_id[f.id] = at->second;
  }
  for (const session::FunctionRecord& f : records.functions) {
    if (!resumes.contains(f.id)) continue;
    if (const auto at = by_definition.find(key(f)); at != by_definition.end()) by_id[f.id] = at->second;
  }
  std::set<std::pair<size_t, Definition>> traced;  // with the definition around it
  std::vector<Times> times(all.size());
  for (const session::TraceRecord& t : records.traces) {
    const auto at = by_id.find(t.function);
    if (at == by_id.end()) continue;
    ReportedFunction& f = all[at->second];
    const bool by_call = t.reason == session::TraceReason::kCall || t.reason == session::TraceReason::kRelaxed;
    times[at->second].traces.emplace_back(t.start_ns, t.end_ns);
    if (resumes.contains(t.function)) {
      f.resumes += t.error.empty();
      continue;
    }
    add_compiles(t, f);
    if (!t.error.empty()) {
      ++f.failed_traces;
      continue;
    }
    ++f.traces;
    if (by_call && !traced.emplace(at->second, around[t.function]).second) ++f.retraces;
  }
  for (const session::CallRecord& c : records.calls) {
    const auto at = by_id.find(c.function);
    if (at == by_id.end()) continue;
    if (resumes.contains(c.function)) continue;
    ReportedFunction& f = all[at->second];
    ++f.calls;
    f.eager_calls += c.outcome == CallOutcome::kEager;
    f.hits += c.outcome == CallOutcome::kHit;
    f.failed += c.outcome == CallOutcome::kFailed;
    times[at->second].calls[c.thread].emplace_back(c.start_ns, c.end_ns);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<TimeSpan> tracing = session::joined(std::move(times[i].traces));
    all[i].trace_ns = session::covered_time(tracing);
    for (auto& [thread, calls] : times[i].calls) all[i].run_ns += time_outside(std::move(calls), tracing);
  }
  std::erase_if(all, [](const ReportedFunction& f) { return f.calls + f.traces + f.failed_traces == 0; });
  std::ranges::stable_sort(all, std::greater(), &ReportedFunction::trace_ns);
  return all;
}

// These traces, and those that were made while one of them was made and that serve nobody else.
std::set<TraceId> with_inner_traces(const RunRecords& records, std::set<TraceId> all) {
  std::vector<TimeSpan> saved;
  for (const session::TraceRecord& t : records.traces)
    if (all.contains(t.id)) saved.emplace_back(t.start_ns, t.end_ns);
  saved = session::joined(std::move(saved));
  const auto is_inside = [&](int64_t from, int64_t to) {
    const auto after = std::ranges::lower_bound(saved, from, {}, &TimeSpan::first);
    return after != saved.begin() && to < std::prev(after)->second;
  };
  std::set<TraceId> used;  // by calls that remain
  for (const session::CallRecord& c : records.calls)
    if (!is_inside(c.start_ns, c.end_ns)) used.insert(c.trace);
  for (const session::TraceRecord& t : records.traces)
    if (t.error.empty() && !used.contains(t.id) && is_inside(t.start_ns, t.end_ns)) all.insert(t.id);
  return all;
}

}  // namespace

Report make_report(const Reader& reader, const std::function<void()>& go_on) {
  const SessionRecords session(reader, go_on);
  const RunRecords& records = session.records();
  const session::Contents& contents = reader.contents();
  Report report;
  report.script = contents.run.script;
  report.run_ns = session::run_time(contents.run, contents.end, reader.first_time(), reader.last_time());
  report.ended = contents.end.has_value();
  if (contents.end) {
    report.exit_code = contents.end->exit_code;
    report.signal = contents.end->signal;
    const ErrorWords error = error_of_run(*contents.end, last_printed_traceback(contents.console));
    report.error = error.text();
    report.error_message = error.message;
  }
  for (const auto& d : contents.dropped)
    report.gaps.push_back(with_commas(d.count) + ' ' + d.what + " were dropped: " + d.why);
  if (!reader.damage().empty()) report.gaps.push_back(reader.damage());
  if (!reader.left_out().empty()) report.gaps.push_back(reader.left_out());
  const bool has_events = !reader.op_events().index().empty() || !reader.spans().index().empty();
  if (contents.level == RecordingLevel::kOff && contents.functions.empty() && !has_events)
    report.gaps.push_back("functions, calls and ops were not recorded (level off)");
  if (contents.level == RecordingLevel::kStructure) report.gaps.push_back("ops were not recorded (level structure)");
  if (report.signal) report.gaps.push_back("the program was killed: up to 50 ms before that may be missing");
  for (const session::ProcessRecord& p : contents.processes)
    if (!p.engine.empty()) report.engines.push_back({p.engine, p.engine_version, p.adapter, p.missing_hooks});
  report.functions = functions_of(records, has_tensorflow(contents.processes));
  for (const ReportedFunction& f : report.functions) {
    report.calls += f.calls;
    report.traces += f.traces;
    report.compiles += f.compiles;
    report.eager_calls += f.eager_calls;
    report.retraces += f.retraces;
    report.failed_traces += f.failed_traces;
  }
  report.trace_ns = session::tracing_time(records.traces);
  if (records.eager)
    for (const EagerPlace& place : records.eager->places) report.eager_ops += place.ops;
  Findings findings = find_findings(records, go_on);
  report.findings = std::move(findings.found);
  std::vector<const Finding*> each;
  for (const Finding& f : report.findings) each.push_back(&f);
  std::set<TraceId> saved = saved_by_all(each, findings.together);
  report.removable = with_inner_traces(records, saved);
  std::set<std::tuple<std::string, std::string, int, std::string>> said;
  for (const Suppressed& s : findings.suppressed) {
    saved.insert(s.saved.begin(), s.saved.end());
    const session::FunctionRecord* f = reader.function(s.function);
    std::string name = f ? f->name : "";
    const int rule = static_cast<int>(s.rule);
    if (said.emplace(name, s.cause, rule, s.detail).second)
      report.suppressed.push_back({name, s.cause, rule, s.detail, s.saved.size()});
  }
  report.also_removable = with_inner_traces(records, std::move(saved));
  for (const TraceId id : report.removable) report.also_removable.erase(id);
  return report;
}

const ReportedFunction* Report::function(FunctionId id) const {
  const auto at = std::ranges::find_if(
      functions, [&](const ReportedFunction& f) { return std::ranges::find(f.ids, id) != f.ids.end(); });
  return at == functions.end() ? nullptr : &*at;
}

std::string function_name(const Reader& reader, const Finding& finding) {
  const session::FunctionRecord* const f = reader.function(finding.function);
  const session::CodeRecord* const c = reader.code(finding.code);
  if (c) return c->qualname;  // also where a function that a library made ran it
  return f ? f->name : std::string();
}

std::string path_of(const Reader& reader, const Line& line) {
  const session::FileRecord* file = reader.file(line.file);
  return file ? file->path : std::string();
}

std::string line_text(const Reader& reader, const Line& line) {
  const session::FileRecord* file = reader.file(line.file);
  if (!file || line.line < 1) return {};
  std::string_view rest = file->text;
  for (int number = 1; number < line.line; ++number) {
    const size_t end = rest.find('\n');
    if (end == rest.npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return std::string(rest.substr(0, rest.find('\r')));
}

std::string message_of(std::span<const Finding> all, size_t at) {
  const Finding& f = all[at];
  std::string text = with_period(f.title) + ' ' + with_period(f.detail);
  if (!f.fix.empty()) text += " Fix: " + with_period(f.fix);
  return text + ' ' + with_period(check_text(all, at));
}

namespace {

// "args[2]" of "args[2].shape[0]" and of "len(args[2])".
std::string_view argument_in(std::string_view path) {
  const size_t at = path.find("args[");
  const size_t end = at == path.npos ? path.npos : path.find(']', at);
  return end == path.npos ? path : path.substr(at, end + 1 - at);
}

bool names_difference(const Finding& f, const session::TraceRecord& trace) {
  const auto differs = [&](const std::string& path) {
    return std::ranges::any_of(trace.differing,
                               [&](const std::string& one) { return argument_in(one) == argument_in(path); });
  };
  return differs(f.path) || std::ranges::any_of(f.also_paths, differs);
}

}  // namespace

std::string trace_reason(const session::TraceRecord& t) {
  if (!t.error.empty()) return t.error;
  if (!t.why.empty()) return t.why;
  switch (t.reason) {
    case session::TraceReason::kGetConcreteFunction: return "get_concrete_function";
    case session::TraceReason::kVariableCreation: return "Makes variables";
    case session::TraceReason::kEvicted: return "Traced again after eviction";
    case session::TraceReason::kRelaxed: return "Relaxed shapes";
    case session::TraceReason::kCall: return t.nearest.valid() ? "Same call, with the variables made" : "First call";
    default: return "Another reason";  // from a newer version
  }
}

std::map<TraceId, std::string> reasons_of_findings(std::span<const session::TraceRecord> made,
                                                   std::span<const Finding> all) {
  std::unordered_map<TraceId, const session::TraceRecord*> traces;
  for (const session::TraceRecord& t : made) traces[t.id] = &t;
  std::map<TraceId, std::string> reasons;
  for (const Finding& f : all) {
    if (!f.checked.ok) continue;
    for (const TraceId id : f.saved) {
      const auto at = traces.find(id);
      if (at == traces.end() || (f.reason.empty() && names_difference(f, *at->second))) continue;
      const std::string known = at->second->why;
      const std::string name = argument_name(f.path, f.parameter);
      std::string& text = reasons[id];
      if (text.empty() && f.reason.empty()) text = known;
      text += (text.empty() ? "" : "; ") + (f.reason.empty() ? name + " differs from other traces" : f.reason);
    }
  }
  return reasons;
}

std::string pair_text(const Reader& reader, const Finding& f) {
  const session::TraceRecord *left = reader.trace(f.pair.left), *right = reader.trace(f.pair.right);
  if (!left || !right || f.pair.difference.empty()) return {};
  const session::FunctionRecord *a = reader.function(left->function), *b = reader.function(right->function);
  const bool same = left->function == right->function || !a || !b;
  const std::string text =
      same ? "The graphs of #" + std::to_string(left->number) + " and #" + std::to_string(right->number)
           : "The graphs of the first two of these functions";
  constexpr std::string_view kSame = "identical graphs", kOnly = "the graphs differ only ";
  const std::string& how = f.pair.difference;
  if (how.starts_with(kSame)) return text + " are identical" + how.substr(kSame.size());
  return text + (how.starts_with(kOnly) ? " differ only " + how.substr(kOnly.size()) : " differ: " + how);
}

std::string cost_text(const Finding& f, int64_t run_ns) {
  if (f.cost_ns <= 0 || f.severity == Severity::kWrongResult) return {};
  const std::string text = time_text(static_cast<double>(f.cost_ns)), share = share_of_run(f.cost_ns, run_ns);
  const std::string cost = (f.saved.empty() ? "" : "all its tracing took ") + text;
  return share.empty() ? cost : cost + ", " + share + " (" + time_text(static_cast<double>(run_ns)) + ')';
}

std::string share_of_run(int64_t ns, int64_t run_ns) {
  if (ns <= 0 || run_ns <= 0) return {};
  const double percent = std::min(100.0, 100.0 * static_cast<double>(ns) / static_cast<double>(run_ns));
  if (percent < 0.05) return "less than 0.1 % of the run";
  char share[40];
  std::snprintf(share, sizeof share, "%.1f %% of the run", percent);
  return share;
}

}  // namespace footlight::explain
