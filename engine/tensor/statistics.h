// Statistics of a tensor's elements: range, mean, histogram, and how many are NaN, infinite or 0.
#pragma once

#include "engine/tensor/tensor.h"

#include <limits>
#include <vector>

namespace footlight {

struct Statistics {
  static constexpr size_t kBins = 48;
  int64_t nan = 0, positive_infinity = 0, negative_infinity = 0, zeros = 0;
  // Computed from the finite elements; NaN if no element is finite.
  double minimum = std::numeric_limits<double>::quiet_NaN(), maximum = minimum, mean = minimum, deviation = minimum;
  // How many finite elements lie in each of kBins equal parts from minimum to maximum; one bin if these are equal, none
  // if there is no finite element.
  std::vector<uint64_t> bins;
  int64_t infinity() const { return positive_infinity + negative_infinity; }
};

// Takes a tensor of numbers on the host; complex numbers count by magnitude.
Statistics statistics_of(const Tensor& t);

struct NonFinite {
  int64_t nan = 0, infinity = 0;
};
// Only the two counts, which is quicker. Tensors of other things than floats hold neither.
NonFinite non_finite_in(const Tensor& t);

// An element as a number; of a complex one its magnitude, NaN if a part of it is NaN.
double element_of(const Tensor& t, int64_t index);

}  // namespace footlight
