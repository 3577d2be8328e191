// The kernel of Einsum. It turns the operands into a batch of matrix products, and brings the result into the requested
// order.
#include "engine/tensor/equation.h"
#include "kernels/cpu/scalar/call.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <map>
#include <vector>

namespace footlight::FL_ISA {

namespace {

// A dimension: a letter, or kEllipsis + its position from the end for those of an ellipsis.
using Labels = std::vector<int>;
constexpr int kEllipsis = 256;
using SizeOf = std::map<int, int64_t>;

// An operand, or the result, as a stride for each label. A repeated label means the diagonal.
struct View {
  Tensor tensor;
  Labels labels;
  std::vector<int64_t> strides;

  bool has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
  int64_t stride(int label) const {
    return strides[static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin())];
  }
};

Labels expanded(const std::string& text, int rank) {
  Labels out;
  const int ellipsis = rank - static_cast<int>(text.size()) + 1;
  for (char c : text) {
    if (c != '.') out.push_back(c);
    else for (int k = ellipsis; k > 0; --k) out.push_back(kEllipsis + k);
  }
  return out;
}

View view_of(const Tensor& tensor, const Labels& labels, const SizeOf& sizes) {
  View v{tensor, {}, {}};
  int64_t stride = 1;
  for (int d = tensor.shape().rank() - 1; d >= 0; --d) {
    const int label = labels[static_cast<size_t>(d)];
    const int64_t step = tensor.shape()[d] == 1 && sizes.at(label) != 1 ? 0 : stride;
    stride *= tensor.shape()[d];
    const auto at = std::find(v.labels.begin(), v.labels.end(), label);
    if (at != v.labels.end()) {
      v.strides[static_cast<size_t>(at - v.labels.begin())] += step;
    } else {
      v.labels.insert(v.labels.begin(), label);
      v.strides.insert(v.strides.begin(), step);
    }
  }
  return v;
}

int64_t count_of(const Labels& labels, const SizeOf& sizes) {
  int64_t n = 1;
  for (int label : labels) n *= sizes.at(label);
  return n;
}

struct Loop {
  int64_t size, from, to;
};
using Loops = std::vector<Loop>;

// Calls body(offset in the source, offset in the target) for every index of the loops, the last varying fastest.
template <class Body>
void run(const Loops& loops, size_t depth, int64_t from, int64_t to, Body&& body) {
  if (depth == loops.size()) return body(from, to);
  const Loop& l = loops[depth];
  if (depth + 1 == loops.size())
    for (int64_t i = 0; i < l.size; ++i) body(from + i * l.from, to + i * l.to);
  else
    for (int64_t i = 0; i < l.size; ++i) run(loops, depth + 1, from + i * l.from, to + i * l.to, body);
}

Loops loops_over(const Labels& labels, const SizeOf& sizes, const View& from, const View& to) {
  Loops out;
  for (int label : labels)
    out.push_back({sizes.at(label), from.has(label) ? from.stride(label) : 0, to.has(label) ? to.stride(label) : 0});
  return out;
}

View contiguous(DType dtype, const Labels& labels, const SizeOf& sizes, const Tensor& memory = {}) {
  Shape shape;
  for (int label : labels) shape.append(sizes.at(label));
  View v{memory ? memory.reshaped(shape) : Tensor::empty(dtype, shape), labels, std::vector<int64_t>(labels.size())};
  int64_t stride = 1;
  for (size_t k = labels.size(); k-- > 0; stride *= sizes.at(labels[k])) v.strides[k] = stride;
  return v;
}

// Sums and transposes an operand that is contiguous in its labels' order, by the kernels of sums and transposes.
Tensor summed_and_transposed(const View& v, const Labels& labels, const SizeOf& sizes) {
  const auto is_kept = [&](int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); };
  Tensor value = v.tensor;
  Labels left;
  std::vector<int32_t> axes;
  for (size_t d = 0; d < v.labels.size(); ++d) {
    if (is_kept(v.labels[d])) left.push_back(v.labels[d]);
    else axes.push_back(static_cast<int32_t>(d));
  }
  const auto vector = [](const std::vector<int32_t>& of) { return Tensor::vector<int32_t>(of); };
  if (!axes.empty()) value = call("Sum", {value, vector(axes)}, contiguous(value.dtype(), left, sizes).tensor);
  if (left == labels) return value;
  std::vector<int32_t> perm;
  for (int label : labels)
    perm.push_back(static_cast<int32_t>(std::find(left.begin(), left.end(), label) - left.begin()));
  return call("Transpose", {value, vector(perm)}, contiguous(value.dtype(), labels, sizes).tensor);
}

// The operand in the order of `labels`, summed over the others; itself if it has that order already.
template <class T>
View packed(const View& v, const Labels& labels, const SizeOf& sizes) {
  using C = functors::Compute<T>;
  View out = contiguous(v.tensor.dtype(), labels, sizes, v.tensor.elements() == count_of(labels, sizes) ? v.tensor
                                                                                                      : Tensor());
  if (v.labels == labels && v.strides == out.strides) return out;
  const bool all_there = std::all_of(labels.begin(), labels.end(), [&](int label) { return v.has(label); });
  if (all_there && v.tensor.elements() == count_of(v.labels, sizes) &&
      v.strides == contiguous(v.tensor.dtype(), v.labels, sizes, v.tensor).strides)
    return contiguous(v.tensor.dtype(), labels, sizes, summed_and_transposed(v, labels, sizes));
  out = contiguous(v.tensor.dtype(), labels, sizes);
  Labels summed;
  for (int label : v.labels)
    if (!out.has(label)) summed.push_back(label);
  const T* in = v.tensor.template data<T>();
  T* to = out.tensor.template data<T>();
  const Loops inner = loops_over(summed, sizes, v, out);
  run(loops_over(labels, sizes, v, out), 0, 0, 0, [&](int64_t from, int64_t at) {
    if (summed.empty()) {
      to[at] = in[from];
      return;
    }
    C sum(0);
    run(inner, 0, from, 0, [&](int64_t k, int64_t) { sum = functors::Add()(sum, static_cast<C>(in[k])); });
    to[at] = static_cast<T>(sum);
  });
  return out;
}

Labels joined(std::initializer_list<Labels> parts) {
  Labels out;
  for (const Labels& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// The product of two operands over the labels that only they share. `order` is the requested order; the result's own is
// shared kept labels, those of the first, those of the second.
template <class T>
View product(const View& a, const View& b, const Labels& order, const SizeOf& sizes) {
  Labels batch, left, right, inner;
  for (int label : order) (a.has(label) ? b.has(label) ? batch : left : right).push_back(label);
  for (int label : a.labels)
    if (b.has(label) && std::find(order.begin(), order.end(), label) == order.end()) inner.push_back(label);
  const int64_t count = count_of(batch, sizes), m = count_of(left, sizes), n = count_of(right, sizes);
  const int64_t depth = count_of(inner, sizes);
  const Labels whole = joined({batch, left, right});
  const DType type = a.tensor.dtype();
  if (m == 1 && n == 1) {  // elementwise products, and their sums
    const View x = packed<T>(a, joined({batch, left, inner}), sizes);
    const View y = packed<T>(b, joined({batch, right, inner}), sizes);
    const Shape pairs{count, depth};
    Tensor flat = call("Mul", {x.tensor.reshaped(pairs), y.tensor.reshaped(pairs)}, Tensor::empty(type, pairs));
    if (depth != 1)
      flat = call("Sum", {flat, Tensor::vector<int32_t>(std::vector<int32_t>{1})}, Tensor::empty(type, Shape{count}));
    return contiguous(type, whole, sizes, flat);
  }
  // A transposed operand is left so: the product reads it either way.
  const auto lies = [&](const View& v, const Labels& labels) {
    return !functors::is_complex_v<T> && v.labels == labels && v.strides == contiguous(v.tensor.dtype(), labels, sizes,
                                                                                       v.tensor).strides;
  };
  const bool ta = lies(a, joined({batch, inner, left})) && !left.empty() && !inner.empty();
  const bool tb = lies(b, joined({batch, right, inner})) && !right.empty() && !inner.empty();
  const View x = packed<T>(a, ta ? a.labels : joined({batch, left, inner}), sizes);
  const View y = packed<T>(b, tb ? b.labels : joined({batch, inner, right}), sizes);
  Tensor flat = Tensor::empty(type, Shape{count, m, n});
  call("BatchMatMulV2",
       {x.tensor.reshaped(ta ? Shape{count, depth, m} : Shape{count, m, depth}),
        y.tensor.reshaped(tb ? Shape{count, n, depth} : Shape{count, depth, n})},
       flat, {{"adj_x"_attr, ta}, {"adj_y"_attr, tb}});
  return contiguous(type, whole, sizes, flat);
}

template <class T>
void einsum(KernelContext& c) {
  const Equation e = parse_equation(c.attrs.get<std::string>("equation"_attr));
  SizeOf sizes;
  std::vector<Labels> labels;
  for (size_t k = 0; k < c.inputs.size(); ++k) {
    const Shape& s = c.inputs[k].shape();
    labels.push_back(expanded(e.inputs[k], s.rank()));
    for (int d = 0; d < s.rank(); ++d) {
      auto [at, is_new] = sizes.emplace(labels[k][static_cast<size_t>(d)], s[d]);
      if (at->second == 1) at->second = s[d];
    }
  }
  const Tensor& output = c.outputs[0];
  const View target = view_of(output, expanded(e.output, output.shape().rank()), sizes);
  std::vector<View> views;
  for (size_t k = 0; k < c.inputs.size(); ++k) views.push_back(view_of(c.inputs[k], labels[k], sizes));
  View result;
  if (views.size() == 1) {
    result = packed<T>(views[0], target.labels, sizes);
  } else {
    // Labels that only one operand has and the result has not are summed first.
    for (size_t k = 0; k < 2; ++k) {
      Labels kept;
      for (int label : views[k].labels)
        if (target.has(label) || views[1 - k].has(label)) kept.push_back(label);
      if (kept.size() < views[k].labels.size()) views[k] = packed<T>(views[k], kept, sizes);
    }
    result = product<T>(views[0], views[1], target.labels, sizes);
  }
  T* out = output.data<T>();
  if (target.labels.size() < static_cast<size_t>(output.shape().rank())) std::fill_n(out, output.elements(), T());
  const T* in = result.tensor.template data<T>();
  run(loops_over(target.labels, sizes, result, target), 0, 0, 0, [&](int64_t from, int64_t to) { out[to] = in[from]; });
}

template <class... Types>
void einsums() { (on_cpu("Einsum", bit_of(dtype_of<Types>), einsum<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  einsums<float, double, Float16, BFloat16, int32_t, int64_t, std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
