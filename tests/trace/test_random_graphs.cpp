// The same random program, run op by op and traced, must give equal results despite all passes and memory reuse.
// FOOTLIGHT_RANDOM_PROGRAMS and FOOTLIGHT_RANDOM_SEED make it run more of them, others.
#include "engine/graph/verify.h"
#include "engine/ops/indexed_slices.h"
#include "engine/optimize/optimize.h"
#include "tests/trace/random_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace footlight;
using namespace footlight::test;

namespace {

constexpr int kLength = 7;

// Bit by bit, except for the sign of NaNs, which nothing defines (program 9244).
bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() != DType::kFloat32) return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  const float *x = a.data<float>(), *y = b.data<float>();
  return std::equal(x, x + a.elements(), y, [](float p, float q) {
    return (std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof p) == 0;
  });
}

bool same(std::span<const Tensor> a, std::span<const Tensor> b) {
  bool all = a.size() == b.size();
  for (size_t i = 0; i < a.size() && all; ++i) all = same(a[i], b[i]);
  return all;
}

Tensor floats(std::mt19937& random) {
  std::vector<float> values(kLength);
  for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 2000) - 1000) / 250.f;
  if (random() % 4 == 0) values[random() % kLength] = -0.f;
  return Tensor::vector<float>(values);
}

Tensor ints(std::mt19937& random) {
  std::vector<int32_t> values(kLength);
  for (int32_t& v : values)
    v = random() % 4 ? static_cast<int32_t>(random() % 40) - 20 : static_cast<int32_t>(random());
  return Tensor::vector<int32_t>(values);
}

std::vector<Tensor> arguments(std::mt19937& random) { return {floats(random), floats(random), ints(random)}; }

std::vector<Tensor> run(uint32_t seed, std::span<const Tensor> in, std::vector<Tensor> variables, bool finite = false) {
  return RandomProgram(seed, {{in[0], in[1]}, {in[2]}, std::move(variables)}, finite).run();
}

std::shared_ptr<trace::Concrete> trace_of(uint32_t seed, const std::vector<Tensor>& variables, const Shape& shape,
                                          bool finite = false) {
  const Spec real{DType::kFloat32, shape}, whole{DType::kInt32, shape};
  return traced({real, real, whole}, [&](std::span<const Tensor> in) { return run(seed, in, variables, finite); });
}

uint32_t from_environment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace

class TestRandomGraphs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    start();
    optimize::verify_passes = true;
  }

  void traced_equals_eager() {
    const uint32_t first = from_environment("FOOTLIGHT_RANDOM_SEED", 0);
    const uint32_t count = from_environment("FOOTLIGHT_RANDOM_PROGRAMS", 300);
    size_t changes = 0;
    for (uint32_t seed = first; seed < first + count; ++seed) {
      std::mt19937 random(seed + 10000);
      const Shape shape = seed % 3 == 0 ? Shape{kLength} : Shape{kUnknownDim};
      const std::vector<Tensor> eager_variables{variable(1), variable(-2)}, variables{variable(1), variable(-2)};
      auto f = trace_of(seed, variables, shape);
      verify(*f->graph());
      for (const GraphPtr& callee : library_of(*f->graph())) verify(*callee);
      for (int call = 0; call < 3; ++call) {
        const std::vector<Tensor> in = arguments(random);
        std::vector<Tensor> kept;
        for (const Tensor& t : in) kept.push_back(t.alias());
        const auto eager = run(seed, in, eager_variables);
        const auto once = f->call(in);
        QVERIFY2(same(eager, once), qPrintable(QString("program %1, call %2").arg(seed).arg(call)));
        for (size_t v = 0; v < variables.size(); ++v)
          QVERIFY2(same(read(eager_variables[v]), read(variables[v])), qPrintable(QString("program %1").arg(seed)));
        QVERIFY(same(kept, in));  // arguments are never written to
      }
      changes += f->program().changes.size();
    }
    QVERIFY(changes > count);  // the passes had something to do
  }

  void gradients_agree() {
    for (uint32_t seed = 0; seed < 60; ++seed) {
      std::mt19937 random(seed + 777);
      auto f = trace_of(seed, {}, Shape{kLength}, true);
      const std::vector<Tensor> in = arguments(random);
      auto gradients = [&](const Body& body) {
        Tape tape;
        tape.start();
        for (const Tensor& t : in) tape.watch(t);
        const auto results = body(in);
        tape.stop();
        auto found = tape.gradient(std::vector{results[0]}, std::vector{in[0], in[1]}, {}, Unconnected::kZero);
        for (Tensor& each : found) each = ops::dense(each);  // of rows that were gathered
        return found;
      };
      const auto eager = gradients([&](std::span<const Tensor> x) { return run(seed, x, {}, true); });
      const auto once = gradients([&](std::span<const Tensor> x) { return f->call(x); });
      for (size_t k = 0; k < 2; ++k)
        for (int i = 0; i < kLength; ++i) {
          const float a = eager[k].data<float>()[i], b = once[k].data<float>()[i];
          const bool agree = (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-4f * (1 + std::abs(a));
          QVERIFY2(agree, qPrintable(QString("program %1: %2 and %3").arg(seed).arg(a).arg(b)));
        }
    }
  }
};

QTEST_APPLESS_MAIN(TestRandomGraphs)
#include "test_random_graphs.moc"
