// Rows of diagonals: building diagonal matrices, extracting and setting diagonals; bands; the cross product.
#include "engine/ops/define.h"
#include "engine/ops/matrix.h"
#include "engine/ops/rows/matrix_shapes.h"

namespace footlight {

namespace {

// The range of diagonals given by input `at`: one number, or the lowest and the highest.
struct Diagonals {
  int64_t low, high;
  int64_t count() const { return high - low + 1; }
};
std::optional<Diagonals> diagonals(Inference& i, size_t at) {
  const Shape& s = i.shape(at);
  if (s.has_rank() && (s.rank() > 1 || (s.rank() == 1 && s[0] >= 0 && (s[0] < 1 || s[0] > 2))))
    invalid("k must be a number, or a vector of one or two: the lowest and the highest diagonal; its shape is ",
            s.to_string(), " [Op:", i.row.name, "]");
  const auto k = infer::constant_ints(i, at);
  if (!k) return std::nullopt;
  const Diagonals d{k->front(), k->back()};
  if (d.low > d.high)
    invalid("lower_diag_index must not be larger than upper_diag_index: ", d.low, " > ", d.high, " [Op:", i.row.name,
            "]");
  return d;
}

void check_align(const Inference& i) {
  const std::string align = i.attrs.get_or("align"_attr, std::string("RIGHT_LEFT"));
  for (const char* known : {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"})
    if (align == known) return;
  invalid("Value for attr 'align' of \"", align, "\" is not in the list of allowed values: \"LEFT_RIGHT\", "
          "\"RIGHT_LEFT\", \"LEFT_LEFT\", \"RIGHT_RIGHT\" [Op:", i.row.name, "]");
}

std::optional<int64_t> one_int(Inference& i, size_t at) {
  infer::check_rank(i, at, 0);
  const auto v = infer::constant_ints(i, at);
  if (!v) return std::nullopt;
  return v->front();
}

int64_t length(int64_t rows, int64_t columns, const Diagonals& d) {
  if (rows < 0 || columns < 0) return kUnknownDim;
  return std::min(rows + std::min<int64_t>(d.high, 0), columns - std::max<int64_t>(d.low, 0));
}

void check_range(const Inference& i, const Diagonals& d, int64_t rows, int64_t columns) {
  if (rows < 0 || columns < 0) return;
  for (int64_t k : {d.low, d.high})
    if ((k <= -rows || k >= columns) && k != 0)
      invalid(k == d.low ? "lower" : "upper", "_diag_index is out of bound: ", k, ". It must be between ", -rows,
              " and ", columns, " [Op:", i.row.name, "]");
}

void diag_shape(Inference& i) {
  check_align(i);
  const auto d = diagonals(i, 1);
  const auto rows = one_int(i, 2), columns = one_int(i, 3);
  infer::check_rank(i, 4, 0);
  infer::check_min_rank(i, 0, d && d->low != d->high ? 2 : 1);
  const Shape& in = i.shape(0);
  i.output_shapes[0] = Shape::unknown_rank();
  if (!in.has_rank() || !d) return;
  const int batch = in.rank() - (d->low == d->high ? 1 : 2);
  if (d->low != d->high && in[in.rank() - 2] >= 0 && in[in.rank() - 2] != d->count())
    invalid("The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
            "`d_upper`: its shape is ", in.to_string(), ", the diagonals from ", d->low, " to ", d->high, " are ",
            d->count(), " [Op:", i.row.name, "]");
  const int64_t longest = in[in.rank() - 1];
  int64_t m = kUnknownDim, n = kUnknownDim;
  if (longest >= 0 && rows && columns) {
    const int64_t least_rows = longest - std::min<int64_t>(d->high, 0);
    const int64_t least_columns = longest + std::max<int64_t>(d->low, 0);
    m = *rows;
    n = *columns;
    if (m == -1 && n == -1) m = n = std::max(least_rows, least_columns);
    if (m == -1) m = least_rows;
    if (n == -1) n = least_columns;
    if (m < least_rows || n < least_columns)
      invalid("The number of ", m < least_rows ? "rows" : "columns", " is too small: ", m, " x ", n, ", at least ",
              least_rows, " x ", least_columns, " hold the diagonals from ", d->low, " to ", d->high, " of length ",
              longest, " [Op:", i.row.name, "]");
    if (m != least_rows && n != least_columns)
      invalid("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal: ", m,
              " x ", n, " would be filled by longer ones; one size must be as in ", least_rows, " x ", least_columns,
              " [Op:", i.row.name, "]");
  } else if (rows && *rows >= 0) {
    m = *rows;
    if (columns && *columns >= 0) n = *columns;
  } else if (columns && *columns >= 0) {
    n = *columns;
  }
  i.output_shapes[0] = infer::matrices(Shape(in.dims().first(static_cast<size_t>(batch))), m, n);
}

void diag_part_shape(Inference& i) {
  check_align(i);
  infer::check_min_rank(i, 0, 2);
  infer::check_rank(i, 2, 0);
  const auto d = diagonals(i, 1);
  const Shape& in = i.shape(0);
  i.output_shapes[0] = Shape::unknown_rank();
  if (!in.has_rank() || !d) return;
  const int64_t m = infer::rows_of(in), n = infer::columns_of(in);
  check_range(i, *d, m, n);
  Shape out = infer::batch_of(in);
  if (d->low != d->high) out.append(d->count());
  out.append(length(m, n, *d));
  i.output_shapes[0] = out;
}

void set_diag_shape(Inference& i) {
  check_align(i);
  infer::check_min_rank(i, 0, 2);
  infer::check_min_rank(i, 1, 1);
  const Shape& in = i.shape(0);
  i.output_shapes[0] = in;
  const auto d = diagonals(i, 2);
  if (!d) return;
  Shape wanted = Shape::unknown_rank();
  const Shape& diagonal = i.shape(1);
  if (in.has_rank()) {
    const int64_t m = infer::rows_of(in), n = infer::columns_of(in);
    check_range(i, *d, m, n);
    wanted = infer::batch_of(in);
    if (d->low != d->high) wanted.append(d->count());
    wanted.append(length(m, n, *d));
  }
  if (!compatible(diagonal, wanted))
    invalid("the diagonals from ", d->low, " to ", d->high, " of matrices of shape ", in.to_string(),
            " have the shape ", wanted.to_string(), ", `diagonal` has ", diagonal.to_string(), " [Op:", i.row.name,
            "]");
  // The diagonal's shape tells the batch dimensions.
  if (!diagonal.has_rank() || (d->low != d->high && diagonal.rank() < 2)) return;
  const int batch = diagonal.rank() - (d->low == d->high ? 1 : 2);
  const Shape inferred = infer::matrices(Shape(diagonal.dims().first(static_cast<size_t>(batch))), -1, -1);
  i.output_shapes[0] = merge(in, inferred);
}

Attrs align_of(const GradientCall& c) {
  return {{"align"_attr, c.attrs.get_or("align"_attr, std::string("RIGHT_LEFT"))}};
}

Tensor part_of(const GradientCall& c, const Tensor& k) {
  const Tensor& g = c.output_gradients[0];
  return apply("MatrixDiagPartV3"_op, {g, k, ops::number(0, g.dtype())}, align_of(c));
}

void diag_gradient(GradientCall& c) { c.input_gradients[0] = part_of(c, c.inputs[1]); }

void diag_part_gradient(GradientCall& c) {
  c.input_gradients[0] =
      apply("MatrixSetDiagV3"_op, {ops::zeros_like(c.inputs[0]), c.output_gradients[0], c.inputs[1]}, align_of(c));
}

void set_diag_gradient(GradientCall& c) {
  c.input_gradients[0] =
      apply("MatrixSetDiagV3"_op, {c.output_gradients[0], ops::zeros_like(c.inputs[1]), c.inputs[2]}, align_of(c));
  c.input_gradients[1] = part_of(c, c.inputs[2]);
}

void band_shape(Inference& i) {
  infer::check_min_rank(i, 0, 2);
  i.output_shapes[0] = i.shape(0);
  const auto lower = one_int(i, 1), upper = one_int(i, 2);
  const Shape& s = i.shape(0);
  if (!s.has_rank()) return;
  const int64_t m = infer::rows_of(s), n = infer::columns_of(s);
  if (lower && m >= 0 && *lower > m)
    invalid("num_lower must be negative or less or equal to number of rows (", m, ") got: ", *lower, " [Op:",
            i.row.name, "]");
  if (upper && n >= 0 && *upper > n)
    invalid("num_upper must be negative or less or equal to number of columns (", n, ") got: ", *upper, " [Op:",
            i.row.name, "]");
}

void band_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("MatrixBandPart"_op, {c.output_gradients[0], c.inputs[1], c.inputs[2]});
}

void tensor_diag_shape(Inference& i) {
  infer::check_min_rank(i, 0, 1);
  Shape s = i.shape(0);
  i.output_shapes[0] = s;
  if (!s.has_rank()) return;
  for (int64_t size : i.shape(0).dims()) i.output_shapes[0].append(size);
}

void tensor_diag_part_shape(Inference& i) {
  const Shape& s = i.shape(0);
  i.output_shapes[0] = Shape::unknown_rank();
  if (!s.has_rank()) return;
  if (s.rank() == 0 || s.rank() % 2)
    invalid("The rank of the tensor should be even and positive, its shape is ", s.to_string(), " [Op:", i.row.name,
            "]");
  const int half = s.rank() / 2;
  Shape out;
  for (int d = 0; d < half; ++d) {
    if (s[d] >= 0 && s[d + half] >= 0 && s[d] != s[d + half])
      invalid("Invalid shape ", s.to_string(), ": dimensions ", d, " and ", d + half, " do not match [Op:", i.row.name,
              "]");
    out.append(std::max(s[d], s[d + half]));
  }
  i.output_shapes[0] = out;
}

void tensor_diag_gradient(GradientCall& c) { c.input_gradients[0] = apply("DiagPart"_op, {c.output_gradients[0]}); }
void tensor_diag_part_gradient(GradientCall& c) { c.input_gradients[0] = apply("Diag"_op, {c.output_gradients[0]}); }

void cross_shape(Inference& i) {
  infer::check_min_rank(i, 0, 1);
  const Shape& a = i.shape(0);
  const Shape& b = i.shape(1);
  if (!compatible(a, b))
    invalid("both inputs of a cross product must have the same shape, they have ", a.to_string(), " and ",
            b.to_string(), " [Op:Cross]");
  const Shape out = merge(a, b);
  if (out.has_rank() && out.rank() > 0 && out[out.rank() - 1] >= 0 && out[out.rank() - 1] != 3)
    fail(ErrorKind::kFailedPrecondition, 
         "a cross product is of vectors with 3 elements in the last dimension, the shape is ", out.to_string(),
            " [Op:Cross]");
  i.output_shapes[0] = out;
}

void cross_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("Cross"_op, {c.inputs[1], c.output_gradients[0]});
  c.input_gradients[1] = apply("Cross"_op, {c.output_gradients[0], c.inputs[0]});
}

constexpr const char* kAligned = "T: plain; align: string = 'RIGHT_LEFT'";
constexpr const char* kTensorDiag = "T: floatcomplex|int32|int64";

}  // namespace

FL_ROWS(diagonal) {
  return {
      {"MatrixDiagV3", "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
       kAligned, diag_shape, diag_gradient, OpFamily::kMove, "matrices with the given diagonals, padded elsewhere",
       {.host_inputs = 14}},
      {"MatrixDiagPartV3", "input: T, k: int32, padding_value: T -> diagonal: T", kAligned, diag_part_shape,
       diag_part_gradient, OpFamily::kMove, "diagonals of matrices, short ones padded", {.host_inputs = 2}},
      {"MatrixSetDiagV3", "input: T, diagonal: T, k: int32 -> output: T", kAligned, set_diag_shape, set_diag_gradient,
       OpFamily::kMove, "matrices with some diagonals replaced", {.host_inputs = 4}},
      {"MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
       "T: plain; Tindex: index = int64", band_shape, band_gradient, OpFamily::kMove,
       "matrices with zeros outside of a band around the diagonal", {.host_inputs = 6}},
      {"Diag", "diagonal: T -> output: T", kTensorDiag, tensor_diag_shape, tensor_diag_gradient, OpFamily::kMove,
       "a tensor on the diagonal of one of twice the rank"},
      {"DiagPart", "input: T -> diagonal: T", kTensorDiag, tensor_diag_part_shape, tensor_diag_part_gradient,
       OpFamily::kMove, "the diagonal of a tensor of even rank"},
      {"Cross", "a: T, b: T -> product: T", "T: real", cross_shape, cross_gradient, OpFamily::kElementwise,
       "the cross products of vectors of 3 elements"},
  };
}

}  // namespace footlight
