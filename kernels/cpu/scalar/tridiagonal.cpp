// Solves tridiagonal systems by elimination, with or without exchanged rows.
#include "kernels/cpu/matrices.h"

#include <cmath>
#include <complex>
#include <limits>

namespace footlight::FL_ISA {

namespace {

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};

enum class Pivoting { kNone, kPartial, kPerturbed };

// One matrix and its right sides: `systems` numbers in each row of `x`, which are replaced by the solutions.
template <class T>
class Tridiagonal {
 public:
  using Real = typename RealPart<T>::type;

  // The diagonals follow each other; exchanged rows need a second upper diagonal.
  Tridiagonal(const T* diagonals, int64_t n) : n_(n), upper_(n), main_(n), lower_(n), second_(n, T(0)) {
    std::copy_n(diagonals, n, upper_.begin());
    std::copy_n(diagonals + n, n, main_.begin());
    std::copy_n(diagonals + 2 * n, n, lower_.begin());
    if (n > 0) upper_[n_ - 1] = lower_[0] = T(0);  // both lie outside of the matrix
  }

  // Solves for x. False if the matrix is singular; x is then unspecified.
  bool solve(T* x, int64_t systems, Pivoting pivoting) {
    if (n_ == 0) return true;
    if (pivoting == Pivoting::kPerturbed) find_least_pivot();
    for (size_t i = 0; i + 1 < n_; ++i) {
      if (pivoting != Pivoting::kNone && std::abs(main_[i]) < std::abs(lower_[i + 1])) exchange(i, x, systems);
      if (!settle_pivot(i, pivoting)) return false;
      const T factor = lower_[i + 1] / main_[i];
      main_[i + 1] -= factor * upper_[i];
      upper_[i + 1] -= factor * second_[i];
      for (int64_t k = 0; k < systems; ++k) row(x, i + 1, systems)[k] -= factor * row(x, i, systems)[k];
    }
    if (!settle_pivot(n_ - 1, pivoting)) return false;
    for (size_t i = n_; i-- > 0;)
      for (int64_t k = 0; k < systems; ++k) {
        T sum = row(x, i, systems)[k];
        if (i + 1 < n_) sum -= upper_[i] * row(x, i + 1, systems)[k];
        if (i + 2 < n_) sum -= second_[i] * row(x, i + 2, systems)[k];
        row(x, i, systems)[k] = sum / main_[i];
      }
    return true;
  }

 private:
  static T* row(T* x, size_t i, int64_t systems) { return x + static_cast<int64_t>(i) * systems; }

  // Exchanges rows i and i + 1.
  void exchange(size_t i, T* x, int64_t systems) {
    std::swap(main_[i], lower_[i + 1]);
    std::swap(upper_[i], main_[i + 1]);
    std::swap(second_[i], upper_[i + 1]);
    std::swap_ranges(row(x, i, systems), row(x, i + 1, systems), row(x, i + 1, systems));
  }

  void find_least_pivot() {
    Real largest = 0;
    for (size_t i = 0; i < n_; ++i)
      largest = std::max({largest, std::abs(upper_[i]), std::abs(main_[i]), std::abs(lower_[i])});
    least_ = std::max(largest * std::numeric_limits<Real>::epsilon(), std::numeric_limits<Real>::min());
  }

  bool settle_pivot(size_t i, Pivoting pivoting) {
    if (pivoting == Pivoting::kPerturbed && std::abs(main_[i]) < least_)
      main_[i] = std::real(main_[i]) < 0 ? T(-least_) : T(least_);
    return main_[i] != T(0);
  }

  size_t n_;
  std::vector<T> upper_, main_, lower_, second_;
  Real least_ = 0;
};

template <class T>
void tridiagonal_solve(KernelContext& c) {
  const Pivoting pivoting = c.attrs.get_or("perturb_singular"_attr, false)   ? Pivoting::kPerturbed
                            : c.attrs.get_or("partial_pivoting"_attr, true) ? Pivoting::kPartial
                                                              : Pivoting::kNone;
  const Sizes left = sizes_of(c.inputs[0]), s = sizes_of(c.outputs[0]);
  if (left.rows != 3 || left.columns != s.rows || batches_of(c.inputs[0]) != batches_of(c.outputs[0]))
    invalid("diagonals of shape ", c.inputs[0].shape().to_string(), " do not belong to rhs of shape ",
            c.outputs[0].shape().to_string(), " [Op:TridiagonalSolve]");
  parallel_for(batches_of(c.outputs[0]), std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, s.elements())),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   T* const x = c.out<T>() + i * s.elements();
                   std::copy_n(c.in<T>(1) + i * s.elements(), s.elements(), x);
                   if (!Tridiagonal<T>(c.in<T>(0) + i * left.elements(), s.rows).solve(x, s.columns, pivoting))
                     std::fill_n(x, s.elements(), T(std::numeric_limits<typename RealPart<T>::type>::quiet_NaN()));
                 }
               });
}

template <class... Types>
void solved() { (on_cpu("TridiagonalSolve", bit_of(dtype_of<Types>), tridiagonal_solve<Types>), ...); }

}  // namespace

FL_CPU_KERNELS { solved<float, double, std::complex<float>, std::complex<double>>(); }

}  // namespace footlight::FL_ISA
