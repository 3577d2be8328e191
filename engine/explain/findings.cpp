// Runs every cause on every function and sorts the findings.
#include "engine/explain/findings.h"

#include <algorithm>
#include <cstring>

namespace footlight::explain {
namespace {

using session::TraceRecord;

// Every trace that `inner` would save was made while a trace ran that `outer` would save.
bool explained_by(const Evidence& evidence, const Finding& inner, const Finding& outer) {
  if (inner.function == outer.function || inner.saved.empty()) return false;
  return std::all_of(inner.saved.begin(), inner.saved.end(), [&](TraceId id) {
    const TraceRecord* t = evidence.trace(id);
    return std::any_of(outer.saved.begin(), outer.saved.end(), [&](TraceId other) {
      const TraceRecord* around = evidence.trace(other);
      return t && around && around->start_ns <= t->start_ns && t->end_ns <= around->end_ns;
    });
  });
}

}  // namespace

const Cause* Cause::first_ = nullptr;

Cause::Cause(const char* n, Find f) : name(n), find(f), next_(first_) { first_ = this; }

std::vector<const Cause*> all_causes() {
  std::vector<const Cause*> causes;
  for (const Cause* c = Cause::first_; c; c = c->next_) causes.push_back(c);
  std::sort(causes.begin(), causes.end(), [](auto* a, auto* b) { return std::strcmp(a->name, b->name) < 0; });
  return causes;
}

bool conclude(const FunctionRun& run, const ReplayResult& result, Finding& finding, size_t fewest) {
  if (result.saved.size() < fewest) return false;
  finding.function = run.id;
  finding.checked = result.checked;
  finding.cost_ns = run.tracing_ns();
  finding.saved_ns = result.saved_ns;
  for (const TraceRecord* t : result.saved) finding.saved.push_back(t->id);
  finding.example = result.saved.front()->id;
  finding.call = result.saved.front()->source;
  return true;
}

std::string check_text(const Checked& checked) {
  if (checked.method == Checked::Method::kNone)
    return checked.why_not.empty() ? "not checked" : "not checked: " + checked.why_not;
  if (!checked.ok) return "replayed: saves no trace";
  return "replayed: saves " + std::to_string(checked.traces_before - checked.traces_after) + " of " +
         std::to_string(checked.traces_before) + " traces";
}

std::vector<Finding> find_findings(const RunRecords& records) {
  const Evidence evidence(records);
  std::vector<Finding> all;
  for (const Cause* cause : all_causes()) {
    for (const auto& [id, run] : evidence.functions()) {
      if (run.traces.empty()) continue;
      const size_t before = all.size();
      cause->find(evidence, run, all);
      for (size_t i = before; i < all.size(); ++i) all[i].cause = cause->name;
    }
  }
  std::vector<Finding> found;
  for (const Finding& f : all) {
    const auto explains = [&](const Finding& outer) { return explained_by(evidence, f, outer); };
    if (std::none_of(all.begin(), all.end(), explains)) found.push_back(f);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.saved_ns > b.saved_ns; });
  return found;
}

}  // namespace footlight::explain
