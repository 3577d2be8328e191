// Which trace serves a call.
#include "engine/keys/dispatch.h"
#include "tests/keys/specs.h"

#include <QTest>

#include <random>

using namespace footlight;
using namespace footlight::keys;

namespace {

Key key(const Shape& shape, int64_t literal = 0) {
  KeyWriter w;
  w.context(0);
  w.tensor(key_spec(DType::kFloat32, shape));
  w.integer(literal);
  return Key({w.words.data(), w.words.size()}, {"x", "k"}, nullptr);
}

}  // namespace

class TestDispatch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void exact_keys_hit() {
    DispatchTable table;
    QCOMPARE(table.find(key({2}).words), DispatchTable::kMiss);
    QCOMPARE(table.add(key({2})), 0);
    QCOMPARE(table.add(key({3})), 1);
    for (int round = 0; round < 3; ++round) {
      QCOMPARE(table.find(key({2}).words), 0);
      QCOMPARE(table.find(key({3}).words), 1);
      QCOMPARE(table.find(key({4}).words), DispatchTable::kMiss);
    }
  }

  void the_most_specific_cover_wins_then_the_oldest() {
    DispatchTable table;
    table.add(key(Shape::unknown_rank()));
    table.add(key({kUnknownDim, kUnknownDim}));
    table.add(key({kUnknownDim, 3}));
    table.add(key({2, kUnknownDim}));
    QCOMPARE(table.find(key({5, 3}).words), 2);
    QCOMPARE(table.find(key({5, 4}).words), 1);
    QCOMPARE(table.find(key({5}).words), 0);
    QCOMPARE(table.find(key({2, 3}).words), 2);  // two fit equally well: the older one
    table.add(key({2, 3}));
    QCOMPARE(table.find(key({2, 3}).words), 4);  // a remembered answer does not hide a better trace
  }

  void literals_never_cover_each_other() {
    DispatchTable table;
    table.add(key(Shape::unknown_rank(), 1));
    QCOMPARE(table.find(key({2}, 1).words), 0);
    QCOMPARE(table.find(key({2}, 2).words), DispatchTable::kMiss);
  }

  void a_forgotten_trace_is_not_found() {
    DispatchTable table;
    table.add(key({2}));
    table.add(key({kUnknownDim}));
    QCOMPARE(table.find(key({2}).words), 0);
    table.forget(0);
    QCOMPARE(table.find(key({2}).words), 1);
    table.forget(1);
    QCOMPARE(table.find(key({2}).words), DispatchTable::kMiss);
  }

  void what_is_forgotten_takes_no_room() {
    DispatchTable table;
    for (int64_t i = 0; i < 1000; ++i) QCOMPARE(table.add(key({i})), static_cast<int>(i));
    for (int trace = 0; trace < 1000; ++trace)
      if (trace != 500) table.forget(trace);
    QCOMPARE(table.size(), size_t{1});
    QCOMPARE(table.index_end(), size_t{501});
    QCOMPARE(table.find(key({500}).words), 500);
    QCOMPARE(table.add(key({7})), 0);  // indexes are reused
    QCOMPARE(table.add(key({8})), 1);
    table.forget(500);
    QCOMPARE(table.index_end(), size_t{2});
    QCOMPARE(table.by_age(), (std::vector<int>{0, 1}));
    QCOMPARE(table.find(key({8}).words), 1);
  }

  void age_counts_and_not_the_index() {
    DispatchTable table;
    table.add(key({1}));
    table.add(key({kUnknownDim, 3}));
    table.forget(0);
    QCOMPARE(table.add(key({2, kUnknownDim})), 0);
    QCOMPARE(table.find(key({2, 3}).words), 1);  // both fit equally well: the older one
  }

  void the_least_recently_used_is_known() {
    DispatchTable table;
    QCOMPARE(table.least_recently_used(), DispatchTable::kMiss);
    for (int64_t i = 0; i < 3; ++i) table.add(key({i}));
    table.find(key({0}).words);
    QCOMPARE(table.least_recently_used(), 1);
    table.find(key({1}).words);
    QCOMPARE(table.least_recently_used(), 2);
  }

  void relaxing_goes_over_all_comparable_traces() {
    DispatchTable table;
    table.add(key({2, 8}));
    QVERIFY(std::ranges::equal(table.relaxed(key({3, 8}).words), key({kUnknownDim, 8}).words));
    table.add(key({kUnknownDim, 8}));
    QVERIFY(std::ranges::equal(table.relaxed(key({4, 9}).words), key({kUnknownDim, kUnknownDim}).words));
    QVERIFY(std::ranges::equal(table.relaxed(key({4, 9}, 5).words),
                               key({4, 9}, 5).words));  // a different literal starts exact
  }

  void the_nearest_has_the_fewest_differences() {
    DispatchTable table;
    table.add(key({2, 8}, 1));
    table.add(key({2, 9}, 2));
    std::vector<Difference> differing;
    QCOMPARE(table.nearest(key({2, 8}, 3), differing), 0);
    QCOMPARE(differing.size(), size_t{1});
    QCOMPARE(differing[0].path, std::string("args[1]"));
    DispatchTable empty;
    QCOMPARE(empty.nearest(key({2}), differing), DispatchTable::kMiss);
  }

  void a_flood_of_shapes_is_remembered_within_bounds() {
    DispatchTable table;
    table.add(key({kUnknownDim}));
    for (int64_t i = 0; i < 20000; ++i) QCOMPARE(table.find(key({i}).words), 0);
  }

  // The table looks among keys that differ in shapes alone; here all are asked, in the order in which they came.
  void relaxed_as_if_all_were_asked() {
    std::mt19937 random(7);
    const auto draw = [&] { return static_cast<int64_t>(random() % 3); };
    const auto any = [&] {
      const Shape shapes[] = {{2 + draw(), 5}, {7}, {4, 5 + draw(), 1}, Shape::unknown_rank(), {kUnknownDim, 5}};
      return key(shapes[random() % 5], draw());
    };
    for (int round = 0; round < 50; ++round) {
      DispatchTable table;
      for (int i = 0; i < 12; ++i) {
        if (const Key one = any(); table.find(one.words) == DispatchTable::kMiss) table.add(one);
        if (draw() == 0) table.forget(table.by_age()[random() % table.size()]);
        if (table.size() == 0) continue;
        const Key asked = any();
        std::vector<uint64_t> want(asked.words.begin(), asked.words.end());
        for (const int trace : table.by_age())
          if (auto general = generalise(want, table.key(trace).words)) want = std::move(*general);
        QVERIFY(table.relaxed(asked.words) == want);
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestDispatch)
#include "test_dispatch.moc"
