// The exponential of real matrices: scaling and squaring with a Pade approximant.
#include "kernels/cpu/factor.h"
#include "kernels/cpu/matrices.h"

#include <array>
#include <cmath>
#include <limits>

namespace footlight::FL_ISA {

namespace {

// The approximant of one order: exact to the element's precision while the norm of the matrix is at most `largest`.
// The numerator has these coefficients; the denominator has the odd ones negated.
struct Approximant {
  double largest;
  int order;
  std::array<double, 14> coefficients;
};
constexpr Approximant kForFloat[] = {
    {0.4258730016922831, 3, {120, 60, 12, 1}},
    {1.880152677804762, 5, {30240, 15120, 3360, 420, 30, 1}},
    {3.925724783138660, 7, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}}};
constexpr Approximant kForDouble[] = {
    {0.01495585217958292, 3, {120, 60, 12, 1}},
    {0.2539398330063230, 5, {30240, 15120, 3360, 420, 30, 1}},
    {0.9504178996162932, 7, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
    {5.371920351148152,
     13,
     {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
      670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.}}};

// Square matrices of one size, stored contiguously.
template <class T>
class Exponential {
 public:
  explicit Exponential(int64_t n) : n_(n), size_(n * n) {
    memory_ = allocate_buffer(Device::cpu(), static_cast<size_t>(size_ * kMatrices) * sizeof(T));
    pivots_ = allocate_buffer(Device::cpu(), static_cast<size_t>(n) * sizeof(int64_t));
  }

  void run(const T* in, T* out) {
    const double norm = norm_of(in);
    if (!std::isfinite(norm)) {
      std::fill_n(out, size_, std::numeric_limits<T>::quiet_NaN());
      return;
    }
    const Approximant& p = approximant(norm);
    const int halvings = norm > p.largest ? static_cast<int>(std::ceil(std::log2(norm / p.largest))) : 0;
    const T scale = static_cast<T>(std::ldexp(1.0, -halvings));
    T* const a = matrix(0);
    for (int64_t i = 0; i < size_; ++i) a[i] = in[i] * scale;
    quotient(p, out);
    T* other = matrix(0);
    for (int k = 0; k < halvings; ++k) {
      multiply(out, out, other);
      std::swap(out, other);
    }
    if (halvings % 2 == 1) std::copy_n(out, size_, other);
  }

 private:
  static constexpr int kMatrices = 6;

  T* matrix(int i) { return static_cast<T*>(memory_->data()) + i * size_; }
  void multiply(const T* x, const T* y, T* out) {
    gemm(n_, n_, n_, Matrix<T>{x, n_, 1}, Matrix<T>{y, n_, 1}, out, n_);
  }
  static const Approximant& approximant(double norm) {
    const auto choose = [norm](const auto& all) -> const Approximant& {
      for (const Approximant& p : all)
        if (norm <= p.largest) return p;
      return all[std::size(all) - 1];
    };
    if constexpr (std::is_same_v<T, float>) return choose(kForFloat);
    else return choose(kForDouble);
  }
  double norm_of(const T* in) {
    T* const sums = matrix(0);
    std::fill_n(sums, n_, T(0));
    for (int64_t i = 0; i < n_; ++i)
      for (int64_t j = 0; j < n_; ++j) sums[j] += std::abs(in[i * n_ + j]);
    double largest = 0;
    for (int64_t j = 0; j < n_; ++j) {
      if (!std::isfinite(sums[j])) return std::numeric_limits<double>::infinity();
      largest = std::max<double>(largest, sums[j]);
    }
    return largest;
  }

  // to = (or +=) x * m1 + y * m2 + z * m3 + ones * one, for the even powers of the matrix.
  void combine(T* to, double x, double y, double z, double one, bool add) {
    const T *m1 = matrix(1), *m2 = matrix(2), *m3 = matrix(3);
    const T fx = T(x), fy = T(y), fz = T(z);
    for (int64_t i = 0; i < size_; ++i) {
      T sum = fx * m1[i];
      if (y != 0) sum += fy * m2[i];
      if (z != 0) sum += fz * m3[i];
      to[i] = add ? to[i] + sum : sum;
    }
    for (int64_t i = 0; i < n_; ++i) to[i * (n_ + 1)] += T(one);
  }

  // out = (even - odd)^-1 * (even + odd), with the powers of the matrix in 1 to 3.
  void quotient(const Approximant& p, T* out) {
    const auto& c = p.coefficients;
    T *const a = matrix(0), *const odd = matrix(4), *const even = matrix(5);
    multiply(a, a, matrix(1));
    if (p.order >= 5) multiply(matrix(1), matrix(1), matrix(2));
    if (p.order >= 7) multiply(matrix(2), matrix(1), matrix(3));
    if (p.order == 13) {
      combine(out, c[9], c[11], c[13], 0, false);
      multiply(matrix(3), out, odd);
      combine(out, c[8], c[10], c[12], 0, false);
      multiply(matrix(3), out, even);
    }
    const bool add = p.order == 13;
    combine(odd, c[3], c[5], c[7], c[1], add);
    combine(even, c[2], c[4], c[6], c[0], add);
    multiply(a, odd, out);
    for (int64_t i = 0; i < size_; ++i) {
      const T x = out[i];
      odd[i] = even[i] + x;
      even[i] -= x;
    }
    auto* const pivots = static_cast<int64_t*>(pivots_->data());
    factor_lu(n_, even, n_, pivots);
    for (int64_t i = 0; i < n_; ++i)
      if (pivots[i] != i) std::swap_ranges(odd + i * n_, odd + (i + 1) * n_, odd + pivots[i] * n_);
    solve_triangle(Triangle::kUnitLower, n_, Matrix<T>{even, n_, 1}, odd, n_, n_);
    solve_triangle(Triangle::kUpper, n_, Matrix<T>{even, n_, 1}, odd, n_, n_);
    std::copy_n(odd, size_, out);
  }

  int64_t n_, size_;
  BufferPtr memory_;
  BufferPtr pivots_;
};

template <class T>
void matrix_exponential(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0]);
  if (s.elements() == 0) return;
  for_matrices(c, [&](int64_t i) {
    Exponential<T>(s.rows).run(c.in<T>(0) + i * s.elements(), c.out<T>() + i * s.elements());
  });
}

}  // namespace

FL_CPU_KERNELS { on_real_matrices<matrix_exponential<float>, matrix_exponential<double>>("MatrixExponential"); }

}  // namespace footlight::FL_ISA
