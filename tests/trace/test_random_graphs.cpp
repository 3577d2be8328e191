// The same random program, run op by op and traced, must give equal results despite folding, pruning and memory reuse.
#include "engine/graph/verify.h"
#include "tests/trace/support.h"

#include <QTest>

#include <cstring>
#include <random>

using namespace footlight;
using namespace footlight::test;

namespace {

// A seed determines the program: run twice, it makes the same choices.
std::vector<Tensor> program(uint32_t seed, std::span<const Tensor> in, int depth = 0) {
  std::mt19937 random(seed);
  std::vector<Tensor> values(in.begin(), in.end());
  auto pick = [&] { return values[random() % values.size()]; };
  const int steps = 5 + static_cast<int>(random() % 25);
  for (int i = 0; i < steps; ++i) {
    const Tensor a = pick(), b = pick();
    switch (random() % 10) {
      case 0: values.push_back(op("AddV2", {a, b})); break;
      case 1: values.push_back(op("Sub", {a, b})); break;
      case 2: values.push_back(op("Mul", {op("Tanh", {a}), b})); break;
      case 3: values.push_back(op("Maximum", {a, number(static_cast<float>(random() % 3))})); break;
      case 4: values.push_back(op("Neg", {a})); break;
      case 5: values.push_back(op("Mul", {number(0.5f), op("AddV2", {number(1), a})})); break;
      case 6: values.push_back(op("Identity", {a})); break;
      case 7: values.push_back(op("Square", {op("Tanh", {a})})); break;
      case 8: values.push_back(op("Minimum", {a, op("Identity", {b})})); break;
      case 9: {
        const uint32_t yes = random(), no = random();
        if (depth > 1) break;
        const Tensor test = op("Less", {ops::sum(a, ops::ints(std::vector<int64_t>{0})),
                                        ops::sum(b, ops::ints(std::vector<int64_t>{0}))});
        const std::vector<Tensor> captured{a, b};
        auto branch = [&](uint32_t s) { return std::vector{program(s, captured, depth + 1)[0]}; };
        if (current_graph_builder) {
          values.push_back(trace::build_cond(test, [&] { return branch(yes); }, [&] { return branch(no); })[0]);
        } else {
          values.push_back(branch(*test.data<bool>() ? yes : no)[0]);
        }
      }
    }
  }
  return {values.back(), pick()};
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

Tensor vector(std::mt19937& random) {
  std::vector<float> values(7);
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2000) - 1000) / 250.f;
  return Tensor::vector<float>(values);
}

}  // namespace

class TestRandomGraphs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void traced_equals_eager() {
    for (uint32_t seed = 0; seed < 150; ++seed) {
      std::mt19937 random(seed + 10000);
      const Spec spec{DType::kFloat32, seed % 2 ? Shape{7} : Shape{kUnknownDim}};
      auto f = traced({spec, spec}, [&](std::span<const Tensor> in) { return program(seed, in); });
      verify(*f->graph());
      for (const GraphPtr& callee : library_of(*f->graph())) verify(*callee);
      for (int call = 0; call < 3; ++call) {
        const std::vector<Tensor> arguments{vector(random), vector(random)};
        const std::vector<Tensor> kept{arguments[0].alias(), arguments[1].alias()};
        const auto eager = program(seed, arguments);
        const auto once = f->call(arguments);
        QVERIFY2(same(eager[0], once[0]) && same(eager[1], once[1]), qPrintable(QString("program %1").arg(seed)));
        QVERIFY(same(kept[0], arguments[0]) && same(kept[1], arguments[1]));  // arguments are never written to
      }
    }
  }

  void gradients_agree() {
    for (uint32_t seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed + 777);
      const Spec spec{DType::kFloat32, Shape{7}};
      auto f = traced({spec, spec}, [&](std::span<const Tensor> in) { return program(seed, in); });
      const std::vector<Tensor> arguments{vector(random), vector(random)};
      auto gradients = [&](const Body& body) {
        Tape tape;
        tape.start();
        for (const Tensor& t : arguments) tape.watch(t);
        const auto results = body(arguments);
        tape.stop();
        return tape.gradient(std::vector{results[0]}, arguments, {}, Unconnected::kZero);
      };
      const auto eager = gradients([&](std::span<const Tensor> in) { return program(seed, in); });
      const auto once = gradients([&](std::span<const Tensor> in) { return f->call(in); });
      for (size_t k = 0; k < 2; ++k)
        for (int i = 0; i < 7; ++i) {
          const float a = eager[k].data<float>()[i], b = once[k].data<float>()[i];
          QVERIFY2(std::abs(a - b) <= 1e-4f * (1 + std::abs(a)),
                   qPrintable(QString("program %1: %2 and %3").arg(seed).arg(a).arg(b)));
        }
    }
  }
};

QTEST_APPLESS_MAIN(TestRandomGraphs)
#include "test_random_graphs.moc"
