// Functions that run many ops one by one.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestEagerHotLoop : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_function_called_in_a_loop() {
    SampleSource run(kSource);
    const CodeId train = run.code("train", 1), main = run.code("main", 5);
    for (int i = 0; i < 500; ++i) {
      for (int k = 0; k < 3; ++k) run.op(train, 2), run.op(train, 3);
      run.op(main, 7);
    }
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("eager_hot_loop"));
    QVERIFY(!found[0].function.valid());
    QCOMPARE(found[0].code, train);
    QCOMPARE(found[0].line.line, 1);
    QCOMPARE(found[0].path, std::string("train"));
    QCOMPARE(found[0].related.size(), size_t{1});
    QCOMPARE(found[0].related[0].at.line, 7);
    QCOMPARE(found[0].edit.old_text, std::string("def train("));
  }

  void loops_of_a_function_that_is_called_once() {
    SampleSource run(kSource);
    const CodeId main = run.code("main", 5), module = run.code("<module>", 1);
    for (int i = 0; i < 5000; ++i) run.op(main, 7), run.op(module, 9);
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void many_shapes_few_ops_or_a_small_part() {
    SampleSource shapes(kSource);
    CodeId train = shapes.code("train", 1);
    for (uint32_t i = 0; i < 3000; ++i) shapes.op(train, 2, i % 6), shapes.op(train, 3);
    QCOMPARE(shapes.findings().size(), size_t{0});
    SampleSource few(kSource);
    train = few.code("train", 1);
    for (int i = 0; i < 999; ++i) few.op(train, 2), few.op(train, 3);
    QCOMPARE(few.findings().size(), size_t{0});
    SampleSource slow(kSource);
    train = slow.code("train", 1);
    for (int i = 0; i < 3000; ++i) slow.op(train, 2, 1, 1000, 2'000'000), slow.op(train, 3);
    QCOMPARE(slow.findings().size(), size_t{0});
  }

  void an_import_or_another_program_on_the_way_is_not_the_run() {
    for (const int64_t pause_ns : {8'000'000, 900'000'000}) {
      for (const int pauses : {3, 6}) {
        SampleSource run(kSource);
        const CodeId train = run.code("train", 1);
        for (int i = 0; i < 1500; ++i)
          run.op(train, 2, 1, 1000, i % 250 == 10 && i / 250 < pauses ? pause_ns : 1000), run.op(train, 3);
        QCOMPARE(run.findings().size(), pauses == 3 ? size_t{1} : size_t{0});  // six are waits
      }
    }
  }

  void short_imports_and_the_making_of_data_come_once() {
    for (const bool often : {false, true}) {
      SampleSource run(kSource);
      const CodeId module = run.code("<module>", 1), train = run.code("train", 1);
      run.op(module, 9);
      run.op(module, 10, 1, 1000, 40'000'000);
      for (int i = 0; i < 1500; ++i) {
        if (often && i % 100 == 0) run.op(module, 11), run.op(module, 12, 1, 1000, 3'000'000);
        run.op(train, 2, 1, 1000, i ? 1000 : 30'000'000), run.op(train, 3);
      }
      QCOMPARE(run.findings().size(), often ? size_t{0} : size_t{1});
    }
  }

  void many_ops_of_one_instruction_are_one_call() {
    SampleSource run(kSource);
    const CodeId train = run.code("train", 1);
    for (int i = 0; i < 10; ++i) {
      for (int k = 0; k < 400; ++k) run.op(train, 2);
      run.op(train, 3);
    }
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void a_function_that_is_traced_already() {
    SampleSource run(kSource);
    const CodeId train = run.code("train", 1);
    SampleSource::node(run.trace(), "Mul", 2, train);
    for (int i = 0; i < 3000; ++i) run.op(train, 2), run.op(train, 3);
    QCOMPARE(run.findings().size(), size_t{0});
  }

  void the_outer_one_of_two() {
    SampleSource run(
        "def dense(x):\n"
        "    return x @ w + b\n"
        "def train(x):\n"
        "    x = dense(x)\n"
        "    return x * 2\n"
        "for i in range(1000):\n"
        "    train(x)\n");
    const CodeId dense = run.code("dense", 1), train = run.code("train", 3);
    for (int i = 0; i < 1000; ++i) run.op(dense, 2), run.op(dense, 2), run.op(train, 5);
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("train"));
    QCOMPARE(found[0].related[0].at.line, 7);
  }

  void the_decorator_of_the_engine() {
    const auto fix = [](const std::string& imports, const std::string& name) {
      SampleSource run(kSource);
      run.files[0].text = kSource + imports;
      const CodeId train = run.code(name, 1), main = run.code("main", 5);
      for (int i = 0; i < 2000; ++i) run.op(train, 2), run.op(train, 3), run.op(main, 7);
      const auto found = run.findings();
      return found.empty() ? std::string("none") : found[0].fix + '|' + found[0].edit.new_text;
    };
    QCOMPARE(fix("import tensorflow as tf", "train"),
             std::string("Write @tf.function before def train|@tf.function\ndef train("));
    QCOMPARE(fix("import jax, math", "train"), std::string("Write @jax.jit before def train|@jax.jit\ndef train("));
    QCOMPARE(fix("from jax import lax", "train"), std::string("Write @jax.jit before def train|"));
    QCOMPARE(fix("import jax\nimport tensorflow as tf", "train"),
             std::string("Write @tf.function before def train|@tf.function\ndef train("));
    QCOMPARE(fix("import jax", "Net.train"),
             std::string("Put what train computes into a function with @jax.jit whose arguments are arrays|"));
  }

  void generators_make_data() {
    SampleSource run(
        "def batches(x):\n"
        "    x = x + 1\n"
        "    yield x\n");
    const CodeId code = run.code("batches", 1);
    for (int i = 0; i < 3000; ++i) run.op(code, 2), run.op(code, 3);
    QCOMPARE(run.findings().size(), size_t{0});
  }

 private:
  static constexpr const char* kSource =
      "def train(x):\n"
      "    y = x * x\n"
      "    return y + 1\n"
      "\n"
      "def main():\n"
      "    for i in range(500):\n"
      "        train(x) + 1\n"
      "for i in range(9):\n"
      "    x + 1\n";
};

QTEST_APPLESS_MAIN(TestEagerHotLoop)
#include "test_eager_hot_loop.moc"
