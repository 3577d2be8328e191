// Counts, range, mean, spread and histogram of tensors of all kinds.
#include "engine/tensor/element.h"
#include "engine/tensor/statistics.h"

#include <QTest>

#include <cmath>
#include <numeric>

using namespace footlight;

namespace {

template <class T>
Tensor vector_of(std::vector<T> values) {
  Tensor t = Tensor::empty(dtype_of<T>, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}

}  // namespace

class TestStatistics : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void finite_elements_only() {
    const float inf = INFINITY;
    const Statistics s = statistics_of(vector_of<float>({1, 0, NAN, inf, -inf, -inf, 3, 0}));
    QCOMPARE(s.nan, int64_t{1});
    QCOMPARE(s.positive_infinity, int64_t{1});
    QCOMPARE(s.negative_infinity, int64_t{2});
    QCOMPARE(s.zeros, int64_t{2});
    QCOMPARE(s.minimum, 0.0);
    QCOMPARE(s.maximum, 3.0);
    QCOMPARE(s.mean, 1.0);
    QVERIFY(std::abs(s.deviation - std::sqrt(6.0 / 4)) < 1e-12);
    QCOMPARE(std::accumulate(s.bins.begin(), s.bins.end(), uint64_t{0}), uint64_t{4});
    QCOMPARE(s.bins.front(), uint64_t{2});
    QCOMPARE(s.bins.back(), uint64_t{1});
    const NonFinite found = non_finite_in(vector_of<float>({1, NAN, inf}));
    QCOMPARE(found.nan, int64_t{1});
    QCOMPARE(found.infinity, int64_t{1});
  }

  void no_finite_element() {
    for (const Tensor& t : {vector_of<float>({}), vector_of<float>({NAN})}) {
      const Statistics s = statistics_of(t);
      QVERIFY(std::isnan(s.minimum) && std::isnan(s.mean) && std::isnan(s.deviation));
      QVERIFY(s.bins.empty());
    }
  }

  void numbers_at_the_end_of_their_range() {
    const double most = 1.7e308;
    const Statistics s = statistics_of(vector_of<double>({most, -most, most, -most}));
    QCOMPARE(s.mean, 0.0);
    QVERIFY(std::abs(s.deviation / most - 1) < 1e-9);
    QCOMPARE(s.bins.front() + s.bins.back(), uint64_t{4});
    const Statistics equal = statistics_of(vector_of<double>({most, most}));
    QCOMPARE(equal.mean, most);
    QCOMPARE(equal.deviation, 0.0);
    QCOMPARE(equal.bins, std::vector<uint64_t>{2});
  }

  void other_kinds() {
    QCOMPARE(statistics_of(vector_of<int64_t>({-4, 2})).mean, -1.0);
    QCOMPARE(statistics_of(vector_of<uint8_t>({0, 255})).maximum, 255.0);
    const Statistics c = statistics_of(vector_of<std::complex<float>>({{3, 4}, {NAN, 0}}));
    QCOMPARE(c.maximum, 5.0);
    QCOMPARE(c.nan, int64_t{1});
    QCOMPARE(non_finite_in(vector_of<int32_t>({1})).nan, int64_t{0});
    QCOMPARE(element_of(vector_of<int32_t>({7, 9}), 1), 9.0);
  }
};

QTEST_APPLESS_MAIN(TestStatistics)
#include "test_statistics.moc"
