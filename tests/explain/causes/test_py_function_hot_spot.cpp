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
    QCOMPARE(found[0].detail, std::string("Python took 48.0 us in 48 runs"));
  }

  // The node waits for the interpreter, too.
  void what_the_graph_waited() {
    SampleRun run = run_of(1);
    run.observations = {runs(run, 24), runs(run, 30), runs(run, 12, "pyfunc_10")};
    auto& nodes = run.graphs[0].nodes;
    for (const char* token : {"pyfunc_0", "pyfunc_10", "pyfunc_1"}) {
      session::NodeRecord node;
      node.id = static_cast<uint32_t>(nodes.size());
      node.op = "PyFunc";
      node.attributes = std::string("Tout=[int64]; token=") + token + "; python_function=host #1";
      node.source = {CodeId(1), 2};  // line 12
      nodes.push_back(node);
    }
    for (auto& o : run.observations) o.line = 12;
    const auto first = static_cast<uint32_t>(nodes.size() - 3);
    EagerSums sums;
    const GraphId graph = run.graphs[0].id;
    sums.python = {{graph, NodeId(first), 30, 100'000}, {graph, NodeId(first + 1), 12, 10'000},
                   {graph, NodeId(first + 2), 42, 9'000'000}};
    RunRecords records = run.records();
    records.eager = &sums;
    const auto hot_spot = [&] { return find_findings(records).found.at(0); };
    QCOMPARE(hot_spot().detail, std::string("Python took 42.0 us in 42 runs; the graph waited 110 us for it"));
    QCOMPARE(hot_spot().cost_ns, int64_t{110'000});
    sums.python.erase(sums.python.begin() + 1);  // not all were recorded
    QCOMPARE(hot_spot().detail, std::string("Python took 42.0 us in 42 runs"));
    QCOMPARE(hot_spot().cost_ns, int64_t{42'000});
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
