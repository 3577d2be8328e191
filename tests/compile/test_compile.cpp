// Programs: the instructions, where values lie, how long they live.
#include "tests/trace/support.h"

#include <QTest>

using namespace footlight;
using namespace footlight::test;
using compile::Instruction;
using compile::Operand;

class TestCompile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void constants_and_inputs_take_no_slots() {
    auto f = traced({{DType::kFloat32, {8}}}, [](std::span<const Tensor> in) {
      return std::vector{op("Mul", {op("AddV2", {in[0], number(1)}), number(2)}), in[0]};
    });
    const compile::Program& p = f->program();
    QCOMPARE(p.code.size(), size_t{2});
    QCOMPARE(p.frame_size, 2u);
    QCOMPARE(p.constants.size(), size_t{2});
    QCOMPARE(p.results[1].array(), uint32_t{Operand::kInput});
    QCOMPARE(p.operands[p.code[0].first_input].array(), uint32_t{Operand::kInput});
    QCOMPARE(p.operands[p.code[0].first_input + 1].array(), uint32_t{Operand::kConstant});
  }

  void the_memory_of_a_dying_value_is_taken_over() {
    auto f = traced({{DType::kFloat32, {8}}}, [](std::span<const Tensor> in) {
      const Tensor a = op("Neg", {in[0]});          // an argument is never written to
      const Tensor b = op("Square", {a});           // a is still needed
      return std::vector{op("Mul", {b, a}), b};     // a dies here, b is returned
    });
    const auto& code = f->program().code;
    QCOMPARE(code[0].reuse, Instruction::kNoReuse);
    QCOMPARE(code[1].reuse, Instruction::kNoReuse);
    QCOMPARE(code[2].reuse, uint8_t{1});
    const std::vector<float> values{1, -2, 3, 0, 5, 6, 7, 8};
    const Tensor x = Tensor::vector<float>(values);
    const auto results = f->call(std::vector{x});
    QCOMPARE(results[0].data<float>()[1], 8.f);
    QCOMPARE(results[1].data<float>()[1], 4.f);
    QCOMPARE(x.data<float>()[1], -2.f);
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
