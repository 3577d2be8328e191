// Shapes, dtypes, 16-bit floats and device names.
#include "engine/tensor/device.h"
#include "engine/tensor/element.h"
#include "engine/tensor/shape.h"
#include "tests/base/thrown.h"

#include <QTest>

#include <cmath>

using namespace footlight;

class TestShape : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void printing() {
    QCOMPARE(Shape().to_string(), std::string("()"));
    QCOMPARE(Shape({3}).to_string(), std::string("(3,)"));
    QCOMPARE(Shape({2, kUnknownDim}).to_string(), std::string("(2, None)"));
    QCOMPARE(Shape::unknown_rank().to_string(), std::string("<unknown>"));
    QCOMPARE(Shape({2, kUnknownDim}).brackets(), std::string("[2,?]"));
    QCOMPARE(Shape({2, 3, 4, 5, 6}).elements(), int64_t{720});
  }

  void what_is_known() {
    QVERIFY(Shape({2, 3}).fully_known());
    QVERIFY(!Shape({2, kUnknownDim}).fully_known());
    QVERIFY(!Shape::unknown_rank().fully_known());
    QVERIFY(!(Shape() == Shape::unknown_rank()));
  }

  void order() {
    const Shape any = Shape::unknown_rank();
    const Shape rows{kUnknownDim, 3};
    const Shape exact{2, 3};
    QVERIFY(is_subshape(exact, rows) && is_subshape(rows, any) && is_subshape(exact, exact));
    QVERIFY(!is_subshape(rows, exact) && !is_subshape(any, rows) && !is_subshape(Shape{2, 4}, rows));
    QVERIFY(compatible(rows, exact) && compatible(any, exact) && !compatible(exact, Shape{2, 4}) &&
            !compatible(exact, Shape{2}));
    QCOMPARE(merge(Shape({2, kUnknownDim}), rows).to_string(), std::string("(2, 3)"));
    QCOMPARE(merge(any, exact).to_string(), std::string("(2, 3)"));
    QCOMPARE(relax(exact, Shape{4, 3}).to_string(), std::string("(None, 3)"));
    QCOMPARE(relax(exact, Shape{4}).to_string(), std::string("<unknown>"));
    QCOMPARE(kind_thrown([] { merge(Shape{2}, Shape{3}); }), ErrorKind::kValue);
  }

  void broadcasting() {
    auto text = [](const Shape& a, const Shape& b) { return broadcast(a, b).to_string(); };
    QCOMPARE(text({2, 1}, {3}), std::string("(2, 3)"));
    QCOMPARE(text({}, {3, 0}), std::string("(3, 0)"));
    QCOMPARE(text({1}, {0}), std::string("(0,)"));
    QCOMPARE(text({kUnknownDim}, {3}), std::string("(3,)"));
    QCOMPARE(text({kUnknownDim}, {1}), std::string("(None,)"));
    QCOMPARE(text({kUnknownDim}, {kUnknownDim}), std::string("(None,)"));
    QCOMPARE(broadcast(Shape::unknown_rank(), Shape{2}).to_string(), std::string("<unknown>"));
    QCOMPARE(kind_thrown([] { broadcast(Shape{2}, Shape{3}); }), ErrorKind::kInvalidArgument);
  }

  void dtypes() {
    QCOMPARE(static_cast<int>(DType::kFloat16), 19);  // as in GraphDef
    for (size_t i = 1; i < kDTypeCount; ++i) {
      const auto t = static_cast<DType>(i);
      if (!in_set(t, kAllTypes)) continue;
      QCOMPARE(dtype_from_name(name_of(t)), t);
      QCOMPARE(dtype_from_name(graphdef_name(t)), t);
      QVERIFY(size_of(t) > 0);
      if (is_plain(t)) with_plain_type(t, [&](auto zero) { QCOMPARE(sizeof(zero), size_of(t)); });
    }
    QCOMPARE(dtype_from_name("float"), DType::kFloat32);
    QCOMPARE(dtype_from_name("half"), DType::kFloat16);
    QCOMPARE(dtype_from_name("flaot32"), DType::kInvalid);
    QVERIFY(is_floating(DType::kBFloat16) && !is_floating(DType::kComplex64) && is_integer(DType::kUInt8) &&
            !is_integer(DType::kBool));
    QVERIFY(!is_plain(DType::kString) && is_plain(DType::kBool));
  }

  // All 65536 patterns go to float and back unchanged, and rounding is to the nearest, ties to even.
  void half_floats() {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const Float16 h = Float16::of_bits(static_cast<uint16_t>(bits));
      const float f = h;
      if (std::isnan(f)) QVERIFY(std::isnan(static_cast<float>(Float16(f))));
      else QCOMPARE(Float16(f).bits, h.bits);
      const BFloat16 b = BFloat16::of_bits(static_cast<uint16_t>(bits));
      const float g = b;
      if (std::isnan(g)) QVERIFY(std::isnan(static_cast<float>(BFloat16(g))));
      else QCOMPARE(BFloat16(g).bits, b.bits);
    }
    QCOMPARE(static_cast<float>(Float16(1.0f / 3)), 0.333251953125f);
    QCOMPARE(static_cast<float>(Float16(2049.0f)), 2048.0f);
    QCOMPARE(static_cast<float>(Float16(2051.0f)), 2052.0f);
    QCOMPARE(static_cast<float>(Float16(65519.0f)), 65504.0f);
    QVERIFY(std::isinf(static_cast<float>(Float16(65520.0f))));
    QCOMPARE(static_cast<float>(Float16(0x1p-25f)), 0.0f);
    QCOMPARE(static_cast<float>(Float16(0x1.8p-25f)), 0x1p-24f);
    QCOMPARE(static_cast<float>(BFloat16(257.0f)), 256.0f);
    QCOMPARE(static_cast<float>(BFloat16(259.0f)), 260.0f);
  }

  void device_names() {
    for (const char* name :
         {"/gpu:1", "GPU:1", "/device:GPU:1", "/job:localhost/replica:0/task:0/device:GPU:1", "gpu:1"})
      QCOMPARE(parse_device(name), Device::gpu(1));
    for (const char* name : {"", "/CPU:0", "cpu", "/device:CPU:0", "/job:localhost"})
      QCOMPARE(parse_device(name), Device::cpu());
    QCOMPARE(full_name(Device::gpu(2)), std::string("/job:localhost/replica:0/task:0/device:GPU:2"));
    QCOMPARE(parse_device(full_name(Device::gpu(2))), Device::gpu(2));
    QCOMPARE(merged_device("", "/cpu:0"), std::string("/device:CPU:0"));
    QCOMPARE(merged_device("", "gpu"), std::string("/device:GPU:*"));
    QCOMPARE(merged_device("/job:a/task:1/device:CPU:0", "/task:2/gpu:1"), std::string("/job:a/task:2/device:GPU:1"));
    QCOMPARE(merged_device("/replica:0/device:GPU:1", ""), std::string("/replica:0/device:GPU:1"));
    for (const char* name : {"/tpu:0", "gpu:x", "gpu:", "gpu:300", "nonsense"})
      QCOMPARE(kind_thrown([&] { parse_device(name); }), ErrorKind::kValue);
  }
};

QTEST_GUILESS_MAIN(TestShape)
#include "test_shape.moc"
