// Kernels that compute with sparse tensors: sums, products, extremes, softmax.
#include "kernels/cpu/scalar/coordinates.h"
#include "kernels/functors/common.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

// Calls body(T{}) with the type of the numbers of `values`.
template <class Body>
void with_numbers(DType dtype, Body&& body) {
  with_plain_type(dtype, [&](auto zero) {
    if constexpr (!std::is_same_v<decltype(zero), bool>)
      body(zero);
    else
      invalid("expected a tensor of numbers, got dtype bool");
  });
}
template <class T>
T sum_of(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<functors::Wrapping<T>>(a) + static_cast<functors::Wrapping<T>>(b));
  else
    return static_cast<T>(static_cast<Compute<T>>(a) + static_cast<Compute<T>>(b));
}
template <class T>
T product_of(const T& a, const T& b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return static_cast<T>(static_cast<Compute<T>>(a) * static_cast<Compute<T>>(b));
}
template <class T>
constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

void matmul(KernelContext& c) {
  const bool a = c.attrs.get_or("adjoint_a"_attr, false), b = c.attrs.get_or("adjoint_b"_attr, false);
  const Coordinates s = coordinates(c, 0);
  const Tensor& dense = c.inputs[3];
  if (s.rank != 2) invalid("a must be a matrix, it has ", s.rank, " dimensions [Op:SparseTensorDenseMatMul]");
  const int64_t rows = s.shape[a ? 1 : 0], columns = dense.shape()[b ? 0 : 1], width = dense.shape()[1];
  with_numbers(s.values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = Compute<T>;
    const auto adjoint = [](T v, bool conjugated) {
      if constexpr (is_complex_type<T>)
        return conjugated ? std::conj(v) : v;
      else
        return (void)conjugated, v;
    };
    Tensor& result = c.set_output(0, s.values.dtype(), Shape{rows, columns});
    // Sums of types that are shorter than what is computed with take memory of their own.
    constexpr bool kConverts = !std::is_same_v<T, C>;
    std::vector<C> wide(kConverts ? static_cast<size_t>(result.elements()) : 0);
    C* sums = wide.data();
    if constexpr (!kConverts) {
      clear(result);
      sums = result.template data<T>();
    }
    const T* const from = dense.data<T>();
    for (int64_t k = 0; k < s.count; ++k) {
      const int64_t row = s.place(k)[a ? 1 : 0], inner = s.place(k)[a ? 0 : 1];
      const T by = adjoint(s.values.data<T>()[k], a);
      C* const to = sums + row * columns;
      for (int64_t j = 0; j < columns; ++j) {
        const T other = adjoint(b ? from[j * width + inner] : from[inner * width + j], b);
        to[j] = sum_of<C>(to[j], product_of<C>(static_cast<C>(by), static_cast<C>(other)));
      }
    }
    if constexpr (kConverts)
      std::ranges::transform(wide, result.template data<T>(), [](const C& v) { return static_cast<T>(v); });
  });
}

// Each place of one or both, in order: body(number in a or -1, number in b or -1).
template <class Body>
void merged(KernelContext& c, const Coordinates& a, const Coordinates& b, Body&& body) {
  if (a.shape != b.shape) invalid("Operands' shapes do not match [Op:", c.row.name, "]");
  for (int64_t i = 0, j = 0; i < a.count || j < b.count;) {
    const int order = i == a.count ? 1 : j == b.count ? -1 : compare_places(a.place(i), b.place(j), a.rank);
    body(order <= 0 ? i : -1, order >= 0 ? j : -1);
    i += order <= 0;
    j += order >= 0;
  }
}

double magnitude(const Tensor& t) {
  double out = 0;
  with_numbers(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!is_complex_type<T>) out = static_cast<double>(static_cast<Compute<T>>(*t.data<T>()));
  });
  return out;
}

// `combine(x, y)`, where one that is missing is zero; `kept` says which results stay.
template <class T, class Combine, class Kept>
void combined(KernelContext& c, Combine&& combine, Kept&& kept) {
  const Coordinates a = coordinates(c, 0), b = coordinates(c, 3);
  std::vector<int64_t> at;
  std::vector<T> values;
  merged(c, a, b, [&](int64_t i, int64_t j) {
    const T v = combine(i < 0 ? T(0) : a.values.data<T>()[i], j < 0 ? T(0) : b.values.data<T>()[j]);
    if (!kept(v)) return;
    const int64_t* const place = i < 0 ? b.place(j) : a.place(i);
    at.insert(at.end(), place, place + a.rank);
    values.push_back(v);
  });
  set_places(c, 0, at, values.size(), a.rank);
  std::ranges::copy(
      values,
      c.set_output(1, a.values.dtype(), Shape{static_cast<int64_t>(values.size())}).template data<T>());
  if (c.outputs.size() > 2) set_ints(c, 2, a.shape);
}

void add(KernelContext& c) {
  const double least = magnitude(c.inputs[6]);
  with_numbers(c.inputs[1].dtype(), [&](auto zero) {
    using T = decltype(zero);
    combined<T>(c, sum_of<T>, [&](const T& v) {
      if constexpr (is_complex_type<T>)
        return static_cast<double>(std::abs(v)) >= least;
      else
        return std::abs(static_cast<double>(static_cast<Compute<T>>(v))) >= least;
    });
  });
}

template <bool largest>
void extreme(KernelContext& c) {
  with_numbers(c.inputs[1].dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!is_complex_type<T>)
      combined<T>(
          c, [](const T& x, const T& y) { return largest == (x < y) ? y : x; },
          [](const T&) { return true; });
  });
}

void add_gradient(KernelContext& c) {
  const Tensor& arriving = c.inputs[0];
  const std::vector<int64_t> sum = ints_of(c.inputs[3]);
  const int64_t count = arriving.elements(),
                rank = c.inputs[3].shape().rank() == 2 ? c.inputs[3].shape()[1] : -1;
  for (size_t k = 0; k < 2; ++k) {
    const Tensor& places = c.inputs[k + 1];
    if (places.shape().rank() != 2 || places.shape()[1] != rank || c.inputs[3].shape()[0] != count)
      invalid("the places of a sum and of its parts do not fit together [Op:SparseAddGrad]");
    const std::vector<int64_t> own = ints_of(places);
    Tensor& out = c.set_output(k, arriving.dtype(), Shape{places.shape()[0]});
    clear(out);
    for (int64_t i = 0, j = 0; i < places.shape()[0] && j < count;) {
      const int order = compare_places(own.data() + i * rank, sum.data() + j * rank, rank);
      if (order == 0) copy(out.dtype(), arriving.raw(), j, out.raw(), i, 1);
      i += order <= 0;
      j += order >= 0;
    }
  }
}

void add_dense(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  const Tensor& dense = c.inputs[3];
  if (!std::ranges::equal(dense.shape().dims(), s.shape))
    invalid("the shapes of the sparse and of the other tensor differ [Op:SparseTensorDenseAdd]");
  Tensor& out = c.set_output(0, dense.dtype(), dense.shape());
  copy(dense.dtype(), dense.raw(), 0, out.raw(), 0, dense.elements());
  with_numbers(dense.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < s.count; ++k) {
      int64_t flat = 0;
      for (int64_t d = 0; d < s.rank; ++d) flat = flat * s.shape[static_cast<size_t>(d)] + s.place(k)[d];
      T& to = out.data<T>()[flat];
      to = sum_of(to, s.values.data<T>()[k]);
    }
  });
}

enum class DenseOperation { kAdd, kMul, kDiv };
template <DenseOperation how>
void with_dense(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  const Shape& shape = c.inputs[3].shape();
  const int64_t less = s.rank - shape.rank();
  if (less < 0) invalid("the other tensor has more dimensions than the sparse one [Op:", c.row.name, "]");
  for (int d = 0; d < shape.rank(); ++d)
    if (shape[d] != 1 && shape[d] != s.shape[static_cast<size_t>(less + d)])
      invalid("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
              shape.brackets(), " for the dimension ", d, " [Op:", c.row.name, "]");
  with_numbers(s.values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using C = Compute<T>;
    T* const out = c.set_output(0, s.values.dtype(), Shape{s.count}).template data<T>();
    for (int64_t k = 0; k < s.count; ++k) {
      int64_t flat = 0;
      for (int d = 0; d < shape.rank(); ++d)
        flat = flat * shape[d] + (shape[d] == 1 ? 0 : s.place(k)[less + d]);
      const T x = s.values.data<T>()[k], y = c.inputs[3].data<T>()[flat];
      if constexpr (how == DenseOperation::kAdd)
        out[k] = sum_of(x, y);
      else if constexpr (how == DenseOperation::kMul)
        out[k] = product_of(x, y);
      else if constexpr (std::is_integral_v<T>) {
        if (y == 0) invalid("Integer division by zero [Op:", c.row.name, "]");
        out[k] = static_cast<T>(std::is_signed_v<T> && y == static_cast<T>(-1) ? product_of(x, y) : x / y);
      } else
        out[k] = static_cast<T>(static_cast<C>(x) / static_cast<C>(y));
    }
  });
}

void softmax(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  if (s.rank < 2) invalid("Input should have rank >= 2 [Op:SparseSoftmax]");
  const std::vector<int64_t> order = in_order(s);
  with_numbers(s.values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!is_complex_type<T> && !std::is_integral_v<T>) {
      using C = Compute<T>;
      T* const out = c.set_output(0, s.values.dtype(), Shape{s.count}).template data<T>();
      const auto value = [&](size_t k) { return static_cast<C>(s.values.data<T>()[order[k]]); };
      for (size_t k = 0; k < order.size();) {
        size_t end = k;
        C most = value(k), sum = 0;
        for (; end < order.size() && !compare_places(s.place(order[k]), s.place(order[end]), s.rank - 1);
             ++end)
          most = std::max(most, value(end));
        for (size_t i = k; i < end; ++i) sum += std::exp(value(i) - most);
        for (; k < end; ++k) out[order[k]] = static_cast<T>(std::exp(value(k) - most) / sum);
      }
    }
  });
}

template <bool largest>
void reduce(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  std::vector<bool> gone(static_cast<size_t>(s.rank));
  for (const int64_t axis : ints_of(c.inputs[3])) {
    const int64_t d = from_end(axis, static_cast<int>(s.rank));
    if (d < 0 || d >= s.rank)
      invalid("Invalid reduction dimension ", axis, ", for input with ", s.rank,
              " dimensions. [Op:", c.row.name, "]");
    gone[static_cast<size_t>(d)] = true;
  }
  Shape shape = Shape{};
  for (size_t d = 0; d < gone.size(); ++d)
    if (!gone[d])
      shape.append(s.shape[d]);
    else if (c.attrs.get_or("keep_dims"_attr, false))
      shape.append(1);
  Tensor& out = c.set_output(0, s.values.dtype(), shape);
  clear(out);
  std::vector<bool> seen(largest ? static_cast<size_t>(out.elements()) : 0);
  with_numbers(s.values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < s.count; ++k) {
      int64_t flat = 0;
      for (size_t d = 0; d < gone.size(); ++d)
        if (!gone[d]) flat = flat * s.shape[d] + s.place(k)[d];
      T& to = out.data<T>()[flat];
      const T v = s.values.data<T>()[k];
      if constexpr (!largest) {
        to = sum_of(to, v);
      } else if constexpr (!is_complex_type<T>) {
        if (!seen[static_cast<size_t>(flat)] || to < v) to = v;
        seen[static_cast<size_t>(flat)] = true;
      }
    }
  });
}

void fill_gradient(KernelContext& c) {
  const std::vector<int64_t> back = ints_of(c.inputs[0]);
  const Tensor& arriving = c.inputs[1];
  std::vector<bool> own(static_cast<size_t>(arriving.elements()));
  Tensor& values = c.set_output(0, arriving.dtype(), Shape{static_cast<int64_t>(back.size())});
  for (size_t k = 0; k < back.size(); ++k) {
    if (back[k] < 0 || back[k] >= arriving.elements())
      invalid("Elements in reverse index must be in [0, ", arriving.elements(), ") but got ", back[k],
              " [Op:SparseFillEmptyRowsGrad]");
    own[static_cast<size_t>(back[k])] = true;
    copy(values.dtype(), arriving.raw(), back[k], values.raw(), static_cast<int64_t>(k), 1);
  }
  with_numbers(arriving.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T sum(0);
    for (size_t k = 0; k < own.size(); ++k)
      if (!own[k]) sum = sum_of(sum, arriving.data<T>()[k]);
    *c.set_output(1, arriving.dtype(), Shape()).template data<T>() = sum;
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SparseTensorDenseMatMul", kAllTypes, matmul);
  on_cpu("SparseAdd", kAllTypes, add);
  on_cpu("SparseAddGrad", kAllTypes, add_gradient);
  on_cpu("SparseSparseMaximum", kAllTypes, extreme<true>);
  on_cpu("SparseSparseMinimum", kAllTypes, extreme<false>);
  on_cpu("SparseTensorDenseAdd", kAllTypes, add_dense);
  on_cpu("SparseDenseCwiseAdd", kAllTypes, with_dense<DenseOperation::kAdd>);
  on_cpu("SparseDenseCwiseMul", kAllTypes, with_dense<DenseOperation::kMul>);
  on_cpu("SparseDenseCwiseDiv", kAllTypes, with_dense<DenseOperation::kDiv>);
  on_cpu("SparseSoftmax", kAllTypes, softmax);
  on_cpu("SparseReduceSum", kAllTypes, reduce<false>);
  on_cpu("SparseReduceMax", kAllTypes, reduce<true>);
  on_cpu("SparseFillEmptyRowsGrad", kAllTypes, fill_gradient);
}

}  // namespace footlight::FL_ISA
