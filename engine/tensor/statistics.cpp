// Three passes over the elements: counts and range, then the spread and the histogram.
#include "engine/tensor/statistics.h"

#include "engine/tensor/element.h"

#include <algorithm>
#include <cmath>

namespace footlight {
namespace {

template <class T>
double number_of(T v) {
  return static_cast<double>(v);
}
template <class T>
double number_of(std::complex<T> v) {
  if (std::isnan(v.real()) || std::isnan(v.imag())) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(std::abs(v));
}

template <class Does>
void each(const Tensor& t, Does&& does) {
  with_plain_type(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* x = t.data<T>();
    for (int64_t i = 0, n = t.elements(); i < n; ++i) does(number_of(x[i]));
  });
}

}  // namespace

Statistics statistics_of(const Tensor& t) {
  Statistics s;
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  int64_t finite = 0;
  each(t, [&](double v) {
    if (std::isfinite(v)) {
      ++finite;
      s.zeros += v == 0;
      low = std::min(low, v);
      high = std::max(high, v);
      sum += v;
    } else if (std::isnan(v)) {
      ++s.nan;
    } else {
      ++(v < 0 ? s.negative_infinity : s.positive_infinity);
    }
  });
  if (!finite) return s;
  s.minimum = low + 0.0;  // turns -0 into 0
  s.maximum = high + 0.0;
  const auto count = static_cast<double>(finite);
  // Elements so large that their sum overflows are averaged in smaller units.
  const double unit = std::isfinite(sum) && std::max(std::abs(low), std::abs(high)) < 1e150 ? 1 : 0x1p-600;
  double scaled = 0, squares = 0;
  if (unit == 1) scaled = sum / count;
  else each(t, [&](double v) { scaled += std::isfinite(v) ? v * unit / count : 0; });
  s.bins.assign(low == high ? 1 : Statistics::kBins, 0);
  const double width = high * 0x1p-4 - low * 0x1p-4;
  each(t, [&](double v) {
    if (!std::isfinite(v)) return;
    const double off = v * unit - scaled;
    squares += off * off;
    const auto last = static_cast<double>(s.bins.size() - 1);
    const double bin = width > 0 ? std::floor((v * 0x1p-4 - low * 0x1p-4) / width * (last + 1)) : 0;
    ++s.bins[static_cast<size_t>(std::clamp(bin, 0.0, last))];
  });
  s.mean = std::clamp(scaled / unit, low, high);
  s.deviation = std::sqrt(squares / count) / unit;
  return s;
}

NonFinite non_finite_in(const Tensor& t) {
  NonFinite found;
  if (!t || (!is_floating(t.dtype()) && t.dtype() != DType::kComplex64 && t.dtype() != DType::kComplex128))
    return found;
  each(t, [&](double v) {
    if (std::isfinite(v)) [[likely]] return;
    ++(std::isnan(v) ? found.nan : found.infinity);
  });
  return found;
}

double element_of(const Tensor& t, int64_t index) {
  double value = 0;
  with_plain_type(t.dtype(), [&](auto zero) { value = number_of(t.data<decltype(zero)>()[index]); });
  return value;
}

}  // namespace footlight
