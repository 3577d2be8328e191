// Programs: the instructions, what runs in one fused loop, where values lie, how long they live; in words.
#include "engine/compile/print.h"
#include "engine/ops/functions.h"
#include "engine/trace/pass_record.h"
#include "tests/trace/support.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace footlight;
using namespace footlight::test;
using compile::Instruction;
using compile::Operand;
using compile::Opcode;

namespace {

// Products are in no fused loop.
Tensor squared(const Tensor& x) { return op("MatMul", {x, x}); }

}  // namespace

class TestCompile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void constants_and_inputs_take_no_slots() {
    auto f = traced({{DType::kFloat32, {8}}}, [](std::span<const Tensor> in) {
      return std::vector{op("Mul", {op("AddV2", {in[0], number(1)}), number(2)}), in[0]};
    });
    const compile::Program& p = f->program();
    QCOMPARE(p.code.size(), size_t{3});  // the fused loop, and its two nodes for where it cannot run
    QCOMPARE(p.code[0].opcode, Opcode::kFused);
    QCOMPARE(p.frame_size, 2u);
    QCOMPARE(p.constants.size(), size_t{2});
    QCOMPARE(p.results[1].array(), uint32_t{Operand::kInput});
    QCOMPARE(p.operands[p.code[1].first_input].array(), uint32_t{Operand::kInput});
    QCOMPARE(p.operands[p.code[1].first_input + 1].array(), uint32_t{Operand::kConstant});
  }

  void equivalent_groups_are_one() {
    auto f = traced({{DType::kFloat32, {4, 4}}}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 20; ++i) x = squared(op("Tanh", {op("Neg", {x})}));
      return std::vector{op("Exp", {op("Abs", {x})})};
    });
    const compile::Program& p = f->program();
    QCOMPARE(std::ranges::count(p.code, Opcode::kFused, &Instruction::opcode), 21);
    QCOMPARE(p.groups.size(), size_t{2});
    Tensor x = Tensor::empty(DType::kFloat32, {4, 4});
    std::fill_n(x.data<float>(), 16, 0.1f);
    float expected = 0.1f;
    for (int i = 0; i < 20; ++i) expected = 4 * std::tanh(-expected) * std::tanh(-expected);
    QVERIFY(std::abs(f->call(std::vector{x})[0].data<float>()[5] - std::exp(std::abs(expected))) < 1e-4f);
  }

  void the_memory_of_a_dying_value_is_taken_over() {
    constexpr int64_t kMany = 8192;  // small values have memory of their own
    auto f = traced({{DType::kFloat32, {kMany}}}, [](std::span<const Tensor> in) {
      const Tensor a = op("Neg", {in[0]});          // an argument is never written to
      const Tensor b = op("Square", {a});           // a is still needed
      return std::vector{op("Mul", {b, a}), b};     // a dies here, b is returned
    });
    const auto& code = f->program().code;
    QCOMPARE(code[1].reuse, Instruction::kNoReuse);
    QCOMPARE(code[2].reuse, Instruction::kNoReuse);
    QCOMPARE(code[3].reuse, uint8_t{1});
    std::vector<float> values(kMany, 1.f);
    values[1] = -2;
    const Tensor x = Tensor::vector<float>(values);
    const auto results = f->call(std::vector{x});
    QCOMPARE(results[0].data<float>()[1], 8.f);
    QCOMPARE(results[1].data<float>()[1], 4.f);
    QCOMPARE(x.data<float>()[1], -2.f);
  }

  void memory_is_taken_over_where_the_shape_turns_out_to_fit() {
    const Spec open{DType::kFloat32, Shape{kUnknownDim}};
    auto alone = traced({open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("AddV2", {op("Softmax", {in[0]}), in[1]})};
    });
    auto fused = traced({open, open}, [](std::span<const Tensor> in) {
      return std::vector{op("Neg", {op("AddV2", {op("Softmax", {in[0]}), in[1]})})};
    });
    QCOMPARE(alone->program().code.back().reuse, uint8_t{0});
    QCOMPARE(fused->program().groups.at(0).results.at(0).reuse, uint8_t{0});
    const Tensor two = Tensor::vector<float>(std::vector{5.f, 5.f}), one = Tensor::vector<float>(std::vector{1.f});
    const auto check = [&](const Tensor& x, const Tensor& y, float expected) {
      for (const auto& [f, sign] : {std::pair{alone, 1.f}, {fused, -1.f}}) {
        const Tensor sum = f->call(std::vector{x, y})[0];
        QCOMPARE(sum.shape(), Shape{2});
        for (const int k : {0, 1}) QCOMPARE(sum.data<float>()[k], sign * expected);
      }
    };
    check(two, two, 5.5f);
    check(two, one, 1.5f);
    check(one, two, 6.f);  // the sum is larger than the memory that it might have taken
    constexpr size_t kMany = 1 << 22;
    const Tensor large = Tensor::vector<float>(std::vector<float>(kMany, 1.f));
    const size_t before = memory_use(Device::cpu()).current;
    for (const auto& f : {alone, fused}) f->call(std::vector{large, large});
    QVERIFY(memory_use(Device::cpu()).peak - before < 2 * kMany * sizeof(float));
  }

  void values_are_let_go_after_their_last_use() {
    auto f = traced({{DType::kFloat32, {1000}}}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 50; ++i) x = op("Square", {op("Tanh", {x})});
      return std::vector{x};
    });
    const size_t before = memory_use(Device::cpu()).current;
    const Tensor x = Tensor::empty(DType::kFloat32, Shape{1000});
    std::fill_n(x.data<float>(), 1000, 0.5f);
    const auto once = f->call(std::vector{x});
    QVERIFY(memory_use(Device::cpu()).current - before <= 3 * 4096 + 1024);
  }

  void small_values_share_slots_and_keep_their_memory() {
    auto f = traced({{DType::kFloat32, {4, 4}}}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 20; ++i) x = squared(x);
      return std::vector{x};
    });
    const compile::Program& p = f->program();
    QCOMPARE(p.frame_size, 3u);  // two that take turns, and the result
    QVERIFY(p.keeps_memory);
    const Tensor x = Tensor::empty(DType::kFloat32, Shape{4, 4});
    std::fill_n(x.data<float>(), 16, 0.25f);
    const Tensor first = f->call(std::vector{x})[0];
    Tensor* const frame = p.spare_frame.load();
    QVERIFY(frame);
    const void* const memory[] = {frame[0].raw(), frame[1].raw()};
    const Tensor second = f->call(std::vector{x})[0];
    QCOMPARE(p.spare_frame.load(), frame);
    QCOMPARE(frame[0].raw(), memory[0]);
    QCOMPARE(frame[1].raw(), memory[1]);
    QVERIFY(first.raw() != second.raw());
    QCOMPARE(first.data<float>()[5], 0.25f);
    QCOMPARE(second.data<float>()[5], 0.25f);
  }

  // A value that is returned, or held by a variable or another graph, has memory of its own in each run.
  void what_others_may_hold_is_not_kept() {
    const Tensor handle = variable(0);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      const Tensor a = op("Neg", {in[0]});
      apply_all(Op("AssignVariableOp").row(), std::vector{handle, a},
                {{AttrName("dtype"), DType::kFloat32}});
      return std::vector{op("Identity", {a})};
    });
    QVERIFY(!f->program().keeps_memory);
    const Tensor one = f->call(std::vector{real(1)})[0], two = f->call(std::vector{real(2)})[0];
    QCOMPARE(value(one), -1.f);
    QCOMPARE(value(two), -2.f);
    QCOMPARE(value(read(handle)), -2.f);
  }

  void a_program_in_words() {
    auto f = traced({{DType::kFloat32, {64, 64}}, {DType::kString, {}}}, [](std::span<const Tensor> in) {
      const Tensor h = op("Tanh", {op("AddV2", {squared(in[0]), number(1)})});
      return std::vector{squared(op("Square", {squared(h)})), op("StringLength", {in[1]})};
    });
    const std::string text = compile::to_text(f->program());
    const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
    QVERIFY2(has("fused loop of 2 nodes: 2 values in, 1 value out, 1 tile\n"
                 "    no machine code: no two consecutive steps have machine instructions\n    s"), text.c_str());
    QVERIFY2(has("MatMul(in0, in0)  # MatMul: float32 (64, 64), 524.3 kFLOP"), text.c_str());
    QVERIFY2(has("Square: float32 (64, 64), 4.1 kFLOP; its memory stays in the slot; "
                 "not fused: no producer or consumer"),
             text.c_str());
    QVERIFY2(has("in all: 1.6 MFLOP, "), text.c_str());
  }

  void reductions_in_a_fused_loop() {
    auto f = traced({{DType::kFloat32, {64, 32}}, {DType::kFloat32, {32}}}, [](std::span<const Tensor> in) {
      const Tensor last = footlight::ops::ints({1});
      return std::vector{op("Mean", {op("Square", {op("Sub", {in[0], in[1]})}), last})};
    });
    const std::string text = compile::to_text(f->program());
    QVERIFY2(text.find("fused loop of 3 nodes: 2 values in, 1 value out, 1 tile; row by row, because there are "
                       "reductions of rows\n") != std::string::npos, text.c_str());
    const compile::Program& p = f->program();
    QCOMPARE(p.code[0].skip, uint16_t{3});
    QCOMPARE(p.groups[0].results.size(), size_t{1});
    QCOMPARE(p.groups[0].dims.first, 1);
    QCOMPARE(std::string(p.passes.back()), std::string("fuse"));
    size_t fused = 0;  // the nodes that the pass `fuse` names
    for (const session::PassChange& change : trace::pass_changes(p)) fused += change.fate == session::Fate::kFusedWith;
    QCOMPARE(fused, size_t{3});
    auto down = traced({{DType::kFloat32, {64, 32}}, {DType::kFloat32, {32}}}, [](std::span<const Tensor> in) {
      const Tensor first = footlight::ops::ints({0});
      const Tensor x = op("Sub", {in[0], in[1]});
      return std::vector{op("Mean", {op("Square", {x}), first}), op("Sum", {x, first})};
    });
    const std::string columns = compile::to_text(down->program());
    QVERIFY2(columns.find("fused loop of 4 nodes: 2 values in, 2 values out, 0 tiles; the last 2 nodes reduce what is "
                          "read or made\n") != std::string::npos, columns.c_str());
  }

  // Each node that could run in a fused loop and does not says why.
  void why_nodes_run_alone() {
    const Tensor handle = variable(0);
    const Spec cube{DType::kFloat32, {2, 3, 4}}, square{DType::kFloat32, {9, 9}};
    auto f = traced({cube, {DType::kInt32, {1}}, square, kScalar}, [&](std::span<const Tensor> in) {
      const Tensor apart = op("Neg", {in[2]});
      const Tensor with = op("AddV2", {op("MatMul", {apart, apart}), apart});
      const Tensor before = op("Exp", {in[3]});
      apply_all(Op("AssignVariableOp").row(), std::vector{handle, before}, {{AttrName("dtype"), DType::kFloat32}});
      return std::vector{op("Max", {in[0], footlight::ops::ints({0, 2})}),
                         op("Sum", {in[0], in[1]}),
                         with,
                         op("Tanh", {before}),
                         op("Mean", {in[2], footlight::ops::ints({0})})};
    });
    const std::string text = compile::to_text(f->program());
    const auto says = [&](const char* node, const char* words) {
      const size_t at = text.find(str("# ", node, ':')), found = text.find(str("; not fused: ", words, '\n'), at);
      return at != std::string::npos && found < text.find('\n', at);
    };
    QVERIFY2(says("Max", "the dimensions that it reduces do not lie side by side"), text.c_str());
    QVERIFY2(says("Sum", "which dimensions it reduces is known only when it runs"), text.c_str());
    QVERIFY2(says("Neg", "another node has to run between it and others of its shape"), text.c_str());
    QVERIFY2(says("AddV2", "another node has to run between it and others of its shape"), text.c_str());
    QVERIFY2(says("Exp", "an effect lies between it and others of its shape"), text.c_str());
    QVERIFY2(says("Tanh", "an effect lies between it and others of its shape"), text.c_str());
    QVERIFY2(text.find("not fused, because they are not elementwise: AssignVariableOp, MatMul\n") !=
             std::string::npos, text.c_str());
  }

  // A reduction that could end a loop, and does not, names the limit that it met.
  void why_reductions_run_alone() {
    const Spec wide{DType::kFloat32, {8, 12800}}, rows{DType::kFloat32, {64, 32}};
    auto f = traced({wide, rows}, [&](std::span<const Tensor> in) {
      using footlight::ops::ints;
      const Tensor all = ints({0, 1}), first = ints({0}), last = ints({1});
      const Tensor x = op("Exp", {in[0]}), y = op("Tanh", {in[1]});
      return std::vector{op("Sum", {x, all}),    op("Max", {x, all}),  op("Min", {x, all}),  op("Prod", {x, all}),
                         op("Mean", {x, all}),   op("Sum", {x, first}), op("Sum", {y, last}), op("Max", {y, first})};
    });
    const std::string text = compile::to_text(f->program());
    const auto says = [&](const char* node, const char* words) {
      const size_t at = text.find(str("# ", node, ':')), found = text.find(str("; not fused: ", words, '\n'), at);
      return at != std::string::npos && found < text.find('\n', at);
    };
    QVERIFY2(says("Mean", "the fused loop would end with too many reductions"), text.c_str());
    QVERIFY2(says("Sum_1", "the reductions that it could be fused with remove other dimensions"), text.c_str());
    QVERIFY2(says("Max_1", "the fused loop that it could join runs row by row"), text.c_str());
  }

  // A chain of elementwise nodes is cut where a loop would read too many values. What is cut off says so.
  void why_a_chain_is_cut() {
    auto f = traced({{DType::kFloat32, {4, 4}}}, [](std::span<const Tensor> in) {
      Tensor x = in[0], factor = in[0];
      for (size_t i = 0; i < fusion::kMaxOutside; ++i) x = op("Mul", {x, factor = squared(factor)});
      return std::vector{x};
    });
    const std::string text = compile::to_text(f->program());
    QVERIFY2(text.find("; not fused: the fused loop would read too many values\n") != std::string::npos, text.c_str());
  }

  // Loops are formed for 64 groups of nodes at a time. Their edge is no effect, and is not called one.
  void why_nodes_at_an_edge_run_alone() {
    auto f = traced({{DType::kFloat32, {2, 2}}}, [](std::span<const Tensor> in) {
      Tensor x = op("Tanh", {in[0]});
      for (size_t i = 0; i < 2 * fusion::kMaxGroups; ++i) x = op("Tanh", {op("MatMul", {x, in[0]})});
      const Tensor early = op("Exp", {in[0]});
      for (size_t i = 0; i < 2 * fusion::kMaxGroups; ++i) x = op("Tanh", {op("MatMul", {x, early})});
      return std::vector{op("Neg", {early}), x};
    });
    const std::string text = compile::to_text(f->program());
    QVERIFY2(text.find("an effect lies between") == std::string::npos, text.c_str());
    QVERIFY2(text.find("; not fused: the graph is divided after every 64 groups of nodes, here between it and others "
                       "of its shape\n") != std::string::npos, text.c_str());
  }

  void a_graph_called_twice_is_compiled_once() {
    // Too large to be copied to both places.
    auto inner = traced({kScalar}, [](std::span<const Tensor> in) {
      Tensor x = in[0];
      for (int i = 0; i < 101; ++i) x = op("Neg", {op("Identity", {op("Mul", {x, number(2)})})});
      for (int i = 0; i < 101; ++i) x = op("Mul", {x, number(0.5f)});
      return std::vector{x};
    });
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) { return inner->call(inner->call(in)); });
    QCOMPARE(f->program().callees.size(), size_t{1});
    QCOMPARE(value(f->call(std::vector{real(3)})[0]), 3.f);
  }
};

QTEST_APPLESS_MAIN(TestCompile)
#include "test_compile.moc"
