// Visits the chunks that overlap the time range once, with bounded memory for unfinished ops.
#include "engine/query/op_totals.h"

#include "engine/base/errors.h"
#include "engine/query/kernel_times.h"
#include "engine/query/nesting.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace footlight::query {
namespace {

// The union of intervals that arrive roughly in order, as pieces: `settle(t)` promises that no more begin before t, and
// moves complete pieces to done(). If too many are waiting, neighbours are merged into a piece that is only partly
// covered.
class Cover {
 public:
  struct Piece {
    int64_t start, end, covered;
    bool solid() const { return covered == end - start; }
  };
  void add(int64_t start, int64_t end) {
    if (end > start) waiting_.push_back({start, end, end - start});
  }
  void settle(int64_t until) {
    const auto by_start = [](const Piece& a, const Piece& b) { return a.start < b.start; };
    if (!std::is_sorted(waiting_.begin(), waiting_.end(), by_start))
      std::sort(waiting_.begin(), waiting_.end(), by_start);
    size_t kept = 0;
    for (const Piece piece : waiting_) {
      if (kept && piece.start <= waiting_[kept - 1].end) {
        waiting_[kept - 1] = joined(waiting_[kept - 1], piece);
      } else {
        waiting_[kept++] = piece;
      }
    }
    waiting_.resize(kept);
    size_t closed = 0;
    while (closed < kept && (until == INT64_MAX || waiting_[closed].end < until)) ++closed;
    done_.insert(done_.end(), waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(closed));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(closed));
    const size_t open = waiting_.size();
    if (open <= kMaxOpenRows) return;
    for (size_t i = 0; i + 1 < open; i += 2)
      waiting_[i / 2] = {waiting_[i].start, waiting_[i + 1].end, waiting_[i].covered + waiting_[i + 1].covered};
    if (open % 2) waiting_[open / 2] = waiting_[open - 1];
    waiting_.resize((open + 1) / 2);
  }
  // Sorted by time, without overlaps. The user of a piece removes it.
  std::vector<Piece>& done() { return done_; }
  // Every piece that begins before that is in done(), after settle(until).
  int64_t known(int64_t until) const { return waiting_.empty() ? until : std::min(until, waiting_.front().start); }

 private:
  static constexpr size_t kMaxOpenRows = 1 << 17;
  // Joins two overlapping pieces; `b` does not begin before `a`.
  static Piece joined(const Piece& a, const Piece& b) {
    const int64_t end = std::max(a.end, b.end);
    if (a.solid() && b.solid()) return {a.start, end, end - a.start};
    // The part that the solid piece overlaps is covered; the rest of the other counts as evenly covered.
    const Piece& solid = b.solid() ? b : a;
    const Piece& other = b.solid() ? a : b;
    const int64_t under = std::max<int64_t>(0, std::min(a.end, b.end) - b.start);
    const double share = static_cast<double>(other.end - other.start - under) /
                         static_cast<double>(std::max<int64_t>(1, other.end - other.start));
    const auto outside = static_cast<int64_t>(static_cast<double>(other.covered) * share);
    return {a.start, end, std::min(end - a.start, solid.covered + outside)};
  }
  std::vector<Piece> waiting_, done_;
};

using Interval = std::pair<int64_t, int64_t>;

// Other work within the range, by start and without overlaps.
std::vector<Interval> joined(const OpTotalsOptions& options, const OpTotalsOptions::Intervals& other) {
  std::vector<Interval> all, made;
  for (const auto& [start, end] : other) {
    const Interval inside{std::max(start, options.from), std::min(end, options.to)};
    if (inside.second > inside.first) all.push_back(inside);
  }
  if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
  for (const Interval& next : all) {
    if (made.empty() || next.first > made.back().second) made.push_back(next);
    else made.back().second = std::max(made.back().second, next.second);
  }
  return made;
}

// Time covered by ops, and time covered by other work while no op runs. An op counts once, whatever the number of
// kinds: its time is subtracted from the kinds that it interrupts.
class Covers {
 public:
  explicit Covers(const OpTotalsOptions& options) : input_kind_(options.input), others_(options.others.size(), 0) {
    for (size_t k = 0; k < options.others.size(); ++k) add_kind(joined(options, options.others[k]), k);
  }
  void add_op(int64_t start, int64_t end) { ops_.add(start, end); }
  // That op, which was added too, calls a Python function.
  void add_python(int64_t start, int64_t end) { python_.add(start, end); }
  // An op that takes an element of a pipeline belongs to the input.
  void add_input(int64_t start, int64_t end) { input_.add(start, end), has_input_ = true; }
  void settle(int64_t until) {
    python_.settle(until);
    for (const Cover::Piece& piece : python_.done()) in_python_ += piece.covered;
    python_.done().clear();
    ops_.settle(until);
    std::vector<Cover::Piece>& done = ops_.done();
    for (; next_ < done.size(); ++next_) {
      const Cover::Piece& op = done[next_];
      busy_ += op.covered;
      const double share = static_cast<double>(op.covered) / static_cast<double>(op.end - op.start);
      each_within(op.start, op.end, at_op_, [&](const Segment& s, int64_t ns) {
        others_[s.kind] -= op.solid() ? ns : static_cast<int64_t>(static_cast<double>(ns) * share);
      });
    }
    if (has_input_) {
      input_.settle(until);
      take_input(until);
    } else {
      done.clear();
      next_ = 0;
    }
  }
  int64_t busy() const { return busy_; }
  int64_t in_python() const { return in_python_; }
  const std::vector<int64_t>& others() const { return others_; }

 private:
  struct Segment {
    int64_t start, end;
    size_t kind;
  };
  // The kinds come in their order: each has what those before it leave.
  void add_kind(const std::vector<Interval>& kind, size_t number) {
    if (kind.empty()) return;
    std::vector<Segment> all;
    all.reserve(segments_.size() + kind.size());
    size_t i = 0;
    for (const auto& [start, end] : kind) {
      int64_t at = start;
      while (i < segments_.size() && segments_[i].end <= start) all.push_back(segments_[i++]);
      while (i < segments_.size() && segments_[i].start < end) {
        if (segments_[i].start > at) all.push_back({at, segments_[i].start, number});
        at = std::max(at, segments_[i].end);
        if (segments_[i].end > end) break;  // the next stretch may meet it, too
        all.push_back(segments_[i++]);
      }
      if (end > at) all.push_back({at, end, number});
    }
    all.insert(all.end(), segments_.begin() + static_cast<ptrdiff_t>(i), segments_.end());
    segments_ = std::move(all);
    for (const Segment& s : segments_)
      if (s.kind == number) others_[number] += s.end - s.start;
  }
  // Calls visit(segment, ns) for what lies in [start, end); `at` moves on with starts that ascend.
  template <class Visit>
  void each_within(int64_t start, int64_t end, size_t& at, Visit&& visit) const {
    while (at < segments_.size() && segments_[at].end <= start) ++at;
    for (size_t i = at; i < segments_.size() && segments_[i].start < end; ++i)
      visit(segments_[i], std::min(end, segments_[i].end) - std::max(start, segments_[i].start));
  }
  // Input counts where no op runs and no kind before it: there it takes the place of those behind it.
  void take_input(int64_t until) {
    std::vector<Cover::Piece>&ops = ops_.done(), &inputs = input_.done();
    const int64_t known = std::min(ops_.known(until), input_.known(until));
    size_t taken = 0, op = 0;
    for (; taken < inputs.size() && inputs[taken].end <= known; ++taken) {
      const Cover::Piece& input = inputs[taken];
      while (op < ops.size() && ops[op].end <= input.start) ++op;
      int64_t at = input.start;
      for (size_t i = op; i < ops.size() && ops[i].start < input.end; ++i) {
        count_input(at, std::min(ops[i].start, input.end));
        at = std::max(at, ops[i].end);
      }
      count_input(at, input.end);
    }
    inputs.erase(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(taken));
    const int64_t needed_from = inputs.empty() ? known : std::min(known, inputs.front().start);
    size_t used = 0;
    while (used < next_ && ops[used].end <= needed_from) ++used;
    ops.erase(ops.begin(), ops.begin() + static_cast<ptrdiff_t>(used));
    next_ -= used;
  }
  void count_input(int64_t start, int64_t end) {
    if (end <= start) return;
    others_[input_kind_] += end - start;
    each_within(start, end, at_input_, [&](const Segment& s, int64_t ns) {
      others_[s.kind <= input_kind_ ? input_kind_ : s.kind] -= ns;
    });
  }

  const size_t input_kind_;
  Cover ops_, input_, python_;
  bool has_input_ = false;
  size_t next_ = 0;                // the first of the ops' pieces that was not counted yet
  std::vector<Segment> segments_;  // sorted by time, without overlaps
  size_t at_op_ = 0, at_input_ = 0;
  int64_t busy_ = 0, in_python_ = 0;
  std::vector<int64_t> others_;    // indexed by kind
};

bool takes_input(const std::string& op) { return op.starts_with("IteratorGetNext"); }
bool calls_python(const std::string& op) { return op.starts_with("EagerPyFunc") || op.starts_with("PyFunc"); }

// The numbers of the ops whose name is one of those.
std::unordered_set<uint32_t> ops_named(const session::Reader& reader, bool (*is_one)(const std::string&)) {
  std::unordered_set<uint32_t> found;
  for (const session::OpNameRecord& op : reader.contents().op_names)
    if (is_one(op.name)) found.insert(op.id.value);
  return found;
}

// The graphs of functions that stages of pipelines run, with those that their nodes run. Their ops work for the input,
// on threads of the pipeline or inside the op that takes an element: they are no work of the program beside it.
std::unordered_set<GraphId> pipeline_graphs(const session::Reader& reader) {
  std::unordered_set<GraphId> found;
  const session::Contents& contents = reader.contents();
  std::unordered_set<FunctionId> functions;
  for (const session::FunctionRecord& f : contents.functions)
    if (f.name.starts_with("Dataset_")) functions.insert(f.id);
  if (functions.empty()) return found;
  std::vector<GraphId> next;
  for (const session::TraceRecord& t : contents.traces)
    if (functions.contains(t.function))
      for (const session::TraceGraph& g : t.graphs) next.push_back(g.graph);
  std::unordered_map<GraphId, const session::GraphRecord*> graphs;
  for (const session::GraphRecord& g : contents.graphs) graphs[g.id] = &g;
  while (!next.empty()) {
    const GraphId id = next.back();
    next.pop_back();
    const auto graph = graphs.find(id);
    if (graph == graphs.end() || !found.insert(id).second) continue;
    for (const session::NodeRecord& node : graph->second->nodes)
      for (const session::NodeFunction& f : node.functions) next.push_back(f.graph);
  }
  return found;
}

struct Cost { uint64_t bytes = 0, flops = 0; };

// Costs by signature. Their numbers are small, except in hostile files.
class Costs {
 public:
  explicit Costs(const session::Reader& reader) {
    for (const session::SignatureRecord& s : reader.contents().signatures) {
      if (!s.id.valid()) continue;
      const Cost cost{s.input_bytes + s.output_bytes, s.flops};
      if (s.id.value >= kMaxDense) {
        others_[s.id.value] = cost;
        continue;
      }
      if (dense_.size() <= s.id.value) dense_.resize(s.id.value + size_t{1});
      dense_[s.id.value] = cost;
    }
  }
  // Null: the signature is not known.
  const Cost* find(SignatureId id) const {
    if (!id.valid()) return nullptr;
    if (id.value < dense_.size()) return dense_[id.value] ? &*dense_[id.value] : nullptr;
    const auto other = others_.find(id.value);
    return other == others_.end() ? nullptr : &other->second;
  }

 private:
  static constexpr uint32_t kMaxDense = 1 << 20;
  std::vector<std::optional<Cost>> dense_;
  std::unordered_map<uint32_t, Cost> others_;
};

// Rows by key, of which the last few hundred are found at once.
class Rows {
 public:
  // Null if no more rows are allowed. A new row has no durations yet.
  OpTotal* find_or_add(uint64_t key) {
    OpTotal*& recent = recent_[(key ^ key >> 32) % kRecent];
    if (recent && recent->key == key) return recent;
    const auto known = rows_.size() < kMaxTotalRows ? rows_.try_emplace(key).first : rows_.find(key);
    if (known == rows_.end()) return nullptr;
    known->second.key = key;
    return recent = &known->second;
  }
  std::unordered_map<uint64_t, OpTotal>& all() { return rows_; }

 private:
  static constexpr size_t kRecent = 256;
  std::unordered_map<uint64_t, OpTotal> rows_;
  std::array<OpTotal*, kRecent> recent_{};
};

}  // namespace

OpTotals op_totals(const session::Reader& reader, const OpTotalsOptions& options, const Cancel& cancel) {
  OpTotals made;
  const std::vector<session::ChunkInfo>& index = reader.op_events().index();
  const auto outside = [&](const session::ChunkInfo& c) {
    return c.first_ns >= options.to || c.last_ns <= options.from;
  };
  std::vector<int64_t> later(index.size() + 1, INT64_MAX);
  for (size_t c = index.size(); c-- > 0;)
    later[c] = outside(index[c]) ? later[c + 1] : std::min(later[c + 1], index[c].first_ns);
  const Costs costs(reader);
  Grouping grouping(reader, options.by);
  Rows rows;
  std::map<session::ThreadId, Nesting> threads;
  Covers covers(options);
  const bool knows_input = options.input < options.others.size();
  const auto input_ops = knows_input ? ops_named(reader, takes_input) : std::unordered_set<uint32_t>();
  const std::unordered_set<uint32_t> python_ops = ops_named(reader, calls_python);
  const auto of_pipelines = knows_input ? pipeline_graphs(reader) : std::unordered_set<GraphId>();
  std::vector<uint32_t> order;
  const bool has_kernels = !reader.device_events().index().empty();
  std::vector<DeviceOp> device_ops;
  std::vector<OpTotal*> rows_of_devices;
  for (size_t c = 0; c < index.size(); ++c) {
    if (outside(index[c])) continue;
    cancel.check();
    std::shared_ptr<const session::OpColumns> chunk;
    try {
      chunk = reader.op_events().chunk(c);
    } catch (const Error&) {
      made.unreadable += index[c].count;
      continue;
    }
    const session::OpColumns& e = *chunk;
    order_by_end(e, order);
    Nesting* nesting = nullptr;
    session::ThreadId thread;
    for (const uint32_t i : order) {
      const int64_t start = e.start_ns[i], end = end_of(e, i);
      if (start >= options.to || end <= options.from) continue;
      OpTotal* const row = rows.find_or_add(grouping.key(e, i));
      if (row && !row->durations.count()) {
        row->op = e.op[i];
        if (options.by == GroupBy::kShape) row->signature = e.signature[i];
      }
      if (!nesting || thread != e.thread[i]) nesting = &threads[thread = e.thread[i]];
      const int64_t from = std::max(start, options.from), to = std::min(end, options.to);
      const int64_t inner = nesting->close(from, to);
      if (row) {
        row->durations.add(end - start);
        row->total_ns += to - from;
        row->self_ns += to - from - inner;
        if (const Cost* cost = costs.find(e.signature[i])) {
          row->bytes += cost->bytes;
          row->flops += cost->flops;
        } else {
          row->bytes += e.bytes[i];
        }
        if (has_kernels && e.device[i].value > 0 && device_ops.size() < kMaxDeviceOps) {
          if (rows_of_devices.empty() || rows_of_devices.back() != row) rows_of_devices.push_back(row);
          device_ops.push_back({e.id[i], start, end - start, rows_of_devices.size() - 1});
        }
      } else {
        ++made.unlisted;
      }
      ++made.events;
      if (!input_ops.empty() && input_ops.contains(e.op[i].value)) {
        covers.add_input(from, to);
      } else if (of_pipelines.empty() || !of_pipelines.contains(e.graph[i])) {
        covers.add_op(from, to);
        if (!python_ops.empty() && python_ops.contains(e.op[i].value)) covers.add_python(from, to);
      }
    }
    covers.settle(later[c + 1]);
  }
  covers.settle(INT64_MAX);
  add_kernel_times(reader, device_ops, cancel);
  for (const DeviceOp& op : device_ops) {
    if (!op.kernel_ns) continue;
    rows_of_devices[op.row]->kernel_ns += op.kernel_ns;
    rows_of_devices[op.row]->launch_ns += op.took_ns;
  }
  made.busy_ns = covers.busy();
  made.python_ns = covers.in_python();
  for (const int64_t ns : covers.others()) made.others_ns.push_back(std::max<int64_t>(0, ns));
  for (auto& [key, row] : rows.all()) made.rows.push_back(std::move(row));
  std::sort(made.rows.begin(), made.rows.end(), [](const OpTotal& a, const OpTotal& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.key < b.key;
  });
  return made;
}

}  // namespace footlight::query
