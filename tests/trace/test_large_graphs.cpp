// Graphs of many nodes: memory and allocations grow with the nodes alone, and nothing recurses along them.
#include "tests/sanitizers/sanitized.h"
#include "tests/trace/support.h"

#include <QTest>

#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

using namespace footlight;
using namespace footlight::test;

namespace {

std::atomic<int64_t> taken_count{0}, live_bytes{0}, most_bytes{0};

void* counted(size_t size) {
  void* const at = std::malloc(size ? size : 1);
  if (!at) throw std::bad_alloc();
  ++taken_count;
  const int64_t now = live_bytes += static_cast<int64_t>(malloc_usable_size(at));
  if (now > most_bytes) most_bytes = now;
  return at;
}

void uncounted(void* at) {
  live_bytes -= static_cast<int64_t>(malloc_usable_size(at));
  std::free(at);
}

struct Cost {
  double allocations = 0, bytes = 0;  // a node; the bytes at the most
};

template <class Does>
Cost cost_of(int nodes, Does does) {
  const int64_t count = taken_count, bytes = live_bytes;
  most_bytes = bytes;
  does();
  return {static_cast<double>(taken_count - count) / nodes, static_cast<double>(most_bytes - bytes) / nodes};
}

// Each node uses the one before it, and its gradient needs the value of that.
std::vector<Tensor> deep(std::span<const Tensor> in, int nodes) {
  Tensor y = in[0];
  for (int i = 0; i < nodes; ++i) y = op("Mul", {in[0], y});
  return {y};
}

std::vector<Tensor> wide(std::span<const Tensor> in, int nodes) {
  std::vector<Tensor> all;
  for (int i = 0; i < nodes; ++i) all.push_back(op("Sin", {in[0]}));
  return {footlight::apply(Op("AddN").row(), all)};
}

// Two orders: the gradient of a gradient runs over graphs of several times as many nodes.
std::vector<Tensor> twice(std::span<const Tensor> in, int nodes) {
  Tape outer, inner;
  outer.start();
  inner.start();
  outer.watch(in[0]);
  inner.watch(in[0]);
  const auto y = traced({kScalar}, [&](std::span<const Tensor> x) { return deep(x, nodes); })->call(in);
  inner.stop();
  const auto slope = inner.gradient(y, std::vector{in[0]});
  outer.stop();
  return outer.gradient(slope, std::vector{in[0]});
}

// So many sines, spread over graphs inside of graphs: calls, branches or loops.
enum class Inner { kCalls, kBranches, kLoops };

Tensor nested(const Tensor& start, int nodes, int depth, Inner inner) {
  Tensor y = start;
  for (int i = 0; i < nodes / depth; ++i) y = op("Sin", {y});
  if (depth == 1) return y;
  const auto rest = [&](const Tensor& x) { return nested(x, nodes - nodes / depth, depth - 1, inner); };
  if (inner == Inner::kCalls)
    return traced({kScalar}, [&](std::span<const Tensor> x) { return std::vector{rest(x[0])}; })
        ->call(std::vector{y})[0];
  if (inner == Inner::kBranches)
    return trace::build_cond(
        op("Greater", {y, number(-2)}), [&] { return std::vector{rest(y)}; }, [&] { return std::vector{y}; })[0];
  return trace::build_while(
      {Tensor::scalar<int32_t>(0).as_constant(), y},
      [](std::span<const Tensor> now) { return op("Less", {now[0], Tensor::scalar<int32_t>(1).as_constant()}); },
      [&](std::span<const Tensor> now) {
        return std::vector{op("AddV2", {now[0], Tensor::scalar<int32_t>(1).as_constant()}), rest(now[1])};
      })[1];
}

// Traces, runs and differentiates.
void work(int nodes, const std::function<std::vector<Tensor>(std::span<const Tensor>, int)>& body) {
  const std::vector<Tensor> in{real(1)};
  auto f = traced({kScalar}, [&](std::span<const Tensor> x) { return body(x, nodes); });
  f->call(in);
  WatchingTape tape({in[0]});
  const auto y = f->call(in);
  tape.stop();
  tape.gradient(y, in);
}

// On a stack that a call for each node would not fit.
void on_small_stack(std::function<void()> does) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{1} << 20);
  pthread_t thread;
  const auto run = [](void* what) -> void* {
    (*static_cast<std::function<void()>*>(what))();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, &does) != 0) std::abort();
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

void* operator new(size_t size) { return counted(size); }
void* operator new[](size_t size) { return counted(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return counted(size); }  // of std::stable_partition
void operator delete(void* at) noexcept { uncounted(at); }
void operator delete[](void* at) noexcept { uncounted(at); }
void operator delete(void* at, size_t) noexcept { uncounted(at); }
void operator delete[](void* at, size_t) noexcept { uncounted(at); }

class TestLargeGraphs : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void cost_is_linear_data() {
    QTest::addColumn<int>("shape");
    QTest::addRow("deep") << 0;
    QTest::addRow("wide") << 1;
  }

  void cost_is_linear() {
    QFETCH(int, shape);
    const auto body = shape == 0 ? deep : wide;
    std::vector<Cost> costs;
    on_small_stack([&] {
      work(100, body);  // what is made once
      for (const int nodes : {some_of(10000), some_of(20000), some_of(40000)})
        costs.push_back(cost_of(nodes, [&] { work(nodes, body); }));
    });
    for (const Cost& cost : costs) {
      const auto words = QString("%1 allocations, %2 bytes a node").arg(cost.allocations).arg(cost.bytes);
      QVERIFY2(cost.allocations < 1.1 * costs[0].allocations && cost.allocations < 60, qPrintable(words));
      QVERIFY2(cost.bytes < 2600, qPrintable(words));
    }
  }

  void depth_costs_little_data() {
    QTest::addColumn<int>("inner");
    QTest::addRow("calls") << static_cast<int>(Inner::kCalls);
    QTest::addRow("branches") << static_cast<int>(Inner::kBranches);
    QTest::addRow("loops") << static_cast<int>(Inner::kLoops);
  }

  // What a graph saves for its gradient costs hardly more for the graphs around it.
  void depth_costs_little() {
    QFETCH(int, inner);
    constexpr int kNodes = 8000;  // fewer would be too few for each graph of many
    std::vector<Cost> costs;
    const auto cost_at = [&](int depth) {
      return cost_of(kNodes, [&] {
        work(kNodes, [&](std::span<const Tensor> in, int nodes) {
          return std::vector{nested(in[0], nodes, depth, static_cast<Inner>(inner))};
        });
      });
    };
    cost_at(4);  // what is made once
    for (const int depth : {10, 40}) costs.push_back(cost_at(depth));
    const auto words = QString("%1 and %2 allocations, %3 and %4 bytes a node")
                           .arg(costs[0].allocations).arg(costs[1].allocations).arg(costs[0].bytes).arg(costs[1].bytes);
    QVERIFY2(costs[1].allocations < 1.5 * costs[0].allocations, qPrintable(words));
    QVERIFY2(costs[1].bytes < 1.5 * costs[0].bytes && costs[1].bytes < 4000, qPrintable(words));
  }

  // Each function calls the next: what moves up the chain moves once.
  void long_chains_of_calls() {
    constexpr int kDeep = 300;
    float result = 0;
    Cost cost;
    on_small_stack([&] {
      cost = cost_of(kDeep, [&] {
        auto f = traced({kScalar}, [](std::span<const Tensor> x) { return std::vector{op("Neg", {x[0]})}; });
        for (int i = 0; i < kDeep; ++i)
          f = traced({kScalar}, [&](std::span<const Tensor> x) {
            return std::vector{op("AddV2", {f->call(x)[0], number(1)})};
          });
        result = value(f->call(std::vector{real(1)})[0]);
      });
    });
    QCOMPARE(result, kDeep - 1.f);
    QVERIFY2(cost.allocations < 500 && cost.bytes < 100'000,
             qPrintable(QString("%1 allocations, %2 bytes a call").arg(cost.allocations).arg(cost.bytes)));
  }

  void gradients_of_gradients_too() {
    constexpr int kSteps = some_of(20000);
    std::vector<float> values;
    on_small_stack([&] { values.push_back(value(twice(std::vector{real(1)}, kSteps)[0])); });
    const float exact = (kSteps + 1.f) * kSteps;  // the second derivative of x ** (kSteps + 1) at 1, a long sum
    QVERIFY2(std::abs(values[0] - exact) < 1e-3f * exact, qPrintable(QString::number(values[0])));
  }
};

QTEST_APPLESS_MAIN(TestLargeGraphs)
#include "test_large_graphs.moc"
