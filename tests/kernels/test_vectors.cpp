// Branch-free functions against the library's, in units in the last place; reductions, transpositions, choices and
// gathers against plain loops, at sizes around the edges of vectors and blocks.
#include "engine/base/thread_pool.h"
#include "engine/eager/execute.h"
#include "engine/ops/functions.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace footlight;

namespace {

std::mt19937 engine(11);

// How far `got` is from `wanted`, in units in the last place of the wanted value.
template <class T>
double ulps(T got, long double wanted) {
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : 1e9;
  if (got == rounded) return 0;
  if (std::isinf(rounded) || std::isinf(got)) return 1e9;
  int exponent;
  std::frexp(wanted, &exponent);
  const int last = std::max(exponent - std::numeric_limits<T>::digits,
                            std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / std::ldexp(1.0L, last));
}

template <class T>
std::vector<T> arguments() {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  std::vector<T> x = {T(0), T(-0.0), T(1), T(-1), T(0.5), T(-0.5), T(2), kInfinity, -kInfinity,
                      std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(),
                      -std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(88.7), T(88.8), T(-87.4),
                      T(-103.9), T(-104.1), T(709.7), T(709.9), T(-745), T(-746), T(1e5), T(1e7), T(-1e7)};
  std::uniform_real_distribution<T> few(-12, 12), near(-1, 1), many(-800, 800);
  std::uniform_int_distribution<int> exponent(sizeof(T) == 4 ? -149 : -1074, sizeof(T) == 4 ? 127 : 1023);
  for (int i = 0; i < 3001; ++i) {
    x.push_back(few(engine));
    x.push_back(near(engine));
    x.push_back(many(engine));
    x.push_back(std::ldexp(T(1) + std::fabs(near(engine)), exponent(engine)) * (i % 2 ? 1 : -1));
  }
  return x;
}

template <class T>
void check_function(const char* op, long double (*wanted)(long double), double most) {
  const std::vector<T> x = arguments<T>();
  const Tensor in = Tensor::vector<T>(x);
  const Tensor out = apply(*find_row(op), Borrowed(in));
  for (size_t i = 0; i < x.size(); ++i) {
    const double off = ulps(out.data<T>()[i], wanted(static_cast<long double>(x[i])));
    if (off > most)
      QFAIL(qPrintable(QString("%1 of %2: %3 is %4 units off").arg(op).arg(static_cast<double>(x[i]), 0, 'g', 17)
                           .arg(static_cast<double>(out.data<T>()[i]), 0, 'g', 17).arg(off)));
    if (x[i] == 0 && out.data<T>()[i] == 0) QCOMPARE(std::signbit(out.data<T>()[i]), std::signbit(x[i]));
  }
}

long double softplus(long double x) {
  if (std::isnan(x)) return x;
  return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
}

template <class T>
void check_ends(const char* op, const std::vector<T>& x) {
  const Tensor in = Tensor::vector<T>(x), all = apply(*find_row(op), Borrowed(in));
  for (size_t n = 1; n < 40; ++n) {
    const Tensor few = apply(Op(op), {Tensor::vector<T>(std::vector<T>(x.begin(), x.begin() + static_cast<long>(n)))});
    for (size_t i = 0; i < n; ++i)
      QVERIFY2(few.data<T>()[i] == all.data<T>()[i] || std::isnan(all.data<T>()[i]), op);
  }
}

template <class T>
void check_inverses() {
  check_function<T>("Asin", [](long double x) { return std::asin(x); }, 3);
  check_function<T>("Acos", [](long double x) { return std::acos(x); }, 2);
  check_function<T>("Atan", [](long double x) { return std::atan(x); }, 3);
  check_function<T>("Sinh", [](long double x) { return std::sinh(x); }, 3);
  check_function<T>("Cosh", [](long double x) { return std::cosh(x); }, 3);
  check_function<T>("Asinh", [](long double x) { return std::asinh(x); }, 3);
  check_function<T>("Acosh", [](long double x) { return std::acosh(x); }, 3);
  check_function<T>("Atanh", [](long double x) { return std::atanh(x); }, 3);
}

template <class T>
void check_angles() {
  const T kInfinity = std::numeric_limits<T>::infinity();
  std::vector<T> some = {T(0), T(-0.0), T(1), T(-1), kInfinity, -kInfinity, std::numeric_limits<T>::quiet_NaN(),
                         T(1e30), T(-1e-30), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()};
  std::uniform_real_distribution<T> more(-20, 20);
  for (int i = 0; i < 60; ++i) some.push_back(more(engine));
  for (T y : some)
    for (T x : some) {
      const Tensor angle = apply(Op("Atan2"), {Tensor::scalar(y), Tensor::scalar(x)});
      const T got = *angle.data<T>();
      const long double wanted = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
      QVERIFY2(ulps(got, wanted) <= 3,
               qPrintable(QString("atan2(%1, %2): %3").arg(double(y)).arg(double(x)).arg(double(got))));
      if (got == 0) QCOMPARE(std::signbit(got), std::signbit(wanted));
    }
}

Tensor random_floats(const Shape& shape) {
  std::uniform_int_distribution<int> values(-50, 50);
  const Tensor t = Tensor::empty(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.elements(); ++i) t.data<float>()[i] = static_cast<float>(values(engine));
  return t;
}

}  // namespace

class TestVectors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    set_pool_size(4);
    eager::init();
  }

  void functions_of_floats() {
    check_function<float>("Exp", [](long double x) { return std::exp(x); }, 2);
    check_function<float>("Expm1", [](long double x) { return std::expm1(x); }, 3);
    check_function<float>("Log", [](long double x) { return std::log(x); }, 2);
    check_function<float>("Log1p", [](long double x) { return std::log1p(x); }, 2);
    check_function<float>("Tanh", [](long double x) { return std::tanh(x); }, 3);
    check_function<float>("Sin", [](long double x) { return std::sin(x); }, 2);
    check_function<float>("Cos", [](long double x) { return std::cos(x); }, 2);
    check_function<float>("Tan", [](long double x) { return std::tan(x); }, 3.5);
    check_function<float>("Erf", [](long double x) { return std::erf(x); }, 3.5);
    check_function<float>("Elu", [](long double x) { return x < 0 ? std::expm1(x) : x; }, 3);
    check_function<float>("Softplus", softplus, 2);
  }

  void functions_of_doubles() {
    check_function<double>("Exp", [](long double x) { return std::exp(x); }, 2);
    check_function<double>("Expm1", [](long double x) { return std::expm1(x); }, 3);
    check_function<double>("Log", [](long double x) { return std::log(x); }, 2);
    check_function<double>("Log1p", [](long double x) { return std::log1p(x); }, 2);
    check_function<double>("Tanh", [](long double x) { return std::tanh(x); }, 3);
    check_function<double>("Sin", [](long double x) { return std::sin(x); }, 3);
    check_function<double>("Cos", [](long double x) { return std::cos(x); }, 3);
    check_function<double>("Tan", [](long double x) { return std::tan(x); }, 3.5);
    check_function<double>("Elu", [](long double x) { return x < 0 ? std::expm1(x) : x; }, 3);
    check_function<double>("Softplus", softplus, 2);
  }

  // Elements at the end of a loop, where no whole vector is left, get the same digits as those in the middle.
  void few_elements() {
    const std::vector<float> x = arguments<float>();
    const std::vector<double> wide(x.begin(), x.end());
    for (const char* op : {"Exp", "Log", "Tanh", "Sin", "Erf", "Elu", "Softplus"}) {
      check_ends<float>(op, x);
      if (std::string_view(op) != "Erf") check_ends<double>(op, wide);
    }
  }

  void inverse_and_hyperbolic_functions() {
    check_function<float>("Erfc", [](long double x) { return std::erfc(x); }, 9);
    check_inverses<float>();
    check_inverses<double>();
  }

  void angles() {
    check_angles<float>();
    check_angles<double>();
  }

  void powers() {
    const float kInfinity = std::numeric_limits<float>::infinity();
    const float kNone = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> some = {0.0f, -0.0f, 1.0f,      -1.0f,      2.0f,  -2.0f, 3.0f,   -3.0f,       0.5f,       -0.5f,
                               2.5f, kNone, kInfinity, -kInfinity, 1e30f, -1e30f, 1e-40f, 16777216.0f, 16777215.0f};
    std::uniform_real_distribution<float> more(-20, 20);
    for (int i = 0; i < 60; ++i) some.push_back(more(engine));
    for (float x : some)
      for (float y : some) {
        const Tensor power = apply(Op("Pow"), {Tensor::scalar(x), Tensor::scalar(y)});
        const float got = *power.data<float>();
        const double wanted = std::pow(static_cast<double>(x), static_cast<double>(y));
        QVERIFY2(ulps(got, wanted) <= 1, qPrintable(QString("%1 ^ %2: %3, not %4").arg(x).arg(y).arg(got).arg(wanted)));
        if (got == 0) QCOMPARE(std::signbit(got), std::signbit(wanted));
      }
  }

  void halves() {
    std::vector<float> x = arguments<float>();
    const Tensor in = Tensor::vector<float>(x);
    const Tensor half = ops::cast(in, DType::kFloat16), brain = ops::cast(in, DType::kBFloat16);
    const Tensor half_back = ops::cast(half, DType::kFloat32), brain_back = ops::cast(brain, DType::kFloat32);
    for (size_t i = 0; i < x.size(); ++i) {
      const float h = Float16(x[i]), b = BFloat16(x[i]);
      QVERIFY(h == half_back.data<float>()[i] || x[i] != x[i]);
      QVERIFY(b == brain_back.data<float>()[i] || x[i] != x[i]);
    }
    // One operand for all elements, and loops longer than a block.
    const Tensor sum = ops::add(half, Tensor::scalar(Float16(1.0f)));
    for (size_t i = 0; i < x.size(); ++i)
      QVERIFY(float(sum.data<Float16>()[i]) == float(Float16(float(half.data<Float16>()[i]) + 1.0f)) || x[i] != x[i]);
  }

  void reductions() {
    for (int64_t rows : {1, 2, 5, 64, 700})
      for (int64_t columns : {1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 129, 1000}) {
        const Tensor x = random_floats(Shape{rows, columns});
        const float* in = x.data<float>();
        for (int axis : {0, 1}) {
          const Tensor sums = ops::sum(x, ops::ints({axis}));
          const Tensor largest = apply(Op("Max"), {x, ops::ints({axis})});
          const Tensor where = apply(Op("ArgMax"), {x, ops::integer(axis)});
          for (int64_t k = 0; k < (axis ? rows : columns); ++k) {
            float sum = 0, most = -1000;
            int64_t at = 0;
            for (int64_t i = 0; i < (axis ? columns : rows); ++i) {
              const float value = axis ? in[k * columns + i] : in[i * columns + k];
              sum += value;
              if (value > most) at = i;
              most = std::max(most, value);
            }
            QCOMPARE(sums.data<float>()[k], sum);  // whole numbers: every order gives the same
            QCOMPARE(largest.data<float>()[k], most);
            QCOMPARE(where.data<int64_t>()[k], at);
          }
        }
      }
    std::vector<float> none(100, 1.0f);
    none[77] = std::numeric_limits<float>::quiet_NaN();
    const Tensor largest = apply(Op("Max"), {Tensor::vector<float>(none), ops::ints({0})});
    QVERIFY(std::isnan(*largest.data<float>()));
    // A million tenths: the error of plain summation shows in the third digit.
    const std::vector<float> tenths(1000000, 0.1f);
    const Tensor sum = ops::sum(Tensor::vector<float>(tenths), ops::ints({0}));
    QVERIFY(std::fabs(*sum.data<float>() - 100000.0f) < 0.1f);
  }

  void transpositions() {
    for (const Shape& shape : {Shape{1, 9}, Shape{8, 8}, Shape{33, 70}, Shape{100, 3}, Shape{300, 257}}) {
      const Tensor x = random_floats(shape);
      const Tensor turned = ops::transpose(x, ops::ints({1, 0}));
      const Tensor wide = ops::transpose(ops::cast(x, DType::kFloat64), ops::ints({1, 0}));
      const Tensor narrow = ops::transpose(ops::cast(x, DType::kInt8), ops::ints({1, 0}));
      for (int64_t i = 0; i < shape[0]; ++i)
        for (int64_t j = 0; j < shape[1]; ++j) {
          const float value = x.data<float>()[i * shape[1] + j];
          QCOMPARE(turned.data<float>()[j * shape[0] + i], value);
          QCOMPARE(wide.data<double>()[j * shape[0] + i], static_cast<double>(value));
          QCOMPARE(narrow.data<int8_t>()[j * shape[0] + i], static_cast<int8_t>(value));
        }
    }
    const Shape shape{3, 40, 5, 36};
    const Tensor x = random_floats(shape);
    const std::vector<int64_t> perms[] = {{0, 3, 1, 2}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 0, 2, 3}};
    for (const std::vector<int64_t>& perm : perms) {
      const Tensor turned = ops::transpose(x, ops::ints(perm));
      const int64_t strides[] = {40 * 5 * 36, 5 * 36, 36, 1};
      for (int64_t i = 0; i < turned.elements(); ++i) {
        int64_t at = 0, rest = i;
        for (int d = 3; d >= 0; --d) {
          at += rest % turned.shape()[d] * strides[perm[static_cast<size_t>(d)]];
          rest /= turned.shape()[d];
        }
        QCOMPARE(turned.data<float>()[i], x.data<float>()[at]);
      }
    }
  }

  void choices_and_gathers() {
    const Tensor x = random_floats(Shape{70, 33}), row = random_floats(Shape{33}), column = random_floats(Shape{70, 1});
    const Tensor condition = apply(Op("Less"), {x, column});
    const Tensor chosen = ops::where(condition, row, x);
    for (int64_t i = 0; i < 70; ++i)
      for (int64_t j = 0; j < 33; ++j)
        QCOMPARE(chosen.data<float>()[i * 33 + j], x.data<float>()[i * 33 + j] < column.data<float>()[i]
                                                       ? row.data<float>()[j]
                                                       : x.data<float>()[i * 33 + j]);
    std::vector<int64_t> places;
    for (int i = 0; i < 100; ++i) places.push_back(std::uniform_int_distribution<int64_t>(0, 32)(engine));
    const Tensor gathered = apply(Op("GatherV2"), {x, ops::ints(places), ops::integer(1)});
    for (int64_t i = 0; i < 70; ++i)
      for (int64_t k = 0; k < 100; ++k)
        QCOMPARE(gathered.data<float>()[i * 100 + k], x.data<float>()[i * 33 + places[static_cast<size_t>(k)]]);
  }
};

QTEST_GUILESS_MAIN(TestVectors)
#include "test_vectors.moc"
