// Symbolic tensors that outlive their trace.
#include "engine/session/records/leak_notes.h"
#include "tests/explain/causes/observed.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;
using session::FileId;
using session::ObservationKind;

class TestTensorLeak : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_tensor_that_is_read_elsewhere() {
    SampleRun run = run_of(1);
    run.observations.push_back(observed(run, ObservationKind::kTensorLeak, "self.hidden", 7));
    run.observations.back().lines = {{"use", FileId(1), 30}};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("tensor_leak"));
    QCOMPARE(found[0].line.line, 7);
    QCOMPARE(found[0].related[0].at.line, 30);
    QCOMPARE(found[0].fix, std::string("Return the tensor from step and store it in self.hidden where it is called"));
  }

  void a_use_that_was_seen_comes_first() {
    SampleRun run = run_of(1);
    run.observations.push_back(observed(run, ObservationKind::kTensorLeak, "self.hidden", 7));
    run.observations.back().lines = {{"use", FileId(1), 30}};
    run.observations.push_back(observed(run, ObservationKind::kTensorLeak, "", 0));
    run.observations.back().lines = {{"use", FileId(1), 40}};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].related[0].at.line, 40);
  }

  void state_that_the_body_reads_before_it_stores_it() {
    for (const bool used : {false, true}) {
      SampleRun run = run_of(6);
      const auto leak = [&] { return observed(run, ObservationKind::kTensorLeak, "self.x", 7); };
      run.observations.push_back(leak());
      run.observations.back().lines = {{"read", FileId(1), 6}};
      run.observations.back().values = {"a tensor", "a symbolic tensor"};
      run.observations.push_back(leak());
      run.observations.back().note = session::kPutBack;
      if (used) {
        run.observations.push_back(leak());
        run.observations.back().note = session::kUsedOldValue;
      }
      const auto found = findings(run);
      QCOMPARE(found.size(), size_t{used});
      if (!used) continue;
      QCOMPARE(found[0].calls, size_t{4});  // five later calls, of which one was right
      QCOMPARE(found[0].title, std::string("self.x is frozen in the graph of step"));
      QCOMPARE(found[0].fix, std::string("Keep self.x in a tf.Variable and assign to it in step"));
      QCOMPARE(found[0].related[0].at.line, 6);
    }
  }

  void a_tensor_that_nobody_uses() {
    SampleRun run = run_of(3);
    run.observations.push_back(observed(run, ObservationKind::kTensorLeak, "self.hidden", 7));
    QVERIFY(findings(run).empty());
  }
};

QTEST_APPLESS_MAIN(TestTensorLeak)
#include "test_tensor_leak.moc"
