// Recordings of ranks put together: clocks, ids and times of each; which rank was late, at which collective, and why.
#include "engine/query/clocks.h"
#include "engine/query/late_ranks.h"
#include "engine/query/names.h"
#include "engine/query/timeline.h"
#include "engine/session/merge.h"
#include "engine/session/writer.h"
#include "tests/session/rank_recording.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

using namespace footlight;
using namespace footlight::query;
using namespace footlight::session;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kBegin = 1'000'000 * kMs;

enum class Late { kNone, kTracing, kInput, kOps, kPython };

// A rank of a run in which every step takes 10 ms, and the 4th of rank 2 40 ms more.
struct Rank {
  int rank = 0;
  int64_t clock_ns = 0;  // what its clock shows more than the true time
  std::string host = "one", machine = "boot-1";
};
constexpr int kRanks = 4, kSteps = 8;

}  // namespace

class RanksTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::string path(const std::string& name) { return folder_.filePath(QString::fromStdString(name)).toStdString(); }

  static int64_t extra(const Rank& rank, int step, Late late) {
    return late != Late::kNone && rank.rank == 2 && step == 3 ? 40 * kMs : 0;
  }
  // When a rank comes to the collective of a step: ranks are a few us apart, if none is late.
  static int64_t arrival(const Rank& rank, int step, Late late) {
    int64_t begin = kBegin;
    for (int s = 0; s < step; ++s) begin = end_of(s, late);
    return (step ? end_of(step - 1, late) : begin) + 10 * kMs + rank.rank * 5'000 + extra(rank, step, late);
  }
  static int64_t end_of(int step, Late late) {
    int64_t last = 0;
    for (int r = 0; r < kRanks; ++r) {
      Rank one;
      one.rank = r;
      const int64_t begin = step ? end_of(step - 1, late) : kBegin;
      last = std::max(last, begin + 10 * kMs + r * 5'000 + extra(one, step, late));
    }
    return last + kMs / 2;
  }

  static void write_step(Writer& writer, const Rank& rank, int step, Late late) {
    const int64_t by = rank.clock_ns;
    const int64_t comes = arrival(rank, step, late), ends = end_of(step, late);
    const bool slow = extra(rank, step, late) > 0;
    const auto span = [&](const char* name, const char* category, int64_t from, int64_t to, std::string args = {}) {
      SpanRecord record{TrackId(0), from + by, to + by, name, category};
      record.args = std::move(args);
      writer.add(std::move(record));
    };
    span("all_reduce", "collective", comes, ends, "{\"group\": \"world\", \"bytes\": 4096}");
    span("batch", "input", comes - 9 * kMs, comes - 8 * kMs);
    OpColumns ops;
    const int64_t here = comes + by;
    if (slow && late == Late::kOps) ops.append(0, 100, op_of(OpId(), here - 45 * kMs, here - 5 * kMs));
    for (const int64_t inner : {kMs / 2, int64_t{0}})  // an op that another one runs ends before it, and counts once
      ops.append(0, static_cast<uint64_t>(2 * step) + (inner ? 1 : 0),
                 op_of(OpId(), here - 3 * kMs + inner, here - kMs - inner));
    writer.add_rows(std::move(ops));
    if (slow && late == Late::kInput) span("shards", "input", comes - 47 * kMs, comes - 7 * kMs);
    if (slow && late == Late::kPython) span("augment", "", comes - 48 * kMs, comes - 4 * kMs);
    if (step == 0 || (slow && late == Late::kTracing)) {
      TraceRecord trace = trace_of(TraceId(static_cast<uint32_t>(step)), FunctionId(0), step ? 2 : 1,
                                   here - (step ? 45 : 8) * kMs, here - (step ? 5 : 4) * kMs);
      trace.why = step ? "shape of tokens" : "";
      writer.add(std::move(trace));
    }
    CallRecord call = call_of(CallId(static_cast<uint64_t>(step)), FunctionId(0), TraceId(0), CallOutcome::kHit,
                              here - 4 * kMs, here);
    call.thread = ThreadId(0);
    writer.add(call);
  }

  std::string write(const Rank& rank, Late late, const std::string& name) {
    const std::string to = path(name);
    const int64_t begin = kBegin + rank.clock_ns;
    auto writer = begin_rank(to, RecordingLevel::kOps,
                             {rank.rank, kRanks, rank.host, rank.machine,
                              {{begin, 5 * kMs, 40}, {begin + 900 * kMs, 905 * kMs, 40}}});
    writer->add(ConsoleRecord{kBegin + rank.clock_ns + rank.rank, ConsoleStream::kStdout,
                              "rank " + std::to_string(rank.rank) + "\n"});
    for (int step = 0; step < kSteps; ++step) write_step(*writer, rank, step, late);
    writer->finish({kBegin + rank.clock_ns + 950 * kMs, 0, 0, "finished"});
    return to;
  }

  static ClockSource source(const std::string& file) {
    const auto reader = Reader::open(file);
    return {reader->contents().processes.front(), collectives(*reader, {})};
  }

  // The recording of all ranks, whose clocks differ.
  std::unique_ptr<Reader> merged(Late late, std::vector<Rank> ranks = {{0}, {1, 30 * kMs}, {2, -7 * kMs}, {3}}) {
    std::vector<MergePart> parts;
    std::vector<ClockSource> sources;
    for (const Rank& rank : ranks) {
      parts.push_back({write(rank, late, "rank" + std::to_string(rank.rank) + ".footlight")});
      sources.push_back(source(parts.back().path));
    }
    const std::vector<ClockPlace> places = place_clocks(sources);
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].move_ns = places[i].move_ns;
      parts[i].error_ns = places[i].error_ns;
    }
    const std::string to = path("merged.footlight");
    write_merged(parts, to);
    return Reader::open(to);
  }

 private Q_SLOTS:
  void clocks_of_one_machine_are_compared_by_the_steady_one() {
    const auto reader = merged(Late::kNone);
    QCOMPARE(reader->contents().processes.size(), size_t{4});
    QCOMPARE(reader->process(ProcessId(1))->clock_moved_ns, -30 * kMs);
    QCOMPARE(reader->process(ProcessId(2))->clock_moved_ns, 7 * kMs);
    QCOMPARE(reader->process(ProcessId(1))->clock_error_ns, int64_t{80});
    // Every time is as if all had had one clock.
    for (const Collective& one : collectives(*reader, {})) {
      QCOMPARE(one.arrivals.size(), size_t{4});
      for (size_t r = 0; r < 4; ++r) {
        Rank rank;
        rank.rank = static_cast<int>(r);
        QCOMPARE(one.arrivals[r].start_ns, arrival(rank, static_cast<int>(one.number) - 1, Late::kNone));
      }
    }
  }

  void clocks_of_other_machines_are_bounded_by_collectives() {
    const int64_t apart = 1'234'567'890;
    const auto reader = merged(Late::kNone, {{0}, {1, apart, "two", "boot-2"}, {2, apart + kMs, "two", "boot-2"}, {3}});
    for (const uint32_t process : {1u, 2u}) {
      const ProcessRecord* const p = reader->process(ProcessId(process));
      const int64_t wrong = std::abs(p->clock_moved_ns + apart + (process == 2 ? kMs : 0));
      QVERIFY2(p->clock_error_ns > 0 && wrong <= p->clock_error_ns, qPrintable(QString::number(wrong)));
      QVERIFY(p->clock_error_ns < kMs);
    }
  }

  void clocks_of_other_machines_are_asked_for() {
    const int64_t apart = 1'234'567'890, error = 150'000;
    ClockSource zero, one, two;
    for (ClockSource* source : {&zero, &one, &two}) {
      source->process.kind = ProcessRecord::kRank;
      source->process.machine = source == &zero ? "boot-1" : "boot-2";
      source->process.clocks = {{100, 0, 1}};
    }
    one.process.rank = 1;
    two.process.rank = 2;
    one.process.clock_offset_ns = -apart;
    one.process.clock_error_ns = error;
    two.process.clocks = {{1100, 0, 1}};  // ahead of the other process of its machine, and was not answered
    auto places = place_clocks({zero, one, two});
    QVERIFY(places[1].by == ClockPlace::By::kHandshake && places[2].by == ClockPlace::By::kHandshake);
    QCOMPARE(places[1].move_ns, -apart);
    QCOMPARE(places[1].error_ns, error);
    QCOMPARE(places[2].move_ns, -apart - 1000);
    QVERIFY(places[2].error_ns > error && places[2].error_ns <= error + 10);
    places = place_clocks({one, two, zero});  // another one is the reference
    QCOMPARE(places[2].move_ns, apart);
    QCOMPARE(places[2].error_ns, error);
    // Collectives that tell more are believed.
    Collective narrow, wide;
    narrow.name = wide.name = "barrier";
    narrow.arrivals = {{ProcessId(0), ThreadId(0), 5000, 5100, {}}};
    zero.collectives = {narrow};
    wide.arrivals = {{ProcessId(0), ThreadId(0), 5010 + apart, 5090 + apart, {}}};
    one.collectives = {wide};
    places = place_clocks({zero, one});
    QVERIFY(places[1].by == ClockPlace::By::kCollectives && places[1].error_ns <= 100);
    // What was merged before was moved by what was known.
    one.process.recording = "part.footlight";
    one.collectives.clear();
    QCOMPARE(place_clocks({zero, one})[1].error_ns, int64_t{-1});
  }

  void clocks_that_nothing_compares_keep_their_times() {
    ClockSource a, b;
    a.process.machine = "boot-1";
    b.process.machine = "boot-2";
    const std::vector<ClockPlace> places = place_clocks({a, b});
    QCOMPARE(places[1].move_ns, int64_t{0});
    QCOMPARE(places[1].error_ns, int64_t{-1});
    QVERIFY(places[1].by == ClockPlace::By::kSystemTime);
  }

  void a_clock_that_was_set_is_not_trusted() {
    ClockSource a, b;
    a.process.machine = b.process.machine = "boot-1";
    a.process.clocks = {{100, 0, 1}, {1100, 1000, 1}};
    b.process.clocks = {{500, 0, 1}, {9500, 1000, 1}};  // 8000 ns ahead of what it was
    QVERIFY(place_clocks({a, b})[1].error_ns >= 8000);
  }

  void ids_of_all_processes_stay_apart() {
    const auto reader = merged(Late::kTracing);
    QCOMPARE(reader->contents().functions.size(), size_t{4});
    QCOMPARE(reader->contents().traces.size(), size_t{5});
    QCOMPARE(reader->all_calls().size(), size_t{4 * kSteps});
    for (const CallRecord& call : reader->all_calls()) {
      QVERIFY(reader->function(call.function));
      QCOMPARE(process_of(call.id), process_of(call.function));
      QCOMPARE(process_of(call.id), process_of(call.thread));
    }
    QCOMPARE(reader->contents().console.size(), size_t{4});
    for (size_t i = 0; i < 4; ++i)
      QCOMPARE(reader->contents().console[i].text, "rank " + std::to_string(i) + "\n");
    for (const ProcessRecord& process : reader->contents().processes) {
      QCOMPARE(process.end, std::string("finished"));
      QVERIFY(process.recording.ends_with("rank" + std::to_string(process.rank) + ".footlight"));
    }
    QVERIFY(reader->contents().end && reader->contents().end->reason == "finished");
  }

  void a_merged_recording_can_be_merged() {
    const std::string first = path("first.footlight"), all = path("all.footlight");
    std::vector<std::string> files;
    for (int r = 0; r < kRanks; ++r)
      files.push_back(write({r}, Late::kNone, "again" + std::to_string(r) + ".footlight"));
    write_merged({{files[0]}, {files[1]}}, first);
    write_merged({{first}, {files[2], 0, -1}, {files[3]}}, all);
    const auto reader = Reader::open(all);
    QCOMPARE(reader->contents().processes.size(), size_t{4});
    for (const uint32_t process : {0u, 1u, 2u, 3u}) {
      QCOMPARE(reader->process(ProcessId(process))->rank, static_cast<int>(process));
      QVERIFY(reader->function(FunctionId(process << 24)));
    }
    QCOMPARE(reader->process(ProcessId(2))->clock_error_ns, int64_t{-1});
    QCOMPARE(reader->all_calls().size(), size_t{4 * kSteps});
  }

  void the_late_rank_is_named_with_its_reason_data() {
    QTest::addColumn<int>("late");
    QTest::addColumn<int>("why");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("words");
    QTest::newRow("tracing") << int(Late::kTracing) << int(RankWork::kTracing) << "train_step"
                             << "it traced train_step again (shape of tokens) for 40.0 ms";
    QTest::newRow("input") << int(Late::kInput) << int(RankWork::kInput) << "shards" << "for its input (shards)";
    QTest::newRow("ops") << int(Late::kOps) << int(RankWork::kOps) << "" << "its ops took 41.0 ms";
    QTest::newRow("python") << int(Late::kPython) << int(RankWork::kOther) << "augment" << "most of it in augment";
  }
  void the_late_rank_is_named_with_its_reason() {
    QFETCH(int, late);
    QFETCH(int, why);
    QFETCH(QString, where);
    QFETCH(QString, words);
    const auto reader = merged(static_cast<Late>(late));
    const Ranks ranks = find_late_ranks(*reader);
    QCOMPARE(ranks.late.size(), size_t{1});
    const LateArrival& one = ranks.late.front();
    QCOMPARE(one.process.value, 2u);
    QCOMPARE(ranks.collectives[one.collective].number, uint64_t{4});
    QCOMPARE(int(one.why), why);
    QVERIFY(one.explained);
    QCOMPARE(QString::fromStdString(one.where), where);
    QVERIFY(one.late_ns > 40 * kMs && one.late_ns < 41 * kMs);
    QVERIFY(one.waited_ns > 119 * kMs && one.waited_ns < 122 * kMs);
    const QString said = QString::fromStdString(verdict(ranks, *reader));
    QVERIFY2(said.startsWith("Rank 2 is late at all_reduce #4 by 40.0 ms: "), qPrintable(said));
    QVERIFY2(said.contains(words), qPrintable(said));
    QVERIFY2(said.contains("the other 3 ranks waited 120 ms together"), qPrintable(said));
  }

  void nobody_is_late_in_an_even_run() {
    const auto reader = merged(Late::kNone);
    const Ranks ranks = find_late_ranks(*reader);
    QVERIFY(ranks.groups.empty());
    QCOMPARE(ranks.ranks.size(), size_t{4});
    QVERIFY(verdict(ranks, *reader).starts_with("No rank is late by more than 0.10 ms"));
  }

  void nobody_is_late_by_clocks_that_nothing_compares() {
    const std::string to = path("unknown.footlight");
    write_merged({{write({0}, Late::kTracing, "a.footlight")}, {write({2}, Late::kTracing, "b.footlight"), 0, -1}}, to);
    const auto reader = Reader::open(to);
    const Ranks ranks = find_late_ranks(*reader);
    QVERIFY(ranks.late.empty());
    QVERIFY(verdict(ranks, *reader).starts_with("How far the clocks"));
  }

  void what_is_missing_is_said() {
    const auto reader = merged(Late::kNone, {{0}, {2}});
    QCOMPARE(find_late_ranks(*reader).missing, (std::vector<std::string>{"Ranks 1, 3 of 4 are not in this recording"}));
  }

  void values_of_arguments() {
    const std::string args = "{\"a\": \"b, \\\"group\\\": 1\", \"group\": \"0,1\", \"bytes\": 12, \"async\": true}";
    QCOMPARE(json_value(args, "group"), std::string("0,1"));
    QCOMPARE(json_value(args, "bytes"), std::string("12"));
    QCOMPARE(json_value(args, "async"), std::string("true"));
    for (const char* none : {"", "{", "{\"group", "{\"group\"", "{\"group\":", "{\"other\": 1}", "\\", "{\"a\": \"\\"})
      QCOMPARE(json_value(none, "group"), std::string());
  }

  void tracks_are_put_together_by_process() {
    const auto reader = merged(Late::kTracing);
    Store store(*reader);
    store.index();
    const Picture picture = draw(store, reader->first_time(), reader->last_time(), 500, {});
    uint32_t before = 0;
    std::vector<int> summaries(kRanks, 0);
    for (const TrackPicture& track : picture.tracks) {
      QVERIFY(process_of(track.key) >= before);
      before = process_of(track.key);
      summaries[before] += track.is_summary;
    }
    QCOMPARE(summaries, (std::vector<int>(kRanks, 2)));  // calls and spans, not ops
  }
};

QTEST_GUILESS_MAIN(RanksTest)
#include "test_ranks.moc"
