// What passes make of branches, loops and calls: text before and after, and what must stay.
#include "engine/trace/pass_record.h"
#include "tests/optimize/rewritten.h"

#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::test;

namespace {

Tensor whole(int32_t value) { return Tensor::scalar(value).as_constant(); }
Tensor truth(bool value) { return Tensor::scalar(value).as_constant(); }

Tensor cond(const Tensor& pred, const trace::Branch& yes, const trace::Branch& no, size_t result = 0) {
  return trace::build_cond(pred, yes, no)[result];
}

// x and i while i < bound.
std::vector<Tensor> loop(const Tensor& x, int32_t from, const Tensor& bound,
                         const std::function<Tensor(const Tensor&)>& step) {
  return trace::build_while(
      {x, whole(from)}, [&](std::span<const Tensor> now) { return op("Less", {now[1], bound}); },
      [&](std::span<const Tensor> now) {
        return std::vector{step(now[0]), op("AddV2", {now[1], whole(1)})};
      });
}

// Instructions without those of whole groups, whose nodes follow as instructions of their own.
size_t code_size(const compile::Program& program) {
  return static_cast<size_t>(std::ranges::count_if(
      program.code, [](const compile::Instruction& in) { return in.opcode != compile::Opcode::kFused; }));
}

// Ops of all these of a program and of what it calls, "Exp While{Less}{AddV2}".
std::string code_text(const compile::Program& program) {
  std::string out;
  for (const compile::Instruction& in : program.code) {
    if (in.opcode == compile::Opcode::kFused) continue;
    out += (out.empty() ? "" : " ") + std::string(program.node(in).op->name);
    for (const int32_t callee : {in.callee, in.other})
      if (callee >= 0) out += '{' + code_text(*program.callees[static_cast<size_t>(callee)]) + '}';
  }
  return out;
}

size_t inputs_of(const compile::Program& program, const char* name) {
  for (const compile::Instruction& in : program.code)
    if (program.node(in).op->name == std::string_view(name)) return in.inputs;
  return SIZE_MAX;
}

}  // namespace

class TestControlPasses : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    start();
    optimize::verify_passes = true;
  }

  void known_branches_are_taken() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      return std::vector{cond(truth(true), [&] { return std::vector{op("Exp", {in[0]})}; },
                              [&] { return std::vector{op("Neg", {in[0]})}; })};
    });
    QCOMPARE(QString::fromStdString(before_and_after(*f, optimize::constant_branches)),
             QString("(x)\n"
                     "cond/cond = Const() True\n"
                     "cond = StatelessIf(cond/cond, x)\n"
                     "    (cond/Exp/x)\n"
                     "    cond/Exp = Exp(cond/Exp/x)\n"
                     "    return cond/Exp\n"
                     "    (cond/Neg/x)\n"
                     "    cond/Neg = Neg(cond/Neg/x)\n"
                     "    return cond/Neg\n"
                     "return cond\n"
                     "->\n"
                     "(x)\n"
                     "cond/cond/Exp = Exp(x)\n"
                     "return cond/cond/Exp\n"));
  }

  void effects_of_a_branch_that_is_taken_stay_in_order() {
    const Tensor v = variable(1);
    auto f = traced({}, [&](std::span<const Tensor>) {
      cond(truth(false), [&] { return std::vector{number(0)}; },
           [&] {
             assign_add(v, number(10));
             return std::vector{number(1)};
           });
      const Tensor before = read(v);
      assign_add(v, number(100));
      return std::vector{before};
    });
    QCOMPARE(value(f->call(std::vector<Tensor>{})[0]), 11.f);
    QCOMPARE(value(read(v)), 111.f);
    QCOMPARE(QString::fromStdString(code_text(f->program())),
             QString("AssignAddVariableOp ReadVariableOp AssignAddVariableOp"));
  }

  void loops_that_never_run_vanish() {
    auto f = traced({kScalar, {DType::kInt32, {}}}, [](std::span<const Tensor> in) {
      const auto step = [](const Tensor& x) { return op("Exp", {x}); };
      return std::vector{loop(in[0], 5, whole(5), step)[0], loop(in[0], 5, in[1], step)[0]};
    });
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("StatelessWhile{Less}{Exp AddV2}"));
    const auto results = f->call(std::vector{real(0), Tensor::scalar<int32_t>(6)});
    QCOMPARE(value(results[0]), 0.f);
    QCOMPARE(value(results[1]), 1.f);
  }

  void calls_are_inlined_and_keep_names_and_lines() {
    auto inner = traced({kScalar}, [](std::span<const Tensor> in) { return std::vector{op("Exp", {in[0]})}; });
    inner->graph()->node(NodeId(1)).source = {CodeId(7), 11};
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) { return inner->call(inner->call(in)); });
    QCOMPARE(QString::fromStdString(before_and_after(*f, optimize::inline_calls)),
             QString("(x)\n"
                     "PartitionedCall = PartitionedCall(x)\n"
                     "    (x)\n"
                     "    Exp = Exp(x)\n"
                     "    return Exp\n"
                     "PartitionedCall_1 = PartitionedCall(PartitionedCall)\n"
                     "    (x)\n"
                     "    Exp = Exp(x)\n"
                     "    return Exp\n"
                     "return PartitionedCall_1\n"
                     "->\n"
                     "(x)\n"
                     "PartitionedCall/Exp = Exp(x)\n"
                     "PartitionedCall_1/Exp = Exp(PartitionedCall/Exp)\n"
                     "return PartitionedCall_1/Exp\n"));
    const compile::Program& program = f->program();
    QCOMPARE(code_size(program), size_t{2});
    for (const compile::Instruction& in : program.code) {
      QCOMPARE(program.origin(in).graph, static_cast<const Graph*>(inner->graph().get()));
      QCOMPARE(program.origin(in).node, NodeId(1));
      QCOMPARE(program.node(in).source, (SourceRef{CodeId(7), 11}));
    }
    // What passes did to the function is told with the program that it became part of.
    QCOMPARE(program.replaced.size(), size_t{1});
    QCOMPARE(program.replaced[0]->graph, inner->graph());
  }

  void failures_in_inlined_functions_name_their_node() {
    auto inner = traced({{DType::kInt32, {}}, {DType::kInt32, {}}}, [](std::span<const Tensor> in) {
      return std::vector{op("FloorDiv", {in[0], in[1]})};
    });
    auto f = traced({{DType::kInt32, {}}, {DType::kInt32, {}}}, [&](std::span<const Tensor> in) {
      return std::vector{op("Neg", {inner->call(in)[0]})};
    });
    const std::vector<Tensor> arguments{Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(0)};
    runtime::take_failure();
    QVERIFY_THROWS_EXCEPTION(Error, f->call(arguments));
    const runtime::Failure failure = runtime::take_failure();
    QCOMPARE(failure.graph, inner->graph());
    QCOMPARE(failure.graph->node(failure.node).name, std::string("FloorDiv"));
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("FloorDiv Neg"));
  }

  void large_functions_called_often_are_not_copied() {
    auto inner = traced({kScalar}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 100; ++i) x = op("Exp", {x});
      return std::vector{x};
    });
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) { return inner->call(inner->call(in)); });
    QCOMPARE(code_size(f->program()), size_t{2});
    QCOMPARE(f->program().callees.size(), size_t{1});
    auto once = traced({kScalar}, [&](std::span<const Tensor> in) { return inner->call(in); });
    QCOMPARE(code_size(once->program()), size_t{100});
  }

  void constants_go_into_the_graphs_that_are_given_them() {
    auto f = traced({kScalar, {DType::kBool, {}}}, [](std::span<const Tensor> in) {
      const Tensor two = op("Mul", {number(1), number(2)});
      return std::vector{cond(in[1], [&] { return std::vector{op("Mul", {in[0], two})}; },
                              [&] { return std::vector{op("AddV2", {two, two})}; })};
    });
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("StatelessIf{Mul}{}"));
    QCOMPARE(inputs_of(f->program(), "StatelessIf"), size_t{2});
    QCOMPARE(value(f->call(std::vector{real(3), Tensor::scalar(true)})[0]), 6.f);
    QCOMPARE(value(f->call(std::vector{real(3), Tensor::scalar(false)})[0]), 4.f);
  }

  void what_a_loop_never_changes_is_computed_before_it() {
    auto f = traced({kScalar, kScalar}, [](std::span<const Tensor> in) {
      return std::vector{loop(in[0], 0, whole(3), [&](const Tensor& x) {
        return op("AddV2", {x, op("Mul", {op("Exp", {in[1]}), number(3)})});
      })[0]};
    });
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("Exp Mul StatelessWhile{Less}{AddV2 AddV2}"));
    QCOMPARE(value(f->call(std::vector{real(1), real(0)})[0]), 10.f);
    QVERIFY(same_bits(f->call(std::vector{real(1), real(0)})[0], as_traced(*f, {real(1), real(0)})[0]));
    // It is told where it happened, and the node that runs says whose work it does.
    const compile::Program& program = f->program();
    const auto loop_step = std::ranges::find(program.code, compile::Opcode::kWhile, &compile::Instruction::opcode);
    QVERIFY(loop_step != program.code.end());
    const Graph* body = program.callees[static_cast<size_t>(loop_step->other)]->graph.get();
    QCOMPARE(program.origin(program.code[0]).graph, body);
    QCOMPARE(body->node(program.origin(program.code[0]).node).op->name, "Exp");
    f->graph()->id = GraphId(1);
    size_t hoisted = 0;
    for (const session::PassChange& change : trace::pass_changes(program))
      hoisted += change.fate == session::Fate::kHoisted && change.pass == "hoist_invariants";
    QCOMPARE(hoisted, size_t{1});  // the product; what it was made from is not read any more
  }

  void what_may_fail_stays_in_a_loop_that_may_not_run() {
    const auto build = [](bool surely) {
      return traced({{DType::kInt32, {}}, {DType::kInt32, {}}}, [surely](std::span<const Tensor> in) {
        return std::vector{loop(in[0], 0, surely ? whole(3) : in[0], [&](const Tensor& x) {
          return op("AddV2", {x, op("FloorDiv", {whole(10), in[1]})});
        })[0]};
      });
    };
    const auto ints = [](int32_t a, int32_t b) { return std::vector{Tensor::scalar(a), Tensor::scalar(b)}; };
    auto perhaps = build(false), surely = build(true);
    QCOMPARE(*perhaps->call(ints(0, 0))[0].data<int32_t>(), 0);  // it does not run
    QVERIFY_THROWS_EXCEPTION(Error, perhaps->call(ints(1, 0)));
    QCOMPARE(QString::fromStdString(code_text(perhaps->program())),
             QString("StatelessWhile{Less}{FloorDiv AddV2 AddV2}"));
    QVERIFY_THROWS_EXCEPTION(Error, surely->call(ints(0, 0)));
    QCOMPARE(*surely->call(ints(0, 2))[0].data<int32_t>(), 15);
    QCOMPARE(QString::fromStdString(code_text(surely->program())),
             QString("FloorDiv StatelessWhile{Less}{AddV2 AddV2}"));
  }

  void variables_that_a_loop_writes_are_read_in_it() {
    const Tensor v = variable(1), w = variable(5);
    auto writes = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{loop(in[0], 0, whole(3), [&](const Tensor& x) {
        assign_add(v, number(1));
        return op("AddV2", {x, op("Mul", {read(v), read(w)})});
      })[0]};
    });
    QCOMPARE(value(writes->call(std::vector{real(0)})[0]), 45.f);
    auto reads = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{loop(in[0], 0, whole(3), [&](const Tensor& x) { return op("AddV2", {x, read(w)}); })[0]};
    });
    QCOMPARE(value(reads->call(std::vector{real(0)})[0]), 15.f);
    QCOMPARE(QString::fromStdString(code_text(reads->program())), QString("ReadVariableOp While{Less}{AddV2 AddV2}"));
  }

  void from_loops_in_loops_it_moves_all_the_way() {
    auto f = traced({kScalar, kScalar}, [](std::span<const Tensor> in) {
      return std::vector{loop(in[0], 0, whole(2), [&](const Tensor& x) {
        return loop(x, 0, whole(3), [&](const Tensor& y) { return op("AddV2", {y, op("Exp", {in[1]})}); })[0];
      })[0]};
    });
    QCOMPARE(value(f->call(std::vector{real(1), real(0)})[0]), 7.f);
    QCOMPARE(QString::fromStdString(code_text(f->program())),
             QString("Exp StatelessWhile{Less}{StatelessWhile{Less}{AddV2 AddV2} AddV2}"));
  }

  void outputs_and_arguments_that_nobody_reads_go() {
    auto f = traced({kScalar, kScalar, {DType::kBool, {}}}, [](std::span<const Tensor> in) {
      const auto branch = [&](const char* name) {
        return [&, name] { return std::vector{op(name, {in[0]}), op("Tanh", {op(name, {in[1]})})}; };
      };
      return std::vector{cond(in[2], branch("Exp"), branch("Neg"))};
    });
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("StatelessIf{Exp}{Neg}"));
    QCOMPARE(inputs_of(f->program(), "StatelessIf"), size_t{2});
    QCOMPARE(value(f->call(std::vector{real(3), real(1), Tensor::scalar(false)})[0]), -3.f);
  }

  void variables_that_only_lead_to_themselves_go() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      const auto results = trace::build_while(
          {in[0], real(2), whole(0), real(1)},
          [&](std::span<const Tensor> now) { return op("Less", {now[2], whole(3)}); },
          [&](std::span<const Tensor> now) {
            return std::vector{op("AddV2", {now[0], now[3]}), op("Exp", {now[1]}), op("AddV2", {now[2], whole(1)}),
                               op("Mul", {now[3], number(2)})};
          });
      return std::vector{results[0]};
    });
    // Those left: the sum, what is added to it, and what the condition reads.
    QCOMPARE(inputs_of(f->program(), "StatelessWhile"), size_t{3});
    QCOMPARE(QString::fromStdString(code_text(f->program())), QString("StatelessWhile{Less}{AddV2 AddV2 Mul}"));
    QCOMPARE(value(f->call(std::vector{real(0)})[0]), 7.f);
  }

  void effects_in_loops_and_functions_stay() {
    const Tensor v = variable(0);
    auto bump = traced({kScalar}, [&](std::span<const Tensor> in) {
      assign_add(v, in[0]);
      return std::vector{op("Exp", {in[0]})};
    });
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      loop(in[0], 0, whole(3),
           [&](const Tensor& x) { return bump->call(std::vector{op("AddV2", {x, number(1)})})[0]; });
      bump->call(std::vector{in[0]});
      return std::vector{in[0]};
    });
    f->call(std::vector{real(-1)});
    const float expected = 0 + 2 + (std::exp(2.f) + 1) - 1;
    QVERIFY2(std::abs(value(read(v)) - expected) < 1e-3f, qPrintable(QString::number(value(read(v)))));
  }

  // The stages of a program's graphs are numbered alike.
  void all_graphs_have_the_same_passes() {
    auto f = traced({kScalar, {DType::kBool, {}}}, [](std::span<const Tensor> in) {
      return std::vector{cond(in[1], [&] { return std::vector{op("Exp", {op("Mul", {number(1), number(2)})})}; },
                              [&] { return std::vector{op("Neg", {in[0]})}; })};
    });
    const compile::Program& program = f->program();
    QVERIFY(program.callees.size() == 2);
    for (const compile::ProgramPtr& callee : program.callees) QVERIFY(callee->passes == program.passes);
    QCOMPARE(std::string(program.passes.back()), std::string("fuse"));
    QCOMPARE(std::string(*(program.passes.end() - 2)), std::string("prune"));
  }

  void gradients_of_optimized_loops_agree() {
    auto f = traced({kScalar, kScalar}, [](std::span<const Tensor> in) {
      return std::vector{loop(in[0], 0, whole(4), [&](const Tensor& x) {
        return op("Mul", {x, op("Tanh", {op("Exp", {in[1]})})});
      })[0]};
    });
    const std::vector<Tensor> arguments{real(2), real(0.25f)};
    WatchingTape tape(arguments);
    const auto results = f->call(arguments);
    tape.stop();
    const auto gradients = tape.gradient(results, arguments, {}, Unconnected::kZero);
    const float t = std::tanh(std::exp(0.25f));
    QVERIFY(std::abs(value(gradients[0]) - t * t * t * t) < 1e-5f);
    const float slope = 2 * 4 * t * t * t * (1 - t * t) * std::exp(0.25f);
    QVERIFY2(std::abs(value(gradients[1]) - slope) < 1e-4f, qPrintable(QString::number(value(gradients[1]))));
  }
};

QTEST_APPLESS_MAIN(TestControlPasses)
#include "test_control_passes.moc"
