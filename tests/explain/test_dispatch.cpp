// Which trace serves a call.
#include "engine/explain/dispatch.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

Key of(const Shape& shape, int64_t literal = 0) {
  KeyWriter w;
  w.context(false, 0, 0, 0);
  w.tensor(DType::kFloat32, shape);
  w.integer(literal);
  return Key({w.words.data(), w.words.size()}, {"x", "k"}, nullptr);
}

}  // namespace

class TestDispatch : public QObject {
  Q_OBJECT
 private slots:
  void exact_keys_hit() {
    DispatchTable table;
    QCOMPARE(table.find(of({2}).words), DispatchTable::kMiss);
    QCOMPARE(table.add(of({2})), 0);
    QCOMPARE(table.add(of({3})), 1);
    for (int round = 0; round < 3; ++round) {
      QCOMPARE(table.find(of({2}).words), 0);
      QCOMPARE(table.find(of({3}).words), 1);
      QCOMPARE(table.find(of({4}).words), DispatchTable::kMiss);
    }
  }

  void the_most_specific_cover_wins_then_the_oldest() {
    DispatchTable table;
    table.add(of(Shape::unknown_rank()));
    table.add(of({kUnknownDim, kUnknownDim}));
    table.add(of({kUnknownDim, 3}));
    table.add(of({2, kUnknownDim}));
    QCOMPARE(table.find(of({5, 3}).words), 2);
    QCOMPARE(table.find(of({5, 4}).words), 1);
    QCOMPARE(table.find(of({5}).words), 0);
    QCOMPARE(table.find(of({2, 3}).words), 2);  // two fit equally well: the older one
    table.add(of({2, 3}));
    QCOMPARE(table.find(of({2, 3}).words), 4);  // what was remembered does not hide a better trace
  }

  void literals_never_cover_each_other() {
    DispatchTable table;
    table.add(of(Shape::unknown_rank(), 1));
    QCOMPARE(table.find(of({2}, 1).words), 0);
    QCOMPARE(table.find(of({2}, 2).words), DispatchTable::kMiss);
  }

  void a_forgotten_trace_is_not_found() {
    DispatchTable table;
    table.add(of({2}));
    table.add(of({kUnknownDim}));
    QCOMPARE(table.find(of({2}).words), 0);
    table.forget(0);
    QCOMPARE(table.find(of({2}).words), 1);
    table.forget(1);
    QCOMPARE(table.find(of({2}).words), DispatchTable::kMiss);
  }

  void relaxing_goes_over_all_comparable_traces() {
    DispatchTable table;
    table.add(of({2, 8}));
    QVERIFY(std::ranges::equal(table.relaxed(of({3, 8}).words), of({kUnknownDim, 8}).words));
    table.add(of({kUnknownDim, 8}));
    QVERIFY(std::ranges::equal(table.relaxed(of({4, 9}).words), of({kUnknownDim, kUnknownDim}).words));
    QVERIFY(std::ranges::equal(table.relaxed(of({4, 9}, 5).words),
                               of({4, 9}, 5).words));  // another literal starts exact
  }

  void the_nearest_has_the_fewest_differences() {
    DispatchTable table;
    table.add(of({2, 8}, 1));
    table.add(of({2, 9}, 2));
    std::vector<Difference> differing;
    QCOMPARE(table.nearest(of({2, 8}, 3), differing), 0);
    QCOMPARE(differing.size(), size_t{1});
    QCOMPARE(differing[0].path, std::string("args[1]"));
    DispatchTable empty;
    QCOMPARE(empty.nearest(of({2}), differing), DispatchTable::kMiss);
  }

  void a_flood_of_shapes_is_remembered_within_bounds() {
    DispatchTable table;
    table.add(of({kUnknownDim}));
    for (int64_t i = 0; i < 20000; ++i) QCOMPARE(table.find(of({i}).words), 0);
  }
};

QTEST_APPLESS_MAIN(TestDispatch)
#include "test_dispatch.moc"
