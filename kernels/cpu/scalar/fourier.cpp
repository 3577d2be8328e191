// Fourier transforms of any length by Eigen's own transform of one line.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <complex>
#include <vector>

namespace footlight::FL_ISA {

namespace {

// Lines along one axis of a tensor: line k begins at (k / inner) * length * inner + k % inner, its elements are
// `inner` apart.
struct Lines {
  int64_t outer, length, inner;
  Lines(const Shape& shape, int axis) : outer(1), length(shape[axis]), inner(1) {
    for (int d = 0; d < axis; ++d) outer *= shape[d];
    for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  }
  int64_t count() const { return outer * inner; }
  int64_t begin(int64_t line) const { return line / inner * length * inner + line % inner; }
};

int64_t grain_of(int64_t length) { return std::max<int64_t>(1, 8192 / std::max<int64_t>(length, 1)); }

// Transforms complex lines in place.
template <class T, bool kInverse>
void transform_lines(std::complex<T>* data, const Lines& lines) {
  if (lines.length <= 1) return;
  parallel_for(lines.count(), grain_of(lines.length), [&](int64_t first, int64_t end) {
    Eigen::FFT<T> plan;
    std::vector<std::complex<T>> line(static_cast<size_t>(lines.length)), made(line.size());
    for (int64_t k = first; k < end; ++k) {
      std::complex<T>* at = data + lines.begin(k);
      for (size_t j = 0; j < line.size(); ++j) line[j] = at[static_cast<int64_t>(j) * lines.inner];
      if (kInverse) plan.inv(made.data(), line.data(), lines.length);
      else plan.fwd(made.data(), line.data(), lines.length);
      for (size_t j = 0; j < line.size(); ++j) at[static_cast<int64_t>(j) * lines.inner] = made[j];
    }
  });
}

// Calls body(from, to) with the flat places of the elements that two shapes of one rank have in common, whole rows of
// the last dimension at a time: body(from, to, count).
template <class Body>
void for_common_rows(const Shape& a, const Shape& b, Body&& body) {
  const int rank = a.rank();
  std::vector<int64_t> at(static_cast<size_t>(rank), 0);
  const int64_t row = std::min(a[rank - 1], b[rank - 1]);
  for (int d = 0; d < rank; ++d)
    if (std::min(a[d], b[d]) == 0) return;
  for (;;) {
    int64_t from = 0, to = 0;
    for (int d = 0; d < rank; ++d) {
      from = from * a[d] + at[static_cast<size_t>(d)];
      to = to * b[d] + at[static_cast<size_t>(d)];
    }
    body(from, to, row);
    int d = rank - 2;
    for (; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < std::min(a[d], b[d])) break;
      at[static_cast<size_t>(d)] = 0;
    }
    if (d < 0) return;
  }
}

// The transformed axes and the number of elements along each; the last axis is the one with half a spectrum.
struct Plan {
  std::vector<int> axes;
  std::vector<int64_t> lengths;
};

std::vector<int64_t> numbers(const Tensor& t) {
  const auto* values = t.data<int32_t>();
  return {values, values + t.elements()};
}

Plan plan_of(const KernelContext& c, int rank) {
  Plan plan;
  const int dimensions = c.inputs[0].shape().rank();
  if (rank == 0) {
    for (const int64_t axis : numbers(c.inputs[2]))
      plan.axes.push_back(static_cast<int>(axis < 0 ? axis + dimensions : axis));
  } else {
    for (int d = 0; d < rank; ++d) plan.axes.push_back(dimensions - rank + d);
  }
  if (c.inputs.size() > 1) plan.lengths = numbers(c.inputs[1]);
  else for (const int axis : plan.axes) plan.lengths.push_back(c.inputs[0].shape()[axis]);
  plan.lengths.resize(plan.axes.size());  // there may be more than axes
  return plan;
}

// Throws if the input is too short to be cut to the lengths.
void check_length(const KernelContext& c, const Plan& plan, bool half) {
  const Shape& in = c.inputs[0].shape();
  for (size_t k = 0; k < plan.axes.size(); ++k) {
    const bool is_half = half && k + 1 == plan.axes.size();
    const int64_t least = !is_half ? plan.lengths[k] : plan.lengths[k] == 0 ? 0 : plan.lengths[k] / 2 + 1;
    if (in[plan.axes[k]] < least && in[plan.axes[k]] != 0)
      invalid("Input dimension ", plan.axes[k], " must have length of at least ", least, " but got: ",
              in[plan.axes[k]], " [Op:", c.row.name, "]");
  }
}

template <class T>
std::vector<std::complex<T>> cut_out(const KernelContext& c, const Shape& to_shape) {
  std::vector<std::complex<T>> data(static_cast<size_t>(to_shape.elements()));
  const auto* in = c.inputs[0].data<std::complex<T>>();
  for_common_rows(c.inputs[0].shape(), to_shape, [&](int64_t from, int64_t to, int64_t count) {
    std::copy_n(in + from, count, data.data() + to);
  });
  return data;
}

template <class T, int rank, bool kInverse>
void complex_transform(KernelContext& c) {
  const Plan plan = plan_of(c, rank);
  const Shape& shape = c.outputs[0].shape();
  auto* out = c.outputs[0].data<std::complex<T>>();
  check_length(c, plan, false);
  if (shape.elements() == 0) return;
  std::fill(out, out + shape.elements(), std::complex<T>{});
  if (c.inputs[0].elements() == 0) return;
  const auto* in = c.inputs[0].data<std::complex<T>>();
  for_common_rows(c.inputs[0].shape(), shape,
                  [&](int64_t from, int64_t to, int64_t count) { std::copy_n(in + from, count, out + to); });
  for (size_t k = plan.axes.size(); k-- > 0;) transform_lines<T, kInverse>(out, Lines(shape, plan.axes[k]));
}

template <class T, int rank>
void to_half(KernelContext& c) {
  const Plan plan = plan_of(c, rank);
  const Shape &in_shape = c.inputs[0].shape(), &shape = c.outputs[0].shape();
  auto* out = c.outputs[0].data<std::complex<T>>();
  check_length(c, plan, false);
  if (shape.elements() == 0) return;
  std::fill(out, out + shape.elements(), std::complex<T>{});
  if (c.inputs[0].elements() == 0) return;
  const int last = plan.axes.back();
  const int64_t length = plan.lengths.back();
  // The real lines that are looked at: those of the output, each over `length` elements.
  Shape cut = shape;
  cut.set(last, length);
  std::vector<T> real(static_cast<size_t>(cut.elements()));
  const T* in = c.inputs[0].data<T>();
  for_common_rows(in_shape, cut,
                  [&](int64_t from, int64_t to, int64_t count) { std::copy_n(in + from, count, real.data() + to); });
  const Lines from(cut, last), to(shape, last);
  parallel_for(from.count(), grain_of(length), [&](int64_t first, int64_t end) {
    Eigen::FFT<T> fft;
    fft.SetFlag(Eigen::FFT<T>::HalfSpectrum);
    std::vector<T> line(static_cast<size_t>(length));
    std::vector<std::complex<T>> made(static_cast<size_t>(length));
    for (int64_t k = first; k < end; ++k) {
      const T* at = real.data() + from.begin(k);
      for (int64_t j = 0; j < length; ++j) line[static_cast<size_t>(j)] = at[j * from.inner];
      if (length == 1) made[0] = line[0];  // too short for Eigen
      else fft.fwd(made.data(), line.data(), length);
      std::complex<T>* put = out + to.begin(k);
      for (int64_t j = 0; j < to.length; ++j) put[j * to.inner] = made[static_cast<size_t>(j)];
    }
  });
  for (size_t k = plan.axes.size() - 1; k-- > 0;) transform_lines<T, false>(out, Lines(shape, plan.axes[k]));
}

template <class T, int rank>
void from_half(KernelContext& c) {
  const Plan plan = plan_of(c, rank);
  const Shape& shape = c.outputs[0].shape();
  T* out = c.outputs[0].data<T>();
  check_length(c, plan, true);
  if (shape.elements() == 0) return;
  if (c.inputs[0].elements() == 0) {
    std::fill(out, out + shape.elements(), T{});
    return;
  }
  const int last = plan.axes.back();
  const int64_t length = plan.lengths.back();
  Shape half = shape;
  half.set(last, length / 2 + 1);
  std::vector<std::complex<T>> data = cut_out<T>(c, half);
  for (size_t k = plan.axes.size() - 1; k-- > 0;) transform_lines<T, true>(data.data(), Lines(half, plan.axes[k]));
  const Lines from(half, last), to(shape, last);
  parallel_for(from.count(), grain_of(length), [&](int64_t first, int64_t end) {
    Eigen::FFT<T> fft;
    fft.SetFlag(Eigen::FFT<T>::HalfSpectrum);
    std::vector<std::complex<T>> line(static_cast<size_t>(from.length));
    std::vector<T> made(static_cast<size_t>(length));
    for (int64_t k = first; k < end; ++k) {
      const std::complex<T>* at = data.data() + from.begin(k);
      for (int64_t j = 0; j < from.length; ++j) line[static_cast<size_t>(j)] = at[j * from.inner];
      if (length == 1) made[0] = line[0].real();
      else fft.inv(made.data(), line.data(), length);
      T* put = out + to.begin(k);
      for (int64_t j = 0; j < length; ++j) put[j * to.inner] = made[static_cast<size_t>(j)];
    }
  });
}

template <class T, int rank>
void both_ways(const char* forward, const char* inverse, const char* to, const char* from, DType real, DType complex) {
  on_cpu(forward, bit_of(complex), complex_transform<T, rank, false>);
  on_cpu(inverse, bit_of(complex), complex_transform<T, rank, true>);
  on_cpu(to, bit_of(real), to_half<T, rank>);
  on_cpu(from, bit_of(complex), from_half<T, rank>);
}

template <class T>
void transforms(DType real, DType complex) {
  both_ways<T, 1>("FFT", "IFFT", "RFFT", "IRFFT", real, complex);
  both_ways<T, 2>("FFT2D", "IFFT2D", "RFFT2D", "IRFFT2D", real, complex);
  both_ways<T, 3>("FFT3D", "IFFT3D", "RFFT3D", "IRFFT3D", real, complex);
  both_ways<T, 0>("FFTND", "IFFTND", "RFFTND", "IRFFTND", real, complex);  // 0: the axes are an input
}

}  // namespace

FL_CPU_KERNELS {
  transforms<float>(DType::kFloat32, DType::kComplex64);
  transforms<double>(DType::kFloat64, DType::kComplex128);
}

}  // namespace footlight::FL_ISA
