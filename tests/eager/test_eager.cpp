// The engine from C++ alone: dispatch, variables, recording, and a model trained without Python.
#include "engine/eager/execute.h"

#include "engine/base/recording.h"
#include "engine/base/signatures.h"
#include "engine/ops/functions.h"
#include "tests/base/thrown.h"
#include "tests/eager/watching_tape.h"

#include <QTest>

#include <cmath>
#include <thread>

using namespace footlight;

namespace {

const AttrName kDtype{"dtype"};

Tensor floats(std::initializer_list<float> values, const Shape& shape) {
  const Tensor t = Tensor::empty(DType::kFloat32, shape);
  std::copy(values.begin(), values.end(), t.data<float>());
  return t;
}

Tensor make_variable(const Tensor& initial) {
  static const Op assign{"AssignVariableOp"};
  const Tensor handle = Tensor::resource(new Variable(initial.dtype(), initial.shape(), "w"));
  const Tensor both[] = {handle, initial};
  apply_all(assign.row(), both, {});
  return handle;
}

Tensor read(const Tensor& handle) {
  static const Op op{"ReadVariableOp"};
  return apply(op, {handle}, {{kDtype, variable_of(handle)->dtype()}});
}

void update(const char* op, const Tensor& handle, const Tensor& by) {
  const Tensor both[] = {handle, by};
  apply_all(*find_row(op), both, {});
}

}  // namespace

class TestEager : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { eager::init(); }

  void both_ways_give_the_same() {
    const OpRow& add = *find_row("AddV2");
    const Tensor x = floats({1, 2, 3, 4}, {2, 2});
    const Tensor row = floats({10, 20}, {2});
    const Tensor quick = eager::binary(add, x, x);
    const Tensor pair[] = {x, x};
    QCOMPARE(eager::execute1(add, pair).data<float>()[3], quick.data<float>()[3]);
    QCOMPARE(eager::binary(add, x, row).data<float>()[3], 24.0f);
    QCOMPARE(eager::binary(add, x, Tensor::scalar(1.f)).data<float>()[3], 5.0f);
    QCOMPARE(eager::binary(add, Tensor::scalar(1.f), x).data<float>()[0], 2.0f);
    QCOMPARE(*eager::unary(*find_row("Neg"), Tensor::scalar(2)).data<int>(), -2);
    QCOMPARE(eager::binary(*find_row("Less"), x, x).dtype(), DType::kBool);
  }

  void a_symbolic_tensor_is_refused() {
    const Tensor s = Tensor::symbolic(DType::kFloat32, Shape(), nullptr, nullptr, NodeId(0), 0);
    std::string message;
    QCOMPARE(kind_thrown([&] { ops::add(s, s); }, &message), ErrorKind::kInaccessibleTensor);
    QVERIFY(message.find("float32") != std::string::npos);
  }

  void variables_keep_what_was_read() {
    const Tensor v = make_variable(floats({1, 2, 3, 4, 5, 6}, {6}));
    const Tensor before = read(v);
    update("AssignAddVariableOp", v, floats({10, 10, 10, 10, 10, 10}, {6}));
    QCOMPARE(before.data<float>()[5], 6.0f);
    QCOMPARE(read(v).data<float>()[5], 16.0f);
    const void* memory = read(v).raw();
    update("AssignSubVariableOp", v, floats({1, 1, 1, 1, 1, 1}, {6}));
    QCOMPARE(read(v).data<float>()[0], 10.0f);
    QCOMPARE(static_cast<const void*>(read(v).raw()), memory);  // no other reference: updated in place
  }

  void wrong_assignments_are_said() {
    const Tensor v = make_variable(floats({1, 2}, {2}));
    std::string message;
    QCOMPARE(kind_thrown([&] { update("AssignVariableOp", v, floats({1, 2, 3}, {3})); }, &message), ErrorKind::kValue);
    QVERIFY(message.find("'w'") != std::string::npos && message.find("(2,)") != std::string::npos &&
            message.find("(3,)") != std::string::npos);
    QCOMPARE(kind_thrown([&] { update("AssignAddVariableOp", v, floats({1}, {1})); }), ErrorKind::kInvalidArgument);
    QCOMPARE(kind_thrown([&] { update("AssignVariableOp", v, Tensor::empty(DType::kInt32, {2})); }),
             ErrorKind::kInvalidArgument);
    QCOMPARE(kind_thrown([&] { read(Tensor::resource(new Variable(DType::kFloat32, {2}, "empty"))); }, &message),
             ErrorKind::kFailedPrecondition);
    QVERIFY(message.find("'empty'") != std::string::npos);
    QCOMPARE(read(v).data<float>()[1], 2.0f);
  }

  void handles_from_the_op() {
    static const Op make{"VarHandleOp"};
    static const Op initialized{"VarIsInitializedOp"};
    const Tensor handle = apply(make, {}, {{kDtype, DType::kFloat32}, {AttrName("shape"), Shape{2}}});
    QVERIFY(!*apply(initialized, {handle}).data<bool>());
    update("AssignVariableOp", handle, floats({1, 2}, {2}));
    QVERIFY(*apply(initialized, {handle}).data<bool>());
    static const Op shape{"VariableShape"};
    QCOMPARE(*apply(shape, {handle}).data<int32_t>(), 2);
  }

  void draws_from_a_generators_variable() {
    static const Op make{"VarHandleOp"};
    static const Op uniform{"StatefulUniform"};
    static const Op whole{"StatefulUniformInt"};
    static const Op read{"ReadVariableOp"};
    static const AttrName dtype{"dtype"};
    static const AttrName shape{"shape"};
    const Tensor handle = apply(make, {}, {{dtype, DType::kInt64}, {shape, Shape{3}}});
    update("AssignVariableOp", handle, ops::ints({1234, 0, 0}, DType::kInt64));
    const Tensor philox = ops::integer(1, DType::kInt64);
    const Tensor drawn = apply(uniform, {handle, philox, ops::ints({3}, DType::kInt64)}, {{dtype, DType::kFloat32}});
    QCOMPARE(drawn.data<float>()[0], 0.3581475f);
    QCOMPARE(drawn.data<float>()[2], 0.56670904f);
    QCOMPARE(apply(read, {handle}, {{dtype, DType::kInt64}}).data<int64_t>()[0], int64_t{1234 + 3 * 256});
    const Tensor ints = apply(whole, {handle, philox, ops::ints({4}), ops::integer(5), ops::integer(9)});
    for (int i = 0; i < 4; ++i) QVERIFY(ints.data<int32_t>()[i] >= 5 && ints.data<int32_t>()[i] < 9);
  }

  void ops_are_recorded_when_asked() {
    std::vector<OpEvent> seen;
    auto drain = [&] {
      thread_rings().ops().drain(
          [&](const OpEvent* events, uint32_t n) { seen.insert(seen.end(), events, events + n); });
    };
    const Tensor x = floats({1, 2, 3, 4}, {2, 2});
    drain();
    seen.clear();
    ops::add(x, x);
    drain();
    QCOMPARE(seen.size(), size_t{0});
    recording_level = RecordingLevel::kOps;
    ops::add(x, x);
    ops::matmul(x, x);
    recording_level = RecordingLevel::kOff;
    ops::add(x, x);
    drain();
    QCOMPARE(seen.size(), size_t{2});
    QVERIFY(seen[0].op == find_row("AddV2")->id && seen[1].op == find_row("MatMul")->id);
    QVERIFY(seen[0].signature.valid() && seen[1].signature.valid());
    uint64_t bytes = 0;
    visit_signatures(seen[0].signature.value, [](void* to, SignatureId, const Signature& s) {
      if (!*static_cast<uint64_t*>(to)) *static_cast<uint64_t*>(to) = s.output_bytes;
    }, &bytes);
    QCOMPARE(bytes, uint64_t{16});
    QVERIFY(seen[0].start_ns > 0 && seen[0].end_ns >= seen[0].start_ns && seen[1].start_ns >= seen[0].end_ns);
    QVERIFY(!seen[0].call.valid() && !seen[0].node().valid());
  }

  // y = 3 a - 2 b + 1, learned from samples.
  void a_model_learns() {
    const Tensor x = Tensor::empty(DType::kFloat32, {64, 2});
    const Tensor y = Tensor::empty(DType::kFloat32, {64, 1});
    for (int i = 0; i < 64; ++i) {
      const float a = static_cast<float>(i % 8) / 8 - 0.5f;
      const float b = static_cast<float>(i / 8) / 8 - 0.5f;
      x.data<float>()[2 * i] = a;
      x.data<float>()[2 * i + 1] = b;
      y.data<float>()[i] = 3 * a - 2 * b + 1;
    }
    const Tensor w = make_variable(floats({0, 0}, {2, 1}));
    const Tensor bias = make_variable(floats({0}, {1}));
    static const Op mean{"Mean"};
    float loss = 0;
    for (int step = 0; step < 400; ++step) {
      Tape tape;
      tape.start();
      const Tensor guess = ops::add(ops::matmul(x, read(w)), read(bias));
      const Tensor error = apply(mean, {ops::square(ops::sub(guess, y)), ops::ints({0, 1})});
      const Tensor sources[] = {w, bias};
      const std::vector<Tensor> g = tape.gradient({&error, 1}, sources);
      update("AssignSubVariableOp", w, ops::mul(g[0], Tensor::scalar(0.5f)));
      update("AssignSubVariableOp", bias, ops::mul(g[1], Tensor::scalar(0.5f)));
      loss = *error.data<float>();
    }
    QVERIFY(loss < 1e-6f);
    QVERIFY(std::abs(read(w).data<float>()[0] - 3) < 1e-2f && std::abs(read(w).data<float>()[1] + 2) < 1e-2f);
    QVERIFY(std::abs(read(bias).data<float>()[0] - 1) < 1e-2f);
  }

  void several_threads_compute_at_once() {
    const Tensor x = floats({1, 2, 3, 4}, {2, 2});
    const Tensor v = make_variable(Tensor::scalar(0.f));
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          wrong += ops::matmul(x, x).data<float>()[3] != 22.0f;
          WatchingTape tape({x});
          const Tensor y = ops::mul(x, x);
          wrong += tape.gradient({&y, 1}, {&x, 1})[0].data<float>()[1] != 4.0f;
          update("AssignAddVariableOp", v, Tensor::scalar(1.f));
        }
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(*read(v).data<float>(), 2000.0f);
  }
};

QTEST_GUILESS_MAIN(TestEager)
#include "test_eager.moc"
