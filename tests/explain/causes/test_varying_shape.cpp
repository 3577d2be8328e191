// Dimensions that differ from call to call.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestVaryingShape : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shapes_that_vary() {
    SampleRun run({"x"});
    for (int64_t n : {31, 28, 30, 7})
      run.call(call_key([&](keys::KeyWriter& w) { w.tensor(keys::key_spec(keys::DType::kFloat32, {n, 8})); }),
               scaled("1", "(" + std::to_string(n) + ", 8)"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    const Finding& f = found[0];
    QCOMPARE(f.cause, std::string("varying_shape"));
    QCOMPARE(f.path, std::string("args[0].shape[0]"));
    QVERIFY(f.checked.ok);
    QCOMPARE(f.checked.traces_before, size_t{4});
    QCOMPARE(f.checked.traces_after, size_t{1});
    QCOMPARE(f.fix, std::string("tf.TensorSpec([None, 8], tf.float32)"));
    QCOMPARE(f.detail, std::string("args[0]: 4 shapes, [31,8] → [28,8] → [30,8] → [7,8]; dimension 0 varies"));
  }

  void shapes_beside_numbers_are_relaxed() {
    SampleRun run({"x", "rate"});
    for (int64_t n : {31, 28, 30, 7}) run.call(batch_and_rate(n, 0.1), scaled("1"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("@tf.function(reduce_retracing=True)"));
    QCOMPARE(found[0].checked.traces_after, size_t{2});
  }

  void shapes_that_follow_each_other_are_one_finding() {
    SampleRun run({"x", "y"});
    for (int64_t n : {31, 28, 30, 7}) {
      run.call(call_key([&](keys::KeyWriter& w) {
        w.tensor(keys::key_spec(keys::DType::kFloat32, {n, 8}));
        w.tensor(keys::key_spec(keys::DType::kInt32, {n}));
      }), scaled("1"));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].also_paths, (std::vector<std::string>{"args[1].shape[0]"}));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void steady_shapes_ranks_and_dtypes_are_no_varying_shape() {
    auto tensor = [](keys::DType dtype, const keys::Shape& shape) {
      return call_key([&](keys::KeyWriter& w) { w.tensor(keys::key_spec(dtype, shape)); });
    };
    SampleRun steady({"x"});
    for (int round = 0; round < 4; ++round)
      for (int64_t n : {8, 12, 16}) steady.call(tensor(keys::DType::kFloat32, {n}), scaled("1"));
    QVERIFY(findings(steady).empty());
    SampleRun ranks({"x"});
    for (const keys::Shape& shape : {keys::Shape{3}, keys::Shape{4}, keys::Shape{3, 3}, keys::Shape{5}})
      ranks.call(tensor(keys::DType::kFloat32, shape), scaled("1"));
    QVERIFY(std::ranges::none_of(findings(ranks), [](const Finding& f) { return f.cause == "varying_shape"; }));
    SampleRun dtypes({"x"});
    for (int64_t n : {3, 4, 5, 6})
      dtypes.call(tensor(n % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64, {n}), scaled("1"));
    QVERIFY(findings(dtypes).empty());  // each dtype has two sizes: relaxing them saves nothing
  }

  void sizes_of_two_dtypes_are_relaxed() {
    SampleRun run({"x"});
    for (int64_t n = 3; n < 11; ++n) {
      const auto dtype = n % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64;
      run.call(call_key([&](keys::KeyWriter& w) { w.tensor(keys::key_spec(dtype, {n})); }), scaled("1"));
    }
    const auto found = findings(run);
    QVERIFY(!found.empty());
    QCOMPARE(found[0].cause, std::string("varying_shape"));
    QCOMPARE(found[0].fix, std::string("@tf.function(reduce_retracing=True)"));
    QCOMPARE(found[0].checked.traces_after, size_t{4});
  }
};

QTEST_APPLESS_MAIN(TestVaryingShape)
#include "test_varying_shape.moc"
