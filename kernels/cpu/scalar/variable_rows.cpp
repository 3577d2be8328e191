// Kernels that read or write parts of a variable: rows, elements at index vectors, strided slices.
#include "engine/tensor/gpu.h"
#include "engine/tensor/slice_spec.h"
#include "engine/tensor/variable.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <cstring>
#include <vector>

namespace footlight::FL_ISA {

namespace {

enum class Update { kSet, kAdd, kSub, kMul, kDiv, kMin, kMax };

Variable& variable(KernelContext& c) {
  Variable* v = variable_of(c.inputs[0]);
  if (!v)
    fail(ErrorKind::kFailedPrecondition, "the resource is no variable, or the variable was deleted [Op:", c.row.name,
         "]");
  return *v;
}

int64_t int_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt16: return t.data<int16_t>()[i];
    case DType::kInt32: return t.data<int32_t>()[i];
    default: return t.data<int64_t>()[i];
  }
}

int64_t product(const Shape& s, int from, int to) {
  int64_t n = 1;
  for (int d = from; d < to; ++d) n *= s[d];
  return n;
}

// "indices[1,0]": the position of element i of a tensor of this shape.
std::string place(const Shape& shape, int64_t i) {
  std::string out;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    out = std::to_string(i % shape[d]) + (out.empty() ? "" : ",") + out;
    i /= shape[d];
  }
  return "indices[" + out + "]";
}

void copy(DType dtype, const void* from, int64_t from_at, void* to, int64_t to_at, int64_t n) {
  if (dtype == DType::kString) {
    for (int64_t i = 0; i < n; ++i)
      static_cast<std::string*>(to)[to_at + i] = static_cast<const std::string*>(from)[from_at + i];
    return;
  }
  if (!is_plain(dtype)) fail(ErrorKind::kUnimplemented, "variables of ", name_of(dtype), " have no rows");
  const auto size = static_cast<int64_t>(size_of(dtype));
  std::memcpy(static_cast<char*>(to) + to_at * size, static_cast<const char*>(from) + from_at * size,
              static_cast<size_t>(n * size));
}

template <class C>
C combined(Update update, C a, C b, const KernelContext& c) {
  if constexpr (std::is_integral_v<C>) {
    using W = functors::Wrapping<C>;
    if (update == Update::kAdd) return static_cast<C>(static_cast<W>(a) + static_cast<W>(b));
    if (update == Update::kSub) return static_cast<C>(static_cast<W>(a) - static_cast<W>(b));
    if (update == Update::kMul) return static_cast<C>(static_cast<W>(a) * static_cast<W>(b));
  } else {
    if (update == Update::kAdd) return a + b;
    if (update == Update::kSub) return a - b;
    if (update == Update::kMul) return a * b;
  }
  switch (update) {
    case Update::kDiv:
      if constexpr (std::is_integral_v<C>)
        if (b == C(0)) invalid("Integer division by zero [Op:", c.row.name, "]");
      return static_cast<C>(a / b);
    case Update::kMin:
      if constexpr (!functors::is_complex_v<C>) return b < a ? b : a;
      break;
    case Update::kMax:
      if constexpr (!functors::is_complex_v<C>) return a < b ? b : a;
      break;
    default: break;
  }
  return b;
}

// Updates n elements of `value` from `at` on with those of `updates` from `from` on (step 0: with that single one).
void combine(KernelContext& c, Update update, Tensor& value, int64_t at, const Tensor& updates, int64_t from,
             int64_t step, int64_t n) {
  const DType dtype = value.dtype();
  if (update == Update::kSet) {
    if (step) return copy(dtype, updates.raw(), from, value.raw(), at, n);
    for (int64_t i = 0; i < n; ++i) copy(dtype, updates.raw(), from, value.raw(), at + i, 1);
    return;
  }
  with_plain_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = functors::Compute<T>;
    if constexpr (!std::is_same_v<T, bool>) {
      T* to = value.data<T>() + at;
      const T* by = updates.data<T>() + from;
      for (int64_t i = 0; i < n; ++i)
        to[i] = static_cast<T>(combined<C>(update, static_cast<C>(to[i]), static_cast<C>(by[i * step]), c));
    }
  });
}

// Moves the value to host memory that has no other owner.
void make_own(Tensor& value) {
  value = gpu::on_host(value);
  if (value.exclusive()) return;
  Tensor own = Tensor::empty(value.dtype(), value.shape());
  copy(value.dtype(), value.raw(), 0, own.raw(), 0, value.elements());
  value = own;
}

template <Update update>
void scatter(KernelContext& c) {
  const Tensor &indices = c.inputs[1], &updates = c.inputs[2];
  variable(c).update([&](Tensor& value) {
    const Shape& shape = value.shape();
    if (shape.rank() == 0) invalid("the variable must be at least a vector [Op:", c.row.name, "]");
    const int64_t rows = shape[0], width = product(shape, 1, shape.rank()), n = indices.elements();
    const bool scalar = updates.shape().rank() == 0;
    Shape want = indices.shape();
    for (int d = 1; d < shape.rank(); ++d) want.append(shape[d]);
    if (!scalar && updates.shape() != want)
      invalid("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape ",
              updates.shape().brackets(), ", indices.shape ", indices.shape().brackets(), ", params.shape ",
              shape.brackets(), " [Op:", c.row.name, "]");
    for (int64_t i = 0; i < n; ++i)
      if (const int64_t at = int_at(indices, i); at < 0 || at >= rows)
        invalid(place(indices.shape(), i), " = ", at, " is not in [0, ", rows, ") [Op:", c.row.name, "]");
    make_own(value);
    for (int64_t i = 0; i < n; ++i)
      combine(c, update, value, int_at(indices, i) * width, updates, scalar ? 0 : i * width, scalar ? 0 : 1, width);
  });
}

void gather(KernelContext& c) {
  const Tensor value = gpu::on_host(variable(c).read());
  const Shape &whole = value.shape(), &indices = c.inputs[1].shape();
  const auto batch = static_cast<int>(c.attrs.get_or("batch_dims"_attr, int64_t{0}));
  if (whole.rank() <= batch) invalid("params must be at least ", batch + 1, " dimensional [Op:", c.row.name, "]");
  Shape out;
  for (int d = 0; d < batch; ++d) out.append(whole[d]);
  for (int d = batch; d < indices.rank(); ++d) out.append(indices[d]);
  for (int d = batch + 1; d < whole.rank(); ++d) out.append(whole[d]);
  c.set_output(0, value.dtype(), out);
  const Tensor axis = Tensor::scalar<int32_t>(batch);
  const Tensor inputs[] = {value, c.inputs[1], axis};
  KernelContext rows{"GatherV2"_op.row(), c.attrs, inputs, c.outputs};
  kernel_for(DeviceType::kCpu, "GatherV2"_op.id(), value.dtype())(rows);
}

struct Places {
  std::vector<int64_t> at;  // offset of each
  int64_t width;            // elements of each
  Shape shape;              // shape of all combined
};

Places places_of(const KernelContext& c, const Tensor& indices, const Shape& whole) {
  const Shape& s = indices.shape();
  if (s.rank() == 0) invalid("indices must be at least a vector [Op:", c.row.name, "]");
  const auto depth = static_cast<int>(s[s.rank() - 1]);
  if (depth > whole.rank())
    invalid("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", whole.rank(), " [Op:",
            c.row.name, "]");
  Places out;
  for (int d = 0; d + 1 < s.rank(); ++d) out.shape.append(s[d]);
  const int64_t n = out.shape.elements();
  for (int d = depth; d < whole.rank(); ++d) out.shape.append(whole[d]);
  out.width = product(whole, depth, whole.rank());
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = 0;
    for (int d = 0; d < depth; ++d) {
      const int64_t index = int_at(indices, i * depth + d);
      if (index < 0 || index >= whole[d])
        invalid("indices", Shape{i}.brackets(), " = ", index, " (dimension ", d, ") does not index into shape ",
                whole.brackets(), " [Op:", c.row.name, "]");
      at = at * whole[d] + index;
    }
    out.at.push_back(at * out.width);
  }
  return out;
}

template <Update update>
void scatter_nd(KernelContext& c) {
  const Tensor& updates = c.inputs[2];
  variable(c).update([&](Tensor& value) {
    const Places places = places_of(c, c.inputs[1], value.shape());
    if (updates.shape() != places.shape)
      invalid("updates must have the shape ", places.shape.brackets(), ", they have ", updates.shape().brackets(),
              " [Op:", c.row.name, "]");
    make_own(value);
    for (size_t i = 0; i < places.at.size(); ++i)
      combine(c, update, value, places.at[i], updates, static_cast<int64_t>(i) * places.width, 1, places.width);
  });
}

void gather_nd(KernelContext& c) {
  const Tensor value = gpu::on_host(variable(c).read());
  const Places places = places_of(c, c.inputs[1], value.shape());
  const Tensor& out = c.set_output(0, value.dtype(), places.shape);
  for (size_t i = 0; i < places.at.size(); ++i)
    copy(value.dtype(), value.raw(), places.at[i], out.raw(), static_cast<int64_t>(i) * places.width, places.width);
}

void slice_assign(KernelContext& c) {
  const auto numbers = [&](size_t input) {
    std::vector<int64_t> out;
    for (int64_t i = 0; i < c.inputs[input].elements(); ++i) out.push_back(int_at(c.inputs[input], i));
    return out;
  };
  const std::vector<int64_t> begin = numbers(1), end = numbers(2), strides = numbers(3);
  const SliceMasks masks{c.attrs.get_or("begin_mask"_attr, int64_t{0}), c.attrs.get_or("end_mask"_attr, int64_t{0}),
                         c.attrs.get_or("ellipsis_mask"_attr, int64_t{0}),
                         c.attrs.get_or("new_axis_mask"_attr, int64_t{0}),
                         c.attrs.get_or("shrink_axis_mask"_attr, int64_t{0})};
  const Tensor& given = c.inputs[4];
  variable(c).update([&](Tensor& value) {
    const Shape& shape = value.shape();
    const SliceSpec spec = slice_spec(shape, begin.size(), &begin, &end, strides, masks);
    if (spec.shape.elements() == 0) return;  // nothing to write, whatever the input
    Shape from = given.shape();
    while (from.rank() > spec.shape.rank() && from[0] == 1) from = Shape(from.dims().subspan(1));
    const int missing = spec.shape.rank() - from.rank();
    bool fits = missing >= 0;
    for (int d = 0; fits && d < from.rank(); ++d) fits = from[d] == 1 || from[d] == spec.shape[d + missing];
    if (!fits)
      invalid("cannot assign a value of shape ", from.brackets(), " to a slice of shape ", spec.shape.brackets(),
              " [Op:", c.row.name, "]");
    make_own(value);
    // Per dimension of the variable: the stride of the given value (0 where it is broadcast).
    std::vector<int64_t> of_result(static_cast<size_t>(spec.shape.rank()), 0);
    for (int64_t d = from.rank() - 1, stride = 1; d >= 0; stride *= from[static_cast<int>(d--)])
      if (from[static_cast<int>(d)] != 1) of_result[static_cast<size_t>(d + missing)] = stride;
    std::vector<int64_t> steps;
    size_t r = 0;
    const auto bit = [](int64_t mask, size_t i) { return (mask >> i & 1) != 0; };
    size_t used = 0;
    for (size_t i = 0; i < begin.size(); ++i) used += !bit(masks.new_axis, i) && !bit(masks.ellipsis, i);
    for (size_t i = 0; i < begin.size(); ++i) {
      if (bit(masks.ellipsis, i)) {
        for (size_t k = used; k < static_cast<size_t>(shape.rank()); ++k) steps.push_back(of_result[r++]);
      } else if (bit(masks.new_axis, i)) {
        ++r;
      } else {
        steps.push_back(bit(masks.shrink_axis, i) ? 0 : of_result[r++]);
      }
    }
    while (steps.size() < static_cast<size_t>(shape.rank())) steps.push_back(of_result[r++]);
    const int64_t n = spec.kept.elements();
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, to = 0, at = 0, stride = 1;
      for (int d = shape.rank() - 1; d >= 0; --d) {
        const auto k = static_cast<size_t>(d);
        const int64_t here = rest % spec.kept[d];
        rest /= spec.kept[d];
        to += (spec.begin[k] + here * spec.stride[k]) * stride;
        stride *= shape[d];
        at += here * steps[k];
      }
      copy(value.dtype(), given.raw(), at, value.raw(), to, 1);
    }
  });
}

void count_up_to(KernelContext& c) {
  const int64_t limit = c.attrs.get<int64_t>("limit"_attr);
  variable(c).update([&](Tensor& value) {
    if (value.shape().rank() != 0 || (value.dtype() != DType::kInt32 && value.dtype() != DType::kInt64))
      invalid("a counter is a scalar of int32 or int64, the variable has shape ", value.shape().brackets(),
              " and dtype ", name_of(value.dtype()), " [Op:", c.row.name, "]");
    const int64_t now = int_at(gpu::on_host(value), 0);
    if (now >= limit) fail(ErrorKind::kOutOfRange, "Reached limit of ", limit, " [Op:", c.row.name, "]");
    c.outputs[0] = value.alias();
    const DType dtype = value.dtype();
    value = Tensor::empty(dtype, Shape());
    if (dtype == DType::kInt32) *value.data<int32_t>() = static_cast<int32_t>(now + 1);
    else *value.data<int64_t>() = now + 1;
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("ResourceGather", kAllTypes, gather);
  on_cpu("ResourceGatherNd", kAllTypes, gather_nd);
  on_cpu("ResourceScatterUpdate", kAllTypes, scatter<Update::kSet>);
  on_cpu("ResourceScatterAdd", kNumberTypes, scatter<Update::kAdd>);
  on_cpu("ResourceScatterSub", kNumberTypes, scatter<Update::kSub>);
  on_cpu("ResourceScatterMul", kNumberTypes, scatter<Update::kMul>);
  on_cpu("ResourceScatterDiv", kNumberTypes, scatter<Update::kDiv>);
  on_cpu("ResourceScatterMin", kRealTypes, scatter<Update::kMin>);
  on_cpu("ResourceScatterMax", kRealTypes, scatter<Update::kMax>);
  on_cpu("ResourceScatterNdUpdate", kAllTypes, scatter_nd<Update::kSet>);
  on_cpu("ResourceScatterNdAdd", kNumberTypes, scatter_nd<Update::kAdd>);
  on_cpu("ResourceScatterNdSub", kNumberTypes, scatter_nd<Update::kSub>);
  on_cpu("ResourceScatterNdMin", kRealTypes, scatter_nd<Update::kMin>);
  on_cpu("ResourceScatterNdMax", kRealTypes, scatter_nd<Update::kMax>);
  on_cpu("ResourceStridedSliceAssign", kAllTypes, slice_assign);
  on_cpu("ResourceCountUpTo", dtype_set(DType::kInt32, DType::kInt64), count_up_to);
}

}  // namespace footlight::FL_ISA
