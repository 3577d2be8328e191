// What each pass does to a graph, and that the graph itself stays as it was.
#include "engine/graph/print.h"
#include "engine/optimize/rewrite.h"
#include "engine/runtime/executor.h"
#include "tests/trace/support.h"

#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::test;

namespace {

NodeId named(const Graph& graph, const std::string& name) {
  for (uint32_t i = 0; i < graph.size(); ++i)
    if (graph.node(NodeId(i)).name == name) return NodeId(i);
  return NodeId();
}

size_t live(const optimize::Rewrite& rewrite) {
  return static_cast<size_t>(std::count(rewrite.live.begin(), rewrite.live.end(), true));
}

}  // namespace

class TestPasses : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { start(); }

  void identities_are_forwarded_through_rows_of_them() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Neg", {op("Identity", {op("Identity", {in[0]})})})};
    });
    optimize::Rewrite rewrite(*f->graph());
    optimize::forward_identities(rewrite);
    QCOMPARE(rewrite.resolve({named(*f->graph(), "Identity_1"), 0}).node, f->graph()->inputs[0]);
    QCOMPARE(rewrite.resolve(f->graph()->outputs[0]).node, named(*f->graph(), "Neg"));
  }

  void constants_fold_as_far_as_they_go() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const Tensor six = op("Mul", {number(2), number(3)});
      return std::vector{op("AddV2", {in[0], op("Neg", {six})})};
    });
    const std::string before = to_text(*f->graph());
    const optimize::Rewrite rewrite = optimize::optimize(*f->graph(), runtime::run_op);
    const Tensor folded = rewrite.value[named(*f->graph(), "Neg").value];
    QVERIFY(folded);
    QCOMPARE(value(folded), -6.f);
    QVERIFY(!rewrite.live[named(*f->graph(), "Mul").value]);
    QVERIFY(!rewrite.value[named(*f->graph(), "AddV2").value]);
    QCOMPARE(to_text(*f->graph()), before);
  }

  void what_fails_is_left_to_fail_when_it_runs() {
    auto f = traced({}, [](std::span<const Tensor>) {
      return std::vector{op(
          "FloorDiv", {Tensor::scalar<int32_t>(1).as_constant(), Tensor::scalar<int32_t>(0).as_constant()})};
    });
    const optimize::Rewrite rewrite = optimize::optimize(*f->graph(), runtime::run_op);
    QVERIFY(rewrite.live[named(*f->graph(), "FloorDiv").value]);
    QVERIFY(!rewrite.value[named(*f->graph(), "FloorDiv").value]);
    QVERIFY_THROWS_EXCEPTION(Error, f->call(std::vector<Tensor>{}));
  }

  void only_needed_nodes_stay() {
    const Tensor v = variable(1);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      op("Sin", {in[0]});
      read(v);
      assign_add(v, op("Cos", {in[0]}));
      return std::vector{op("Neg", {in[0]})};
    });
    optimize::Rewrite all(*f->graph());
    optimize::prune(all, optimize::Keep::kOutputsAndEffects);
    QVERIFY(!all.live[named(*f->graph(), "Sin").value]);
    QVERIFY(!all.live[named(*f->graph(), "ReadVariableOp").value]);  // reading is no effect
    QVERIFY(all.live[named(*f->graph(), "Cos").value]);
    QVERIFY(all.live[named(*f->graph(), "AssignAddVariableOp").value]);
    optimize::Rewrite values(*f->graph());
    optimize::prune(values, optimize::Keep::kOutputs);
    QVERIFY(!values.live[named(*f->graph(), "AssignAddVariableOp").value]);
    QVERIFY(live(values) < live(all));
  }

  // Whether the inputs alone say what is drawn.
  static bool says_all(const OpRow& row) {
    return std::any_of(row.inputs.begin(), row.inputs.end(), [](const ArgSpec& input) {
      return std::string_view(input.name) == "seed" || std::string_view(input.name) == "key";
    });
  }
  void random_numbers_are_never_folded() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) { return std::vector{op("AddV2", {in[0], number(1)})}; });
    for (const OpRow* row : all_rows())
      if (row->family == OpFamily::kRandom && !says_all(*row)) QVERIFY2(row->stateful, row->name);
  }
};

QTEST_APPLESS_MAIN(TestPasses)
#include "test_passes.moc"
