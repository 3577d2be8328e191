// Runs every cause on every function and sorts the findings.
#include "engine/explain/findings.h"

#include "engine/base/place.h"
#include "engine/explain/candidates.h"
#include "engine/explain/causes/wrong_results.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/engines.h"
#include "engine/explain/nesting.h"
#include "engine/explain/torch_rules.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cstring>

namespace footlight::explain {
namespace {

using session::TraceRecord;

constexpr size_t kMaxValueLines = 3;

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
      if (!t || !was_made_inside(*t, *o)) continue;
      inside = true;
      in_one_saved |= saved.contains(o->id);
    }
    if (!inside) return false;
    in_saved += in_one_saved;
  }
  return in_saved * 2 >= inner.saved.size();
}

// Python that runs often inside of the stage of a pipeline that a loop waits for: `inner` is the Python.
bool is_what_input_waits_for(const Evidence& evidence, const Finding& inner, const Finding& outer) {
  if (outer.cause != "starved_by_input" || inner.cause != "py_function_hot_spot") return false;
  const auto& functions = evidence.records().functions;
  const auto function = std::ranges::find(functions, inner.function, &session::FunctionRecord::id);
  return function != functions.end() && function->file == outer.line.file &&
         function->decorator_line == outer.line.line && outer.cost_ns * 2 >= inner.cost_ns;
}

// The pipelines that a library makes in each call are not what is to be made faster.
bool is_pipeline_of_library(const Finding& inner, const Finding& outer) {
  if (inner.cause != "starved_by_input" || outer.cause != "library_call_in_loop") return false;
  const auto same = [&](const RelatedLine& related) { return related.at == outer.line; };
  return inner.line == outer.line || std::ranges::any_of(inner.related, same);
}

// Lists of several lengths in which numbers change, too: where passing the numbers as tensors spares all traces that
// one structure would spare, the structure is not what costs them.
bool is_saved_by_numbers(const Finding& inner, const Finding& outer) {
  if (inner.cause != "structure_change" || outer.cause != "python_scalar_argument") return false;
  if (inner.function != outer.function || inner.saved.empty()) return false;
  const std::string& path = inner.path;
  const size_t start = path.starts_with("len(") ? 4 : 0;
  const std::string around = path.substr(start, path.rfind(']') + 1 - start) + '[';
  const auto is_saved = [&](TraceId id) { return std::ranges::find(outer.saved, id) != outer.saved.end(); };
  return outer.path.starts_with(around) && std::ranges::all_of(inner.saved, is_saved);
}

bool explained_by(const Evidence& evidence, const Finding& inner, const Finding& outer) {
  if (is_saved_by_numbers(inner, outer)) return true;
  if (is_pipeline_of_library(inner, outer)) return true;
  if (is_what_input_waits_for(evidence, inner, outer)) return true;
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

// Edits are written for the usual name of the module: "tf", "jnp".
bool knows(const Evidence& evidence, const Line& line, const std::string& module) {
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
  if (file == files.end()) return false;
  return std::ranges::any_of(files, [&](const session::FileRecord& f) {
    return (&f == &*file || (is_cell(f.path) && is_cell(file->path))) &&
           f.text.find(" as " + module) != std::string::npos;
  });
}

}  // namespace

const Cause* Cause::first_ = nullptr;

Cause::Cause(const char* n, Propose f, const char* e) : name(n), engine(e), propose_(f), next_(first_) {
  first_ = this;
}
Cause::Cause(const char* n, FindIn f, const char* e) : name(n), engine(e), in_(f), next_(first_) { first_ = this; }
Cause::Cause(const char* n, FindAll f, const char* e, bool last)
    : name(n), engine(e), after_others(last), all_(f), next_(first_) {
  first_ = this;
}
Cause::Cause(const char* n, Propose p, FindAll f, const char* e)
    : name(n), engine(e), propose_(p), all_(f), next_(first_) {
  first_ = this;
}

void Cause::propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) const {
  const size_t before = candidates.size();
  if (propose_) propose_(evidence, run, candidates);
  for (size_t i = before; i < candidates.size(); ++i) candidates[i].finding.cause = name;
}

void Cause::find(const Evidence& evidence, Findings& findings) const {
  const size_t found = findings.found.size(), suppressed = findings.suppressed.size();
  if (all_) all_(evidence, findings);
  if (in_) {
    for (const auto& [id, run] : evidence.functions())
      if (!run.traces.empty()) in_(evidence, run, findings);
  }
  for (size_t i = found; i < findings.found.size(); ++i) findings.found[i].cause = name;
  for (size_t i = suppressed; i < findings.suppressed.size(); ++i) findings.suppressed[i].cause = name;
}

std::vector<const Cause*> all_causes() {
  std::vector<const Cause*> causes;
  for (const Cause* c = Cause::first_; c; c = c->next_) causes.push_back(c);
  std::ranges::sort(causes, {}, [](const Cause* c) { return std::pair(c->after_others, std::string_view(c->name)); });
  return causes;
}

std::set<TraceId> saved_by_all(std::span<const Finding* const> all, const SavedByFunction& together) {
  // One may be missing: the same root cause is a finding of another function, or it is no problem here.
  std::map<FunctionId, size_t> present;
  for (const Finding* f : all)
    if (f->checked.ok) ++present[f->function];
  std::set<TraceId> saved;
  for (const Finding* f : all) {
    if (!f->checked.ok) continue;
    const auto at = together.find(f->function);
    const bool is_whole = at != together.end() && at->second.findings == present[f->function];
    const std::vector<TraceId>& traces = is_whole ? at->second.saved : f->saved;
    saved.insert(traces.begin(), traces.end());
  }
  return saved;
}

bool costs_enough(const Evidence& evidence, int64_t ns, const MinCost& min) {
  return ns >= min.ns && static_cast<double>(ns) >= min.share_of_run * static_cast<double>(evidence.records().run_ns);
}

void edit_at(Finding& finding, const Line& line, const char* role) {
  if (!line || line == finding.line) return;
  if (finding.line) finding.related.insert(finding.related.begin(), {role, finding.line});
  finding.line = line;
  std::erase_if(finding.related, [&](const RelatedLine& r) { return r.at == line; });
}

namespace {

// The first of the traces that were made by calls from the line that made most of them.
const TraceRecord& example_of(const Evidence& evidence, const std::vector<const TraceRecord*>& traces) {
  std::map<Line, size_t> counts;
  for (const TraceRecord* t : traces) ++counts[evidence.line(t->source)];
  const TraceRecord* first = traces.front();
  for (const TraceRecord* t : traces)
    if (counts[evidence.line(t->source)] > counts[evidence.line(first->source)]) first = t;
  return *first;
}

}  // namespace

bool fill_from_replay(const Evidence& evidence, const FunctionRun& run, const ReplayResult& result, Finding& finding,
                      size_t fewest) {
  if (result.saved.size() < fewest) return false;
  finding.function = run.id;
  finding.checked = result.checked;
  finding.cost_ns = run.tracing_ns();
  finding.saved_ns = result.saved_ns();
  for (const TraceRecord* t : result.saved) finding.saved.push_back(t->id);
  const TraceRecord& example = example_of(evidence, result.saved);
  finding.example = example.id;
  finding.calls = evidence.calls_of(run.id);
  finding.line = evidence.line(example.source);
  for (const Line& value : evidence.value_lines(run, finding.line, finding.path, finding.example)) {
    if (finding.related.size() == kMaxValueLines) break;
    finding.related.push_back({"value", value});
  }
  edit_at(finding, evidence.passed_line(run, finding.line, finding.path, finding.example), "call");
  return true;
}

void add_alternative(Finding& finding, std::string fix, Checked checked, Finding::Edit edit) {
  if (checked.method == Checked::Method::kNone && checked.why_not.empty())
    checked.why_not = "a replay of the recorded calls cannot show it";
  finding.alternatives.push_back({std::move(fix), std::move(edit), std::move(checked)});
}

bool add_if_it_saves(const Evidence& evidence, const FunctionRun& run, const ProposedFix& change, Finding& finding,
                     std::string fix, Finding::Edit edit) {
  Checked checked = replay(evidence, run, change).checked;
  if (!checked.ok) return false;
  add_alternative(finding, std::move(fix), std::move(checked), std::move(edit));
  return true;
}

namespace {

// `how`: " after F1", with which other fixes it was checked.
std::string text_of_check(const Checked& checked, const std::string& how) {
  if (checked.method == Checked::Method::kNone)
    return checked.why_not.empty() ? "Not verified" : "Not verified: " + checked.why_not;
  const std::string before = with_commas(checked.traces_before), after = with_commas(checked.traces_after);
  if (checked.method == Checked::Method::kRerun) {
    const std::string ran = "Run again with the change" + how + ": ";
    if (!checked.why_not.empty()) return ran + checked.why_not;
    if (checked.cost_after_ns > 0)
      return ran + (checked.ok ? "" : "it does not help, ") + time_text(static_cast<double>(checked.cost_before_ns)) +
             " became " + time_text(static_cast<double>(checked.cost_after_ns));
    if (!checked.ok) return ran + "it does not help, " + before + " traces became " + after;
    return ran + (checked.traces_before == checked.traces_after ? "the problem is gone"
                                                                : before + " traces became " + after);
  }
  if (!checked.ok) return "Replayed" + how + ": saves no trace";
  if (checked.eager_before > checked.eager_after)
    return "Replayed" + how + ": " + with_commas(checked.eager_before) + " eager calls became " +
           with_commas(checked.eager_after);
  return "Replayed" + how + ": saves " + with_commas(checked.traces_before - checked.traces_after) + " of " +
         before + " traces";
}

bool comes_after(const Finding& finding, size_t other) {
  return std::ranges::find(finding.after, other) != finding.after.end();
}

// Puts each finding behind those that it needs, and names these by their new places. `serials`: where each finding
// stood when `after` was written.
void put_in_order(std::vector<Finding>& found, std::vector<size_t> serials) {
  std::vector<size_t> place(serials.empty() ? 0 : *std::ranges::max_element(serials) + 1, SIZE_MAX);
  for (size_t i = 0; i < found.size(); ++i) place[serials[i]] = i;
  for (Finding& f : found) {
    std::vector<size_t> after;
    for (const size_t serial : f.after)
      if (serial < place.size() && place[serial] != SIZE_MAX) after.push_back(place[serial]);
    f.after = std::move(after);
  }
  std::vector<size_t> order;
  std::vector<bool> taken(found.size(), false);
  while (order.size() < found.size()) {
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < found.size() && next == SIZE_MAX; ++i) {
      const auto waits = [&](size_t other) { return !taken[other] && !comes_after(found[other], i); };
      if (!taken[i] && std::ranges::none_of(found[i].after, waits)) next = i;
    }
    if (next == SIZE_MAX) next = static_cast<size_t>(std::ranges::find(taken, false) - taken.begin());
    taken[next] = true;
    order.push_back(next);
  }
  std::vector<size_t> now(found.size());
  for (size_t i = 0; i < order.size(); ++i) now[order[i]] = i;
  std::vector<Finding> sorted;
  for (const size_t i : order) sorted.push_back(std::move(found[i]));
  for (Finding& f : sorted) {
    for (size_t& other : f.after) other = now[other];
    std::ranges::sort(f.after);
  }
  found = std::move(sorted);
}

// A stage that runs Python is also faster with a faster function.
void add_fixes_of_python(Findings& all, const Evidence& evidence) {
  for (Finding& outer : all.found)
    for (const Finding& inner : all.found) {
      if (!is_what_input_waits_for(evidence, inner, outer)) continue;
      const auto same = [&](const Finding::Alternative& a) { return a.fix == inner.fix; };
      if (outer.fix != inner.fix && std::ranges::none_of(outer.alternatives, same))
        add_alternative(outer, inner.fix, inner.checked, inner.edit);
    }
}

// Python state that a line changes while functions are traced, and in how many of these traces.
struct ChangedInTraces {
  std::string name;
  Line line;
  size_t traces = 0, spared = 0;  // `spared`: of those that a fix leaves out
};

// What the traces change that a fix spares: each of them changes it once now.
std::vector<ChangedInTraces> changed_in_spared(const Evidence& evidence, const Finding& f) {
  std::vector<const TraceRecord*> spared;
  for (const TraceId id : f.saved)
    if (const TraceRecord* t = evidence.trace(id)) spared.push_back(t);
  std::vector<ChangedInTraces> all;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    const TraceRecord* in = o.kind == session::ObservationKind::kSideEffect ? evidence.trace(o.trace) : nullptr;
    if (!in || adds_the_same(evidence, o)) continue;
    const std::string name = name_in(o.path);
    const Line line{o.file, o.line};
    auto at = std::ranges::find_if(all, [&](const auto& c) { return c.name == name && c.line == line; });
    if (at == all.end()) at = all.insert(all.end(), {name, line});
    ++at->traces;
    at->spared += std::ranges::any_of(spared, [&](const TraceRecord* t) { return was_made_inside(*in, *t); });
  }
  std::erase_if(all, [](const ChangedInTraces& c) { return c.spared == 0; });
  return all;
}

// A program may count on each call being traced: with fewer traces, what Python changes in them changes less often.
void warn_of_lost_changes(const Evidence& evidence, Finding& f) {
  const auto run = evidence.functions().find(f.function);
  if (run == evidence.functions().end() || is_torch(run->second)) return;  // PyTorch repeats such changes in each call
  const std::string function = short_name(evidence, f.function);
  for (const ChangedInTraces& c : changed_in_spared(evidence, f)) {
    const auto& files = evidence.records().files;
    const auto file = std::ranges::find(files, c.line.file, &session::FileRecord::id);
    const std::string place = file == files.end() ? "Python" : footlight::place_text(file->path, c.line.line);
    const std::string why = "; but " + place + " changes " + c.name + " only while " + function + " is traced, " +
                            how_often(c.traces) + " so far and ";
    const std::string first = " with this fix, so move that out of " + function + " first";
    f.fix += why + (c.traces == c.spared ? "never" : how_often(c.traces - c.spared)) + first;
    for (Finding::Alternative& a : f.alternatives)
      if (a.checked.ok) a.fix += "; but then, too, " + place + " changes " + c.name + " less often";
  }
}

// A fix that is an edit comes before one that is advice, if it is as good.
void put_edit_first(Finding& f) {
  if (f.edit.at) return;
  const auto as_good = [&](const Finding::Alternative& a) {
    return a.edit.at && a.checked.ok == f.checked.ok &&
           (!f.checked.ok || a.checked.traces_after <= f.checked.traces_after);
  };
  const auto at = std::ranges::find_if(f.alternatives, as_good);
  if (at == f.alternatives.end()) return;
  std::swap(f.fix, at->fix);
  std::swap(f.edit, at->edit);
  std::swap(f.checked, at->checked);
  std::rotate(f.alternatives.begin(), at, at + 1);
}

}  // namespace

std::string check_text(const Checked& checked) { return text_of_check(checked, {}); }

std::string order_text(std::span<const Finding> all, size_t at) {
  std::string after, together;
  for (const size_t other : all[at].after) {
    std::string& names = comes_after(all[other], at) ? together : after;
    names += (names.empty() ? "F" : " and F") + std::to_string(other + 1);
  }
  std::string text = after.empty() ? "" : "after " + after;
  if (!together.empty()) text += (text.empty() ? "together with " : ", together with ") + together;
  return text;
}

std::string check_text(std::span<const Finding> all, size_t at) {
  const std::string order = order_text(all, at);
  return text_of_check(all[at].checked, order.empty() ? order : ' ' + order);
}

std::vector<Finding::Edit> edits_together(std::span<const Finding> all, size_t at) {
  std::vector<Finding::Edit> edits{all[at].edit};
  for (const size_t other : all[at].after) edits.push_back(all[other].edit);
  for (const Finding::Edit& edit : edits)
    if (!edit.at || edit.at.file != edits.front().at.file) return {};
  return edits;
}

Findings find_findings(const RunRecords& records, const std::function<void()>& go_on) {
  const std::string kModules[] = {"tf", "jnp"};
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
  add_fixes_of_python(all, evidence);
  apply_torch_rules(evidence, all);
  Findings kept;
  std::vector<std::pair<size_t, size_t>> order;  // place in `kept`, in `all`
  for (Finding& f : all.found) {
    const auto cannot_be_made = [&](const Finding::Edit& edit) {
      return edit.at && std::ranges::any_of(kModules, [&](const std::string& module) {
               return edit.new_text.find(module + '.') != std::string::npos && !knows(evidence, edit.at, module);
             });
    };
    if (cannot_be_made(f.edit)) f.edit = {};
    for (Finding::Alternative& a : f.alternatives)
      if (cannot_be_made(a.edit)) a.edit = {};
    put_edit_first(f);
    warn_of_lost_changes(evidence, f);
    const auto explains = [&](const Finding& outer) { return explained_by(evidence, f, outer); };
    if (std::ranges::any_of(all.found, explains)) {
      kept.suppressed.push_back({f.function, f.cause, Rule::kOneRootCause});
      continue;
    }
    order.emplace_back(order.size(), static_cast<size_t>(&f - all.found.data()));
    kept.found.push_back(f);
  }
  const auto weight = [&](const std::pair<size_t, size_t>& place) {
    const Finding& f = kept.found[place.first];
    return std::tuple(f.severity, !f.saved.empty() && f.checked.ok, f.saved_ns ? f.saved_ns : f.cost_ns);
  };
  std::ranges::stable_sort(order, std::greater(), weight);
  std::vector<Finding> found;
  std::vector<size_t> serials;
  for (const auto& [place, serial] : order) {
    found.push_back(std::move(kept.found[place]));
    serials.push_back(serial);
  }
  put_in_order(found, std::move(serials));
  kept.found = std::move(found);
  kept.suppressed.insert(kept.suppressed.end(), all.suppressed.begin(), all.suppressed.end());
  kept.together = std::move(all.together);
  // What is a finding elsewhere in the function is not said to be legitimate.
  std::erase_if(kept.suppressed, [&](const Suppressed& s) {
    const auto same = [&](const Finding& f) { return f.function == s.function && f.cause == s.cause; };
    return (s.rule == Rule::kAskedFor || s.rule == Rule::kNotConfirmed) && std::ranges::any_of(kept.found, same);
  });
  return kept;
}

}  // namespace footlight::explain
