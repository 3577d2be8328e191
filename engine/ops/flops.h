// Rules for the number of arithmetic operations of an op, by the usual conventions: a product 2mnk, a
// convolution 2 per element of the output and of the filter applied to it, a reduction one per element.
#pragma once

#include "engine/ops/row.h"

#include <algorithm>
#include <span>

namespace footlight {

// A tensor's dtype and shape, without its data.
struct TensorType {
  DType dtype = DType::kInvalid;
  Shape shape;
};

// Applies the row's rule; complex numbers count four times.
uint64_t flops_of(const OpRow&, std::span<const TensorType> inputs, std::span<const TensorType> outputs);

namespace flops {

using Types = std::span<const TensorType>;

double elements(const TensorType&);
double elements(Types, size_t i);                // 0 when there is no such tensor
double dim(Types, size_t i, int from_the_end);   // dim(x, 0, 1) is the last dimension of x[0]
double largest(Types);

double none(Types, Types);  // moving and reading cost nothing
template <int per_element>
double each_output(Types, Types out) { return per_element * largest(out); }
template <int per_element>
double each_input(Types in, Types) { return per_element * elements(in, 0); }
inline constexpr FlopsFunction kSeries = each_output<10>;  // elementwise functions computed by a series

double product(Types in, Types out);
double convolution(Types in, Types out);
double convolution_to_input(Types in, Types out);   // gradients: with respect to the input, the filter
double convolution_to_filter(Types in, Types out);
double depthwise(Types in, Types out);
double depthwise_to_input(Types in, Types out);
double depthwise_to_filter(Types in, Types out);

// thirds / 3 n^3 for each n x n matrix.
template <int thirds>
double cubic(Types in, Types) { return elements(in, 0) * dim(in, 0, 2) * thirds / 3; }
double solve(Types in, Types out);
double triangular_solve(Types in, Types out);
double orthogonal(Types in, Types out);
double singular_values(Types in, Types out);
double sorting(Types in, Types out);

// The rule for a family's rows that name no rule.
FlopsFunction of_family(OpFamily);

}  // namespace flops
}  // namespace footlight
