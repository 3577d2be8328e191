// The rules for what an op costs. A row that is not named here goes by its family.
#include "engine/ops/cost.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

namespace footlight {
namespace {

using Types = std::span<const TensorType>;
using Rule = double (*)(Types inputs, Types outputs);

double elements(const TensorType& t) {
  double n = 1;
  for (const int64_t d : t.shape.dims()) n *= static_cast<double>(d);
  return n;
}
double elements(Types types, size_t i) { return i < types.size() ? elements(types[i]) : 0; }
// Counted from behind: dim(x, 1) is the last one.
double dim(Types types, size_t i, int from_behind) {
  if (i >= types.size() || types[i].shape.rank() < from_behind) return 1;
  return static_cast<double>(types[i].shape[types[i].shape.rank() - from_behind]);
}
double largest(Types types) {
  double n = 0;
  for (const TensorType& t : types) n = std::max(n, elements(t));
  return n;
}

double nothing(Types, Types) { return 0; }
template <int kWeight>
double each_output(Types, Types out) { return kWeight * largest(out); }
template <int kWeight>
double each_input(Types in, Types) { return kWeight * elements(in, 0); }

// (m, k) by (k, n), whichever way either lies: m and n stand in the output.
double product(Types in, Types out) {
  const double m = dim(out, 0, 2);
  const double matrix = dim(in, 0, 1) * dim(in, 0, 2);
  return m > 0 ? 2 * elements(out, 0) * matrix / m : 0;
}
// A filter's last dimension is the output's channels; each output element meets the rest of it.
template <int kFilter>
double filter_per_channel(Types in) {
  const double channels = dim(in, kFilter, 1);
  return channels > 0 ? elements(in, kFilter) / channels : 0;
}
double convolution(Types in, Types out) { return 2 * elements(out, 0) * filter_per_channel<1>(in); }
double convolution_to_input(Types in, Types) { return 2 * elements(in, 2) * filter_per_channel<1>(in); }
double convolution_to_filter(Types in, Types out) { return 2 * elements(in, 2) * filter_per_channel<0>(out); }
// A channel's filters meet that channel alone: height by width of them.
double window(Types types, size_t filter) { return dim(types, filter, 4) * dim(types, filter, 3); }
double depthwise(Types in, Types out) { return 2 * elements(out, 0) * window(in, 1); }
double depthwise_to_input(Types in, Types) { return 2 * elements(in, 2) * window(in, 1); }
double depthwise_to_filter(Types in, Types out) { return 2 * elements(in, 2) * window(out, 0); }

// Of n x n matrices: kThirds / 3 n^3 each.
template <int kThirds>
double cubic(Types in, Types) { return elements(in, 0) * dim(in, 0, 2) * kThirds / 3; }
double solve(Types in, Types out) { return cubic<2>(in, out) + 2 * elements(out, 0) * dim(in, 0, 1); }
double triangular_solve(Types in, Types out) { return elements(out, 0) * dim(in, 0, 1); }
// Of m x n matrices, by Householder's way.
double orthogonal(Types in, Types) {
  const double least = std::min(dim(in, 0, 1), dim(in, 0, 2)), most = std::max(dim(in, 0, 1), dim(in, 0, 2));
  return least > 0 ? elements(in, 0) * 2 * (least - least * least / (3 * most)) : 0;
}
double singular_values(Types in, Types out) { return 4 * orthogonal(in, out); }
// n log2 n comparisons of every row.
double sorting(Types in, Types) { return elements(in, 0) * std::log2(std::max(2.0, dim(in, 0, 1))); }

struct NamedRule { std::string_view op; Rule rule; };
constexpr NamedRule kRules[] = {
    {"Acos", each_output<10>},
    {"Acosh", each_output<10>},
    {"Asin", each_output<10>},
    {"Asinh", each_output<10>},
    {"Atan", each_output<10>},
    {"Atan2", each_output<10>},
    {"Atanh", each_output<10>},
    {"BatchMatMul", product},
    {"BatchMatMulV2", product},
    {"BatchMatMulV3", product},
    {"BesselI0e", each_output<10>},
    {"BesselI1e", each_output<10>},
    {"BroadcastTo", nothing},
    {"Cast", nothing},
    {"Cholesky", cubic<1>},
    {"Conv", convolution},
    {"Conv2D", convolution},
    {"Conv2DBackpropFilter", convolution_to_filter},
    {"Conv2DBackpropInput", convolution_to_input},
    {"Conv3D", convolution},
    {"Conv3DBackpropFilterV2", convolution_to_filter},
    {"Conv3DBackpropInputV2", convolution_to_input},
    {"Cos", each_output<10>},
    {"Cosh", each_output<10>},
    {"DepthwiseConv2dNative", depthwise},
    {"DepthwiseConv2dNativeBackpropFilter", depthwise_to_filter},
    {"DepthwiseConv2dNativeBackpropInput", depthwise_to_input},
    {"Digamma", each_output<10>},
    {"Elu", each_output<10>},
    {"Erf", each_output<10>},
    {"Erfc", each_output<10>},
    {"Erfinv", each_output<10>},
    {"Exp", each_output<10>},
    {"Expm1", each_output<10>},
    {"Igamma", each_output<10>},
    {"Igammac", each_output<10>},
    {"Lgamma", each_output<10>},
    {"Log", each_output<10>},
    {"Log1p", each_output<10>},
    {"LogMatrixDeterminant", cubic<2>},
    {"LogSoftmax", each_input<14>},
    {"Lu", cubic<2>},
    {"MatMul", product},
    {"MatrixDeterminant", cubic<2>},
    {"MatrixInverse", cubic<6>},
    {"MatrixSolve", solve},
    {"MatrixSolveLs", solve},
    {"MatrixTriangularSolve", triangular_solve},
    {"Ndtri", each_output<10>},
    {"Pow", each_output<10>},
    {"Qr", orthogonal},
    {"SelectV2", nothing},
    {"SelfAdjointEigV2", cubic<27>},
    {"Selu", each_output<10>},
    {"Sigmoid", each_output<10>},
    {"Sin", each_output<10>},
    {"Sinh", each_output<10>},
    {"Softmax", each_input<13>},
    {"SoftmaxCrossEntropyWithLogits", each_input<16>},
    {"Softplus", each_output<10>},
    {"SparseSoftmaxCrossEntropyWithLogits", each_input<15>},
    {"Svd", singular_values},
    {"Tan", each_output<10>},
    {"Tanh", each_output<10>},
    {"TopKV2", sorting},
    {"Xlog1py", each_output<10>},
    {"Xlogy", each_output<10>},
    {"Zeta", each_output<10>},
};
static_assert(std::is_sorted(std::begin(kRules), std::end(kRules),
                             [](const NamedRule& a, const NamedRule& b) { return a.op < b.op; }));

Rule rule_of(const OpRow& row) {
  const auto at = std::lower_bound(std::begin(kRules), std::end(kRules), std::string_view(row.name),
                                   [](const NamedRule& r, std::string_view name) { return r.op < name; });
  if (at != std::end(kRules) && at->op == row.name) return at->rule;
  switch (row.family) {
    case OpFamily::kElementwise: return each_output<1>;
    case OpFamily::kReduction: return each_input<1>;
    case OpFamily::kProduct: return product;
    default: return nothing;
  }
}

uint64_t bytes_of(Types types) {
  double bytes = 0;
  for (const TensorType& t : types)
    if (t.dtype != DType::kInvalid) bytes += elements(t) * static_cast<double>(size_of(t.dtype));
  return static_cast<uint64_t>(bytes);
}

std::string text_of(Types types) {
  std::string out;
  for (const TensorType& t : types) {
    if (!out.empty()) out += ", ";
    if (t.dtype == DType::kInvalid) {
      out += "nothing";
      continue;
    }
    out += name_of(t.dtype);
    out += t.shape.brackets();
  }
  return out;
}

}  // namespace

uint64_t flops_of(const OpRow& row, Types inputs, Types outputs) {
  double flops = rule_of(row)(inputs, outputs);
  for (const TensorType& t : inputs.empty() ? outputs : inputs)
    if (is_complex(t.dtype)) {
      flops *= 4;
      break;
    }
  return flops < 0x1p63 ? static_cast<uint64_t>(flops) : 0;
}

SignatureId describe_signature(uint64_t hash, const OpRow& row, std::span<const Tensor> given,
                               std::span<const Tensor> made) {
  if (const SignatureId id = find_signature(hash); id.valid()) return id;
  if (!room_for_signatures()) return add_signature(hash, {});  // refused and counted, without a description
  const auto type_of = [](const Tensor& t) { return t ? TensorType{t.dtype(), t.shape()} : TensorType{}; };
  std::vector<TensorType> inputs, outputs;
  for (const Tensor& t : made) outputs.push_back(type_of(t));
  for (const Tensor& t : given) inputs.push_back(t || made.empty() ? type_of(t) : type_of(made[0]));
  Signature s;
  s.op = row.id;
  s.inputs = text_of(inputs);
  s.outputs = text_of(outputs);
  s.input_bytes = bytes_of(inputs);
  s.output_bytes = bytes_of(outputs);
  s.flops = flops_of(row, inputs, outputs);
  return add_signature(hash, std::move(s));
}

}  // namespace footlight
