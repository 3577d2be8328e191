// The blocked product behind gemm.h: panels of b are packed once for all, strips of a by the thread that multiplies
// them, and a tile of sums stays in registers over a whole depth block.
#include "kernels/cpu/gemm.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/vector.h"

#include <algorithm>

namespace footlight {
namespace FL_ISA {

namespace {

// A tile is kRows rows by two vectors of sums: as many as the registers hold beside two of b and one of a.
template <class T>
struct Tile {
  static constexpr int64_t kVector = VectorOf<T>::kLength;
  static constexpr int64_t kColumns = 2 * kVector;
  static constexpr int64_t kRows = kVectorRegisters == 32 ? 14 : 6;
  static constexpr int64_t kDepth = 1024 / static_cast<int64_t>(sizeof(T));
  // A strip's rows stand a line more than the depth apart, so that they do not fall into the same sets of the cache.
  static constexpr int64_t kStride = kDepth + 64 / static_cast<int64_t>(sizeof(T));
};

// out += or = a * b for kRowsHere rows and kVectors vectors of columns.
template <class T, int kRowsHere, int kVectors>
void tile(const T* a, const T* b, int64_t b_row, T* out, int64_t out_row, int64_t depth, int64_t columns, bool add) {
  constexpr int64_t kV = Tile<T>::kVector;
  Vector<T> sums[kRowsHere][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRowsHere; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
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
        store(to, add ? load(to) + sums[r][v] : sums[r][v]);
      }
    return;
  }
  T values[kRowsHere][kVectors * kV];
#pragma GCC unroll 16
  for (int r = 0; r < kRowsHere; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) store(values[r] + v * kV, sums[r][v]);
  for (int r = 0; r < kRowsHere; ++r)
    for (int64_t j = 0; j < columns; ++j)
      out[r * out_row + j] = add ? out[r * out_row + j] + values[r][j] : values[r][j];
}

template <class T>
using TileFunction = void (*)(const T*, const T*, int64_t, T*, int64_t, int64_t, int64_t, bool);

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

// The sum of products of two rows that stand in one piece.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  constexpr int64_t kV = Tile<T>::kVector;
  Vector<T> sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kV <= n; i += 4 * kV)
    for (int v = 0; v < 4; ++v) sums[v] += load(a + i + v * kV) * load(b + i + v * kV);
  for (; i + kV <= n; i += kV) sums[0] += load(a + i) * load(b + i);
  const Vector<T> all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  T sum = 0;
  for (int k = 0; k < kV; ++k) sum += all[k];
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
void copy_matrix(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, T* to,
                 int64_t stride) {
  const Matrix<T>& m = *static_cast<const Matrix<T>*>(context);
  const T* from = m.data + row * m.row + column * m.column;
  if (m.column == 1) {
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(to + r * stride, from + r * m.row, static_cast<size_t>(columns) * sizeof(T));
  } else if (m.row == 1) {
    transpose_copy(from, m.column, to, stride, columns, rows);
  } else {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) to[r * stride + c] = from[r * m.row + c * m.column];
  }
}

// How many multiplications are worth a core of their own.
constexpr int64_t kWorthAThread = 1 << 19;

}  // namespace

template <class T>
Operand<T> operand_of(const Matrix<T>& matrix) {
  return {copy_matrix<T>, &matrix};
}

template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Operand<T>& a, const Operand<T>& b, T* out, int64_t out_row,
          bool add) {
  using S = Tile<T>;
  if (m <= 0 || n <= 0) return;
  if (depth <= 0) {
    if (!add)
      for (int64_t i = 0; i < m; ++i) std::fill(out + i * out_row, out + i * out_row + n, T(0));
    return;
  }
  const int64_t panels = pieces(n, S::kColumns);
  const int64_t strips = pieces(m, S::kRows);
  // Strips of even height, and blocks of them that stay in the second cache beside a panel of b.
  const int64_t strip_rows = pieces(m, strips);
  const bool one_thread = m * n * depth < 2 * kWorthAThread || pool_size() == 1;
  const int64_t wanted = one_thread ? 1 : pool_size() * 3;
  const int64_t block_strips = std::clamp<int64_t>(strips / wanted, 1, 10);
  const int64_t blocks = pieces(strips, block_strips);
  // Few blocks: the panels are divided among the cores too.
  const int64_t groups = std::clamp<int64_t>(wanted / blocks, 1, pieces(panels, 2));
  const int64_t depth_here = std::min(depth, S::kDepth);
  const int64_t panel_size = depth_here * S::kColumns;
  const int64_t block_size = block_strips * strip_rows * S::kStride;
  const BufferPtr packed = allocate_buffer(Device::cpu(), static_cast<size_t>(panels * panel_size) * sizeof(T));
  T* const panel_data = static_cast<T*>(packed->data());
  for (int64_t k0 = 0; k0 < depth; k0 += S::kDepth) {
    const int64_t kn = std::min(S::kDepth, depth - k0);
    auto pack_panels = [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        T* to = panel_data + p * panel_size;
        const int64_t j0 = p * S::kColumns;
        const int64_t columns = std::min(S::kColumns, n - j0);
        b.copy(b.context, k0, kn, j0, columns, to, S::kColumns);
        if (columns < S::kColumns)
          for (int64_t k = 0; k < kn; ++k) std::fill(to + k * S::kColumns + columns, to + (k + 1) * S::kColumns, T(0));
      }
    };
    auto multiply = [&](int64_t begin, int64_t end) {
      const BufferPtr strip_memory = allocate_buffer(Device::cpu(), static_cast<size_t>(block_size) * sizeof(T));
      T* const strip_data = static_cast<T*>(strip_memory->data());
      int64_t packed_block = -1;
      for (int64_t item = begin; item < end; ++item) {
        const int64_t block = item / groups;
        const int64_t group = item % groups;
        const int64_t first = block * block_strips * strip_rows;
        const int64_t rows = std::min(block_strips * strip_rows, m - first);
        if (rows <= 0) continue;
        if (block != packed_block) a.copy(a.context, first, rows, k0, kn, strip_data, S::kStride);
        packed_block = block;
        for (int64_t p = panels * group / groups; p < panels * (group + 1) / groups; ++p) {
          const int64_t columns = std::min(S::kColumns, n - p * S::kColumns);
          for (int64_t r = 0; r < rows; r += strip_rows) {
            const int64_t here = std::min(strip_rows, rows - r);
            tile_for<T>(here, columns)(strip_data + r * S::kStride, panel_data + p * panel_size, S::kColumns,
                                       out + (first + r) * out_row + p * S::kColumns, out_row, kn,
                                       columns, add || k0 > 0);
          }
        }
      }
    };
    if (one_thread) {
      pack_panels(0, panels);
      multiply(0, blocks * groups);
    } else {
      parallel_for(panels, std::max<int64_t>(1, (1 << 16) / (kn * S::kColumns)), pack_panels);
      parallel_for(blocks * groups, 1, multiply);
    }
  }
}

template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
          bool add) {
  // A few rows or columns against rows that stand in one piece: nothing is worth packing.
  if ((m <= 2 || n <= 2) && a.column == 1 && b.row == 1 && depth >= 32) {
    const int64_t longer = std::max(m, n);
    const int64_t shorter = std::min(m, n);
    parallel_for(longer, std::max<int64_t>(1, kWorthAThread / 4 / (shorter * depth)), [&](int64_t begin, int64_t end) {
      for (int64_t x = begin; x < end; ++x)
        for (int64_t y = 0; y < shorter; ++y) {
          const int64_t i = m >= n ? x : y, j = m >= n ? y : x;
          const T value = dot(a.data + i * a.row, b.data + j * b.column, depth);
          out[i * out_row + j] = add ? out[i * out_row + j] + value : value;
        }
    });
    return;
  }
  gemm(m, n, depth, operand_of(a), operand_of(b), out, out_row, add);
}

template Operand<float> operand_of(const Matrix<float>&);
template Operand<double> operand_of(const Matrix<double>&);
template void gemm(int64_t, int64_t, int64_t, const Operand<float>&, const Operand<float>&, float*, int64_t, bool);
template void gemm(int64_t, int64_t, int64_t, const Operand<double>&, const Operand<double>&, double*, int64_t, bool);
template void gemm(int64_t, int64_t, int64_t, const Matrix<float>&, const Matrix<float>&, float*, int64_t, bool);
template void gemm(int64_t, int64_t, int64_t, const Matrix<double>&, const Matrix<double>&, double*, int64_t, bool);

}  // namespace FL_ISA
}  // namespace footlight
