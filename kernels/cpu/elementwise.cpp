// Drives all elementwise loops: over equal shapes and scalars directly, over other broadcasts row by row.
#include "kernels/cpu/elementwise.h"

#include "engine/base/thread_pool.h"

namespace footlight::FL_ISA {

namespace {

const char* at(const void* memory, int64_t bytes) { return static_cast<const char*>(memory) + bytes; }
char* at(void* memory, int64_t bytes) { return static_cast<char*>(memory) + bytes; }

// A broadcast in as few dimensions as possible, innermost first: adjacent ones with matching strides are merged.
struct MergedBroadcast {
  static constexpr int kMax = 32;
  int rank = 0;
  int64_t size[kMax];
  int64_t a[kMax];  // strides in elements; 0 where the input is broadcast
  int64_t b[kMax];
};

MergedBroadcast merge_broadcast(const Shape& a, const Shape& b, const Shape& out) {
  MergedBroadcast w;
  if (out.rank() > MergedBroadcast::kMax)
    invalid("tensors of more than ", MergedBroadcast::kMax, " dimensions cannot be broadcast");
  int64_t a_stride = 1;
  int64_t b_stride = 1;
  for (int i = out.rank() - 1; i >= 0; --i) {
    const int ai = i - (out.rank() - a.rank());
    const int bi = i - (out.rank() - b.rank());
    const int64_t an = ai >= 0 ? a[ai] : 1;
    const int64_t bn = bi >= 0 ? b[bi] : 1;
    const int64_t n = out[i];
    const int64_t as = an == 1 ? 0 : a_stride;
    const int64_t bs = bn == 1 ? 0 : b_stride;
    a_stride *= an;
    b_stride *= bn;
    if (n == 1) continue;
    if (w.rank) {
      const int last = w.rank - 1;
      const bool a_goes_on = as == w.a[last] * w.size[last];
      const bool b_goes_on = bs == w.b[last] * w.size[last];
      if (a_goes_on && b_goes_on) {
        w.size[last] *= n;
        continue;
      }
    }
    w.size[w.rank] = n;
    w.a[w.rank] = as;
    w.b[w.rank] = bs;
    ++w.rank;
  }
  if (w.rank == 0) {
    w.rank = 1;
    w.size[0] = 1;
    w.a[0] = w.b[0] = 1;
  }
  return w;
}

}  // namespace

void run_binary(KernelContext& c, BinaryLoop loop, size_t in_size, size_t out_size, int weight) {
  const Tensor& x = c.inputs[0];
  const Tensor& y = c.inputs[1];
  void* out = c.outputs[0].raw();
  const int64_t n = c.outputs[0].elements();
  const int64_t in = static_cast<int64_t>(in_size);
  const int64_t os = static_cast<int64_t>(out_size);
  if (n == 0) return;
  const bool same = x.shape() == y.shape();
  if (same || x.elements() == 1 || y.elements() == 1) {
    const int as = same || x.elements() != 1;
    const int bs = same || y.elements() != 1;
    parallel_for(n, kParallelElements / weight, [&](int64_t begin, int64_t end) {
      loop(at(x.raw(), as * begin * in), as, at(y.raw(), bs * begin * in), bs, at(out, begin * os), end - begin);
    });
    return;
  }
  const MergedBroadcast w = merge_broadcast(x.shape(), y.shape(), c.outputs[0].shape());
  const int64_t inner = w.size[0];
  const int64_t rows = n / inner;
  parallel_for(rows, std::max<int64_t>(1, kParallelElements / weight / inner), [&](int64_t begin, int64_t end) {
    int64_t index[MergedBroadcast::kMax];
    int64_t a = 0;
    int64_t b = 0;
    int64_t rest = begin;
    for (int d = 1; d < w.rank; ++d) {
      index[d] = rest % w.size[d];
      rest /= w.size[d];
      a += index[d] * w.a[d];
      b += index[d] * w.b[d];
    }
    for (int64_t row = begin; row < end; ++row) {
      loop(at(x.raw(), a * in), w.a[0] != 0, at(y.raw(), b * in), w.b[0] != 0, at(out, row * inner * os), inner);
      for (int d = 1; d < w.rank; ++d) {
        a += w.a[d];
        b += w.b[d];
        if (++index[d] < w.size[d]) break;
        a -= w.a[d] * w.size[d];
        b -= w.b[d] * w.size[d];
        index[d] = 0;
      }
    }
  });
}

void run_unary(KernelContext& c, UnaryLoop loop, size_t in_size, size_t out_size, int weight) {
  const void* in = c.inputs[0].raw();
  void* out = c.outputs[0].raw();
  parallel_for(c.outputs[0].elements(), kParallelElements / weight, [&](int64_t begin, int64_t end) {
    loop(at(in, begin * static_cast<int64_t>(in_size)), at(out, begin * static_cast<int64_t>(out_size)), end - begin);
  });
}

}  // namespace footlight::FL_ISA
