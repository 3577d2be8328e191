// Numbers that do not affect the graph.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestIdenticalGraphs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_number_that_the_graph_does_not_know() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), scaled("1"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("identical_graphs"));
    QVERIFY(found[0].fix.starts_with("Pass the same lr in each call"));
    QVERIFY(found[0].checked.ok);
  }

  void other_graphs_are_a_choice() {
    SampleRun run({"x", "n"});
    for (int i = 0; i < 6; ++i) {
      session::GraphRecord g = scaled("1");
      for (uint32_t k = 0; k < static_cast<uint32_t>(i); ++k) {
        g.nodes.push_back(g.nodes[2]);
        g.nodes.back().id = 3 + k;
      }
      run.call(batch_and_rate(32, i), g);
    }
    QVERIFY(findings(run).empty());
    // Nothing is reported for graphs that were not recorded either.
    SampleRun lost({"x", "n"});
    for (int i = 0; i < 6; ++i) lost.call(batch_and_rate(32, i), scaled("1"));
    lost.graphs.erase(lost.graphs.begin() + 2);
    QVERIFY(findings(lost).empty());
    // The same graph over another variable counts as another graph.
    SampleRun captured({"x", "n"});
    for (int i = 0; i < 6; ++i) {
      captured.call(batch_and_rate(32, i), scaled("1"));
      captured.traces.back().captured = {static_cast<uint32_t>(i)};
    }
    QVERIFY(findings(captured).empty());
  }
};

QTEST_APPLESS_MAIN(TestIdenticalGraphs)
#include "test_identical_graphs.moc"
