// Tracing: names, constants, captures, order of effects, branches and loops.
#include "engine/base/errors.h"
#include "engine/graph/verify.h"
#include "tests/base/thrown.h"
#include "tests/trace/support.h"

#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::test;

namespace {

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> all;
  for (uint32_t i = 0; i < graph.size(); ++i) all.push_back(graph.node(NodeId(i)).name);
  return all;
}
using Names = std::vector<std::string>;

std::vector<std::string> controls(const Graph& graph, const std::string& name) {
  std::vector<std::string> all;
  for (uint32_t i = 0; i < graph.size(); ++i)
    if (graph.node(NodeId(i)).name == name)
      for (NodeId control : graph.node(NodeId(i)).control_inputs) all.push_back(graph.node(control).name);
  std::ranges::sort(all);
  return all;
}

template <class Body>
std::string message_of(ErrorKind kind, Body&& body) {
  std::string message = "nothing was thrown";
  return kind_thrown(body, &message) == kind ? message : "wrong kind: " + message;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestTrace : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void python_values_become_constants_named_by_argument() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const Tensor y = apply(Op("AddV2"), {in[0], number(1)}, {}, "add");
      return std::vector{apply(Op("Mul"), {y, number(3)}, {}, "mul")};
    });
    verify(*f->graph());
    QCOMPARE(names(*f->graph()), (Names{"x", "add/y", "add", "mul/y", "mul", "Identity"}));
    QCOMPARE(value(f->call(std::vector{real(2)})[0]), 9.f);
    QCOMPARE(value(f->call(std::vector{real(-1)})[0]), 0.f);
  }

  void eager_tensors_are_captured_once() {
    const Tensor outside = real(10);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{op("AddV2", {op("AddV2", {in[0], outside}), outside})};
    });
    verify(*f->graph());
    QCOMPARE(f->captures().size(), size_t{1});
    QCOMPARE(f->graph()->inputs.size(), size_t{2});
    QCOMPARE(value(f->call(std::vector{real(1)})[0]), 21.f);
  }

  void a_constant_does_not_follow_its_array() {
    float memory[2] = {1, 2};
    const Tensor borrowed = Tensor::borrow(DType::kFloat32, Shape{2}, memory, [](void*) {}, nullptr);
    borrowed.body()->python_number = true;
    auto f = traced({{DType::kFloat32, {2}}}, [&](std::span<const Tensor> in) {
      return std::vector{op("AddV2", {in[0], borrowed})};
    });
    memory[0] = 100;
    const std::vector<float> zeros{0, 0};
    QCOMPARE(f->call(std::vector{Tensor::vector<float>(zeros)})[0].data<float>()[0], 1.f);
  }

  void effects_keep_their_order() {
    const Tensor v = variable(1);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      const Tensor before = read(v);
      assign_add(v, in[0]);
      return std::vector{before, read(v)};
    });
    verify(*f->graph());
    QCOMPARE(controls(*f->graph(), "AssignAddVariableOp"), (Names{"ReadVariableOp"}));
    QCOMPARE(controls(*f->graph(), "ReadVariableOp_1"), (Names{"AssignAddVariableOp"}));
    QCOMPARE(controls(*f->graph(), "Identity"), (Names{"NoOp"}));
    QCOMPARE(controls(*f->graph(), "NoOp"), (Names{"AssignAddVariableOp", "ReadVariableOp", "ReadVariableOp_1"}));
    const auto results = f->call(std::vector{real(5)});
    QCOMPARE(value(results[0]), 1.f);
    QCOMPARE(value(results[1]), 6.f);
    QCOMPARE(value(read(v)), 6.f);
  }

  void what_reaches_nothing_does_not_run() {
    auto f = traced({{DType::kInt32, {}}}, [](std::span<const Tensor> in) {
      op("FloorDiv", {in[0], Tensor::scalar<int32_t>(0).as_constant()});  // would raise
      return std::vector{op("AddV2", {in[0], in[0]})};
    });
    QCOMPARE(*f->call(std::vector{Tensor::scalar<int32_t>(4)})[0].data<int32_t>(), 8);
    QCOMPARE(f->program().code.size(), size_t{1});
  }

  void an_effect_runs_though_nothing_uses_it() {
    const Tensor v = variable(0);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      assign_add(v, in[0]);
      return std::vector<Tensor>{};
    });
    f->call(std::vector{real(3)});
    f->call(std::vector{real(4)});
    QCOMPARE(value(read(v)), 7.f);
  }

  void a_leaked_tensor_says_whose_it_is() {
    Tensor leaked;
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      leaked = op("AddV2", {in[0], in[0]});
      return std::vector{leaked};
    });
    const std::string message = message_of(ErrorKind::kInaccessibleTensor, [&] { trace::throw_leaked(leaked); });
    QVERIFY(has(message, "AddV2:0"));
    QVERIFY(has(message_of(ErrorKind::kInaccessibleTensor, [&] {
      traced({kScalar}, [&](std::span<const Tensor> in) { return std::vector{op("AddV2", {in[0], leaked})}; });
    }), "AddV2:0"));
  }

  void branches_run_one_side() {
    const Tensor v = variable(0);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      const Tensor positive = op("Greater", {in[0], number(0)});
      return trace::build_cond(
          positive, [&] { assign_add(v, number(1)); return std::vector{op("Mul", {in[0], number(2)})}; },
          [&] { return std::vector{number(-1)}; });
    });
    verify(*f->graph());
    QCOMPARE(names(*f->graph()),
             (Names{"x", "Greater/y", "Greater", "cond/input", "cond", "cond/Identity", "Identity", "NoOp"}));
    QCOMPARE(value(f->call(std::vector{real(4)})[0]), 8.f);
    QCOMPARE(value(f->call(std::vector{real(-4)})[0]), -1.f);
    QCOMPARE(value(read(v)), 1.f);
  }

  void branches_must_agree_on_dtypes() {
    const std::string message = message_of(ErrorKind::kType, [] {
      traced({{DType::kBool, {}}}, [](std::span<const Tensor> in) {
        return trace::build_cond(in[0], [] { return std::vector{number(1)}; },
                                 [] { return std::vector{Tensor::scalar<int32_t>(1).as_constant()}; });
      });
    });
    QVERIFY(has(message, "float32") && has(message, "int32"));
    QVERIFY(has(message_of(ErrorKind::kValue, [] {
      traced({kScalar}, [](std::span<const Tensor> in) {
        return trace::build_cond(in[0], [] { return std::vector{number(1)}; }, [] { return std::vector{number(2)}; });
      });
    }), "bool"));
  }

  void loops_run_until_the_condition_fails() {
    auto f = traced({kScalar, kScalar}, [](std::span<const Tensor> in) {
      return trace::build_while(
          {in[0], number(0)},
          [&](std::span<const Tensor> v) {
            return op("Less", {v[0], in[1]});
          },
          [&](std::span<const Tensor> v) {
            return std::vector{op("AddV2", {v[0], number(1)}), op("AddV2", {v[1], v[0]})};
          });
    });
    verify(*f->graph());
    const auto ten = f->call(std::vector{real(0), real(5)});
    QCOMPARE(value(ten[0]), 5.f);
    QCOMPARE(value(ten[1]), 10.f);
    const auto none = f->call(std::vector{real(7), real(5)});
    QCOMPARE(value(none[0]), 7.f);
    QCOMPARE(value(none[1]), 0.f);
  }

  void a_loop_stops_at_its_bound() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      trace::WhileOptions options;
      options.maximum_iterations = 7;
      return trace::build_while(
          {in[0]}, [](std::span<const Tensor>) { return Tensor::scalar(true).as_constant(); },
          [](std::span<const Tensor> v) {
            return std::vector{op("AddV2", {v[0], number(1)})};
          },
          options);
    });
    QCOMPARE(value(f->call(std::vector{real(0)})[0]), 7.f);
  }

  void a_loop_keeps_dtypes_and_shapes() {
    auto loop = [](const trace::LoopBody& body) {
      traced({{DType::kFloat32, {2}}}, [&](std::span<const Tensor> in) {
        trace::WhileOptions options;
        options.symbols = {"total"};
        return trace::build_while(
            {in[0]}, [](std::span<const Tensor>) { return Tensor::scalar(true).as_constant(); }, body,
            options);
      });
    };
    QVERIFY(has(message_of(ErrorKind::kType, [&] {
      loop([](std::span<const Tensor> v) { return std::vector{ops::cast(v[0], DType::kInt32)}; });
    }), "'total'"));
    QVERIFY(has(message_of(ErrorKind::kValue, [&] {
      loop([](std::span<const Tensor>) { return std::vector{number(1)}; });
    }), "(2,)"));
  }

  void nested_calls_and_captures_of_captures() {
    const Tensor outside = real(100);
    auto inner = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{op("AddV2", {in[0], outside})};
    });
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      return trace::build_cond(
          op("Greater", {in[0], number(0)}),
          [&] {
            return trace::build_cond(
                op("Greater", {in[0], number(10)}), [&] { return inner->call(std::vector{in[0]}); },
                [&] {
                  return std::vector{op("Mul", {in[0], outside})};
                });
          },
          [&] { return std::vector{in[0]}; });
    });
    verify(*f->graph());
    QCOMPARE(value(f->call(std::vector{real(20)})[0]), 120.f);
    QCOMPARE(value(f->call(std::vector{real(5)})[0]), 500.f);
    QCOMPARE(value(f->call(std::vector{real(-5)})[0]), -5.f);
    for (const GraphPtr& callee : library_of(*f->graph())) verify(*callee);
  }

  void shapes_known_while_tracing_fold() {
    trace::GraphBuilder builder("fold");
    const Tensor x = builder.parameter(DType::kFloat32, Shape{3, 4}, "x", "x");
    const trace::Building building(&builder);
    const Tensor shape = ops::shape(x);
    QCOMPARE(*builder.constant_value(shape).data<int32_t>(), 3);
    const Tensor twice = op("Mul", {shape, Tensor::scalar<int32_t>(2).as_constant()});
    QCOMPARE(builder.constant_value(twice).data<int32_t>()[1], 8);
    const Tensor y = builder.parameter(DType::kFloat32, Shape{kUnknownDim}, "y", "y");
    QVERIFY(!builder.constant_value(op("AddV2", {y, y})));
  }

  void the_scratch_graph_leaves_nothing() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      trace::in_scratch_graph([&] { op("Less", {in[0], number(1)}); });
      return std::vector{in[0]};
    });
    QCOMPARE(names(*f->graph()), (Names{"x", "Identity"}));
  }
};

QTEST_APPLESS_MAIN(TestTrace)
#include "test_trace.moc"
