// Replays candidates alone and together.
#include "engine/explain/candidates.h"

#include "engine/explain/graph_pairs.h"
#include "engine/explain/torch_rules.h"

#include <algorithm>
#include <map>
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

// The place of its finding; none if the change would save nothing.
std::optional<size_t> accept(const Evidence& evidence, const FunctionRun& run, Candidate& c, const Attempt& made,
                             Findings& to) {
  Finding& f = c.finding;
  // A fix that spares calls makes no two graphs one.
  const bool any_merged = std::ranges::any_of(made.result.merged, [](const auto& group) { return group.size() > 1; });
  f.graphs = any_merged ? made.graphs : GraphRelation::kUnknown;
  if (!conclude(evidence, run, made.result, f, 1)) return {};
  describe_graphs(evidence, made.result.merged, f);
  if (c.edit_at == Candidate::EditAt::kDefinition) {
    edit_at(f, evidence.definition(run), "call");
  } else if (c.edit_at == Candidate::EditAt::kValue) {
    const auto value = std::ranges::find(f.related, "value", &RelatedLine::role);
    if (value != f.related.end()) edit_at(f, Line(value->at), "call");
  }
  if (c.complete) c.complete(f, made.result);
  // An edit of one call does not help where several lines call.
  std::set<Line> calls;
  for (const TraceRecord* t : made.result.saved) calls.insert(evidence.line(t->source));
  calls.erase(Line());
  if (calls.size() > 1 && c.edit_at == Candidate::EditAt::kCall) {
    f.edit = {};
    for (Finding::Alternative& a : f.alternatives)
      if (a.edit.at == f.line) a.edit = {};
  }
  for (const Line& call : calls) {
    const bool known = call == f.line || std::ranges::find(f.related, call, &RelatedLine::at) != f.related.end();
    if (!known && f.related.size() < kMaxRelated) f.related.push_back({"call", call});
  }
  to.found.push_back(f);
  return to.found.size() - 1;
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
                  std::vector<Candidate*> others, Findings& to) {
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
  for (size_t i = own; i < team.size(); ++i) {
    taken.push_back(team[i]);
    if (const auto place = accept(evidence, run, *team[i], made, to)) places[team[i]] = *place;
  }
  for (size_t i = own; i < team.size(); ++i) {
    const auto place = places.find(team[i]);
    for (size_t k = 0; k < team.size() && place != places.end(); ++k)
      if (const auto other = places.find(team[k]);
          k != i && other != places.end() && needs(evidence, run, team, team[i], team[k]))
        to.found[place->second].after.push_back(other->second);
  }
}

}  // namespace

void try_candidates(const Evidence& evidence, const FunctionRun& run, Findings& to) {
  std::vector<Candidate> candidates;
  for (const Cause* cause : all_causes()) cause->propose(evidence, run, candidates);

  std::vector<std::pair<Candidate*, Attempt>> good;
  std::vector<Candidate*> left;
  for (Candidate& c : candidates) {
    if (const auto rule = torch_rule_against(evidence, run, c)) {
      to.suppressed.push_back({run.id, c.finding.cause, *rule});
      continue;
    }
    if (c.steady || c.variants) {
      to.suppressed.push_back({run.id, c.finding.cause, c.variants ? Rule::kVariants : Rule::kSteady});
      continue;
    }
    Attempt made = attempt(evidence, run, c.fix, c.paths, c.captures_may_differ);
    const Checked& checked = made.result.checked;
    if (checked.method == Checked::Method::kNone && checked.why_not != kNoRawKeys) {
      to.suppressed.push_back({run.id, c.finding.cause, Rule::kNotConfirmed});
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
    if (const auto place = accept(evidence, run, *candidate, made, to)) places[candidate] = *place;
  }

  std::erase_if(left, is_taken);
  try_together(evidence, run, taken, places, left, to);
  // Several candidates for one argument are listed once, as the one that allows most.
  const auto is_said_by_another = [&](const Candidate* c) {
    return std::ranges::any_of(left, [&](const Candidate* o) { return o->most > c->most && overlap(*o, *c); });
  };
  for (const Candidate* c : left)
    if (!is_taken(c) && !is_said_by_another(c))
      to.suppressed.push_back({run.id, c->finding.cause, Rule::kNotConfirmed});
}

}  // namespace footlight::explain
