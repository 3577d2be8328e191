// Tables, matches and stacks of a range against a plain walk over all rows.
#include "tests/query/random_session.h"

#include "engine/query/matches.h"
#include "engine/query/op_totals.h"
#include "engine/query/stacks.h"
#include "engine/session/run_times.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

using namespace footlight;
using namespace footlight::query;

class RangeTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  const RandomSession all_{11, 6000, 2};
  std::unique_ptr<session::Reader> reader_;
  std::unique_ptr<Store> store_;
  int64_t first_ = 0, last_ = 0;

  std::vector<std::pair<int64_t, int64_t>> ranges() const {
    const int64_t third = (last_ - first_) / 3;
    return {{first_ - 100, last_ + 100}, {first_ + third, first_ + 2 * third}, {last_ + 1000, last_ + 2000}};
  }
  // The group of an op, found from the records and not from the store.
  uint64_t group(const PlainOp& op, GroupBy by) const {
    if (by == GroupBy::kOp) return op.op;
    if (by == GroupBy::kShape) return uint64_t{op.op} << 32 | op.signature.value;
    SourceRef source = op.source;
    if (op.node != UINT32_MAX) {
      for (const session::GraphRecord& g : all_.graphs)
        if (g.id == op.graph) source = g.nodes[op.node].source;
    }
    if (!source.code.valid()) return Grouping::kUnknown;
    return by == GroupBy::kFunction ? uint64_t{source.code.value} : uint64_t{1} << 32 | (1 + source.offset / 2);
  }

 private Q_SLOTS:
  void initTestCase() {
    const std::string path = folder_.filePath(QStringLiteral("range.footlight")).toStdString();
    all_.write(path, 9, true);
    reader_ = session::Reader::open(path);
    store_ = std::make_unique<Store>(*reader_);
    store_->index();
    first_ = last_ = all_.ops.front().start;
    for (const PlainOp& op : all_.ops) first_ = std::min(first_, op.start), last_ = std::max(last_, op.end);
  }

  void rows_of_every_grouping() {
    for (const GroupBy by : {GroupBy::kOp, GroupBy::kShape, GroupBy::kLine, GroupBy::kFunction}) {
      for (const auto& [from, to] : ranges()) {
        std::map<uint64_t, Sums> wanted;
        std::map<uint64_t, int64_t> self, within;
        std::map<uint16_t, std::vector<session::TimeSpan>> spans;  // by thread
        for (const PlainOp& op : all_.ops) {
          if (op.start >= to || op.end <= from) continue;
          wanted[group(op, by)].add(op.end - op.start);
          self[group(op, by)] += op.end - op.start - op.inner;
          spans[op.thread].emplace_back(std::max(op.start, from), std::min(op.end, to));
          within[group(op, by)] += spans[op.thread].back().second - spans[op.thread].back().first;
        }
        int64_t covered = 0, sum_of_self = 0;
        for (auto& [thread, all] : spans) covered += session::covered_time(std::move(all));
        OpTotalsOptions options;
        options.by = by;
        options.from = from, options.to = to;
        const OpTotals totals = op_totals(*reader_, options, {});
        QCOMPARE(totals.rows.size(), wanted.size());
        for (const OpTotal& row : totals.rows) {
          QVERIFY(row.durations.sums() == wanted.at(row.key));
          QCOMPARE(row.total_ns, within.at(row.key));
          sum_of_self += row.self_ns;
          if (from < first_) QCOMPARE(row.self_ns, self.at(row.key));
        }
        QCOMPARE(sum_of_self, covered);  // what an edge cuts off is in no column
      }
    }
  }

  void other_work_counts_only_where_no_op_ran() {
    OpTotalsOptions options;
    options.from = first_, options.to = last_;
    const int64_t busy = op_totals(*reader_, options, {}).busy_ns;
    options.others = {{{first_ - 500, last_ + 500}}};
    const OpTotals totals = op_totals(*reader_, options, {});
    QCOMPARE(totals.busy_ns, busy);
    QCOMPARE(totals.busy_ns + totals.others_ns.at(0), last_ - first_);
    // Of several kinds each has what those before it leave.
    const int64_t middle = first_ + (last_ - first_) / 2;
    options.others = {{{first_, middle}, {first_ + 10, middle}}, {}, {{first_, last_}}};
    const OpTotals parts = op_totals(*reader_, options, {});
    QCOMPARE(parts.busy_ns, busy);
    QCOMPARE(parts.others_ns.size(), size_t{3});
    QCOMPARE(parts.others_ns[1], int64_t{0});
    QCOMPARE(parts.busy_ns + parts.others_ns[0] + parts.others_ns[2], last_ - first_);
    OpTotalsOptions half = options;
    half.to = middle;
    half.others.clear();
    QCOMPARE(op_totals(*reader_, half, {}).busy_ns + parts.others_ns[0], middle - first_);
  }

  // Shares of random work of several kinds, and of ops that take input, against a walk over every moment.
  void shares_equal_a_walk_over_every_moment() {
    std::mt19937 random(5);
    const auto number = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
    for (int round = 0; round < 12; ++round) {
      constexpr int64_t kFrom = 1'000'000, kLength = 4000;
      const std::string path = folder_.filePath(QStringLiteral("shares%1").arg(round)).toStdString();
      std::vector<int> what(kLength, -1);  // of each ns: 0 an op, 1 + kind
      OpTotalsOptions options;
      options.from = kFrom, options.to = kFrom + kLength;
      options.others.resize(4);
      options.input = 2;
      std::vector<std::pair<int64_t, int64_t>> ops, inputs;
      {
        auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
        w->add(session::OpNameRecord{session::OpNumber(1), "MatMul", ""});
        w->add(session::OpNameRecord{session::OpNumber(2), "IteratorGetNext", ""});
        session::OpColumns columns;
        int64_t at = kFrom - 50;
        for (uint64_t id = 1; at < kFrom + kLength; ++id) {
          at += number(60);
          const OpEvent e = op_of(OpId(static_cast<uint16_t>(id % 5 == 0 ? 2 : 1)), at, at + 1 + number(40));
          (id % 5 == 0 ? inputs : ops).emplace_back(e.start_ns, e.end_ns);
          // Two threads: what they do overlaps.
          at = id % 3 ? e.end_ns : at;
          columns.append(static_cast<uint16_t>(id % 3), id, e);
          if (id % 20 == 0) w->add_rows(std::exchange(columns, {})), w->flush();
        }
        if (columns.size()) w->add_rows(columns);
        w->finish({kFrom + 2 * kLength, 0, 0, "finished"});
      }
      for (auto& kind : options.others)
        for (int i = 0; i < 25; ++i) {
          const int64_t start = kFrom - 20 + number(kLength);
          kind.emplace_back(start, start + number(120));
        }
      const auto mark = [&](const std::vector<std::pair<int64_t, int64_t>>& all, int as) {
        for (const auto& [start, end] : all)
          for (int64_t t = std::max(start, kFrom); t < std::min(end, kFrom + kLength); ++t)
            if (int& known = what[static_cast<size_t>(t - kFrom)]; known < 0) known = as;
      };
      mark(ops, 0);
      for (size_t k = 0; k < options.others.size(); ++k) {
        if (k == options.input) mark(inputs, static_cast<int>(k) + 1);
        mark(options.others[k], static_cast<int>(k) + 1);
      }
      const auto reader = session::Reader::open(path);
      const OpTotals totals = op_totals(*reader, options, {});
      QCOMPARE(totals.busy_ns, static_cast<int64_t>(std::count(what.begin(), what.end(), 0)));
      for (size_t k = 0; k < options.others.size(); ++k)
        QCOMPARE(totals.others_ns[k],
                 static_cast<int64_t>(std::count(what.begin(), what.end(), static_cast<int>(k) + 1)));
    }
  }

  // A file may hold any number of groups; beyond the limit events are counted, and belong to no row.
  void rows_are_bounded() {
    constexpr size_t kEvents = kMaxTotalRows + 300;
    const std::string path = folder_.filePath(QStringLiteral("many")).toStdString();
    {
      auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
      session::OpColumns columns;
      for (size_t i = 0; i < kEvents; ++i) {
        const int64_t start = 1000 + static_cast<int64_t>(i) * 10;
        OpEvent e = op_of(OpId(1), start, start + 4);
        e.signature = SignatureId(static_cast<uint32_t>(i));
        columns.append(0, i + 1, e);
      }
      w->add_rows(columns);
      w->finish({0, 0, 0, "finished"});
    }
    const auto reader = session::Reader::open(path);
    OpTotalsOptions options;
    options.by = GroupBy::kShape;
    const OpTotals totals = op_totals(*reader, options, {});
    QCOMPARE(totals.rows.size(), kMaxTotalRows);
    QCOMPARE(totals.events, uint64_t{kEvents});
    QCOMPARE(totals.unlisted, uint64_t{300});
    QCOMPARE(totals.busy_ns, static_cast<int64_t>(kEvents) * 4);
  }

  void all_matches_are_found() {
    for (const GroupBy by : {GroupBy::kOp, GroupBy::kShape, GroupBy::kLine}) {
      Wanted wanted;
      wanted.by = by;
      wanted.keys = {group(all_.ops[10], by), group(all_.ops[77], by)};
      std::sort(wanted.keys.begin(), wanted.keys.end());
      for (const auto& [from, to] : ranges()) {
        constexpr int kColumns = 700;
        const double per = static_cast<double>(to - from) / kColumns;
        std::vector<std::pair<int64_t, uint64_t>> rows;
        std::map<TrackKey, std::set<size_t>> lit;
        for (size_t i = 0; i < all_.ops.size(); ++i) {
          const PlainOp& op = all_.ops[i];
          if (op.start >= to || op.end < from) continue;
          if (!std::binary_search(wanted.keys.begin(), wanted.keys.end(), group(op, by))) continue;
          rows.emplace_back(op.start, i);
          const auto column = [&](int64_t t) {
            return static_cast<size_t>(std::clamp(static_cast<double>(t - from) / per, 0.0, kColumns - 1.0));
          };
          auto& of = lit[{op.node == UINT32_MAX ? TrackKind::kEagerOps : TrackKind::kTracedOps, op.thread, 0}];
          for (size_t c = column(op.start); c <= column(op.end); ++c) of.insert(c);
        }
        const Matches found = matches(*store_, wanted, from, to, kColumns, {});
        QCOMPARE(found.count, rows.size());
        QCOMPARE(found.columns.size(), lit.size());
        for (const auto& [track, columns] : found.columns)
          QCOMPARE(static_cast<size_t>(std::count(columns.begin(), columns.end(), true)), lit.at(track).size());
        // Stepping visits each once, in order, and back.
        std::sort(rows.begin(), rows.end());
        std::pair<int64_t, uint64_t> at{INT64_MIN, 0};
        size_t steps = 0;
        while (const auto row = next_match(*store_, wanted, at.first, at.second, 1, from, to, {})) {
          QVERIFY(steps < rows.size());
          at = {all_.ops[*row].start, *row};
          QVERIFY(at == rows[steps++]);
        }
        QCOMPARE(steps, rows.size());
        if (steps > 1)
          QCOMPARE(*next_match(*store_, wanted, at.first, at.second, -1, from, to, {}), rows[steps - 2].second);
      }
    }
  }

  void a_stack_accounts_for_all_time() {
    for (const auto& [from, to] : ranges()) {
      std::map<uint32_t, std::pair<uint64_t, int64_t>> ops, functions;
      // Each moment of a thread belongs to the innermost op.
      std::vector<const PlainOp*> by_start;
      for (const PlainOp& op : all_.ops) by_start.push_back(&op);
      std::stable_sort(by_start.begin(), by_start.end(), [](const PlainOp* a, const PlainOp* b) {
        return a->start != b->start ? a->start < b->start : a->end > b->end;
      });
      std::map<uint32_t, std::vector<const PlainOp*>> open;  // by thread
      size_t nested = 0;
      for (const PlainOp* op : by_start) {
        auto& around = open[op->thread];
        while (!around.empty() && around.back()->end <= op->start) around.pop_back();
        if (op->start < to && op->end > from) {
          const int64_t took = std::min(op->end, to) - std::max(op->start, from);
          ++ops[op->op].first;
          ops[op->op].second += took;
          if (!around.empty()) ops[around.back()->op].second -= took, ++nested;
        }
        around.push_back(op);
      }
      QVERIFY(nested > 10 || from > last_);
      for (const session::CallRecord& c : all_.calls) {
        if (c.start_ns < to && c.end_ns > from) ++functions[c.function.value].first;
      }
      const StackTree tree = stacks(*store_, from, to, {});
      std::map<uint32_t, std::pair<uint64_t, int64_t>> got_ops, got_functions;
      for (size_t i = 0; i < tree.frames.size(); ++i) {
        const Frame& f = tree.frames[i];
        if (f.kind == FrameKind::kOp) got_ops[f.what].first += f.count, got_ops[f.what].second += f.total;
        if (f.kind == FrameKind::kFunction) got_functions[f.what].first += f.count;
        int64_t below = f.self;
        for (const uint32_t child : f.children) {
          QCOMPARE(tree.frames[child].parent, static_cast<uint32_t>(i));
          below += tree.frames[child].total;
        }
        QCOMPARE(below, f.total);
      }
      QVERIFY(got_ops == ops);
      for (const auto& [function, counts] : functions) QCOMPARE(got_functions[function].first, counts.first);
      // Bottom-up: the same time, by what ran.
      const BottomUp up = bottom_up(tree);
      int64_t sum = 0, self = 0;
      for (const uint32_t root : up.roots) sum += up.entries[root].self;
      for (const Frame& f : tree.frames) self += f.self;
      QCOMPARE(sum, self);
    }
  }
};

QTEST_GUILESS_MAIN(RangeTest)
#include "test_range.moc"
