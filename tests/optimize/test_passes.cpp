// What each pass does to a graph, and that the original graph does not change.
#include "engine/compile/program.h"
#include "engine/graph/print.h"
#include "engine/optimize/optimize.h"
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
  size_t count = 0;
  for (uint32_t i = 0; i < rewrite.size(); ++i) count += rewrite.is_live(NodeId(i));
  return count;
}

// "prune removed Sin", one line for each change.
std::string text_of(const optimize::Rewrite& rewrite) {
  std::string out;
  for (const optimize::Change& change : rewrite.changes()) {
    out += std::string(rewrite.passes()[change.pass]) + ' ' + name_of(change.action) + ' ' +
           rewrite.name(change.value.node);
    if (change.action == optimize::Change::Action::kReplaced) out += " by " + rewrite.name(change.by.node);
    if (change.action == optimize::Change::Action::kInserted) out += " before " + rewrite.name(change.by.node);
    out += '\n';
  }
  return out;
}

std::vector<Tensor> run(optimize::Rewrite rewrite, std::initializer_list<Tensor> inputs) {
  optimize::ProgramRewrite rewrites(std::move(rewrite));
  const compile::ProgramPtr program = compile::compile(rewrites);
  std::vector<Tensor> outputs(program->results.size());
  runtime::run(*program, std::vector<Tensor>(inputs), outputs);
  return outputs;
}

// A pass for the tests: -Neg(x) becomes Square(x), and users of it get its value plus 2.
void square_and_add(optimize::Rewrite& rewrite) {
  static const Op kSquare{"Square"}, kAdd{"AddV2"}, kConst{"Const"};
  rewrite.begin_pass("square_and_add");
  const NodeId negated = named(rewrite.graph(), "Neg");
  const Node& node = rewrite.node(negated);
  Node square;
  square.op = &kSquare.row();
  square.name = "square";
  square.inputs = node.inputs;
  square.dtypes = node.dtypes;
  square.shapes = node.shapes;
  Node two;
  two.op = &kConst.row();
  two.name = "two";
  two.attrs.set(AttrName("value"), number(2));
  two.dtypes = {DType::kFloat32};
  two.shapes = {Shape()};
  const NodeId sum_before = negated;
  Node sum = square;
  sum.op = &kAdd.row();
  sum.name = "sum";
  const Edge from_two{rewrite.insert(two, sum_before), 0};
  const Edge from_square{rewrite.insert(square, sum_before), 0};
  sum.inputs = {from_square, from_two};
  rewrite.replace({negated, 0}, {rewrite.insert(sum, sum_before), 0});
}

}  // namespace

class TestPasses : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void identities_are_forwarded_through_rows_of_them() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Neg", {op("Identity", {op("Identity", {in[0]})})})};
    });
    optimize::Rewrite rewrite(*f->graph());
    rewrite.begin_pass("forward_identities");
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
    const optimize::ProgramRewrite rewrites = optimize::optimize(*f->graph(), runtime::run_op);
    const optimize::Rewrite& rewrite = rewrites.root();
    const Tensor* folded = rewrite.constant({named(*f->graph(), "Neg"), 0});
    QVERIFY(folded);
    QCOMPARE(value(*folded), -6.f);
    QVERIFY(!rewrite.is_live(named(*f->graph(), "Mul")));
    QVERIFY(!rewrite.constant({named(*f->graph(), "AddV2"), 0}));
    QCOMPARE(to_text(*f->graph()), before);
  }

  void what_fails_is_left_to_fail_when_it_runs() {
    auto f = traced({}, [](std::span<const Tensor>) {
      return std::vector{op(
          "FloorDiv", {Tensor::scalar<int32_t>(1).as_constant(), Tensor::scalar<int32_t>(0).as_constant()})};
    });
    const optimize::ProgramRewrite rewrites = optimize::optimize(*f->graph(), runtime::run_op);
    const optimize::Rewrite& rewrite = rewrites.root();
    QVERIFY(rewrite.is_live(named(*f->graph(), "FloorDiv")));
    QVERIFY(!rewrite.constant({named(*f->graph(), "FloorDiv"), 0}));
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
    all.begin_pass("prune");
    optimize::prune(all, optimize::Keep::kOutputsAndEffects);
    QVERIFY(!all.is_live(named(*f->graph(), "Sin")));
    QVERIFY(!all.is_live(named(*f->graph(), "ReadVariableOp")));  // a read is not an effect
    QVERIFY(all.is_live(named(*f->graph(), "Cos")));
    QVERIFY(all.is_live(named(*f->graph(), "AssignAddVariableOp")));
    optimize::Rewrite values(*f->graph());
    values.begin_pass("prune");
    optimize::prune(values, optimize::Keep::kOutputs);
    QVERIFY(!values.is_live(named(*f->graph(), "AssignAddVariableOp")));
    QVERIFY(live(values) < live(all));
  }

  void reads_that_nobody_uses_do_not_run() {
    auto* table = new Variable(DType::kFloat32, Shape{2});
    table->assign(Tensor::vector<float>(std::vector<float>{1, 2}));
    const Tensor handle = Tensor::resource(table), far = Tensor::scalar<int32_t>(7).as_constant();
    const auto row_of_table = [&] {
      return apply(Op("ResourceGather"), {handle, far}, {{AttrName("dtype"), DType::kFloat32}});
    };
    auto unused = traced({kScalar}, [&](std::span<const Tensor> in) {
      row_of_table();
      return std::vector{op("Neg", {in[0]})};
    });
    QCOMPARE(value(unused->call(std::vector{real(3)})[0]), -3.f);
    auto used = traced({}, [&](std::span<const Tensor>) { return std::vector{row_of_table()}; });
    QVERIFY_THROWS_EXCEPTION(Error, used->call(std::vector<Tensor>{}));
    // The same in a function that is called and whose result is unused.
    auto outer = traced({kScalar}, [&](std::span<const Tensor> in) {
      used->call(std::vector<Tensor>{});
      return std::vector{op("Neg", {in[0]})};
    });
    QVERIFY(named(*outer->graph(), "StatefulPartitionedCall").valid());
    QCOMPARE(outer->program().code.size(), size_t{1});
    QCOMPARE(value(outer->call(std::vector{real(3)})[0]), -3.f);
  }

  void every_row_without_an_effect_may_go() {
    for (const OpRow* row : all_rows()) {
      if (row->execution != Execution::kKernel) continue;
      auto graph = std::make_shared<Graph>("one");
      Node node;
      node.op = row;
      graph->add(std::move(node));
      optimize::Rewrite rewrite(*graph);
      rewrite.begin_pass("prune");
      optimize::prune(rewrite, optimize::Keep::kOutputsAndEffects);
      const bool stays = row->effect == Effect::kWrites || row->effect == Effect::kOther;
      QVERIFY2(rewrite.is_live(NodeId(0)) == stays, row->name);
    }
  }

  void passes_say_what_they_did() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      op("Sin", {in[0]});
      const Tensor six = op("Mul", {number(2), number(3)});
      return std::vector{op("AddV2", {op("Identity", {in[0]}), six})};
    });
    const optimize::ProgramRewrite rewrites = optimize::optimize(*f->graph(), runtime::run_op);
    const optimize::Rewrite& rewrite = rewrites.root();
    QCOMPARE(text_of(rewrite),
             std::string(
             "forward_identities replaced Identity by x\n"
             "forward_identities replaced Identity_1 by AddV2\n"
             "prune removed Sin\n"
             "prune removed Identity\n"
             "prune removed Identity_1\n"
             "fold_constants inserted Mul/folded before Mul\n"
             "fold_constants replaced Mul by Mul/folded\n"
             "prune removed Mul/x\n"
             "prune removed Mul/y\n"
             "prune removed Mul\n"));
    QCOMPARE(f->program().changes.size(), rewrite.changes().size());
  }

  void a_pass_may_insert_nodes() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const Tensor x = op("Neg", {op("Exp", {in[0]})});
      return std::vector{op("Mul", {x, x})};
    });
    const std::string before = to_text(*f->graph());
    optimize::Rewrite rewrite(*f->graph());
    square_and_add(rewrite);
    rewrite.begin_pass("prune");
    optimize::prune(rewrite, optimize::Keep::kOutputsAndEffects);
    std::string order;
    for (const NodeId id : rewrite.order())
      if (rewrite.is_live(id)) order += rewrite.name(id) + ' ';
    QCOMPARE(order, std::string("x Exp two square sum Mul Identity "));
    QVERIFY(rewrite.traced_node(rewrite.order()[3]) == named(*f->graph(), "Neg"));
    QCOMPARE(value(run(std::move(rewrite), {real(0)})[0]), 9.f);  // (exp(0)^2 + 2)^2
    QCOMPARE(to_text(*f->graph()), before);
    // An error in an inserted node is reported at the node that it is inserted before.
    optimize::Rewrite wrong(*f->graph());
    Node node;
    node.op = find_row("Qr");
    node.name = "wrong";
    node.inputs = wrong.node(named(*f->graph(), "Mul")).inputs;
    node.dtypes = {DType::kFloat32, DType::kFloat32};
    node.shapes = {Shape::unknown_rank(), Shape::unknown_rank()};
    const NodeId product = named(*f->graph(), "Mul");
    wrong.begin_pass("test");
    wrong.replace({product, 0}, {wrong.insert(node, product), 1});
    runtime::take_failure();
    QVERIFY_THROWS_EXCEPTION(Error, run(std::move(wrong), {real(0)}));
    QVERIFY(runtime::take_failure().node == product);
  }

  void copies_to_a_device_stay() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{op("Identity", {in[0]}), op("StopGradient", {in[0]})};
    });
    f->graph()->node(named(*f->graph(), "Identity")).device = std::string("/device:CPU:0");
    optimize::Rewrite rewrite(*f->graph());
    rewrite.begin_pass("forward_identities");
    optimize::forward_identities(rewrite);
    QVERIFY(!rewrite.is_replaced({named(*f->graph(), "Identity"), 0}));
    QVERIFY(rewrite.is_replaced({named(*f->graph(), "StopGradient"), 0}));
  }

  // Whether the inputs alone determine the random numbers.
  static bool says_all(const OpRow& row) {
    return std::any_of(row.inputs.begin(), row.inputs.end(), [](const ArgSpec& input) {
      return std::string_view(input.name) == "seed" || std::string_view(input.name) == "key";
    });
  }
  void random_numbers_are_never_folded() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) { return std::vector{op("AddV2", {in[0], number(1)})}; });
    for (const OpRow* row : all_rows())
      if (row->family == OpFamily::kRandom && !says_all(*row)) QVERIFY2(row->stateful(), row->name);
  }
};

QTEST_APPLESS_MAIN(TestPasses)
#include "test_passes.moc"
