// Small vectors, messages and errors.
#include "engine/base/small_vector.h"
#include "engine/base/text.h"

#include <QTest>

using namespace footlight;

class TestBase : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void small_vector_grows_out_of_itself() {
    SmallVector<int64_t, 2> v;
    for (int64_t i = 0; i < 100; ++i) v.push_back(i);
    QCOMPARE(v.size(), 100u);
    for (int64_t i = 0; i < 100; ++i) QCOMPARE(v[static_cast<size_t>(i)], i);
    v.pop_back();
    QCOMPARE(v.back(), int64_t{98});
  }

  void small_vector_copies_and_moves() {
    SmallVector<int, 2> little;
    little.push_back(7);
    SmallVector<int, 2> large;
    for (int i = 0; i < 9; ++i) large.push_back(i);
    SmallVector<int, 2> a = little;
    SmallVector<int, 2> b = large;
    QVERIFY(a == little && b == large && !(a == b));
    std::swap(a, b);
    QVERIFY(a == large && b == little);
    a = std::move(b);
    QVERIFY(a == little);
    SmallVector<int, 2> c = std::move(large);
    QCOMPARE(c.size(), 9u);
    QCOMPARE(large.size(), 0u);
    large.push_back(1);
    QCOMPARE(large[0], 1);
    c = c;
    QCOMPARE(c.size(), 9u);
    c.resize(12, 5);
    QCOMPARE(c[11], 5);
    c.clear();
    QVERIFY(c.empty());
  }

  void messages() {
    QCOMPARE(str("a ", 3, ' ', std::string("b"), true, -2.5), std::string("a 3 btrue-2.5"));
    try {
      fail(ErrorKind::kValue, "size ", size_t{4}, " is wrong");
      QFAIL("nothing was thrown");
    } catch (const Error& e) {
      QCOMPARE(e.kind(), ErrorKind::kValue);
      QCOMPARE(e.message(), std::string("size 4 is wrong"));
      QCOMPARE(std::string(e.what()), e.message());
    }
  }
};

QTEST_GUILESS_MAIN(TestBase)
#include "test_base.moc"
