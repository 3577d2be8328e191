// What tracing took: the spans of a call fill it, phases lie where they happened. And where events were lost.
#include "engine/query/store.h"
#include "engine/query/trace_spans.h"
#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::query;

class TraceTimeTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  static session::TraceRecord trace(uint32_t id, int number, int64_t start, int64_t end) {
    return trace_of(TraceId(id), FunctionId(1), number, start, end);
  }
  static session::CallRecord call(uint64_t id, TraceId served_by, int64_t start, int64_t end) {
    session::CallRecord c = call_of(CallId(id), FunctionId(1), served_by, CallOutcome::kTrace, start, end);
    c.thread = session::ThreadId(3);
    return c;
  }
  // The spans of each depth follow one another within those above; depth 0 fills [start, end).
  static void check(const std::vector<TraceSpan>& spans, int64_t start, int64_t end) {
    int64_t at = start;
    for (const TraceSpan& s : spans) {
      QVERIFY(s.end > s.start);
      if (s.depth == 0) QCOMPARE(s.start, std::exchange(at, s.end));
      if (s.depth == 0) continue;
      QVERIFY(std::any_of(spans.begin(), spans.end(), [&](const TraceSpan& p) {
        return p.depth + 1 == s.depth && p.start <= s.start && s.end <= p.end;
      }));
    }
    QCOMPARE(at, end);
    for (const TraceSpan& whole : spans) {
      if (whole.part != TracePart::kTrace) continue;
      int64_t inside = 0;
      for (const TraceSpan& s : spans)
        if (s.depth == 1 && s.trace == whole.trace) inside += s.end - s.start;
      if (inside) QCOMPARE(inside, whole.end - whole.start);
    }
  }

 private Q_SLOTS:
  void a_call_is_filled() {
    session::TraceRecord t = trace(1, 1, 1300, 3000);
    t.phases = {{"python", "trace", -1, 1300, 2500}, {"autograph", "trace", 0, 1400, 1500},
                {"autograph", "trace", 0, 2000, 2100}, {"compile", "trace", -1, 2600, 2900},
                {"optimize", "trace", 3, 2650, 2700}};
    const session::CallRecord c = call(7, t.id, 1000, 3400);
    const std::vector<TraceSpan> spans = spans_of({&t}, &c);
    check(spans, 1000, 3400);
    QVERIFY(spans.front().part == TracePart::kBefore && spans.front().end == 1300);
    QVERIFY(spans.back().part == TracePart::kAfter && spans.back().start == 3000);
    // Where they happened, under their parents.
    for (size_t p = 0; p < t.phases.size(); ++p) {
      const auto span = std::find_if(spans.begin(), spans.end(), [&](const TraceSpan& s) { return s.phase == p; });
      QVERIFY(span != spans.end());
      QCOMPARE(span->start, t.phases[p].start_ns);
      QCOMPARE(span->end, t.phases[p].end_ns);
      QCOMPARE(int{span->depth}, t.phases[p].parent < 0 ? 1 : 2);
    }
    // Two stretches of the trace belong to no phase.
    const auto others = std::count_if(spans.begin(), spans.end(),
                                      [](const TraceSpan& s) { return s.part == TracePart::kOther; });
    QCOMPARE(others, 2);
  }

  // Times of a file may be anything: parents that are no parents, ends before starts, phases outside.
  void nonsense_stays_within_bounds() {
    session::TraceRecord t = trace(1, 1, 5000, 1000);
    t.phases = {{"a", "", 4, 0, 9000}, {"b", "", -7, 3000, 2000}, {"c", "", 1, INT64_MIN, INT64_MAX},
                {"d", "", 3, 5, 6},    {"e", "", 0, 1500, 1600}};
    const session::CallRecord c = call(7, t.id, 1000, 3400);
    check(spans_of({&t}, &c), 1000, 3400);
    t.end_ns = 8000;
    check(spans_of({&t}, nullptr), 5000, 8000);
    QVERIFY(spans_of({}, &c).empty());
  }

  void traces_find_their_calls() {
    const std::string path = folder_.filePath(QStringLiteral("traces.footlight")).toStdString();
    auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
    session::TraceRecord made = trace(1, 1, 1100, 1500), second = trace(2, 2, 1600, 1900);
    made.reason = session::TraceReason::kVariableCreation;
    w->add(made);
    w->add(second);
    w->add(trace(3, 3, 5000, 6000));  // get_concrete_function: no call
    w->add(trace(4, 4, 7000, 8000));
    w->add_rows(std::vector{call(10, TraceId(2), 1000, 2000), call(11, TraceId(4), 6900, 9000)});
    w->finish({});
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    store.index();
    const std::vector<TraceSpan> spans = all_trace_spans(store, {});
    const auto of_call = [&](uint64_t id) {
      std::vector<TraceSpan> found;
      for (const TraceSpan& s : spans)
        if (s.call == CallId(id)) found.push_back(s);
      return found;
    };
    // The call that made variables made two traces.
    check(of_call(10), 1000, 2000);
    QCOMPARE(of_call(10).size(), size_t{5});
    check(of_call(11), 6900, 9000);
    const auto lone = std::find_if(spans.begin(), spans.end(), [](const TraceSpan& s) { return !s.call.valid(); });
    QVERIFY(lone != spans.end() && lone->trace == TraceId(3) && lone->start == 5000 && lone->end == 6000);
    for (const TraceSpan& s : of_call(10)) QVERIFY(s.thread == session::ThreadId(3));
  }

  // The call that makes machine code has it as a phase on its thread, and as no bar of its own; its hits have a median.
  void machine_code_is_a_phase() {
    const std::string path = folder_.filePath(QStringLiteral("code.footlight")).toStdString();
    auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
    session::TrackRecord track;
    track.id = session::TrackId(4), track.kind = "thread", track.name = "main", track.thread = session::ThreadId(3);
    w->add(std::move(track));
    w->add(trace(1, 1, 100, 200));
    std::vector<session::CallRecord> calls{call(1, TraceId(1), 50, 300)};
    for (uint64_t i = 2; i <= 21; ++i) {
      session::CallRecord hit = call(i, TraceId(1), static_cast<int64_t>(i) * 1000, 0);
      hit.outcome = CallOutcome::kHit;
      hit.end_ns = hit.start_ns + (i == 9 ? 900 : 90 + static_cast<int64_t>(i));
      calls.push_back(hit);
    }
    w->add_rows(calls);
    session::SpanRecord span;
    span.track = session::TrackId(4), span.start_ns = 9100, span.end_ns = 9800;
    span.name = span.category = session::SpanRecord::kMachineCode;
    w->add(std::move(span));
    session::ComparisonRecord compared;
    compared.function = FunctionId(1), compared.trace = TraceId(1);
    compared.start_ns = 30'000, compared.end_ns = 40'000;
    w->add(std::move(compared));
    w->finish({});
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    store.index();
    std::vector<TraceSpan> spans = all_trace_spans(store, {});
    QCOMPARE(spans.back().part, TracePart::kCompared);
    QCOMPARE(spans.back().start, int64_t{30'000});
    QCOMPARE(spans.back().end, int64_t{40'000});
    spans.pop_back();
    QCOMPARE(spans.back().part, TracePart::kMachineCode);
    QCOMPARE(spans.back().start, int64_t{9100});
    QCOMPARE(spans.back().end, int64_t{9800});
    QVERIFY(spans.back().thread == session::ThreadId(3));
    for (const Track* t : store.tracks()) QVERIFY(t->key().kind != TrackKind::kSpans);
    // 92 to 111 without 99, and 900: the call that traced is no hit.
    const HitTimes hits = store.calls().hits_of_function(FunctionId(1));
    QCOMPARE(hits.count, uint64_t{20});
    QCOMPARE(hits.median, int64_t{102});
    QCOMPARE(hits.p5, int64_t{92});
    QCOMPARE(hits.p95, int64_t{111});
    QCOMPARE(store.calls().hits_of_trace(TraceId(1)).median, hits.median);
    QCOMPARE(store.calls().hits_of_trace(TraceId(2)).count, uint64_t{0});
  }

  void losses_lie_where_numbers_are_missing() {
    const std::string path = folder_.filePath(QStringLiteral("lost.footlight")).toStdString();
    auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
    session::OpColumns ops;
    const auto add = [&](uint16_t thread, uint32_t number) {
      const int64_t start = 1000 + number * 10;
      ops.append(thread, ThreadRings::op_event_id(thread, number), op_of(OpId(1), start, start + 4));
    };
    for (const uint32_t n : {5u, 6u, 7u, 20u, 21u}) add(0, n), add(1, n == 21 ? 25 : n);
    for (const uint32_t n : {22u, 100u}) add(0, n);
    w->add_rows(ops);
    w->finish({});
    const auto reader = session::Reader::open(path);
    Store store(*reader);
    store.index();
    std::vector<Loss> losses = store.losses().all();
    std::sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) {
      return std::pair(a.thread, a.from) < std::pair(b.thread, b.from);
    });
    QCOMPARE(losses.size(), size_t{4});
    QCOMPARE(store.losses().events(), uint64_t{12 + 77 + 12 + 4});
    QCOMPARE(losses[0].events, uint64_t{12});
    QCOMPARE(losses[0].from, int64_t{1074});
    QCOMPARE(losses[0].to, int64_t{1200});
    QCOMPARE(losses[1].events, uint64_t{77});
    QCOMPARE(losses[3].events, uint64_t{4});
    QCOMPARE(losses[3].thread, 1u);
  }
};

QTEST_GUILESS_MAIN(TraceTimeTest)
#include "test_trace_time.moc"
