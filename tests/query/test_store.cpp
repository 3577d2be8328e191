// The store against a plain walk over all rows: sums, rows, calls, tables; while a session grows, with an unreadable
// chunk, and with withdrawn questions.
#include "tests/query/random_session.h"

#include "engine/base/errors.h"
#include "engine/query/device_sums.h"
#include "engine/query/op_totals.h"
#include "engine/query/store.h"

#include <sqlite3.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>

using namespace footlight;
using namespace footlight::query;

namespace {

template <class Keep>
Sums plain_sums(const std::vector<PlainOp>& ops, Keep&& keep) {
  Sums sums;
  for (const PlainOp& op : ops) {
    if (keep(op)) sums.add(op.end - op.start);
  }
  return sums;
}

int line_of(SourceRef source) { return source.code.valid() ? 1 + static_cast<int>(source.offset / 2) : 0; }

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::string at(const char* name) { return folder_.filePath(QLatin1String(name)).toStdString(); }

  // Compares every answer, for the first `ops` op events and `calls` calls.
  void compare(const Store& store, const RandomSession& all) {
    const Cancel cancel;
    const std::vector<PlainOp>& ops = all.ops;
    QCOMPARE(store.op_rows(), ops.size());
    QCOMPARE(store.calls().rows(), all.calls.size());
    QCOMPARE(store.device_rows(), all.device.size());
    uint64_t rows = 0, bytes = 0;
    int64_t total = 0;
    for (const DeviceSum& sum : device_sums(store.reader(), cancel)) {
      rows += sum.count, bytes += sum.bytes, total += sum.total_ns;
      QVERIFY(sum.least_ns <= sum.most_ns && sum.total_ns <= sum.most_ns * static_cast<int64_t>(sum.count));
    }
    for (const session::DeviceRecord& d : all.device) bytes -= d.bytes, total -= d.end_ns - d.start_ns;
    QCOMPARE(rows, all.device.size());
    QCOMPARE(bytes, uint64_t{0});
    QCOMPARE(total, int64_t{0});
    QCOMPARE(store.unreadable_rows(), uint64_t{0});
    for (uint16_t o = 0; o < RandomSession::kOps; ++o) {
      const Sums wanted = plain_sums(ops, [&](const PlainOp& op) { return op.op == o; });
      QVERIFY(store.of_op(OpId(o)) == wanted);
      uint64_t in_histogram = 0;
      for (const auto& [ns, times] : store.histogram_of(OpId(o))->steps()) {
        QVERIFY(static_cast<double>(ns) >= static_cast<double>(wanted.min) * 0.96 &&
                static_cast<double>(ns) <= static_cast<double>(wanted.max) * 1.04 + 1);
        in_histogram += times;
      }
      QCOMPARE(in_histogram, wanted.count);
    }
    QVERIFY(store.of_op(OpId(99)) == Sums{});
    for (const auto& graph : all.graphs) {
      QVERIFY(store.of_graph(graph.id) == plain_sums(ops, [&](const PlainOp& op) { return op.graph == graph.id; }));
      for (uint32_t n = 0; n < RandomSession::kNodes; ++n) {
        const auto mine = [&](const PlainOp& op) { return op.graph == graph.id && op.node == n; };
        const Sums wanted = plain_sums(ops, mine);
        QVERIFY(store.of_node({graph.id, n}) == wanted);
        if (n % 4 || !wanted.count) continue;
        std::vector<int64_t> took;
        for (const PlainOp& op : ops) {
          if (mine(op)) took.push_back(op.end - op.start);
        }
        std::sort(took.begin(), took.end());
        Durations durations = store.durations(store.of_nodes({{graph.id, n}}), cancel);
        QVERIFY(durations.sums() == wanted);
        QCOMPARE(durations.median(), (took[(took.size() - 1) / 2] + took[took.size() / 2]) / 2);
        QCOMPARE(durations.quantile(1.0), took.back());
      }
    }
    for (uint32_t offset = 0; offset < RandomSession::kLines; ++offset) {
      const SourceRef source{CodeId(1), offset};
      QVERIFY(store.eager_at(source) == plain_sums(ops, [&](const PlainOp& op) {
                return op.node == UINT32_MAX && !op.call.valid() && op.source == source;
              }));
      const auto calls = std::count_if(all.calls.begin(), all.calls.end(),
                                       [&](const auto& c) { return c.source == source; });
      QCOMPARE(store.calls().of_source(source), static_cast<uint64_t>(calls));
    }
    // A line consists of its nodes and its eager ops.
    const int64_t from = ops[ops.size() / 3].start, to = ops[ops.size() * 2 / 3].end;
    for (const int line : {1, 7, 15}) {
      const OpFilter filter = store.at_line(session::FileId(1), line);
      std::vector<uint64_t> found, wanted;
      store.visit(filter, from, to, cancel, [&](const OpEventRow& op) {
        found.push_back(op.row);
        return true;
      });
      for (size_t i = 0; i < ops.size(); ++i) {
        const PlainOp& op = ops[i];
        if (op.start >= to || op.end < from) continue;
        const SourceRef source =
            op.node == UINT32_MAX ? op.source : all.graphs[op.graph.value - 100].nodes[op.node].source;
        if (line_of(source) == line) wanted.push_back(i);
      }
      QVERIFY(found == wanted);
    }
    for (size_t i = 0; i < ops.size(); i += 97) {
      const auto row = store.op(i);
      QVERIFY(row.has_value());
      QCOMPARE(row->start_ns, ops[i].start);
      QCOMPARE(row->end_ns, ops[i].end);
      QCOMPARE(row->op.value, ops[i].op);
      QCOMPARE(row->node.value, ops[i].node);
      QVERIFY(row->graph == ops[i].graph);
      const auto by_id = store.op_with_id(ops[i].id, cancel);
      QVERIFY(by_id && by_id->row == i);
      std::vector<uint64_t> caused;
      for (size_t d = 0; d < all.device.size(); ++d) {
        if (all.device[d].op_event == ops[i].id) caused.push_back(d);
      }
      const auto devices = store.caused_by(ops[i].id, 100, cancel);
      QCOMPARE(devices.size(), caused.size());
      for (size_t d = 0; d < caused.size(); ++d) QCOMPARE(devices[d].row, caused[d]);
    }
    QVERIFY(!store.op(ops.size()));
    QVERIFY(!store.op_with_id(2, cancel));
    compare_calls(store, all);
  }

  // Totals by the place of the call; added up they are the function's.
  void compare_sites(const Store& store, FunctionId function, const std::vector<session::CallRecord>& mine) {
    CallSums all;
    const auto sites = store.calls().sites(function, {});
    for (const auto& [source, sums] : sites) {
      CallSums expected;
      for (const auto& c : mine)
        if (c.source == source) expected.add(c);
      QVERIFY(expected.calls > 0 && sums == expected);
      all.calls += sums.calls, all.total_ns += sums.total_ns;
    }
    const CallSums sums = store.calls().of_function(function);
    QVERIFY(all.calls == sums.calls && all.total_ns == sums.total_ns);
    QVERIFY(sites.size() > 1 || mine.size() < 2);
  }

  // Runs of calls from one place, or served by one trace, are told from the others.
  void compare_choice(const Store& store, FunctionId function, const std::vector<session::CallRecord>& mine,
                      TraceId trace) {
    if (mine.empty()) return;
    const SourceRef source = mine.front().source;
    const std::vector<std::pair<CallChoice, std::function<bool(const session::CallRecord&)>>> choices = {
        {{{key_of(source)}, {}}, [&](const auto& c) { return c.source == source; }},
        {{{}, {trace}}, [&](const auto& c) { return c.trace == trace; }},
        {{}, [](const auto&) { return true; }}};
    for (const auto& [choice, belongs] : choices) {
      size_t next = 0;
      for (const CallRun& run : store.calls().runs(function, false, {}, choice)) {
        QCOMPARE(run.first, next);
        for (size_t i = 0; i < run.count; ++i, ++next) QCOMPARE(run.chosen, belongs(mine[next]));
      }
      QCOMPARE(next, mine.size());
    }
  }

  void compare_calls(const Store& store, const RandomSession& all) {
    const Cancel cancel;
    for (uint32_t f = 0; f < RandomSession::kFunctions; ++f) {
      std::vector<session::CallRecord> mine;
      CallSums sums;
      for (const auto& c : all.calls) {
        if (c.function.value == f) mine.push_back(c), sums.add(c);
      }
      QVERIFY(store.calls().of_function(FunctionId(f)) == sums);
      std::stable_sort(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
      for (size_t i = 0; i < mine.size(); i += 13) {
        const auto found = store.calls().nth(FunctionId(f), i, cancel);
        QVERIFY(found && found->id == mine[i].id);
        QCOMPARE(store.calls().position(mine[i], cancel), i);
        QVERIFY(store.calls().find(mine[i].id)->start_ns == mine[i].start_ns);
        QVERIFY(all.calls[store.calls().row(mine[i].id).value()].id == mine[i].id);
      }
      QVERIFY(!store.calls().nth(FunctionId(f), mine.size(), cancel));
      const auto every = store.calls().runs(FunctionId(f), true, cancel);
      QCOMPARE(every.size(), mine.size());
      for (size_t i = 0; i < mine.size(); ++i) {
        QVERIFY(every[i].outcome == mine[i].outcome && every[i].trace == mine[i].trace && every[i].first == i);
      }
      size_t next = 0;
      for (const CallRun& run : store.calls().runs(FunctionId(f), false, cancel)) {
        QCOMPARE(run.first, next);
        QVERIFY(run.trace == mine[next].trace);
        const bool folds = run.outcome == CallOutcome::kHit || run.outcome == CallOutcome::kEager;
        QVERIFY(folds || run.count == 1);
        for (size_t i = 0; i < run.count; ++i) QVERIFY(mine[next + i].outcome == run.outcome);
        next += run.count;
        if (folds && next < mine.size()) QVERIFY(mine[next].outcome != run.outcome);
      }
      QCOMPARE(next, mine.size());
      compare_sites(store, FunctionId(f), mine);
      compare_choice(store, FunctionId(f), mine, all.traces.front().id);
    }
    for (const auto& trace : all.traces) {
      CallSums sums;
      for (const auto& c : all.calls) {
        if (c.trace == trace.id) sums.add(c);
      }
      QVERIFY(store.calls().of_trace(trace.id) == sums);
      for (uint32_t offset = 0; offset < RandomSession::kLines; ++offset) {
        const auto count = [&](const auto& calls) {
          return static_cast<uint64_t>(std::count_if(calls.begin(), calls.end(), [&](const auto& c) {
            return c.trace == trace.id && c.source == SourceRef{CodeId(1), offset};
          }));
        };
        QCOMPARE(count(store.calls().distinct()), std::min<uint64_t>(count(all.calls), CallIndex::kKeptOfEach));
      }
    }
    QVERIFY(!store.calls().find(CallId(2)));
    const size_t traced = static_cast<size_t>(std::count_if(
        all.calls.begin(), all.calls.end(), [](const auto& c) { return c.outcome == CallOutcome::kTrace; }));
    QCOMPARE(store.calls().traced().size(), traced);
    for (const auto& [row, call] : store.calls().traced()) QVERIFY(all.calls[row].id == call.id);
    const int64_t from = all.calls[all.calls.size() / 4].start_ns, to = all.calls[all.calls.size() / 2].end_ns;
    const auto between = std::count_if(all.calls.begin(), all.calls.end(),
                                       [&](const auto& c) { return c.start_ns < to && c.end_ns > from; });
    QCOMPARE(store.calls().count_between(from, to, cancel), static_cast<uint64_t>(between));
  }

  void compare_totals(const session::Reader& reader, const RandomSession& all, int64_t from, int64_t to) {
    const Cancel cancel;
    struct Row {
      std::vector<int64_t> took;
      int64_t total = 0;
      uint64_t bytes = 0, flops = 0;
    };
    std::map<std::pair<uint16_t, uint32_t>, Row> wanted;
    std::vector<std::pair<int64_t, int64_t>> busy;
    for (const PlainOp& op : all.ops) {
      if (op.start >= to || op.end <= from) continue;
      busy.emplace_back(std::max(from, op.start), std::min(to, op.end));
      for (const uint32_t signature : {op.signature.value, UINT32_MAX - 1}) {
        Row& row = wanted[{op.op, signature}];
        row.took.push_back(op.end - op.start);
        row.total += op.end - op.start;
        if (!op.signature.valid()) continue;
        row.bytes += all.signatures[op.signature.value].input_bytes + all.signatures[op.signature.value].output_bytes;
        row.flops += all.signatures[op.signature.value].flops;
      }
    }
    std::sort(busy.begin(), busy.end());
    int64_t covered = 0, reach = from;
    for (const auto& [start, end] : busy) {
      if (end > reach) covered += end - std::max(start, reach), reach = end;
    }
    for (const bool by_signature : {false, true}) {
      OpTotalsOptions options;
      options.from = from;
      options.to = to;
      options.by = by_signature ? GroupBy::kShape : GroupBy::kOp;
      OpTotals totals = op_totals(reader, options, cancel);
      QCOMPARE(totals.busy_ns, covered);
      QCOMPARE(totals.events, busy.size());
      int64_t last = INT64_MAX;
      for (OpTotal& row : totals.rows) {
        Row& w = wanted.at({row.op.value, by_signature ? row.signature.value : UINT32_MAX - 1});
        std::sort(w.took.begin(), w.took.end());
        QCOMPARE(row.durations.count(), w.took.size());
        QCOMPARE(row.durations.sums().total, w.total);
        QCOMPARE(row.durations.sums().min, w.took.front());
        QCOMPARE(row.durations.sums().max, w.took.back());
        QCOMPARE(row.durations.median(), (w.took[(w.took.size() - 1) / 2] + w.took[w.took.size() / 2]) / 2);
        const auto p95 = static_cast<size_t>(std::ceil(0.95 * static_cast<double>(w.took.size()))) - 1;
        QCOMPARE(row.durations.quantile(0.95), w.took[p95]);
        QCOMPARE(row.bytes, w.bytes);
        QCOMPARE(row.flops, w.flops);
        QVERIFY(row.total_ns <= last);
        last = row.total_ns;
      }
    }
  }

 private Q_SLOTS:
  void agrees_with_a_plain_walk() {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      const RandomSession all(seed, 6000, static_cast<int>(1 + seed % 3));
      const std::string path = at("plain.footlight");
      all.write(path, 25, seed % 2);
      const auto reader = session::Reader::open(path);
      Store store(*reader);
      while (store.index(3)) {
      }
      QVERIFY(store.progress().complete());
      compare(store, all);
      const int64_t first = all.ops.front().start, last = all.ops.back().end;
      compare_totals(*reader, all, first - 1, last + 1);
      compare_totals(*reader, all, first + (last - first) / 3, first + (last - first) / 2);
      compare_totals(*reader, all, last + 10, last + 20);
    }
  }

  // Self time is what an op took without the ops directly inside it, wherever the chunks end.
  void self_time_crosses_chunks() {
    const RandomSession all(11, 5000, 2);
    all.write(at("self.footlight"), 40, false);
    const auto reader = session::Reader::open(at("self.footlight"));
    std::map<uint16_t, int64_t> wanted;
    for (const PlainOp& op : all.ops) wanted[op.op] += op.end - op.start - op.inner;
    for (const OpTotal& row : op_totals(*reader, {}, {}).rows) QCOMPARE(row.self_ns, wanted[row.op.value]);
  }

  // Growing while the session is written gives the same answers as all at once; only changes are handed out.
  void grows() {
    const RandomSession all(5, 5000, 2);
    const std::string path = at("live.footlight");
    auto writer = session::Writer::create(path, {}, RecordingLevel::kOps);
    all.write_records(*writer);
    writer->flush();
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    QVERIFY(!store.index());
    const Cancel cancel;
    std::map<FunctionId, CallSums> sums;
    constexpr int kPieces = 20;
    for (int piece = 0; piece < kPieces; ++piece) {
      all.write_rows(*writer, piece * (1.0 / kPieces), piece + 1 == kPieces ? 1.0 : (piece + 1) * (1.0 / kPieces));
      writer->flush();
      QVERIFY(reader->refresh().chunks);
      QVERIFY(store.index());
      QVERIFY(!store.index());
      QVERIFY(store.op(store.op_rows() - 1).has_value());
      QVERIFY(store.durations(OpId(1), cancel).sums() == store.of_op(OpId(1)));
      for (const auto& [id, changed] : store.calls().changed_functions()) sums[id] = changed;
      QVERIFY(store.calls().changed_functions().empty());
    }
    writer->close();
    compare_calls(store, all);
    for (const auto& [id, last] : sums) QVERIFY(store.calls().of_function(id) == last);
  }

  void a_chunk_that_cannot_be_read_is_in_no_answer() {
    const RandomSession all(9, 60'000, 1);
    const std::string path = at("broken.footlight");
    all.write(path, 8, true);
    uint64_t first = 0, count = 0;
    {
      const auto reader = session::Reader::open(path);
      QVERIFY(reader->op_events().index().size() >= 3);
      first = reader->op_events().index()[1].first_row;
      count = reader->op_events().index()[1].count;
    }
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    const char* const cut =
        "UPDATE op_chunk SET data=substr(data,1,40) WHERE id=(SELECT id FROM op_chunk ORDER BY id LIMIT 1 OFFSET 1)";
    QCOMPARE(sqlite3_exec(db, cut, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    store.index();
    QCOMPARE(store.unreadable_rows(), count);
    std::vector<PlainOp> rest;
    for (size_t i = 0; i < all.ops.size(); ++i) {
      if (i < first || i >= first + count) rest.push_back(all.ops[i]);
    }
    for (uint16_t o = 0; o < RandomSession::kOps; ++o)
      QVERIFY(store.of_op(OpId(o)) == plain_sums(rest, [&](const PlainOp& op) { return op.op == o; }));
    QVERIFY(!store.op(first + 3));
    QCOMPARE(store.op(first + count)->start_ns, all.ops[first + count].start);
    QCOMPARE(op_totals(*reader, {}, {}).events, rest.size());
    QCOMPARE(op_totals(*reader, {}, {}).unreadable, count);
    const Cancel cancel;
    QVERIFY(store.durations(OpId(2), cancel).sums() == store.of_op(OpId(2)));
  }

  // Every epoch makes tracks of its own; a stage has one in pictures, and so has its queue.
  void a_stage_has_one_track_for_all_epochs() {
    const std::string path = at("epochs.footlight");
    {
      auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
      const auto track = [&](uint32_t id, uint32_t parent, const char* kind, const char* name, uint32_t offset) {
        session::TrackRecord t;
        t.id = session::TrackId(id);
        if (parent) t.parent = session::TrackId(parent);
        t.kind = kind, t.name = name;
        t.source = {CodeId(1), offset};
        w->add(t);
      };
      for (uint32_t epoch = 0; epoch < 3; ++epoch) {
        const uint32_t first = 10 * epoch + 1;
        track(first, 0, session::TrackRecord::kStage, "batch", 4);
        track(first + 1, first, session::TrackRecord::kStage, "map", 2);
        track(first + 2, first, session::TrackRecord::kStage, "map", 6);  // another line
        track(first + 3, first + 1, session::TrackRecord::kQueue, "map", 2);
        track(first + 4, 0, "thread", "loader", 0);
        for (uint32_t t = 0; t < 5; ++t) {
          session::SpanRecord span;
          span.track = session::TrackId(first + t);
          span.start_ns = 1000 + 1000 * epoch, span.end_ns = span.start_ns + 500;
          span.name = "step";
          if (t != 3) w->add(span);
        }
        w->add(session::CounterRecord{session::TrackId(first + 3), 1000 + 1000 * epoch, 1.0 + epoch});
      }
      w->finish({9000, 0, 0, "finished"});
    }
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    while (store.index()) {
    }
    std::map<uint32_t, uint64_t> counts;
    for (const Track* t : store.tracks()) counts[t->key().number] = t->count();
    QCOMPARE(counts, (std::map<uint32_t, uint64_t>{{1, 3}, {2, 3}, {3, 3}, {5, 1}, {15, 1}, {25, 1}}));
    const auto peaks = store.counters().peaks(reader->counters(), 0, 10'000, Cancel());
    QCOMPARE(peaks.size(), size_t{1});
    QCOMPARE(peaks.front().track, 4u);
    QCOMPARE(peaks.front().value, 3.0);
  }

  void a_question_can_be_withdrawn() {
    const RandomSession all(3, 4000, 1);
    all.write(at("cancel.footlight"), 50, false);
    const auto reader = session::Reader::open(at("cancel.footlight"));
    Store store(*reader);
    store.index();
    const Cancel withdrawn;
    withdrawn.request();
    QVERIFY_EXCEPTION_THROWN(op_totals(*reader, {}, withdrawn), Cancelled);
    QVERIFY_EXCEPTION_THROWN(store.durations(OpId(1), withdrawn), Cancelled);
    QVERIFY_EXCEPTION_THROWN(store.calls().runs(FunctionId(1), true, withdrawn), Cancelled);
    // Withdrawn from another thread in the middle: the question ends, with the whole answer or none.
    for (int i = 0; i < 20; ++i) {
      const Cancel cancel;
      std::thread other([&] {
        if (i % 4) std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
        cancel.request();
      });
      try {
        QCOMPARE(op_totals(*reader, {}, cancel).events, all.ops.size());
      } catch (const Cancelled&) {
      }
      other.join();
    }
    QVERIFY(store.durations(OpId(1), Cancel()).sums() == store.of_op(OpId(1)));
  }

  // Another thread refreshes and queries the reader while this thread only decodes.
  void chunks_are_decoded_while_it_grows() {
    const RandomSession all(21, 4000, 2);
    auto writer = session::Writer::create(at("busy.footlight"), {}, RecordingLevel::kOps);
    all.write_records(*writer);
    all.write_rows(*writer, 0, 0.1);
    writer->flush();
    const auto reader = session::Reader::open(at("busy.footlight"));
    uint64_t rows = 0;
    std::atomic<bool> written{false};
    std::thread asking([&] {
      Store store(*reader);
      while (true) {
        const bool last = written;
        reader->refresh();
        store.index(2);
        if (store.op_rows()) store.durations(OpId(0), Cancel());
        if (last && store.progress().complete()) break;
      }
      rows = store.op_rows();
    });
    for (int i = 1; i < 10; ++i) {
      all.write_rows(*writer, i * 0.1, i == 9 ? 1.0 : (i + 1) * 0.1);
      writer->flush();
    }
    written = true;
    asking.join();
    writer->close();
    QCOMPARE(rows, uint64_t{all.ops.size()});
  }

  // A million events keep a few bytes each in memory; none is kept as an object.
  void a_million_events_are_small() {
    auto writer = session::Writer::create(at("million.footlight"), {}, RecordingLevel::kOps);
    const RandomSession records(1, 10, 1);
    records.write_records(*writer);
    constexpr uint64_t kEvents = 1'000'000;
    int64_t now = 1'000'000'000;
    std::mt19937 random(4);
    for (uint64_t i = 0; i < kEvents;) {
      session::OpColumns columns;
      for (int k = 0; k < 50'000; ++k, ++i) {
        OpEvent e;
        e.start_ns = now;
        e.end_ns = now += 100 + static_cast<int64_t>(random() % 900);
        now += 20;
        e.op = OpId(static_cast<uint16_t>(random() % 20));
        if (i % 10) {
          e.call = CallId(i / 500);
          e.set_node(GraphId(1), NodeId(static_cast<uint32_t>(i % 1000)));
        } else {
          e.set_source({CodeId(1), static_cast<uint32_t>(random() % 30)});
        }
        columns.append(0, i + 1, e);
      }
      writer->add_rows(columns);
      writer->flush();
    }
    writer->finish({now, 0, 0, "finished"});
    const auto reader = session::Reader::open(at("million.footlight"));
    Store store(*reader);
    store.index();
    QCOMPARE(store.op_rows(), kEvents);
    const double each = static_cast<double>(store.bytes()) / static_cast<double>(kEvents);
    QVERIFY2(each < 4, qPrintable(QString::number(each)));
  }
};

QTEST_GUILESS_MAIN(StoreTest)
#include "test_store.moc"
