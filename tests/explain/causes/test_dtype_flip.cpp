// Tensors whose dtype differs from call to call.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

keys::KeyWriter tensor(keys::DType dtype) {
  return call_key([&](keys::KeyWriter& w) { w.tensor(keys::key_spec(dtype, {25})); });
}

}  // namespace

class TestDTypeFlip : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void two_dtypes_from_one_line() {
    SampleRun run({"labels"});
    for (int i = 0; i < 9; ++i) {
      run.call(tensor(i % 3 ? keys::DType::kInt32 : keys::DType::kInt64), scaled("1"));
      run.calls.back().source = {CodeId(1), 45};
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("dtype_flip"));
    QCOMPARE(found[0].path, std::string("args[0].dtype"));
    QCOMPARE(found[0].fix, std::string("tf.cast(labels, tf.int32)"));
    QVERIFY(found[0].checked.ok);
    QCOMPARE(found[0].checked.traces_before, size_t{2});
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void a_cast_keeps_fractions() {
    SampleRun run({"x"});
    for (const auto dtype : {keys::DType::kInt32, keys::DType::kInt32, keys::DType::kInt64, keys::DType::kFloat32}) {
      run.call(tensor(dtype), scaled("1"));
      run.calls.back().source = {CodeId(1), 45};
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("tf.cast(x, tf.float32)"));
  }

  void two_dtypes_from_two_lines_are_meant() {
    SampleRun run({"x"});
    for (uint32_t i = 0; i < 8; ++i) {
      run.call(tensor(i % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64), scaled("1"));
      run.calls.back().source = {CodeId(1), 10 + i % 2};
    }
    QVERIFY(findings(run).empty());
  }

  void arguments_that_flip_together_are_one_finding() {
    SampleRun run({"x", "y"});
    for (int i = 0; i < 8; ++i) {
      run.call(call_key([&](keys::KeyWriter& w) {
        for (int k = 0; k < 2; ++k)
          w.tensor(keys::key_spec(i % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64, {4}));
      }), scaled("1"));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].also_paths, (std::vector<std::string>{"args[1].dtype"}));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void what_cannot_be_replayed_is_not_claimed() {
    SampleRun run({"x"});
    for (int i = 0; i < 8; ++i) run.call(tensor(i % 2 ? keys::DType::kFloat32 : keys::DType::kFloat64), scaled("1"));
    run.raw_keys = false;
    QVERIFY(findings(run).empty());
  }
};

QTEST_APPLESS_MAIN(TestDTypeFlip)
#include "test_dtype_flip.moc"
