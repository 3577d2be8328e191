// Lines of a file before and after an edit.
#include "engine/explain/compare/align.h"

#include <QTest>

#include <random>

using namespace footlight::explain;

class TestAlign : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lines_are_found_again() {
    const LineMap map("a\nb\nc\nd\n", "a\nx\ny\nb\nd\n");
    QCOMPARE(map.of_right(1), (LineMap::At{1, 0}));
    QCOMPARE(map.of_right(2), (LineMap::At{1, 1}));
    QCOMPARE(map.of_right(3), (LineMap::At{1, 2}));
    QCOMPARE(map.of_right(4), (LineMap::At{2, 0}));
    QCOMPARE(map.of_right(5), (LineMap::At{4, 0}));
    QCOMPARE(map.change_of_left(1), -1);
    QCOMPARE(map.change_of_left(3), 2);
    QCOMPARE(map.change_of_right(2), 1);
    QCOMPARE(map.change_of_right(5), -1);
  }

  void what_replaces_a_line_is_of_one_change() {
    const LineMap map("a\nold\nb\n", "new\na\nnew\nb\n");
    QCOMPARE(map.of_right(1), (LineMap::At{0, 1}));
    QCOMPARE(map.change_of_left(2), 1);
    QCOMPARE(map.change_of_right(3), 1);
    QCOMPARE(map.change_of_right(1), 0);
  }

  void the_same_file_and_lines_beyond_it() {
    const LineMap same("a\nb\n", "a\nb\n");
    QCOMPARE(same.of_right(2), (LineMap::At{2, 0}));
    QCOMPARE(same.of_right(99), (LineMap::At{99, 0}));
    const LineMap empty("", "a\n");
    QCOMPARE(empty.of_right(1), (LineMap::At{0, 1}));
    QCOMPARE(empty.of_right(7).line, 0);
    QCOMPARE(empty.of_right(-3).line, 0);
  }

  // Against the plain recursive definition.
  void common_parts_are_as_long_as_possible() {
    std::minstd_rand random(3);
    for (int round = 0; round < 300; ++round) {
      std::vector<int> a(random() % 9), b(random() % 9);
      for (int& x : a) x = static_cast<int>(random() % 4);
      for (int& x : b) x = static_cast<int>(random() % 4);
      const std::function<size_t(size_t, size_t)> longest = [&](size_t i, size_t j) -> size_t {
        if (i == a.size() || j == b.size()) return 0;
        return a[i] == b[j] ? 1 + longest(i + 1, j + 1) : std::max(longest(i + 1, j), longest(i, j + 1));
      };
      const auto found = in_common(a.size(), b.size(), [&](size_t i, size_t j) { return a[i] == b[j]; });
      QCOMPARE(found.size(), longest(0, 0));
      for (size_t k = 0; k < found.size(); ++k) {
        QCOMPARE(a[found[k].first], b[found[k].second]);
        if (k) QVERIFY(found[k - 1].first < found[k].first && found[k - 1].second < found[k].second);
      }
    }
  }

  void long_texts_that_differ_all_over_have_nothing_in_common() {
    const auto found = in_common(100'000, 100'000, [](size_t, size_t) { return false; });
    QVERIFY(found.empty());
  }
};

QTEST_MAIN(TestAlign)
#include "test_align.moc"
