// unrolled_loop: a Python loop, a comprehension or a recursion put a hundred or more copies of its body into a graph.
// Fix: a loop over tf.range or a tensor, which is in the graph once.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/loop_notes.h"
#include "engine/explain/outlines.h"
#include "engine/explain/staged_range.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::TraceRecord;

constexpr uint64_t kManyCopies = 100;
// Loops in each other that make many copies only together: one of them has to be more than the taps of a stencil.
constexpr uint64_t kSomeCopies = 10;
constexpr int kMaxArgumentLines = 6;  // how far above its last argument a call of reduce() begins
constexpr size_t kMaxOnce = 2;  // nodes that only the first copy makes

// How often one instruction made nodes, from their order: nodes of other instructions come in between.
struct Visits {
  uint64_t count = 0;
  size_t nodes = 0;
};
using ByInstruction = std::map<std::pair<CodeId, uint32_t>, Visits>;

// How often the ops in a run of nodes of one instruction repeat; 1 if they do not, or only a few times. What the first
// visit alone makes, such as a constant that the others share, comes before them.
uint64_t repeats(const std::vector<const session::NodeRecord*>& nodes) {
  const size_t n = nodes.size();
  for (size_t first = 0; first <= kMaxOnce && first < n; ++first) {
    for (size_t period = 1; period * kManyCopies <= n - first; ++period) {
      if ((n - first) % period) continue;
      bool same = true;
      for (size_t i = first + period; same && i < n; ++i) same = nodes[i]->op == nodes[i - period]->op;
      if (same) return (n - first) / period;
    }
  }
  return 1;
}

class Search {
 public:
  explicit Search(const Evidence& evidence) : evidence_(evidence), notes_(evidence), outlines_(evidence) {}

  Outlines& outlines() { return outlines_; }

  struct Unrolled {
    const source::Loop* loop = nullptr;
    Line line;
    // In one trace, the fewest and the most.
    uint64_t fewest_copies = UINT64_MAX, copies = 0;
    size_t fewest_nodes = SIZE_MAX, nodes = 0;
    bool at_least = false;  // more copies were made than are counted
    size_t traces = 0;
    TraceId example;
    int64_t ns = 0;
  };

  // The loops that they name are valid as long as this object.
  std::vector<Unrolled> find(const FunctionRun& run) {
    function_ = run.id;
    found_.clear();
    for (const TraceRecord* t : run.traces) look_at(*t);
    std::vector<Unrolled> found;
    for (auto& [line, u] : found_) found.push_back(u);
    return found;
  }

 private:
  void look_at(const TraceRecord& trace) {
    ByInstruction visits;
    std::set<GraphId> seen;
    size_t nodes = 0;
    count(trace.graph(), visits, seen, nodes);
    std::map<Line, Visits> lines;
    for (const auto& [at, v] : visits) {
      const Line line = evidence_.line({at.first, at.second});
      if (!line) continue;
      Visits& sum = lines[line];
      sum.count = std::max(sum.count, v.count);
      sum.nodes += v.nodes;
    }
    if (std::ranges::none_of(lines, [](const auto& l) { return l.second.count >= kManyCopies; })) return;
    noted_ = &notes_.of(trace.id);
    std::map<Line, Unrolled> here;
    for (const auto& [line, v] : lines) {
      if (v.count < kManyCopies) continue;
      const source::Loop* loop = nullptr;
      Line at;
      uint64_t copies = v.count;
      if (!cause_of(line, v, loop, at, copies)) continue;
      Unrolled& u = here[at];
      u.loop = loop;
      u.line = at;
      count_copies(line, v, copies, u);
      const bool inside = line.file == at.file && loop->first_line <= line.line && line.line <= loop->last_line;
      if (!inside) u.nodes += v.nodes;
    }
    for (auto& [at, u] : here) {
      for (const auto& [line, v] : lines)
        if (line.file == at.file && u.loop->first_line <= line.line && line.line <= u.loop->last_line)
          u.nodes += v.nodes;
      Unrolled& known = found_[at];
      if (!known.loop) known.example = trace.id;
      known.loop = u.loop;
      known.line = at;
      known.fewest_copies = std::min(known.fewest_copies, u.copies);
      known.copies = std::max(known.copies, u.copies);
      known.at_least |= u.at_least;
      known.fewest_nodes = std::min(known.fewest_nodes, u.nodes);
      known.nodes = std::max(known.nodes, u.nodes);
      ++known.traces;
      const double share = static_cast<double>(u.nodes) / static_cast<double>(std::max(nodes, u.nodes));
      known.ns += static_cast<int64_t>(static_cast<double>(trace.end_ns - trace.start_ns) * share *
                                       (1.0 - 1.0 / static_cast<double>(u.copies)));
    }
  }

  // A loop that runs several times in a trace makes the copies of all its runs: as many as one of its own lines has
  // visits, if its notes add up to that. Equal notes are recorded once.
  void count_copies(const Line& line, const Visits& made, uint64_t copies, Unrolled& u) {
    bool at_least = false;
    const LoopNotes::Note* noted = noted_->of(u.line.file, *u.loop);
    const std::vector<const source::Loop*> around = outline(line.file).loops_around(line.line);
    const bool is_own = !around.empty() && around.back() == u.loop;
    if (noted && u.loop->kind != source::Loop::Kind::kComprehension && copies == noted->turns && is_own &&
        made.count > copies) {
      if (made.count == noted->all_turns) copies = made.count;
      else at_least = true;
    }
    if (copies == u.copies) u.at_least |= at_least;
    if (copies <= u.copies) return;
    u.copies = copies;
    u.at_least = at_least;
  }

  // The nodes of a graph and of those inside it, apart from those of other functions.
  void count(GraphId id, ByInstruction& visits, std::set<GraphId>& seen, size_t& total,
             int depth = 0) {
    const session::GraphRecord* graph = evidence_.graph(id);
    if (!graph || depth > kDeepestGraph || !seen.insert(id).second) return;
    std::vector<const session::NodeRecord*> run;
    const auto end_run = [&] {
      if (run.empty()) return;
      Visits& v = visits[{run.front()->source.code, run.front()->source.offset}];
      v.count += repeats(run);
      v.nodes += run.size();
      run.clear();
    };
    for (const session::NodeRecord& node : graph->nodes) {
      ++total;
      for (const session::NodeFunction& f : node.functions)
        if (!evidence_.is_of_other(f.graph, function_)) count(f.graph, visits, seen, total, depth + 1);
      if (!node.source.code.valid() || node.op == "Placeholder") continue;  // captured once, by the first copy
      if (!run.empty() && !(run.front()->source == node.source)) end_run();
      run.push_back(&node);
    }
    end_run();
  }

  const source::Outline& outline(session::FileId file) { return outlines_.of(file); }

  // The loop that made the nodes of a line, or none that is known.
  bool cause_of(const Line& line, const Visits& made, const source::Loop*& loop, Line& at, uint64_t& copies) {
    const std::vector<const source::Loop*> around = outline(line.file).loops_around(line.line);
    uint64_t together = 1, most = 0;
    const source::Loop* longest = nullptr;
    const source::Loop* unknown = nullptr;
    for (const source::Loop* l : around) {
      const LoopNotes::Note* noted = noted_->of(line.file, *l);
      // Conditions of a comprehension leave items out, so the nodes tell how many copies there are.
      if (!noted || l->kind == source::Loop::Kind::kComprehension) {
        if (!unknown) unknown = l;
        continue;
      }
      if (noted->turns >= kManyCopies) return chosen(l, line.file, noted->turns, loop, at, copies);
      together *= std::max<uint64_t>(1, noted->turns);
      if (noted->turns > most) most = noted->turns, longest = l;
    }
    const std::string_view function = function_name(line);
    if (caller_of(noted_->loops, line, made, function, loop, at, copies)) return true;
    if (!function.empty() && caller_of(noted_->comprehensions, line, made, function, loop, at, copies)) return true;
    if (together >= kManyCopies && most >= kSomeCopies) return chosen(longest, line.file, together, loop, at, copies);
    if (unknown && made.count / together >= kManyCopies)
      return chosen(unknown, line.file, made.count / together, loop, at, copies);
    if (const source::Loop* call = iterating_call_at(line))
      return chosen(call, line.file, made.count, loop, at, copies);
    if (const source::Loop* self = recursion_around(line, function))
      return chosen(self, line.file, made.count, loop, at, copies);
    return caller_of(noted_->loops, line, made, {}, loop, at, copies);
  }

  // The call of reduce(), sum(), map() that runs a line: it is on the line, or the line is one of its arguments, or is
  // in a function that it names. Null: there is no such call.
  const source::Loop* iterating_call_at(const Line& line) {
    std::string name = source::iterating_call(evidence_.text(line));
    if (!name.empty()) return call_on(line, std::move(name));
    int open = 0;
    for (int above = line.line - 1; above > 0 && above + kMaxArgumentLines >= line.line; --above) {
      const Line other{line.file, above};
      const std::string_view text = evidence_.text(other);
      open += source::brackets_opened(text);
      if (open <= 0) continue;
      // The line opens the bracket that the loop's line is in.
      if (!(name = source::iterating_call(text)).empty()) return call_on(other, std::move(name));
      break;
    }
    const std::string called(function_name(line));
    return called.empty() ? nullptr : call_with(line.file, called);
  }

  // The call of reduce(), sum(), map() whose first argument is this function.
  const source::Loop* call_with(session::FileId file, const std::string& function) {
    const auto [known, added] = calls_with_.try_emplace({file, function}, nullptr);
    if (!added) return known->second;
    for (int other = 1; other <= evidence_.line_count(file); ++other) {
      const std::string_view text = evidence_.text({file, other});
      if (text.find(function) == text.npos) continue;
      size_t arguments = 0;
      std::string name = source::iterating_call(text, &arguments);
      if (name.empty() || !text.substr(arguments).starts_with(function + ",")) continue;
      return known->second = call_on({file, other}, std::move(name));
    }
    return nullptr;
  }

  const source::Loop* call_on(const Line& line, std::string name) {
    const auto [at, added] = calls_.try_emplace(line);
    const int function = outline(line.file).function_around(line.line);
    if (added) at->second = {source::Loop::Kind::kCall, line.line, line.line, line.line, function, std::move(name)};
    return &at->second;
  }

  // The function around the line, if it calls itself, but not once for each part of a structure.
  const source::Loop* recursion_around(const Line& line, std::string_view name) {
    const source::Outline& o = outline(line.file);
    const source::Function* const function = o.innermost(line.line);
    if (!function || name.empty()) return nullptr;
    const int def = function->line, last = function->last_line;
    const auto [at, added] = recursions_.try_emplace({line.file, def});
    source::Loop& self = at->second;
    if (added) {
      bool calls = false, in_loop = false;
      for (int l = def + 1; l <= last; ++l) {
        if (o.function_around(l) != def || !calls_at({line.file, l}, name)) continue;
        calls = true;
        in_loop |= !o.loops_around(l).empty();
      }
      if (calls && !in_loop) self = {source::Loop::Kind::kRecursion, def, def, last, def, std::string(name)};
    }
    return self.line ? &self : nullptr;
  }

  // The loop that calls the function in which the line stands, by its name; no name: any loop of another function.
  bool caller_of(const std::map<Line, LoopNotes::Note>& noted, const Line& line, const Visits& made,
                 std::string_view name, const source::Loop*& loop, Line& at, uint64_t& copies) {
    const int function = outline(line.file).function_around(line.line);
    for (const auto& [place, note] : noted) {
      const bool are_comprehensions = &noted == &noted_->comprehensions;
      // Conditions of a comprehension leave items out.
      if (note.turns < kManyCopies || (note.turns > made.count && !are_comprehensions) || !note.made_nodes) continue;
      for (const source::Loop& l : outline(place.file).loops) {
        if ((l.kind == source::Loop::Kind::kComprehension) != are_comprehensions) continue;
        if ((are_comprehensions ? l.first_line : l.line) != place.line) continue;
        if (place.file == line.file && l.function_line == function) continue;
        if (name.empty() || mentions(place.file, l, name))
          return chosen(&l, place.file, std::min(note.turns, made.count), loop, at, copies);
      }
    }
    return false;
  }

  static bool chosen(const source::Loop* l, session::FileId file, uint64_t n, const source::Loop*& loop, Line& at,
                     uint64_t& copies) {
    loop = l;
    at = {file, l->line};
    copies = n;
    return true;
  }

  std::string_view function_name(const Line& line) {
    const source::Function* function = outline(line.file).innermost(line.line);
    return function ? std::string_view(function->name) : std::string_view();
  }

  bool mentions(session::FileId file, const source::Loop& loop, std::string_view name) {
    for (int line = loop.first_line; line <= loop.last_line; ++line)
      if (calls_at({file, line}, name)) return true;
    return false;
  }

  bool calls_at(const Line& line, std::string_view name) const {
    return source::find_call(evidence_.text(line), name) != std::string_view::npos;
  }

  const Evidence& evidence_;
  LoopNotes notes_;
  Outlines outlines_;
  FunctionId function_;                        // the one whose traces are looked at
  const LoopNotes::OfTrace* noted_ = nullptr;  // of the trace that is looked at
  std::map<Line, source::Loop> calls_;
  std::map<Line, source::Loop> recursions_;  // by the line of the def; line 0: it is no recursion
  std::map<std::pair<session::FileId, std::string>, const source::Loop*> calls_with_;  // null where no line has one
  std::map<Line, Unrolled> found_;
};

// "for k in range(N)" -> {"for k in", "range(N)"}; nothing if it is no such loop.
std::pair<std::string_view, std::string_view> over_range(std::string_view head) {
  const size_t in = head.find(" in range(");
  if (in == head.npos || !head.ends_with(')')) return {};
  return {head.substr(0, in + 3), head.substr(in + 4)};
}

// "functools.reduce": what does the same with one operation.
std::string fix_of_call(std::string_view name) {
  name = last_name(name);
  const char* const use = name == "accumulate" ? "tf.cumsum or tf.scan"
                          : name == "sum"      ? "tf.reduce_sum"
                          : name == "prod"     ? "tf.reduce_prod"
                          : name == "reduce"   ? "tf.reduce_sum, another reduction or tf.foldl"
                                               : "the operation itself or tf.map_fn";
  return std::string("Stack the items into one tensor and use ") + use + ": that is in the graph once";
}

// JAX stages no Python loop; its own loops are functions.
void complete_for_jax(Finding& f, source::Loop::Kind kind) {
  switch (kind) {
    case source::Loop::Kind::kCall:
    case source::Loop::Kind::kComprehension:
      f.fix = "Stack the items into one array and use a reduction, jax.vmap or jax.lax.map: that is in the graph once";
      return;
    case source::Loop::Kind::kWhile:
      f.fix = "Use jax.lax.while_loop, with arrays as its state: its body is in the graph once";
      return;
    default:
      f.fix = "Use jax.lax.fori_loop, or jax.lax.scan over the stacked items: the body is in the graph once";
  }
}

// One loop in all functions that run it: a helper may be called by several.
struct Found {
  Search::Unrolled all;
  std::vector<std::string> functions;
  Finding finding;
};

// "420", "110 to 200"
std::string from_to(uint64_t fewest, uint64_t most) {
  return fewest < most ? with_commas(fewest) + " to " + with_commas(most) : with_commas(most);
}

void add(const Evidence& evidence, const FunctionRun& run, const Search::Unrolled& u, std::vector<Found>& to) {
  auto known = std::ranges::find_if(to, [&](const Found& f) {
    return f.all.line == u.line && f.all.loop->head == u.loop->head;
  });
  if (known == to.end()) {
    to.push_back({u, {}, {}});
    known = to.end() - 1;
    Finding& f = known->finding;
    f.function = run.id;
    f.path = u.loop->head;
    f.line = u.line;
    f.graphs = GraphRelation::kUnknown;
    f.example = u.example;
    f.calls = evidence.calls_of(run.id);
    f.checked.why_not = "run again to measure it";
  } else {
    Search::Unrolled& all = known->all;
    all.fewest_copies = std::min(all.fewest_copies, u.fewest_copies);
    all.copies = std::max(all.copies, u.copies);
    all.at_least |= u.at_least;
    all.fewest_nodes = std::min(all.fewest_nodes, u.fewest_nodes);
    all.nodes = std::max(all.nodes, u.nodes);
    all.traces += u.traces;
  }
  known->functions.emplace_back(last_name(run.record ? run.record->name : "a function"));
  known->finding.saved_ns += u.ns;
  known->finding.cost_ns += run.tracing_ns();
}

// `for i in tf.range(N)`: an edit where the loop may run so as it stands.
void complete_for_range(const Evidence& evidence, Outlines& outlines, Found& found, std::string_view words,
                        std::string_view range) {
  Finding& f = found.finding;
  StagedRange staged = staged_range(evidence, outlines.of(f.line.file), f.line.file, *found.all.loop, f.example,
                                    found.all.fewest_copies);
  const auto function = evidence.functions().find(f.function);
  if (function != evidence.functions().end() && function->second.record &&
      function->second.record->options.find("autograph=False") != std::string::npos)
    staged.first = "let AutoGraph convert " + std::string(last_name(function->second.record->name));
  std::string numbers(range);
  if (!staged.dtype.empty()) numbers.insert(numbers.size() - 1, ", dtype=tf." + staged.dtype);
  f.fix = std::string(words) + " tf." + numbers;
  const std::string text(source::trimmed(evidence.text(f.line)));
  const size_t at = text.find(f.path);
  if (!staged.first.empty()) {
    f.fix += ". First " + staged.first;
  } else if (at != text.npos) {
    std::string changed = text;
    changed.replace(at, f.path.size(), f.fix);
    f.edit = {f.line, text, std::move(changed)};
  }
}

void describe(const Evidence& evidence, Outlines& outlines, Found& found) {
  const Search::Unrolled& u = found.all;
  Finding& f = found.finding;
  f.nodes = u.nodes;
  const bool is_call = u.loop->kind == source::Loop::Kind::kCall;
  const bool is_recursion = u.loop->kind == source::Loop::Kind::kRecursion;
  const char* const how = u.at_least ? "at least " : u.fewest_copies < u.copies ? "up to " : "";
  const std::string copies = how + with_commas(u.at_least ? u.fewest_copies : u.copies) + " copies of ";
  f.title = is_recursion ? f.path + " calls itself: its recursion puts " + copies + "its body into the graph"
            : is_call    ? f.path + " puts " + copies + "an operation into the graph"
                         : "A Python loop puts " + copies + "its body into the graph";
  f.detail = f.path + ": " + from_to(u.fewest_nodes, u.nodes) + " nodes";
  if (found.functions.size() > 1)
    f.detail += " in " + with_commas(u.traces) + " traces of " + listed(found.functions);
  else if (u.traces > 1)
    f.detail += (u.fewest_nodes < u.nodes ? " in " : " in each of ") + with_commas(u.traces) + " traces";
  if (is_jax(evidence, f.function)) return complete_for_jax(f, u.loop->kind);
  const auto [words, range] = over_range(f.path);
  if (u.loop->kind == source::Loop::Kind::kComprehension) {
    f.fix = "Use tf.map_fn, or operations on the stacked tensor, in place of the comprehension";
  } else if (is_recursion) {
    f.fix = "Write " + f.path + " as a loop over tf.range, with tensors as its state: its body is in the graph once";
  } else if (is_call) {
    f.fix = fix_of_call(f.path);
  } else if (u.loop->kind == source::Loop::Kind::kWhile) {
    f.fix = "Start what the condition reads as a tensor: a while on a tensor is in the graph once";
  } else if (!range.empty()) {
    complete_for_range(evidence, outlines, found, words, range);
    add_alternative(f, "Use tf.while_loop, with tensors as the state of the loop", f.checked);
  } else {
    f.fix = "Stack the items into one tensor and loop over that: a for over a tensor is in the graph once";
  }
}

void find_unrolled_loop(const Evidence& evidence, Findings& findings) {
  Search search(evidence);
  std::vector<Found> all;
  for (const auto& [id, run] : evidence.functions())
    for (const Search::Unrolled& u : search.find(run)) add(evidence, run, u, all);
  for (Found& found : all) {
    describe(evidence, search.outlines(), found);
    findings.found.push_back(std::move(found.finding));
  }
}

const Cause unrolled_loop("unrolled_loop", find_unrolled_loop);

}  // namespace
}  // namespace footlight::explain
