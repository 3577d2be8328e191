// Numbers and strings that become constants in the graph.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

// A LeakyRelu with its attribute.
session::GraphRecord with_attribute(const std::string& alpha) {
  session::GraphRecord g = scaled("1");
  g.nodes[2].op = "LeakyRelu";
  g.nodes[2].attributes = "alpha=" + alpha + "; T=float32";
  return g;
}

session::GraphRecord with_branch(SampleRun& run, const std::string& constant) {
  session::GraphRecord g = scaled("1");
  session::NodeRecord branch;
  branch.id = 3;
  branch.op = "If";
  branch.inputs = {{2, 0}};
  branch.outputs = {"float32 (4)"};
  const GraphId body = run.add_graph(scaled(constant));
  branch.attributes = "then_branch=body_" + std::to_string(body.value);
  branch.functions = {{"then_branch", body}};
  g.nodes.push_back(branch);
  g.outputs = {{3, 0}};
  return g;
}

}  // namespace

class TestPythonScalarArgument : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_number_that_changes() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 12; ++i) run.call(batch_and_rate(32, 0.1 / (1 + i / 2)), scaled(std::to_string(i / 2)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    const Finding& f = found[0];
    QCOMPARE(f.cause, std::string("python_scalar_argument"));
    QCOMPARE(f.path, std::string("args[1]"));
    QCOMPARE(f.parameter, std::string("lr"));
    QCOMPARE(f.values.size(), size_t{6});
    QCOMPARE(f.graphs, GraphRelation::kConstants);
    QVERIFY(f.checked.ok);
    QCOMPARE(f.checked.traces_before, size_t{6});
    QCOMPARE(f.checked.traces_after, size_t{1});
    QCOMPARE(f.example, run.traces[1].id);
    QCOMPARE(f.line, (Line{session::FileId(1), 11}));
    QCOMPARE(f.title, std::string("lr is a Python number that changes"));
    QCOMPARE(f.detail, std::string("args[1]: 6 values, 0.1 → 0.05 → … → 0.01667; the graphs differ only in constants"));
    QCOMPARE(f.fix, std::string("tf.constant(lr)"));
    QCOMPARE(check_text(f.checked), std::string("Replayed: saves 5 of 6 traces"));
  }

  void a_number_in_a_branch_reaches_the_graph() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), with_branch(run, std::to_string(i)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_scalar_argument"));
    SampleRun same({"x", "lr"});
    for (int i = 0; i < 6; ++i) same.call(batch_and_rate(32, i), with_branch(same, "1"));
    QCOMPARE(findings(same)[0].cause, std::string("identical_graphs"));
  }

  void a_number_in_an_attribute_reaches_the_graph() {
    SampleRun run({"x", "alpha"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), with_attribute(std::to_string(i) + ".5"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_scalar_argument"));
    QVERIFY(found[0].detail.find("alpha of LeakyRelu") != std::string::npos);
    QVERIFY(found[0].fix.find("instead of setting alpha of LeakyRelu") != std::string::npos);
  }

  void few_values_are_a_choice() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 20; ++i) run.call(batch_and_rate(32, i % 4), scaled(std::to_string(i % 4)));
    QVERIFY(findings(run).empty());
  }

  void numbers_that_change_together_are_one_finding() {
    SampleRun run({"x", "lr", "step"});
    for (int i = 0; i < 6; ++i) {
      run.call(call_key([&](keys::KeyWriter& w) {
        w.tensor(keys::key_spec(keys::DType::kFloat32, {4}));
        w.floating(0.1 * (i + 1));
        w.integer(i);
      }), scaled(std::to_string(i)));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].also_paths, (std::vector<std::string>{"args[2]"}));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void numbers_of_one_list_are_one_finding() {
    SampleRun run({"point"});
    for (int i = 0; i < 6; ++i) {
      run.call(call_key([&](keys::KeyWriter& w) {
        w.put(keys::Token::kList, 2);
        w.integer(i);
        w.integer(i % 3);
      }), scaled(std::to_string(i)));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("args[0][0]"));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void whole_and_broken_numbers_need_a_dtype() {
    SampleRun run({"lr"});
    for (int i = 0; i < 6; ++i)
      run.call(call_key([&](keys::KeyWriter& w) { i == 0 ? w.integer(1) : w.floating(0.5 / i); }),
               scaled(std::to_string(i)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("tf.constant(lr, tf.float32)"));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void what_a_callable_closes_over_is_no_argument() {
    SampleRun run({"kernel"});
    for (int i = 0; i < 9; ++i) {
      run.call(call_key([&](keys::KeyWriter& w) {
        w.numbered(keys::Token::kCallable, 5, 1);
        w.floating(0.1 * i);
      }), scaled(std::to_string(i)));
    }
    for (const Finding& f : findings(run)) QCOMPARE(f.cause, std::string("callable_made_at_call"));
  }
};

QTEST_APPLESS_MAIN(TestPythonScalarArgument)
#include "test_python_scalar_argument.moc"
