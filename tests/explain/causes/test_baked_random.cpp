// Random numbers and clocks that were read while tracing.
#include "tests/explain/causes/observed.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;
using session::ObservationKind;

class TestBakedRandom : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_number_that_later_calls_get_again() {
    SampleRun run = run_of(6);
    run.observations.push_back(observed(run, ObservationKind::kRandomRead, "numpy.random", 7));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("baked_random"));
    QCOMPARE(found[0].path, std::string("numpy.random"));
    QCOMPARE(found[0].calls, size_t{5});
    QVERIFY(found[0].fix.starts_with("Draw with tf.random"));
  }

  void a_clock_is_passed_in() {
    SampleRun run = run_of(2);
    run.observations.push_back(observed(run, ObservationKind::kRandomRead, "time.time", 7));
    run.observations.back().note = "clock";
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].alternatives.size(), size_t{1});
    QCOMPARE(found[0].alternatives[0].fix, std::string("Use tf.timestamp()"));
    QCOMPARE(found[0].edit.at.line, 0);
  }

  void a_trace_that_no_later_call_hit() {
    SampleRun run = run_of(1);
    run.observations.push_back(observed(run, ObservationKind::kRandomRead, "random", 7));
    QVERIFY(findings(run).empty());
  }
};

QTEST_APPLESS_MAIN(TestBakedRandom)
#include "test_baked_random.moc"
