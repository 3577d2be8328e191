// Kernels that split and join tensors.
#include "engine/tensor/growing_buffer.h"
#include "engine/tensor/slice_spec.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/elements.h"
#include "kernels/cpu/strided.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace footlight::FL_ISA {

namespace {

constexpr int kMaxDims = 64;

// Appends small inputs to a large one. The result shares the memory of the large input, if that has room and nobody has
// appended to it yet. Memory that is appended to again doubles, so that a growing list is copied rarely.
bool append(KernelContext& c, size_t n) {
  constexpr size_t kMinBytes = 256;
  Tensor& out = c.outputs[0];
  const Tensor& first = c.inputs[0];
  const BufferPtr& buffer = first.body()->buffer;
  const size_t bytes = out.bytes(), before = first.bytes();
  if (!is_plain(out.dtype()) || bytes < kMinBytes || before < bytes / 2 || !buffer) return false;
  auto* data = static_cast<std::byte*>(first.raw());
  size_t at = before;
  auto* const growing = dynamic_cast<GrowingBuffer*>(buffer.get());
  if (growing && growing->claim(data + before, bytes - before)) {
    out = Tensor::within(out.dtype(), out.shape(), out.device(), buffer, data);
  } else {
    BufferPtr fresh = std::make_shared<GrowingBuffer>(bytes, growing ? 2 * bytes : bytes);
    void* const start = fresh->data();
    out = Tensor::within(out.dtype(), out.shape(), out.device(), std::move(fresh), start);
    data = static_cast<std::byte*>(start);
    at = 0;
  }
  for (size_t k = at ? 1 : 0; k < n; at += c.inputs[k++].bytes())
    if (const size_t part = c.inputs[k].bytes()) std::memcpy(data + at, c.inputs[k].raw(), part);
  return true;
}

void concat(KernelContext& c) {
  const size_t n = c.inputs.size() - 1;
  const Shape& shape = c.outputs[0].shape();
  const int axis = static_cast<int>(from_end(ints_of(c.inputs[n])[0], shape.rank()));
  const int64_t outer = product(shape, 0, axis);
  if (outer == 1 && append(c, n)) return;
  const int64_t inner = product(shape, axis + 1, shape.rank());
  const int64_t row = shape[axis] * inner;
  int64_t at = 0;
  for (size_t k = 0; k < n; ++k) {
    const int64_t part = c.inputs[k].shape()[axis] * inner;
    copy_runs(c.outputs[0].dtype(), c.inputs[k].raw(), 0, part, c.outputs[0].raw(), at, row, part, outer);
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
  const int axis = static_cast<int>(from_end(c.attrs.get_or("axis"_attr, int64_t{0}), one.rank() + 1));
  const int64_t outer = product(one, 0, axis);
  const int64_t inner = product(one, axis, one.rank());
  const auto n = static_cast<int64_t>(c.inputs.size());
  for (int64_t k = 0; k < n; ++k)
    copy_runs(c.outputs[0].dtype(), c.inputs[static_cast<size_t>(k)].raw(), 0, inner, c.outputs[0].raw(), k * inner,
              n * inner, inner, outer);
}

// Avoids copying a large contiguous part, or most of the input: output k becomes a view of the input's memory from
// element `first` on. It starts at a cache line, like all tensor memory.
bool output_view(KernelContext& c, const Tensor& from, int64_t first, size_t k) {
  constexpr size_t kMinBytes = 1 << 16, kMinBytesOfMost = 1 << 10, kLine = 64;
  Tensor& out = c.outputs[k];
  if (!is_plain(out.dtype()) || !from.body()->buffer) return false;
  if (out.bytes() < kMinBytes && (out.bytes() < kMinBytesOfMost || out.bytes() < from.bytes() / 2)) return false;
  char* data = static_cast<char*>(from.raw()) + first * static_cast<int64_t>(size_of(out.dtype()));
  if (reinterpret_cast<uintptr_t>(data) % kLine != 0) return false;
  out = Tensor::within(out.dtype(), out.shape(), from.device(), from.body()->buffer, data);
  return true;
}

// Copies the `part` elements after `at` of each of `outer` rows to output k.
void copy_part(KernelContext& c, const Tensor& from, size_t k, int64_t at, int64_t row, int64_t part, int64_t outer) {
  if (outer == 1 && output_view(c, from, at, k)) return;
  copy_runs(from.dtype(), from.raw(), at, row, c.outputs[k].raw(), 0, part, part, outer);
}

void unpack(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(from_end(c.attrs.get_or("axis"_attr, int64_t{0}), in.rank()));
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis + 1, in.rank());
  const auto n = static_cast<int64_t>(c.outputs.size());
  for (int64_t k = 0; k < n; ++k)
    copy_part(c, c.inputs[0], static_cast<size_t>(k), k * inner, n * inner, inner, outer);
}

void split(KernelContext& c) {
  const Shape& in = c.inputs[1].shape();
  const int axis = static_cast<int>(from_end(*c.in<int32_t>(0), in.rank()));
  const auto n = static_cast<int64_t>(c.outputs.size());
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis, in.rank()) / n;
  for (int64_t k = 0; k < n; ++k)
    copy_part(c, c.inputs[1], static_cast<size_t>(k), k * inner, n * inner, inner, outer);
}

void split_v(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(from_end(*c.in<int32_t>(2), in.rank()));
  const int64_t outer = product(in, 0, axis);
  const int64_t inner = product(in, axis + 1, in.rank());
  int64_t at = 0;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const int64_t part = c.outputs[k].shape()[axis] * inner;
    copy_part(c, c.inputs[0], k, at, in[axis] * inner, part, outer);
    at += part;
  }
}

// Iterates over the runs of a block inside a tensor: body(index in the tensor, index in the block, length). Dimensions
// that a block covers completely are merged into one run. On several cores if large.
template <class Body>
void for_rows(const Shape& shape, const std::vector<int64_t>& begin, const std::vector<int64_t>& stride,
              const Shape& block, Body&& body) {
  const int64_t total = block.elements();
  if (total == 0) return;
  int64_t size[kMaxDims], step[kMaxDims];  // innermost first: of the block, and in elements of the tensor
  int rank = 0;
  int64_t start = 0, below = 1;
  if (shape.rank() > kMaxDims) invalid("tensors of more than ", kMaxDims, " dimensions cannot be sliced");
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const auto k = static_cast<size_t>(d);
    start += begin[k] * below;
    const int64_t here = stride[k] * below;
    // The innermost dimension is kept apart unless its stride is plain: its step is the body's.
    if (rank && block[d] == 1) {
      // nothing to iterate over
    } else if (rank && here == step[rank - 1] * size[rank - 1] && step[0] == 1) {
      size[rank - 1] *= block[d];
    } else {
      size[rank] = block[d];
      step[rank++] = here;
    }
    below *= shape[d];
  }
  if (rank <= 1) {
    parallel_for(total, 1 << 16, [&](int64_t first, int64_t end) {
      body(start + (rank ? first * step[0] : 0), first, end - first);
    });
    return;
  }
  const int64_t length = size[0];
  parallel_for(total / length, std::max<int64_t>(1, (1 << 16) / length), [&](int64_t first, int64_t end) {
    int64_t index[kMaxDims];
    int64_t at = start, rest = first;
    for (int d = 1; d < rank; ++d) {
      index[d] = rest % size[d];
      rest /= size[d];
      at += index[d] * step[d];
    }
    for (int64_t row = first; row < end; ++row) {
      body(at, row * length, length);
      for (int d = 1; d < rank; ++d) {
        at += step[d];
        if (++index[d] < size[d]) break;
        at -= step[d] * size[d];
        index[d] = 0;
      }
    }
  });
}

// Copies a block of elements `stride` apart, of a dtype that gather_strided supports.
bool gather_block(KernelContext& c, const Shape& in, const std::vector<int64_t>& begin,
                  const std::vector<int64_t>& stride, const Shape& block) {
  if (in.rank() > Strided::kMax || !(is_plain(c.inputs[0].dtype()) || c.inputs[0].dtype() == DType::kString))
    return false;
  Strided w;
  int64_t offset = 0, below = 1;
  for (int d = in.rank() - 1; d >= 0; --d) {
    const auto k = static_cast<size_t>(d);
    offset += begin[k] * below;
    w.add(block[d], stride[k] * below);
    below *= in[d];
  }
  gather_strided(c, w, offset);
  return true;
}

void slice(KernelContext& c) {
  const std::vector<int64_t> begin = ints_of(c.inputs[1]);
  const std::vector<int64_t> ones(begin.size(), 1);
  const Shape &in = c.inputs[0].shape(), &out = c.outputs[0].shape();
  bool rows = in.rank() > 0;
  for (int k = 1; k < in.rank(); ++k) rows &= in[k] == out[k];
  if (rows && output_view(c, c.inputs[0], begin[0] * product(in, 1, in.rank()), 0)) return;
  if (gather_block(c, in, begin, ones, out)) return;
  for_rows(c.inputs[0].shape(), begin, ones, c.outputs[0].shape(), [&](int64_t from, int64_t to, int64_t n) {
    copy(c.outputs[0].dtype(), c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
  });
}

// The mask attributes of a strided slice.
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

// x[i] with one index that is in range: the row is contiguous. Returns false for all else, which takes the general way.
bool take_row(KernelContext& c) {
  const Tensor& x = c.inputs[0];
  if (x.shape().rank() == 0 || c.inputs[1].elements() != 1) return false;
  const SliceMasks masks = masks_of(c.attrs);
  if (!(masks.shrink_axis & 1) || (masks.new_axis | masks.ellipsis) & 1 || int_at(c.inputs[3], 0) < 1) return false;
  const int64_t rows = x.shape()[0], index = int_at(c.inputs[1], 0);
  if (index < -rows || index >= rows) return false;
  const int64_t row = c.outputs[0].elements();
  copy_runs(x.dtype(), x.raw(), (index < 0 ? index + rows : index) * row, row, c.outputs[0].raw(), 0, row, row, 1);
  return true;
}

void strided_slice(KernelContext& c) {
  if (take_row(c)) return;
  const SliceSpec spec = spec_of(c, c.inputs[0].shape(), 1);
  if (gather_block(c, c.inputs[0].shape(), spec.begin, spec.stride, spec.kept)) return;
  const DType dtype = c.inputs[0].dtype();
  const int64_t step = spec.stride.empty() ? 1 : spec.stride.back();
  for_rows(c.inputs[0].shape(), spec.begin, spec.stride, spec.kept, [&](int64_t from, int64_t to, int64_t n) {
    if (step == 1) {
      copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
    } else {
      copy_runs(dtype, c.inputs[0].raw(), from, step, c.outputs[0].raw(), to, 1, 1, n);
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

// Repeats each of `rows` short rows of `length` elements `times` times.
template <class T>
void repeat_rows(const T* __restrict__ in, T* __restrict__ out, int64_t begin, int64_t end, int64_t length,
                 int64_t times) {
  if (length == 1 && times == 2) {
    for (int64_t i = begin; i < end; ++i) out[2 * i] = out[2 * i + 1] = in[i];
    return;
  }
  T* to = out + begin * length * times;
  for (int64_t row = begin; row < end; ++row)
    for (int64_t k = 0; k < times; ++k)
      for (int64_t i = 0; i < length; ++i) *to++ = in[row * length + i];
}

void tile(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const Shape& out = c.outputs[0].shape();
  const DType dtype = c.inputs[0].dtype();
  if (out.elements() == 0) return;
  // Trailing dimensions that are not repeated are merged into one row.
  int last = in.rank() - 1;
  int64_t length = 1;
  while (last > 0 && out[last] == in[last]) length *= in[last--];
  const int64_t times = last < 0 ? 1 : out[last] / in[last];
  if (last >= 0) length *= in[last];
  const int64_t wide = length * times;
  bool once = true;  // all dimensions before
  for (int d = 0; d < last; ++d) once &= in[d] == out[d];
  const int64_t rows = out.elements() / wide, grain = std::max<int64_t>(1, (1 << 16) / wide);
  const void* from_memory = c.inputs[0].raw();
  void* to_memory = c.outputs[0].raw();
  constexpr int64_t kShort = 16;
  if (once && length <= kShort && is_plain(dtype) && size_of(dtype) <= 8) {
    const auto repeat = [&](auto type) {
      using T = decltype(type);
      parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
        repeat_rows(static_cast<const T*>(from_memory), static_cast<T*>(to_memory), begin, end, length, times);
      });
    };
    switch (size_of(dtype)) {
      case 1: return repeat(uint8_t{});
      case 2: return repeat(uint16_t{});
      case 4: return repeat(uint32_t{});
      default: return repeat(uint64_t{});
    }
  }
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t from = 0, stride = length, rest = row;
      for (int d = last - 1; d >= 0; --d) {
        from += rest % out[d] % in[d] * stride;
        rest /= out[d];
        stride *= in[d];
      }
      const int64_t to = row * wide;
      copy(dtype, from_memory, from, to_memory, to, length);
      for (int64_t done = length; done < wide; done *= 2)
        copy(dtype, to_memory, to, to_memory, to + done, std::min(done, wide - done));
    }
  });
}

// Fills n elements with the value of one; strings one by one.
void fill_with(DType dtype, const void* value, void* to, int64_t at, int64_t n) {
  if (n <= 0) return;
  if (!value && is_plain(dtype)) {
    std::memset(static_cast<char*>(to) + at * static_cast<int64_t>(size_of(dtype)), 0,
                static_cast<size_t>(n) * size_of(dtype));
  } else if (value) {
    copy(dtype, value, 0, to, at, 1);
    for (int64_t done = 1; done < n; done *= 2)  // the filled part is copied as much again
      copy(dtype, to, at, to, at + done, std::min(done, n - done));
  }
}

// Row by row of the output, each of the last padded dimension and the ones after it.
void pad(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  const std::vector<int64_t> paddings = ints_of(c.inputs[1]);
  const Shape& in = c.inputs[0].shape();
  const Shape& out = c.outputs[0].shape();
  const void* value = c.inputs.size() > 2 ? c.inputs[2].raw() : nullptr;
  if (out.elements() == 0) return;
  int last = in.rank() - 1;
  while (last > 0 && in[last] == out[last]) --last;
  const int64_t inner = last < 0 ? 1 : product(in, last + 1, in.rank());
  const int64_t before = last < 0 ? 0 : paddings[static_cast<size_t>(2 * last)] * inner;
  const int64_t length = last < 0 ? 1 : in[last] * inner, wide = last < 0 ? 1 : out[last] * inner;
  parallel_for(out.elements() / wide, std::max<int64_t>(1, (1 << 16) / wide), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t from = 0, stride = 1, rest = row;
      bool inside = length > 0;
      for (int d = last - 1; d >= 0; --d) {
        const int64_t at = rest % out[d] - paddings[static_cast<size_t>(2 * d)];
        inside &= at >= 0 && at < in[d];
        from += at * stride;
        rest /= out[d];
        stride *= in[d];
      }
      void* const to = c.outputs[0].raw();
      if (!inside) {
        fill_with(dtype, value, to, row * wide, wide);
        continue;
      }
      fill_with(dtype, value, to, row * wide, before);
      copy(dtype, c.inputs[0].raw(), from * length, to, row * wide + before, length);
      fill_with(dtype, value, to, row * wide + before + length, wide - before - length);
    }
  });
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
  on_cpu("Tile", kAllTypes, tile);
  on_cpu("Pad", kPlainTypes | bit_of(DType::kString), pad);
  on_cpu("PadV2", kPlainTypes | bit_of(DType::kString), pad);
}

}  // namespace footlight::FL_ISA
