// The blocked product behind gemm.h: panels of b are packed once for all, or by the thread that multiplies with them,
// as strips of a are; a tile of sums stays in registers over a whole depth block.
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

namespace footlight::FL_ISA {

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

// out = or += or -= a * b for kRowsHere rows and kVectors vectors of columns. What it reads of b is also copied to
// `packed`, if that is given.
template <class T, int kRowsHere, int kVectors, bool kPack>
void tile(const T* a, const T* b, int64_t b_row, T* out, int64_t out_row, int64_t depth, int64_t columns, Into into,
          [[maybe_unused]] T* packed) {
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
    for (int v = 0; v < kVectors; ++v) {
      row[v] = load(b + k * b_row + v * kV);
      if constexpr (kPack) store(packed + k * Tile<T>::kColumns + v * kV, row[v]);
    }
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
using TileFunction = void (*)(const T*, const T*, int64_t, T*, int64_t, int64_t, int64_t, Into, T*);

template <class T, int... kIndex>
TileFunction<T> choose_tile(int64_t rows, bool wide, bool packs, std::integer_sequence<int, kIndex...>) {
  static constexpr TileFunction<T> kNarrow[] = {tile<T, kIndex + 1, 1, false>...};
  static constexpr TileFunction<T> kWide[] = {tile<T, kIndex + 1, 2, false>...};
  static constexpr TileFunction<T> kPacking[] = {tile<T, kIndex + 1, 2, true>...};
  return (packs ? kPacking : wide ? kWide : kNarrow)[rows - 1];
}
template <class T>
TileFunction<T> tile_for(int64_t rows, int64_t columns, bool packs = false) {
  using Rows = std::make_integer_sequence<int, int(Tile<T>::kRows)>;
  return choose_tile<T>(rows, columns > Tile<T>::kVector, packs, Rows());
}

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

// Number of multiplications from which a further thread is worth starting.
constexpr int64_t kMinParallelWork = 1 << 19;

// Columns of b that are multiplied at once, so that its panels stay in the L2 cache.
constexpr int64_t kMaxColumns = 1024;

// With at most kFewStrips strips a core copies all of them, if it multiplies with at least kPanelsWorthACopy panels.
constexpr int64_t kFewStrips = 24, kPanelsWorthACopy = 4;

// Computes the product for a block of columns of b and of the depth.
template <class T>
class Product {
  using S = Tile<T>;

 public:
  Product(int64_t m, const Matrix<T>& a, T* out, int64_t out_row, bool on_one_thread)
      : m_(m),
        a_(a),
        out_(out),
        out_row_(out_row),
        threads_(on_one_thread ? 1 : pool_size()),
        strips_(pieces(m, S::kRows)) {}

  void run(int64_t n, int64_t depth, const Matrix<T>& b, Into into) {
    const int64_t panels = pieces(n, S::kColumns), depths = pieces(depth, S::kDepth);
    panel_size_ = pieces(depth, depths) * S::kColumns;
    const bool few = strips_ <= kFewStrips && (threads_ == 1 || panels >= threads_ * kPanelsWorthACopy);
    const int64_t parts = few ? 1 : pieces(n, kMaxColumns);
    if (few) share_panels_out(panels);
    else share_rows_out(pieces(panels, parts));
    for (int64_t j = 0; j < parts; ++j) {
      const int64_t j0 = panels * j / parts * S::kColumns;
      const int64_t columns = std::min(n, panels * (j + 1) / parts * S::kColumns) - j0;
      for (int64_t k = 0; k < depths; ++k) {
        const int64_t k0 = depth * k / depths;
        const Part part{b, j0, columns, k0, depth * (k + 1) / depths - k0, pieces(columns, S::kColumns),
                        k > 0 && into == Into::kSet ? Into::kAdd : into};
        if (few) in_parallel(groups_, 1, [&](int64_t begin, int64_t end) { multiply_panels(part, begin, end); });
        else run_rows(part);
      }
    }
  }

 private:
  struct Part {
    const Matrix<T>& b;
    int64_t j0, n, k0, depth, panels;
    Into into;
    int64_t columns(int64_t p) const { return std::min(S::kColumns, n - p * S::kColumns); }
    const T* at(int64_t p) const { return b.data + k0 * b.row + (j0 + p * S::kColumns) * b.column; }
    // Whether the panel is whole and a tile can read its rows in place.
    bool in_place(int64_t p) const { return b.column == 1 && columns(p) == S::kColumns; }
  };

  template <class Body>
  void in_parallel(int64_t count, int64_t grain, Body&& body) const {
    if (threads_ == 1) body(0, count);
    else parallel_for(count, grain, body);
  }

  // For few rows: the cores share the panels, and each packs a panel while it multiplies the first strip with it.
  void share_panels_out(int64_t panels) {
    blocks_ = 1;
    // Two groups a core balance cores of different speed, but each copies all rows again.
    const bool many = threads_ > 1 && panels >= threads_ * 4 * kPanelsWorthACopy;
    groups_ = many ? threads_ * 2 : threads_;
    allocate_panels(groups_);
  }

  void multiply_panels(const Part& part, int64_t begin, int64_t end) const {
    const BufferPtr memory = memory_for_block();
    T* const strips = static_cast<T*>(memory->data());
    copy_block(a_, 0, m_, part.k0, part.depth, strips, S::kStride);
    for (int64_t item = begin; item < end; ++item) {
      T* const packed = panel(item);
      for (int64_t p = part.panels * item / groups_; p < part.panels * (item + 1) / groups_; ++p) {
        const bool in_place = part.in_place(p);
        if (!in_place) pack(part, p, packed);
        for (int64_t s = 0; s < strips_; ++s) {
          const T* const strip = strips + row_of(s) * S::kStride;
          if (!in_place || s > 0) multiply(part, s, p, strip, packed, S::kColumns);
          else multiply(part, s, p, strip, part.at(p), part.b.row, strips_ > 1 ? packed : nullptr);
        }
      }
    }
  }

  // For many rows: the panels are packed for all, then the cores share the rows.
  void share_rows_out(int64_t most_panels) {
    const int64_t block_strips = threads_ == 1 ? 8 : std::clamp<int64_t>(strips_ / (threads_ * 8), 1, 8);
    blocks_ = std::min(strips_, pieces(pieces(strips_, block_strips), threads_) * threads_);
    // Few blocks: the panels are divided among the cores too.
    groups_ = threads_ == 1 ? 1 : std::clamp<int64_t>(threads_ * 4 / blocks_, 1, pieces(most_panels, 2));
    allocate_panels(most_panels);
  }

  void run_rows(const Part& part) const {
    const auto direct = [&](int64_t p) { return strips_ == 1 && part.in_place(p); };  // read once
    const int64_t grain = std::max<int64_t>(1, (1 << 15) / (part.depth * S::kColumns));
    in_parallel(part.panels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        if (!direct(p)) pack(part, p, panel(p));
    });
    in_parallel(blocks_ * groups_, 1, [&](int64_t begin, int64_t end) {
      const BufferPtr memory = memory_for_block();
      T* const strips = static_cast<T*>(memory->data());
      for (int64_t item = begin; item < end; ++item) {
        const int64_t block = item / groups_, group = item % groups_;
        const int64_t first = strips_ * block / blocks_, last = strips_ * (block + 1) / blocks_;
        const int64_t top = row_of(first);
        if (item == begin || group == 0)
          copy_block(a_, top, row_of(last) - top, part.k0, part.depth, strips, S::kStride);
        const int64_t p0 = part.panels * group / groups_, p1 = part.panels * (group + 1) / groups_;
        const bool more = group + 1 == groups_ && block + 1 < blocks_;
        const int64_t next = more ? row_of(strips_ * (block + 2) / blocks_) - row_of(last) : 0;
        Ahead<T> ahead(a_, row_of(last), next, part.k0, part.depth);
        const int64_t each = pieces(ahead.left, std::max<int64_t>(1, (last - first) * (p1 - p0)));
        for (int64_t s = first; s < last; ++s) {
          const T* const strip = strips + (row_of(s) - top) * S::kStride;
          for (int64_t p = p0; p < p1; ++p) {
            ahead.fetch(each);
            if (direct(p)) multiply(part, s, p, strip, part.at(p), part.b.row);
            else multiply(part, s, p, strip, panel(p), S::kColumns);
          }
        }
      }
    });
  }

  static void pack(const Part& part, int64_t p, T* to) {
    const int64_t columns = part.columns(p);
    copy_block(part.b, part.k0, part.depth, part.j0 + p * S::kColumns, columns, to, S::kColumns);
    if (columns < S::kColumns)
      for (int64_t k = 0; k < part.depth; ++k)
        std::fill(to + k * S::kColumns + columns, to + (k + 1) * S::kColumns, T(0));
  }

  void multiply(const Part& part, int64_t s, int64_t p, const T* strip, const T* b, int64_t b_row,
                T* packed = nullptr) const {
    const int64_t row = row_of(s), columns = part.columns(p);
    T* const out = out_ + row * out_row_ + part.j0 + p * S::kColumns;
    tile_for<T>(row_of(s + 1) - row, columns, packed)(strip, b, b_row, out, out_row_, part.depth, columns, part.into,
                                                      packed);
  }

  BufferPtr memory_for_block() const {
    const int64_t rows = (strips_ / blocks_ + 1) * S::kRows;
    return allocate_buffer(Device::cpu(), static_cast<size_t>(rows * S::kStride) * sizeof(T));
  }
  void allocate_panels(int64_t count) {
    packed_ = allocate_buffer(Device::cpu(), static_cast<size_t>(count * panel_size_) * sizeof(T));
  }
  T* panel(int64_t p) const { return static_cast<T*>(packed_->data()) + p * panel_size_; }
  // The first row of a strip. Strips have equal height.
  int64_t row_of(int64_t strip) const { return m_ * strip / strips_; }

  const int64_t m_;
  const Matrix<T>& a_;
  T* const out_;
  const int64_t out_row_, threads_, strips_;
  int64_t blocks_ = 1, groups_ = 1, panel_size_ = 0;
  BufferPtr packed_;
};

// A product of few elements over a great depth would make all cores wait for each other at every block of the depth.
// Its depth is cut into parts instead, each summed by one core. The shape alone decides how many, and so the digits.
int64_t depth_parts(int64_t m, int64_t n, int64_t depth) {
  constexpr int64_t kMinDepth = 1024, kMaxParts = 8, kMaxElements = 1 << 16;
  if (m * n > kMaxElements || depth < 4 * std::max(m, n)) return 1;
  const int64_t parts = std::min(depth / kMinDepth, kMaxParts);
  return std::max<int64_t>(1, parts / 2 * 2);
}

template <class T>
void multiply_parts(int64_t parts, int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out,
                    int64_t out_row, Into into) {
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>((parts - 1) * m * n) * sizeof(T));
  T* const sums = static_cast<T*>(memory->data());  // sums of all parts but the first
  const auto multiply_part = [&](int64_t part, bool on_one_thread) {
    const int64_t k0 = depth * part / parts, k1 = depth * (part + 1) / parts;
    const Matrix<T> left{a.data + k0 * a.column, a.row, a.column}, right{b.data + k0 * b.row, b.row, b.column};
    if (part == 0)
      Product<T>(m, left, out, out_row, on_one_thread).run(n, k1 - k0, right, into);
    else
      Product<T>(m, left, sums + (part - 1) * m * n, n, on_one_thread).run(n, k1 - k0, right, Into::kSet);
  };
  const bool small = m * n * depth < 2 * kMinParallelWork;
  if (small || pool_size() <= 2 * parts) {
    parallel_for(parts, small ? parts : 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) multiply_part(part, true);
    });
  } else {  // more than two cores for each part: all share the blocks of one part after the other
    for (int64_t part = 0; part < parts; ++part) multiply_part(part, false);
  }
  for (int64_t part = 1; part < parts; ++part)
    for (int64_t i = 0; i < m; ++i) {
      const T* const from = sums + ((part - 1) * m + i) * n;
      T* const to = out + i * out_row;
      if (into == Into::kSubtract)
        for (int64_t j = 0; j < n; ++j) to[j] -= from[j];
      else
        for (int64_t j = 0; j < n; ++j) to[j] += from[j];
    }
}

template <class T>
void blocked(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
             Into into) {
  if (const int64_t parts = depth_parts(m, n, depth); parts > 1)
    return multiply_parts(parts, m, n, depth, a, b, out, out_row, into);
  const bool on_one_thread = m * n * depth < 2 * kMinParallelWork || pool_size() == 1;
  Product<T>(m, a, out, out_row, on_one_thread).run(n, depth, b, into);
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

// Sums pieces of fixed length, so that the digits do not depend on the number of threads.
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
  // Packing is not worth it for a few rows or columns with contiguous rows.
  if ((m <= 2 || n <= 2) && a.column == 1 && b.row == 1 && depth >= 8) {
    const int64_t longer = std::max(m, n);
    const int64_t shorter = std::min(m, n);
    parallel_for(longer, std::max<int64_t>(1, kMinParallelWork / 4 / (shorter * depth)),
                 [&](int64_t begin, int64_t end) {
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

}  // namespace footlight::FL_ISA
