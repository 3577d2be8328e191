// Expresses row-major products, batched and broadcast, in cuBLASLt's terms. No CUDA here: tested on the host.
#include "kernels/cuda/product_plan.h"

#include <algorithm>

namespace footlight::cuda {
namespace {

int64_t batches_of(const Shape& s) {
  int64_t count = 1;
  for (int i = 0; i < s.rank() - 2; ++i) count *= s[i];
  return count;
}

bool same_batches(const Shape& s, const Shape& out) {
  return s.rank() == out.rank() && std::equal(s.dims().begin(), s.dims().end() - 2, out.dims().begin());
}

// Offset of the matrix of `s` that corresponds to matrix `index` of the broadcast batch.
int64_t offset_of(const Shape& s, const Shape& out, int64_t index) {
  int64_t at = 0, stride = s[s.rank() - 1] * s[s.rank() - 2];
  for (int d = out.rank() - 3; d >= 0; --d) {
    const int64_t here = index % out[d];
    index /= out[d];
    const int sd = d - (out.rank() - s.rank());
    if (sd < 0) continue;
    if (s[sd] != 1) at += here * stride;
    stride *= s[sd];
  }
  return at;
}

}  // namespace

ProductPlan plan_product(const Shape& a, const Shape& b, const Shape& out, bool transpose_a, bool transpose_b) {
  ProductPlan p;
  const int64_t a_rows = a[a.rank() - 2], a_columns = a[a.rank() - 1];
  const int64_t b_rows = b[b.rank() - 2], b_columns = b[b.rank() - 1];
  p.m = out[out.rank() - 2];
  p.n = out[out.rank() - 1];
  p.depth = transpose_a ? a_rows : a_columns;
  p.first = {b_columns, b_rows, std::max<int64_t>(b_columns, 1), transpose_b, 0};
  p.second = {a_columns, a_rows, std::max<int64_t>(a_columns, 1), transpose_a, 0};
  p.out = {p.n, p.m, std::max<int64_t>(p.n, 1), false, 0};

  const int64_t batches = batches_of(out);
  if (batches <= 1) return p;
  const bool a_steps = same_batches(a, out), a_stays = batches_of(a) == 1;
  const bool b_steps = same_batches(b, out), b_stays = batches_of(b) == 1;
  if ((a_steps || a_stays) && (b_steps || b_stays)) {
    p.batch = batches;
    p.first.stride = b_stays ? 0 : b_rows * b_columns;
    p.second.stride = a_stays ? 0 : a_rows * a_columns;
    p.out.stride = p.m * p.n;
    return p;
  }
  for (int64_t i = 0; i < batches; ++i)
    p.singles.push_back({offset_of(a, out, i), offset_of(b, out, i), i * p.m * p.n});
  return p;
}

}  // namespace footlight::cuda
