// The same random program, op by op and traced, must give equal results: as it was traced, after all passes, with steps
// side by side; without and with machine code. FOOTLIGHT_RANDOM_PROGRAMS and FOOTLIGHT_RANDOM_SEED make it run more of
// them, others.
#include "engine/graph/verify.h"
#include "engine/ops/indexed_slices.h"
#include "engine/optimize/optimize.h"
#include "engine/runtime/executor.h"
#include "engine/jit/jit_loop.h"
#include "engine/trace/saved_values.h"
#include "tests/sanitizers/sanitized.h"
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
constexpr uint32_t kPrograms = some_of(120u);  // each in four forms

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

// What a program's variables are: two numbers, and a vector.
struct State {
  std::vector<Tensor> numbers{variable(1), variable(-2)}, vectors{variable(Tensor::vector<float>(kStart))};

  std::vector<Tensor> values() const { return {read(numbers[0]), read(numbers[1]), read(vectors[0])}; }
  void assign(std::span<const Tensor> values) const {
    variable_of(numbers[0])->assign(values[0]);
    variable_of(numbers[1])->assign(values[1]);
    variable_of(vectors[0])->assign(values[2]);
  }

 private:
  static constexpr std::array<float, kLength> kStart{1, 0, -1, 0.5, 2, -0.25, 3};
};

std::vector<Tensor> run(uint32_t seed, std::span<const Tensor> in, const State* state, bool finite = false) {
  RandomProgram::Values values{{in[0], in[1]}, {in[2]}, {}, {}, {}};
  if (state) values.variables = state->numbers, values.vectors = state->vectors;
  return RandomProgram(seed, std::move(values), finite).run();
}

std::shared_ptr<trace::Concrete> trace_of(const Shape& shape, const Body& body) {
  const Spec real{DType::kFloat32, shape}, whole{DType::kInt32, shape};
  return traced({real, real, whole}, body);
}

// The gradients of the first result (of the fifth too, which comes from other dtypes) by the float vectors.
std::vector<Tensor> gradients(const Body& body, std::span<const Tensor> in) {
  Tape tape;
  tape.start();
  for (const Tensor& t : in) tape.watch(t);
  const auto results = body(in);
  tape.stop();
  auto found = tape.gradient(std::vector{results[0], results[4]}, std::vector{in[0], in[1]}, {}, Unconnected::kZero);
  for (Tensor& each : found) each = ops::dense(each);  // of rows that were gathered
  return found;
}

// To 1e-4 of the largest of them, or both not a number.
bool close(const Tensor& a, const Tensor& b, float tolerance) {
  const float *x = a.data<float>(), *y = b.data<float>();
  float most = 1;
  for (int i = 0; i < kLength; ++i)
    if (std::isfinite(x[i])) most = std::max(most, std::abs(x[i]));
  return std::equal(x, x + kLength, y, [&](float p, float q) {
    return (std::isnan(p) && std::isnan(q)) || p == q || std::abs(p - q) <= tolerance * most;
  });
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
    const uint32_t count = from_environment("FOOTLIGHT_RANDOM_PROGRAMS", kPrograms);
    size_t changes = 0, splits = 0;
    for (uint32_t seed = first; seed < first + count; ++seed) {
      std::mt19937 random(seed + 10000);
      const Shape shape = seed % 3 == 0 ? Shape{kLength} : Shape{kUnknownDim};
      const State eager_state, state;
      auto f = trace_of(shape, [&](std::span<const Tensor> in) { return run(seed, in, &state); });
      const GraphPtr graph = f->graph();
      verify(*graph);
      for (const GraphPtr& callee : library_of(*graph)) verify(*callee);
      optimize::ProgramRewrite untouched(*graph);
      const compile::ProgramPtr as_traced = compile::compile(untouched);
      const compile::ProgramPtr beside = compile::compile(*graph, runtime::run_op);
      splits += split_all(*beside);
      for (int call = 0; call < 3; ++call) {
        jit::set_jit_threshold(call ? 0 : jit::kJitOff);
        const std::vector<Tensor> in = arguments(random), before = state.values();
        std::vector<Tensor> kept, inputs = in;
        for (const Tensor& t : in) kept.push_back(t.alias());
        for (const Tensor& t : f->captures()) inputs.push_back(t);
        const auto eager = run(seed, in, &eager_state);
        const auto check = [&](const char* form, const std::vector<Tensor>& results) {
          const QString where = QString("program %1, call %2, %3").arg(seed).arg(call).arg(form);
          QVERIFY2(same(eager, results), qPrintable(where));
          QVERIFY2(same(eager_state.values(), state.values()), qPrintable(where + ": variables"));
          QVERIFY(same(kept, in));  // arguments are never written to
        };
        const auto check_program = [&](const char* form, const compile::Program& program) {
          state.assign(before);
          std::vector<Tensor> results(f->outputs());
          runtime::run(program, inputs, results);
          check(form, results);
        };
        check_program("as traced", *as_traced);
        if (QTest::currentTestFailed()) return;
        check_program("side by side", *beside);
        if (QTest::currentTestFailed()) return;
        state.assign(before);
        check("optimized", f->call(in));
        if (QTest::currentTestFailed()) return;
      }
      changes += f->program().changes.size();
    }
    QVERIFY(changes > count);  // the passes had something to do
    QVERIFY(splits > count / 4);
  }

  void gradients_agree() {
    const uint32_t first = from_environment("FOOTLIGHT_RANDOM_SEED", 0);
    const uint32_t count = from_environment("FOOTLIGHT_RANDOM_PROGRAMS", kPrograms) / 5;
    for (uint32_t seed = first; seed < first + count; ++seed) {
      std::mt19937 random(seed + 777);
      const std::vector<Tensor> in = arguments(random);
      const Body body = [&](std::span<const Tensor> x) { return run(seed, x, nullptr, true); };
      const auto f = trace_of(Shape{kLength}, body);
      const auto inside = trace_of(Shape{kLength}, [&](std::span<const Tensor> x) { return gradients(body, x); });
      const auto eager = gradients(body, in);
      const auto outside = gradients([&](std::span<const Tensor> x) { return f->call(x); }, in);
      const auto within = inside->call(in);
      for (size_t k = 0; k < 2; ++k) {
        QVERIFY2(close(eager[k], outside[k], 1e-4f), qPrintable(QString("program %1, a call on a tape").arg(seed)));
        QVERIFY2(close(eager[k], within[k], 1e-4f), qPrintable(QString("program %1, a tape in a trace").arg(seed)));
      }
    }
  }

  // What graphs inside of others save as lists gives the gradients of what they save one by one, to the bit.
  void lists_of_saved_values_change_no_bit() {
    const uint32_t first = from_environment("FOOTLIGHT_RANDOM_SEED", 0);
    const uint32_t count = from_environment("FOOTLIGHT_RANDOM_PROGRAMS", kPrograms) / 5;
    const size_t before = trace::most_saved_apart;
    for (uint32_t seed = first; seed < first + count; ++seed) {
      std::mt19937 random(seed + 777);
      const std::vector<Tensor> in = arguments(random);
      std::vector<std::vector<Tensor>> found;
      for (const size_t most : {SIZE_MAX, size_t{0}}) {
        trace::most_saved_apart = most;
        // A call in a call: the tape differentiates the outer one.
        const auto f = trace_of(Shape{kLength}, [&](std::span<const Tensor> x) { return run(seed, x, nullptr, true); });
        const auto g = trace_of(Shape{kLength}, [&](std::span<const Tensor> x) { return f->call(x); });
        found.push_back(gradients([&](std::span<const Tensor> x) { return g->call(x); }, in));
        const auto twice = trace_of(Shape{kLength}, [&](std::span<const Tensor> x) {
          return gradients([&](std::span<const Tensor> y) { return g->call(y); }, x);
        });
        const auto again = twice->call(in);
        found.back().insert(found.back().end(), again.begin(), again.end());
      }
      trace::most_saved_apart = before;
      QVERIFY2(same(found[0], found[1]), qPrintable(QString("program %1").arg(seed)));
    }
  }
};

QTEST_APPLESS_MAIN(TestRandomGraphs)
#include "test_random_graphs.moc"
