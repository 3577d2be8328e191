// The gradient tape: what it records, what it returns, and when it refuses.
#include "engine/eager/execute.h"
#include "engine/ops/functions.h"
#include "tests/base/thrown.h"
#include "tests/eager/watching_tape.h"

#include <QTest>

#include <cmath>

using namespace footlight;

namespace {

const AttrName kDtype{"dtype"};

Tensor d(double value) { return Tensor::scalar(value); }
double value(const Tensor& t) { return *t.data<double>(); }

Tensor read(const Tensor& handle) {
  static const Op op{"ReadVariableOp"};
  return apply(op, {handle}, {{kDtype, variable_of(handle)->dtype()}});
}

Tensor variable(double initial, bool trainable = true) {
  auto* v = new Variable(DType::kFloat64, Shape(), "v", trainable);
  const Tensor handle = Tensor::resource(v);
  v->assign(d(initial));
  return handle;
}

Tensor one(Tape& tape, const Tensor& target, const Tensor& source, Unconnected unconnected = Unconnected::kNone) {
  return tape.gradient({&target, 1}, {&source, 1}, {}, unconnected)[0];
}

}  // namespace

class TestTape : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { eager::init(); }
  void cleanup() { QVERIFY(!any_tape_recording()); }

  void a_watched_tensor() {
    const Tensor x = d(3);
    WatchingTape tape({x});
    const Tensor y = ops::mul(ops::mul(x, x), x);
    tape.stop();
    QCOMPARE(value(one(tape, y, x)), 27.0);
  }

  void what_is_not_watched_has_no_gradient() {
    const Tensor x = d(3);
    Tape tape(true);
    tape.start();
    const Tensor y = ops::mul(x, x);
    tape.stop();
    QVERIFY(!one(tape, y, x));
    QCOMPARE(value(one(tape, y, x, Unconnected::kZero)), 0.0);
  }

  void once_only_unless_persistent() {
    const Tensor x = d(2);
    WatchingTape once({x}), often({x}, true);
    const Tensor y = ops::mul(x, x);
    for (Tape* t : {&once, &often}) t->stop();
    QCOMPARE(value(one(once, y, x)), 4.0);
    QCOMPARE(kind_thrown([&] { one(once, y, x); }), ErrorKind::kRuntime);
    QCOMPARE(value(one(often, y, x)), 4.0);
    QCOMPARE(value(one(often, y, x)), 4.0);
  }

  void tapes_in_tapes_give_higher_orders() {
    const Tensor x = d(2);
    WatchingTape third({x}), second({x}), first({x});
    const Tensor y = ops::mul(ops::mul(x, x), ops::mul(x, x));  // x^4
    const Tensor dy = one(first, y, x);
    const Tensor ddy = one(second, dy, x);
    const Tensor dddy = one(third, ddy, x);
    QCOMPARE(value(dy), 32.0);
    QCOMPARE(value(ddy), 48.0);
    QCOMPARE(value(dddy), 48.0);
  }

  void several_targets_and_weights() {
    const Tensor x = d(3);
    WatchingTape tape({x}, true);
    const Tensor targets[] = {ops::mul(x, x), ops::add(x, x)};
    tape.stop();
    const Tensor sources[] = {x};
    QCOMPARE(value(tape.gradient(targets, sources)[0]), 8.0);
    const Tensor weights[] = {d(10), Tensor()};
    QCOMPARE(value(tape.gradient(targets, sources, weights)[0]), 62.0);
  }

  void a_target_that_is_a_source() {
    const Tensor x = d(3);
    WatchingTape tape({x}, true);
    const Tensor y = ops::mul(x, x);
    const Tensor z = ops::mul(y, y);
    tape.stop();
    QCOMPARE(value(one(tape, x, x)), 1.0);
    QCOMPARE(value(one(tape, z, y)), 18.0);
    const Tensor both[] = {x, y};
    const auto g = tape.gradient({&z, 1}, both);
    QCOMPARE(value(g[0]), 108.0);
    QCOMPARE(value(g[1]), 18.0);
  }

  void stopped_recording() {
    const Tensor x = d(3);
    WatchingTape tape({x}, true);
    Tensor hidden;
    {
      PauseTapes pause;
      QVERIFY(!this_thread.recorders);
      hidden = ops::mul(x, x);
    }
    const Tensor y = ops::mul(hidden, x);
    tape.stop();
    QCOMPARE(value(one(tape, y, x)), 9.0);
    QVERIFY(!one(tape, hidden, x));
  }

  void stop_gradient_stops() {
    static const Op stop{"StopGradient"};
    const Tensor x = d(3);
    WatchingTape tape({x});
    const Tensor y = ops::mul(apply(stop, {ops::mul(x, x)}), x);
    QCOMPARE(value(one(tape, y, x)), 9.0);
  }

  void trainable_variables_are_watched_when_read() {
    const Tensor v = variable(3);
    const Tensor fixed = variable(5, false);
    Tape tape(true);
    Tape asked_only(true, false);
    tape.start();
    asked_only.start();
    const Tensor y = ops::mul(ops::mul(read(v), read(v)), read(fixed));
    const Tensor handles[] = {v};
    QVERIFY(ops::hooks.recorders_watch(std::span<const Tensor>(handles)));
    tape.stop();
    asked_only.stop();
    QCOMPARE(value(one(tape, y, v)), 30.0);
    QCOMPARE(value(one(tape, y, v.alias())), 30.0);
    QVERIFY(!one(tape, y, fixed));
    QVERIFY(!one(asked_only, y, v));
    QCOMPARE(value(one(asked_only, y, v, Unconnected::kZero)), 0.0);
    QCOMPARE(tape.watched_variables().size(), size_t{1});
    QCOMPARE(variable_of(tape.watched_variables()[0]), variable_of(v));
  }

  void a_gradient_of_ones_own() {
    struct Tripled : Backward {
      std::vector<Tensor> run(std::span<const Tensor> g) override { return {ops::mul(g[0], d(3))}; }
    };
    const Tensor x = d(2);
    WatchingTape tape({x});
    Tensor y;
    {
      PauseTapes pause;
      y = ops::mul(x, x);
    }
    record_custom({&x, 1}, {&y, 1}, std::make_shared<Tripled>());
    const Tensor z = ops::mul(y, d(5));
    QCOMPARE(value(one(tape, z, x)), 15.0);
  }

  void an_op_without_gradient_is_named() {
    static const Op prevent{"PreventGradient"};
    const Tensor x = d(2);
    WatchingTape tape({x}, true);
    const Tensor y = apply(prevent, {ops::mul(x, x)});
    tape.stop();
    std::string message;
    QCOMPARE(kind_thrown([&] { one(tape, y, x); }, &message), ErrorKind::kLookup);
    QVERIFY(message.find("'PreventGradient'") != std::string::npos);
  }

  void comparisons_and_whole_numbers_carry_nothing() {
    static const Op greater{"Greater"};
    const Tensor x = d(2);
    WatchingTape tape({x}, true);
    const Tensor y = ops::where(apply(greater, {x, d(1)}), ops::mul(x, x), x);
    const Tensor z = ops::cast(ops::cast(x, DType::kInt32), DType::kFloat64);
    tape.stop();
    QCOMPARE(value(one(tape, y, x)), 4.0);
    QVERIFY(!one(tape, z, x));
  }

  void casts_and_complex_numbers() {
    static const Op absolute{"ComplexAbs"};
    static const AttrName kTout{"Tout"};
    const Tensor x = Tensor::scalar(std::complex<double>(3, 4));
    const Tensor f = Tensor::scalar(2.0f);
    WatchingTape tape({x, f}, true);
    const Tensor size = apply(absolute, {x}, {{kTout, DType::kFloat64}});
    const Tensor conjugate = ops::mul(ops::conj(x), x);
    const Tensor wide = ops::square(ops::cast(f, DType::kFloat64));
    tape.stop();
    const auto g = *one(tape, size, x).data<std::complex<double>>();
    QVERIFY(std::abs(g - std::complex<double>(0.6, 0.8)) < 1e-12);
    // TensorFlow's convention: the conjugate of the derivative of the real part of the output's sum.
    const auto h = *one(tape, conjugate, x).data<std::complex<double>>();
    QVERIFY(std::abs(h - std::complex<double>(6, 8)) < 1e-12);
    QCOMPARE(one(tape, wide, f).dtype(), DType::kFloat32);
    QCOMPARE(*one(tape, wide, f).data<float>(), 4.0f);
  }

  void parts_of_complex_numbers() {
    const auto part = [](const char* name, const Tensor& x) {
      return apply(Op(name), {x}, {{AttrName("Tout"), DType::kFloat64}});
    };
    const Tensor x = Tensor::scalar(std::complex<double>(3, 4));
    const Tensor re = Tensor::scalar(2.0);
    const Tensor im = Tensor::scalar(-1.5);
    WatchingTape tape({x, re, im}, true);
    const Tensor real = part("Real", x), imaginary = part("Imag", x), angle = part("Angle", x);
    const Tensor whole = apply(Op("Complex"), {re, im}, {{AttrName("Tout"), DType::kComplex128}});
    const Tensor size = ops::square(part("Real", ops::mul(whole, ops::conj(whole))));
    tape.stop();
    const auto slope = [&](const Tensor& of) { return *one(tape, of, x).data<std::complex<double>>(); };
    QVERIFY(std::abs(slope(real) - std::complex<double>(1, 0)) < 1e-12);
    QVERIFY(std::abs(slope(imaginary) - std::complex<double>(0, 1)) < 1e-12);
    QVERIFY(std::abs(slope(angle) - std::complex<double>(-4.0 / 25, 3.0 / 25)) < 1e-12);
    // (re^2 + im^2)^2
    QVERIFY(std::abs(*one(tape, size, re).data<double>() - 4 * 2.0 * 6.25) < 1e-12);
    QVERIFY(std::abs(*one(tape, size, im).data<double>() + 4 * 1.5 * 6.25) < 1e-12);
  }

  void a_tape_that_goes_away_stops_looking() {
    {
      WatchingTape tape({d(1)});
      QVERIFY(any_tape_recording());
    }
    QVERIFY(!any_tape_recording() && !this_thread.recorders);
  }

  void reset_forgets() {
    const Tensor x = d(3);
    WatchingTape tape({x}, true);
    const Tensor y = ops::mul(x, x);
    tape.reset();
    const Tensor z = ops::mul(x, x);
    tape.watch(x);
    const Tensor w = ops::mul(x, x);
    tape.stop();
    QVERIFY(!one(tape, y, x) && !one(tape, z, x));
    QCOMPARE(value(one(tape, w, x)), 6.0);
  }
};

QTEST_GUILESS_MAIN(TestTape)
#include "test_tape.moc"
