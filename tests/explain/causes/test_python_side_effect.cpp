// Changes of outer state that happen only while tracing.
#include "tests/explain/causes/observed.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;
using session::FileId;
using session::ObservationKind;

class TestPythonSideEffect : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_counter_that_later_calls_do_not_change() {
    SampleRun run = run_of(6);
    run.observations.push_back(observed(run, ObservationKind::kSideEffect, "self.steps", 12));
    run.observations.back().lines = {{"read", FileId(1), 20}};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_side_effect"));
    QCOMPARE(found[0].severity, Severity::kWrongResult);
    QCOMPARE(found[0].line.line, 12);
    QCOMPARE(found[0].calls, size_t{5});
    QCOMPARE(found[0].related[0].role, std::string("use"));
    QCOMPARE(QString::fromStdString(found[0].title), QStringLiteral("step changes self.steps only while it is traced"));
  }

  void a_list_that_keeps_tensors_of_the_trace() {
    SampleRun run = run_of(6);
    run.observations.push_back(observed(run, ObservationKind::kSideEffect, "global history", 12));
    QCOMPARE(findings(run)[0].fix, std::string("Change history where step is called"));
    run.observations.back().values = {"[a symbolic tensor]"};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("Return the tensor from step and put it in history where it is called"));
    QVERIFY(found[0].detail.ends_with("the tensors that it holds have no value after the trace"));
    QVERIFY(found[0].alternatives.empty());
  }

  // A counter that the first trace set to 1, with no later call, and the second to 2.
  void values_of_all_traces_are_said() {
    SampleRun run = run_of(6);
    session::TraceRecord once = run.traces[0];
    once.id = TraceId(77);
    once.start_ns = 10, once.end_ns = 20;
    run.traces.push_back(once);
    run.observations.push_back(observed(run, ObservationKind::kSideEffect, "global n", 12));
    run.observations.push_back(run.observations.back());
    run.observations[0].trace = once.id;
    run.observations[0].values = {"1"};
    run.observations[1].values = {"2"};
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].values, (std::vector<std::string>{"1", "2"}));
    QCOMPARE(found[0].calls, size_t{5});
  }

  void a_trace_that_no_later_call_hit() {
    SampleRun run = run_of(1);
    run.observations.push_back(observed(run, ObservationKind::kSideEffect, "self.steps", 12));
    QVERIFY(findings(run).empty());
  }

  void a_trace_inside_of_another_one_is_hit_with_it() {
    SampleRun run = run_of(4);
    session::TraceRecord inner = run.traces[0];
    inner.id = TraceId(77), inner.function = FunctionId(9);
    run.traces.push_back(inner);
    run.observations.push_back(observed(run, ObservationKind::kSideEffect, "global n", 3));
    run.observations.back().trace = inner.id;
    run.observations.back().function = inner.function;
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].function, inner.function);
    QCOMPARE(found[0].calls, size_t{3});
  }
};

QTEST_APPLESS_MAIN(TestPythonSideEffect)
#include "test_python_side_effect.moc"
