// Kernels that move elements or query shapes.
#include "kernels/cpu/strided.h"
#include "kernels/cpu/vector.h"

#include "engine/base/thread_pool.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace footlight::FL_ISA {

namespace {

void pass(KernelContext& c) { c.outputs[0] = c.inputs[0].alias(); }

void reshape(KernelContext& c) {
  const Shape shape = c.outputs[0].shape();
  c.outputs[0] = c.inputs[0].reshaped(shape);
}

template <class Int>
void write_ints(Tensor& out, std::span<const int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) out.data<Int>()[i] = static_cast<Int>(values[i]);
}

void write_ints(Tensor& out, std::span<const int64_t> values) {
  if (out.dtype() == DType::kInt64) write_ints<int64_t>(out, values);
  else write_ints<int32_t>(out, values);
}

void shape_of(KernelContext& c) {
  check_dimensions_fit(c.inputs[0].shape(), c.outputs[0].dtype());
  write_ints(c.outputs[0], c.inputs[0].shape().dims());
}

void size_of_tensor(KernelContext& c) {
  const int64_t n = c.inputs[0].elements();
  if (c.outputs[0].dtype() == DType::kInt32 && n > std::numeric_limits<int32_t>::max())
    invalid("There are ", n, " elements, which a size of 32 bits cannot hold: ask for out_type=tf.int64 [Op:Size]");
  write_ints(c.outputs[0], {&n, 1});
}

void rank_of(KernelContext& c) { *c.out<int32_t>() = c.inputs[0].shape().rank(); }

std::vector<int64_t> ints_of(const Tensor& t) {
  std::vector<int64_t> out(static_cast<size_t>(t.elements()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = t.dtype() == DType::kInt64 ? t.data<int64_t>()[i] : t.data<int32_t>()[i];
  return out;
}

void reduced_shape(KernelContext& c) {
  std::vector<int64_t> dims = ints_of(c.inputs[0]);
  for (int64_t axis : ints_of(c.inputs[1])) {
    const int64_t a = axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis;
    if (a < 0 || a >= static_cast<int64_t>(dims.size()))
      invalid("axis ", axis, " is out of range for ", dims.size(), " dimensions [Op:ReducedShape]");
    dims[static_cast<size_t>(a)] = 1;
  }
  write_ints(c.outputs[0], dims);
}

void broadcast_gradient_args(KernelContext& c) {
  const std::vector<int64_t> s[2] = {ints_of(c.inputs[0]), ints_of(c.inputs[1])};
  const size_t rank = std::max(s[0].size(), s[1].size());
  for (size_t k = 0; k < 2; ++k) {
    std::vector<int64_t> axes;
    for (size_t d = 0; d < rank; ++d) {
      const size_t missing = rank - s[k].size();
      const size_t other_missing = rank - s[1 - k].size();
      const int64_t mine = d < missing ? 1 : s[k][d - missing];
      const int64_t other = d < other_missing ? 1 : s[1 - k][d - other_missing];
      if (d < missing || (mine == 1 && other != 1)) axes.push_back(static_cast<int64_t>(d));
    }
    write_ints(c.set_output(k, c.inputs[0].dtype(), Shape{static_cast<int64_t>(axes.size())}), axes);
  }
}

void invert_permutation(KernelContext& c) {
  const std::vector<int64_t> perm = ints_of(c.inputs[0]);
  std::vector<int64_t> out(perm.size(), -1);
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= static_cast<int64_t>(perm.size()) || out[static_cast<size_t>(perm[i])] >= 0)
      invalid("x is no permutation of 0 to ", perm.size() - 1, ": it holds ", perm[i], " [Op:InvertPermutation]");
    out[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  write_ints(c.outputs[0], out);
}

// Dispatches by element size alone: 1, 2, 4, 8, 16 bytes and strings.
template <class T>
void copy_strided(const Strided& w, const T* in, T* out, int64_t begin, int64_t end) {
  int64_t index[32];
  int64_t at = 0;
  int64_t rest = begin;
  for (int d = 0; d < w.rank; ++d) {
    index[d] = rest % w.size[d];
    rest /= w.size[d];
    at += index[d] * w.stride[d];
  }
  for (int64_t i = begin; i < end;) {
    const int64_t run = std::min(end - i, w.size[0] - index[0]);
    const int64_t s = w.stride[0];
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (s == 1 && run > 16) {
        std::memcpy(out + i, in + at, static_cast<size_t>(run) * sizeof(T));
      } else if (s == 0) {
        std::fill(out + i, out + i + run, in[at]);
      } else if (s == -1) {
        for (int64_t k = 0; k < run; ++k) out[i + k] = in[at - k];
      } else if (s == 2) {
        for (int64_t k = 0; k < run; ++k) out[i + k] = in[at + 2 * k];
      } else {
        for (int64_t k = 0; k < run; ++k) out[i + k] = in[at + k * s];
      }
    } else {
      for (int64_t k = 0; k < run; ++k) out[i + k] = in[at + k * s];
    }
    i += run;
    at += run * s;
    index[0] += run;
    for (int d = 0; d + 1 < w.rank && index[d] == w.size[d]; ++d) {
      at -= w.stride[d] * w.size[d];
      index[d] = 0;
      ++index[d + 1];
      at += w.stride[d + 1];
    }
  }
}

struct Element16 {
  int64_t halves[2];
};

// Drops dimensions of size one, and merges adjacent ones with matching strides.
void merge(Strided& w) {
  int rank = 0;
  for (int d = 0; d < w.rank; ++d) {
    if (w.size[d] == 1) continue;
    if (rank && w.stride[d] == w.size[rank - 1] * w.stride[rank - 1]) {
      w.size[rank - 1] *= w.size[d];
    } else {
      w.size[rank] = w.size[d];
      w.stride[rank++] = w.stride[d];
    }
  }
  w.rank = rank;
  if (w.rank == 0) {
    w.rank = 1;
    w.size[0] = w.stride[0] = 1;
  }
}

// The input is contiguous along dimension `run_along`, the output along 0: copied in square tiles, so that each fetched
// cache line is fully used, on both sides.
template <class T>
void copy_transposed(const Strided& w, int run_along, const T* in, T* out, int64_t total) {
  constexpr int64_t kSquare = 32;
  int64_t out_stride[32];
  int64_t stride = 1;
  for (int d = 0; d < w.rank; ++d) {
    out_stride[d] = stride;
    stride *= w.size[d];
  }
  const int64_t bands = (w.size[run_along] + kSquare - 1) / kSquare;
  const int64_t planes = total / (w.size[0] * w.size[run_along]);
  const int64_t band_size = w.size[0] * std::min(kSquare, w.size[run_along]);
  parallel_for(planes * bands, std::max<int64_t>(1, (1 << 15) / band_size), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item / bands, from = 0, to = 0;
      for (int d = 1; d < w.rank; ++d) {
        if (d == run_along) continue;
        from += rest % w.size[d] * w.stride[d];
        to += rest % w.size[d] * out_stride[d];
        rest /= w.size[d];
      }
      const int64_t j = item % bands * kSquare;
      const int64_t columns = std::min(kSquare, w.size[run_along] - j);
      for (int64_t i = 0; i < w.size[0]; i += kSquare)
        transpose_copy(in + from + i * w.stride[0] + j, w.stride[0], out + to + j * out_stride[run_along] + i,
                       out_stride[run_along], std::min(kSquare, w.size[0] - i), columns);
    }
  });
}

}  // namespace

void gather_strided(KernelContext& c, Strided& w, int64_t offset) {
  const int64_t n = c.outputs[0].elements();
  if (n == 0) return;
  merge(w);
  int run_along = 0;  // the dimension along which the input is contiguous, if it is not the output's
  for (int d = 1; d < w.rank; ++d)
    if (w.stride[d] == 1 && w.stride[0] > 1) run_along = d;
  auto run = [&](auto zero) {
    using T = decltype(zero);
    const T* in = static_cast<const T*>(c.inputs[0].raw()) + offset;
    T* out = static_cast<T*>(c.outputs[0].raw());
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (run_along) {
        copy_transposed(w, run_along, in, out, n);
        return;
      }
    }
    parallel_for(n, 1 << 16, [&](int64_t begin, int64_t end) { copy_strided(w, in, out, begin, end); });
  };
  if (c.inputs[0].dtype() == DType::kString) {
    run(std::string());
    return;
  }
  switch (size_of(c.inputs[0].dtype())) {
    case 1: run(uint8_t{}); break;
    case 2: run(uint16_t{}); break;
    case 4: run(uint32_t{}); break;
    case 8: run(uint64_t{}); break;
    default: run(Element16{}); break;
  }
}

namespace {

void transpose(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const std::vector<int64_t> perm = ints_of(c.inputs[1]);
  int64_t strides[32];
  if (in.rank() > 32) invalid("tensors of more than 32 dimensions cannot be transposed [Op:Transpose]");
  int64_t stride = 1;
  for (int d = in.rank() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= in[d];
  }
  Strided w;
  for (int d = in.rank() - 1; d >= 0; --d) {
    const int64_t p = perm[static_cast<size_t>(d)];
    const int from = static_cast<int>(p < 0 ? p + in.rank() : p);
    w.add(in[from], strides[from]);
  }
  gather_strided(c, w, 0);
}

void broadcast_to(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const Shape out = c.outputs[0].shape();
  if (in == out) {
    c.outputs[0] = c.inputs[0].alias();
    return;
  }
  Strided w;
  int64_t stride = 1;
  for (int d = out.rank() - 1; d >= 0; --d) {
    const int from = d - (out.rank() - in.rank());
    const int64_t n = from >= 0 ? in[from] : 1;
    w.add(out[d], n == 1 ? 0 : stride);
    stride *= n;
  }
  gather_strided(c, w, 0);
}

void reverse(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  std::vector<bool> reversed(static_cast<size_t>(in.rank()), false);
  for (int64_t axis : ints_of(c.inputs[1])) {
    const auto a = static_cast<size_t>(axis < 0 ? axis + in.rank() : axis);
    reversed[a] = !reversed[a];
  }
  Strided w;
  int64_t stride = 1, offset = 0;
  for (int d = in.rank() - 1; d >= 0; --d) {
    const bool here = reversed[static_cast<size_t>(d)];
    w.add(in[d], here ? -stride : stride);
    if (here) offset += (in[d] - 1) * stride;
    stride *= in[d];
  }
  gather_strided(c, w, offset);
}

}  // namespace

FL_CPU_KERNELS {
  for (const char* op : {"Identity", "StopGradient", "PreventGradient", "PlaceholderWithDefault"})
    on_cpu(op, kAllTypes, pass);
  for (const char* op : {"Reshape", "ExpandDims", "Squeeze"}) on_cpu(op, kAllTypes, reshape);
  on_cpu("Shape", kAllTypes, shape_of);
  on_cpu("Size", kAllTypes, size_of_tensor);
  on_cpu("Rank", kAllTypes, rank_of);
  const uint32_t index = dtype_set(DType::kInt32, DType::kInt64);
  on_cpu("ReducedShape", index, reduced_shape);
  on_cpu("BroadcastGradientArgs", index, broadcast_gradient_args);
  on_cpu("InvertPermutation", index, invert_permutation);
  on_cpu("Transpose", kPlainTypes | bit_of(DType::kString), transpose);
  on_cpu("ReverseV2", kPlainTypes | bit_of(DType::kString), reverse);
  on_cpu("BroadcastTo", kPlainTypes | bit_of(DType::kString), broadcast_to);
}

}  // namespace footlight::FL_ISA
