// Kernels against plain loops: sizes around the edges of vectors, tiles, panels and the thread pool's ranges.
#include "engine/base/thread_pool.h"
#include "engine/eager/execute.h"
#include "engine/ops/functions.h"

#include <QTest>

#include <cmath>
#include <cstdlib>
#include <random>

using namespace footlight;

namespace {

std::mt19937 engine(7);

template <class T>
Tensor random_tensor(const Shape& shape, int low = -4, int high = 4) {
  std::uniform_int_distribution<int> values(low, high);
  const Tensor t = Tensor::empty(dtype_of<T>, shape);
  for (int64_t i = 0; i < t.elements(); ++i) t.data<T>()[i] = static_cast<T>(values(engine));
  return t;
}

// Element of `t` at `index` of a broadcast shape.
template <class T>
T broadcast_element(const Tensor& t, const Shape& out, std::vector<int64_t> index) {
  int64_t at = 0;
  for (int d = 0; d < t.shape().rank(); ++d) {
    const int64_t size = t.shape()[d];
    at = at * size + (size == 1 ? 0 : index[static_cast<size_t>(d + out.rank() - t.shape().rank())]);
  }
  return t.data<T>()[at];
}

std::vector<int64_t> index_of(int64_t i, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[static_cast<size_t>(d)] = i % shape[d];
    i /= shape[d];
  }
  return index;
}

template <class T>
void check_product(int64_t m, int64_t k, int64_t n, bool ta, bool tb) {
  const Tensor a = random_tensor<T>(ta ? Shape{k, m} : Shape{m, k});
  const Tensor b = random_tensor<T>(tb ? Shape{n, k} : Shape{k, n});
  const Tensor out = ops::matmul(a, b, ta, tb);
  QCOMPARE(out.shape().to_string(), (Shape{m, n}).to_string());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t x = 0; x < k; ++x)
        sum += static_cast<double>(a.data<T>()[ta ? x * m + i : i * k + x]) *
               static_cast<double>(b.data<T>()[tb ? j * k + x : x * n + j]);
      if (static_cast<double>(out.data<T>()[i * n + j]) != sum)  // small whole numbers: every order gives the same
        QFAIL(qPrintable(QString("%1x%2x%3 at (%4, %5): %6, not %7")
                             .arg(m)
                             .arg(k)
                             .arg(n)
                             .arg(i)
                             .arg(j)
                             .arg(static_cast<double>(out.data<T>()[i * n + j]))
                             .arg(sum)));
    }
}

}  // namespace

class TestKernels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    set_pool_size(4);
    eager::init();
    qInfo("instruction set: %s", std::string(cpu_isa()).c_str());
  }

  void the_wanted_instruction_set_is_taken() {
    QVERIFY(cpu_isa() == "baseline" || cpu_isa() == "avx2" || cpu_isa() == "avx512");
    if (const char* wanted = std::getenv("FOOTLIGHT_ISA"); wanted && std::string_view(wanted) == "baseline")
      QCOMPARE(cpu_isa(), std::string_view("baseline"));
  }

  // Fusing doubles their speed; lost compiler flags would show nowhere else.
  void products_are_fused_with_sums() {
    if (cpu_isa() == "baseline") QSKIP("a processor of 2003 has no such instruction");
    const float x = 1.f + 0x1p-12f;  // x * x needs 25 bits: if fused, the rounding error of x * x remains
    for (const int64_t n : {16, 200}) {
      const Tensor a = Tensor::empty(DType::kFloat32, {n, 2}), b = Tensor::empty(DType::kFloat32, {2, n});
      for (int64_t i = 0; i < n; ++i) {
        a.data<float>()[2 * i] = x * x, a.data<float>()[2 * i + 1] = x;
        b.data<float>()[i] = -1, b.data<float>()[n + i] = x;
      }
      const Tensor out = ops::matmul(a, b, false, false);
      for (int64_t i = 0; i < n * n; ++i) QCOMPARE(out.data<float>()[i], 0x1p-24f);
    }
  }

  void products() {
    for (int64_t m : {1, 2, 5, 6, 7, 13, 97}) {
      for (int64_t k : {1, 3, 16, 257}) {
        for (int64_t n : {1, 8, 15, 16, 17, 31, 33, 64, 65}) {
          const bool ta = (m + k) % 2;
          const bool tb = (k + n) % 2;
          check_product<float>(m, k, n, ta, tb);
          if (m < 20 && k < 20) {
            check_product<double>(m, k, n, tb, ta);
            check_product<int32_t>(m, k, n, ta, tb);
            check_product<int64_t>(m, k, n, tb, ta);
          }
        }
      }
    }
    check_product<float>(200, 600, 150, false, false);
    check_product<double>(150, 300, 100, true, true);
    check_product<float>(48, 5000, 40, true, false);
    check_product<double>(30, 2100, 17, false, true);
  }

  void broadcasts() {
    const Shape shapes[] = {{},        {1},       {7},       {3, 7},    {3, 1},       {1, 7},    {2, 3, 7},
                            {2, 1, 7}, {2, 3, 1}, {1, 3, 1}, {5, 2, 1, 7}, {5, 1, 3, 1}, {0, 7}, {40, 1, 3, 7}};
    for (const Shape& a : shapes)
      for (const Shape& b : shapes) {
        Shape out;
        try {
          out = broadcast(a, b);
        } catch (const Error&) {
          continue;
        }
        const Tensor x = random_tensor<int32_t>(a, -100, 100);
        const Tensor y = random_tensor<int32_t>(b, -100, 100);
        const Tensor z = ops::sub(x, y);
        QCOMPARE(z.shape().to_string(), out.to_string());
        for (int64_t i = 0; i < z.elements(); ++i) {
          const auto index = index_of(i, out);
          QCOMPARE(z.data<int32_t>()[i],
                   broadcast_element<int32_t>(x, out, index) - broadcast_element<int32_t>(y, out, index));
        }
      }
  }

  void long_rows_are_spread_over_threads() {
    for (int64_t n : {32767, 32768, 32769, 300001}) {
      const Tensor x = random_tensor<float>({n});
      const Tensor y = random_tensor<float>({n});
      const Tensor z = ops::mul(x, y);
      const Tensor w = ops::mul(x, Tensor::scalar(3.f));
      const Tensor s = ops::square(x);
      const Tensor c = ops::cast(x, DType::kInt32);
      for (int64_t i = 0; i < n; ++i) {
        const float a = x.data<float>()[i];
        if (z.data<float>()[i] != a * y.data<float>()[i] || w.data<float>()[i] != 3 * a ||
            s.data<float>()[i] != a * a || c.data<int32_t>()[i] != static_cast<int32_t>(a))
          QFAIL(qPrintable(QString("wrong at %1 of %2").arg(i).arg(n)));
      }
    }
    const Tensor wide = random_tensor<int32_t>({3000, 50});
    const Tensor row = random_tensor<int32_t>({50});
    const Tensor sum = ops::add(wide, row);
    for (int64_t i = 0; i < sum.elements(); ++i)
      if (sum.data<int32_t>()[i] != wide.data<int32_t>()[i] + row.data<int32_t>()[i % 50])
        QFAIL("wrong in a spread broadcast");
  }

  void reductions_of_every_layout() {
    for (const Shape& shape : {Shape{70000}, Shape{300, 700}, Shape{3, 5, 7, 11}, Shape{2, 90000},
                               Shape{90000, 2}, Shape{600, 40, 10}}) {
      const Tensor x = random_tensor<int64_t>(shape, -1000, 1000);
      for (int mask = 1; mask < 1 << shape.rank(); ++mask) {
        std::vector<int64_t> axes;
        Shape kept;
        for (int d = 0; d < shape.rank(); ++d) {
          if (mask >> d & 1) axes.push_back(d);
          else kept.append(shape[d]);
        }
        static const Op max{"Max"};
        const Tensor sum = ops::sum(x, ops::ints(axes));
        const Tensor largest = apply(max, {x, ops::ints(axes)});
        std::vector<int64_t> sums(static_cast<size_t>(kept.elements()), 0);
        std::vector<int64_t> most(sums.size(), -100000);
        for (int64_t i = 0; i < x.elements(); ++i) {
          const auto index = index_of(i, shape);
          int64_t at = 0;
          for (int d = 0; d < shape.rank(); ++d)
            if (!(mask >> d & 1)) at = at * shape[d] + index[static_cast<size_t>(d)];
          sums[static_cast<size_t>(at)] += x.data<int64_t>()[i];
          most[static_cast<size_t>(at)] = std::max(most[static_cast<size_t>(at)], x.data<int64_t>()[i]);
        }
        for (size_t i = 0; i < sums.size(); ++i) {
          QCOMPARE(sum.data<int64_t>()[i], sums[i]);
          QCOMPARE(largest.data<int64_t>()[i], most[i]);
        }
      }
    }
  }

  // Ten million small floats: their sum keeps six digits, which a single running sum would not.
  void long_sums_stay_exact() {
    const Tensor x = Tensor::empty(DType::kFloat32, {10'000'000});
    std::fill(x.data<float>(), x.data<float>() + x.elements(), 0.1f);
    const float sum = *ops::sum(x, ops::ints({0})).data<float>();
    QVERIFY(std::abs(sum - 1e6f) < 1);
  }

  void the_same_digits_however_many_threads() {
    const Tensor x = Tensor::empty(DType::kFloat32, {1000, 999});
    for (int64_t i = 0; i < x.elements(); ++i) x.data<float>()[i] = 1.0f / static_cast<float>(i + 1);
    set_pool_size(1);
    const float one = *ops::sum(x, ops::ints({0, 1})).data<float>();
    set_pool_size(4);
    QCOMPARE(*ops::sum(x, ops::ints({0, 1})).data<float>(), one);
  }

  void deep_products_have_the_same_digits_too() {
    const Tensor a = Tensor::empty(DType::kFloat32, {30, 7000}), b = Tensor::empty(DType::kFloat32, {7000, 20});
    for (int64_t i = 0; i < a.elements(); ++i) a.data<float>()[i] = 1.0f / static_cast<float>(i % 4001 + 1);
    for (int64_t i = 0; i < b.elements(); ++i) b.data<float>()[i] = 1.0f / static_cast<float>(i % 1009 + 1);
    set_pool_size(1);
    const Tensor one = ops::matmul(a, b, false, false);
    set_pool_size(4);
    const Tensor four = ops::matmul(a, b, false, false);
    for (int64_t i = 0; i < one.elements(); ++i) QCOMPARE(four.data<float>()[i], one.data<float>()[i]);
  }

  void transposes() {
    const Tensor x = random_tensor<int32_t>({37, 5, 41, 3});
    const int perm[] = {2, 0, 3, 1};
    const Tensor y = ops::transpose(x, ops::ints({2, 0, 3, 1}));
    for (int64_t i = 0; i < y.elements(); ++i) {
      const auto index = index_of(i, y.shape());
      std::vector<int64_t> from(4);
      for (size_t d = 0; d < 4; ++d) from[static_cast<size_t>(perm[d])] = index[d];
      QCOMPARE(y.data<int32_t>()[i], broadcast_element<int32_t>(x, x.shape(), from));
    }
  }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "test_kernels.moc"
