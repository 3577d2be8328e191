// Runs every cause on every function and sorts the findings.
#include "engine/explain/findings.h"

#include "engine/explain/candidates.h"

#include <algorithm>
#include <cstring>

namespace footlight::explain {
namespace {

using session::TraceRecord;

constexpr size_t kMostValueLines = 3;

// Every trace that `inner` would save was made while `outer` was traced, most of them in traces that it would save.
bool made_inside(const Evidence& evidence, const Finding& inner, const Finding& outer) {
  if (inner.function == outer.function || inner.saved.empty() || outer.saved.empty()) return false;
  const auto outer_run = evidence.functions().find(outer.function);
  if (outer_run == evidence.functions().end()) return false;
  const std::set<TraceId> saved(outer.saved.begin(), outer.saved.end());
  size_t in_saved = 0;
  for (const TraceId id : inner.saved) {
    const TraceRecord* t = evidence.trace(id);
    bool inside = false, in_one_saved = false;
    for (const TraceRecord* o : outer_run->second.traces) {
      if (!t || o->start_ns > t->start_ns || t->end_ns > o->end_ns) continue;
      inside = true;
      in_one_saved |= saved.contains(o->id);
    }
    if (!inside) return false;
    in_saved += in_one_saved;
  }
  return in_saved * 2 >= inner.saved.size();
}

bool explained_by(const Evidence& evidence, const Finding& inner, const Finding& outer) {
  if (!made_inside(evidence, inner, outer)) return false;
  if (!made_inside(evidence, outer, inner)) return true;
  // They call each other: the one that was called first is named.
  const auto first = [&](const Finding& f) {
    int64_t start = INT64_MAX;
    for (const TraceRecord* t : evidence.functions().at(f.function).traces) start = std::min(start, t->start_ns);
    return start;
  };
  return first(outer) < first(inner);
}

// Edits are written for the usual name of the module.
bool knows_tf(const Evidence& evidence, const Line& line) {
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
  return file != files.end() && file->text.find(" as tf") != std::string::npos;
}

}  // namespace

const Cause* Cause::first_ = nullptr;

Cause::Cause(const char* n, Propose f) : name(n), propose_(f), next_(first_) { first_ = this; }
Cause::Cause(const char* n, FindIn f) : name(n), in_(f), next_(first_) { first_ = this; }
Cause::Cause(const char* n, FindAll f) : name(n), all_(f), next_(first_) { first_ = this; }

void Cause::propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) const {
  const size_t before = to.size();
  if (propose_) propose_(evidence, run, to);
  for (size_t i = before; i < to.size(); ++i) to[i].finding.cause = name;
}

void Cause::find(const Evidence& evidence, Findings& to) const {
  const size_t found = to.found.size(), suppressed = to.suppressed.size();
  if (all_) all_(evidence, to);
  if (in_) {
    for (const auto& [id, run] : evidence.functions())
      if (!run.traces.empty()) in_(evidence, run, to);
  }
  for (size_t i = found; i < to.found.size(); ++i) to.found[i].cause = name;
  for (size_t i = suppressed; i < to.suppressed.size(); ++i) to.suppressed[i].cause = name;
}

std::vector<const Cause*> all_causes() {
  std::vector<const Cause*> causes;
  for (const Cause* c = Cause::first_; c; c = c->next_) causes.push_back(c);
  std::sort(causes.begin(), causes.end(), [](auto* a, auto* b) { return std::strcmp(a->name, b->name) < 0; });
  return causes;
}

void edit_at(Finding& finding, const Line& line, const char* role) {
  if (!line || line == finding.line) return;
  if (finding.line) finding.related.insert(finding.related.begin(), {role, finding.line});
  finding.line = line;
  std::erase_if(finding.related, [&](const RelatedLine& r) { return r.at == line; });
}

bool conclude(const Evidence& evidence, const FunctionRun& run, const ReplayResult& result, Finding& finding,
              size_t fewest) {
  if (result.saved.size() < fewest) return false;
  finding.function = run.id;
  finding.checked = result.checked;
  finding.cost_ns = run.tracing_ns();
  finding.saved_ns = result.saved_ns;
  for (const TraceRecord* t : result.saved) finding.saved.push_back(t->id);
  finding.example = result.saved.front()->id;
  for (const FunctionRun::Step& step : run.steps) finding.calls += step.call;
  finding.line = evidence.line(result.saved.front()->source);
  for (const Line& value : evidence.value_lines(run, finding.line, finding.path, finding.example)) {
    if (finding.related.size() == kMostValueLines) break;
    finding.related.push_back({"value", value});
  }
  edit_at(finding, evidence.passed_line(run, finding.line, finding.path, finding.example), "call");
  return true;
}

void also(Finding& finding, std::string fix, Checked checked, Finding::Edit edit) {
  if (checked.method == Checked::Method::kNone && checked.why_not.empty())
    checked.why_not = "a replay of keys does not tell";
  finding.alternatives.push_back({std::move(fix), std::move(edit), std::move(checked)});
}

bool also_if_it_saves(const Evidence& evidence, const FunctionRun& run, const ProposedFix& change, Finding& finding,
                      std::string fix, Finding::Edit edit) {
  Checked checked = replay(evidence, run, change).checked;
  if (!checked.ok) return false;
  also(finding, std::move(fix), std::move(checked), std::move(edit));
  return true;
}

std::string check_text(const Checked& checked) {
  if (checked.method == Checked::Method::kNone)
    return checked.why_not.empty() ? "not checked" : "not checked: " + checked.why_not;
  if (checked.method == Checked::Method::kRerun && !checked.why_not.empty()) return "run again: " + checked.why_not;
  if (checked.method == Checked::Method::kRerun) {
    const std::string traces =
        std::to_string(checked.traces_before) + " traces became " + std::to_string(checked.traces_after);
    return std::string("run again with the change: ") + (checked.ok ? "it is gone, " : "no help, ") + traces;
  }
  if (!checked.ok) return "replayed: saves no trace";
  return "replayed: saves " + std::to_string(checked.traces_before - checked.traces_after) + " of " +
         std::to_string(checked.traces_before) + " traces";
}

Findings find_findings(const RunRecords& records, const std::function<void()>& go_on) {
  const Evidence evidence(records);
  Findings all;
  for (const auto& [id, run] : evidence.functions()) {
    go_on();
    if (!run.traces.empty()) try_candidates(evidence, run, all);
  }
  for (const Cause* cause : all_causes()) {
    go_on();
    cause->find(evidence, all);
  }
  Findings kept;
  for (Finding& f : all.found) {
    if (f.edit.at && f.edit.new_text.find("tf.") != std::string::npos && !knows_tf(evidence, f.edit.at)) f.edit = {};
    const auto explains = [&](const Finding& outer) { return explained_by(evidence, f, outer); };
    if (std::ranges::none_of(all.found, explains)) kept.found.push_back(f);
    else kept.suppressed.push_back({f.function, f.cause, Rule::kOneRootCause});
  }
  std::ranges::stable_sort(kept.found, [](const Finding& a, const Finding& b) {
    const auto weight = [](const Finding& f) {
      return std::tuple(f.severity, !f.saved.empty() && f.checked.ok, f.saved_ns ? f.saved_ns : f.cost_ns);
    };
    return weight(a) > weight(b);
  });
  kept.suppressed.insert(kept.suppressed.end(), all.suppressed.begin(), all.suppressed.end());
  return kept;
}

}  // namespace footlight::explain
