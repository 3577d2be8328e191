// Kernels of reductions: any set of dimensions, along rows or down columns.
#include "kernels/cpu/reduce_row.h"

#include "engine/base/thread_pool.h"
#include "kernels/made_reduction.h"

#include <vector>

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

// Everything, or the outer part, is reduced: so many chunks first, then their results, in an order independent of the
// cores. 1: it is too small for that.
int64_t pieces_of(int64_t outer, int64_t total) {
  constexpr int64_t kPiece = 1 << 17;
  return std::max<int64_t>(1, std::min(outer, total / kPiece));
}

// The results of the pieces, so many elements each, into acc.
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
  join_pieces<Op>(parts, pieces, g.kept_count, acc);
}

// Rows of elements that are made a block at a time and then reduced, by the same steps as those of a tensor.
template <class Op, class T, class C>
class OfMade {
 public:
  OfMade(int64_t rows, int64_t length, const MadeElements& made) : rows_(rows), length_(length), made_(made) {}

  void reduce(C* acc) const {
    std::fill(acc, acc + rows_, Op::template start<C>());
    if (rows_ == 0 || length_ == 0) return;
    if (length_ > kBlock) long_rows(acc);
    else parallel_for(rows_, std::max<int64_t>(1, kGrain / length_), [&](int64_t b, int64_t e) { rows(b, e, acc); });
  }

 private:
  static constexpr int64_t kBlockBytes = 64 << 10, kBlock = kBlockBytes / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kGrain = 1 << 14;

  struct Block {
    alignas(64) std::byte memory[kBlockBytes];
  };
  const T* make(int64_t begin, int64_t end, Block& block) const {
    made_.make(made_.maker, begin, end, block.memory);
    return reinterpret_cast<const T*>(block.memory);
  }

  // Several rows in a block.
  void rows(int64_t begin, int64_t end, C* acc) const {
    Block block;
    Groups g;
    if (rows_ > 1) g.size[g.rank] = 0, g.reduced[g.rank++] = false;
    if (length_ > 1) g.size[g.rank] = length_, g.reduced[g.rank++] = true;
    for (const int64_t fit = kBlock / length_; begin < end; begin += fit) {
      const int64_t here = std::min(fit, end - begin);
      const T* in = make(begin * length_, (begin + here) * length_, block);
      if (rows_ > 1) g.size[0] = here;
      if (g.rank == 0) *acc = Op::join(*acc, static_cast<C>(*in));
      else reduce_group<Op>(g, 0, in, acc + begin, here * length_, here);
    }
  }

  // Rows longer than a block are halved, as they are in memory, until each part fits.
  struct Part {
    int64_t begin, n;
  };
  static void divide(int64_t begin, int64_t n, std::vector<Part>& parts) {
    if (n <= kBlock) return parts.push_back({begin, n});
    const int64_t half = half_of<C, T>(n);
    divide(begin, half, parts);
    divide(begin + half, n - half, parts);
  }
  static C join(int64_t n, const C*& next) {
    if (n <= kBlock) return *next++;
    const int64_t half = half_of<C, T>(n);
    const C first = join(half, next);
    return Op::join(first, join(n - half, next));
  }

  void long_rows(C* acc) const {
    const int64_t pieces = rows_ == 1 ? pieces_of(length_, length_) : 1;
    const auto start_of = [&](int64_t piece) { return length_ * piece / pieces; };
    std::vector<Part> parts;
    for (int64_t p = 0; p < pieces; ++p) divide(start_of(p), start_of(p + 1) - start_of(p), parts);
    const auto count = static_cast<int64_t>(parts.size());
    std::vector<C> results(static_cast<size_t>(rows_ * count));
    parallel_for(rows_ * count, 1, [&](int64_t begin, int64_t end) {
      Block block;
      for (int64_t i = begin; i < end; ++i) {
        const Part& part = parts[static_cast<size_t>(i % count)];
        const int64_t first = i / count * length_ + part.begin;
        results[static_cast<size_t>(i)] = reduce_row_as<Op, C>(make(first, first + part.n, block), part.n);
      }
    });
    const C* next = results.data();
    if (pieces == 1) {
      for (int64_t r = 0; r < rows_; ++r) acc[r] = Op::join(acc[r], join(length_, next));
      return;
    }
    std::vector<C> joined;
    for (int64_t p = 0; p < pieces; ++p)
      joined.push_back(Op::join(Op::template start<C>(), join(start_of(p + 1) - start_of(p), next)));
    join_pieces<Op>(joined.data(), pieces, 1, acc);
  }

  const int64_t rows_, length_;
  const MadeElements& made_;
};

// `reduce` fills a row of accumulators, which is the output itself if the types are the same.
template <class T, class C, class Reduce>
void through(T* out, int64_t elements, const Reduce& reduce) {
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
  through<T, C>(c.out<T>(), g.kept_count, [&](C* acc) { reduce<Op, T, C>(g, c.in<T>(0), acc); });
}
template <class Op, class T>
void reduce_made(int64_t rows, int64_t length, const MadeElements& made, void* out) {
  using C = Compute<T>;
  through<T, C>(static_cast<T*>(out), rows, [&](C* acc) { OfMade<Op, T, C>(rows, length, made).reduce(acc); });
}

// Integers are summed in 64 bits, so that a mean does not overflow.
template <class T>
using MeanOf = std::conditional_t<std::is_integral_v<T>,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, Compute<T>>;

// `reduce` fills a row of sums of so many elements each.
template <class T, class Reduce>
void mean_of(T* out, int64_t kept_count, int64_t reduced_count, const Reduce& reduce) {
  using C = MeanOf<T>;
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(kept_count) * sizeof(C));
  C* acc = static_cast<C*>(memory->data());
  reduce(acc);
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
  const Groups g = groups_of(c.inputs[0], c.inputs[1]);
  mean_of(c.out<T>(), g.kept_count, g.reduced_count,
          [&](MeanOf<T>* acc) { reduce<SumOf, T, MeanOf<T>>(g, c.in<T>(0), acc); });
}
template <class T>
void made_mean(int64_t rows, int64_t length, const MadeElements& made, void* out) {
  mean_of(static_cast<T*>(out), rows, length,
          [&](MeanOf<T>* acc) { OfMade<SumOf, T, MeanOf<T>>(rows, length, made).reduce(acc); });
}

void both_on_cpu(std::string_view op, DType dtype, Kernel kernel, MadeReduction made) {
  on_cpu(op, bit_of(dtype), kernel);
  register_made_reduction(op, bit_of(dtype), made);
}
template <class Op, class T>
void reduction_on_cpu(std::string_view op, DType dtype) {
  both_on_cpu(op, dtype, reduce_kernel<Op, T>, reduce_made<Op, T>);
}

// Sums and products wrap around the same, signed or unsigned.
template <class T>
using Unsigned = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class... Types>
void numbers() {
  (reduction_on_cpu<SumOf, Unsigned<Types>>("Sum", dtype_of<Types>), ...);
  (reduction_on_cpu<ProductOf, Unsigned<Types>>("Prod", dtype_of<Types>), ...);
  (both_on_cpu("Mean", dtype_of<Types>, mean<Types>, made_mean<Types>), ...);
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
  reduction_on_cpu<AllOf, uint8_t>("All", DType::kBool);  // as bytes
  reduction_on_cpu<AnyOf, uint8_t>("Any", DType::kBool);
}

}  // namespace FL_ISA
}  // namespace footlight
