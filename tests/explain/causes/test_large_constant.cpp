// Arrays that become constants of a graph.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

void constant(session::GraphRecord& graph, const char* type, const char* text) {
  SampleSource::node(graph, "Const", 2);
  graph.nodes.back().outputs = {type};
  graph.nodes.back().constant = text;
}

constexpr const char* kSource = "def step(x):\n    return x @ table\n";

}  // namespace

class TestLargeConstant : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_array_in_two_traces() {
    SampleSource run(kSource);
    for (int i = 0; i < 2; ++i) constant(run.trace(), "float32 (500, 500)", "[0.1, 0.7, ...] float32 (500, 500) #12");
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("large_constant"));
    QCOMPARE(found[0].line.line, 2);
    QCOMPARE(found[0].bytes, uint64_t{1'000'000});
    QCOMPARE(found[0].title, std::string("An array of 1 MB is a constant of the graph"));
    QCOMPARE(found[0].detail, std::string("float32 (500, 500), in 2 traces"));
    QVERIFY(!found[0].checked.ok);
  }

  void the_name_of_the_array_and_where_it_is_made() {
    const struct { const char* source; int line; const char* path; int made; } kCases[] = {
        {"table = np.ones(9)\ndef step(x):\n    return x @ table.astype('f')  # other\n", 3, "global table", 1},
        {"def make(n):\n    table = load(n)\n    def step(x):\n        return tf.gather(table, x, axis=0)\n", 4,
         "closure table", 2},
        {"class Index:\n    def __init__(self):\n        self.rows = load()\n    def step(self, x):\n"
         "        return x @ self.rows.T\n", 5, "self.rows", 3},
        {"from data import table\ndef step(x):\n    return x @ table\n", 3, "global table", 0},
        {"table = 1\ndef step(x):\n    table = tf.constant(load(9))\n    return x @ table\n", 3, "", 0},
        {"scale = 2.0\ntable = np.ones(9)\ndef step(x):\n    return x * scale @ table\n", 4, "global table", 2},
    };
    for (const auto& c : kCases) {
      SampleSource run(c.source);
      SampleSource::node(run.trace(), "Const", c.line);
      run.graphs[0].nodes.back().outputs = {"float32 (500, 500)"};
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].path, std::string(c.path));
      QCOMPARE(found[0].related.empty() ? 0 : found[0].related[0].at.line, c.made);
    }
  }

  void what_is_smaller_or_one_number_repeated() {
    SampleSource run(kSource);
    session::GraphRecord& graph = run.trace();
    constant(graph, "float32 (499, 500)", "[0.1, 0.7, ...]");
    constant(graph, "uint8 (999999)", "[1, 2, ...]");
    constant(graph, "float32 (?, 5000000)", "");
    constant(graph, "float32", "");
    constant(graph, "float32 (600, 600)", "[0.5, 0.5, ...] float32 (600, 600) #all-equal");
    QCOMPARE(run.findings().size(), size_t{0});
    constant(graph, "float32 (600, 600)", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...] float32 (600, 600) #8e");
    QCOMPARE(run.findings().size(), size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestLargeConstant)
#include "test_large_constant.moc"
