// The cost of ops by their rules; each distinct signature is described once.
#include "engine/ops/cost.h"

#include "engine/eager/execute.h"

#include <QTest>

using namespace footlight;

namespace {
TensorType f32(Shape shape) { return {DType::kFloat32, std::move(shape)}; }
uint64_t flops_by_row(const char* op, std::vector<TensorType> inputs, std::vector<TensorType> outputs) {
  const OpRow* row = find_row(op);
  return row ? flops_of(*row, inputs, outputs) : 0;
}
}  // namespace

class TestCost : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { eager::init(); }

  void products() {
    QCOMPARE(flops_by_row("MatMul", {f32({2, 3}), f32({3, 5})}, {f32({2, 5})}), 60u);
    QCOMPARE(flops_by_row("MatMul", {f32({3, 2}), f32({3, 5})}, {f32({2, 5})}), 60u);  // the first one transposed
    QCOMPARE(flops_by_row("BatchMatMulV2", {f32({7, 2, 3}), f32({7, 3, 5})}, {f32({7, 2, 5})}), 420u);
    QCOMPARE(flops_by_row("MatMul", {f32({0, 3}), f32({3, 5})}, {f32({0, 5})}), 0u);
    const TensorType c{DType::kComplex64, Shape{2, 2}};
    QCOMPARE(flops_by_row("MatMul", {c, c}, {c}), 64u);
  }

  void convolutions() {
    const TensorType x = f32({1, 8, 8, 3}), filter = f32({3, 3, 3, 16}), y = f32({1, 8, 8, 16});
    const uint64_t all = 2u * 8 * 8 * 16 * 27;
    QCOMPARE(flops_by_row("Conv2D", {x, filter}, {y}), all);
    QCOMPARE(flops_by_row("Conv2DBackpropInput", {f32({4}), filter, y}, {x}), all);
    QCOMPARE(flops_by_row("Conv2DBackpropFilter", {x, f32({4}), y}, {filter}), all);
    QCOMPARE(flops_by_row("DepthwiseConv2dNative", {x, f32({3, 3, 3, 2})}, {f32({1, 8, 8, 6})}), 2u * 8 * 8 * 6 * 9);
  }

  void elements() {
    QCOMPARE(flops_by_row("AddV2", {f32({4, 1}), f32({5})}, {f32({4, 5})}), 20u);
    QCOMPARE(flops_by_row("Exp", {f32({10})}, {f32({10})}), 100u);
    QCOMPARE(flops_by_row("Sum", {f32({6, 7}), f32({1})}, {f32({6})}), 42u);
    QCOMPARE(flops_by_row("Reshape", {f32({6}), f32({2})}, {f32({2, 3})}), 0u);
    QCOMPARE(flops_by_row("Transpose", {f32({2, 3}), f32({2})}, {f32({3, 2})}), 0u);
  }

  void a_signature_is_described_once() {
    const OpRow& add = *find_row("AddV2");
    const Tensor x = Tensor::empty(DType::kFloat32, Shape{3, 4}), y = Tensor::empty(DType::kFloat32, Shape{4});
    const Tensor in[] = {x, y}, out[] = {x};
    const SignatureId id = signature_of(add, in, out);
    QVERIFY(id.valid());
    QVERIFY(signature_of(add, in, out) == id);
    QVERIFY(signature_of(add, input_hash(add, in), in, out) == id);
    // An input whose memory the output took over is described like the output.
    const Tensor gone[] = {Tensor(), y};
    const OpRow& sub = *find_row("Sub");
    QVERIFY(signature_of(sub, input_hash(sub, in), gone, out) == signature_of(sub, in, out));
    const Tensor other[] = {x, x};
    QVERIFY(signature_of(add, other, out) != id);
    QVERIFY(signature_of(*find_row("Mul"), in, out) != id);
    Signature said;
    visit_signatures(id.value, [](void* to, SignatureId, const Signature& s) {
      if (static_cast<Signature*>(to)->inputs.empty()) *static_cast<Signature*>(to) = s;
    }, &said);
    QVERIFY(said.op == add.id);
    QCOMPARE(said.inputs, std::string("float32[3,4], float32[4]"));
    QCOMPARE(said.outputs, std::string("float32[3,4]"));
    QCOMPARE(said.input_bytes, 64u);
    QCOMPARE(said.output_bytes, 48u);
    QCOMPARE(said.flops, 12u);
  }
};

QTEST_GUILESS_MAIN(TestCost)
#include "test_cost.moc"
