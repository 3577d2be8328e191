// Loops of Python that put many copies of their body into a graph.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestUnrolledLoop : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_loop_over_a_range() {
    SampleSource run(kLoop);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 256; ++i) {
      SampleSource::node(graph, "Mul", 4);
      SampleSource::node(graph, "Const", 5);
      SampleSource::node(graph, "Add", 5);
    }
    run.decide(3, "python", "unrolled into 256 copies");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("unrolled_loop"));
    QCOMPARE(found[0].path, std::string("for k in range(TERMS)"));
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].nodes, size_t{768});
    QCOMPARE(found[0].fix, std::string("for k in tf.range(TERMS)"));
    QCOMPARE(found[0].edit.at.line, 3);
    QVERIFY(found[0].edit.old_text.starts_with(found[0].path));
    QVERIFY(!found[0].checked.ok);
    QVERIFY(found[0].saved_ns > 900'000);
  }

  void a_short_loop_and_a_staged_one() {
    SampleSource run(kLoop);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 99; ++i) SampleSource::node(graph, "Mul", 4), SampleSource::node(graph, "Add", 5);
    run.decide(3, "python", "unrolled into 99 copies");
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void many_nodes_of_one_call_are_no_copies() {
    SampleSource run(kLoop);  // as the gradient of something large
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 150; ++k) SampleSource::node(graph, k % 7 == 3 || k % 11 == 5 ? "Mul" : "Add", 4);
      SampleSource::node(graph, "Add", 5);
    }
    run.decide(3, "python", "unrolled into 3 copies");
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void a_helper_that_the_loop_calls() {
    SampleSource run(kHelper);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 200; ++i) SampleSource::node(graph, "Mul", 7), SampleSource::node(graph, "Add", 8);
    run.decide(3, "python", "unrolled into 200 copies");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].nodes, size_t{400});
  }

  void without_autograph() {
    SampleSource run(kLoop);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 120; ++i) SampleSource::node(graph, "Mul", 4), SampleSource::node(graph, "Add", 5);
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 3);
  }

  void loops_in_each_other() {
    for (const int inner : {20, 3}) {
      SampleSource run(kNested);
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < 20 * inner; ++i) SampleSource::node(graph, "Mul", 5), SampleSource::node(graph, "Add", 6);
      run.decide(3, "python", "unrolled into 20 copies");
      run.decide(4, "python", inner == 20 ? "unrolled into 20 copies" : "unrolled into 3 copies");
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t(inner == 20));
      if (inner == 20) QCOMPARE(found[0].line.line, 3);
    }
  }

  void calls_that_run_an_operation_for_each_item() {
    // On the line itself; on the line above, of which it is an argument; and by the name of the function.
    for (const auto& [line, call] : {std::pair{2, 2}, {4, 3}, {8, 5}}) {
      SampleSource run(kCalls);
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < 300; ++i) SampleSource::node(graph, "Add", line);
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].cause, std::string("unrolled_loop"));
      QCOMPARE(found[0].line.line, call);
      QCOMPARE(found[0].nodes, size_t{300});
      QVERIFY(found[0].title.ends_with(" puts 300 copies of an operation into the graph"));
    }
    SampleSource run(kCalls);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 300; ++i) SampleSource::node(graph, "Add", 6);
    QCOMPARE(run.findings().size(), size_t{0});
  }

  // AutoGraph notes a comprehension at the line of its bracket. Conditions leave items out.
  void a_helper_that_a_comprehension_calls() {
    for (const auto& [noted, made] : {std::pair{"unrolled, 200 iterations added nodes", 200},
                                      std::pair{"unrolled, 400 iterations added nodes", 150}}) {
      SampleSource run(kComprehension);
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < made; ++i) SampleSource::node(graph, "Mul", 6), SampleSource::node(graph, "Add", 7);
      run.decide(2, "python", noted, "comprehension");
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].cause, std::string("unrolled_loop"));
      QCOMPARE(found[0].path, std::string("for x in many"));
      QCOMPARE(found[0].line.line, 3);
      QVERIFY(found[0].title.find(std::to_string(made) + " copies") != std::string::npos);
      QVERIFY(found[0].fix.find("in place of the comprehension") != std::string::npos);
    }
    SampleSource run(kComprehension);  // it ran, and something else made the nodes
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 200; ++i) SampleSource::node(graph, "Mul", 6);
    run.decide(2, "python", "ran in Python, 200 iterations", "comprehension");
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void a_function_that_calls_itself() {
    SampleSource run(kRecursion);
    session::GraphRecord& graph = run.trace();
    for (int i = 0; i < 300; ++i) SampleSource::node(graph, "Mul", 4);
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("power"));
    QCOMPARE(found[0].line.line, 1);
    QCOMPARE(found[0].title,
             std::string("power calls itself: its recursion puts 300 copies of its body into the graph"));
    QVERIFY(found[0].fix.starts_with("Write power as a loop over tf.range, "));
    // For each part of a structure: there is no loop to write.
    SampleSource other(kStructure);
    session::GraphRecord& parts = other.trace();
    for (int i = 0; i < 300; ++i) SampleSource::node(parts, "Mul", 4);
    QCOMPARE(other.findings().size(), size_t{0});
  }

  // Ranges, not the largest: 110, 150 and 200 copies of two nodes.
  void traces_with_other_numbers_of_copies() {
    SampleSource run(kLoop);
    for (const int copies : {110, 150, 200}) {
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < copies; ++i) SampleSource::node(graph, "Mul", 4), SampleSource::node(graph, "Add", 5);
      run.decide(3, "python", ("unrolled into " + std::to_string(copies) + " copies").c_str());
    }
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].title, std::string("A Python loop puts up to 200 copies of its body into the graph"));
    QCOMPARE(found[0].detail, std::string("for k in range(TERMS): 220 to 400 nodes in 3 traces"));
  }

  // A loop that runs twice in one trace: 60 + 150 copies. Two runs of 120 are noted once, so there are at least 120.
  void a_loop_that_runs_twice() {
    for (const bool equal : {false, true}) {
      SampleSource run(kLoop);
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < (equal ? 240 : 210); ++i)
        SampleSource::node(graph, "Mul", 4), SampleSource::node(graph, "Add", 5);
      run.decide(3, "python", equal ? "unrolled into 120 copies" : "unrolled into 60 copies");
      if (!equal) run.decide(3, "python", "unrolled into 150 copies");
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].title, std::string("A Python loop puts ") + (equal ? "at least 120" : "210") +
                                   " copies of its body into the graph");
      QCOMPARE(found[0].detail, std::string("for k in range(TERMS): ") + (equal ? "480" : "420") + " nodes");
    }
  }

  void several_traces_are_one_finding() {
    SampleSource run(kLoop);
    for (int t = 0; t < 3; ++t) {
      session::GraphRecord& graph = run.trace();
      for (int i = 0; i < 128; ++i) SampleSource::node(graph, "Mul", 4), SampleSource::node(graph, "Add", 5);
      run.decide(3, "python", "unrolled into 128 copies");
    }
    QCOMPARE(run.findings().size(), size_t{1});
  }

 private:
  static constexpr const char* kComprehension =
      "def step(x, many):\n"
      "    return tf.add_n([\n"
      "        cell(x) for x in many])\n"
      "\n"
      "def cell(x):\n"
      "    x = x * 2\n"
      "    return x + 1\n";
  static constexpr const char* kRecursion =
      "def power(x, n):\n"
      "    if n == 0:\n"
      "        return x\n"
      "    return power(x * 1.01, n - 1)\n";
  static constexpr const char* kStructure =
      "def scaled(x):\n"
      "    if isinstance(x, list):\n"
      "        return [scaled(y) for y in x]\n"
      "    return x * 2.0\n";
  static constexpr const char* kCalls =
      "def step(x, items):\n"
      "    y = sum(items)\n"
      "    z = functools.reduce(\n"
      "        lambda a, b: a + b, items)\n"
      "    w = functools.reduce(joined, items)\n"
      "    return optimizer.apply(w)\n"
      "def joined(a, b):\n"
      "    return a + b\n";
  static constexpr const char* kLoop =
      "def step(x):\n"
      "    y = x\n"
      "    for k in range(TERMS):\n"
      "        y = y * x\n"
      "        x = x + 1.0\n"
      "    return y\n";
  static constexpr const char* kHelper =
      "def step(x):\n"
      "    y = x\n"
      "    for k in range(200):\n"
      "        y = cell(x)\n"
      "    return y\n"
      "def cell(x):\n"
      "    x = x * 2\n"
      "    return x + 1\n";
  static constexpr const char* kNested =
      "def step(x):\n"
      "    y = x\n"
      "    for i in range(20):\n"
      "        for layer in layers:\n"
      "            y = y * x\n"
      "            x = x + 1.0\n"
      "    return y\n";
};

QTEST_APPLESS_MAIN(TestUnrolledLoop)
#include "test_unrolled_loop.moc"
