// The blocked product behind gemm.h: panels of b are packed once for all, strips of a by the thread that multiplies
// them, and a tile of sums stays in registers over a whole depth block.
#include "kernels/cpu/gemm.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/vector.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

namespace footlight {
namespace FL_ISA {

namespace {

// A tile is kRows rows by two vectors of sums: as many as fit the registers beside two vectors of b and one of a.
template <class T>
struct Tile {
  static constexpr int64_t kVector = VectorOf<T>::kLength;
  static constexpr int64_t kColumns = 2 * kVector;
  static constexpr int64_t kRows = kVectorRegisters == 32 ? 14 : 6;
  static constexpr int64_t kDepth = 1024 / static_cast<int64_t>(sizeof(T));
  // The rows of a strip are padded by a cache line, so that they do not map to the same cache sets.
  static constexpr int64_t kStride = kDepth + 64 / static_cast<int64_t>(sizeof(T));
};

// out = or += or -= a * b for kRowsHere rows and kVectors vectors of columns.
template <class T, int kRowsHere, int kVectors>
void tile(const T* a, const T* b, int64_t b_row, T* out, int64_t out_row, int64_t depth, int64_t columns, Into into) {
  constexpr int64_t kV = Tile<T>::kVector;
  Vector<T> sums[kRowsHere][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRowsHere; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = Vector<T>{};
      __builtin_prefetch(out + r * out_row + v * kV, 1);
    }
#pragma GCC unroll 1
  for (int64_t k = 0; k < depth; ++k) {
    Vector<T> row[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) row[v] = load(b + k * b_row + v * kV);
#pragma GCC unroll 16
    for (int r = 0; r < kRowsHere; ++r) {
      const Vector<T> x = a[r * Tile<T>::kStride + k] - Vector<T>{};
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] += row[v] * x;
    }
  }
  if (columns == kVectors * kV) {
#pragma GCC unroll 16
    for (int r = 0; r < kRowsHere; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        T* to = out + r * out_row + v * kV;
        store(to, into == Into::kSet ? sums[r][v] : into == Into::kAdd ? load(to) + sums[r][v] : load(to) - sums[r][v]);
      }
    return;
  }
  T values[kRowsHere][kVectors * kV];
#pragma GCC unroll 16
  for (int r = 0; r < kRowsHere; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store(values[r] + v * kV, sums[r][v]);
  for (int r = 0; r < kRowsHere; ++r)
    for (int64_t j = 0; j < columns; ++j) {
      T& to = out[r * out_row + j];
      to = into == Into::kSet ? values[r][j] : into == Into::kAdd ? to + values[r][j] : to - values[r][j];
    }
}

template <class T>
using TileFunction = void (*)(const T*, const T*, int64_t, T*, int64_t, int64_t, int64_t, Into);

template <class T, int... kIndex>
TileFunction<T> choose_tile(int64_t rows, bool wide, std::integer_sequence<int, kIndex...>) {
  static constexpr TileFunction<T> kNarrow[] = {tile<T, kIndex + 1, 1>...};
  static constexpr TileFunction<T> kWide[] = {tile<T, kIndex + 1, 2>...};
  return wide ? kWide[rows - 1] : kNarrow[rows - 1];
}
template <class T>
TileFunction<T> tile_for(int64_t rows, int64_t columns) {
  return choose_tile<T>(rows, columns > Tile<T>::kVector, std::make_integer_sequence<int, int(Tile<T>::kRows)>());
}

int64_t pieces(int64_t whole, int64_t most) { return (whole + most - 1) / most; }

// The first `count` elements of a partial vector, padded with zeros.
template <class T>
Vector<T> load_part(const T* from, int64_t count) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    const __m512 v = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from);
    return reinterpret_cast<const Vector<T>&>(v);
  }
#endif
  Vector<T> v{};
  for (int64_t i = 0; i < count; ++i) v[i] = from[i];
  return v;
}

// to[r * stride + c] = element (row + r, column + c), for r < rows and c < columns.
template <class T>
void copy_block(const Matrix<T>& m, int64_t row, int64_t rows, int64_t column, int64_t columns, T* to, int64_t stride) {
  const T* from = m.data + row * m.row + column * m.column;
  if (m.column == 1 && columns == Tile<T>::kColumns) {
    for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 2
      for (int64_t v = 0; v < columns; v += Tile<T>::kVector) store(to + r * stride + v, load(from + r * m.row + v));
  } else if (m.column == 1) {
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(to + r * stride, from + r * m.row, static_cast<size_t>(columns) * sizeof(T));
  } else if (m.row == 1) {
    transpose_copy(from, m.column, to, stride, columns, rows);
  } else {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) to[r * stride + c] = from[r * m.row + c * m.column];
  }
}

// Prefetches what copy_block() will read, a few lines at a time.
template <class T>
struct Ahead {
  static constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  const T* data;
  int64_t stride, length, left, at = 0;

  Ahead(const Matrix<T>& m, int64_t row, int64_t rows, int64_t column, int64_t columns)
      : data(m.data + row * m.row + column * m.column),
        stride(m.column == 1 ? m.row : m.column),
        length(m.column == 1 ? columns : rows),
        left(pieces(length, kLine) * (m.column == 1 ? rows : columns)) {}
  void fetch(int64_t count) {
    for (count = std::min(count, left), left -= count; count > 0; --count) {
      __builtin_prefetch(data + at);
      if ((at += kLine) >= length) at = 0, data += stride;
    }
  }
};

// Number of multiplications that justify a core of their own.
constexpr int64_t kWorthAThread = 1 << 19;

// Columns of b at once, so that its panels stay in the L2 cache.
constexpr int64_t kMostColumns = 1024;

// The product for a block of columns of b and of the depth.
template <class T>
class Product {
  using S = Tile<T>;

 public:
  Product(int64_t m, const Matrix<T>& a, T* out, int64_t out_row, int64_t most_depth, int64_t most_panels, bool alone)
      : m_(m), a_(a), out_(out), out_row_(out_row), alone_(alone), strips_(pieces(m, S::kRows)) {
    const int64_t threads = alone ? 1 : pool_size();
    const int64_t block_strips = alone ? 8 : std::clamp<int64_t>(strips_ / (threads * 8), 1, 8);
    blocks_ = std::min(strips_, pieces(pieces(strips_, block_strips), threads) * threads);
    // Few blocks: the panels are divided among the cores too.
    groups_ = alone ? 1 : std::clamp<int64_t>(threads * 4 / blocks_, 1, pieces(most_panels, 2));
    panel_size_ = most_depth * S::kColumns;
    packed_ = allocate_buffer(Device::cpu(), static_cast<size_t>(most_panels * panel_size_) * sizeof(T));
  }

  void run(const Matrix<T>& b, int64_t j0, int64_t n, int64_t k0, int64_t depth, Into into) {
    const int64_t panels = pieces(n, S::kColumns);
    const bool direct = strips_ == 1 && b.column == 1;  // read once: whole panels are left where they are
    auto pack = [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        T* to = panel(p);
        const int64_t columns = std::min(S::kColumns, n - p * S::kColumns);
        if (direct && columns == S::kColumns) continue;
        copy_block(b, k0, depth, j0 + p * S::kColumns, columns, to, S::kColumns);
        if (columns < S::kColumns)
          for (int64_t k = 0; k < depth; ++k)
            std::fill(to + k * S::kColumns + columns, to + (k + 1) * S::kColumns, T(0));
      }
    };
    auto multiply = [&](int64_t begin, int64_t end) {
      const size_t size = static_cast<size_t>((strips_ / blocks_ + 1) * S::kRows * S::kStride) * sizeof(T);
      const BufferPtr memory = allocate_buffer(Device::cpu(), size);
      T* const strips = static_cast<T*>(memory->data());
      for (int64_t item = begin; item < end; ++item) {
        const int64_t block = item / groups_, group = item % groups_;
        const int64_t first = strips_ * block / blocks_, last = strips_ * (block + 1) / blocks_;
        const int64_t top = row_of(first);
        if (item == begin || group == 0) copy_block(a_, top, row_of(last) - top, k0, depth, strips, S::kStride);
        const int64_t p0 = panels * group / groups_, p1 = panels * (group + 1) / groups_;
        const bool more = group + 1 == groups_ && block + 1 < blocks_;
        Ahead<T> ahead(a_, row_of(last), more ? row_of(strips_ * (block + 2) / blocks_) - row_of(last) : 0, k0, depth);
        const int64_t each = pieces(ahead.left, std::max<int64_t>(1, (last - first) * (p1 - p0)));
        for (int64_t s = first; s < last; ++s) {
          const int64_t row = row_of(s), rows = row_of(s + 1) - row;
          for (int64_t p = p0; p < p1; ++p) {
            const int64_t columns = std::min(S::kColumns, n - p * S::kColumns);
            ahead.fetch(each);
            const bool there = direct && columns == S::kColumns;
            const T* const from = there ? b.data + k0 * b.row + j0 + p * S::kColumns : panel(p);
            tile_for<T>(rows, columns)(strips + (row - top) * S::kStride, from, there ? b.row : S::kColumns,
                                       out_ + row * out_row_ + j0 + p * S::kColumns, out_row_, depth, columns, into);
          }
        }
      }
    };
    if (alone_) {
      pack(0, panels);
      multiply(0, blocks_ * groups_);
    } else {
      parallel_for(panels, std::max<int64_t>(1, (1 << 15) / (depth * S::kColumns)), pack);
      parallel_for(blocks_ * groups_, 1, multiply);
    }
  }

 private:
  // Strips of equal height.
  int64_t row_of(int64_t strip) const { return m_ * strip / strips_; }
  T* panel(int64_t p) const { return static_cast<T*>(packed_->data()) + p * panel_size_; }

  int64_t m_;
  const Matrix<T>& a_;
  T* out_;
  int64_t out_row_;
  bool alone_;
  int64_t strips_, blocks_, groups_, panel_size_;
  BufferPtr packed_;
};

template <class T>
void blocked(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
             Into into) {
  using S = Tile<T>;
  const bool alone = m * n * depth < 2 * kWorthAThread || pool_size() == 1;
  const int64_t panels = pieces(n, S::kColumns);
  const int64_t parts = pieces(n, kMostColumns), depths = pieces(depth, S::kDepth);
  Product<T> product(m, a, out, out_row, pieces(depth, depths), pieces(panels, parts), alone);
  for (int64_t j = 0; j < parts; ++j) {
    const int64_t j0 = panels * j / parts * S::kColumns;
    const int64_t columns = std::min(n, panels * (j + 1) / parts * S::kColumns) - j0;
    for (int64_t k = 0; k < depths; ++k) {
      const int64_t k0 = depth * k / depths;
      product.run(b, j0, columns, k0, depth * (k + 1) / depths - k0, k > 0 && into == Into::kSet ? Into::kAdd : into);
    }
  }
}

}  // namespace

template <class T>
T dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kV = Tile<T>::kVector;
  Vector<T> sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kV <= n; i += 4 * kV)
    for (int v = 0; v < 4; ++v) sums[v] += load(a + i + v * kV) * load(b + i + v * kV);
  for (; i + kV <= n; i += kV) sums[0] += load(a + i) * load(b + i);
  if (i < n) sums[1] += load_part(a + i, n - i) * load_part(b + i, n - i);
  T all[kV];
  store(all, (sums[0] + sums[1]) + (sums[2] + sums[3]));
#pragma GCC unroll 4
  for (int64_t half = kV / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int64_t k = 0; k < half; ++k) all[k] += all[k + half];
  return all[0];
}

namespace {

// In pieces of fixed length, so that the digits do not depend on the number of threads.
template <class T>
T long_dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kPiece = 1 << 16;
  if (n <= kPiece) return dot(a, b, n);
  std::vector<T> sums(static_cast<size_t>((n + kPiece - 1) / kPiece));
  parallel_for(static_cast<int64_t>(sums.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k)
      sums[static_cast<size_t>(k)] = dot(a + k * kPiece, b + k * kPiece, std::min(kPiece, n - k * kPiece));
  });
  return std::accumulate(sums.begin(), sums.end(), T(0));
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
          Into into) {
  if (m <= 0 || n <= 0) return;
  if (depth <= 0) {
    if (into == Into::kSet)
      for (int64_t i = 0; i < m; ++i) std::fill(out + i * out_row, out + i * out_row + n, T(0));
    return;
  }
  // A few rows or columns by contiguous rows: packing is not worth it.
  if ((m <= 2 || n <= 2) && a.column == 1 && b.row == 1 && depth >= 8) {
    const int64_t longer = std::max(m, n);
    const int64_t shorter = std::min(m, n);
    parallel_for(longer, std::max<int64_t>(1, kWorthAThread / 4 / (shorter * depth)), [&](int64_t begin, int64_t end) {
      for (int64_t x = begin; x < end; ++x)
        for (int64_t y = 0; y < shorter; ++y) {
          const int64_t i = m >= n ? x : y, j = m >= n ? y : x;
          const T value = long_dot(a.data + i * a.row, b.data + j * b.column, depth);
          T& to = out[i * out_row + j];
          to = into == Into::kSet ? value : into == Into::kAdd ? to + value : to - value;
        }
    });
    return;
  }
  blocked(m, n, depth, a, b, out, out_row, into);
}

template float dot(const float*, const float*, int64_t);
template double dot(const double*, const double*, int64_t);
template void gemm(int64_t, int64_t, int64_t, const Matrix<float>&, const Matrix<float>&, float*, int64_t, Into);
template void gemm(int64_t, int64_t, int64_t, const Matrix<double>&, const Matrix<double>&, double*, int64_t, Into);

}  // namespace FL_ISA
}  // namespace footlight
