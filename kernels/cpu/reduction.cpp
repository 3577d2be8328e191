// Kernels of reductions: any set of dimensions, along rows or down columns.
#include "kernels/cpu/reduce_row.h"

#include "engine/base/thread_pool.h"

namespace footlight {
namespace FL_ISA {

namespace {

using functors::Compute;

// The dimensions as alternating runs of kept and reduced ones, outermost first; adjacent ones of a kind are merged.
struct Groups {
  static constexpr int kMost = 34;
  int rank = 0;
  int64_t size[kMost];
  bool reduced[kMost];
  int64_t kept_count = 1;
  int64_t reduced_count = 1;
};

Groups groups_of(const Tensor& input, const Tensor& axes) {
  const Shape& shape = input.shape();
  bool few[32] = {};
  std::unique_ptr<bool[]> many;
  if (shape.rank() > 32) many = std::make_unique<bool[]>(static_cast<size_t>(shape.rank()));
  bool* const reduced = many ? many.get() : few;
  for (int64_t k = 0; k < axes.elements(); ++k) {
    const int64_t axis = axes.dtype() == DType::kInt64 ? axes.data<int64_t>()[k] : axes.data<int32_t>()[k];
    reduced[axis < 0 ? axis + shape.rank() : axis] = true;
  }
  Groups g;
  for (int d = 0; d < shape.rank(); ++d) {
    (reduced[d] ? g.reduced_count : g.kept_count) *= shape[d];
    if (shape[d] == 1) continue;
    if (g.rank && g.reduced[g.rank - 1] == reduced[d]) {
      g.size[g.rank - 1] *= shape[d];
    } else {
      if (g.rank == Groups::kMost) invalid("tensors of more than 34 dimensions longer than 1 cannot be reduced");
      g.size[g.rank] = shape[d];
      g.reduced[g.rank++] = reduced[d];
    }
  }
  return g;
}

// Adds rows of one kept length into acc; four at a time, so that acc is loaded less often.
template <class Op, class T, class C>
[[gnu::noinline]] void reduce_columns(const T* in, C* __restrict__ acc, int64_t rows, int64_t columns) {
  if constexpr (!std::is_same_v<T, C>) {
    C block[kHalfBlock];
    for (int64_t at = 0; at < columns; at += kHalfBlock) {
      const int64_t here = std::min(kHalfBlock, columns - at);
      for (int64_t r = 0; r < rows; ++r) {
        convert_block(in + r * columns + at, block, here);
        for (int64_t i = 0; i < here; ++i) acc[at + i] = Op::join(acc[at + i], block[i]);
      }
    }
  } else {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T* a = in + r * columns;
      const T* b = a + columns;
      const T* c = b + columns;
      const T* d = c + columns;
#pragma GCC ivdep
      for (int64_t i = 0; i < columns; ++i)
        acc[i] = Op::join(acc[i], Op::join(Op::join(a[i], b[i]), Op::join(c[i], d[i])));
    }
    for (; r < rows; ++r)
      for (int64_t i = 0; i < columns; ++i) acc[i] = Op::join(acc[i], in[r * columns + i]);
  }
}

// The same in chunks: many rows by halves, for the error of a sum, and short rows several at once.
template <class Op, class T, class C>
[[gnu::noinline]] void reduce_rows_into(const T* in, C* acc, int64_t rows, int64_t columns) {
  constexpr int64_t kWide = 64;
  if (columns < kWide / 2 && rows * columns > 4 * kWide) {
    const int64_t times = kWide / columns;
    C wide[kWide];
    std::fill(wide, wide + kWide, Op::template start<C>());
    reduce_rows_into<Op>(in, wide, rows / times, times * columns);
    reduce_columns<Op>(wide, acc, times, columns);
    reduce_columns<Op>(in + rows / times * times * columns, acc, rows % times, columns);
    return;
  }
  constexpr int64_t kRowsAtOnce = 512;
  if (rows <= kRowsAtOnce || columns > 4096) {
    reduce_columns<Op>(in, acc, rows, columns);
    return;
  }
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(columns) * sizeof(C));
  C* part = static_cast<C*>(memory->data());
  const int64_t half = rows / 2;
  std::fill(part, part + columns, Op::template start<C>());
  reduce_rows_into<Op>(in, part, half, columns);
  reduce_rows_into<Op>(in + half * columns, acc, rows - half, columns);
  reduce_columns<Op>(part, acc, 1, columns);
}

// acc[i] of kCount elements each: short enough for the compiler to handle several i at once.
template <class Op, int kCount, class T, class C>
[[gnu::noinline]] void reduce_short_rows(const T* in, C* __restrict__ acc, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    C one = static_cast<C>(in[i * kCount]);
    for (int k = 1; k < kCount; ++k) one = Op::join(one, static_cast<C>(in[i * kCount + k]));
    acc[i] = Op::join(acc[i], one);
  }
}

// Reduces into `acc` (one element per kept position). Recursive over the groups.
template <class Op, class T, class C>
[[gnu::noinline]] void reduce_group(const Groups& g, int d, const T* in, C* acc, int64_t in_size, int64_t acc_size) {
  const int64_t n = g.size[d];
  const int64_t in_step = in_size / n;
  if (d + 1 == g.rank) {
    if (g.reduced[d]) *acc = Op::join(*acc, reduce_row_as<Op, C>(in, n));
    else reduce_columns<Op>(in, acc, 1, n);
    return;
  }
  if (d + 2 == g.rank) {
    if (g.reduced[d]) {
      reduce_rows_into<Op>(in, acc, n, in_step);
    } else if (std::is_arithmetic_v<T> && in_step <= 4) {
      if constexpr (std::is_arithmetic_v<T>) {
        if (in_step == 2) reduce_short_rows<Op, 2>(in, acc, n);
        else if (in_step == 3) reduce_short_rows<Op, 3>(in, acc, n);
        else reduce_short_rows<Op, 4>(in, acc, n);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) acc[i] = Op::join(acc[i], reduce_row_as<Op, C>(in + i * in_step, in_step));
    }
    return;
  }
  const int64_t acc_step = g.reduced[d] ? 0 : acc_size / n;
  const int64_t acc_below = g.reduced[d] ? acc_size : acc_step;
  for (int64_t i = 0; i < n; ++i)
    reduce_group<Op, T, C>(g, d + 1, in + i * in_step, acc + i * acc_step, in_step, acc_below);
}

template <class Op, class T, class C>
[[gnu::noinline]] void reduce(const Groups& g, const T* in, C* acc) {
  std::fill(acc, acc + g.kept_count, Op::template start<C>());
  if (g.reduced_count == 0 || g.kept_count == 0) return;
  const int64_t total = g.kept_count * g.reduced_count;
  if (g.rank == 0) {
    *acc = Op::join(*acc, static_cast<C>(*in));
    return;
  }
  if (!g.reduced[0]) {
    const int64_t step = total / g.size[0];
    const int64_t acc_step = g.kept_count / g.size[0];
    parallel_for(g.size[0], std::max<int64_t>(1, (1 << 15) / step), [&](int64_t begin, int64_t end) {
      Groups part = g;
      part.size[0] = end - begin;
      reduce_group<Op, T, C>(part, 0, in + begin * step, acc + begin * acc_step, (end - begin) * step,
                             (end - begin) * acc_step);
    });
    return;
  }
  // Everything, or the outer part, is reduced: chunks first, then their results, in an order independent of the cores.
  constexpr int64_t kPiece = 1 << 17;
  const int64_t pieces = std::min<int64_t>(g.size[0], total / kPiece);
  if (pieces < 2 || g.kept_count > 4096) {
    reduce_group<Op, T, C>(g, 0, in, acc, total, g.kept_count);
    return;
  }
  const int64_t step = total / g.size[0];
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(pieces * g.kept_count) * sizeof(C));
  C* parts = static_cast<C*>(memory->data());
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = g.size[0] * p / pieces;
      Groups part = g;
      part.size[0] = g.size[0] * (p + 1) / pieces - first;
      std::fill(parts + p * g.kept_count, parts + (p + 1) * g.kept_count, Op::template start<C>());
      reduce_group<Op, T, C>(part, 0, in + first * step, parts + p * g.kept_count, part.size[0] * step, g.kept_count);
    }
  });
  for (int64_t step_size = 1; step_size < pieces; step_size *= 2)
    for (int64_t p = 0; p + step_size < pieces; p += 2 * step_size)
      for (int64_t i = 0; i < g.kept_count; ++i)
        parts[p * g.kept_count + i] = Op::join(parts[p * g.kept_count + i], parts[(p + step_size) * g.kept_count + i]);
  for (int64_t i = 0; i < g.kept_count; ++i) acc[i] = Op::join(acc[i], parts[i]);
}

// Runs `finish(acc, out)` on a row of accumulators, which is the output itself if the types are the same.
template <class Op, class T>
void reduce_kernel(KernelContext& c) {
  using C = Compute<T>;
  const Groups g = groups_of(c.inputs[0], c.inputs[1]);
  if constexpr (std::is_same_v<C, T>) {
    reduce<Op, T, C>(g, c.in<T>(0), c.out<T>());
  } else {
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(g.kept_count) * sizeof(C));
    C* acc = static_cast<C*>(memory->data());
    reduce<Op, T, C>(g, c.in<T>(0), acc);
    for (int64_t i = 0; i < g.kept_count; ++i) c.out<T>()[i] = static_cast<T>(acc[i]);
  }
}

// Integers are summed in 64 bits, so that a mean does not overflow.
template <class T>
void mean(KernelContext& c) {
  using C = std::conditional_t<std::is_integral_v<T>,
                               std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, Compute<T>>;
  const Groups g = groups_of(c.inputs[0], c.inputs[1]);
  T* out = c.out<T>();
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(g.kept_count) * sizeof(C));
  C* acc = static_cast<C*>(memory->data());
  reduce<SumOf, T, C>(g, c.in<T>(0), acc);
  for (int64_t i = 0; i < g.kept_count; ++i) {
    if (functors::is_complex_v<T> && g.reduced_count == 0) {
      out[i] = T(0);
    } else if constexpr (std::is_integral_v<T>) {
      out[i] = g.reduced_count ? static_cast<T>(acc[i] / static_cast<C>(g.reduced_count)) : T(0);
    } else {
      out[i] = static_cast<T>(acc[i] / static_cast<C>(static_cast<Compute<T>>(static_cast<float>(g.reduced_count))));
    }
  }
}

// Sums and products wrap around the same, signed or unsigned.
template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class... Types>
void numbers() {
  (on_cpu("Sum", bit_of(dtype_of<Types>), reduce_kernel<SumOf, Unsigned<Types>>), ...);
  (on_cpu("Prod", bit_of(dtype_of<Types>), reduce_kernel<ProductOf, Unsigned<Types>>), ...);
  (on_cpu("Mean", bit_of(dtype_of<Types>), mean<Types>), ...);
}
template <class... Types>
void extremes() {
  (on_cpu("Max", bit_of(dtype_of<Types>), reduce_kernel<LargestOf, Types>), ...);
  (on_cpu("Min", bit_of(dtype_of<Types>), reduce_kernel<SmallestOf, Types>), ...);
}

}  // namespace

#define FL_REAL \
  float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

FL_CPU_KERNELS {
  numbers<FL_REAL, std::complex<float>, std::complex<double>>();
  extremes<FL_REAL>();
  on_cpu("All", bit_of(DType::kBool), reduce_kernel<AllOf, uint8_t>);  // as bytes
  on_cpu("Any", bit_of(DType::kBool), reduce_kernel<AnyOf, uint8_t>);
}

}  // namespace FL_ISA
}  // namespace footlight
