// Kernels that select by conditions: where(condition) and where(condition, x, y).
#include "engine/base/thread_pool.h"
#include "kernels/cpu/elements.h"
#include "kernels/cpu/loop.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

// Finds the positions in chunks: counts them first, then writes them. A chunk's positions are collected in a block
// without a branch.
template <class T>
void where(KernelContext& c) {
  const T* in = c.in<T>(0);
  const Shape shape = c.inputs[0].shape();
  const int rank = shape.rank();
  const int64_t n = c.inputs[0].elements();
  constexpr int64_t kPiece = 1 << 15, kBlock = 512;
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  std::vector<int64_t> starts(static_cast<size_t>(pieces) + 1, 0);
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int32_t count = 0;
      for (int64_t i = p * kPiece, stop = std::min(n, i + kPiece); i < stop; ++i) count += in[i] != T(0);
      starts[static_cast<size_t>(p) + 1] = count;
    }
  });
  for (size_t p = 0; p < static_cast<size_t>(pieces); ++p) starts[p + 1] += starts[p];
  int64_t* out = c.set_output(0, DType::kInt64, Shape{starts.back(), rank}).template data<int64_t>();
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    int64_t found[kBlock];
    for (int64_t p = begin; p < end; ++p) {
      int64_t* to = out + starts[static_cast<size_t>(p)] * rank;
      for (int64_t at = p * kPiece, stop = std::min(n, at + kPiece); at < stop; at += kBlock) {
        int64_t count = 0;
        for (int64_t i = at, block_end = std::min(stop, at + kBlock); i < block_end; ++i) {
          found[count] = i;
          count += in[i] != T(0);
        }
        if (rank == 1) {
          std::copy(found, found + count, to);
          to += count;
          continue;
        }
        for (int64_t k = 0; k < count; ++k, to += rank) {
          int64_t rest = found[k];
          for (int d = rank - 1; d >= 0; --d) {
            to[d] = rest % shape[d];
            rest /= shape[d];
          }
        }
      }
    }
  });
}

struct Element16 {
  int64_t halves[2];
};

// Selects bitwise, because a branch per element would often be mispredicted. The condition is a byte, 0 or 1: loops
// over bool do not vectorise.
template <class T>
T pick(uint8_t condition, T t, T e) {
  const T mask = static_cast<T>(-static_cast<T>(condition));
  return static_cast<T>((t & mask) | (e & static_cast<T>(~mask)));
}
Element16 pick(uint8_t condition, Element16 t, Element16 e) { return condition ? t : e; }
std::string pick(uint8_t condition, const std::string& t, const std::string& e) { return condition ? t : e; }

// Dispatches by element size alone.
template <class T>
void choose(const uint8_t* condition, int64_t cs, const T* t, int64_t ts, const T* e, int64_t es, T* out, int64_t n) {
  if (cs != 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = pick(condition[i * cs], t[i * ts], e[i * es]);
    return;
  }
  // A loop for each way to step, because a step that is not known does not vectorise.
  if (ts == 1 && es == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = pick(condition[i], t[i], e[i]);
  } else if (ts == 1) {
    const T other = *e;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = pick(condition[i], t[i], other);
  } else if (es == 1) {
    const T each = *t;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = pick(condition[i], each, e[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = pick(condition[i], *t, *e);
  }
}

template <class T>
void select(KernelContext& c) {
  const uint8_t* condition = static_cast<const uint8_t*>(c.inputs[0].raw());
  const T* t = static_cast<const T*>(c.inputs[1].raw());
  const T* e = static_cast<const T*>(c.inputs[2].raw());
  T* out = static_cast<T*>(c.outputs[0].raw());
  const Shape& shape = c.outputs[0].shape();
  const int64_t n = c.outputs[0].elements();
  if (n == 0) return;
  bool plain[3];
  for (size_t k = 0; k < 3; ++k) plain[k] = c.inputs[k].shape() == shape;
  if ((plain[0] || c.inputs[0].elements() == 1) && (plain[1] || c.inputs[1].elements() == 1) &&
      (plain[2] || c.inputs[2].elements() == 1)) {
    parallel_for(n, 1 << 15, [&](int64_t begin, int64_t end) {
      choose(condition + plain[0] * begin, plain[0], t + plain[1] * begin, plain[1], e + plain[2] * begin, plain[2],
             out + begin, end - begin);
    });
    return;
  }
  std::vector<int64_t> strides[3];
  const auto rank = static_cast<size_t>(shape.rank());
  for (size_t k = 0; k < 3; ++k) {
    const Shape& s = c.inputs[k].shape();
    strides[k].assign(rank, 0);
    int64_t stride = 1;
    for (int d = s.rank() - 1; d >= 0; --d) {
      if (s[d] != 1) strides[k][static_cast<size_t>(d + shape.rank() - s.rank())] = stride;
      stride *= s[d];
    }
  }
  const int64_t inner = shape[shape.rank() - 1];
  parallel_for(n / inner, std::max<int64_t>(1, (1 << 15) / inner), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t at[3] = {0, 0, 0};
      int64_t rest = row;
      for (int d = shape.rank() - 2; d >= 0; --d) {
        const int64_t here = rest % shape[d];
        rest /= shape[d];
        for (size_t k = 0; k < 3; ++k) at[k] += here * strides[k][static_cast<size_t>(d)];
      }
      choose(condition + at[0], strides[0][rank - 1], t + at[1], strides[1][rank - 1], e + at[2], strides[2][rank - 1],
             out + row * inner, inner);
    }
  });
}

template <class T>
void select_loop(const void* condition, int cs, const void* t, int ts, const void* e, int es, void* out, int64_t n) {
  choose(static_cast<const uint8_t*>(condition), cs, static_cast<const T*>(t), ts, static_cast<const T*>(e), es,
         static_cast<T*>(out), n);
}

void select_plain(KernelContext& c) {
  switch (size_of(c.inputs[1].dtype())) {
    case 1: select<uint8_t>(c); break;
    case 2: select<uint16_t>(c); break;
    case 4: select<uint32_t>(c); break;
    case 8: select<uint64_t>(c); break;
    default: select<Element16>(c); break;
  }
}

// Dispatches by element size, because elements of one size are moved in the same way.
template <class T>
using Moved = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 8, uint64_t, Element16>>>>;

template <class... Types>
void typed() {
  (on_cpu("SelectV2", bit_of(dtype_of<Types>), select_plain, {select_loop<Moved<Types>>, 1}), ...);
  (on_cpu("Where", bit_of(dtype_of<Types>), where<Types>), ...);
}
}  // namespace

FL_CPU_KERNELS {
  typed<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
        Float16, BFloat16, std::complex<float>, std::complex<double>>();
  on_cpu("SelectV2", bit_of(DType::kString), select<std::string>);
}

}  // namespace footlight::FL_ISA
