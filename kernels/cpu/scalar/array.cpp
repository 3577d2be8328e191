// Kernels that rearrange a tensor: roll, mirror padding, blocks.
#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"

namespace footlight::FL_ISA {

namespace {

// For every dimension, the input index of each output index; -1: none.
using IndexMaps = std::vector<std::vector<int64_t>>;

// Calls body(from, to, n) for runs of the output that are contiguous in the input too; from < 0:
// padding. `inner` elements after the mapped dimensions move together.
template <class Body>
void for_mapped(const Shape& in, const IndexMaps& maps, int64_t inner, Body&& body) {
  const int rank = static_cast<int>(maps.size());
  for (const auto& map : maps)
    if (map.empty()) return;
  if (inner == 0) return;
  std::vector<int64_t> strides(maps.size());
  int64_t stride = inner;
  for (int d = rank - 1; d >= 0; --d) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= in[d];
  }
  if (rank == 0) {
    body(int64_t{0}, int64_t{0}, inner);
    return;
  }
  std::vector<size_t> index(maps.size(), 0);
  const std::vector<int64_t>& last = maps.back();
  int64_t to = 0;
  for (;;) {
    int64_t base = 0;
    for (int d = 0; d + 1 < rank && base >= 0; ++d) {
      const int64_t at = maps[static_cast<size_t>(d)][index[static_cast<size_t>(d)]];
      base = at < 0 ? -1 : base + at * strides[static_cast<size_t>(d)];
    }
    for (size_t k = 0; k < last.size();) {
      size_t end = k + 1;
      if (base < 0 || last[k] < 0) {
        while (end < last.size() && (base < 0 || last[end] < 0)) ++end;
        body(int64_t{-1}, to, static_cast<int64_t>(end - k) * inner);
      } else {
        while (end < last.size() && last[end] == last[end - 1] + 1) ++end;
        body(base + last[k] * inner, to, static_cast<int64_t>(end - k) * inner);
      }
      to += static_cast<int64_t>(end - k) * inner;
      k = end;
    }
    int d = rank - 2;
    for (; d >= 0; --d) {
      if (++index[static_cast<size_t>(d)] < maps[static_cast<size_t>(d)].size()) break;
      index[static_cast<size_t>(d)] = 0;
    }
    if (d < 0) return;
  }
}

void fill_zero(Tensor& t, int64_t at, int64_t n) {
  if (!is_plain(t.dtype())) return;
  std::memset(static_cast<char*>(t.raw()) + static_cast<size_t>(at) * size_of(t.dtype()), 0,
              static_cast<size_t>(n) * size_of(t.dtype()));
}

// Copies single elements of T in another order along the last dimension.
template <class T>
void move_singly(KernelContext& c, const Shape& in, const IndexMaps& maps) {
  const IndexMaps outer(maps.begin(), maps.end() - 1);
  Shape rows;
  for (int d = 0; d + 1 < static_cast<int>(maps.size()); ++d) rows.append(in[d]);
  const std::vector<int64_t>& last = maps.back();
  const auto length = static_cast<int64_t>(last.size());
  const int64_t stride = in[static_cast<int>(maps.size()) - 1];
  const T* from = c.in<T>(0);
  T* to = c.out<T>();
  for_mapped(rows, outer, 1, [&](int64_t row, int64_t out, int64_t n) {
    for (int64_t r = 0; r < n; ++r) {
      T* line = to + (out + r) * length;
      if (row < 0)
        std::fill(line, line + length, T{});
      else
        for (int64_t k = 0; k < length; ++k)
          line[k] = last[static_cast<size_t>(k)] < 0
                        ? T{}
                        : from[(row + r) * stride + last[static_cast<size_t>(k)]];
    }
  });
}

void move_mapped(KernelContext& c, const Shape& in, const IndexMaps& maps, int64_t inner) {
  const DType dtype = c.inputs[0].dtype();
  if (inner == 1 && !maps.empty() && is_plain(dtype) && size_of(dtype) <= 8) {
    const std::vector<int64_t>& last = maps.back();
    size_t breaks = 0;
    for (size_t k = 1; k < last.size(); ++k) breaks += last[k] != last[k - 1] + 1;
    if (breaks * 8 > last.size()) {
      switch (size_of(dtype)) {
        case 1: return move_singly<uint8_t>(c, in, maps);
        case 2: return move_singly<uint16_t>(c, in, maps);
        case 4: return move_singly<uint32_t>(c, in, maps);
        default: return move_singly<uint64_t>(c, in, maps);
      }
    }
  }
  for_mapped(in, maps, inner, [&](int64_t from, int64_t to, int64_t n) {
    if (from < 0)
      fill_zero(c.outputs[0], to, n);
    else
      copy(c.outputs[0].dtype(), c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
  });
}

// The rank without the trailing dimensions that are copied unchanged.
int used_rank(const Shape& shape, const IndexMaps& maps, int64_t& inner) {
  int rank = shape.rank();
  const auto same = [&](int d) {
    const auto& map = maps[static_cast<size_t>(d)];
    if (static_cast<int64_t>(map.size()) != shape[d]) return false;
    for (size_t k = 0; k < map.size(); ++k)
      if (map[k] != static_cast<int64_t>(k)) return false;
    return true;
  };
  while (rank > 0 && same(rank - 1)) --rank;
  inner = product(shape, rank, shape.rank());
  return rank;
}

void move(KernelContext& c, IndexMaps& maps) {
  const Shape& in = c.inputs[0].shape();
  int64_t inner = 1;
  maps.resize(static_cast<size_t>(used_rank(in, maps, inner)));
  move_mapped(c, in, maps, inner);
}

// Rolls rows that end after the last rolled dimension: the end of each comes first.
void roll(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const std::vector<int64_t> shifts = ints_of(c.inputs[1]);
  const std::vector<int64_t> axes = ints_of(c.inputs[2]);
  std::vector<int64_t> sums(static_cast<size_t>(in.rank()), 0);  // an axis may occur more than once
  int last = -1;
  if (in.elements() == 0) return;
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto a = static_cast<size_t>(from_end(axes[k], in.rank()));
    const int64_t size = in[static_cast<int>(a)];
    sums[a] = (((sums[a] + shifts[k] % size) % size) + size) % size;
    last = std::max(last, static_cast<int>(a));
  }
  const DType dtype = c.inputs[0].dtype();
  const int64_t inner = product(in, last + 1, in.rank());
  const int64_t row = product(in, std::max(last, 0), in.rank());
  const int64_t moved = last < 0 ? 0 : sums[static_cast<size_t>(last)] * inner;
  parallel_for(in.elements() / row, std::max<int64_t>(1, (1 << 15) / row), [&](int64_t begin, int64_t end) {
    for (int64_t to = begin; to < end; ++to) {
      int64_t from = 0, stride = 1, rest = to;
      for (int d = last - 1; d >= 0; --d) {
        const int64_t at = rest % in[d] - sums[static_cast<size_t>(d)];
        from += (at < 0 ? at + in[d] : at) * stride;
        rest /= in[d];
        stride *= in[d];
      }
      copy(dtype, c.inputs[0].raw(), (from + 1) * row - moved, c.outputs[0].raw(), to * row, moved);
      copy(dtype, c.inputs[0].raw(), from * row, c.outputs[0].raw(), to * row + moved, row - moved);
    }
  });
}

void reverse_sequence(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const auto seq = static_cast<int>(c.attrs.get<int64_t>("seq_dim"_attr));
  const auto batch = static_cast<int>(c.attrs.get_or("batch_dim"_attr, int64_t{0}));
  const std::vector<int64_t> lengths = ints_of(c.inputs[1]);
  for (size_t k = 0; k < lengths.size(); ++k)
    if (lengths[k] < 0 || lengths[k] > in[seq])
      invalid("seq_lens(", k, ") = ", lengths[k], " is not in [0, input.dims(", seq, ") = ", in[seq],
              "] [Op:ReverseSequence]");
  const int far = std::max(seq, batch);
  const int64_t inner = product(in, far + 1, in.rank());
  const int64_t outer = product(in, 0, far + 1);
  const int64_t seq_stride = product(in, seq + 1, far + 1);
  const int64_t batch_stride = product(in, batch + 1, far + 1);
  for (int64_t i = 0; i < outer; ++i) {
    const int64_t at = i / seq_stride % in[seq];
    const int64_t length = lengths[static_cast<size_t>(i / batch_stride % in[batch])];
    const int64_t from = at < length ? i + (length - 1 - 2 * at) * seq_stride : i;
    copy(c.inputs[0].dtype(), c.inputs[0].raw(), from * inner, c.outputs[0].raw(), i * inner, inner);
  }
}

// The source index of each index of a padded dimension; `edge` is 1 if the outermost elements are not
// repeated.
std::vector<int64_t> mirrored(int64_t size, int64_t before, int64_t after, int64_t edge) {
  std::vector<int64_t> map;
  for (int64_t k = 0; k < before; ++k) map.push_back(before - k - 1 + edge);
  for (int64_t k = 0; k < size; ++k) map.push_back(k);
  for (int64_t k = 0; k < after; ++k) map.push_back(size - 1 - edge - k);
  return map;
}

IndexMaps mirrored_maps(KernelContext& c, const Shape& inside) {
  const int64_t edge = c.attrs.get<std::string>("mode"_attr) == "REFLECT" ? 1 : 0;
  const std::vector<int64_t> paddings = ints_of(c.inputs[1]);
  IndexMaps maps;
  for (int d = 0; d < inside.rank(); ++d) {
    const int64_t before = paddings[static_cast<size_t>(2 * d)];
    const int64_t after = paddings[static_cast<size_t>(2 * d + 1)];
    if (before > std::max<int64_t>(inside[d] - edge, 0) || after > std::max<int64_t>(inside[d] - edge, 0))
      invalid("paddings ", before, ", ", after, " are too large for dimension ", d, " of size ", inside[d],
              " [Op:", c.row.name, "]");
    maps.push_back(mirrored(inside[d], before, after, edge));
  }
  return maps;
}

void mirror_pad(KernelContext& c) {
  IndexMaps maps = mirrored_maps(c, c.inputs[0].shape());
  move(c, maps);
}

template <class T>
void mirror_pad_grad(KernelContext& c) {
  const Shape& inside = c.outputs[0].shape();
  for (int64_t d : inside.dims())
    if (d < 0) invalid("paddings are larger than the gradient [Op:MirrorPadGrad]");
  IndexMaps maps = mirrored_maps(c, inside);
  int64_t inner = 1;
  maps.resize(static_cast<size_t>(used_rank(inside, maps, inner)));
  clear(c.outputs[0]);
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  for_mapped(inside, maps, inner, [&](int64_t to, int64_t from, int64_t n) {
    for (int64_t k = 0; k < n; ++k) out[to + k] = static_cast<T>(out[to + k] + in[from + k]);
  });
}

// Both directions iterate over the padded space: body(index in the batched tensor, index in the spatial one or -1).
template <class Body>
void for_blocks(const Shape& space, const Shape& batched, const std::vector<int64_t>& blocks,
                const std::vector<int64_t>& pads, Body&& body) {
  const int m = static_cast<int>(blocks.size());
  const int64_t inner = product(space, m + 1, space.rank());
  const int64_t positions = product(batched, 1, m + 1);
  for (int64_t b = 0; b < batched[0]; ++b) {
    const int64_t row = b % space[0];
    std::vector<int64_t> offset(blocks.size());
    int64_t rest = b / space[0];
    for (int d = m - 1; d >= 0; --d) {
      const auto k = static_cast<size_t>(d);
      offset[k] = rest % blocks[k] - pads[2 * k];
      rest /= blocks[k];
    }
    for (int64_t p = 0; p < positions; ++p) {
      int64_t at = 0;
      int64_t stride = 1;
      int64_t left = p;
      for (int d = m - 1; d >= 0 && at >= 0; --d) {
        const auto k = static_cast<size_t>(d);
        const int64_t here = left % batched[d + 1] * blocks[k] + offset[k];
        left /= batched[d + 1];
        at = here < 0 || here >= space[d + 1] ? -1 : at + here * stride;
        stride *= space[d + 1];
      }
      body((b * positions + p) * inner, at < 0 ? -1 : (row * stride + at) * inner, inner);
    }
  }
}

void space_to_batch(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  for_blocks(c.inputs[0].shape(), c.outputs[0].shape(), ints_of(c.inputs[1]), ints_of(c.inputs[2]),
             [&](int64_t to, int64_t from, int64_t n) {
               if (from < 0)
                 fill_zero(c.outputs[0], to, n);
               else
                 copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
             });
}

void batch_to_space(KernelContext& c) {
  const DType dtype = c.inputs[0].dtype();
  for_blocks(c.outputs[0].shape(), c.inputs[0].shape(), ints_of(c.inputs[1]), ints_of(c.inputs[2]),
             [&](int64_t from, int64_t to, int64_t n) {
               if (to >= 0) copy(dtype, c.inputs[0].raw(), from, c.outputs[0].raw(), to, n);
             });
}

void volume_patches(KernelContext& c) {
  const auto& window = c.attrs.get<std::vector<int64_t>>("ksizes"_attr);
  const auto& stride = c.attrs.get<std::vector<int64_t>>("strides"_attr);
  const bool same = c.attrs.get<std::string>("padding"_attr) == "SAME";
  const Shape &in = c.inputs[0].shape(), &out = c.outputs[0].shape();
  int64_t before[4] = {};
  for (int d = 1; d < 4; ++d) {
    const auto k = static_cast<size_t>(d);
    if (same) before[d] = std::max<int64_t>((out[d] - 1) * stride[k] + window[k] - in[d], 0) / 2;
  }
  const int64_t depth = in[4], taps = window[1] * window[2] * window[3];
  int64_t to = 0;
  for (int64_t place = 0, n = product(out, 0, 4); place < n; ++place) {
    int64_t at[4];
    int64_t rest = place;
    for (int d = 3; d > 0; --d) {
      at[d] = rest % out[d] * stride[static_cast<size_t>(d)] - before[d];
      rest /= out[d];
    }
    for (int64_t tap = 0; tap < taps; ++tap, to += depth) {
      const int64_t p = at[1] + tap / (window[2] * window[3]), r = at[2] + tap / window[3] % window[2],
                    q = at[3] + tap % window[3];
      const bool inside = p >= 0 && p < in[1] && r >= 0 && r < in[2] && q >= 0 && q < in[3];
      if (!inside)
        fill_zero(c.outputs[0], to, depth);
      else
        copy(c.inputs[0].dtype(), c.inputs[0].raw(), (((rest * in[1] + p) * in[2] + r) * in[3] + q) * depth,
             c.outputs[0].raw(), to, depth);
    }
  }
}

void bitcast(KernelContext& c) { std::memcpy(c.outputs[0].raw(), c.inputs[0].raw(), c.outputs[0].bytes()); }

void pass_all(KernelContext& c) { for (size_t k = 0; k < c.outputs.size(); ++k) c.outputs[k] = c.inputs[k].alias(); }

void ensure_shape(KernelContext& c) {
  const Shape& wanted = c.attrs.get<Shape>("shape"_attr);
  if (!compatible(c.inputs[0].shape(), wanted))
    invalid("Shape of tensor ", c.inputs[0].shape().brackets(), " is not compatible with expected shape ",
            wanted.brackets(), " [Op:EnsureShape]");
  pass_all(c);
}

void shape_n(KernelContext& c) {
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const Shape& shape = c.inputs[k].shape();
    check_dimensions_fit(shape, c.outputs[k].dtype());
    for (int d = 0; d < shape.rank(); ++d) {
      if (c.outputs[k].dtype() == DType::kInt64)
        c.out<int64_t>(k)[d] = shape[d];
      else
        c.out<int32_t>(k)[d] = static_cast<int32_t>(shape[d]);
    }
  }
}

template <class T>
void broadcast_args(KernelContext& c) {
  const std::vector<int64_t> x = ints_of(c.inputs[0]), y = ints_of(c.inputs[1]);
  const size_t rank = std::max(x.size(), y.size());
  for (size_t k = 0; k < rank; ++k) {
    const int64_t a = k < x.size() ? x[x.size() - 1 - k] : 1;
    const int64_t b = k < y.size() ? y[y.size() - 1 - k] : 1;
    if (a != b && a != 1 && b != 1)
      invalid("Incompatible shapes for broadcasting: ", Shape(x).brackets(), " and ", Shape(y).brackets(),
              " [Op:BroadcastArgs]");
    c.out<T>()[rank - 1 - k] = static_cast<T>(a == 1 ? b : a);
  }
}

void parallel_concat(KernelContext& c) {
  const int64_t row = c.inputs.empty() ? 0 : c.outputs[0].elements() / static_cast<int64_t>(c.inputs.size());
  for (const Tensor& value : c.inputs)
    if (value.elements() != row)
      invalid("All values must have the same shape: one is ", value.shape().to_string(), ", the result ",
              c.outputs[0].shape().to_string(), " [Op:ParallelConcat]");
  for (size_t k = 0; k < c.inputs.size(); ++k)
    copy(c.inputs[k].dtype(), c.inputs[k].raw(), 0, c.outputs[0].raw(), static_cast<int64_t>(k) * row, row);
}

template <class... Types>
void sums() { (on_cpu("MirrorPadGrad", bit_of(dtype_of<Types>), mirror_pad_grad<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kMoved = kPlainTypes | bit_of(DType::kString);
  on_cpu("ReverseSequence", kMoved, reverse_sequence);
  on_cpu("Roll", kMoved, roll);
  on_cpu("MirrorPad", kMoved, mirror_pad);
  sums<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
       BFloat16, std::complex<float>, std::complex<double>>();
  on_cpu("SpaceToBatchND", kMoved, space_to_batch);
  on_cpu("BatchToSpaceND", kMoved, batch_to_space);
  on_cpu("ExtractVolumePatches", kRealTypes, volume_patches);
  on_cpu("Bitcast", kPlainTypes, bitcast);
  on_cpu("EnsureShape", kAllTypes, ensure_shape);
  on_cpu("IdentityN", kAllTypes, pass_all);
  on_cpu("ShapeN", kAllTypes, shape_n);
  on_cpu("BroadcastArgs", bit_of(DType::kInt32), broadcast_args<int32_t>);
  on_cpu("BroadcastArgs", bit_of(DType::kInt64), broadcast_args<int64_t>);
  on_cpu("ParallelConcat", kAllTypes, parallel_concat);
}

}  // namespace footlight::FL_ISA
