// Kernels that take tensors apart and put them together.
#include "engine/tensor/slice_spec.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/elements.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <cstring>

namespace footlight {
namespace FL_ISA {

namespace {

const AttrName kAxis{"axis"};

void concat(KernelContext& c) {
  const size_t n = c.inputs.size() - 1;
  const Shape& shape = c.outputs[0].shape();
  const int axis = static_cast<int>(from_end(ints_of(c.inputs[n])[0], shape.rank()));
  const int64_t outer = product(shape, 0, axis);
  const int64_t inner = product(shape, axis + 1, shape.rank());
  const int64_t row = shape[axis] * inner;
  int64_t at = 0;
  for (size_t k = 0; k < n; ++k) {
    const int64_t part = c.inputs[k].shape()[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      copy(c.outputs[0].dtype(), c.inputs[k].raw(), o * part, c.outputs[0].raw(), o * row + at, part);
    at += part;
  }
}

void concat_offset(KernelContext& c) {
  int32_t at = 0;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const Tensor& shape = c.inputs[k + 1];
    const int64_t rank = shape.elements();
    const int64_t axis = from_end(*c.in<int32_t>(0), static_cast<int>(rank));
    if (axis < 0 || axis >= rank) invalid("the dimension ", axis, " is out of range [Op:ConcatOffset]");
    std::fill(c.out<int32_t>(k), c.out<int32_t>(k) + rank, 0);
    c.out<int32_t>(k)[axis] = at;
    at += shape.data<int32_t>()[axis];
  }
}

void pack(KernelContext& c) {
  const Shape& one = c.inputs[0].shape();
  const int axis = static_cast<int>(from_end(c.attrs.get_or(kAxis, int64_t{0}), one.rank() + 1));
  const int64_t outer = product(one, 0, axis);
  const int64_t inner = product(one, axis, one.rank());
  const auto n = static_cast<int64_t>(c.inputs.size());
  for (int64_t k = 0; k < n; ++k)
    for (int64_t o = 0; o < outer; ++o)
      copy(c.outputs[0].dtype(), c.inputs[static_cast<size_t>(k)].raw(), o * inner, c.outputs[0].raw(),
           (o * n + k) * inner, inner);
}

void unpack(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(from_end(c.attrs.get_or(kAxis, int64_t{0}), in.rank()));
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis + 1, in.rank());
  const auto n = static_cast<int64_t>(c.outputs.size());
  for (int64_t k = 0; k < n; ++k)
    for (int64_t o = 0; o < outer; ++o)
      copy(c.inputs[0].dtype(), c.inputs[0].raw(), (o * n + k) * inner,
           c.outputs[static_cast<size_t>(k)].raw(), o * inner, inner);
}

void split(KernelContext& c) {
  const Shape& in = c.inputs[1].shape();
  const int axis = static_cast<int>(from_end(*c.in<int32_t>(0), in.rank()));
  const auto n = static_cast<int64_t>(c.outputs.size());
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis, in.rank()) / n;
  for (int64_t k = 0; k < n; ++k)
    for (int64_t o = 0; o < outer; ++o)
      copy(c.inputs[1].dtype(), c.inputs[1].raw(), (o * n + k) * inner,
           c.outputs[static_cast<size_t>(k)].raw(), o * inner, inner);
}

void split_v(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(from_end(*c.in<int32_t>(2), in.rank()));
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis + 1, in.rank());
  int64_t at = 0;
  for (const Tensor& out : c.outputs) {
    const int64_t part = out.shape()[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      copy(out.dtype(), c.inputs[0].raw(), o * in[axis] * inner + at, out.raw(), o * part, part);
    at += part;
  }
}

// Visits the rows (last dimension) of a block inside a tensor: body(index in the tensor, index in the block, length).
template <class Body>
void for_rows(const Shape& shape, const std::vector<int64_t>& begin, const std::vector<int64_t>& stride,
              const Shape& block, Body&& body) {
  const int rank = shape.rank();
  if (block.elements() == 0) return;
  if (rank == 0) {
    body(0, 0, 1);
    return;
  }
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  const int64_t length = block[rank - 1];
  for (int64_t out = 0, n = block.elements(); out < n; out += length) {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) {
      const auto k = static_cast<size_t>(d);
      at = at * shape[d] + begin[k] + index[k] * stride[k];
    }
    body(at, out, length);
    for (int d = rank - 2; d >= 0; --d) {
      if (++index[static_cast<size_t>(d)] < block[d]) break;
      index[static_cast<size_t>(d)] = 0;
    }
  }
}

void slice(KernelContext& c) {
  const std::vector<int64_t> begin = ints_of(c.inputs[1]);
  const std::vector<int64_t> ones(begin.size(), 1);
  for_rows(c.inputs[0].shape(), begin, ones, c.outputs[0].shape(), [&](int64_t from, int64_t to, int64_t n) {
    copy(c.outputs[0].dtype(), c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
  });
}

// The masks among the attributes of a strided slice.
SliceMasks masks_of(const Attrs& attrs) {
  static const AttrName kNames[] = {AttrName("begin_mask"), AttrName("end_mask"), AttrName("ellipsis_mask"),
                                    AttrName("new_axis_mask"), AttrName("shrink_axis_mask")};
  if (attrs.empty()) return {};
  return {attrs.get_or(kNames[0], int64_t{0}), attrs.get_or(kNames[1], int64_t{0}), attrs.get_or(kNames[2], int64_t{0}),
          attrs.get_or(kNames[3], int64_t{0}), attrs.get_or(kNames[4], int64_t{0})};
}

SliceSpec spec_of(KernelContext& c, const Shape& input, size_t first) {
  const std::vector<int64_t> begin = ints_of(c.inputs[first]);
  const std::vector<int64_t> end = ints_of(c.inputs[first + 1]);
  return slice_spec(input, begin.size(), &begin, &end, ints_of(c.inputs[first + 2]), masks_of(c.attrs));
}

void strided_slice(KernelContext& c) {
  const SliceSpec spec = spec_of(c, c.inputs[0].shape(), 1);
  const DType dtype = c.inputs[0].dtype();
  const int64_t step = spec.stride.empty() ? 1 : spec.stride.back();
  for_rows(c.inputs[0].shape(), spec.begin, spec.stride, spec.kept, [&](int64_t from, int64_t to, int64_t n) {
    if (step == 1) {
      copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
    } else {
      for (int64_t i = 0; i < n; ++i) copy(dtype, c.inputs[0].raw(), from + i * step, c.outputs[0].raw(), to + i, 1);
    }
  });
}

void strided_slice_grad(KernelContext& c) {
  const Shape& shape = c.outputs[0].shape();
  const SliceSpec spec = spec_of(c, shape, 1);
  if (spec.shape != c.inputs[4].shape())
    invalid("dy has shape ", c.inputs[4].shape().to_string(), ", the slice ", spec.shape.to_string(),
            " [Op:StridedSliceGrad]");
  std::memset(c.outputs[0].raw(), 0, c.outputs[0].bytes());
  const int64_t step = spec.stride.empty() ? 1 : spec.stride.back();
  for_rows(shape, spec.begin, spec.stride, spec.kept, [&](int64_t to, int64_t from, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      copy(c.inputs[4].dtype(), c.inputs[4].raw(), from + i, c.outputs[0].raw(), to + i * step, 1);
  });
}

// How a gather walks: [batch, outer, axis, inner] of the parameters, [batch, many] of the indices.
struct GatherWalk {
  int64_t batch, outer, size, inner, many;
};

GatherWalk gather_walk(KernelContext& c, const Shape& params) {
  static const AttrName kBatchDims{"batch_dims"};
  const Shape& indices = c.inputs[1].shape();
  const int axis = static_cast<int>(from_end(ints_of(c.inputs[2])[0], params.rank()));
  int64_t batch_dims = c.attrs.get_or(kBatchDims, int64_t{0});
  if (batch_dims < 0) batch_dims += indices.rank();
  const int b = static_cast<int>(batch_dims);
  for (int d = 0; d < b; ++d)
    if (params[d] != indices[d])
      invalid("params.shape[", d, "]: ", params[d], " should be equal to indices.shape[", d,
              "]: ", indices[d], " [Op:GatherV2]");
  return {product(params, 0, b), product(params, b, axis), params[axis], product(params, axis + 1, params.rank()),
          product(indices, b, indices.rank())};
}

template <class Body>
void for_gathered(KernelContext& c, const GatherWalk& w, Body&& body) {
  const Tensor& indices = c.inputs[1];
  for (int64_t i = 0, n = indices.elements(); i < n; ++i) {
    const int64_t index = int_at(indices, i);
    if (index < 0 || index >= w.size) {
      invalid("indices[", place_in(indices.shape(), i), "] = ", index, " is not in [0, ", w.size, ") [Op:", c.row.name, "]");
    }
  }
  for (int64_t b = 0; b < w.batch; ++b)
    for (int64_t o = 0; o < w.outer; ++o)
      for (int64_t m = 0; m < w.many; ++m)
        body(((b * w.outer + o) * w.size + int_at(indices, b * w.many + m)) * w.inner,
             ((b * w.outer + o) * w.many + m) * w.inner);
}

void gather(KernelContext& c) {
  const GatherWalk w = gather_walk(c, c.inputs[0].shape());
  for_gathered(c, w, [&](int64_t from, int64_t to) {
    copy(c.outputs[0].dtype(), c.inputs[0].raw(), from, c.outputs[0].raw(), to, w.inner);
  });
}

template <class T>
void gather_grad(KernelContext& c) {
  using C = functors::Compute<T>;
  const GatherWalk w = gather_walk(c, c.outputs[0].shape());
  std::memset(c.outputs[0].raw(), 0, c.outputs[0].bytes());
  const T* grad = c.in<T>(3);
  T* out = c.out<T>();
  for_gathered(c, w, [&](int64_t to, int64_t from) {
    for (int64_t i = 0; i < w.inner; ++i)
      out[to + i] = static_cast<T>(functors::Add()(static_cast<C>(out[to + i]), static_cast<C>(grad[from + i])));
  });
}

void tile(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const Shape& out = c.outputs[0].shape();
  const DType dtype = c.inputs[0].dtype();
  const int rank = in.rank();
  if (out.elements() == 0) return;
  if (rank == 0) {
    copy(dtype, c.inputs[0].raw(), 0, c.outputs[0].raw(), 0, 1);
    return;
  }
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  for (int64_t to = 0, n = out.elements(); to < n; to += in[rank - 1]) {
    int64_t from = 0;
    for (int d = 0; d < rank; ++d) from = from * in[d] + index[static_cast<size_t>(d)] % in[d];
    copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, in[rank - 1]);
    index[static_cast<size_t>(rank - 1)] += in[rank - 1];
    for (int d = rank - 1; d >= 0 && index[static_cast<size_t>(d)] == out[d]; --d) {
      index[static_cast<size_t>(d)] = 0;
      if (d > 0) ++index[static_cast<size_t>(d - 1)];
    }
  }
}

void pad(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  const std::vector<int64_t> paddings = ints_of(c.inputs[1]);
  std::vector<int64_t> begin;
  for (size_t i = 0; i < paddings.size(); i += 2) begin.push_back(paddings[i]);
  if (c.inputs.size() > 2) {
    for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i)
      copy(dtype, c.inputs[2].raw(), 0, c.outputs[0].raw(), i, 1);
  } else if (is_plain(dtype)) {
    std::memset(c.outputs[0].raw(), 0, c.outputs[0].bytes());
  }
  const std::vector<int64_t> ones(begin.size(), 1);
  for_rows(c.outputs[0].shape(), begin, ones, c.inputs[0].shape(), [&](int64_t to, int64_t from, int64_t n) {
    copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
  });
}

template <class T>
void where(KernelContext& c) {
  const T* in = c.in<T>(0);
  const Shape& shape = c.inputs[0].shape();
  const int64_t n = c.inputs[0].elements();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += in[i] != T(0);
  int64_t* out = c.set_output(0, DType::kInt64, Shape{count, shape.rank()}).data<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    if (!(in[i] != T(0))) continue;
    int64_t rest = i;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      out[d] = rest % shape[d];
      rest /= shape[d];
    }
    out += shape.rank();
  }
}

template <class T>
void select(KernelContext& c) {
  const bool* condition = c.in<bool>(0);
  const T* t = c.in<T>(1);
  const T* e = c.in<T>(2);
  T* out = c.out<T>();
  const Shape& shape = c.outputs[0].shape();
  const int64_t n = c.outputs[0].elements();
  bool plain[3];
  for (size_t k = 0; k < 3; ++k) plain[k] = c.inputs[k].shape() == shape;
  if ((plain[0] || c.inputs[0].elements() == 1) && (plain[1] || c.inputs[1].elements() == 1) &&
      (plain[2] || c.inputs[2].elements() == 1)) {
    parallel_for(n, 1 << 14, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[i] = condition[plain[0] ? i : 0] ? t[plain[1] ? i : 0] : e[plain[2] ? i : 0];
    });
    return;
  }
  std::vector<int64_t> strides[3];
  for (size_t k = 0; k < 3; ++k) {
    const Shape& s = c.inputs[k].shape();
    strides[k].assign(static_cast<size_t>(shape.rank()), 0);
    int64_t stride = 1;
    for (int d = s.rank() - 1; d >= 0; --d) {
      if (s[d] != 1) strides[k][static_cast<size_t>(d + shape.rank() - s.rank())] = stride;
      stride *= s[d];
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at[3] = {0, 0, 0};
    int64_t rest = i;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const int64_t here = rest % shape[d];
      rest /= shape[d];
      for (size_t k = 0; k < 3; ++k) at[k] += here * strides[k][static_cast<size_t>(d)];
    }
    out[i] = condition[at[0]] ? t[at[1]] : e[at[2]];
  }
}

template <class... Types>
void typed() {
  (on_cpu("SelectV2", bit_of(dtype_of<Types>), select<Types>), ...);
  (on_cpu("Where", bit_of(dtype_of<Types>), where<Types>), ...);
}
template <class... Types>
void gather_grads() {
  (on_cpu("GatherGrad", bit_of(dtype_of<Types>), gather_grad<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("ConcatV2", kAllTypes, concat);
  on_cpu("ConcatOffset", bit_of(DType::kInt32), concat_offset);
  on_cpu("Pack", kAllTypes, pack);
  on_cpu("Unpack", kAllTypes, unpack);
  on_cpu("Split", kAllTypes, split);
  on_cpu("SplitV", kAllTypes, split_v);
  on_cpu("Slice", kAllTypes, slice);
  on_cpu("StridedSlice", kAllTypes, strided_slice);
  on_cpu("StridedSliceGrad", kPlainTypes, strided_slice_grad);
  on_cpu("GatherV2", kAllTypes, gather);
  on_cpu("Tile", kAllTypes, tile);
  on_cpu("Pad", kPlainTypes | bit_of(DType::kString), pad);
  on_cpu("PadV2", kPlainTypes | bit_of(DType::kString), pad);
  typed<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
        Float16, BFloat16, std::complex<float>, std::complex<double>>();
  on_cpu("SelectV2", bit_of(DType::kString), select<std::string>);
  gather_grads<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
               Float16, BFloat16, std::complex<float>, std::complex<double>>();
}

}  // namespace FL_ISA
}  // namespace footlight
