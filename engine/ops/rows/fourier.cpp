// Fourier transforms along the last dimensions, or along any.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/infer.h"

#include <algorithm>

namespace footlight {
namespace {

enum class Kind { kComplex, kToHalf, kFromHalf };

void check_dimensions(Inference& i, int rank) {
  if (i.shape(0).has_rank() && i.shape(0).rank() < rank)
    invalid("Input must have rank of at least ", rank, " but got: ", i.shape(0).to_string(), " [Op:", i.row.name, "]");
}

template <int rank>
void transform_shape(Inference& i) {
  check_dimensions(i, rank);
  i.output_shapes[0] = i.shape(0);
}

void check_lengths(Inference& i, const std::vector<int64_t>& lengths) {
  for (const int64_t length : lengths)
    if (length < 0) invalid("fft_length must be >= 0, but got: ", length, " [Op:", i.row.name, "]");
}

// The number of elements kept of a symmetric spectrum: the first half, with the middle.
int64_t half_of(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

void check_matching_precision(Inference& i) {
  const DType real = i.dtype(0) == DType::kFloat32 || i.dtype(0) == DType::kFloat64 ? i.dtype(0) : i.output_dtypes[0];
  const DType complex = real == i.dtype(0) ? i.output_dtypes[0] : i.dtype(0);
  if ((real == DType::kFloat64) != (complex == DType::kComplex128))
    invalid("Wrong types for forward real FFT: in=", name_of(i.dtype(0)), " out=", name_of(i.output_dtypes[0]),
            " [Op:", i.row.name, "]");
}

template <int rank, Kind kind>
void real_shape(Inference& i) {
  check_dimensions(i, rank);
  infer::check_rank(i, 1, 1);
  check_matching_precision(i);
  if (i.shape(1).has_rank() && i.shape(1)[0] >= 0 && i.shape(1)[0] != rank)
    invalid("fft_length must have shape [", rank, "] [Op:", i.row.name, "]");
  Shape out = i.shape(0);
  if (out.has_rank()) {
    const auto lengths = infer::constant_ints(i, 1);
    if (lengths) check_lengths(i, *lengths);
    for (int d = 0; d < rank; ++d) {
      const int axis = out.rank() - rank + d;
      if (!lengths) out.set(axis, kUnknownDim);
      else {
        const int64_t length = (*lengths)[static_cast<size_t>(d)];
        out.set(axis, kind == Kind::kToHalf && d == rank - 1 ? half_of(length) : length);
      }
    }
  }
  i.output_shapes[0] = out;
}

template <Kind kind>
void any_axes_shape(Inference& i) {
  infer::check_rank(i, 1, 1);
  infer::check_rank(i, 2, 1);
  if (kind != Kind::kComplex) check_matching_precision(i);
  Shape out = i.shape(0);
  const auto axes = infer::constant_ints(i, 2), lengths = infer::constant_ints(i, 1);
  if (out.has_rank() && !axes) {
    out = Shape::of_rank(out.rank());
  } else if (out.has_rank()) {
    if (lengths) check_lengths(i, *lengths);
    if (kind != Kind::kComplex && axes->empty())
      invalid("axes must name at least one dimension, of which half is kept [Op:", i.row.name, "]");
    if (lengths && lengths->size() < axes->size())
      invalid("fft_length must have at least ", axes->size(), " elements, one for each of axes [Op:", i.row.name, "]");
    std::vector<int64_t> seen;
    for (size_t k = 0; k < axes->size(); ++k) {
      const int64_t axis = infer::normalize_axis((*axes)[k], out.rank(), i.row);
      if (std::ranges::find(seen, axis) != seen.end())
        invalid("axes must be unique, ", axis, " is there twice [Op:", i.row.name, "]");
      seen.push_back(axis);
      const int64_t length = lengths ? (*lengths)[k] : kUnknownDim;
      const bool half = length >= 0 && kind == Kind::kToHalf && k + 1 == axes->size();
      out.set(static_cast<int>(axis), half ? half_of(length) : length);
    }
  }
  i.output_shapes[0] = out;
}

// The number of elements that one transform is over, as a scalar of `dtype`.
Tensor size_of_transform(const Tensor& x, int rank, DType dtype) {
  const Shape& shape = x.shape();
  if (shape.has_rank()) {
    int64_t size = 1;
    for (int d = shape.rank() - rank; d < shape.rank() && size >= 0; ++d) size = shape[d] < 0 ? -1 : size * shape[d];
    if (size >= 0) return ops::number(static_cast<double>(size), dtype);
  }
  const Tensor sizes = ops::shape(x);
  Tensor size = ops::number(1, dtype);
  for (int d = 1; d <= rank; ++d)
    size = ops::mul(size, ops::cast(ops::gather(sizes, ops::sub(ops::rank(x), ops::integer(d))), dtype));
  return size;
}

template <int rank, bool inverse>
void transform_gradient(GradientCall& c) {
  static const Op op{rank == 1 ? (inverse ? "FFT" : "IFFT") : rank == 2 ? (inverse ? "FFT2D" : "IFFT2D")
                                                                        : (inverse ? "FFT3D" : "IFFT3D")};
  const Tensor& g = c.output_gradients[0];
  const Tensor size = size_of_transform(g, rank, g.dtype());
  const Tensor transformed = apply(op, {g});
  c.input_gradients[0] = inverse ? ops::div(transformed, size) : ops::mul(transformed, size);
}

// A weight for every element of half a spectrum: `alone` if it stands for itself only, `both` if also for its mirror
// image, which is left out.
Tensor weights_of_half(const Tensor& half, const Tensor& length, double alone, double both, DType dtype) {
  const Tensor count = ops::gather(ops::shape(half), ops::sub(ops::rank(half), ops::integer(1)));
  const Tensor places = ops::range(ops::integer(0), count);
  const Tensor zero = ops::integer(0);
  const Tensor own = ops::where(ops::equal(places, zero), ops::number(alone, DType::kFloat64),
                                ops::where(ops::equal(ops::mul(places, ops::integer(2)), length),
                                           ops::number(alone, DType::kFloat64), ops::number(both, DType::kFloat64)));
  return ops::cast(own, dtype);
}

// The first elements of the transformed dimensions, as many as x has of them, and zeros where there are too few.
Tensor fitted_to(const Tensor& made, const Tensor& x) {
  if (made.shape().fully_known() && x.shape().fully_known() && made.shape() == x.shape())
    return made;
  const Tensor wanted = ops::shape(x), zeros = ops::zeros_like(wanted);
  const Tensor kept = ops::slice(made, zeros, ops::minimum(ops::shape(made), wanted));
  const Tensor missing = ops::sub(wanted, ops::shape(kept));
  return apply("Pad"_op, {kept, ops::pack({zeros, missing}, 1)});
}

template <int rank>
void to_half_gradient(GradientCall& c) {
  static const Op op{rank == 1 ? "IRFFT" : rank == 2 ? "IRFFT2D" : "IRFFT3D"};
  const Tensor &x = c.inputs[0], &lengths = c.inputs[1], &g = c.output_gradients[0];
  const Tensor weights =
      weights_of_half(g, ops::gather(lengths, ops::integer(rank - 1)), 1, 0.5, g.dtype());
  const Tensor back = apply(op, {ops::mul(g, weights), lengths}, {{"Treal"_attr, x.dtype()}});
  c.input_gradients[0] = fitted_to(ops::mul(back, size_of_transform(back, rank, x.dtype())), x);
}

template <int rank>
void from_half_gradient(GradientCall& c) {
  static const Op op{rank == 1 ? "RFFT" : rank == 2 ? "RFFT2D" : "RFFT3D"};
  const Tensor &x = c.inputs[0], &lengths = c.inputs[1], &g = c.output_gradients[0];
  const Tensor back = apply(op, {g, lengths}, {{"Tcomplex"_attr, x.dtype()}});
  const Tensor weights =
      weights_of_half(back, ops::gather(lengths, ops::integer(rank - 1)), 1, 2, x.dtype());
  c.input_gradients[0] =
      fitted_to(ops::mul(back, ops::div(weights, size_of_transform(g, rank, x.dtype()))), x);
}

template <int rank>
void add_rank(std::vector<RowDef>& rows, std::initializer_list<const char*> names) {
  constexpr const char* kPlain = "input: Tcomplex -> output: Tcomplex";
  constexpr const char* kComplex = "Tcomplex: complex = complex64";
  constexpr const char* kToHalf = "input: Treal, fft_length: int32 -> output: Tcomplex";
  constexpr const char* kFromHalf = "input: Tcomplex, fft_length: int32 -> output: Treal";
  constexpr const char* kBoth = "Treal: float32|float64 = float32; Tcomplex: complex = complex64";
  const char* const* name = names.begin();
  rows.push_back({name[0], kPlain, kComplex, transform_shape<rank>, transform_gradient<rank, false>, OpFamily::kProduct,
                  "the discrete Fourier transform along the last dimensions"});
  rows.push_back({name[1], kPlain, kComplex, transform_shape<rank>, transform_gradient<rank, true>, OpFamily::kProduct,
                  "that of which this is the discrete Fourier transform"});
  rows.push_back({name[2], kToHalf, kBoth, real_shape<rank, Kind::kToHalf>, to_half_gradient<rank>, OpFamily::kProduct,
                  "the first half of the spectrum of real numbers", {.host_inputs = 2}});
  rows.push_back({name[3], kFromHalf, kBoth, real_shape<rank, Kind::kFromHalf>, from_half_gradient<rank>,
                  OpFamily::kProduct, "the real numbers that have this half of a spectrum", {.host_inputs = 2}});
}

}  // namespace

FL_ROWS(fourier) {
  std::vector<RowDef> rows;
  add_rank<1>(rows, {"FFT", "IFFT", "RFFT", "IRFFT"});
  add_rank<2>(rows, {"FFT2D", "IFFT2D", "RFFT2D", "IRFFT2D"});
  add_rank<3>(rows, {"FFT3D", "IFFT3D", "RFFT3D", "IRFFT3D"});
  constexpr const char* kPlain = "input: Tcomplex, fft_length: int32, axes: int32 -> output: Tcomplex";
  constexpr const char* kBoth = "Treal: float32|float64 = float32; Tcomplex: complex = complex64";
  const RowDef::Properties host{.host_inputs = 6};
  rows.push_back({"FFTND", kPlain, "Tcomplex: complex = complex64", any_axes_shape<Kind::kComplex>, nullptr,
                  OpFamily::kProduct, "the discrete Fourier transform along some dimensions", host});
  rows.push_back({"IFFTND", kPlain, "Tcomplex: complex = complex64", any_axes_shape<Kind::kComplex>, nullptr,
                  OpFamily::kProduct, "that of which this is the discrete Fourier transform along some dimensions",
                  host});
  rows.push_back({"RFFTND", "input: Treal, fft_length: int32, axes: int32 -> output: Tcomplex", kBoth,
                  any_axes_shape<Kind::kToHalf>, nullptr, OpFamily::kProduct,
                  "the first half of the spectrum of real numbers along some dimensions", host});
  rows.push_back({"IRFFTND", "input: Tcomplex, fft_length: int32, axes: int32 -> output: Treal", kBoth,
                  any_axes_shape<Kind::kFromHalf>, nullptr, OpFamily::kProduct,
                  "the real numbers that have this half of a spectrum along some dimensions", host});
  return rows;
}

}  // namespace footlight
