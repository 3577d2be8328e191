// Implements factor.h by recursion with small base cases.
#include "kernels/cpu/factor.h"

#include "kernels/cpu/vector.h"

#include <algorithm>
#include <cmath>

namespace footlight::FL_ISA {

namespace {

// A triangle of fewer rows is solved without products, and a panel of fewer columns decomposed without them.
constexpr int64_t kSmall = 16;

// The larger of two halves, rounded to whole base blocks.
int64_t half_of(int64_t n) { return (n / 2 + kSmall - 1) / kSmall * kSmall; }

// Solves a small triangle for kVectors vectors of columns.
template <class T, int kVectors>
void solve_columns(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t x_row) {
  constexpr int64_t kV = VectorOf<T>::kLength;
  const bool upper = triangle == Triangle::kUpper;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    Vector<T> sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = load(x + i * x_row + v * kV);
    for (int64_t k = upper ? i + 1 : 0; k < (upper ? n : i); ++k) {
      const Vector<T> factor = a.data[i * a.row + k * a.column] - Vector<T>{};
      for (int v = 0; v < kVectors; ++v) sums[v] -= factor * load(x + k * x_row + v * kV);
    }
    if (triangle != Triangle::kUnitLower) {
      const Vector<T> pivot = a.data[i * (a.row + a.column)] - Vector<T>{};
      for (int v = 0; v < kVectors; ++v) sums[v] /= pivot;
    }
    for (int v = 0; v < kVectors; ++v) store(x + i * x_row + v * kV, sums[v]);
  }
}

template <class T>
void solve_small(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t columns, int64_t x_row) {
  constexpr int64_t kV = VectorOf<T>::kLength;
  int64_t j = 0;
  for (; j + 4 * kV <= columns; j += 4 * kV) solve_columns<T, 4>(triangle, n, a, x + j, x_row);
  for (; j + kV <= columns; j += kV) solve_columns<T, 1>(triangle, n, a, x + j, x_row);
  if (j == columns) return;
  T rest[kSmall * kV] = {};
  for (int64_t i = 0; i < n; ++i) std::copy(x + i * x_row + j, x + i * x_row + columns, rest + i * kV);
  solve_columns<T, 1>(triangle, n, a, rest, kV);
  for (int64_t i = 0; i < n; ++i) std::copy_n(rest + i * kV, columns - j, x + i * x_row + j);
}

// Computes to -= x * from.
template <class T>
void subtract(T* __restrict__ to, const T* __restrict__ from, T x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] -= x * from[i];
}

// Solves for one contiguous column, along the rows of a or along its columns.
template <class T>
void solve_vector(Triangle triangle, int64_t n, const Matrix<T>& a, T* x) {
  const bool upper = triangle == Triangle::kUpper;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    const int64_t from = upper ? i + 1 : 0, count = upper ? n - i - 1 : i;
    if (a.column == 1 && count > 0) x[i] -= dot(a.data + i * a.row + from, x + from, count);
    if (triangle != Triangle::kUnitLower) x[i] /= a.data[i * (a.row + a.column)];
    if (a.column == 1) continue;
    const int64_t to = upper ? 0 : i + 1, left = upper ? i : n - i - 1;
    if (a.row == 1) {
      subtract(x + to, a.data + to + i * a.column, x[i], left);
    } else {
      for (int64_t k = to; k < to + left; ++k) x[k] -= x[i] * a.data[k * a.row + i * a.column];
    }
  }
}

template <class T>
void solve_halves(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t columns, int64_t x_row) {
  if (n <= kSmall) {
    solve_small(triangle, n, a, x, columns, x_row);
    return;
  }
  const int64_t n1 = half_of(n), n2 = n - n1;
  const Matrix<T> last{a.data + n1 * (a.row + a.column), a.row, a.column};
  T* const below = x + n1 * x_row;
  if (triangle == Triangle::kUpper) {
    const Matrix<T> corner{a.data + n1 * a.column, a.row, a.column};
    solve_halves(triangle, n2, last, below, columns, x_row);
    gemm(n1, columns, n2, corner, Matrix<T>{below, x_row, 1}, x, x_row, Into::kSubtract);
    solve_halves(triangle, n1, a, x, columns, x_row);
  } else {
    const Matrix<T> corner{a.data + n1 * a.row, a.row, a.column};
    solve_halves(triangle, n1, a, x, columns, x_row);
    gemm(n2, columns, n1, corner, Matrix<T>{x, x_row, 1}, below, x_row, Into::kSubtract);
    solve_halves(triangle, n2, last, below, columns, x_row);
  }
}

template <class T>
class Lu {
 public:
  Lu(int64_t n, T* a, int64_t row, int64_t* pivots) : n_(n), a_(a), row_(row), pivots_(pivots) {
    memory_ = allocate_buffer(Device::cpu(), static_cast<size_t>(n * kSmall) * sizeof(T));
    columns_ = static_cast<T*>(memory_->data());
  }

  // Decomposes columns [begin, end), of the rows from `begin` on.
  void run(int64_t begin, int64_t end) {
    const int64_t width = end - begin;
    if (width <= kSmall) {
      panel(begin, end);
      return;
    }
    const int64_t middle = begin + half_of(width), right = end - middle;
    run(begin, middle);
    T* const corner = at(begin, middle);
    solve_halves(Triangle::kUnitLower, middle - begin, Matrix<T>{at(begin, begin), row_, 1}, corner, right, row_);
    gemm(n_ - middle, right, middle - begin, Matrix<T>{at(middle, begin), row_, 1}, Matrix<T>{corner, row_, 1},
         at(middle, middle), row_, Into::kSubtract);
    run(middle, end);
  }

 private:
  T* at(int64_t i, int64_t j) { return a_ + i * row_ + j; }

  // Decomposes a few columns, which are transposed so that each is contiguous.
  void panel(int64_t begin, int64_t end) {
    const int64_t rows = n_ - begin, width = end - begin;
    transpose_copy(at(begin, begin), row_, columns_, rows, rows, width);
    for (int64_t k = 0; k < width; ++k) {
      T* const column = columns_ + k * rows;
      const int64_t largest = largest_of(column, k, rows);
      pivots_[begin + k] = begin + largest;
      if (largest != k)
        for (int64_t j = 0; j < width; ++j) std::swap(columns_[j * rows + k], columns_[j * rows + largest]);
      const T pivot = column[k];
      if (pivot != 0)
        for (int64_t i = k + 1; i < rows; ++i) column[i] /= pivot;
      for (int64_t j = k + 1; j < width; ++j) {
        T* const other = columns_ + j * rows;
        subtract(other + k + 1, column + k + 1, other[k], rows - k - 1);
      }
    }
    transpose_copy(columns_, rows, at(begin, begin), row_, width, rows);
    for (int64_t k = begin; k < end; ++k) {
      if (pivots_[k] == k) continue;
      std::swap_ranges(at(k, 0), at(k, begin), at(pivots_[k], 0));
      std::swap_ranges(at(k, end), at(k, n_), at(pivots_[k], end));
    }
  }

  // The index of the first element of the largest magnitude. A NaN is never larger.
  static int64_t largest_of(const T* x, int64_t begin, int64_t end) {
    constexpr int64_t kV = VectorOf<T>::kLength;
    int64_t i = begin;
    T largest = std::abs(x[begin]);
    if (end - begin >= 2 * kV) {
      T most[kV];
      for (int64_t k = 0; k < kV; ++k) most[k] = std::abs(x[i + k]);
      for (; i + kV <= end; i += kV)
        for (int64_t k = 0; k < kV; ++k) {
          const T size = std::abs(x[i + k]);
          most[k] = size > most[k] ? size : most[k];
        }
      for (int64_t k = 0; k < kV; ++k) largest = most[k] > largest ? most[k] : largest;
    }
    for (; i < end; ++i) largest = std::abs(x[i]) > largest ? std::abs(x[i]) : largest;
    for (i = begin; i < end; ++i)
      if (std::abs(x[i]) == largest) return i;
    return begin;
  }

  int64_t n_;
  T* a_;
  int64_t row_;
  int64_t* pivots_;
  BufferPtr memory_;
  T* columns_;
};

template <class T>
bool cholesky_small(int64_t n, T* a, int64_t row) {
  for (int64_t k = 0; k < n; ++k) {
    T* const from = a + k * row;
    if (from[k] <= 0) return false;  // a NaN propagates instead
    const T root = std::sqrt(from[k]);
    from[k] = root;
    for (int64_t j = k + 1; j < n; ++j) from[j] /= root;
    for (int64_t i = k + 1; i < n; ++i) subtract(a + i * row + i, from + i, from[i], n - i);
  }
  return true;
}

// Computes the upper triangle of a -= transposed(b) * b.
template <class T>
void subtract_square(int64_t n, int64_t depth, const T* b, T* a, int64_t row) {
  constexpr int64_t kColumns = 128;
  for (int64_t j = 0; j < n; j += kColumns) {
    const int64_t end = std::min(n, j + kColumns);
    gemm(end, end - j, depth, Matrix<T>{b, 1, row}, Matrix<T>{b + j, row, 1}, a + j, row, Into::kSubtract);
  }
}

}  // namespace

template <class T>
void solve_triangle(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t columns, int64_t x_row) {
  if (n <= 0 || columns <= 0) return;
  if (columns == 1 && x_row == 1) solve_vector(triangle, n, a, x);
  else solve_halves(triangle, n, a, x, columns, x_row);
}

template <class T>
void factor_lu(int64_t n, T* a, int64_t row, int64_t* pivots) {
  if (n > 0) Lu<T>(n, a, row, pivots).run(0, n);
}

template <class T>
bool factor_cholesky(int64_t n, T* a, int64_t row) {
  if (n <= 2 * kSmall) return cholesky_small(n, a, row);
  const int64_t n1 = half_of(n), n2 = n - n1;
  if (!factor_cholesky(n1, a, row)) return false;
  T* const corner = a + n1;
  solve_triangle(Triangle::kLower, n1, Matrix<T>{a, 1, row}, corner, n2, row);
  subtract_square(n2, n1, corner, corner + n1 * row, row);
  return factor_cholesky(n2, corner + n1 * row, row);
}

template void solve_triangle(Triangle, int64_t, const Matrix<float>&, float*, int64_t, int64_t);
template void solve_triangle(Triangle, int64_t, const Matrix<double>&, double*, int64_t, int64_t);
template void factor_lu(int64_t, float*, int64_t, int64_t*);
template void factor_lu(int64_t, double*, int64_t, int64_t*);
template bool factor_cholesky(int64_t, float*, int64_t);
template bool factor_cholesky(int64_t, double*, int64_t);

}  // namespace footlight::FL_ISA
