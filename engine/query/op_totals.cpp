// Visits the chunks that overlap the time range once, with bounded memory for unfinished ops.
#include "engine/query/op_totals.h"

#include "engine/base/errors.h"
#include "engine/query/nesting.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace footlight::query {
namespace {

// The union of intervals that arrive roughly in order: `settle(t)` says that no more begin before t. When too many are
// waiting, neighbours are merged into a piece that is only partly covered.
class Cover {
 public:
  void add(int64_t start, int64_t end) {
    if (end > start) waiting_.push_back({start, end, end - start});
  }
  void settle(int64_t until) {
    std::sort(waiting_.begin(), waiting_.end(), [](const Piece& a, const Piece& b) { return a.start < b.start; });
    size_t kept = 0;
    for (const Piece piece : waiting_) {
      if (kept && piece.start <= waiting_[kept - 1].end) {
        waiting_[kept - 1] = joined(waiting_[kept - 1], piece);
      } else {
        waiting_[kept++] = piece;
      }
    }
    waiting_.resize(kept);
    size_t open = 0;
    for (const Piece piece : waiting_) {
      if (piece.end < until) {
        covered_ += piece.covered;
      } else {
        waiting_[open++] = piece;
      }
    }
    waiting_.resize(open);
    if (open <= kMost) return;
    for (size_t i = 0; i + 1 < open; i += 2)
      waiting_[i / 2] = {waiting_[i].start, waiting_[i + 1].end, waiting_[i].covered + waiting_[i + 1].covered};
    if (open % 2) waiting_[open / 2] = waiting_[open - 1];
    waiting_.resize((open + 1) / 2);
  }
  int64_t covered() {
    settle(INT64_MAX);
    for (const Piece& piece : waiting_) covered_ += piece.covered;
    waiting_.clear();
    return covered_;
  }

 private:
  static constexpr size_t kMost = 1 << 17;
  struct Piece {
    int64_t start, end, covered;
    bool solid() const { return covered == end - start; }
  };
  // Joins two overlapping pieces; `b` does not begin before `a`.
  static Piece joined(const Piece& a, const Piece& b) {
    const int64_t end = std::max(a.end, b.end);
    if (a.solid() && b.solid()) return {a.start, end, end - a.start};
    // What the solid piece overlaps is covered; the rest of the other counts as evenly covered.
    const Piece& solid = b.solid() ? b : a;
    const Piece& other = b.solid() ? a : b;
    const int64_t under = std::max<int64_t>(0, std::min(a.end, b.end) - b.start);
    const double share = static_cast<double>(other.end - other.start - under) /
                         static_cast<double>(std::max<int64_t>(1, other.end - other.start));
    const auto outside = static_cast<int64_t>(static_cast<double>(other.covered) * share);
    return {a.start, end, std::min(end - a.start, solid.covered + outside)};
  }
  std::vector<Piece> waiting_;
  int64_t covered_ = 0;
};

using Interval = std::pair<int64_t, int64_t>;

// Other work within the range, by start and without overlaps.
std::vector<Interval> joined(const OpTotalsOptions& options, const OpTotalsOptions::Intervals& other) {
  std::vector<Interval> all, made;
  for (const auto& [start, end] : other) {
    const Interval inside{std::max(start, options.from), std::min(end, options.to)};
    if (inside.second > inside.first) all.push_back(inside);
  }
  std::sort(all.begin(), all.end());
  for (const Interval& next : all) {
    if (made.empty() || next.first > made.back().second) made.push_back(next);
    else made.back().second = std::max(made.back().second, next.second);
  }
  return made;
}

// What ops and other work cover: the first has the ops alone, each further one has one more kind of work.
class Covers {
 public:
  explicit Covers(const OpTotalsOptions& options) : covers_(options.others.size() + 1) {
    for (const OpTotalsOptions::Intervals& other : options.others) others_.push_back(joined(options, other));
    next_.resize(others_.size());
  }
  // An op, or with `first` above 0 work of the kind before that.
  void add(int64_t start, int64_t end, size_t first = 0) {
    for (size_t c = first; c < covers_.size(); ++c) covers_[c].add(start, end);
  }
  void settle(int64_t until) {
    for (size_t k = 0; k < others_.size(); ++k)
      for (size_t& i = next_[k]; i < others_[k].size() && others_[k][i].first < until; ++i)
        add(others_[k][i].first, others_[k][i].second, k + 1);
    for (Cover& cover : covers_) cover.settle(until);
  }
  std::vector<int64_t> covered() {
    settle(INT64_MAX);
    std::vector<int64_t> all;
    for (Cover& cover : covers_) all.push_back(cover.covered());
    return all;
  }

 private:
  std::vector<Cover> covers_;
  std::vector<std::vector<Interval>> others_;
  std::vector<size_t> next_;
};

// By number: whether the op takes an element of a pipeline.
std::vector<bool> input_ops(const session::Reader& reader) {
  std::vector<bool> found;
  for (const session::OpNameRecord& op : reader.contents().op_names) {
    if (!op.name.starts_with("IteratorGetNext")) continue;
    if (found.size() <= op.id.value) found.resize(op.id.value + 1u);
    found[op.id.value] = true;
  }
  return found;
}

struct Cost { uint64_t bytes = 0, flops = 0; };

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
  std::unordered_map<uint32_t, Cost> costs;
  for (const session::SignatureRecord& s : reader.contents().signatures)
    costs[s.id.value] = {s.input_bytes + s.output_bytes, s.flops};
  Grouping grouping(reader, options.by);
  std::unordered_map<uint64_t, OpTotal> rows;
  std::map<session::ThreadId, Nesting> threads;
  Covers covers(options);
  const std::vector<bool> takes_input = options.input < options.others.size() ? input_ops(reader) : std::vector<bool>();
  std::vector<uint32_t> order;
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
    OpTotal* row = nullptr;
    Nesting* nesting = nullptr;
    session::ThreadId thread;
    for (const uint32_t i : order) {
      const int64_t start = e.start_ns[i], end = end_of(e, i);
      if (start >= options.to || end <= options.from) continue;
      const uint64_t key = grouping.key(e, i);
      if (!row || row->key != key) {
        row = &rows[key];
        if (!row->durations.count()) {
          row->key = key;
          row->op = e.op[i];
          if (options.by == GroupBy::kShape) row->signature = e.signature[i];
        }
      }
      if (!nesting || thread != e.thread[i]) nesting = &threads[thread = e.thread[i]];
      row->durations.add(end - start);
      row->self_ns += end - start - nesting->close(start, end);
      const auto cost = !e.signature[i].valid() ? costs.end() : costs.find(e.signature[i].value);
      if (cost == costs.end()) {
        row->bytes += e.bytes[i];
      } else {
        row->bytes += cost->second.bytes;
        row->flops += cost->second.flops;
      }
      ++made.events;
      const bool input = e.op[i].value < takes_input.size() && takes_input[e.op[i].value];
      covers.add(std::max(start, options.from), std::min(end, options.to), input ? options.input + 1 : 0);
    }
    covers.settle(later[c + 1]);
  }
  const std::vector<int64_t> covered = covers.covered();
  made.busy_ns = covered.front();
  for (size_t k = 1; k < covered.size(); ++k)
    made.others_ns.push_back(std::max<int64_t>(0, covered[k] - covered[k - 1]));
  for (auto& [key, row] : rows) made.rows.push_back(std::move(row));
  std::sort(made.rows.begin(), made.rows.end(), [](const OpTotal& a, const OpTotal& b) {
    const int64_t total_a = a.durations.sums().total, total_b = b.durations.sums().total;
    return total_a != total_b ? total_a > total_b : a.key < b.key;
  });
  return made;
}

}  // namespace footlight::query
