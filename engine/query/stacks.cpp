// Visits the calls of the range, then its op events; a call is looked up once.
#include "engine/query/stacks.h"

#include "engine/query/nesting.h"
#include "engine/query/trace_spans.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace footlight::query {
namespace {

constexpr int kDeepestCall = 64;  // a hostile file may hold a call within itself

class Builder {
 public:
  Builder(const Store& store, int64_t from, int64_t to, const Cancel& cancel)
      : store_(store), reader_(store.reader()), from_(from), to_(to), cancel_(cancel) {
    tree_.frames.emplace_back();
    for (const session::TraceRecord& t : reader_.contents().traces)
      for (const session::TraceGraph& g : t.graphs) roots_.emplace(g.graph, t.id);
    for (const auto& [row, call] : store.calls().traced()) traced_.insert(call.id.value);
  }

  StackTree build() {
    add_calls();
    add_tracing();
    add_ops();
    sum_up();
    return std::move(tree_);
  }

 private:
  uint32_t child(uint32_t parent, FrameKind kind, uint32_t what) {
    const auto [it, added] = known_.try_emplace({parent, kind, what}, static_cast<uint32_t>(tree_.frames.size()));
    if (added) {
      Frame frame;
      frame.kind = kind;
      frame.what = what;
      frame.parent = parent;
      tree_.frames.push_back(frame);
    }
    return it->second;
  }
  // The same for ops, of which there may be millions.
  uint32_t op_child(uint32_t parent, session::OpNumber op) {
    const uint32_t at = op_keys_.add(uint64_t{parent} << 32 | op.value);
    if (at == op_frames_.size()) op_frames_.push_back(child(parent, FrameKind::kOp, op.value));
    return op_frames_[at];
  }
  uint32_t thread(session::ThreadId id) { return child(0, FrameKind::kThread, id.value); }
  int64_t inside(int64_t start, int64_t end) const {
    return std::max<int64_t>(0, std::min(end, to_) - std::max(start, from_));
  }

  // The frame of a call, below those of the calls around it.
  uint32_t frame_of(CallId id, session::ThreadId of, int depth) {
    if (const auto known = calls_.find(id.value); known != calls_.end()) return known->second;
    const auto call = store_.calls().find(id);
    const uint32_t frame = call ? frame_of(*call, depth) : thread(of);
    calls_.emplace(id.value, frame);
    return frame;
  }
  uint32_t frame_of(const session::CallRecord& call, int depth) {
    const bool inner = call.parent.valid() && call.parent != call.id && depth < kDeepestCall;
    const uint32_t parent = inner ? frame_of(call.parent, call.thread, depth + 1) : thread(call.thread);
    return child(parent, FrameKind::kFunction, call.function.value);
  }

  void add_calls() {
    each_record(reader_.calls(), from_, to_, [&] { cancel_.check(); }, [&](const session::CallRecord& call) {
      const int64_t ns = inside(call.start_ns, call.end_ns);
      if (ns <= 0) return;
      const uint32_t frame = frame_of(call, 0);
      calls_.emplace(call.id.value, frame);
      tree_.frames[frame].total += ns;
      ++tree_.frames[frame].count;
      ++tree_.calls;
      if (traced_.contains(call.parent.value))
        inner_calls_[call.parent.value].emplace_back(call.start_ns, call.end_ns);
    });
  }

  // The part of a call within the range, without calls inside it, which have frames of their own.
  int64_t without_inner_calls(CallId of, int64_t start, int64_t end) const {
    int64_t ns = inside(start, end);
    const auto inner = inner_calls_.find(of.value);
    if (inner == inner_calls_.end()) return ns;
    for (const auto& [first, last] : inner->second)
      ns -= inside(std::max(first, start), std::min(last, end));
    return std::max<int64_t>(0, ns);
  }

  // Tracing lies below the call that traced, its phases below that. Spans come parents first.
  void add_tracing() {
    std::vector<uint32_t> open;  // the frames around a span, by depth
    for (const TraceSpan& span : all_trace_spans(store_, cancel_)) {
      if (!span.call.valid() || span.start >= to_ || span.end <= from_) continue;
      if (span.part == TracePart::kTrace) {
        const uint32_t call = frame_of(span.call, span.thread, 0);
        open.assign(1, child(call, FrameKind::kTracing, 0));
      } else if (span.part == TracePart::kPhase && span.depth >= 1 && span.depth <= open.size()) {
        const session::TraceRecord* trace = reader_.trace(span.trace);
        if (!trace || span.phase >= trace->phases.size()) continue;
        open.resize(span.depth);
        open.push_back(child(open.back(), FrameKind::kPhase, phase(trace->phases[span.phase].name)));
      } else {
        continue;
      }
      Frame& frame = tree_.frames[open.back()];
      frame.total += without_inner_calls(span.call, span.start, span.end);
      ++frame.count;
    }
  }
  uint32_t phase(const std::string& name) {
    const auto known = std::find(tree_.phases.begin(), tree_.phases.end(), name);
    if (known == tree_.phases.end()) tree_.phases.push_back(name);
    return static_cast<uint32_t>(known - tree_.phases.begin());
  }

  void add_ops() {
    each_chunk(reader_.op_events(), from_, to_, [&] { cancel_.check(); }, [&](const session::OpColumns& e) {
      CallId call;
      GraphId graph;
      session::ThreadId of;
      uint32_t parent = UINT32_MAX;
      Nesting* nesting = nullptr;
      order_by_end(e, order_);
      for (const uint32_t i : order_) {
        const int64_t start = std::max(e.start_ns[i], from_), end = std::min(end_of(e, i), to_);
        if (e.start_ns[i] >= to_ || end_of(e, i) <= from_) continue;
        if (!nesting || of != e.thread[i]) nesting = &threads_[e.thread[i]];
        if (parent == UINT32_MAX || call != e.call[i] || graph != e.graph[i] || of != e.thread[i]) {
          call = e.call[i], graph = e.graph[i], of = e.thread[i];
          parent = call.valid() ? frame_of(call, of, 0) : thread(of);
          // The graph of a trace is the call itself; any other is the body of a loop, a branch, a called function.
          if (graph.valid() && !roots_.contains(graph)) parent = child(parent, FrameKind::kGraph, graph.value);
        }
        Frame& frame = tree_.frames[op_child(parent, e.op[i])];
        frame.total += end - start - nesting->close(start, end);
        ++frame.count;
        ++tree_.events;
      }
    });
  }

  // Threads and bodies last as long as their children; a call has its own duration.
  void sum_up() {
    std::vector<int64_t> below(tree_.frames.size());
    for (size_t i = tree_.frames.size(); i-- > 0;) {
      Frame& f = tree_.frames[i];
      if (f.kind == FrameKind::kRoot || f.kind == FrameKind::kThread || f.kind == FrameKind::kGraph)
        f.total = below[i];
      // An op may reach out of its call in another thread; then the call has no time of its own.
      f.total = std::max(f.total, f.kind == FrameKind::kOp ? f.total : below[i]);
      f.self = f.total - below[i];
      if (i > 0) below[f.parent] += f.total, tree_.frames[f.parent].children.push_back(static_cast<uint32_t>(i));
    }
    for (Frame& f : tree_.frames)
      std::sort(f.children.begin(), f.children.end(), [&](uint32_t a, uint32_t b) {
        const int64_t x = tree_.frames[a].total, y = tree_.frames[b].total;
        return x != y ? x > y : a < b;
      });
  }

  const Store& store_;
  const session::Reader& reader_;
  const int64_t from_, to_;
  const Cancel& cancel_;
  StackTree tree_;
  std::map<std::tuple<uint32_t, FrameKind, uint32_t>, uint32_t> known_;
  KeyTable op_keys_;
  std::vector<uint32_t> op_frames_, order_;
  std::map<session::ThreadId, Nesting> threads_;
  std::unordered_map<uint64_t, uint32_t> calls_;
  std::unordered_set<uint64_t> traced_;  // calls that traced
  std::unordered_map<uint64_t, std::vector<std::pair<int64_t, int64_t>>> inner_calls_;  // calls inside of them
  std::unordered_map<GraphId, TraceId> roots_;
};

}  // namespace

StackTree stacks(const Store& store, int64_t from, int64_t to, const Cancel& cancel) {
  return Builder(store, from, to, cancel).build();
}

BottomUp bottom_up(const StackTree& tree) {
  BottomUp made;
  std::map<std::tuple<uint32_t, FrameKind, uint32_t>, uint32_t> known;
  const auto entry = [&](uint32_t parent, const Frame& f) {
    const auto [it, added] = known.try_emplace({parent, f.kind, f.what}, static_cast<uint32_t>(made.entries.size()));
    if (added) {
      Caller caller;
      caller.kind = f.kind;
      caller.what = f.what;
      caller.parent = parent;
      made.entries.push_back(caller);
      (parent == UINT32_MAX ? made.roots : made.entries[parent].children).push_back(it->second);
    }
    return it->second;
  };
  for (size_t i = 1; i < tree.frames.size(); ++i) {
    const Frame& frame = tree.frames[i];
    if (frame.self <= 0 && frame.kind != FrameKind::kOp) continue;
    uint32_t at = UINT32_MAX;
    for (size_t up = i; up != 0; up = tree.frames[up].parent) {
      at = entry(at, tree.frames[up]);
      made.entries[at].self += frame.self;
      made.entries[at].count += frame.count;
    }
  }
  const auto longest = [&](std::vector<uint32_t>& list) {
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      const int64_t x = made.entries[a].self, y = made.entries[b].self;
      return x != y ? x > y : a < b;
    });
  };
  longest(made.roots);
  for (Caller& c : made.entries) longest(c.children);
  return made;
}

}  // namespace footlight::query
