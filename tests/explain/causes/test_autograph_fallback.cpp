// Statements that AutoGraph could not convert, and that met a tensor.
#include "tests/explain/sample_source.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

constexpr const char* kBool =
    "OperatorNotAllowedInGraphError: in user code:\n\n    File \"/run.py\", line 3, in step  *\n        if x > 0:\n\n"
    "    Using the symbolic tensor 'Greater:0' as a Python `bool` is not allowed: it has no value";

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
    QVERIFY(found[0].fix.starts_with("remove locals()"));
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

  void other_errors_and_statements_that_did_not_suffer() {
    SampleSource run(kSource);
    run.trace();
    run.generated.push_back(fallback(3, 4, "if", "locals()"));
    QCOMPARE(run.findings().size(), size_t{0});
    run.traces[0].error = "ValueError: in user code:\n    File \"/run.py\", line 3, in step  *\n";
    QCOMPARE(run.findings().size(), size_t{0});
    run.traces[0].error = kBool;
    run.generated[0].statements[0].fate = "staged";
    QCOMPARE(run.findings().size(), size_t{0});
  }
};

QTEST_APPLESS_MAIN(TestAutographFallback)
#include "test_autograph_fallback.moc"
