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
    QCOMPARE(found[0].title, std::string("an array of 1 MB is a constant of the graph"));
    QCOMPARE(found[0].detail, std::string("float32 (500, 500), in 2 traces"));
    QVERIFY(!found[0].checked.ok);
  }

  void what_is_smaller_or_one_number_repeated() {
    SampleSource run(kSource);
    session::GraphRecord& graph = run.trace();
    constant(graph, "float32 (499, 500)", "[0.1, 0.7, ...]");
    constant(graph, "uint8 (999999)", "[1, 2, ...]");
    constant(graph, "float32 (?, 5000000)", "");
    constant(graph, "float32", "");
    constant(graph, "float32 (600, 600)", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...] float32 (600, 600) #8d");
    QCOMPARE(run.findings().size(), size_t{0});
    constant(graph, "float32 (600, 600)", "[0.5, 0.5, 0.5, 0.5, 0.5, 0.7, ...] float32 (600, 600) #8e");
    QCOMPARE(run.findings().size(), size_t{1});
  }
};

QTEST_APPLESS_MAIN(TestLargeConstant)
#include "test_large_constant.moc"
