// Merges the chunks of all kinds of events by the start of their rows. A chunk is decoded when the merge arrives at its
// first start, and let go after its last row, so memory holds only chunks that overlap in time.
#include "engine/cli/export_timeline.h"

#include "engine/base/text.h"
#include "engine/cli/export_tracks.h"
#include "engine/cli/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

namespace footlight::cli {
namespace {

using namespace session;

// Where two begin and end at the same time, the one that comes first here lies outside. Counters have no length.
enum class Rank : uint8_t { kSpan, kCall, kWait, kTrace, kOp, kDevice, kCounter };

struct Entry {
  int64_t start = 0, end = 0;
  uint32_t row = 0;
  uint32_t order = 0;  // among entries of the same time

  // The outer one first.
  friend bool operator<(const Entry& a, const Entry& b) {
    if (a.start != b.start) return a.start < b.start;
    return a.end != b.end ? a.end > b.end : a.order < b.order;
  }
};

// The rows of one chunk, sorted, and how one of them is written.
struct Run {
  Rank rank = Rank::kSpan;
  uint32_t chunk = 0;
  std::vector<Entry> entries;
  size_t at = 0;
  std::function<void(const Entry&)> write;

  const Entry& current() const { return entries[at]; }
  // For a queue whose top is the first. A row is recorded when it ends, so of two equal ones the later is outside.
  static bool later(const std::unique_ptr<Run>& a, const std::unique_ptr<Run>& b) {
    const Entry &x = a->current(), &y = b->current();
    if (x.start != y.start || x.end != y.end) return y < x;
    return a->rank != b->rank ? a->rank > b->rank : a->chunk < b->chunk;
  }
};

// A chunk that is not yet decoded.
struct Waiting {
  int64_t first_ns = 0;
  std::function<std::unique_ptr<Run>()> open;
};

// Times of a file may be anything.
int64_t sum(int64_t a, int64_t b) {
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return b < 0 ? INT64_MIN : INT64_MAX;
  return out;
}

uint64_t flow_id(uint64_t kind, uint64_t number) {
  // Scrambled, so that numbers of different kinds do not meet.
  uint64_t x = number + (kind + 1) * 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

// The process that recorded a row.
using cli::recorder_of;
uint32_t recorder_of(const CallRecord& c) { return process_of(c.thread); }
uint32_t recorder_of(const WaitRecord& w) { return process_of(w.thread); }
uint32_t recorder_of(const SpanRecord& s) { return process_of(s.track); }
uint32_t recorder_of(const CounterRecord& c) { return process_of(c.track); }

uint64_t launch_flow(const DeviceRecord& d) {
  return d.correlation ? flow_id(0, uint64_t{recorder_of(d)} << 32 | d.correlation) : flow_id(1, d.op_event);
}

class Timeline {
 public:
  Timeline(const Export& what, TimelineSink& sink) : what_(what), reader_(what.reader), sink_(sink), names_(reader_),
        tracks_(reader_, names_, sink) {}
  std::vector<Missing> write();

 private:
  void look_ahead();
  template <class Record>
  void add_store(Rank rank, void (Timeline::*write)(const Record&, const Entry&));
  void add_ops();
  template <class Chunk, class Fill>
  void add_chunks(const ChunkStore<Chunk>& store, Rank rank, Fill fill);
  void add_traces();
  void merge();

  void op(const OpColumns& ops, const Entry& entry);
  void call(const CallRecord& c, const Entry& entry);
  void wait(const WaitRecord& w, const Entry& entry);
  void device(const DeviceRecord& d, const Entry& entry);
  void span(const SpanRecord& s, const Entry& entry);
  void counter(const CounterRecord& c, const Entry& entry);
  void trace(const TraceRecord& t, const Entry& entry);
  void phase(const TraceRecord& t, const PhaseRecord& p, const Entry& entry);

  // The slice being made.
  void text(const char* name, std::string_view value) {
    if (!value.empty()) arguments_.push_back({name, value});
  }
  // Keeps a text until the next slice.
  std::string_view keep(std::string value) { return texts_[used_texts_++ % texts_.size()] = std::move(value); }
  void number(const char* name, int64_t value) { arguments_.push_back({name, {}, false, true, value}); }
  void slice(const TrackOf& track, const Entry& entry, std::string_view name, std::string_view category);
  ThreadId thread_of(const TraceRecord& t) const;
  void say_missing();

  const Export& what_;
  const Reader& reader_;
  TimelineSink& sink_;
  Names names_;
  Tracks tracks_;
  std::vector<Waiting> waiting_;
  std::unique_ptr<Run> traces_;
  std::unordered_map<TraceId, ThreadId> thread_of_trace_;
  std::vector<std::pair<uint64_t, uint64_t>> launches_;  // an op event, and the flow to what it launched; sorted
  std::vector<Argument> arguments_;
  std::vector<Flow> flows_;
  std::array<std::string, 8> texts_;
  size_t used_texts_ = 0;
  uint64_t unreadable_ = 0, untimed_ = 0, overlapping_ = 0, not_finite_ = 0;
  std::vector<Missing> missing_;
};

// --- the merge -----------------------------------------------------------------------------------------------------

// What a slice needs to know of others before its turn: which thread made a trace, what an op launched.
void Timeline::look_ahead() {
  const auto walk = [&](const auto& store, auto&& visit) {
    what_.progress.expect(store.rows());
    for (size_t n = 0; n < store.index().size(); ++n) {
      try {
        for (const auto& row : *store.chunk(n)) visit(row);
      } catch (const Error&) {
        // Counted when it is written.
      }
      what_.progress.add(store.index()[n].count);
    }
  };
  walk(reader_.calls(), [&](const CallRecord& c) {
    if (c.outcome == CallOutcome::kTrace || c.outcome == CallOutcome::kCompile)
      thread_of_trace_.try_emplace(c.trace, c.thread);
  });
  walk(reader_.device_events(), [&](const DeviceRecord& d) {
    if (d.op_event) launches_.emplace_back(d.op_event, launch_flow(d));
  });
  std::sort(launches_.begin(), launches_.end());
  launches_.erase(std::unique(launches_.begin(), launches_.end()), launches_.end());
}

// `fill(chunk, add)` calls add(row, process, start, end) for the rows and returns what writes one of them.
template <class Chunk, class Fill>
void Timeline::add_chunks(const ChunkStore<Chunk>& store, Rank rank, Fill fill) {
  what_.progress.expect(store.rows());
  for (uint32_t number = 0; number < store.index().size(); ++number) {
    const ChunkInfo info = store.index()[number];
    const auto open = [this, &store, rank, fill, number, info] {
      auto run = std::make_unique<Run>();
      run->rank = rank;
      run->chunk = number;
      what_.progress.add(info.count);
      try {
        const std::shared_ptr<const Chunk> chunk = store.chunk(number);
        run->entries.reserve(chunk->size());
        run->write = fill(chunk, [&](size_t row, uint32_t process, int64_t start, int64_t end) {
          if (start <= 0) {
            ++untimed_;
            return;
          }
          const int64_t offset = tracks_.clock_offset_ns(process);
          const auto place = static_cast<uint32_t>(row);
          run->entries.push_back({sum(start, offset), sum(std::max(start, end), offset), place, ~place});
        });
        std::sort(run->entries.begin(), run->entries.end());
      } catch (const Error&) {
        unreadable_ += info.count;
        run->entries.clear();
      }
      return run;
    };
    waiting_.push_back({sum(info.first_ns, tracks_.least_clock_offset_ns()), open});
  }
}

template <class Record>
void Timeline::add_store(Rank rank, void (Timeline::*write)(const Record&, const Entry&)) {
  using Chunk = std::vector<Record>;
  add_chunks(reader_.events<Chunk>(), rank, [this, write](const std::shared_ptr<const Chunk>& chunk, auto&& add) {
    for (size_t i = 0; i < chunk->size(); ++i) {
      const Record& row = (*chunk)[i];
      if constexpr (std::is_same_v<Record, CounterRecord>) add(i, recorder_of(row), row.time_ns, row.time_ns);
      else add(i, recorder_of(row), row.start_ns, row.end_ns);
    }
    return [this, write, chunk](const Entry& entry) { (this->*write)((*chunk)[entry.row], entry); };
  });
}

void Timeline::add_ops() {
  add_chunks(reader_.op_events(), Rank::kOp, [this](const std::shared_ptr<const OpColumns>& ops, auto&& add) {
    for (size_t i = 0; i < ops->size(); ++i)
      add(i, process_of(ops->thread[i]), ops->start_ns[i], ops->end_ns[i]);
    return [this, ops](const Entry& entry) { op(*ops, entry); };
  });
}

// Traces and their phases are records, so they are one run.
void Timeline::add_traces() {
  traces_ = std::make_unique<Run>();
  Run* const run = traces_.get();
  run->rank = Rank::kTrace;
  struct Part {
    const TraceRecord* trace;
    const PhaseRecord* phase;
  };
  std::vector<Part> parts;
  for (const TraceRecord& t : reader_.contents().traces) {
    const int64_t offset = tracks_.clock_offset_ns(process_of(t.id));
    const auto add = [&](const PhaseRecord* phase, int64_t start, int64_t end, uint32_t depth) {
      if (start <= 0) {
        ++untimed_;
        return;
      }
      run->entries.push_back(
          {sum(start, offset), sum(std::max(start, end), offset), static_cast<uint32_t>(parts.size()), depth});
      parts.push_back({&t, phase});
    };
    add(nullptr, t.start_ns, t.end_ns, 0);
    for (const PhaseRecord& p : t.phases) {
      uint32_t depth = 1;
      for (auto up = static_cast<size_t>(p.parent); up < t.phases.size() && depth < t.phases.size() + 1; ++depth)
        up = static_cast<size_t>(t.phases[up].parent);
      add(&p, p.start_ns, p.end_ns, depth);
    }
  }
  if (run->entries.empty()) return;
  std::sort(run->entries.begin(), run->entries.end());
  run->write = [this, parts = std::move(parts)](const Entry& entry) {
    const Part& part = parts[entry.row];
    if (part.phase) phase(*part.trace, *part.phase, entry);
    else trace(*part.trace, entry);
  };
  waiting_.push_back({run->entries.front().start, [this] { return std::move(traces_); }});
}

void Timeline::merge() {
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Waiting& a, const Waiting& b) { return a.first_ns > b.first_ns; });
  // A heap, not a priority_queue, whose top cannot be moved out.
  std::vector<std::unique_ptr<Run>> open;
  const auto push = [&](std::unique_ptr<Run> run) {
    if (run->at == run->entries.size()) return;
    open.push_back(std::move(run));
    std::push_heap(open.begin(), open.end(), Run::later);
  };
  while (!waiting_.empty() || !open.empty()) {
    while (!waiting_.empty() && (open.empty() || waiting_.back().first_ns <= open.front()->current().start)) {
      const auto next = std::move(waiting_.back().open);
      waiting_.pop_back();
      push(next());
    }
    if (open.empty()) continue;
    std::pop_heap(open.begin(), open.end(), Run::later);
    std::unique_ptr<Run> run = std::move(open.back());
    open.pop_back();
    arguments_.clear();
    flows_.clear();
    run->write(run->current());
    ++run->at;
    push(std::move(run));
  }
}

// --- slices --------------------------------------------------------------------------------------------------------

void Timeline::slice(const TrackOf& track, const Entry& entry, std::string_view name, std::string_view category) {
  const TimelineTrack* lane = tracks_.lane_for(track, entry.start, entry.end);
  if (!lane) {
    ++overlapping_;
    return;
  }
  sink_.slice({lane, entry.start, entry.end, name, category, arguments_, flows_});
}

void Timeline::op(const OpColumns& ops, const Entry& entry) {
  const size_t i = entry.row;
  const OpNameRecord* known = reader_.op_name(ops.op[i]);
  const SignatureRecord* signature = reader_.signature(ops.signature[i]);
  const NodeRecord* node = names_.node(ops.graph[i], ops.node[i]);
  if (signature) text("shapes", keep(signature->inputs + " -> " + signature->outputs));
  text("source", node ? names_.place(node->source, node->location) : names_.place(ops.source(i), ops.location[i]));
  if (const GraphRecord* graph = node ? reader_.graph(ops.graph[i]) : nullptr) text("graph", graph->name);
  if (node) text("node", node->name);
  if (ops.call[i].valid()) number("call", static_cast<int64_t>(ops.call[i].value));
  if (ops.device[i].valid() && ops.device[i].value) number("device", ops.device[i].value);
  if (signature && signature->flops) number("flops", static_cast<int64_t>(signature->flops));
  auto launch = std::lower_bound(launches_.begin(), launches_.end(), std::pair<uint64_t, uint64_t>(ops.id[i], 0));
  for (; launch != launches_.end() && launch->first == ops.id[i]; ++launch)
    flows_.push_back({launch->second, Flow::Role::kBegin});
  slice(tracks_.of(ops.thread[i]), entry, known ? std::string_view(known->name) : names_.op(ops.op[i]),
        known ? std::string_view(known->family) : "");
}

void Timeline::call(const CallRecord& c, const Entry& entry) {
  const TraceRecord* trace = reader_.trace(c.trace);
  text("outcome", word(c.outcome));
  text("trace", keep(names_.trace_number(c.trace)));
  if (trace && c.outcome != CallOutcome::kHit) text("why", trace->why);
  text("source", names_.place(c.source, c.location));
  number("call", static_cast<int64_t>(c.id.value));
  slice(tracks_.of(c.thread), entry, keep(names_.function(c.function)), "call");
}

void Timeline::wait(const WaitRecord& w, const Entry& entry) {
  text("source", names_.place(w.source));
  slice(tracks_.of(w.thread), entry, keep("wait for the trace of " + names_.function(w.function)), "wait");
}

ThreadId Timeline::thread_of(const TraceRecord& t) const {
  if (const auto known = thread_of_trace_.find(t.id); known != thread_of_trace_.end()) return known->second;
  return tracks_.first_thread(process_of(t.id));
}

void Timeline::trace(const TraceRecord& t, const Entry& entry) {
    text("signature", t.signature);
  text("reason", word(t.reason));
  text("why", t.why);
  text("error", t.error);
  if (const GraphRecord* graph = reader_.graph(t.graph())) {
    text("graph", graph->name);
    number("nodes", static_cast<int64_t>(graph->nodes.size()));
  }
  text("source", names_.place(t.source, t.location));
  slice(tracks_.of(thread_of(t)), entry,
        keep(str(word(t.kind), ' ', names_.function(t.function), names_.trace_number(t.id))), "trace");
}

void Timeline::phase(const TraceRecord& t, const PhaseRecord& p, const Entry& entry) {
  text("function", keep(names_.function(t.function)));
  text("trace", keep(names_.trace_number(t.id)));
  slice(tracks_.of(p.thread.valid() ? p.thread : thread_of(t)), entry, p.name,
        p.category.empty() ? std::string_view("phase") : p.category);
}

void Timeline::device(const DeviceRecord& d, const Entry& entry) {
  const NodeRecord* node = names_.node(d.graph, d.node);
  if (node) text("node", node->name);
  if (node) text("source", names_.place(node->source, node->location));
  text("annotation", d.annotation);
  if (d.bytes) number("bytes", static_cast<int64_t>(d.bytes));
  if (d.call.valid()) number("call", static_cast<int64_t>(d.call.value));
  if (d.correlation) number("correlation", d.correlation);
  if (d.correlation || d.op_event)
    flows_.push_back({launch_flow(d), !is_api(d)    ? Flow::Role::kEnd
                                      : d.op_event ? Flow::Role::kStep
                                                   : Flow::Role::kBegin});
  slice(tracks_.of(d), entry, d.name, d.kind);
}

void Timeline::span(const SpanRecord& s, const Entry& entry) {
  if (!s.args.empty()) arguments_.push_back({"args", s.args, is_json_object(s.args)});
  text("source", names_.place({}, s.location));
  if (s.flow_in) flows_.push_back({flow_id(2, s.flow_in), Flow::Role::kEnd});
  if (s.flow_out) flows_.push_back({flow_id(2, s.flow_out), Flow::Role::kBegin});
  slice(tracks_.of(s.track), entry, s.name, s.category.empty() ? std::string_view("span") : s.category);
}

void Timeline::counter(const CounterRecord& c, const Entry& entry) {
  if (!std::isfinite(c.value)) {  // JSON has no number for it
    ++not_finite_;
    return;
  }
  sink_.counter(tracks_.counter(c.track), entry.start, c.value);
}

// --- what is not there ---------------------------------------------------------------------------------------------

void Timeline::say_missing() {
  missing_ = reader_.contents().dropped;
  const auto left_out = [&](uint64_t count, const char* what, const char* why) {
    if (count) missing_.push_back({what, why, count});
  };
  left_out(unreadable_, "events", "they could not be read");
  left_out(untimed_, "events", "they have no time");
  left_out(overlapping_, "slices", "too many others overlap with them");
  left_out(not_finite_, "counter values", "they are not finite");
  for (const Missing& m : missing_) {
    arguments_.clear();
    text("what", m.what);
    text("why", m.why);
    number("count", static_cast<int64_t>(m.count));
    sink_.instant(tracks_.first_process(), reader_.last_time(), str("missing: ", m.count, ' ', m.what),
                  arguments_);
  }
}

std::vector<Missing> Timeline::write() {
  look_ahead();
  add_store(Rank::kSpan, &Timeline::span);
  add_store(Rank::kCall, &Timeline::call);
  add_store(Rank::kWait, &Timeline::wait);
  add_traces();
  add_ops();
  add_store(Rank::kDevice, &Timeline::device);
  add_store(Rank::kCounter, &Timeline::counter);
  merge();
  say_missing();
  return std::move(missing_);
}

}  // namespace

std::vector<Missing> write_timeline(const Export& what, TimelineSink& sink) { return Timeline(what, sink).write(); }

}  // namespace footlight::cli
