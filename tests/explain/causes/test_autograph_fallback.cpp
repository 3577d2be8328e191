// Statements that AutoGraph could not convert, and that met a tensor.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

constexpr const char* kBool =
    "OperatorNotAllowedInGraphError: in user code:\n\n    File \"/run.py\", line 3, in step  *\n        if x > 0:\n\n"
    "    Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: 'Greater:0' has no value";

session::GeneratedRecord fallback(int line, int last_line, const char* kind, const char* note) {
  session::GeneratedRecord g;
  g.function = FunctionId(1);
  g.code = CodeId(0);
  g.name = "step";
  g.file = session::FileId(0);
  g.statements = {{line, last_line, kind, "fallback", note}};
  return g;
}

constexpr const char* kSource =
    "@tf.function\n"
    "def step(x):\n"
    "    if x > 0:\n"
    "        x = x + len(locals())\n"
    "    return x\n";

}  // namespace

class TestAutographFallback : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_statement() {
    SampleSource run(kSource);
    run.trace();
    run.traces[0].error = kBool;
    run.generated.push_back(fallback(3, 4, "if", "locals(), eval() or exec() in this function sees the names"));
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("autograph_fallback"));
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].path, std::string("if x > 0"));
    QVERIFY(found[0].fix.starts_with("Remove locals()"));
  }

  void a_function_that_failed_twice() {
    SampleSource run(kSource);
    for (int i = 0; i < 2; ++i) {
      run.trace();
      run.traces.back().error = kBool;
    }
    run.generated.push_back(fallback(1, 1, "function", "an async function"));
    const auto found = run.findings();
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].line.line, 3);
    QCOMPARE(found[0].related.size(), size_t{1});
    QCOMPARE(found[0].related[0].at.line, 2);
  }

  void what_nothing_tried_to_convert() {
    for (const char* source : {"@tf.autograph.experimental.do_not_convert\n@cached\ndef step(x):\n    if x > 0:\n",
                               "import tf\n@tf.function(autograph=False)\ndef step(x):\n    if x > 0:\n"}) {
      SampleSource run(source);
      run.functions[0].decorator_line = 2;
      run.trace();
      run.traces[0].error = kBool;
      run.traces[0].error.replace(run.traces[0].error.find("line 3"), 6, "line 4");
      QCOMPARE(run.findings().size(), size_t{0});  // the program has handled the error
      run.failed = true;
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].line.line, 4);
      QCOMPARE(found[0].path, std::string("if x > 0"));
      QVERIFY(found[0].fix.starts_with("Remove "));
    }
  }

  void a_comprehension_and_a_call() {
    for (const char* line : {"    return [v for v in x if v > 0]  # all", "    return max(x, 0.0)"}) {
      SampleSource run(std::string("@tf.function\ndef step(x):\n") + line + '\n');
      run.trace();
      run.traces[0].error = kBool;
      const auto found = run.findings();
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].line.line, 3);
      const bool comprehension = std::string(line).find("for") != std::string::npos;
      QCOMPARE(found[0].fix.find("tf.map_fn") != std::string::npos, comprehension);
      QVERIFY(found[0].path.starts_with("return "));
      QVERIFY(!found[0].path.ends_with("all"));
    }
  }

  void other_errors_and_statements_that_did_not_suffer() {
    SampleSource run(kSource);
    run.trace();
    run.generated.push_back(fallback(3, 4, "if", "locals()"));
    QCOMPARE(run.findings().size(), size_t{0});
    run.traces[0].error = "ValueError: in user code:\n    File \"/run.py\", line 3, in step  *\n";
    QCOMPARE(run.findings().size(), size_t{0});
    run.traces[0].error = kBool;
    run.traces[0].error.erase(run.traces[0].error.find("    File"));
    QCOMPARE(run.findings().size(), size_t{0});
  }
};

QTEST_APPLESS_MAIN(TestAutographFallback)
#include "test_autograph_fallback.moc"
