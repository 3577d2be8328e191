// Kernels that move the values of sparse tensors: they sort, fill a dense tensor, cut parts out, join, and fill empty
// rows.
#include "kernels/cpu/scalar/coordinates.h"

namespace footlight::FL_ISA {

namespace {

void reorder(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  const std::vector<int64_t> order = in_order(s);
  std::vector<int64_t> at;
  for (const int64_t k : order) at.insert(at.end(), s.place(k), s.place(k) + s.rank);
  set_places(c, 0, at, order.size(), s.rank);
  set_values(c, 1, s.values, order);
}

std::string sizes(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += str(text.empty() ? "" : ",", size);
  return text;
}

void to_dense(KernelContext& c) {
  const Tensor &indices = c.inputs[0], &values = c.inputs[2], &rest = c.inputs[3];
  const std::vector<int64_t> shape = ints_of(c.inputs[1]), at = ints_of(indices);
  const auto rank = static_cast<int64_t>(shape.size());
  const int own = indices.shape().rank();
  if (own > 2)
    invalid("sparse_indices should be a scalar, vector, or matrix, got shape ", indices.shape().brackets(),
            " [Op:SparseToDense]");
  const int64_t count = own > 0 ? indices.shape()[0] : 1, width = own > 1 ? indices.shape()[1] : 1;
  if (width != rank)
    invalid("output_shape has incorrect number of elements: ", rank, " should be: ", width,
            " [Op:SparseToDense]");
  if (values.shape().rank() > 1 || (values.shape().rank() == 1 && values.elements() != count))
    invalid("sparse_values has incorrect shape ", values.shape().brackets(), ", should be [] or [", count,
            "] [Op:SparseToDense]");
  if (rest.shape().rank() != 0) invalid("default_value should be a scalar. [Op:SparseToDense]");
  Tensor& out = c.set_output(0, values.dtype(), Shape(std::span<const int64_t>(shape)));
  for (int64_t k = 0; k < out.elements(); ++k) copy(out.dtype(), rest.raw(), 0, out.raw(), k, 1);
  const bool checked = c.attrs.get_or("validate_indices"_attr, true);
  const auto said = [&](int64_t k) {
    std::string text = str("indices[", k, "] = [");
    for (int64_t d = 0; d < rank; ++d) text += str(d ? "," : "", at[static_cast<size_t>(k * rank + d)]);
    return text + "]";
  };
  for (int64_t k = 0; k < count; ++k) {
    const int64_t* place = at.data() + k * rank;
    int64_t flat = 0;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t size = shape[static_cast<size_t>(d)];
      if (place[d] < 0 || place[d] >= size)
        invalid(said(k), " is out of bounds: need 0 <= index < [", sizes(shape), "] [Op:SparseToDense]");
      flat = flat * size + place[d];
    }
    if (checked && k) {
      const int order = compare_places(place - rank, place, rank);
      if (order > 0)
        invalid(said(k),
                " is out of order. Many sparse ops require sorted indices.\n  Use `tf.sparse.reorder` to "
                "create a correctly ordered copy.\n\n [Op:SparseToDense]");
      if (order == 0) invalid(said(k), " is repeated [Op:SparseToDense]");
    }
    copy(out.dtype(), values.raw(), values.shape().rank() ? k : 0, out.raw(), flat, 1);
  }
}

void reshape(KernelContext& c) {
  const Coordinates s = coordinates(c, c.inputs[0], Tensor(), c.inputs[1]);
  std::vector<int64_t> shape = ints_of(c.inputs[2]);
  int64_t all = 1, known = 1, open = -1;
  for (const int64_t size : s.shape) all = multiply_sizes(all, size);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (open >= 0)
        invalid("only one output dimension may be -1, not both ", open, " and ", d, " [Op:SparseReshape]");
      open = static_cast<int64_t>(d);
    } else if (shape[d] < 0) {
      invalid("size ", d, " must be non-negative, not ", shape[d], " [Op:SparseReshape]");
    } else {
      known = multiply_sizes(known, shape[d]);
    }
  }
  if (open >= 0) {
    if (known == 0)
      invalid(
          "reshape cannot infer the missing input size for an empty tensor unless all specified "
          "input sizes are non-zero [Op:SparseReshape]");
    shape[static_cast<size_t>(open)] = all / known;
    known *= all / known;
  }
  if (known != all)
    invalid("Input to reshape is a tensor with ", all, " dense values, but the requested shape has ", known,
            " [Op:SparseReshape]");
  const auto rank = static_cast<int64_t>(shape.size());
  auto* out = c.set_output(0, DType::kInt64, Shape{s.count, rank}).data<int64_t>();
  for (int64_t k = 0; k < s.count; ++k) {
    int64_t flat = 0;
    for (int64_t d = 0; d < s.rank; ++d) flat = flat * s.shape[static_cast<size_t>(d)] + s.place(k)[d];
    for (int64_t d = rank; d-- > 0; flat /= shape[static_cast<size_t>(d)])
      out[k * rank + d] = flat % shape[static_cast<size_t>(d)];
  }
  set_ints(c, 1, shape);
}

void concat(KernelContext& c) {
  const size_t n = c.inputs.size() / 3;
  std::vector<Coordinates> parts;
  for (size_t k = 0; k < n; ++k)
    parts.push_back(coordinates(c, c.inputs[k], c.inputs[n + k], c.inputs[2 * n + k]));
  const int64_t rank = parts[0].rank, given = c.attrs.get_or("concat_dim"_attr, int64_t{0}),
                dim = from_end(given, static_cast<int>(rank));
  if (dim < 0 || dim >= rank)
    invalid("Concat dimension must be in range [", -rank, ", ", rank, "), got ", given, " [Op:SparseConcat]");
  Coordinates all;
  all.rank = rank;
  all.shape = parts[0].shape;
  const auto at = static_cast<size_t>(dim);
  all.shape[at] = 0;
  std::vector<std::pair<size_t, int64_t>> from;
  for (size_t p = 0; p < n; ++p) {
    for (int64_t d = 0; d < rank; ++d)
      if (parts[p].rank != rank ||
          (d != dim && parts[p].shape[static_cast<size_t>(d)] != all.shape[static_cast<size_t>(d)]))
        invalid("Input shapes must match: those of input ", p, " and of the first differ [Op:SparseConcat]");
    for (int64_t k = 0; k < parts[p].count; ++k) {
      all.at.insert(all.at.end(), parts[p].place(k), parts[p].place(k) + rank);
      all.at[all.at.size() - static_cast<size_t>(rank) + at] += all.shape[at];
      from.emplace_back(p, k);
    }
    all.shape[at] = add_sizes(all.shape[at], parts[p].shape[at]);
  }
  all.count = static_cast<int64_t>(from.size());
  const DType dtype = c.inputs[n].dtype();
  auto* places = c.set_output(0, DType::kInt64, Shape{all.count, rank}).data<int64_t>();
  Tensor& values = c.set_output(1, dtype, Shape{all.count});
  int64_t next = 0;
  for (const int64_t k : in_order(all)) {
    std::copy_n(all.place(k), rank, places + next * rank);
    const auto& [part, number] = from[static_cast<size_t>(k)];
    copy(dtype, parts[part].values.raw(), number, values.raw(), next++, 1);
  }
  set_ints(c, 2, all.shape);
}

// The values between `start` and `start + size` of each dimension.
struct Part {
  std::vector<int64_t> at, numbers, shape;
};
Part part_of(const Coordinates& s, const std::vector<int64_t>& start, const std::vector<int64_t>& size) {
  Part out;
  for (size_t d = 0; d < start.size(); ++d)
    out.shape.push_back(std::max<int64_t>(0, std::min(size[d], s.shape[d] - start[d])));
  for (int64_t k = 0; k < s.count; ++k) {
    bool inside = true;
    for (size_t d = 0; d < start.size(); ++d) {
      const int64_t i = s.place(k)[d] - start[d];
      inside &= i >= 0 && i < out.shape[d];
    }
    if (!inside) continue;
    for (size_t d = 0; d < start.size(); ++d) out.at.push_back(s.place(k)[d] - start[d]);
    out.numbers.push_back(k);
  }
  return out;
}

void slice(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  const std::vector<int64_t> start = ints_of(c.inputs[3]), size = ints_of(c.inputs[4]);
  if (static_cast<int64_t>(start.size()) != s.rank || static_cast<int64_t>(size.size()) != s.rank)
    invalid("Expected start and size to be vectors of ", s.rank, " elements [Op:SparseSlice]");
  for (size_t d = 0; d < start.size(); ++d)
    if (start[d] < 0 || size[d] < 0)
      invalid("start and size must not be negative, got ", start[d], " and ", size[d], " [Op:SparseSlice]");
  const Part part = part_of(s, start, size);
  set_places(c, 0, part.at, part.numbers.size(), s.rank);
  set_values(c, 1, s.values, part.numbers);
  set_ints(c, 2, part.shape);
}

void split(KernelContext& c) {
  const Coordinates s = coordinates(c, 1);
  const int64_t n = c.attrs.get_or("num_split"_attr, int64_t{1});
  const int64_t given = c.inputs[0].elements() == 1 ? int_at(c.inputs[0], 0) : -1,
                dim = from_end(given, static_cast<int>(s.rank));
  if (c.inputs[0].elements() != 1 || dim < 0 || dim >= s.rank)
    invalid("Input axis should be in range [", -s.rank, ", ", s.rank, "), got ", given, " [Op:SparseSplit]");
  const auto at = static_cast<size_t>(dim);
  if (n < 1 || n > s.shape[at])
    invalid("Input num_split should be between 1 and the splitting dimension size (", s.shape[at], "), got ",
            n, " [Op:SparseSplit]");
  // The first `longer` parts have one more than the others, `each`.
  const int64_t each = s.shape[at] / n, longer = s.shape[at] % n, border = longer * (each + 1);
  const auto all = static_cast<size_t>(n);
  std::vector<Part> parts(all);
  for (int64_t k = 0; k < s.count; ++k) {
    const int64_t i = s.place(k)[at], number = i < border ? i / (each + 1) : longer + (i - border) / each;
    Part& part = parts[static_cast<size_t>(number)];
    part.at.insert(part.at.end(), s.place(k), s.place(k) + s.rank);
    part.at[part.at.size() - static_cast<size_t>(s.rank - dim)] = i < border ? i % (each + 1) : (i - border) % each;
    part.numbers.push_back(k);
  }
  std::vector<int64_t> shape = s.shape;
  for (size_t k = 0; k < all; ++k) {
    shape[at] = each + (static_cast<int64_t>(k) < longer ? 1 : 0);
    set_places(c, k, parts[k].at, parts[k].numbers.size(), s.rank);
    set_values(c, all + k, s.values, parts[k].numbers);
    set_ints(c, 2 * all + k, shape);
  }
}

void slice_gradient(KernelContext& c) {
  const Tensor &arriving = c.inputs[0], &in = c.inputs[1], &made = c.inputs[3];
  const std::vector<int64_t> from = ints_of(in), start = ints_of(c.inputs[2]), to = ints_of(made);
  const int64_t rank = c.inputs[2].elements();
  if (in.shape().rank() != 2 || made.shape().rank() != 2 || in.shape()[1] != rank ||
      made.shape()[1] != rank || made.shape()[0] != arriving.elements())
    invalid("the places of a slice and of what it was taken from do not fit together [Op:SparseSliceGrad]");
  const int64_t count = in.shape()[0];
  Tensor& out = c.set_output(0, arriving.dtype(), Shape{count});
  clear(out);
  int64_t next = 0;
  for (int64_t k = 0; k < count && next < arriving.elements(); ++k) {
    bool same = true;
    for (size_t d = 0; d < start.size(); ++d) {
      int64_t moved;
      const bool beyond = __builtin_sub_overflow(from[static_cast<size_t>(k * rank) + d], start[d], &moved);
      same &= !beyond && moved == to[static_cast<size_t>(next * rank) + d];
    }
    if (same) copy(out.dtype(), arriving.raw(), next++, out.raw(), k, 1);
  }
  if (next < arriving.elements())
    invalid("Elements of backprop_val_grad aren't all propagated. Num elements:", arriving.elements(),
            ", used: ", next, " [Op:SparseSliceGrad]");
}

void fill_empty_rows(KernelContext& c) {
  const Coordinates s = coordinates(c, 0);
  if (s.rank == 0) invalid("Dense shape cannot be empty. [Op:SparseFillEmptyRows]");
  const int64_t rows = s.shape[0];
  auto* empty = c.set_output(2, DType::kBool, Shape{rows}).data<bool>();
  // The numbers of the values, row by row; those of a row keep their order.
  std::vector<int64_t> order(static_cast<size_t>(s.count));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t k) { return s.place(k)[0]; });
  int64_t total = rows;
  for (size_t k = 1; k < order.size(); ++k) total += s.place(order[k])[0] == s.place(order[k - 1])[0];
  auto* places = c.set_output(0, DType::kInt64, Shape{total, s.rank}).data<int64_t>();
  Tensor& values = c.set_output(1, s.values.dtype(), Shape{total});
  auto* back = c.set_output(3, DType::kInt64, Shape{s.count}).data<int64_t>();
  int64_t next = 0;
  size_t taken = 0;
  for (int64_t row = 0; row < rows; ++row) {
    empty[row] = taken == order.size() || s.place(order[taken])[0] != row;
    if (empty[row]) {
      std::fill_n(places + next * s.rank, s.rank, 0);
      places[next * s.rank] = row;
      copy(values.dtype(), c.inputs[3].raw(), 0, values.raw(), next++, 1);
    }
    for (; taken < order.size() && s.place(order[taken])[0] == row; ++taken) {
      const int64_t k = order[taken];
      std::copy_n(s.place(k), s.rank, places + next * s.rank);
      back[k] = next;
      copy(values.dtype(), s.values.raw(), k, values.raw(), next++, 1);
    }
  }
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SparseReorder", kAllTypes, reorder);
  on_cpu("SparseToDense", kAllTypes, to_dense);
  on_cpu("SparseReshape", kAllTypes, reshape);
  on_cpu("SparseConcat", kAllTypes, concat);
  on_cpu("SparseSlice", kAllTypes, slice);
  on_cpu("SparseSliceGrad", kAllTypes, slice_gradient);
  on_cpu("SparseSplit", kAllTypes, split);
  on_cpu("SparseFillEmptyRows", kAllTypes, fill_empty_rows);
}

}  // namespace footlight::FL_ISA
