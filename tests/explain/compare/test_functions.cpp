// Two recordings function by function: calls, traces, times, what appeared and vanished.
#include "engine/explain/compare/functions.h"
#include "tests/explain/compare/recording.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

class TestFunctions : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void functions_of_whole_recordings_are_compared() {
    Recording left("before"), right("after");
    for (Recording* r : {&left, &right}) {
      const bool before = r == &left;
      for (uint32_t i = 1; i <= (before ? 3u : 1u); ++i) r->trace(i, 1000);
      for (int i = 0; i < 4; ++i) {
        r->begin_call(1);
        r->in_call(before ? 900 : 300);
        r->end_call();
      }
      if (!before) continue;
      r->begin_call(2);
      r->in_call(50);
      r->end_call();
    }
    const std::vector<FunctionChange> all = compare_functions(left.reader(), right.reader());
    QCOMPARE(all.size(), size_t{2});
    const FunctionChange &step = all[0], &other = all[1];
    QCOMPARE(step.name, std::string("Model.step"));
    QCOMPARE(step.left.calls, uint64_t{4});
    QCOMPARE(step.left.calls_ns, int64_t{3600});
    QCOMPARE(step.right.per_call(), 300.0);
    QCOMPARE(step.left.traces, uint64_t{3});
    QCOMPARE(step.right.traces_ns, int64_t{1000});
    QCOMPARE(step.right.first, FunctionId(1));
    QCOMPARE(outcome_of(step), std::string("2 traces fewer, 3.0 times as fast"));
    QCOMPARE(other.name, std::string("other"));
    QVERIFY(!other.right.ran());
    QVERIFY(!other.right.first.valid());
    QCOMPARE(outcome_of(other), std::string("vanished"));
    const std::vector<FunctionChange> back = compare_functions(right.reader(), left.reader());
    QCOMPARE(outcome_of(back[0]), std::string("2 traces more, 3.0 times as slow"));
    QCOMPARE(outcome_of(back[1]), std::string("appeared"));
  }
};

QTEST_MAIN(TestFunctions)
#include "test_functions.moc"
