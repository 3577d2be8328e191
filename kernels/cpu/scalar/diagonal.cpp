// Kernels of diagonals. Those that only move data are dispatched by element size.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

struct Wide {
  uint64_t half[2];
};

// Calls body(T{}) with a type of the size of the dtype's elements.
template <class Body>
void by_size(DType dtype, Body&& body) {
  switch (size_of(dtype)) {
    case 1: return body(uint8_t{});
    case 2: return body(uint16_t{});
    case 4: return body(uint32_t{});
    case 8: return body(uint64_t{});
    default: return body(Wide{});
  }
}

int64_t integer_of(const Tensor& t, int64_t at = 0) {
  return t.dtype() == DType::kInt64 ? t.data<int64_t>()[at] : t.data<int32_t>()[at];
}

constexpr int64_t kWorthAThread = 1 << 16;

template <class T>
void fill_all(T* out, int64_t n, T value) {
  parallel_for(n, kWorthAThread, [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, value); });
}

struct Diagonals {
  int64_t low, high, longest;
  bool left_above, left_below;
  // The offset of diagonal d within its row of the packed form.
  int64_t offset(int64_t d, int64_t rows, int64_t columns) const {
    const bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : longest - length(d, rows, columns);
  }
  static int64_t length(int64_t d, int64_t rows, int64_t columns) {
    return std::min(columns - std::max<int64_t>(d, 0), rows + std::min<int64_t>(d, 0));
  }
};

Diagonals diagonals_of(const KernelContext& c, const Tensor& k, const Shape& packed) {
  const std::string align = c.attrs.get_or("align"_attr, std::string("RIGHT_LEFT"));
  return {integer_of(k), integer_of(k, k.elements() - 1), packed[packed.rank() - 1], align.starts_with("LEFT"),
          align.ends_with("LEFT")};
}

// body(diagonal's row in the packed form, its offset there, its length, the first element's row and column)
template <class Body>
void for_diagonals(const Diagonals& k, int64_t rows, int64_t columns, Body&& body) {
  for (int64_t d = k.high; d >= k.low; --d) {
    const int64_t n = Diagonals::length(d, rows, columns);
    if (n > 0) body(k.high - d, k.offset(d, rows, columns), n, std::max<int64_t>(-d, 0), std::max<int64_t>(d, 0));
  }
}

// The matrices of `shape`, copied from or to their diagonals in packed form.
template <class T, bool kIntoMatrix>
void move_diagonals(const Diagonals& k, const Shape& shape, T* matrix, T* packed) {
  const int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  const int64_t size = rows * columns, packed_size = (k.high - k.low + 1) * k.longest;
  const int64_t batches = size ? shape.elements() / size : 0;
  for (int64_t b = 0; b < batches; ++b, matrix += size, packed += packed_size)
    for_diagonals(k, rows, columns, [&](int64_t row, int64_t offset, int64_t n, int64_t i, int64_t j) {
      T* in_packed = packed + row * k.longest + offset;
      T* in_matrix = matrix + i * columns + j;
      for (int64_t e = 0; e < n; ++e) {
        if (kIntoMatrix) in_matrix[e * (columns + 1)] = in_packed[e];
        else in_packed[e] = in_matrix[e * (columns + 1)];
      }
    });
}

void diag(KernelContext& c) {
  const Diagonals k = diagonals_of(c, c.inputs[1], c.inputs[0].shape());
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    fill_all(c.out<T>(), c.outputs[0].elements(), *c.in<T>(4));
    move_diagonals<T, true>(k, c.outputs[0].shape(), c.out<T>(), const_cast<T*>(c.in<T>(0)));
  });
}

void diag_part(KernelContext& c) {
  const Diagonals k = diagonals_of(c, c.inputs[1], c.outputs[0].shape());
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    fill_all(c.out<T>(), c.outputs[0].elements(), *c.in<T>(2));
    move_diagonals<T, false>(k, c.inputs[0].shape(), const_cast<T*>(c.in<T>(0)), c.out<T>());
  });
}

void set_diag(KernelContext& c) {
  const Diagonals k = diagonals_of(c, c.inputs[2], c.inputs[1].shape());
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    std::copy_n(c.in<T>(0), c.outputs[0].elements(), c.out<T>());
    move_diagonals<T, true>(k, c.outputs[0].shape(), c.out<T>(), const_cast<T*>(c.in<T>(1)));
  });
}

void band(KernelContext& c) {
  const Shape& s = c.outputs[0].shape();
  const int64_t rows = s[s.rank() - 2], columns = s[s.rank() - 1];
  const int64_t lower = integer_of(c.inputs[1]), upper = integer_of(c.inputs[2]);
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    const int64_t lines = columns ? c.outputs[0].elements() / columns : 0;
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(1, columns));
    parallel_for(lines, grain, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line) {
        const int64_t i = line % rows;
        const int64_t begin = lower < 0 ? 0 : std::clamp<int64_t>(i - lower, 0, columns);
        const int64_t end = upper < 0 ? columns : std::clamp<int64_t>(i + upper + 1, begin, columns);
        const T* in = c.in<T>(0) + line * columns;
        T* out = c.out<T>() + line * columns;
        std::fill(out, out + begin, T{});
        std::copy(in + begin, in + end, out + begin);
        std::fill(out + end, out + columns, T{});
      }
    });
  });
}

void tensor_diag(KernelContext& c) {
  const int64_t n = c.inputs[0].elements();
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    std::fill_n(c.out<T>(), n * n, T{});
    for (int64_t i = 0; i < n; ++i) c.out<T>()[i * (n + 1)] = c.in<T>(0)[i];
  });
}

void tensor_diag_part(KernelContext& c) {
  const int64_t n = c.outputs[0].elements();
  by_size(c.outputs[0].dtype(), [&](auto type) {
    using T = decltype(type);
    for (int64_t i = 0; i < n; ++i) c.out<T>()[i] = c.in<T>(0)[i * (n + 1)];
  });
}

// A difference of two products. Integers wrap around.
template <class T>
T minor(T a, T b, T c, T d) {
  if constexpr (std::is_integral_v<T>) {
    const auto wide = [](T x) { return static_cast<uint64_t>(x); };
    return static_cast<T>(wide(a) * wide(b) - wide(c) * wide(d));
  } else {
    return static_cast<T>(a * b - c * d);
  }
}

template <class T>
void cross(KernelContext& c) {
  const T* a = c.in<T>(0);
  const T* b = c.in<T>(1);
  T* out = c.out<T>();
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; i += 3, a += 3, b += 3, out += 3) {
    out[0] = minor(a[1], b[2], a[2], b[1]);
    out[1] = minor(a[2], b[0], a[0], b[2]);
    out[2] = minor(a[0], b[1], a[1], b[0]);
  }
}

template <class... Types>
void crosses() { (on_cpu("Cross", bit_of(dtype_of<Types>), cross<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  on_cpu("MatrixDiagV3", kPlainTypes, diag);
  on_cpu("MatrixDiagPartV3", kPlainTypes, diag_part);
  on_cpu("MatrixSetDiagV3", kPlainTypes, set_diag);
  on_cpu("MatrixBandPart", kPlainTypes, band);
  on_cpu("Diag", kPlainTypes, tensor_diag);
  on_cpu("DiagPart", kPlainTypes, tensor_diag_part);
  crosses<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
          uint64_t>();
}

}  // namespace footlight::FL_ISA
