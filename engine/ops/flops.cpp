// The rules for what an op costs.
#include "engine/ops/flops.h"

#include <cmath>

namespace footlight {
namespace flops {

double elements(const TensorType& t) {
  double n = 1;
  for (const int64_t d : t.shape.dims()) n *= static_cast<double>(d);
  return n;
}
double elements(Types types, size_t i) { return i < types.size() ? elements(types[i]) : 0; }
double dim(Types types, size_t i, int from_the_end) {
  if (i >= types.size() || types[i].shape.rank() < from_the_end) return 1;
  return static_cast<double>(types[i].shape[types[i].shape.rank() - from_the_end]);
}
double largest(Types types) {
  double n = 0;
  for (const TensorType& t : types) n = std::max(n, elements(t));
  return n;
}

double none(Types, Types) { return 0; }

// (m, k) by (k, n), either operand possibly transposed: m and n are in the output.
double product(Types in, Types out) {
  const double m = dim(out, 0, 2);
  const double matrix = dim(in, 0, 1) * dim(in, 0, 2);
  return m > 0 ? 2 * elements(out, 0) * matrix / m : 0;
}
namespace {

// A filter's last dimension is the output's channels; each output element uses the rest of it.
template <int kFilter>
double filter_per_channel(Types in) {
  const double channels = dim(in, kFilter, 1);
  return channels > 0 ? elements(in, kFilter) / channels : 0;
}
// A channel's filters apply to that channel alone: height by width of them.
double window(Types types, size_t filter) { return dim(types, filter, 4) * dim(types, filter, 3); }

}  // namespace

double convolution(Types in, Types out) { return 2 * elements(out, 0) * filter_per_channel<1>(in); }
double convolution_to_input(Types in, Types) { return 2 * elements(in, 2) * filter_per_channel<1>(in); }
double convolution_to_filter(Types in, Types out) { return 2 * elements(in, 2) * filter_per_channel<0>(out); }
double depthwise(Types in, Types out) { return 2 * elements(out, 0) * window(in, 1); }
double depthwise_to_input(Types in, Types) { return 2 * elements(in, 2) * window(in, 1); }
double depthwise_to_filter(Types in, Types out) { return 2 * elements(in, 2) * window(out, 0); }

double solve(Types in, Types out) { return cubic<2>(in, out) + 2 * elements(out, 0) * dim(in, 0, 1); }
double triangular_solve(Types in, Types out) { return elements(out, 0) * dim(in, 0, 1); }
// Householder's method for m x n matrices.
double orthogonal(Types in, Types) {
  const double least = std::min(dim(in, 0, 1), dim(in, 0, 2)), most = std::max(dim(in, 0, 1), dim(in, 0, 2));
  return least > 0 ? elements(in, 0) * 2 * (least - least * least / (3 * most)) : 0;
}
double singular_values(Types in, Types out) { return 4 * orthogonal(in, out); }
// n log2 n comparisons per row.
double sorting(Types in, Types) { return elements(in, 0) * std::log2(std::max(2.0, dim(in, 0, 1))); }

FlopsFunction of_family(OpFamily family) {
  switch (family) {
    case OpFamily::kElementwise: return each_output<1>;
    case OpFamily::kReduction: return each_input<1>;
    case OpFamily::kProduct: return product;
    default: return none;
  }
}

}  // namespace flops

uint64_t flops_of(const OpRow& row, flops::Types inputs, flops::Types outputs) {
  double count = row.flops(inputs, outputs);
  for (const TensorType& t : inputs.empty() ? outputs : inputs)
    if (is_complex(t.dtype)) {
      count *= 4;
      break;
    }
  return count < 0x1p63 ? static_cast<uint64_t>(count) : 0;
}

}  // namespace footlight
