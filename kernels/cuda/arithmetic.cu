// Kernels of binary arithmetic on the GPU, from the functors of the host's kernels.
#include "kernels/functors/arithmetic.h"

#include "engine/tensor/gpu.h"
#include "engine/tensor/variable.h"
#include "kernels/cuda/register.h"

#include <algorithm>
#include <cstdint>

namespace footlight::cuda {
namespace {

// A broadcast in as few dimensions as possible, innermost first; a stride is 0 where an input is broadcast.
struct MergedBroadcast {
  static constexpr int kMax = 8;
  int rank = 0;
  int64_t size[kMax] = {};
  int64_t a[kMax] = {};
  int64_t b[kMax] = {};
};

MergedBroadcast merge_broadcast(const Shape& a, const Shape& b, const Shape& out) {
  MergedBroadcast w;
  int64_t a_stride = 1, b_stride = 1;
  for (int i = out.rank() - 1; i >= 0; --i) {
    const int ai = i - (out.rank() - a.rank());
    const int bi = i - (out.rank() - b.rank());
    const int64_t an = ai >= 0 ? a[ai] : 1;
    const int64_t bn = bi >= 0 ? b[bi] : 1;
    const int64_t as = an == 1 ? 0 : a_stride;
    const int64_t bs = bn == 1 ? 0 : b_stride;
    a_stride *= an;
    b_stride *= bn;
    if (out[i] == 1) continue;
    if (w.rank) {
      const int last = w.rank - 1;
      if (as == w.a[last] * w.size[last] && bs == w.b[last] * w.size[last]) {
        w.size[last] *= out[i];
        continue;
      }
    }
    if (w.rank == MergedBroadcast::kMax)
      invalid("tensors whose broadcast needs more than ", MergedBroadcast::kMax,
              " dimensions cannot be computed on the GPU");
    w.size[w.rank] = out[i];
    w.a[w.rank] = as;
    w.b[w.rank] = bs;
    ++w.rank;
  }
  return w;
}

// The number of elements that the device's widest load moves.
template <class T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T values[kSize];
};

// a_moves and b_moves: whether the input has an element for each of the output's, or one for all.
template <class F, class T, bool a_moves, bool b_moves>
__global__ void along(const T* a, const T* b, T* out, int64_t packs, int64_t n) {
  const F f{};
  constexpr int kSize = Pack<T>::kSize;
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int64_t i = first; i < packs; i += stride) {
    Pack<T> x, y, z;
    if constexpr (a_moves) x = reinterpret_cast<const Pack<T>*>(a)[i];
    if constexpr (b_moves) y = reinterpret_cast<const Pack<T>*>(b)[i];
    for (int k = 0; k < kSize; ++k) z.values[k] = f(a_moves ? x.values[k] : a[0], b_moves ? y.values[k] : b[0]);
    reinterpret_cast<Pack<T>*>(out)[i] = z;
  }
  for (int64_t i = packs * kSize + first; i < n; i += stride) out[i] = f(a[a_moves ? i : 0], b[b_moves ? i : 0]);
}

template <class F, class T>
__global__ void across(const T* a, const T* b, T* out, int64_t n, MergedBroadcast w) {
  const F f{};
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (int d = 0; d < w.rank; ++d) {
      const int64_t here = rest % w.size[d];
      rest /= w.size[d];
      at_a += here * w.a[d];
      at_b += here * w.b[d];
    }
    out[i] = f(a[at_a], b[at_b]);
  }
}

template <class F, class T>
void binary_kernel(KernelContext& c) {
  const Tensor& x = c.inputs[0];
  const Tensor& y = c.inputs[1];
  const int64_t n = c.outputs[0].elements();
  if (n == 0) return;
  constexpr int kThreads = 256;
  static constexpr int64_t kMaxBlocks = 1 << 16;
  const auto blocks = [](int64_t items) {
    return static_cast<unsigned>(std::clamp<int64_t>((items + kThreads - 1) / kThreads, 1, kMaxBlocks));
  };
  const T* const a = c.in<T>(0);
  const T* const b = c.in<T>(1);
  T* const out = c.out<T>();
  const bool same = x.shape() == y.shape();
  if (same || x.elements() == 1 || y.elements() == 1) {
    const bool a_moves = same || x.elements() != 1, b_moves = same || y.elements() != 1;
    const auto aligned = [](const T* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(Pack<T>) == 0; };
    const bool wide = aligned(out) && (!a_moves || aligned(a)) && (!b_moves || aligned(b));
    const int64_t packs = wide ? n / Pack<T>::kSize : 0;
    const auto kernel = a_moves && b_moves ? along<F, T, true, true> : a_moves ? along<F, T, true, false>
                        : b_moves          ? along<F, T, false, true> : along<F, T, false, false>;
    kernel<<<blocks(std::max(packs, n - packs * Pack<T>::kSize)), kThreads, 0, stream_of(c)>>>(a, b, out, packs, n);
  } else {
    across<F, T><<<blocks(n), kThreads, 0, stream_of(c)>>>(a, b, out, n,
                                                           merge_broadcast(x.shape(), y.shape(), c.outputs[0].shape()));
  }
  check(cudaGetLastError(), c.row.name);
}

// The variable's value moves here if it was elsewhere, and stays.
template <class F, class T>
void update_kernel(KernelContext& c) {
  const Tensor& by = c.inputs[1];
  Variable* const v = variable_of(c.inputs[0]);
  FL_CHECK(v);
  v->update([&](Tensor& value) {
    if (value.shape() != by.shape())
      invalid("Cannot update variable '", v->name(), "' with shape ", value.shape().brackets(),
              " using a Tensor with shape ", by.shape().brackets(),
              ", shapes must be equal. [Op:", c.row.name, "]");
    const Tensor inputs[] = {gpu::copy_to(value, c.device), by};
    Tensor sum = Tensor::empty(value.dtype(), value.shape(), c.device);
    KernelContext inner{c.row, c.attrs, inputs, {&sum, 1}, c.device, c.stream};
    binary_kernel<F, T>(inner);
    value = sum;
  });
}

template <class F, class... Types>
void update(std::string_view op) {
  (on_gpu(op, bit_of(dtype_of<Types>), update_kernel<F, Types>), ...);
}

template <class F, class... Types>
void binary(std::string_view op) {
  (on_gpu(op, bit_of(dtype_of<Types>), binary_kernel<F, Types>), ...);
}

}  // namespace

FL_CUDA_KERNELS {
  binary<functors::Add, float, double, int32_t, int64_t>("AddV2");
  binary<functors::Sub, float, double, int32_t, int64_t>("Sub");
  binary<functors::Mul, float, double, int32_t, int64_t>("Mul");
  binary<functors::Div, float, double>("RealDiv");
  update<functors::Add, float, double, int32_t, int64_t>("AssignAddVariableOp");
  update<functors::Sub, float, double, int32_t, int64_t>("AssignSubVariableOp");
}

}  // namespace footlight::cuda
