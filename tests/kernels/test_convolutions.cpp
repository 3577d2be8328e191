// Convolutions and both of their gradients against plain loops, at the edges of tiles, panels, vectors and threads.
// Small whole numbers make every order of the sums give the same.
#include "engine/base/thread_pool.h"
#include "engine/eager/execute.h"
#include "engine/ops/functions.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace footlight;

namespace {

std::mt19937 engine(11);

template <class T>
Tensor random_tensor(const Shape& shape) {
  std::uniform_int_distribution<int> values(-3, 3);
  const Tensor t = Tensor::empty(dtype_of<T>, shape);
  for (int64_t i = 0; i < t.elements(); ++i) t.data<T>()[i] = static_cast<T>(values(engine));
  return t;
}

struct Case {
  int64_t batch, height, width, in, out, size, stride = 1, dilation = 1, groups = 1;
  std::vector<int64_t> pads = {};  // above, below, left, right; none: as many as keep the size

  int64_t reach() const { return (size - 1) * dilation + 1; }
  int64_t made(int64_t length, int d) const {
    if (pads.empty()) return (length + stride - 1) / stride;
    return (length + pads[static_cast<size_t>(2 * d)] + pads[static_cast<size_t>(2 * d + 1)] - reach()) / stride + 1;
  }
  int64_t before(int64_t length, int d) const {
    if (!pads.empty()) return pads[static_cast<size_t>(2 * d)];
    return std::max<int64_t>(0, (made(length, d) - 1) * stride + reach() - length) / 2;
  }
  Attrs attrs() const {
    const auto both = [](int64_t v) { return std::vector<int64_t>{1, v, v, 1}; };
    Attrs a{{AttrName("strides"), both(stride)}, {AttrName("dilations"), both(dilation)}};
    a.set(AttrName("padding"), std::string(pads.empty() ? "SAME" : "EXPLICIT"));
    if (!pads.empty())
      a.set(AttrName("explicit_paddings"), std::vector<int64_t>{0, 0, pads[0], pads[1], pads[2], pads[3], 0, 0});
    return a;
  }
};

// Calls body(pixel of the input, tap and pixel of the output that meet), as offsets of their first channels.
template <class Body>
void each_meeting(const Case& c, Body&& body) {
  const int64_t rows = c.made(c.height, 0), columns = c.made(c.width, 1);
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x)
        for (int64_t i = 0; i < c.size; ++i)
          for (int64_t j = 0; j < c.size; ++j) {
            const int64_t from_y = y * c.stride + i * c.dilation - c.before(c.height, 0);
            const int64_t from_x = x * c.stride + j * c.dilation - c.before(c.width, 1);
            if (from_y < 0 || from_x < 0 || from_y >= c.height || from_x >= c.width) continue;
            body(((n * c.height + from_y) * c.width + from_x) * c.in, (i * c.size + j) * c.in / c.groups * c.out,
                 ((n * rows + y) * columns + x) * c.out);
          }
}

template <class T>
void compare(const Tensor& made, const std::vector<double>& wanted, const char* what, const Case& c) {
  QCOMPARE(made.elements(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (static_cast<double>(made.data<T>()[i]) != wanted[i])
      QFAIL(qPrintable(QString("%1 of [%2,%3,%4,%5] by %6x%6 to %7, stride %8, element %9: %10, not %11")
                           .arg(what)
                           .arg(c.batch)
                           .arg(c.height)
                           .arg(c.width)
                           .arg(c.in)
                           .arg(c.size)
                           .arg(c.out)
                           .arg(c.stride)
                           .arg(i)
                           .arg(static_cast<double>(made.data<T>()[i]))
                           .arg(wanted[i])));
}

// `depthwise`: with the ops of one filter for each channel, which are as many groups.
template <class T>
void check(const Case& c, bool depthwise = false) {
  const Tensor x = random_tensor<T>({c.batch, c.height, c.width, c.in});
  const Tensor filter = random_tensor<T>(depthwise ? Shape{c.size, c.size, c.in, 1}
                                                   : Shape{c.size, c.size, c.in / c.groups, c.out});
  const Tensor arriving = random_tensor<T>({c.batch, c.made(c.height, 0), c.made(c.width, 1), c.out});
  std::vector<double> out(static_cast<size_t>(arriving.elements())), to_input(static_cast<size_t>(x.elements()));
  std::vector<double> to_filter(static_cast<size_t>(filter.elements()));
  const int64_t seen = c.in / c.groups, made = c.out / c.groups;
  each_meeting(c, [&](int64_t pixel, int64_t tap, int64_t to) {
    for (int64_t k = 0; k < seen; ++k)
      for (int64_t j = 0; j < c.out; ++j) {
        const int64_t at = pixel + j / made * seen + k, weight = tap + k * c.out + j;
        const double g = static_cast<double>(arriving.data<T>()[to + j]);
        const double v = static_cast<double>(x.data<T>()[at]), w = static_cast<double>(filter.data<T>()[weight]);
        out[static_cast<size_t>(to + j)] += v * w;
        to_input[static_cast<size_t>(at)] += g * w;
        to_filter[static_cast<size_t>(weight)] += g * v;
      }
  });
  const std::string op = depthwise ? "DepthwiseConv2dNative" : "Conv2D";
  compare<T>(apply(Op(op), {x, filter}, c.attrs()), out, "convolution", c);
  compare<T>(apply(Op(op + "BackpropInput"), {ops::shape(x), filter, arriving}, c.attrs()), to_input,
             "gradient of the input", c);
  compare<T>(apply(Op(op + "BackpropFilter"), {x, ops::shape(filter), arriving}, c.attrs()), to_filter,
             "gradient of the filter", c);
}

}  // namespace

class TestConvolutions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { eager::init(); }

  void three_by_three() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      check<float>({1, 7, 9, 32, 32, 3});
      check<float>({1, 8, 8, 40, 24, 3});
      check<float>({3, 5, 6, 64, 72, 3});
      check<float>({2, 13, 4, 32, 136, 3});
      check<float>({1, 1, 30, 32, 16, 3});
      check<float>({30, 1, 1, 32, 32, 3});
      check<float>({1, 25, 23, 48, 32, 3});
      check<float>({1, 6, 7, 32, 32, 3, 1, 1, 1, {0, 0, 0, 0}});
      check<float>({2, 6, 7, 32, 40, 3, 1, 1, 1, {2, 1, 0, 2}});
      check<float>({1, 9, 8, 64, 32, 3, 1, 1, 1, {4, 3, 5, 0}});
      check<float>({1, 7, 8, 33, 32, 3});
      check<float>({1, 7, 8, 32, 31, 3});
      check<double>({1, 7, 8, 32, 32, 3});
    }
    set_pool_size(0);
  }

  void strides_and_dilations() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      check<float>({2, 11, 10, 32, 40, 3, 2});
      check<float>({1, 8, 9, 33, 17, 3, 2});
      check<float>({1, 12, 7, 16, 16, 5, 3});
      check<float>({1, 5, 5, 48, 32, 1, 2});
      check<float>({1, 9, 9, 32, 32, 3, 1, 2});
      check<float>({2, 7, 9, 24, 48, 3, 1, 1, 3});
      check<float>({1, 17, 19, 3, 24, 7, 2});
      check<float>({1, 9, 7, 200, 40, 3, 2});
      check<float>({1, 6, 5, 400, 16, 3, 1, 2});
      check<float>({1, 100, 90, 12, 20, 3, 2});
      check<double>({1, 9, 8, 40, 20, 5, 2});
    }
    set_pool_size(0);
  }

  // Groups of few channels, of which a vector holds several.
  void small_groups() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      for (const int64_t channels : {2, 4}) {
        check<float>({2, 7, 9, 16 * channels, 16 * channels, 3, 1, 1, 16});
        check<float>({1, 11, 2, 16 * channels, 16 * channels, 5, 2, 1, 16});
        check<float>({3, 6, 13, 8 * channels, 8 * channels, 3, 1, 2, 8});
        check<float>({1, 9, 8, 32 * channels, 32 * channels, 4, 3, 1, 32, {4, 3, 5, 0}});
        check<float>({1, 50, 90, 16 * channels, 16 * channels, 3, 1, 1, 16});
        check<float>({2, 5, 6, 16 * channels, 32 * channels, 3, 1, 1, 16});
      }
    }
    set_pool_size(0);
  }

  void depthwise() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      for (const int64_t channels : {1, 4, 8, 16, 23, 40}) {
        check<float>({2, 7, 9, channels, channels, 3, 1, 1, channels}, true);
        check<float>({1, 8, 11, channels, channels, 3, 2, 1, channels}, true);
        check<float>({1, 5, 12, channels, channels, 5, 1, 1, channels, {1, 0, 3, 2}}, true);
        check<float>({1, 9, 17, channels, channels, 3, 3, 1, channels}, true);
        check<float>({2, 7, 20, channels, channels, 4, 2, 1, channels, {3, 0, 1, 2}}, true);
        check<double>({1, 6, 6, channels, channels, 3, 1, 2, channels}, true);
      }
      check<float>({1, 37, 29, 32, 32, 3, 1, 1, 32}, true);
    }
    set_pool_size(0);
  }

  // Images of more than 8 MB, whose lines are fetched ahead.
  void large_depthwise() {
    check<float>({1, 64, 64, 260, 260, 3, 1, 1, 260}, true);
  }

  void few_channels() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      check<float>({2, 9, 11, 3, 16, 3});
      check<float>({2, 12, 13, 1, 24, 5, 2});
      check<float>({1, 75, 6, 2, 17, 3, 1});
      check<float>({1, 15, 14, 4, 16, 3, 1, 2});
      check<float>({3, 4, 3, 3, 16, 5, 3});
      check<float>({1, 9, 8, 3, 32, 3, 1, 1, 1, {4, 3, 5, 0}});
      check<float>({1, 9, 8, 3, 32, 3, 2, 1, 1, {0, 0, 0, 1}});
      check<double>({1, 10, 9, 2, 16, 3});
    }
    set_pool_size(0);
  }

  void single_taps() {
    for (const int threads : {1, 4}) {
      set_pool_size(threads);
      check<float>({3, 7, 5, 64, 32, 1});
      check<float>({1, 14, 14, 33, 65, 1});
      check<float>({1, 1, 1, 48, 80, 1});
      check<float>({2, 20, 21, 8, 5, 1});
      check<float>({1, 3, 4, 1100, 24, 1});
      check<float>({2, 5, 6, 256, 40, 1});
      check<double>({1, 5, 3, 130, 9, 1});
      check<float>({1, 1, 3000, 8, 40, 1});
      check<float>({2, 30, 40, 6, 12, 1, 1, 1, 2});
      check<float>({2, 13, 10, 64, 40, 1, 2});
      check<float>({3, 9, 9, 12, 24, 1, 4, 1, 3});
      check<float>({1, 8, 7, 300, 16, 1, 3});
      check<float>({1, 8, 9, 16, 16, 1, 2, 1, 1, {1, 0, 0, 2}});
      check<double>({2, 6, 5, 20, 12, 1, 2});
      // A filter gradient whose depth is cut into parts.
      check<float>({3, 40, 50, 260, 24, 1});
    }
    set_pool_size(0);
  }

  // A value that is not finite reaches the pixels that see it, and those alone.
  void infinity_stays_where_it_is_seen() {
    const Tensor x = Tensor::empty(DType::kFloat32, {1, 8, 8, 32});
    const Tensor filter = Tensor::empty(DType::kFloat32, {3, 3, 32, 32});
    std::fill(x.data<float>(), x.data<float>() + x.elements(), 1.f);
    std::fill(filter.data<float>(), filter.data<float>() + filter.elements(), 1.f);
    const Case c{1, 8, 8, 32, 32, 3};
    for (const float odd : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 3e38f}) {
      x.data<float>()[(3 * 8 + 3) * 32] = odd;
      for (const Tensor& y : {apply(Op("Conv2D"), {x, filter}, c.attrs()),
                              apply(Op("Conv2DBackpropInput"), {ops::shape(x), filter, x}, c.attrs())})
        for (int64_t i = 0; i < 64; ++i) {
          const int64_t row = i / 8, column = i % 8;
          const auto seen_along = [](int64_t at) { return std::min<int64_t>(3, std::min(at, 7 - at) + 2); };
          const int64_t seen = seen_along(row) * seen_along(column);
          const float value = y.data<float>()[i * 32];
          if (std::abs(row - 3) > 1 || std::abs(column - 3) > 1) QCOMPARE(value, static_cast<float>(32 * seen));
          else if (std::isnan(odd)) QVERIFY(std::isnan(value));
          else QCOMPARE(value, odd);
        }
    }
  }
};

QTEST_GUILESS_MAIN(TestConvolutions)
#include "test_convolutions.moc"
