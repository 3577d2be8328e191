// Two recordings function by function, and the time of which nothing was recorded.
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

  // Of another program nobody knows whether Python ran where nothing was recorded.
  void time_without_records_is_pythons_only_in_recordings_of_ours() {
    Recording ours("ours"), left("left", "", "/a/t.json", "imported: x");
    Recording right("right", "", "/a/t.json", "imported: x");
    for (Recording* r : {&ours, &left, &right}) {
      r->eager_op(1, 1, 100);
      r->python(900);
    }
    const auto share = [](const Side& side, Share of) { return side.shares[static_cast<size_t>(of)]; };
    const Comparison known = compare_recorded(ours.side(), ours.side(), [] {});
    const Comparison c = compare_recorded(left.side(), right.side(), [] {});
    QCOMPARE(share(known.eager, Share::kPython), 900.0);
    QCOMPARE(share(known.eager, Share::kUnexplained), 0.0);
    QCOMPARE(share(c.eager, Share::kPython), 0.0);
    QCOMPARE(share(c.traced, Share::kUnexplained), 900.0);
    QVERIFY(sentence_of(c).find("90 % of left is not recorded: 900 ns.") != std::string::npos);
    QVERIFY(std::ranges::any_of(c.parts, [](const Part& part) { return part.name == "not recorded"; }));
    QVERIFY(std::ranges::none_of(c.parts, [](const Part& part) { return part.name == "Python"; }));
  }
};

QTEST_MAIN(TestFunctions)
#include "test_functions.moc"
