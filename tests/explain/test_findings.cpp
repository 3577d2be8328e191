// Properties of the findings of all causes.
#include "engine/explain/findings.h"
#include "engine/explain/report.h"
#include "engine/explain/words.h"
#include "tests/explain/sample_run.h"
#include "tests/keys/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestFindings : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_are_listed() {
    QCOMPARE(listed({}), std::string());
    QCOMPARE(listed({"a"}), std::string("a"));
    QCOMPARE(listed({"a", "b"}), std::string("a and b"));
    QCOMPARE(listed({"a", "b", "c"}), std::string("a, b and c"));
  }

  void a_share_that_rounds_to_nothing_is_not_nothing() {
    QCOMPARE(share_of_run(208'000, 993'000'000), std::string("less than 0.1 % of the run"));
    QCOMPARE(share_of_run(500'000, 993'000'000), std::string("0.1 % of the run"));
    QCOMPARE(share_of_run(0, 993'000'000), std::string());
  }

  void every_cause_is_registered_under_a_name_of_its_own() {
    std::set<std::string> names;
    for (const Cause* cause : all_causes()) names.insert(cause->name);
    QCOMPARE(names.size(), all_causes().size());
    for (const char* name : {"identical_graphs", "python_scalar_argument", "varying_shape"})
      QVERIFY(names.count(name));
  }

  void an_inner_function_is_explained_by_the_outer_one() {
    SampleRun outer({"x", "lr"}, 1), inner({"x", "lr"}, 2);
    for (int i = 0; i < 6; ++i) {
      SampleRun::Options options;
      options.trace_ns = 10'000;
      const int64_t start = outer.now_ns;
      outer.call(batch_and_rate(32, i), scaled(std::to_string(i)), options);
      inner.now_ns = start + 100;
      inner.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    }
    // Graph ids are per run: the inner ones are moved past the others.
    for (session::TraceRecord& t : inner.traces) t.graphs = {{"traced", GraphId(t.graph().value + 100)}};
    for (session::GraphRecord& g : inner.graphs) g.id = GraphId(g.id.value + 100);
    const auto both = [](auto a, const auto& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    const auto functions = both(outer.functions, inner.functions);
    const auto traces = both(outer.traces, inner.traces);
    const auto graphs = both(outer.graphs, inner.graphs);
    const auto calls = both(outer.calls, inner.calls);
    const auto keys = both(outer.keys, inner.keys);
    const auto found = find_findings({functions, traces, graphs, calls, keys}).found;
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].function, FunctionId(1));
    QCOMPARE(findings(inner).size(), size_t{1});
  }

  void what_was_not_replayed_is_not_called_checked() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    run.raw_keys = false;
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].checked.method, Checked::Method::kNone);
    QVERIFY(!found[0].checked.ok);
    QCOMPARE(check_text(found[0].checked),
             std::string("Not verified: the recording has no raw keys of the traces"));
  }
};

QTEST_APPLESS_MAIN(TestFindings)
#include "test_findings.moc"
