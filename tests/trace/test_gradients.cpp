// Gradients through calls and branches, first and second order, recorded eagerly and inside traces.
#include "tests/trace/support.h"

#include <QTest>

#include <cmath>

using namespace footlight;
using namespace footlight::test;

namespace {

// d f(x) / dx with f called under a tape.
float slope(trace::Concrete& f, float at) {
  const Tensor x = real(at);
  WatchingTape tape({x});
  const Tensor y = f.call(std::vector{x})[0];
  tape.stop();
  return value(tape.gradient(std::vector{y}, std::vector{x})[0]);
}

std::shared_ptr<trace::Concrete> cube() {
  return traced({kScalar}, [](std::span<const Tensor> in) {
    return std::vector{op("Mul", {op("Mul", {in[0], in[0]}), in[0]})};
  });
}

std::shared_ptr<trace::Concrete> branches() {
  return traced({kScalar}, [](std::span<const Tensor> in) {
    return trace::build_cond(
        op("Greater", {in[0], number(1)}),
        [&] {
          return std::vector{op("Mul", {op("Sin", {in[0]}), in[0]})};
        },
        [&] {
          return std::vector{op("Mul", {in[0], number(3)})};
        });
  });
}

}  // namespace

class TestTraceGradients : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { start(); }

  void through_a_call() {
    auto f = cube();
    for (float x : {2.f, -1.f, 0.f}) QCOMPARE(slope(*f, x), 3 * x * x);
  }

  void through_branches() {
    auto f = branches();
    QCOMPARE(slope(*f, 0.5f), 3.f);
    QCOMPARE(slope(*f, 2.f), std::sin(2.f) + 2.f * std::cos(2.f));
  }

  void through_a_call_in_a_trace() {
    auto inner = branches();
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{op("Mul", {inner->call(std::vector{in[0]})[0], number(2)})};
    });
    QCOMPARE(slope(*f, 0.5f), 6.f);
    QCOMPARE(slope(*f, 2.f), 2 * (std::sin(2.f) + 2.f * std::cos(2.f)));
  }

  void a_tape_inside_of_the_trace() {
    auto inner = cube();
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      WatchingTape tape({in[0]});
      const Tensor y = inner->call(std::vector{in[0]})[0];
      tape.stop();
      return std::vector{y, tape.gradient(std::vector{y}, std::vector{in[0]})[0]};
    });
    const auto results = f->call(std::vector{real(2)});
    QCOMPARE(value(results[0]), 8.f);
    QCOMPARE(value(results[1]), 12.f);
    // The call returns more outputs than before: the trace's second call sees the same.
    QCOMPARE(value(f->call(std::vector{real(3)})[1]), 27.f);
  }

  void of_a_variable_that_was_captured() {
    const Tensor v = variable(4);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) { return std::vector{op("Mul", {read(v), in[0]})}; });
    Tape tape;
    tape.start();
    const Tensor y = f->call(std::vector{real(3)})[0];
    tape.stop();
    QCOMPARE(value(tape.gradient(std::vector{y}, std::vector{v})[0]), 3.f);
    QCOMPARE(tape.watched_variables().size(), size_t{1});
  }

  void the_second_derivative() {
    auto f = cube();
    const Tensor x = real(2);
    WatchingTape outer({x}, true), inner({x});
    const Tensor y = f->call(std::vector{x})[0];
    const Tensor first = inner.gradient(std::vector{y}, std::vector{x})[0];
    outer.stop();
    QCOMPARE(value(first), 12.f);
    QCOMPARE(value(outer.gradient(std::vector{first}, std::vector{x})[0]), 12.f);
  }

  void through_loops() {
    // x ** (n + 1)
    auto f = traced({kScalar, kScalar}, [](std::span<const Tensor> in) {
      return std::vector{trace::build_while(
          {number(0), in[0]},
          [&](std::span<const Tensor> v) {
            return op("Less", {v[0], in[1]});
          },
          [&](std::span<const Tensor> v) {
            return std::vector{op("AddV2", {v[0], number(1)}), op("Mul", {v[1], in[0]})};
          })[1]};
    });
    for (float n : {0.f, 1.f, 3.f}) {
      const Tensor x = real(2), turns = real(n);
      WatchingTape tape({x});
      const Tensor y = f->call(std::vector{x, turns})[0];
      tape.stop();
      QCOMPARE(value(y), std::pow(2.f, n + 1));
      QCOMPARE(value(tape.gradient(std::vector{y}, std::vector{x})[0]), (n + 1) * std::pow(2.f, n));
    }
  }

  void through_a_loop_with_branches_and_a_variable() {
    const Tensor w = variable(3);
    auto f = traced({kScalar}, [&](std::span<const Tensor> in) {
      return std::vector{trace::build_while(
          {number(0), in[0]},
          [&](std::span<const Tensor> v) {
            return op("Less", {v[0], number(3)});
          },
          [&](std::span<const Tensor> v) {
            const Tensor next = trace::build_cond(
                op("Greater", {v[1], number(10)}),
                [&] {
                  return std::vector{op("Mul", {v[1], number(0.5f)})};
                },
                [&] {
                  return std::vector{op("Mul", {v[1], read(w)})};
                })[0];
            return std::vector{op("AddV2", {v[0], number(1)}), next};
          })[1]};
    });
    const Tensor x = real(2);  // 2 -> 6 -> 18 -> 9: x * w * w / 2
    WatchingTape tape({x}, true);
    const Tensor y = f->call(std::vector{x})[0];
    tape.stop();
    QCOMPARE(value(y), 9.f);
    QCOMPARE(value(tape.gradient(std::vector{y}, std::vector{x})[0]), 4.5f);
    QCOMPARE(value(tape.gradient(std::vector{y}, std::vector{w})[0]), 6.f);
  }

  void graph_gradients_sum_over_ways() {
    auto f = traced({kScalar}, [](std::span<const Tensor> in) {
      trace::GraphBuilder& builder = *trace::GraphBuilder::innermost();
      const Tensor y = op("AddV2", {op("Mul", {in[0], in[0]}), op("Mul", {in[0], number(5)})});
      const Edge to[] = {{in[0].node(), 0}}, from[] = {{y.node(), 0}};
      const Tensor one = op("OnesLike", {y});
      return trace::graph_gradients(*builder.graph(), from, {&one, 1}, to);
    });
    QCOMPARE(value(f->call(std::vector{real(3)})[0]), 11.f);
  }
};

QTEST_APPLESS_MAIN(TestTraceGradients)
#include "test_gradients.moc"
