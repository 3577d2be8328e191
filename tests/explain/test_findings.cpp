// What holds for the findings of all causes.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/explain/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestFindings : public QObject {
  Q_OBJECT
 private slots:
  void every_cause_is_registered_under_a_name_of_its_own() {
    std::set<std::string> names;
    for (const Cause* cause : all_causes()) names.insert(cause->name);
    QCOMPARE(names.size(), all_causes().size());
    for (const char* name : {"identical_graphs", "python_scalar_argument", "varying_shape"})
      QVERIFY(names.count(name));
  }

  void an_inner_function_is_explained_by_the_outer_one() {
    SampleRun outer({"x", "lr"}, 1), inner({"x", "lr"}, 2);
    for (int i = 0; i < 6; ++i) {
      SampleRun::Options options;
      options.trace_ns = 10'000;
      const int64_t start = outer.now_ns;
      outer.call(batch_and_rate(32, i), scaled(std::to_string(i)), options);
      inner.now_ns = start + 100;
      inner.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    }
    // Ids of graphs are those of their runs: the inner ones are moved behind.
    for (session::TraceRecord& t : inner.traces) t.graphs = {{"traced", GraphId(t.graph().value + 100)}};
    for (session::GraphRecord& g : inner.graphs) g.id = GraphId(g.id.value + 100);
    const RunRecords a = outer.records(), b = inner.records();
    std::vector<session::FunctionRecord> functions = outer.functions;
    std::vector<session::TraceRecord> traces = outer.traces;
    std::vector<session::GraphRecord> graphs = outer.graphs;
    std::vector<session::CallRecord> calls = outer.calls;
    functions.insert(functions.end(), b.functions.begin(), b.functions.end());
    traces.insert(traces.end(), b.traces.begin(), b.traces.end());
    graphs.insert(graphs.end(), b.graphs.begin(), b.graphs.end());
    calls.insert(calls.end(), b.calls.begin(), b.calls.end());
    RunRecords both{functions, traces, graphs, calls, a.trace_keys, a.call_keys};
    both.trace_keys.insert(b.trace_keys.begin(), b.trace_keys.end());
    both.call_keys.insert(b.call_keys.begin(), b.call_keys.end());
    const auto found = find_findings(both);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].function, FunctionId(1));
    QCOMPARE(findings(inner).size(), size_t{1});
  }

  void what_was_not_replayed_is_not_called_checked() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    run.raw_keys = false;
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].checked.method, Checked::Method::kNone);
    QVERIFY(!found[0].checked.ok);
    QCOMPARE(check_text(found[0].checked),
             std::string("not checked: the recording has no raw keys of the traces"));
  }
};

QTEST_APPLESS_MAIN(TestFindings)
#include "test_findings.moc"
