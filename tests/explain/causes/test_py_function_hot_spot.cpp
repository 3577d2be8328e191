// Python functions that graphs call.
#include "tests/explain/causes/observed.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;
using session::ObservationKind;
using session::ObservationRecord;

namespace {

ObservationRecord runs(const SampleRun& run, uint64_t count, const char* node = "pyfunc_0", const char* path = "host") {
  ObservationRecord o = observed(run, ObservationKind::kPythonCall, path, 7);
  o.function = {};
  o.count = count;
  o.spent_ns = static_cast<int64_t>(count) * 1000;
  o.note = node;
  return o;
}

}  // namespace

class TestPyFunctionHotSpot : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_function_that_runs_often() {
    SampleRun run = run_of(1);
    run.observations = {runs(run, 20), runs(run, 48), runs(run, 40)};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("py_function_hot_spot"));
    QCOMPARE(found[0].path, std::string("host"));
    QCOMPARE(found[0].line.line, 7);
    QCOMPARE(found[0].calls, size_t{48});
    QCOMPARE(found[0].cost_ns, int64_t{48'000});
    QCOMPARE(found[0].title, std::string("host runs as Python inside step"));
  }

  void nodes_of_one_line_count_together() {
    SampleRun run = run_of(1);
    run.observations = {runs(run, 12), runs(run, 9, "pyfunc_1")};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].calls, size_t{21});
  }

  void a_few_runs() {
    SampleRun run = run_of(1);
    run.observations = {runs(run, 19), runs(run, 19, "pyfunc_1", "other")};
    QVERIFY(findings(run).empty());
  }
};

QTEST_APPLESS_MAIN(TestPyFunctionHotSpot)
#include "test_py_function_hot_spot.moc"
