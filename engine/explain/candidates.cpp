// Replays candidates alone and together.
#include "engine/explain/candidates.h"

#include "engine/base/place.h"
#include "engine/explain/engines.h"
#include "engine/explain/graph_pairs.h"
#include "engine/explain/torch_rules.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace footlight::explain {
namespace {

using session::TraceRecord;

constexpr size_t kMaxRelated = 6;

struct Attempt {
  ReplayResult result;
  GraphRelation graphs = GraphRelation::kIdentical;  // the largest difference between graphs that would become one
  bool few_programs = false;  // at most half of them differ in more than constants: a value that also decides an `if`
  bool suits(GraphRelation most) const {
    return graphs <= most || (graphs == GraphRelation::kStructure && most == GraphRelation::kConstants && few_programs);
  }
};

// Whether the graphs of a group are at most half as many programs as there are traces.
bool are_few_programs(const Evidence& evidence, const std::vector<const TraceRecord*>& group,
                      bool captures_may_differ) {
  std::vector<const TraceRecord*> programs;
  for (const TraceRecord* t : group) {
    const auto same = [&](const TraceRecord* other) {
      const TraceRecord* const pair[] = {other, t};
      return evidence.compare_graphs(pair, captures_may_differ) <= GraphRelation::kConstants;
    };
    if (std::ranges::none_of(programs, same)) programs.push_back(t);
    if (programs.size() * 2 > group.size()) return false;
  }
  return true;
}

Attempt attempt(const Evidence& evidence, const FunctionRun& run, const ProposedFix& fix,
                const std::set<std::string>& paths, bool captures_may_differ) {
  Attempt made{replay(evidence, run, fix)};
  if (made.result.checked.method == Checked::Method::kNone)
    made.result = merge_by_leaves(run, paths, made.result.checked);
  made.few_programs = true;
  for (const auto& group : made.result.merged) {
    made.graphs = std::max(made.graphs, evidence.compare_graphs(group, captures_may_differ));
    if (group.size() > 1 && made.few_programs)
      made.few_programs = are_few_programs(evidence, group, captures_may_differ);
  }
  return made;
}

// The fixes of several candidates, as one.
Attempt attempt(const Evidence& evidence, const FunctionRun& run, const std::vector<Candidate*>& candidates) {
  ProposedFix fix;
  std::set<std::string> paths;
  bool captures_may_differ = false;
  for (const Candidate* c : candidates) {
    fix = both(fix, c->fix);
    paths.insert(c->paths.begin(), c->paths.end());
    captures_may_differ |= c->captures_may_differ;
  }
  return attempt(evidence, run, fix, paths, captures_may_differ);
}

// What the traces of a group read outside of their arguments and found changed since its first trace: "self.beta". The
// graph of that one would keep the old value.
std::vector<std::string> state_read_anew(const Evidence& evidence,
                                         const std::vector<std::vector<const TraceRecord*>>& merged) {
  std::vector<std::string> names;
  for (const auto& group : merged) {
    if (group.size() < 2) continue;
    const TraceRecord* const first = *std::ranges::min_element(group, {}, &TraceRecord::start_ns);
    for (const session::ObservationRecord& o : evidence.records().observations) {
      if (o.kind != session::ObservationKind::kStateChanged || o.trace != first->id) continue;
      const bool came_back = o.note == session::kCameBack;
      const std::string name = name_in(o.path);
      const bool read_later =
          std::ranges::any_of(group, [&](const TraceRecord* t) { return t->start_ns > o.time_ns; });
      if (!came_back && read_later && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// One trace would serve calls that found another value there: no edit that leaves out traces alone is right then.
void keep_state_first(const Evidence& evidence, const std::vector<std::string>& names, Finding& f) {
  if (names.empty()) return;
  const std::string all = joined(names, " and ");
  const std::string too = is_jax(evidence, f.function) ? ", and pass " + all + " as an argument: "
                                                       : ", and keep " + all + " in a tf.Variable: ";
  const std::string why = "each new trace reads it again, and one trace would keep its first value";
  f.fix += too + why;
  f.edit = {};
  for (Finding::Alternative& a : f.alternatives) {
    a.fix += too + why;
    a.edit = {};
  }
}

// Fills in what the replay tells; false if the change would save nothing.
bool complete(const Evidence& evidence, const FunctionRun& run, const Candidate& c, const Attempt& made, Finding& f) {
  // A fix that spares calls makes no two graphs one.
  const bool any_merged = std::ranges::any_of(made.result.merged, [](const auto& group) { return group.size() > 1; });
  f.graphs = any_merged ? made.graphs : GraphRelation::kUnknown;
  if (!fill_from_replay(evidence, run, made.result, f, 1)) return false;
  describe_graphs(evidence, made.result.merged, f);
  if (c.edit_at == Candidate::EditAt::kDefinition) {
    edit_at(f, evidence.definition(run), "call");
  } else if (c.edit_at == Candidate::EditAt::kValue) {
    const auto value = std::ranges::find(f.related, "value", &RelatedLine::role);
    if (value != f.related.end()) edit_at(f, Line(value->at), "call");
  }
  if (c.complete) c.complete(f, made.result);
  keep_state_first(evidence, state_read_anew(evidence, made.result.merged), f);
  return true;
}

// "used 10 times", "used 4 to 10 times": how many calls each of the traces served.
std::string uses_text(const Evidence& evidence, const std::vector<const TraceRecord*>& traces) {
  uint64_t least = UINT64_MAX, most = 0;
  for (const TraceRecord* t : traces) {
    const uint64_t calls = evidence.calls_of(t->id);
    least = std::min(least, calls);
    most = std::max(most, calls);
  }
  return "used " + (least == most ? how_often(most) : with_commas(least) + " to " + with_commas(most) + " times");
}

// "e is a Python number with 4 values, a trace each, each used 10 times; tf.constant(e) would make one". Says nothing
// where no replay confirms that.
void say_what_few_cost(const Evidence& evidence, const FunctionRun& run, const Candidate& c, const Attempt& made,
                       Suppressed& said) {
  Finding f = c.finding;
  if (c.few.empty() || is_torch(run)) return;  // whose fixes have words of their own, for findings alone
  if (!made.result.checked.ok || !made.suits(c.most) || !complete(evidence, run, c, made, f)) return;
  std::vector<const TraceRecord*> traces;
  size_t groups = 0;
  for (const auto& group : made.result.merged) {
    if (group.size() < 2) continue;
    ++groups;
    traces.insert(traces.end(), group.begin(), group.end());
  }
  if (groups == 0) return;
  const bool is_one_each = groups == 1 && traces.size() == f.values.size();
  const std::string would_make = " would make " + (groups == 1 ? std::string("one") : with_commas(groups));
  const bool is_expression = f.fix.find(' ') == f.fix.npos;
  said.detail = c.few + (is_one_each ? ", a trace each," : ", in " + with_commas(traces.size()) + " traces,") +
                " each " + uses_text(evidence, traces) + "; " +
                (is_expression ? f.fix + would_make : "this" + would_make + ": " + f.fix);
  said.saved = f.saved;
}

// The lines of calls that need not have traced.
std::set<Line> saved_calls(const Evidence& evidence, const Attempt& made) {
  std::set<Line> calls;
  for (const TraceRecord* t : made.result.saved) calls.insert(evidence.line(t->source));
  calls.erase(Line());
  return calls;
}

// "train.py:12, train.py:15 and 3 more": these lines without one of them.
std::string places_of_lines(const Evidence& evidence, const std::set<Line>& lines, const Line& without = {}) {
  constexpr size_t kMaxNamed = 3;
  std::vector<std::string> names;
  size_t more = 0;
  for (const Line& line : lines) {
    const auto& files = evidence.records().files;
    const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
    if (line == without || file == files.end()) continue;
    if (names.size() < kMaxNamed) names.push_back(place_text(file->path, line.line));
    else ++more;
  }
  return joined(names, ", ") + (more ? " and " + std::to_string(more) + " more" : "");
}

// An edit of one of these lines alone leaves the calls of the others as they are.
void ask_for_all(const Evidence& evidence, const std::set<Line>& calls, Finding& f) {
  f.edit = {};
  for (Finding::Alternative& a : f.alternatives)
    if (a.edit.at == f.line) a.edit = {};
  const std::string places = places_of_lines(evidence, calls);
  if (calls.size() > 1 && !places.empty()) f.fix += "; each of these lines needs it: " + places;
}

// The calls whose argument changes with an edit of one line, which is the line of the call or makes the value.
class EditedCalls {
 public:
  EditedCalls(const Evidence& evidence, const FunctionRun& run, const std::string& path, const Line& edited)
      : evidence_(evidence), run_(run), path_(path), edited_(edited) {}

  bool contain(const FunctionRun::Step& step) {
    const Line call = evidence_.line(step.source);
    const auto [at, added] = known_.try_emplace({call, step.trace->id}, call == edited_);
    if (added && !at->second) {
      const std::vector<Line> values = evidence_.value_lines(run_, call, path_, step.trace->id);
      at->second = std::ranges::find(values, edited_) != values.end();
    }
    return at->second;
  }

 private:
  const Evidence& evidence_;
  const FunctionRun& run_;
  const std::string& path_;
  Line edited_;
  std::map<std::pair<Line, TraceId>, bool> known_;
};

// Whether the fix changes calls that an edit of this line alone does not. One of the definition changes them all.
bool needs_more_edits(const Evidence& evidence, const FunctionRun& run, const Candidate& c, const Line& edited) {
  if (!edited || edited == evidence.definition(run)) return false;
  EditedCalls calls(evidence, run, c.finding.path, edited);
  return std::ranges::any_of(run.steps, [&](const FunctionRun::Step& step) {
    return step.call && c.fix.call.touches(step) && !calls.contain(step);
  });
}

// Tries the fixes of `team`, where the fix of `c` changes only the calls that an edit of this line changes.
Attempt attempt_with_edit(const Evidence& evidence, const FunctionRun& run, const Candidate& c, const Line& edited,
                   const std::vector<Candidate*>& team) {
  Candidate here = c;
  EditedCalls calls(evidence, run, c.finding.path, edited);
  here.fix.call = c.fix.call.only([&](const FunctionRun::Step& step) { return calls.contain(step); });
  std::vector<Candidate*> all = team;
  std::erase(all, &c);
  all.push_back(&here);
  return attempt(evidence, run, all);
}

// Alternatives whose edit leaves out calls that the fix changes are worth what a replay of that edit saves.
void check_alternatives(const Evidence& evidence, const FunctionRun& run, const Candidate& c,
                        const std::vector<Candidate*>& team, Finding& f) {
  for (Finding::Alternative& a : f.alternatives) {
    if (a.edit.at == f.edit.at || !needs_more_edits(evidence, run, c, a.edit.at)) continue;
    const Attempt here = attempt_with_edit(evidence, run, c, a.edit.at, team);
    if (here.result.checked.traces_after == a.checked.traces_after) continue;
    if (team.empty() && here.result.checked.ok) a.checked = here.result.checked;
    else a.edit = {};
  }
}

// Adds the finding and returns its place; none if the change would save nothing. `team`: the candidates with which it
// was tried; empty: it was tried alone.
std::optional<size_t> accept(const Evidence& evidence, const FunctionRun& run, const Candidate& c, Attempt made,
                             Findings& findings, const std::vector<Candidate*>& team = {}) {
  Finding f = c.finding;
  if (!complete(evidence, run, c, made, f)) return {};
  std::set<Line> calls = saved_calls(evidence, made);
  // An edit does not change the calls of other lines: the fix is worth what a replay of that edit saves.
  if (needs_more_edits(evidence, run, c, f.edit.at)) {
    Attempt here = attempt_with_edit(evidence, run, c, f.edit.at, team);
    const size_t saved_by_all = made.result.saved.size();
    const bool is_same = here.result.checked.traces_after == made.result.checked.traces_after;
    const bool does = team.empty() && here.result.saved.size() >= c.fewest && here.suits(c.most) &&
                      here.result.saved.size() * 2 >= saved_by_all;
    if (!is_same && does) {
      const Checked all = made.result.checked;
      const std::set<Line> lines = std::move(calls);
      f = c.finding;
      made = std::move(here);
      if (!complete(evidence, run, c, made, f)) return {};
      calls = saved_calls(evidence, made);
      const std::string others = places_of_lines(evidence, lines, f.line);
      if (all.ok && !others.empty()) add_alternative(f, "The same at " + others + ", too", all);
    } else if (!is_same) {
      ask_for_all(evidence, calls, f);
    }
  } else if (!f.edit.at && calls.size() > 1 && c.edit_at == Candidate::EditAt::kCall) {
    ask_for_all(evidence, calls, f);
  }
  check_alternatives(evidence, run, c, team, f);
  for (const Line& call : calls) {
    const bool known = call == f.line || std::ranges::find(f.related, call, &RelatedLine::at) != f.related.end();
    if (!known && f.related.size() < kMaxRelated) f.related.push_back({"call", call});
  }
  findings.found.push_back(std::move(f));
  return findings.found.size() - 1;
}

// Among candidates for the same argument, the best comes first.
bool better(const std::pair<Candidate*, Attempt>& a, const std::pair<Candidate*, Attempt>& b) {
  if (a.second.result.saved.size() != b.second.result.saved.size())
    return a.second.result.saved.size() > b.second.result.saved.size();
  return a.first->most < b.first->most;
}

bool overlap(const Candidate& a, const Candidate& b) {
  return std::ranges::any_of(a.paths, [&](const std::string& path) { return b.paths.count(path) > 0; });
}

// The largest difference between graphs that become one with `made` and did not with `alone`.
GraphRelation difference_made(const Evidence& evidence, const Attempt& alone, const Attempt& made,
                              bool captures_may_differ) {
  std::unordered_map<const TraceRecord*, size_t> group_of;
  for (size_t i = 0; i < alone.result.merged.size(); ++i)
    for (const TraceRecord* t : alone.result.merged[i]) group_of[t] = i;
  GraphRelation most = GraphRelation::kIdentical;
  for (const auto& group : made.result.merged) {
    std::vector<const TraceRecord*> one_of_each;
    std::set<size_t> seen;
    for (const TraceRecord* t : group)
      if (const auto at = group_of.find(t); at == group_of.end() || seen.insert(at->second).second)
        one_of_each.push_back(t);
    if (!one_of_each.empty()) most = std::max(most, evidence.compare_graphs(one_of_each, captures_may_differ));
  }
  return most;
}

using Places = std::map<const Candidate*, size_t>;  // of the findings made from them

// Without `other`, `one` of the team would save too little.
bool needs(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate*> team, const Candidate* one,
           const Candidate* other) {
  std::erase(team, other);
  const size_t with = attempt(evidence, run, team).result.saved.size();
  std::erase(team, one);
  return with < attempt(evidence, run, team).result.saved.size() + kMinSaved;
}

// What saves nothing alone may do so with another: two arguments that are both different in every call. `taken` are
// findings already; the others that help each other are appended to it.
void try_together(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate*>& taken, Places& places,
                  std::vector<Candidate*> others, Findings& findings) {
  // The most tolerant candidate stands for an argument.
  std::ranges::stable_sort(others, [](const Candidate* a, const Candidate* b) { return a->most > b->most; });
  const size_t own = taken.size();
  std::vector<Candidate*> team = taken;
  for (Candidate* c : others)
    if (std::ranges::none_of(team, [&](const Candidate* t) { return overlap(*t, *c); })) team.push_back(c);
  if (team.size() == own || team.size() < 2) return;
  const Attempt alone = attempt(evidence, run, taken);
  Attempt made = attempt(evidence, run, team);
  const auto suits = [&](const Attempt& a, const std::vector<Candidate*>& members) {
    GraphRelation least = GraphRelation::kStructure;
    bool captures = false;
    for (size_t i = own; i < members.size(); ++i) {
      least = std::min(least, members[i]->most);
      captures |= members[i]->captures_may_differ;
    }
    return difference_made(evidence, alone, a, captures) <= least;
  };
  for (size_t i = team.size(); i-- > own;) {  // those that change nothing, or too much, are left out again
    std::vector<Candidate*> fewer = team;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    Attempt without = attempt(evidence, run, fewer);
    if (without.result.saved.size() < made.result.saved.size() && suits(made, team)) continue;
    team = std::move(fewer);
    made = std::move(without);
  }
  if (team.size() == own || !suits(made, team)) return;
  made.graphs = difference_made(evidence, alone, made, false);
  made.result.checked.traces_before = alone.result.checked.traces_after;
  std::erase_if(made.result.saved, [&](const TraceRecord* t) {
    return std::ranges::find(alone.result.saved, t) != alone.result.saved.end();
  });
  size_t fewest = kMinSaved;
  for (size_t i = own; i < team.size(); ++i) fewest = std::max(fewest, team[i]->fewest);
  if (made.result.saved.size() < fewest) return;
  std::ranges::sort(team.begin() + static_cast<std::ptrdiff_t>(own), team.end(), {},
                    [](const Candidate* c) { return std::string_view(c->finding.path); });
  // What needs none of the other findings is checked without their fixes, so that it counts all traces.
  const auto needs_a_finding = [&](const Candidate* c) {
    return std::any_of(team.begin(), team.begin() + static_cast<std::ptrdiff_t>(own),
                       [&](const Candidate* other) { return needs(evidence, run, team, c, other); });
  };
  std::vector<Candidate*> checked_with = team;
  const std::vector<Candidate*> members(team.begin() + static_cast<std::ptrdiff_t>(own), team.end());
  if (own > 0 && std::ranges::none_of(members, needs_a_finding)) {
    Attempt by_themselves = attempt(evidence, run, members);
    by_themselves.graphs = made.graphs;
    if (by_themselves.result.saved.size() >= made.result.saved.size()) {
      made = std::move(by_themselves);
      checked_with = members;
    }
  }
  for (size_t i = own; i < team.size(); ++i) {
    taken.push_back(team[i]);
    if (const auto place = accept(evidence, run, *team[i], made, findings, checked_with)) places[team[i]] = *place;
  }
  for (size_t i = own; i < team.size(); ++i) {
    const auto place = places.find(team[i]);
    for (size_t k = 0; k < team.size() && place != places.end(); ++k)
      if (const auto other = places.find(team[k]);
          k != i && other != places.end() && needs(evidence, run, team, team[i], team[k]))
        findings.found[place->second].after.push_back(other->second);
  }
}

// Replays the fixes of all findings together, each as its edit makes it.
void replay_all(const Evidence& evidence, const FunctionRun& run, const std::vector<Candidate*>& taken,
                const Places& places, Findings& findings) {
  std::vector<Candidate> made;
  for (const Candidate* c : taken) {
    const auto place = places.find(c);
    if (place == places.end()) continue;
    made.push_back(*c);
    const Line edited = findings.found[place->second].edit.at;
    if (!needs_more_edits(evidence, run, *c, edited)) continue;
    const auto calls = std::make_shared<EditedCalls>(evidence, run, c->finding.path, edited);
    made.back().fix.call = c->fix.call.only([calls](const FunctionRun::Step& step) { return calls->contain(step); });
  }
  if (made.size() < 2) return;
  std::set<TraceId> alone;
  for (const auto& [candidate, place] : places)
    alone.insert(findings.found[place].saved.begin(), findings.found[place].saved.end());
  // A change that puts what other calls pass in place of None knows these by the rest of their keys as recorded: it
  // has to be the first.
  std::vector<const TraceRecord*> saved;
  for (size_t first = 0; first < made.size(); ++first) {
    std::vector<Candidate*> all{&made[first]};
    for (Candidate& c : made)
      if (&c != &made[first]) all.push_back(&c);
    ReplayResult result = attempt(evidence, run, all).result;
    if (result.checked.ok && result.saved.size() > saved.size()) saved = std::move(result.saved);
  }
  if (saved.size() < alone.size()) return;
  SavedTogether& sum = findings.together[run.id];
  sum.findings = made.size();
  for (const TraceRecord* t : saved) sum.saved.push_back(t->id);
}

}  // namespace

void try_candidates(const Evidence& evidence, const FunctionRun& run, Findings& findings) {
  std::vector<Candidate> candidates;
  for (const Cause* cause : all_causes()) cause->propose(evidence, run, candidates);
  // The program cannot change the arguments that a library passes to its own functions.
  if (is_made_by_library(evidence, run)) std::erase_if(candidates, [](const Candidate& c) { return !c.of_library; });

  std::vector<std::pair<Candidate*, Attempt>> good, legitimate;
  std::vector<Candidate*> left;
  for (Candidate& c : candidates) {
    if (const auto rule = torch_rule_against(evidence, run, c)) {
      findings.suppressed.push_back({run.id, c.finding.cause, *rule});
      continue;
    }
    const bool is_legitimate = c.steady || c.variants;
    if (is_legitimate && c.few.empty()) {
      findings.suppressed.push_back({run.id, c.finding.cause, c.variants ? Rule::kVariants : Rule::kSteady});
      continue;
    }
    Attempt made = attempt(evidence, run, c.fix, c.paths, c.captures_may_differ);
    if (is_legitimate) {
      legitimate.emplace_back(&c, std::move(made));
      continue;
    }
    const Checked& checked = made.result.checked;
    if (checked.method == Checked::Method::kNone && checked.why_not != kNoRawKeys) {
      findings.suppressed.push_back({run.id, c.finding.cause, Rule::kNotConfirmed});
      continue;
    }
    if (made.suits(c.most) && made.result.saved.size() >= c.fewest) good.emplace_back(&c, std::move(made));
    else left.push_back(&c);
  }
  std::ranges::stable_sort(good, better);
  std::vector<Candidate*> taken;
  Places places;
  const auto is_taken = [&](const Candidate* c) {
    return std::ranges::any_of(taken, [&](const Candidate* t) { return overlap(*t, *c); });
  };
  for (auto& [candidate, made] : good) {
    if (is_taken(candidate)) continue;
    taken.push_back(candidate);
    if (const auto place = accept(evidence, run, *candidate, made, findings)) places[candidate] = *place;
  }

  std::erase_if(left, is_taken);
  try_together(evidence, run, taken, places, left, findings);
  replay_all(evidence, run, taken, places, findings);
  // Several candidates for one argument are listed once, as the one that allows most.
  const auto is_said_by_another = [&](const Candidate* c) {
    return std::ranges::any_of(left, [&](const Candidate* o) { return o->most > c->most && overlap(*o, *c); });
  };
  for (const Candidate* c : left) {
    if (is_taken(c) || is_said_by_another(c)) continue;
    Suppressed said{run.id, c->finding.cause, Rule::kNotConfirmed};
    if (!c->few.empty())
      say_what_few_cost(evidence, run, *c, attempt(evidence, run, c->fix, c->paths, c->captures_may_differ), said);
    if (!said.detail.empty()) said.rule = Rule::kVariants;
    findings.suppressed.push_back(std::move(said));
  }
  // Several candidates for one argument are listed once, as the one that says most.
  std::ranges::stable_sort(legitimate, better);
  std::vector<const Candidate*> listed_already;
  for (const auto& [c, made] : legitimate) {
    const auto is_listed = [&](const Candidate* other) { return overlap(*other, *c); };
    if (is_taken(c) || std::ranges::any_of(listed_already, is_listed)) continue;
    Suppressed said{run.id, c->finding.cause, c->variants ? Rule::kVariants : Rule::kSteady};
    say_what_few_cost(evidence, run, *c, made, said);
    if (said.detail.empty() && c->variants && !c->few.empty()) continue;  // nothing is known of them
    listed_already.push_back(c);
    findings.suppressed.push_back(std::move(said));
  }
}

}  // namespace footlight::explain
