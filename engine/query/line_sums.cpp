// Sums by instruction and by node in one pass over the ops, then puts them on lines.
#include "engine/query/line_sums.h"

#include "engine/base/error_words.h"
#include "engine/query/calls.h"
#include "engine/session/function_kinds.h"
#include "engine/session/readable_chunks.h"
#include "engine/session/trace_nesting.h"
#include "engine/session/users_line.h"
#include "engine/source/line.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace footlight::query {
namespace {

// A longer pause behind an op is somebody else's, unless the same function goes on afterwards.
constexpr int64_t kLongestPause = 1'000'000;
constexpr size_t kMaxUnclaimed = 1 << 14;

int64_t length(int64_t start, int64_t end) { return std::max<int64_t>(0, end - start); }

// The ops that ran at an instruction, or as a node.
struct Ran {
  std::map<uint32_t, uint64_t> ops;  // with the number of runs of each
  uint64_t visits = 0;               // without ops that follow another one of the same instruction
  int64_t self_ns = 0, python_ns = 0;

  uint64_t count() const {
    uint64_t sum = 0;
    for (const auto& [op, times] : ops) sum += times;
    return sum;
  }
  // A run executes each of its ops at least once, but two runs in a row look like one visit.
  uint64_t runs() const {
    uint64_t least = ops.empty() ? 0 : UINT64_MAX;
    for (const auto& [op, times] : ops) least = std::min(least, times);
    return std::max(least, visits);
  }
};

// The calls and traces of a thread that lie in no other one, by start.
class Outermost {
 public:
  struct Span { int64_t start, end; SourceRef source; };
  void add(session::ThreadId thread, const Span& span) { of_[thread].push_back(span); }

  void sort() {
    for (auto& [thread, spans] : of_) {
      std::ranges::sort(spans, [](const Span& a, const Span& b) {
        return std::pair(a.start, b.end) < std::pair(b.start, a.end);
      });
      int64_t end = INT64_MIN;
      std::erase_if(spans, [&](const Span& s) { return s.start < std::exchange(end, std::max(end, s.end)); });
    }
  }

  // The first that begins in [from, to), or null.
  const Span* first_in(session::ThreadId thread, int64_t from, int64_t to) const {
    const auto spans = of_.find(thread);
    if (spans == of_.end()) return nullptr;
    const auto at = std::ranges::lower_bound(spans->second, from, {}, &Span::start);
    return at != spans->second.end() && at->start < to ? &*at : nullptr;
  }

  bool contain(session::ThreadId thread, int64_t time) const {
    const auto spans = of_.find(thread);
    if (spans == of_.end()) return false;
    const auto after = std::ranges::upper_bound(spans->second, time, {}, &Span::start);
    return after != spans->second.begin() && time < std::prev(after)->end;
  }

  int64_t time_in(session::ThreadId thread, int64_t from, int64_t to) const {
    int64_t sum = 0;
    const auto spans = of_.find(thread);
    if (spans == of_.end()) return 0;
    for (auto at = std::ranges::lower_bound(spans->second, from, {}, &Span::start);
         at != spans->second.end() && at->start < to; ++at)
      sum += length(at->start, std::min(at->end, to));
    return sum;
  }

 private:
  std::map<session::ThreadId, std::vector<Span>> of_;
};

class Summing {
 public:
  Summing(const session::Reader& reader, const Cancel& cancel) : reader_(reader), cancel_(cancel) {}

  LineSums sum(const std::vector<TraceId>& traces) {
    link_graphs();
    see_spans();
    see_ops();
    put_eager();
    put_nodes();
    put_traces();
    put_calls();
    count_nodes(traces);
    return std::move(made_);
  }

 private:
  struct Done { int64_t start, took; };
  struct Thread {
    std::vector<Done> done;  // ops that no later op has claimed as inner ones
    Ran* last = nullptr;     // the last op, if it was eager
    SourceRef source;
    int64_t end = INT64_MIN;
  };

  auto check() const {
    return [this] { cancel_.check(); };
  }

  void link_graphs() {
    for (const session::GraphRecord& graph : reader_.contents().graphs) {
      std::set<GraphId> called;
      for (const session::NodeRecord& node : graph.nodes) {
        for (const session::NodeFunction& f : node.functions) called.insert(f.graph);
      }
      if (!called.empty()) called_[graph.id].assign(called.begin(), called.end());
    }
  }

  void see_spans() {
    each_record(reader_.calls(), check(), [&](const session::CallRecord& c) {
      if (!c.parent.valid()) outermost_.add(c.thread, {c.start_ns, c.end_ns, c.source});
      if (c.outcome == CallOutcome::kTrace) thread_of_trace_[c.trace] = c.thread;
    });
    for (const session::TraceRecord& t : reader_.contents().traces) {
      const Outermost::Span span{t.start_ns, t.end_ns, t.source};
      const session::ThreadId thread = thread_of(t);
      outermost_.add(thread, span);
      traces_.add(thread, span);
    }
    // Work of a comparison before and after its trace is not part of the program.
    for (const session::ComparisonRecord& c : reader_.contents().comparisons) {
      const session::TraceRecord* trace = reader_.trace(c.trace);
      if (trace && c.start_ns > 0 && c.end_ns > c.start_ns)
        outermost_.add(thread_of(*trace), {c.start_ns, c.end_ns, c.source});
    }
    outermost_.sort();
    traces_.sort();
    // A loop that waits for the elements of a pipeline does not run Python meanwhile.
    each_record(reader_.spans(), check(), [&](const session::SpanRecord& span) { see_wait(span); });
    waits_.sort();
  }

  void see_wait(const session::SpanRecord& span) {
    if (span.category != "wait") return;
    const session::TrackRecord* track = reader_.track(span.track);
    if (track && track->kind == session::TrackRecord::kStage && !track->parent.valid())
      waits_.add(track->thread, {span.start_ns, span.end_ns, track->source});
  }

  // Older files have it only of the calls.
  session::ThreadId thread_of(const session::TraceRecord& t) const {
    if (const session::ThreadId thread = session::thread_of(t); thread.valid()) return thread;
    const auto call = thread_of_trace_.find(t.id);
    return call == thread_of_trace_.end() ? session::ThreadId() : call->second;
  }

  void see_ops() {
    each_chunk(reader_.op_events(), check(), [&](const session::OpColumns& e) {
      for (size_t i = 0; i < e.size(); ++i) see(e, i);
    });
  }

  void see(const session::OpColumns& e, size_t i) {
    const int64_t start = e.start_ns[i], end = std::max(start, e.end_ns[i]);
    Thread& thread = threads_[e.thread[i]];
    if (thread.last && start > thread.end) pause(thread, e, i);
    const int64_t own = end - start - claim(thread.done, start, end);
    const bool tracing = traces_.contain(e.thread[i], start);
    const int64_t self = tracing ? 0 : own;  // the time is the trace's
    Ran* eager = nullptr;
    if (e.node[i].valid()) {
      GraphId graph = e.graph[i];
      if (!graph.valid()) graph = graph_of(e.call[i]);
      add(nodes_[uint64_t{graph.value} << 32 | e.node[i].value], e.op[i], self);
    } else if (tracing && !e.call[i].valid()) {
      ++evaluated_[instruction(e.source(i), e.location[i])];
    } else {
      eager = &eager_[instruction(e.source(i), e.location[i])];
      add(*eager, e.op[i], self);
      if (e.code[i].valid() && e.location[i].valid()) add(from_libraries_[e.location[i]], e.op[i], self);
      eager->visits += eager != thread.last;
    }
    if (e.call[i].valid()) in_call_[e.call[i]] += self;
    thread.last = e.call[i].valid() ? nullptr : eager;
    thread.source = e.source(i);
    thread.end = std::max(thread.end, end);
  }

  static void add(Ran& ran, session::OpNumber op, int64_t self) {
    ++ran.ops[op.value];
    ran.self_ns += self;
  }

  // Adds the Python time between the last eager op of a thread and the next event. In a trace it counts as tracing, and
  // waiting for a pipeline's elements is no Python.
  void pause(Thread& thread, const session::OpColumns& e, size_t i) {
    if (outermost_.contain(e.thread[i], thread.end)) return;
    const Outermost::Span* next = outermost_.first_in(e.thread[i], thread.end, e.start_ns[i]);
    const SourceRef at = next ? next->source : e.source(i);
    const int64_t to = next ? next->start : e.start_ns[i];
    const int64_t gap = to - thread.end - waits_.time_in(e.thread[i], thread.end, to);
    const bool onward = at.code.valid() && at.code == thread.source.code && at.offset > thread.source.offset;
    if (onward || gap <= kLongestPause) thread.last->python_ns += gap;
  }

  // Ops come in the order of their end: one claims what ended since it began.
  static int64_t claim(std::vector<Done>& done, int64_t start, int64_t end) {
    int64_t inner = 0;
    for (; !done.empty() && done.back().start >= start; done.pop_back()) inner += done.back().took;
    if (done.size() >= kMaxUnclaimed) done.erase(done.begin(), done.begin() + kMaxUnclaimed / 2);
    done.push_back({start, end - start});
    return inner;
  }

  static uint64_t instruction(SourceRef source, session::LocationId location) {
    return source.code.valid() ? key_of(source) : uint64_t{CodeId::kNone} << 32 | location.value;
  }

  LineSum& line(SourceRef source, session::LocationId location) { return line(instruction(source, location)); }
  LineSum& line(uint64_t instruction) {
    const auto [it, fresh] = places_.try_emplace(instruction, nullptr);
    if (!fresh) return *it->second;
    const SourceRef source = source_of(instruction);
    session::Reader::SourcePlace place = reader_.place(source);
    if (!source.code.valid()) {
      if (const auto* l = reader_.location(session::LocationId(source.offset))) place = {l->file, l->line};
    }
    return *(it->second = &line(place.file, place.line));
  }
  LineSum& line(session::FileId file, int number) {
    return file.valid() && number > 0 ? made_.lines[{file, number}] : made_.nowhere;
  }

  // The innermost line of the user's code, if a library made the node; else null.
  LineSum* line_of_caller(const session::NodeRecord& node) {
    if (!node.location.valid()) return nullptr;
    const auto [known, is_new] = callers_.try_emplace(node.location, nullptr);
    if (!is_new) return known->second;
    const session::Reader::SourcePlace own = reader_.place(node.source);
    const session::Reader::SourcePlace at = session::users_line(reader_, node);
    const session::FileRecord* const file = reader_.file(at.file);
    const bool is_same = at.file == own.file && at.line == own.line;
    if (file && is_users_file(file->path) && !is_same) known->second = &line(at.file, at.line);
    return known->second;
  }

  // Events before version 3 do not name their graph.
  GraphId graph_of(CallId call) {
    if (graph_of_call_.empty()) {
      each_record(reader_.calls(), check(), [&](const session::CallRecord& c) {
        const session::TraceRecord* trace = reader_.trace(c.trace);
        graph_of_call_[c.id] = trace ? trace->graph() : GraphId();
      });
      graph_of_call_.try_emplace(CallId());
    }
    const auto it = graph_of_call_.find(call);
    return it == graph_of_call_.end() ? GraphId() : it->second;
  }

  void put_eager() {
    for (const auto& [key, ran] : eager_) {
      LineSum& l = line(key);
      l.eager_ops += ran.count();
      l.eager_ns += ran.self_ns;
      l.python_ns += ran.python_ns;
      l.eager_runs = std::max(l.eager_runs, ran.runs());
    }
    for (const auto& [location, ran] : from_libraries_) {
      const session::LocationRecord* const caller = reader_.location(location);
      if (!caller) continue;
      LineSum& l = line(caller->source, location);
      l.library_ops += ran.count();
      l.library_ns += ran.self_ns;
    }
    for (const auto& [key, ops] : evaluated_) line(key).evaluated_ops += ops;
  }

  void put_nodes() {
    const std::unordered_map<GraphId, TraceId> owners = traces_of_graphs();
    std::map<std::pair<uint64_t, TraceId>, Ran> copies;  // all nodes that an instruction added in a trace
    std::map<GraphId, int64_t> graph_ns;
    std::map<std::pair<LineSum*, GraphId>, int64_t> line_ns;
    for (const auto& [key, ran] : nodes_) {
      const GraphId graph(static_cast<uint32_t>(key >> 32));
      const session::NodeRecord* node = node_at(graph, static_cast<uint32_t>(key));
      LineSum& l = node ? line(node->source, node->location) : made_.nowhere;
      l.traced_ops += ran.count();
      l.traced_ns += ran.self_ns;
      graph_ns[graph] += ran.self_ns;
      line_ns[{&l, graph}] += ran.self_ns;
      if (!node) continue;
      if (LineSum* const caller = line_of_caller(*node)) {
        caller->library_ops += ran.count();
        caller->library_ns += ran.self_ns;
      }
      if (is_of_call(*node, reader_.trace(owners.at(graph)))) continue;
      Ran& copy = copies[{instruction(node->source, node->location), owners.at(graph)}];
      for (const auto& [op, times] : ran.ops) copy.ops[op] += times;
    }
    // Sums by line and trace, then over all: code that was converted again has other instructions for the line.
    std::map<std::pair<LineSum*, TraceId>, uint64_t> runs;
    for (const auto& [key, ran] : copies) {
      uint64_t& most = runs[{&line(key.first), key.second}];
      most = std::max(most, ran.runs());
    }
    for (const auto& [key, times] : runs) key.first->traced_runs += times;
    put_inside(graph_ns, line_ns);
  }

  // A loop's counter and condition run in its graphs, and are counted as the line's own.
  void put_inside(const std::map<GraphId, int64_t>& graph_ns,
                  const std::map<std::pair<LineSum*, GraphId>, int64_t>& line_ns) {
    std::map<LineSum*, std::set<GraphId>> starts;
    for (const session::GraphRecord& graph : reader_.contents().graphs) {
      for (const session::NodeRecord& node : graph.nodes) {
        for (const session::NodeFunction& f : node.functions)
          starts[&line(node.source, node.location)].insert(f.graph);
      }
    }
    for (auto& [l, graphs] : starts) {
      cancel_.check();
      for (const GraphId id : reachable({graphs.begin(), graphs.end()})) {
        const auto ns = graph_ns.find(id);
        if (ns == graph_ns.end()) continue;
        const auto own = line_ns.find({l, id});
        l->inside_ns += ns->second - (own == line_ns.end() ? 0 : own->second);
      }
    }
  }

  // The trace whose graph holds a graph, directly or not; graphs of several belong to the first.
  std::unordered_map<GraphId, TraceId> traces_of_graphs() const {
    std::unordered_map<GraphId, TraceId> owners;
    std::set<GraphId> seen;
    for (const session::GraphRecord& graph : reader_.contents().graphs) owners.emplace(graph.id, TraceId());
    for (const session::TraceRecord& t : reader_.contents().traces) {
      std::vector<GraphId> open{t.graph()};
      while (!open.empty()) {
        const GraphId id = open.back();
        open.pop_back();
        const auto owner = owners.find(id);
        if (owner == owners.end() || !seen.insert(id).second) continue;
        owner->second = t.id;
        if (const auto called = called_.find(id); called != called_.end())
          open.insert(open.end(), called->second.begin(), called->second.end());
      }
    }
    return owners;
  }

  std::vector<GraphId> reachable(std::vector<GraphId> from) const {
    std::set<GraphId> seen(from.begin(), from.end());
    for (size_t i = 0; i < from.size(); ++i) {
      if (i % 1024 == 1023) cancel_.check();
      const auto called = called_.find(from[i]);
      if (called == called_.end()) continue;
      for (const GraphId id : called->second)
        if (seen.insert(id).second) from.push_back(id);
    }
    return from;
  }

  const session::NodeRecord* node_at(GraphId id, uint32_t node) const {
    const session::GraphRecord* graph = reader_.graph(id);
    return graph && node < graph->nodes.size() ? &graph->nodes[node] : nullptr;
  }

  // A trace that another trace started lies within that one.
  void put_traces() {
    std::vector<const session::TraceRecord*> all;
    for (const session::TraceRecord& t : reader_.contents().traces) all.push_back(&t);
    const auto thread = [this](const session::TraceRecord& t) { return thread_of(t); };
    using session::TraceRecord;
    session::visit_nested(std::move(all), thread, [&](const TraceRecord& t, const TraceRecord* outer) {
      LineSum& l = line_of(t);
      ++l.traces;
      l.tracing_ns += length(t.start_ns, t.end_ns);
      if (outer) line_of(*outer).tracing_ns -= length(t.start_ns, t.end_ns);
    });
  }

  // A function that a library made has no line of its own: its traces count for the lines that let it trace.
  LineSum& line_of(const session::TraceRecord& trace) {
    const session::FunctionRecord* f = reader_.function(trace.function);
    if (!f) return made_.nowhere;
    return is_defined(*f) ? line(f->file, f->line) : line(trace.source, trace.location);
  }

  // The text of the line where a function is defined, or where a library's function was first called.
  std::string_view first_line(const session::FunctionRecord& f) const {
    const auto& files = reader_.contents().files;
    const auto file = std::ranges::find(files, f.file, &session::FileRecord::id);
    return file == files.end() ? std::string_view() : source::line_at(file->text, f.line);
  }

  bool is_defined(const session::FunctionRecord& f) {
    const auto [at, fresh] = is_defined_.try_emplace(f.id, true);
    if (fresh) at->second = source::is_definition(first_line(f));
    return at->second;
  }

  // Defined by the program, or made there of something without a line, such as a partial: tf.function(partial(...)).
  bool is_programs(const session::FunctionRecord& f) {
    if (session::is_step_of_library(&f)) return false;
    return is_defined(f) || first_line(f).find("function(") != std::string_view::npos;
  }

  void put_calls() {
    std::unordered_map<CallId, int64_t> inner;  // calls end before their callers
    each_record(reader_.calls(), check(), [&](const session::CallRecord& c) {
      if (traces_.contain(c.thread, c.start_ns)) {  // its time is the trace's
        count(c);
        return;
      }
      const int64_t took = length(c.start_ns, c.end_ns);
      if (c.parent.valid()) inner[c.parent] += took;
      int64_t own = took;
      if (const auto ops = in_call_.find(c.id); ops != in_call_.end()) own -= ops->second;
      if (const auto calls = inner.find(c.id); calls != inner.end()) own -= calls->second, inner.erase(calls);
      if (c.outcome != CallOutcome::kHit) own -= traces_.time_in(c.thread, c.start_ns, c.end_ns);
      count(c).call_ns += std::max<int64_t>(0, own);  // ops on other threads may take longer than the call
    });
  }

  // Counts the call on its line. A function that a stage of a pipeline runs is called at no line of the program: the
  // line that made the stage ran once, so its calls stand at its def.
  LineSum& count(const session::CallRecord& call) {
    LineSum& at_call = line(call.source, call.location);
    const session::FunctionRecord* f = reader_.function(call.function);
    LineSum& sum =
        f && f->kind == "dataset" && f->line > 0 && is_defined(*f) ? line(f->file, f->line) : at_call;
    ++sum.calls;
    sum.own_calls += &sum != &at_call || !f || is_programs(*f);
    return sum;
  }

  // The parameters and results of a graph stand on the line that let it trace: that line only called it.
  bool is_of_call(const session::NodeRecord& node, const session::TraceRecord* trace) {
    return trace && (node.op == "Placeholder" || node.op == "Identity") &&
           &line(node.source, node.location) == &line(trace->source, trace->location);
  }

  void count_nodes(const std::vector<TraceId>& traces) {
    for (const TraceId id : traces) {
      const session::TraceRecord* trace = reader_.trace(id);
      if (!trace) continue;
      for (const GraphId graph : reachable({trace->graph()})) {
        const session::GraphRecord* g = reader_.graph(graph);
        if (!g) continue;
        for (const session::NodeRecord& node : g->nodes) {
          if (is_of_call(node, trace)) continue;
          ++line(node.source, node.location).nodes;
          for (LineSum* caller : callers_in(*trace, node)) ++caller->called_nodes;
        }
      }
    }
  }

  // The lines in a node's stack from the one that called its own code up to the traced function.
  const std::vector<LineSum*>& callers_in(const session::TraceRecord& trace, const session::NodeRecord& node) {
    const auto [known, is_new] = callers_in_.try_emplace({trace.id, node.location});
    if (!is_new) return known->second;
    constexpr int kMaxFrames = 64;
    std::set<LineSum*> lines;
    const session::LocationRecord *inner = nullptr, *at = reader_.location(node.location);
    const LineSum* const own = &line(node.source, node.location);
    const LineSum* const outside = &line(trace.source, trace.location);
    for (int depth = 0; at && depth < kMaxFrames; ++depth, inner = at, at = reader_.location(at->caller)) {
      const bool has_line = at->file.valid() && at->line > 0;
      LineSum* const here = has_line ? &line(at->file, at->line) : &line(at->source, at->id);
      if (here == outside) break;
      const bool is_own_block =
          inner && session::is_own_block(reader_.code(at->source.code), reader_.code(inner->source.code));
      if (here != own && here != &made_.nowhere && !is_own_block) lines.insert(here);
    }
    return known->second = {lines.begin(), lines.end()};
  }

  const session::Reader& reader_;
  const Cancel& cancel_;
  LineSums made_;
  std::unordered_map<FunctionId, bool> is_defined_;  // false: its line is where it was first called
  Outermost outermost_, traces_;   // traces and calls; traces alone
  Outermost waits_;                // for elements of pipelines
  std::unordered_map<TraceId, session::ThreadId> thread_of_trace_;
  std::unordered_map<GraphId, std::vector<GraphId>> called_;  // by the nodes of a graph
  std::map<session::ThreadId, Thread> threads_;
  std::unordered_map<uint64_t, Ran> eager_;  // keyed by instruction
  std::map<session::LocationId, Ran> from_libraries_;  // eager ops, keyed by the user's line that called the library
  std::unordered_map<uint64_t, uint64_t> evaluated_;  // ops by instruction
  std::unordered_map<uint64_t, Ran> nodes_;  // keyed by graph and node
  std::unordered_map<CallId, int64_t> in_call_;
  std::unordered_map<CallId, GraphId> graph_of_call_;
  std::unordered_map<uint64_t, LineSum*> places_;
  std::unordered_map<session::LocationId, LineSum*> callers_;
  std::map<std::pair<TraceId, session::LocationId>, std::vector<LineSum*>> callers_in_;
};

}  // namespace

LineSums line_sums(const session::Reader& reader, const std::vector<TraceId>& traces, const Cancel& cancel) {
  return Summing(reader, cancel).sum(traces);
}

}  // namespace footlight::query
