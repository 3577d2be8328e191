// Kernels of reductions: any set of dimensions, along rows or down columns.
#include "kernels/cpu/reduce_row.h"

#include "engine/base/thread_pool.h"

namespace footlight::FL_ISA {

namespace {

using functors::Compute;
using namespace reduction_order;

// The dimensions as alternating runs of kept and reduced ones, outermost first; adjacent ones of a kind are merged.
struct Groups {
  static constexpr int kMax = 34;
  int rank = 0;
  int64_t size[kMax];
  bool reduced[kMax];
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
      if (g.rank == Groups::kMax) invalid("tensors of more than 34 dimensions longer than 1 cannot be reduced");
      g.size[g.rank] = shape[d];
      g.reduced[g.rank++] = reduced[d];
    }
  }
  return g;
}

// Adds rows of one kept length, `stride` apart, into acc; four at a time, so that acc is loaded less often.
template <class Op, class T, class C>
[[gnu::noinline]] void reduce_strided(const T* in, int64_t stride, C* __restrict__ acc, int64_t rows,
                                      int64_t columns) {
  if constexpr (!std::is_same_v<T, C>) {
    C block[kHalfBlock];
    for (int64_t at = 0; at < columns; at += kHalfBlock) {
      const int64_t here = std::min(kHalfBlock, columns - at);
      for (int64_t r = 0; r < rows; ++r) {
        convert_block(in + r * stride + at, block, here);
        for (int64_t i = 0; i < here; ++i) acc[at + i] = Op::join(acc[at + i], block[i]);
      }
    }
  } else {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const T* a = in + r * stride;
      const T* b = a + stride;
      const T* c = b + stride;
      const T* d = c + stride;
#pragma GCC ivdep
      for (int64_t i = 0; i < columns; ++i)
        acc[i] = Op::join(acc[i], Op::join(Op::join(a[i], b[i]), Op::join(c[i], d[i])));
    }
    for (; r < rows; ++r)
      for (int64_t i = 0; i < columns; ++i) acc[i] = Op::join(acc[i], in[r * stride + i]);
  }
}
template <class Op, class T, class C>
void reduce_columns(const T* in, C* acc, int64_t rows, int64_t columns) {
  reduce_strided<Op>(in, columns, acc, rows, columns);
}

// Adds rows in chunks: many rows by halves, for a smaller error of the sum, and several short rows at once.
template <class Op, class T, class C>
[[gnu::noinline]] void reduce_rows_into(const T* in, C* acc, int64_t rows, int64_t columns) {
  if (folds_rows(rows, columns)) {
    const int64_t times = kWide / columns;
    C wide[kWide];
    std::fill(wide, wide + kWide, Op::template start<C>());
    reduce_rows_into<Op>(in, wide, rows / times, times * columns);
    reduce_columns<Op>(wide, acc, times, columns);
    reduce_columns<Op>(in + rows / times * times * columns, acc, rows % times, columns);
    return;
  }
  if (!splits_rows(rows, columns)) {
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

// Reduces kCount elements for each acc[i], few enough for the compiler to handle several i at once.
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

// Joins the results of the pieces, `elements` each, pairwise and into acc.
template <class Op, class C>
void join_pieces(C* parts, int64_t pieces, int64_t elements, C* acc) {
  for (int64_t step = 1; step < pieces; step *= 2)
    for (int64_t p = 0; p + step < pieces; p += 2 * step)
      for (int64_t i = 0; i < elements; ++i)
        parts[p * elements + i] = Op::join(parts[p * elements + i], parts[(p + step) * elements + i]);
  for (int64_t i = 0; i < elements; ++i) acc[i] = Op::join(acc[i], parts[i]);
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
  const int64_t pieces = pieces_of(g.size[0], total);
  if (pieces < 2 || g.kept_count > kMaxPieceAccumulators) {
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
  join_pieces<Op>(parts, pieces, g.kept_count, acc);
}

// `reduce` fills a row of accumulators, which is the output itself if the types are the same.
template <class T, class C, class Reduce>
void with_accumulators(T* out, int64_t elements, const Reduce& reduce) {
  if constexpr (std::is_same_v<C, T>) {
    reduce(out);
  } else {
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(elements) * sizeof(C));
    C* acc = static_cast<C*>(memory->data());
    reduce(acc);
    for (int64_t i = 0; i < elements; ++i) out[i] = static_cast<T>(acc[i]);
  }
}

template <class Op, class T>
void reduce_kernel(KernelContext& c) {
  using C = Compute<T>;
  const Groups g = groups_of(c.inputs[0], c.inputs[1]);
  with_accumulators<T, C>(c.out<T>(), g.kept_count, [&](C* acc) { reduce<Op, T, C>(g, c.in<T>(0), acc); });
}

// Integers are summed in 64 bits, so that a mean does not overflow.
template <class T>
using MeanOf = std::conditional_t<std::is_integral_v<T>,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, Compute<T>>;

// Computes means from sums of this many elements each.
template <class T>
void divide_sums(const MeanOf<T>* acc, int64_t kept_count, int64_t reduced_count, T* out) {
  using C = MeanOf<T>;
  for (int64_t i = 0; i < kept_count; ++i) {
    if (functors::is_complex_v<T> && reduced_count == 0) {
      out[i] = T(0);
    } else if constexpr (std::is_integral_v<T>) {
      out[i] = reduced_count ? static_cast<T>(acc[i] / static_cast<C>(reduced_count)) : T(0);
    } else {
      out[i] = static_cast<T>(acc[i] / static_cast<C>(static_cast<Compute<T>>(static_cast<float>(reduced_count))));
    }
  }
}
template <class T>
void mean(KernelContext& c) {
  using C = MeanOf<T>;
  const Groups g = groups_of(c.inputs[0], c.inputs[1]);
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(g.kept_count) * sizeof(C));
  C* acc = static_cast<C*>(memory->data());
  reduce<SumOf, T, C>(g, c.in<T>(0), acc);
  divide_sums<T>(acc, g.kept_count, g.reduced_count, c.out<T>());
}

// The kernel's steps as a StreamedReduction, for elements that are computed while they are reduced.
template <class Op, class T, class C>
StreamedReduction made() {
  StreamedReduction made;
  made.halving = kHalving<C, T>;
  made.accumulator_size = sizeof(C);
  made.start = [](void* to, int64_t n) { std::fill_n(static_cast<C*>(to), n, Op::template start<C>()); };
  made.row = [](const void* in, int64_t length, void* to) {
    *static_cast<C*>(to) = reduce_row_as<Op, C>(static_cast<const T*>(in), length);
  };
  made.rows = [](const void* in, int64_t rows, int64_t length, void* to) {
    Groups g;
    g.size[g.rank] = rows, g.reduced[g.rank++] = false;
    if (length > 1) g.size[g.rank] = length, g.reduced[g.rank++] = true;
    reduce_group<Op>(g, 0, static_cast<const T*>(in), static_cast<C*>(to), rows * length, rows);
  };
  made.columns = [](const void* in, int64_t stride, int64_t rows, int64_t columns, void* to) {
    reduce_strided<Op>(static_cast<const T*>(in), stride, static_cast<C*>(to), rows, columns);
  };
  made.join = [](void* to, const void* more, int64_t rows, int64_t columns) {
    reduce_columns<Op>(static_cast<const C*>(more), static_cast<C*>(to), rows, columns);
  };
  made.finish = [](const void* from, int64_t n, int64_t, void* out) {
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = static_cast<T>(static_cast<const C*>(from)[i]);
  };
  return made;
}

void both_on_cpu(std::string_view op, DType dtype, Kernel kernel, const StreamedReduction& made) {
  on_cpu(op, bit_of(dtype), kernel);
  register_streamed_reduction(op, bit_of(dtype), made);
}
template <class Op, class T>
void reduction_on_cpu(std::string_view op, DType dtype) {
  both_on_cpu(op, dtype, reduce_kernel<Op, T>, made<Op, T, Compute<T>>());
}
template <class T>
void mean_on_cpu() {
  StreamedReduction sums = made<SumOf, T, MeanOf<T>>();
  sums.finish = [](const void* from, int64_t n, int64_t reduced, void* out) {
    divide_sums<T>(static_cast<const MeanOf<T>*>(from), n, reduced, static_cast<T*>(out));
  };
  both_on_cpu("Mean", dtype_of<T>, mean<T>, sums);
}

// Sums and products wrap around the same, signed or unsigned.
template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class... Types>
void numbers() {
  (reduction_on_cpu<SumOf, Unsigned<Types>>("Sum", dtype_of<Types>), ...);
  (reduction_on_cpu<ProductOf, Unsigned<Types>>("Prod", dtype_of<Types>), ...);
  (mean_on_cpu<Types>(), ...);
}
template <class... Types>
void extremes() {
  (reduction_on_cpu<LargestOf, Types>("Max", dtype_of<Types>), ...);
  (reduction_on_cpu<SmallestOf, Types>("Min", dtype_of<Types>), ...);
}

}  // namespace

#define FL_REAL \
  float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

FL_CPU_KERNELS {
  numbers<FL_REAL, std::complex<float>, std::complex<double>>();
  extremes<FL_REAL>();
  reduction_on_cpu<AllOf, uint8_t>("All", DType::kBool);  // the elements are bytes
  reduction_on_cpu<AnyOf, uint8_t>("Any", DType::kBool);
}

}  // namespace footlight::FL_ISA
