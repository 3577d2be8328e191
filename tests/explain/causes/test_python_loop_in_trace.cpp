// Loops that Python runs very often while tracing, and that put nothing into the graph.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestPythonLoopInTrace : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_loop_without_nodes() {
    SampleSource run(kNested);
    for (int i = 0; i < 2; ++i) {
      SampleSource::node(run.trace(), "Add", 6);
      run.decide(3, "python", "ran in Python, 3000000 iterations");
    }
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_loop_in_trace"));
    QCOMPARE(found[0].path, std::string("for i in range(ROUNDS)"));
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].title, std::string("A Python loop runs 3,000,000 iterations while step is traced"));
    QVERIFY(found[0].detail.find("each of 2 traces") != std::string::npos);
    QVERIFY(!found[0].checked.ok);
  }

  void loops_in_each_other_are_one() {
    SampleSource run(kNested);
    SampleSource::node(run.trace(), "Add", 6);
    run.decide(3, "python", "ran in Python, 400 iterations");
    run.decide(4, "python", "ran in Python, 500 iterations");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].title, std::string("A Python loop runs 200,000 iterations while step is traced"));
  }

  void the_inner_one_of_a_loop_that_makes_nodes() {
    SampleSource run(kNested);
    SampleSource::node(run.trace(), "Add", 6);
    run.decide(3, "python", "unrolled into 4 copies");
    run.decide(4, "python", "ran in Python, 50000 iterations");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 4);
  }

  void comprehensions_count_over_all_their_runs() {
    for (const char* note : {"ran in Python, 300000 iterations", "ran in Python, 300,000 iterations"}) {
      SampleSource run(kGenerator);
      SampleSource::node(run.trace(), "Add", 5);
      run.decide(2, "python", "ran in Python, 1000 iterations");
      run.decide(3, "python", note, "comprehension");
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].path, std::string("for i in range(1000)"));  // the loop around it, which adds nothing either
      QCOMPARE(found[0].title, std::string("A Python loop runs 300,000 iterations while step is traced"));
    }
    SampleSource run(kGenerator);
    SampleSource::node(run.trace(), "Add", 5);
    run.decide(3, "python", "ran in Python, 300000 iterations", "comprehension");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("for j in range(9)"));
    QCOMPARE(found[0].line.line, 3);
    QVERIFY(found[0].alternatives[0].fix.find("in place of the comprehension") != std::string::npos);
  }

  void short_ones_and_those_with_nodes_are_none() {
    SampleSource run(kNested);
    SampleSource::node(run.trace(), "Add", 6);
    run.decide(3, "python", "ran in Python, 99999 iterations");
    SampleSource::node(run.trace(), "Add", 6);
    run.decide(3, "staged", "became while_loop");
    QCOMPARE(run.findings().size(), size_t{0});
  }

 private:
  static constexpr const char* kGenerator =
      "def step(x):\n"
      "    for i in range(1000):\n"
      "        s = sum(k for j in\n"
      "            range(9) for k in range(300))\n"
      "    return x + s\n";
  static constexpr const char* kNested =
      "def step(x):\n"
      "    s = 0\n"
      "    for i in range(ROUNDS):\n"
      "        for k in range(TERMS):\n"
      "            s += k\n"
      "    return x + s\n";
};

QTEST_APPLESS_MAIN(TestPythonLoopInTrace)
#include "test_python_loop_in_trace.moc"
