// Sums up a session and its findings.
#include "engine/explain/report.h"

#include "engine/explain/session_records.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::Reader;

// "ValueError: ..." of a traceback that reached the end of the run.
std::string last_error(const Reader& reader) {
  const auto& end = reader.contents().end;
  if (!end || (end->exit_code == 0 && end->signal == 0)) return {};
  std::string text;
  for (const session::ConsoleRecord& c : reader.contents().console)
    if (c.stream == session::ConsoleStream::kStderr) text += c.text;
  if (text.find("Traceback (most recent call last)") == text.npos) return {};
  // The first line behind the indented ones of the last traceback.
  size_t at = text.rfind("Traceback (most recent call last)");
  do {
    at = text.find('\n', at);
  } while (at != text.npos && text.compare(++at, 1, " ") == 0);
  return at == text.npos ? std::string() : text.substr(at, std::min(text.find('\n', at), at + 2000) - at);
}

std::vector<ReportedFunction> functions_of(const RunRecords& records) {
  std::vector<ReportedFunction> all;
  std::map<std::pair<std::string, Line>, size_t> by_definition;
  std::unordered_map<FunctionId, size_t> by_id;
  for (const session::FunctionRecord& f : records.functions) {
    const Line line = definition_of(f);
    const auto [at, added] = by_definition.try_emplace({f.name, line}, all.size());
    if (added) all.push_back({.name = f.name, .at = line});
    all[at->second].ids.push_back(f.id);
    by_id[f.id] = at->second;
  }
  std::unordered_map<TraceId, int64_t> trace_ns;
  std::vector<bool> traced(all.size());
  for (const session::TraceRecord& t : records.traces) {
    const auto at = by_id.find(t.function);
    if (at == by_id.end() || !t.error.empty()) continue;
    ReportedFunction& f = all[at->second];
    ++f.traces;
    f.trace_ns += t.end_ns - t.start_ns;
    trace_ns[t.id] = t.end_ns - t.start_ns;
    const bool by_call = t.reason == session::TraceReason::kCall || t.reason == session::TraceReason::kRelaxed;
    if (by_call && traced[at->second]) ++f.retraces;
    if (by_call) traced[at->second] = true;
  }
  for (const session::CallRecord& c : records.calls) {
    const auto at = by_id.find(c.function);
    if (at == by_id.end()) continue;
    ReportedFunction& f = all[at->second];
    ++f.calls;
    f.hits += c.outcome == CallOutcome::kHit;
    f.failed += c.outcome == CallOutcome::kFailed;
    f.run_ns += c.end_ns - c.start_ns;
    if (c.outcome == CallOutcome::kTrace)
      if (const auto t = trace_ns.find(c.trace); t != trace_ns.end()) f.run_ns -= std::min(f.run_ns, t->second);
  }
  std::erase_if(all, [](const ReportedFunction& f) { return f.calls == 0 && f.traces == 0; });
  std::ranges::stable_sort(all, std::greater(), &ReportedFunction::trace_ns);
  return all;
}

}  // namespace

Report make_report(const Reader& reader, const std::function<void()>& go_on) {
  const SessionRecords session(reader, go_on);
  const RunRecords& records = session.records();
  const session::Contents& contents = reader.contents();
  Report report;
  report.script = contents.run.script;
  report.seconds = static_cast<double>(reader.last_time() - reader.first_time()) / 1e9;
  report.ended = contents.end.has_value();
  if (contents.end) {
    report.exit_code = contents.end->exit_code;
    report.signal = contents.end->signal;
  }
  report.error = last_error(reader);
  for (const auto& d : contents.dropped)
    report.gaps.push_back(std::to_string(d.count) + ' ' + d.what + " were dropped: " + d.why);
  if (!reader.damage().empty()) report.gaps.push_back(reader.damage());
  if (!reader.left_out().empty()) report.gaps.push_back(reader.left_out());
  if (report.signal) report.gaps.push_back("the program was killed: up to 50 ms before that may be missing");
  report.functions = functions_of(records);
  for (const ReportedFunction& f : report.functions) {
    report.calls += f.calls;
    report.traces += f.traces;
    report.retraces += f.retraces;
    report.trace_ns += f.trace_ns;
  }
  Findings findings = find_findings(records, go_on);
  report.findings = std::move(findings.found);
  std::set<std::tuple<std::string, std::string, int>> said;
  for (const Suppressed& s : findings.suppressed) {
    const session::FunctionRecord* f = reader.function(s.function);
    std::string name = f ? f->name : "";
    const int rule = static_cast<int>(s.rule);
    if (said.emplace(name, s.cause, rule).second) report.suppressed.push_back({name, s.cause, rule});
  }
  return report;
}

std::set<TraceId> Report::removable() const {
  std::set<TraceId> all;
  for (const Finding& f : findings)
    if (f.checked.ok) all.insert(f.saved.begin(), f.saved.end());
  return all;
}

const ReportedFunction* Report::function(FunctionId id) const {
  const auto at = std::ranges::find_if(
      functions, [&](const ReportedFunction& f) { return std::ranges::find(f.ids, id) != f.ids.end(); });
  return at == functions.end() ? nullptr : &*at;
}

std::string function_name(const Reader& reader, const Finding& finding) {
  if (const session::FunctionRecord* f = reader.function(finding.function)) return f->name;
  if (const session::CodeRecord* c = reader.code(finding.code)) return c->qualname;
  return {};
}

std::string path_of(const Reader& reader, const Line& line) {
  const session::FileRecord* file = reader.file(line.file);
  return file ? file->path : std::string();
}

std::string message_of(const Finding& f) {
  std::string text = f.title + ". " + f.detail + '.';
  if (!f.fix.empty()) text += " Fix: " + f.fix + '.';
  return text + " (" + check_text(f.checked) + ")";
}

}  // namespace footlight::explain
