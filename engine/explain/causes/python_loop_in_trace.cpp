// python_loop_in_trace: a Python loop ran very often while a function was traced, and put nothing into the graph. Only
// its result is there, as a constant. Fix: run it before the call, or on tensors.
#include "engine/explain/findings.h"
#include "engine/explain/loop_notes.h"
#include "engine/explain/outlines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

// Fewer are rarely what tracing took its time for.
constexpr uint64_t kManyTurns = 100'000;

class Search {
 public:
  explicit Search(const Evidence& evidence) : outlines_(evidence), notes_(evidence) {}

  struct Idle {
    source::Loop loop;
    uint64_t turns = 0;
    size_t traces = 0;
    TraceId example;
    int64_t ns = 0;  // of the Python of these traces
  };

  std::map<Line, Idle> find(const FunctionRun& run) {
    std::map<Line, Idle> found;
    for (const session::TraceRecord* t : run.traces) {
      std::map<Line, Idle> here;
      const LoopNotes::OfTrace& noted = notes_.of(t->id);
      for (const auto* notes : {&noted.loops, &noted.comprehensions})
        for (const auto& [line, note] : *notes)
          if (is_idle(note)) add_outermost(line, noted, here);
      for (auto& [line, idle] : here) {
        Idle& known = found[line];
        if (!known.traces) known.example = t->id;
        known.loop = idle.loop;
        known.turns = std::max(known.turns, idle.turns);
        known.ns += t->phase_ns("python");
        ++known.traces;
      }
    }
    return found;
  }

 private:
  static bool is_idle(const LoopNotes::Note& note) { return note.in_python && !note.made_nodes; }

  // Loops in each other that make nothing are one: its turns are those of the innermost loop, all together.
  void add_outermost(const Line& line, const LoopNotes::OfTrace& noted, std::map<Line, Idle>& to) {
    uint64_t turns = 1;
    const source::Loop* outermost = nullptr;
    for (const source::Loop* loop : outlines_.of(line.file).loops_around(line.line)) {
      const LoopNotes::Note* note = noted.of(line.file, *loop);
      if (!note || !note->in_python) continue;
      if (loop->kind == source::Loop::Kind::kComprehension) turns = std::max(turns, note->turns);
      else turns = note->turns && turns > UINT64_MAX / note->turns ? UINT64_MAX : turns * note->turns;
      if (!outermost && is_idle(*note) && note->turns > 1) outermost = loop;
    }
    if (!outermost || turns < kManyTurns) return;
    Idle& idle = to[{line.file, outermost->line}];
    idle.loop = *outermost;
    idle.turns = std::max(idle.turns, turns);
  }

  Outlines outlines_;
  LoopNotes notes_;
};

void find_in(const Evidence& evidence, const FunctionRun& run, Search& search, Findings& findings) {
  for (const auto& [line, idle] : search.find(run)) {
    Finding f;
    f.function = run.id;
    f.path = idle.loop.head;
    f.line = line;
    f.graphs = GraphRelation::kUnknown;
    f.example = idle.example;
    f.calls = evidence.calls_of(run.id);
    f.cost_ns = f.saved_ns = idle.ns;
    f.checked.why_not = "run again to measure it";
    const std::string name(last_name(run.record ? run.record->name : "the function"));
    f.title = "A Python loop runs " + with_commas(idle.turns) + " iterations while " + name + " is traced";
    f.detail = f.path + " adds no node to the graph: Python runs it in " +
               (idle.traces > 1 ? "each of " + with_commas(idle.traces) + " traces" : std::string("the trace")) +
               ", and the graph has only its result";
    f.fix = "Run the loop before the call and pass its result as a tensor";
    add_alternative(f,
                    idle.loop.kind == source::Loop::Kind::kComprehension
                        ? "Use operations on tf.range or a tensor in place of the comprehension, if each call needs it"
                        : "Loop over tf.range, with tensors as the state of the loop, if each call needs it",
                    f.checked);
    findings.found.push_back(std::move(f));
  }
}

void find_python_loop_in_trace(const Evidence& evidence, Findings& findings) {
  Search search(evidence);
  for (const auto& [id, run] : evidence.functions()) find_in(evidence, run, search, findings);
}

const Cause python_loop_in_trace("python_loop_in_trace", find_python_loop_in_trace);

}  // namespace
}  // namespace footlight::explain
