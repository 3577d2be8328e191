// Kernels of ragged tensors, given as the splits of their rows and the values of all rows.
#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

// The beginnings of rows and the end of the last one, which is `most` at most. Throws if they are not valid splits.
std::vector<int64_t> splits_of(const KernelContext& c, const Tensor& t, int64_t most) {
  std::vector<int64_t> splits = ints_of(t);
  if (t.shape().rank() != 1 || splits.empty() || splits[0] != 0)
    invalid("row splits must be a vector that begins with 0 [Op:", c.row.name, "]");
  for (size_t k = 1; k < splits.size(); ++k)
    if (splits[k] < splits[k - 1] || splits[k] > most)
      invalid("Invalid row split size. [Op:", c.row.name, "]");
  return splits;
}

void set_splits(KernelContext& c, size_t output, DType dtype, const std::vector<int64_t>& splits) {
  if (dtype == DType::kInt32 && splits.back() > INT32_MAX)
    invalid("the row split ", splits.back(), " does not fit into int32 [Op:", c.row.name, "]");
  Tensor& out = c.set_output(output, dtype, Shape{static_cast<int64_t>(splits.size())});
  for (size_t k = 0; k < splits.size(); ++k)
    if (dtype == DType::kInt64)
      out.data<int64_t>()[k] = splits[k];
    else
      out.data<int32_t>()[k] = static_cast<int32_t>(splits[k]);
}

// Says where the rows of a level begin, from their splits or by a search among the values' row ids. Splits are not made
// of ids: these may name more rows than there is memory for, although the output has none of them.
struct Level {
  std::vector<int64_t> splits, ids;
  int64_t rows = 0;
  int64_t begin(int64_t row) const {
    if (!splits.empty()) return splits[static_cast<size_t>(row)];
    return std::ranges::lower_bound(ids, row) - ids.begin();
  }
  int64_t longest() const {
    int64_t most = 0;
    for (size_t k = 1; k < splits.size(); ++k) most = std::max(most, splits[k] - splits[k - 1]);
    for (size_t k = 0, first = 0; k < ids.size(); ++k) {
      if (ids[k] != ids[first]) first = k;
      most = std::max(most, static_cast<int64_t>(k - first) + 1);
    }
    return most;
  }
};

// Row ids in increasing order.
std::vector<int64_t> row_ids_of(const KernelContext& c, const Tensor& t, int64_t rows) {
  std::vector<int64_t> ids = ints_of(t);
  for (size_t k = 0; k < ids.size(); ++k)
    if (ids[k] < (k ? ids[k - 1] : 0) || ids[k] >= rows)
      invalid("Row ids must be sorted and below ", rows, ", got ", ids[k], " [Op:", c.row.name, "]");
  return ids;
}

// Throws if the default does not broadcast to the shape of one value, which is the last dimensions of `values`.
void check_default(const KernelContext& c, const Shape& otherwise, const Shape& values) {
  bool fits = otherwise.rank() < values.rank();
  for (int d = 1; fits && d <= otherwise.rank(); ++d) {
    const int64_t size = otherwise[otherwise.rank() - d];
    fits = size == 1 || size == values[values.rank() - d];
  }
  if (!fits)
    invalid("default_value, of the shape ", otherwise.brackets(),
            ", must be a scalar or have the shape of a value [Op:", c.row.name, "]");
}

// Fills `out` with `value`, broadcast to its last dimensions, which have `inner` elements.
void fill_with(Tensor& out, const Tensor& value, int64_t inner) {
  const Shape &small = value.shape(), &large = out.shape();
  if (value.elements() == 1) {
    for (int64_t k = 0; k < out.elements(); ++k) copy(out.dtype(), value.raw(), 0, out.raw(), k, 1);
    return;
  }
  for (int64_t k = 0; k < inner; ++k) {
    int64_t from = 0, step = 1, left = k;
    for (int d = 1; d <= small.rank(); ++d) {
      const int64_t size = small[small.rank() - d], whole = large[large.rank() - d];
      if (size > 1) from += left % whole * step;
      step *= size;
      left /= whole;
    }
    copy(out.dtype(), value.raw(), from, out.raw(), k, 1);
  }
  for (int64_t k = inner; k < out.elements(); k += inner) copy(out.dtype(), out.raw(), 0, out.raw(), k, inner);
}

void to_tensor(KernelContext& c) {
  const auto types = c.attrs.get_or("row_partition_types"_attr, std::vector<std::string>());
  const Tensor &values = c.inputs[1], &otherwise = c.inputs[2];
  if (types.size() + 3 != c.inputs.size())
    invalid("row_partition_types must name each partition [Op:", c.row.name, "]");
  // The values of a row have consecutive numbers.
  std::vector<Level> levels;
  for (size_t k = types[0] == "FIRST_DIM_SIZE" ? 1 : 0; k < types.size(); ++k) {
    const bool last = k + 1 == types.size();
    const int64_t most = last ? values.shape()[0] : (int64_t{1} << 62);
    const Tensor& t = c.inputs[3 + k];
    if (types[k] == "ROW_SPLITS") {
      std::vector<int64_t> splits = splits_of(c, t, most);
      const auto rows = static_cast<int64_t>(splits.size()) - 1;
      levels.push_back({std::move(splits), {}, rows});
    } else if (types[k] == "VALUE_ROWIDS") {
      int64_t rows = levels.empty() ? -1 : levels.back().begin(levels.back().rows);
      if (levels.empty()) {
        if (k == 0 || c.inputs[3].elements() != 1)
          invalid("Cannot handle VALUE_ROWIDS without FIRST_DIM_SIZE [Op:", c.row.name, "]");
        rows = int_at(c.inputs[3], 0);
      }
      if (rows < 0) invalid("FIRST_DIM_SIZE must not be negative, got ", rows, " [Op:", c.row.name, "]");
      if (t.elements() > most)
        invalid("There are ", t.elements(), " row ids for ", most, " values [Op:", c.row.name, "]");
      levels.push_back({{}, row_ids_of(c, t, rows), rows});
    } else {
      invalid("Unsupported row partition type: ", types[k], " [Op:", c.row.name, "]");
    }
  }
  for (size_t k = 0; k + 1 < levels.size(); ++k)
    if (levels[k].begin(levels[k].rows) > levels[k + 1].rows)
      invalid("Invalid row split size. [Op:", c.row.name, "]");
  // A dimension that is not given is as large as the longest row.
  const size_t deep = levels.size();
  std::vector<int64_t> given(deep + 1, -1);
  if (c.inputs[0].shape().rank() == 1) {
    const std::vector<int64_t> all = ints_of(c.inputs[0]);
    if (all.size() != deep + static_cast<size_t>(values.shape().rank()))
      invalid("rt_input.shape and shape are incompatible: rt_input.rank = ",
              static_cast<int64_t>(deep) + values.shape().rank(), " but shape.rank = ", all.size(),
              " [Op:", c.row.name, "]");
    std::copy_n(all.begin(), deep + 1, given.begin());
  } else if (c.inputs[0].elements() != 1 || int_at(c.inputs[0], 0) != -1) {
    invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1. [Op:", c.row.name,
            "]");
  }
  Shape shape = Shape{};
  for (size_t d = 0; d <= deep; ++d) {
    int64_t size = given[d];
    if (size < 0) size = d ? levels[d - 1].longest() : deep ? levels[0].rows : values.shape()[0];
    shape.append(size);
  }
  int64_t inner = 1;
  for (int d = 1; d < values.shape().rank(); ++d) {
    shape.append(values.shape()[d]);
    inner *= values.shape()[d];
  }
  check_default(c, otherwise.shape(), values.shape());
  Tensor& out = c.set_output(0, values.dtype(), shape);
  if (!out.elements()) return;
  fill_with(out, otherwise, inner);
  const auto place = [&](auto& self, size_t level, int64_t begin, int64_t end, int64_t at) -> void {
    const int64_t count = std::min(end - begin, shape[static_cast<int>(level)]);
    if (level == deep) {
      copy(out.dtype(), values.raw(), begin * inner, out.raw(), at * inner, count * inner);
      return;
    }
    for (int64_t k = 0; k < count; ++k)
      self(self, level + 1, levels[level].begin(begin + k), levels[level].begin(begin + k + 1),
           (at + k) * shape[static_cast<int>(level) + 1]);
  };
  place(place, 0, 0, deep ? levels[0].rows : values.shape()[0], 0);
}

void gather(KernelContext& c) {
  const size_t deep = c.inputs.size() - 2;
  const Tensor &values = c.inputs[deep], &indices = c.inputs[deep + 1];
  if (deep == 0) invalid("PARAMS_RAGGED_RANK must be at least 1 [Op:", c.row.name, "]");
  if (values.shape().rank() == 0) invalid("params.rank must be nonzero [Op:", c.row.name, "]");
  std::vector<std::vector<int64_t>> in;
  for (size_t k = 0; k < deep; ++k) in.push_back(splits_of(c, c.inputs[k], int64_t{1} << 62));
  for (size_t k = 0; k < deep; ++k)
    if (in[k].back() > (k + 1 < deep ? static_cast<int64_t>(in[k + 1].size()) - 1 : values.shape()[0]))
      invalid("Row splits of params go beyond its values [Op:", c.row.name, "]");
  std::vector<std::vector<int64_t>> out;
  const DType splits = c.inputs[0].dtype();
  // Dimensions of the indices become rows of equal lengths.
  std::vector<int64_t> counts;  // numbers of rows, all checked before memory is allocated
  for (int d = 0; d + 1 < indices.shape().rank(); ++d) {
    counts.push_back(multiply_sizes(d ? counts.back() : 1, indices.shape()[d]));
    check_memory(splits, Shape{add_sizes(counts.back(), 1)});
  }
  for (int d = 0; d + 1 < indices.shape().rank(); ++d) {
    std::vector<int64_t> equal;
    equal.reserve(static_cast<size_t>(counts[static_cast<size_t>(d)]) + 1);
    for (int64_t k = 0; k <= counts[static_cast<size_t>(d)]; ++k) equal.push_back(k * indices.shape()[d + 1]);
    out.push_back(std::move(equal));
  }
  std::vector<std::pair<int64_t, int64_t>> ranges;  // ranges in the next level, one for each row taken
  for (int64_t k = 0; k < indices.elements(); ++k) {
    const int64_t row = int_at(indices, k);
    if (row < 0 || row >= static_cast<int64_t>(in[0].size()) - 1)
      invalid("indices[", place_in(indices.shape(), k), "] = ", row, " is not in [0, ", in[0].size() - 1,
              ") [Op:", c.row.name, "]");
    ranges.emplace_back(row, row + 1);
  }
  if (indices.shape().rank() == 0) {
    const auto [row, end] = ranges[0];
    ranges[0] = {in[0][static_cast<size_t>(row)], in[0][static_cast<size_t>(end)]};
    in.erase(in.begin());
  }
  for (const auto& level : in) {
    int64_t all = 1;
    for (const auto& [begin, end] : ranges) all = add_sizes(all, end - begin);
    check_memory(splits, Shape{all});
    std::vector<int64_t> lengths{0};
    lengths.reserve(static_cast<size_t>(all));
    for (auto& [begin, end] : ranges) {
      for (int64_t row = begin; row < end; ++row)
        lengths.push_back(add_sizes(lengths.back(), level[static_cast<size_t>(row) + 1] -
                                                        level[static_cast<size_t>(row)]));
      std::tie(begin, end) = std::pair(level[static_cast<size_t>(begin)], level[static_cast<size_t>(end)]);
    }
    out.push_back(std::move(lengths));
  }
  if (out.size() + 1 != c.outputs.size())
    invalid("OUTPUT_RAGGED_RANK must be ", out.size(), " for these inputs, it is ", c.outputs.size() - 1,
            " [Op:", c.row.name, "]");
  for (size_t k = 0; k < out.size(); ++k) set_splits(c, k, splits, out[k]);
  int64_t count = 0;
  for (const auto& [begin, end] : ranges) count = add_sizes(count, end - begin);
  Shape shape = values.shape();
  shape.set(0, count);
  const int64_t inner = product(shape, 1, shape.rank());
  Tensor& taken = c.set_output(out.size(), values.dtype(), shape);
  int64_t next = 0;
  for (const auto& [begin, end] : ranges) {
    copy(values.dtype(), values.raw(), begin * inner, taken.raw(), next * inner, (end - begin) * inner);
    next += end - begin;
  }
}

template <class T>
void range(KernelContext& c) {
  int64_t rows = 1;
  for (const Tensor& t : c.inputs)
    if (t.shape().rank()) rows = t.elements();
  std::vector<int64_t> splits{0};
  const auto at = [&](size_t k, int64_t row) { return c.in<T>(k)[c.inputs[k].shape().rank() ? row : 0]; };
  for (int64_t row = 0; row < rows; ++row) {
    const T start = at(0, row), limit = at(1, row), delta = at(2, row);
    if (delta == T(0)) invalid("Requires delta != 0 [Op:RaggedRange]");
    int64_t size = 0;
    if ((delta > T(0)) ? start < limit : start > limit) {
      if constexpr (std::is_integral_v<T>) {
        const auto span = static_cast<uint64_t>(start < limit ? limit : start) -
                          static_cast<uint64_t>(start < limit ? start : limit);
        const auto step =
            delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
        const uint64_t count = (span - 1) / step + 1;
        if (count > uint64_t{1} << 62) invalid("Requires ((limit - start) / delta) to fit [Op:RaggedRange]");
        size = static_cast<int64_t>(count);
      } else {
        const double count = std::ceil(
            std::abs((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
        if (!(count < 4e18)) invalid("Requires ((limit - start) / delta) to fit [Op:RaggedRange]");
        size = static_cast<int64_t>(count);
      }
    }
    splits.push_back(add_sizes(splits.back(), size));
  }
  set_splits(c, 0, c.attrs.get_or("Tsplits"_attr, DType::kInt64), splits);
  T* out = c.set_output(1, c.inputs[0].dtype(), Shape{splits.back()}).template data<T>();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t size = splits[static_cast<size_t>(row) + 1] - splits[static_cast<size_t>(row)];
    T value = at(0, row);
    for (int64_t k = 0; k < size; ++k) {
      *out++ = value;
      if (k + 1 < size) value = static_cast<T>(value + at(2, row));
    }
  }
}

void to_sparse(KernelContext& c) {
  const size_t deep = c.inputs.size() - 1;
  const Tensor& values = c.inputs[deep];
  if (deep == 0) invalid("RAGGED_RANK must be at least 1 [Op:", c.row.name, "]");
  if (values.shape().rank() == 0) invalid("values must have at least one dimension [Op:", c.row.name, "]");
  unknown_dimensions(static_cast<int64_t>(deep) + values.shape().rank());  // refuses too many
  std::vector<std::vector<int64_t>> levels;
  for (size_t k = 0; k < deep; ++k) levels.push_back(splits_of(c, c.inputs[k], int64_t{1} << 62));
  for (size_t k = 0; k < deep; ++k)
    if (levels[k].back() !=
        (k + 1 < deep ? static_cast<int64_t>(levels[k + 1].size()) - 1 : values.shape()[0]))
      invalid("Final value of ragged splits must match the length the corresponding ragged values. [Op:",
              c.row.name, "]");
  std::vector<int64_t> shape{static_cast<int64_t>(levels[0].size()) - 1};
  for (const auto& level : levels) {
    int64_t most = 0;
    for (size_t row = 1; row < level.size(); ++row) most = std::max(most, level[row] - level[row - 1]);
    shape.push_back(most);
  }
  for (int d = 1; d < values.shape().rank(); ++d) shape.push_back(values.shape()[d]);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t inner = product(values.shape(), 1, values.shape().rank());
  auto* out = c.set_output(0, DType::kInt64, Shape{values.elements(), rank}).data<int64_t>();
  std::vector<int64_t> index(shape.size());
  const auto visit = [&](auto& self, size_t level, int64_t begin, int64_t end) -> void {
    for (int64_t k = begin; k < end; ++k) {
      index[level] = k - begin;
      if (level < deep) {
        self(self, level + 1, levels[level][static_cast<size_t>(k)],
             levels[level][static_cast<size_t>(k) + 1]);
        continue;
      }
      for (int64_t e = 0; e < inner; ++e) {
        int64_t rest = e;
        for (size_t d = shape.size(); d-- > deep + 1; rest /= shape[d]) index[d] = rest % shape[d];
        out = std::ranges::copy(index, out).out;
      }
    }
  };
  visit(visit, 0, 0, shape[0]);
  Tensor& flat = c.set_output(1, values.dtype(), Shape{values.elements()});
  copy(values.dtype(), values.raw(), 0, flat.raw(), 0, values.elements());
  std::ranges::copy(shape, c.set_output(2, DType::kInt64, Shape{rank}).data<int64_t>());
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("RaggedTensorToTensor", kAllTypes, to_tensor);
  on_cpu("RaggedGather", kAllTypes, gather);
  on_cpu("RaggedRange", bit_of(DType::kInt32), range<int32_t>);
  on_cpu("RaggedRange", bit_of(DType::kInt64), range<int64_t>);
  on_cpu("RaggedRange", bit_of(DType::kFloat32), range<float>);
  on_cpu("RaggedRange", bit_of(DType::kFloat64), range<double>);
  on_cpu("RaggedTensorToSparse", kAllTypes, to_sparse);
}

}  // namespace footlight::FL_ISA
