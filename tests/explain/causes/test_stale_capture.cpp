// State that a trace has read and that changed under later calls.
#include "tests/explain/causes/observed.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;
using session::FileId;
using session::ObservationKind;

class TestStaleCapture : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_value_that_changed_twice() {
    SampleRun run = run_of(5);
    auto o = observed(run, ObservationKind::kStateChanged, "closure rate", 9);
    o.time_ns = run.calls[2].start_ns;
    o.values = {"0.5", "0.25"};
    o.lines = {{"change", FileId(1), 13}};
    run.observations.push_back(o);
    o.time_ns = run.calls[4].start_ns;
    o.values = {"0.25", "0.125"};
    o.lines.clear();
    run.observations.push_back(o);
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    const Finding& f = found[0];
    QCOMPARE(f.cause, std::string("stale_capture"));
    QCOMPARE(f.severity, Severity::kWrongResult);
    QCOMPARE(f.path, std::string("closure rate"));
    QCOMPARE(f.line.line, 9);
    QCOMPARE(f.values, (std::vector<std::string>{"0.5", "0.25", "0.125"}));
    QCOMPARE(f.calls, size_t{3});
    QCOMPARE(f.related.size(), size_t{1});
    QCOMPARE(f.related[0].role, std::string("change"));
    QCOMPARE(f.related[0].at.line, 13);
    QVERIFY(!f.checked.ok);
    QCOMPARE(f.fix, std::string("Keep rate in a tf.Variable and assign to it"));
  }

  void a_later_trace_that_read_another_value() {
    SampleRun run = run_of(2);
    const auto call = [&](int64_t size) {
      run.call(call_key([&](keys::KeyWriter& w) { w.tensor(keys::key_spec(keys::DType::kFloat32, {size})); }),
               scaled("1"));
    };
    for (const int64_t size : {6, 4, 6, 4, 6}) call(size);
    auto o = observed(run, ObservationKind::kStateChanged, "closure rate", 9);
    o.time_ns = run.calls[1].start_ns;
    o.values = {"0.0", "0.3"};
    run.observations.push_back(o);
    o.trace = run.traces[1].id;
    o.time_ns = run.calls[4].start_ns;
    o.values = {"0.3", "0.6"};
    run.observations.push_back(o);
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].calls, size_t{5});
    QVERIFY2(found[0].detail.ends_with("but 3 later calls still used 0.0, and 2 used 0.3"), found[0].detail.c_str());
  }

  void a_change_that_no_call_met() {
    SampleRun run = run_of(5);
    auto o = observed(run, ObservationKind::kStateChanged, "global RATE", 9);
    o.time_ns = run.calls[4].start_ns + 1'000'000'000;
    o.values = {"0.5", "0.25"};
    run.observations.push_back(o);
    QVERIFY(findings(run).empty());
  }

  void one_global_read_on_two_lines_is_one_finding() {
    SampleRun run = run_of(5);
    for (int line : {9, 12}) {
      run.observations.push_back(observed(run, ObservationKind::kStateChanged, "global RATE", line));
      run.observations.back().time_ns = run.calls[2].start_ns;
      run.observations.back().values = {"1", "2"};
    }
    QCOMPARE(findings(run).size(), size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestStaleCapture)
#include "test_stale_capture.moc"
