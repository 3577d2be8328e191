// Kernels of sets.
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <set>

namespace footlight::FL_ISA {

namespace {

// The sets of all rows: the values by the number of the row, and the shape.
template <class T>
struct Sets {
  std::vector<int64_t> shape;
  std::vector<std::set<T>> rows;
};

int64_t rows_of(const std::vector<int64_t>& shape, const char* op) {
  if (shape.size() < 2) invalid("Invalid input rank ", shape.size(), ": at least 2 is wanted [Op:", op, "]");
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    if (shape[d] < 0) invalid("a sparse shape is negative [Op:", op, "]");
    rows = multiply_sizes(rows, shape[d]);
  }
  constexpr int64_t kMaxRows = int64_t{1} << 32;
  if (rows > kMaxRows) fail(ErrorKind::kResourceExhausted, "there are ", rows, " sets [Op:", op, "]");
  return rows;
}

template <class T>
Sets<T> whole(const Tensor& t, const char* op) {
  Sets<T> out;
  out.shape.assign(t.shape().dims().begin(), t.shape().dims().end());
  out.rows.resize(static_cast<size_t>(rows_of(out.shape, op)));
  const int64_t width = out.shape.back();
  for (size_t row = 0; row < out.rows.size(); ++row) {
    const T* first = t.data<T>() + static_cast<int64_t>(row) * width;
    out.rows[row].insert(first, first + width);
  }
  return out;
}

template <class T>
Sets<T> sparse(const Tensor& indices, const Tensor& values, const Tensor& shape, bool in_order, const char* op) {
  Sets<T> out;
  if (shape.shape().rank() != 1 || indices.shape().rank() != 2 || values.shape().rank() != 1 ||
      indices.shape()[0] != values.shape()[0] || indices.shape()[1] != shape.shape()[0])
    invalid("the parts of a sparse tensor have wrong shapes: ", indices.shape().brackets(), ", ",
            values.shape().brackets(), ", ", shape.shape().brackets(), " [Op:", op, "]");
  out.shape.assign(shape.data<int64_t>(), shape.data<int64_t>() + shape.elements());
  out.rows.resize(static_cast<size_t>(rows_of(out.shape, op)));
  const size_t rank = out.shape.size();
  const int64_t* before = nullptr;
  for (int64_t k = 0; k < values.elements(); ++k) {
    const int64_t* at = indices.data<int64_t>() + k * static_cast<int64_t>(rank);
    if (in_order && before && !std::lexicographical_compare(before, before + rank, at, at + rank))
      invalid("indices[", k,
              "] is out of order. Many sparse ops require sorted indices. Use `tf.sparse.reorder` to create a "
              "correctly ordered copy. [Op:",
              op, "]");
    before = at;
    int64_t row = 0;
    for (size_t d = 0; d < rank; ++d) {
      if (at[d] < 0 || at[d] >= out.shape[d]) invalid("indices[", k, "] is out of bounds [Op:", op, "]");
      if (d + 1 < rank) row = row * out.shape[d] + at[d];
    }
    out.rows[static_cast<size_t>(row)].insert(values.data<T>()[k]);
  }
  return out;
}

template <class T>
void combine(KernelContext& c, const Sets<T>& a, const Sets<T>& b) {
  const std::string how = c.attrs.get_or("set_operation"_attr, std::string());
  if (a.shape.size() != b.shape.size() || !std::equal(a.shape.begin(), a.shape.end() - 1, b.shape.begin()))
    invalid("Mismatched group shapes of sets [Op:", c.row.name, "]");
  std::vector<int64_t> places;
  std::vector<T> values;
  int64_t widest = 0;
  const size_t rank = a.shape.size();
  for (size_t row = 0; row < a.rows.size(); ++row) {
    const auto &x = a.rows[row], &y = b.rows[row];
    const size_t before = values.size();
    const auto out = std::back_inserter(values);
    if (how == "union")
      std::ranges::set_union(x, y, out);
    else if (how == "intersection")
      std::ranges::set_intersection(x, y, out);
    else if (how == "a-b")
      std::ranges::set_difference(x, y, out);
    else
      std::ranges::set_difference(y, x, out);
    const auto count = static_cast<int64_t>(values.size() - before);
    widest = std::max(widest, count);
    std::vector<int64_t> index(rank - 1);
    auto rest = static_cast<int64_t>(row);
    for (size_t d = rank - 1; d-- > 0; rest /= a.shape[d]) index[d] = rest % a.shape[d];
    for (int64_t k = 0; k < count; ++k) {
      places.insert(places.end(), index.begin(), index.end());
      places.push_back(k);
    }
  }
  const auto count = static_cast<int64_t>(values.size());
  std::ranges::copy(places, c.set_output(0, DType::kInt64, Shape{count, static_cast<int64_t>(rank)}).data<int64_t>());
  std::ranges::copy(values,
                    c.set_output(1, c.inputs[c.inputs.size() == 6 ? 1 : 0].dtype(), Shape{count}).template data<T>());
  auto* shape = c.set_output(2, DType::kInt64, Shape{static_cast<int64_t>(rank)}).data<int64_t>();
  std::copy(a.shape.begin(), a.shape.end() - 1, shape);
  shape[rank - 1] = widest;
}

template <class Body>
void with_set_type(DType dtype, const char* op, Body&& body) {
  switch (dtype) {
    case DType::kInt8: return body(int8_t{});
    case DType::kInt16: return body(int16_t{});
    case DType::kInt32: return body(int32_t{});
    case DType::kInt64: return body(int64_t{});
    case DType::kUInt8: return body(uint8_t{});
    case DType::kUInt16: return body(uint16_t{});
    case DType::kString: return body(std::string{});
    default: invalid("sets of ", name_of(dtype), " are not supported [Op:", op, "]");
  }
}

bool in_order(KernelContext& c) { return c.attrs.get_or("validate_indices"_attr, true); }

void dense_to_dense(KernelContext& c) {
  with_set_type(c.inputs[0].dtype(), c.row.name, [&](auto zero) {
    using T = decltype(zero);
    combine<T>(c, whole<T>(c.inputs[0], c.row.name), whole<T>(c.inputs[1], c.row.name));
  });
}

void dense_to_sparse(KernelContext& c) {
  with_set_type(c.inputs[0].dtype(), c.row.name, [&](auto zero) {
    using T = decltype(zero);
    combine<T>(c, whole<T>(c.inputs[0], c.row.name),
               sparse<T>(c.inputs[1], c.inputs[2], c.inputs[3], in_order(c), c.row.name));
  });
}

void sparse_to_sparse(KernelContext& c) {
  with_set_type(c.inputs[1].dtype(), c.row.name, [&](auto zero) {
    using T = decltype(zero);
    combine<T>(c, sparse<T>(c.inputs[0], c.inputs[1], c.inputs[2], in_order(c), c.row.name),
               sparse<T>(c.inputs[3], c.inputs[4], c.inputs[5], in_order(c), c.row.name));
  });
}

void set_size(KernelContext& c) {
  with_set_type(c.inputs[1].dtype(), c.row.name, [&](auto zero) {
    using T = decltype(zero);
    const Sets<T> sets = sparse<T>(c.inputs[0], c.inputs[1], c.inputs[2], in_order(c), c.row.name);
    const Shape shape(std::span<const int64_t>(sets.shape.data(), sets.shape.size() - 1));
    auto* out = c.set_output(0, DType::kInt32, shape).template data<int32_t>();
    for (const auto& row : sets.rows) *out++ = static_cast<int32_t>(row.size());
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("DenseToDenseSetOperation", kAllTypes, dense_to_dense);
  on_cpu("DenseToSparseSetOperation", kAllTypes, dense_to_sparse);
  on_cpu("SparseToSparseSetOperation", kAllTypes, sparse_to_sparse);
  on_cpu("SetSize", kAllTypes, set_size);
}

}  // namespace footlight::FL_ISA
