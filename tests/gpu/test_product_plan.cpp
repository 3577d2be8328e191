// The plan of a matrix product, carried out by a column-major multiplier written here, against plain sums.
#include "kernels/cuda/product_plan.h"

#include <QTest>

#include <numeric>

using namespace footlight;
using namespace footlight::cuda;

namespace {

// As cuBLASLt does: out = op(first) op(second), all column-major.
void column_major(const ProductPlan& p, const std::vector<double>& a, const std::vector<double>& b,
                  std::vector<double>& out, int64_t a_at, int64_t b_at, int64_t out_at) {
  const auto element = [](const Operand& o, const std::vector<double>& m, int64_t at, int64_t row, int64_t column) {
    if (o.transposed) std::swap(row, column);
    if (row >= o.rows || column >= o.columns) qFatal("outside of the matrix");
    return m.at(static_cast<size_t>(at + row + column * o.leading));
  };
  for (int64_t i = 0; i < p.out.rows; ++i)
    for (int64_t j = 0; j < p.out.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < p.depth; ++k) sum += element(p.first, b, b_at, i, k) * element(p.second, a, a_at, k, j);
      out.at(static_cast<size_t>(out_at + i + j * p.out.leading)) = sum;
    }
}

Shape of(const QVector<int>& dims) {
  Shape s;
  for (int d : dims) s.append(d);
  return s;
}

std::vector<double> numbers(const Shape& s) {
  std::vector<double> v(static_cast<size_t>(s.elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = double((i * 7 + 3) % 11) - 4;
  return v;
}

}  // namespace

class TestProductPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void same_as_plain_sums_data() {
    QTest::addColumn<QVector<int>>("a");
    QTest::addColumn<QVector<int>>("b");
    QTest::addColumn<bool>("ta");
    QTest::addColumn<bool>("tb");
    QTest::addColumn<int>("batch");    // within one call
    QTest::addColumn<int>("singles");  // one call each
    using V = QVector<int>;
    QTest::newRow("plain") << V{2, 3} << V{3, 4} << false << false << 1 << 0;
    QTest::newRow("a transposed") << V{3, 2} << V{3, 4} << true << false << 1 << 0;
    QTest::newRow("b transposed") << V{2, 3} << V{4, 3} << false << true << 1 << 0;
    QTest::newRow("both") << V{3, 2} << V{4, 3} << true << true << 1 << 0;
    QTest::newRow("vector") << V{1, 5} << V{5, 1} << false << false << 1 << 0;
    QTest::newRow("batch") << V{6, 2, 3} << V{6, 3, 4} << false << true << 6 << 0;
    QTest::newRow("batch of two dims") << V{2, 3, 2, 3} << V{2, 3, 3, 4} << false << false << 6 << 0;
    QTest::newRow("one matrix for all") << V{5, 2, 3} << V{3, 4} << false << false << 5 << 0;
    QTest::newRow("the other way") << V{1, 2, 3} << V{5, 3, 4} << false << false << 5 << 0;
    QTest::newRow("broadcast crosswise") << V{2, 1, 2, 3} << V{1, 3, 3, 4} << false << false << 1 << 6;
    QTest::newRow("inner broadcast") << V{2, 3, 2, 3} << V{3, 3, 4} << false << false << 1 << 6;
  }
  void same_as_plain_sums() {
    QFETCH(QVector<int>, a);
    QFETCH(QVector<int>, b);
    QFETCH(bool, ta);
    QFETCH(bool, tb);
    QFETCH(int, batch);
    QFETCH(int, singles);
    if (QTest::currentDataTag() == QString("batch")) b = {6, 4, 3};
    const Shape as = of(a), bs = of(b);
    const auto matrix = [](const Shape& s, bool t, int which) { return s[s.rank() - (which ^ t ? 1 : 2)]; };
    const int64_t m = matrix(as, ta, 0), depth = matrix(as, ta, 1), n = matrix(bs, tb, 1);
    Shape outs =
        broadcast(Shape(as.dims().first(as.dims().size() - 2)), Shape(bs.dims().first(bs.dims().size() - 2)));
    const Shape batches = outs;
    outs.append(m);
    outs.append(n);

    const ProductPlan p = plan_product(as, bs, outs, ta, tb);
    QCOMPARE(p.m, m);
    QCOMPARE(p.n, n);
    QCOMPARE(p.depth, depth);
    QCOMPARE(p.batch, int64_t{batch});
    QCOMPARE(p.singles.size(), size_t(singles));
    const auto av = numbers(as), bv = numbers(bs);
    std::vector<double> out(static_cast<size_t>(outs.elements()), 1e9);
    if (p.singles.empty())
      for (int64_t i = 0; i < p.batch; ++i)
        column_major(p, av, bv, out, i * p.second.stride, i * p.first.stride, i * p.out.stride);
    for (const auto& at : p.singles) column_major(p, av, bv, out, at.a, at.b, at.out);

    // Plain sums, with broadcasting written independently: the batch index, right-aligned, 0 where a size is 1.
    const auto at = [&](const Shape& s, const std::vector<double>& v, int64_t index, int64_t row, int64_t column) {
      int64_t offset = 0, stride = s[s.rank() - 1] * s[s.rank() - 2];
      for (int d = 0; d < batches.rank(); ++d) {
        const int from_right = d;
        const int64_t size = batches[batches.rank() - 1 - from_right];
        const int64_t here = index % size;
        index /= size;
        const int sd = s.rank() - 3 - from_right;
        if (sd < 0) continue;
        offset += (s[sd] == 1 ? 0 : here) * stride;
        stride *= s[sd];
      }
      return v.at(static_cast<size_t>(offset + row * s[s.rank() - 1] + column));
    };
    for (int64_t i = 0; i < batches.elements(); ++i)
      for (int64_t row = 0; row < m; ++row)
        for (int64_t column = 0; column < n; ++column) {
          double sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += (ta ? at(as, av, i, k, row) : at(as, av, i, row, k)) *
                   (tb ? at(bs, bv, i, column, k) : at(bs, bv, i, k, column));
          QCOMPARE(out[static_cast<size_t>((i * m + row) * n + column)], sum);
        }
  }
};

QTEST_GUILESS_MAIN(TestProductPlan)
#include "test_product_plan.moc"
