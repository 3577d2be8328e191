// The first NaN of a recorded call: one finding, at the line where it began.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

session::TensorValue value(uint32_t node, uint64_t step) {
  session::TensorValue v;
  v.graph = GraphId(0);
  v.node = NodeId(node);
  v.order = v.at = step;
  v.dtype = "float32";
  v.shape = "(4)";
  v.elements = 4;
  return v;
}

constexpr const char* kSource = "def step(x, labels):\n    p = softmax(x)\n    y = log(p)\n    return labels * y\n"
                                "    g = tape.gradient(y, x)\n";

}  // namespace

class TestFirstNan : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void it_is_where_the_infinity_was_made() {
    SampleSource run(kSource);
    session::GraphRecord& graph = run.trace();
    SampleSource::node(graph, "Softmax", 2);
    SampleSource::node(graph, "Log", 3);
    SampleSource::node(graph, "Mul", 4);
    session::CallValues call;
    call.function = FunctionId(1);
    call.trace = TraceId(0);
    call.call = 312;
    call.source = {CodeId(0), 2 * 40};
    call.values = {value(0, 1), value(1, 2), value(2, 3)};
    call.values[1].negative_infinity = 2, call.values[1].first_infinity = 2;
    call.values[1].places = {{3, "-Inf", "0"}};
    call.values[2].nan = 2, call.values[2].first_nan = 3, call.values[2].input_infinity = true;
    call.values[2].places = {{3, "NaN", "0, -Inf"}};
    run.values = {call, call};  // a later call of the same function says nothing new
    run.checked_calls.resize(312);
    for (size_t i = 0; i < run.checked_calls.size(); ++i)
      run.checked_calls[i].function = FunctionId(1), run.checked_calls[i].call = i + 1;
    run.checked_calls.back().nan = 1;
    const std::vector<Finding> found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("first_nan"));
    QVERIFY(found[0].severity == Severity::kWrongResult);
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].title, std::string("The first NaN is in call 312: Log(0) is -Inf"));
    QVERIFY(found[0].fix.find("tf.nn.log_softmax") != std::string::npos);
    QVERIFY(found[0].detail.find("1 of 3 values of the call hold NaN") != std::string::npos);
    QVERIFY(found[0].detail.find("312 calls were searched") != std::string::npos);
    QCOMPARE(found[0].related.size(), size_t{2});
    QCOMPARE(found[0].related[0].role, std::string("call"));
    QCOMPARE(found[0].related[0].at.line, 40);
    QCOMPARE(found[0].related[1].at.line, 4);
    QVERIFY(!found[0].checked.ok);
  }

  void a_gradient_names_what_it_is_of_data() {
    QTest::addColumn<QString>("forward");
    QTest::addColumn<QString>("gradient");
    QTest::addColumn<int>("shared");   // the node whose value the gradient reads: 0 what the op read, 1 what it made
    QTest::addColumn<bool>("second");  // the op and its gradient read it as their second input
    QTest::addColumn<QString>("fix");
    QTest::newRow("log") << "Log" << "Reciprocal" << 0 << false << "log_softmax";
    QTest::newRow("sqrt") << "Sqrt" << "SqrtGrad" << 1 << false << "above 0 with tf.maximum";
    QTest::newRow("rsqrt") << "Rsqrt" << "RsqrtGrad" << 1 << false << "rsqrt";
    QTest::newRow("division") << "RealDiv" << "RealDiv" << 0 << true << "divide_no_nan";
    QTest::newRow("power") << "Pow" << "Pow" << 0 << false << "base of the power";
  }

  void a_gradient_names_what_it_is_of() {
    QFETCH(QString, forward);
    QFETCH(QString, gradient);
    QFETCH(int, shared);
    QFETCH(bool, second);
    QFETCH(QString, fix);
    SampleSource run(kSource);
    session::GraphRecord& graph = run.trace();
    SampleSource::node(graph, "Softmax", 2);
    SampleSource::node(graph, qPrintable(forward), 3);
    SampleSource::node(graph, "Placeholder", 1);
    SampleSource::node(graph, qPrintable(gradient), 5);
    SampleSource::node(graph, "Mul", 5);
    if (second) graph.nodes[1].inputs = {{2, 0}, {0, 0}}, graph.nodes[3].inputs = {{2, 0}, {0, 0}};
    else graph.nodes[1].inputs = {{0, 0}}, graph.nodes[3].inputs = {{static_cast<uint32_t>(shared), 0}, {2, 0}};
    session::CallValues call;
    call.function = FunctionId(1);
    call.trace = TraceId(0);
    call.call = 4;
    call.values = {value(3, 1), value(4, 2)};
    call.values[0].positive_infinity = 1, call.values[0].first_infinity = 1;
    call.values[0].places = {{2, "+Inf", "1e-41"}};
    call.values[1].nan = 1, call.values[1].first_nan = 2, call.values[1].input_infinity = true;
    run.values = {call};
    const std::vector<Finding> found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(QString::fromStdString(found[0].title),
             QStringLiteral("The first NaN is in call 4: %1(1e-41) is +Inf, in the gradient of %2")
                 .arg(gradient, forward));
    QVERIFY(found[0].fix.find(fix.toStdString()) != std::string::npos);
    QCOMPARE(found[0].related.size(), size_t{1});
    QCOMPARE(found[0].related[0].at.line, 5);
  }

  // 1 / x beside log(x) in the program is no gradient.
  void an_op_of_the_program_is_no_gradient() {
    SampleSource run(kSource);
    session::GraphRecord& graph = run.trace();
    SampleSource::node(graph, "Softmax", 2);
    SampleSource::node(graph, "Log", 3);
    SampleSource::node(graph, "Reciprocal", 4);
    for (const uint32_t reader : {1u, 2u}) graph.nodes[reader].inputs = {{0, 0}};
    session::CallValues call;
    call.function = FunctionId(1);
    call.trace = TraceId(0);
    call.call = 4;
    call.values = {value(2, 1)};
    call.values[0].nan = 1, call.values[0].first_nan = 1;
    run.values = {call};
    const std::vector<Finding> found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 4);
    QVERIFY(found[0].title.find("gradient") == std::string::npos);
  }

  void finite_values_and_infinities_alone_are_none() {
    SampleSource run(kSource);
    SampleSource::node(run.trace(), "Log", 3);
    session::CallValues call;
    call.function = FunctionId(1);
    call.values = {value(0, 1)};
    call.values[0].positive_infinity = 1, call.values[0].first_infinity = 1;
    run.values = {call};
    QVERIFY(run.findings().empty());
  }
};

QTEST_APPLESS_MAIN(TestFirstNan)
#include "test_first_nan.moc"
