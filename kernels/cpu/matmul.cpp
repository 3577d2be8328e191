// Kernels of matrix products: a blocked kernel for large floats, short loops for tiny and integer products.
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/half_block.h"
#include "kernels/cpu/small_product.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <complex>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

// out[i, :] += a[i, k] * b[k, :], for b with contiguous rows; also complex.
template <class T>
void multiply_rows(const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t begin, int64_t end, int64_t n,
                   int64_t depth) {
  for (int64_t i = begin; i < end; ++i) {
    T* __restrict__ to = out + i * n;
    std::fill(to, to + n, T(0));
    for (int64_t k = 0; k < depth; ++k) {
      const T x = a.data[i * a.row + k * a.column];
      const T* __restrict__ from = b.data + k * b.row;
      for (int64_t j = 0; j < n; ++j) to[j] += functors::Mul()(x, from[j]);
    }
  }
}

// Multiplies one row or two by a large matrix. b is read once, four of its rows at a time, in memory order.
template <class T>
void multiply_few(const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t m, int64_t n, int64_t depth) {
  constexpr int64_t kChunk = 4096 / static_cast<int64_t>(sizeof(T));
  const int64_t grain = std::max<int64_t>(1, (1 << 18) / (kChunk * depth));
  parallel_for((n + kChunk - 1) / kChunk, grain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * kChunk; at < std::min(end * kChunk, n); at += kChunk) {
      const int64_t here = std::min(kChunk, n - at);
      for (int64_t i = 0; i < m; ++i) std::fill(out + i * n + at, out + i * n + at + here, T(0));
      for (int64_t k = 0; k < depth; k += 4) {
        const T* from = b.data + k * b.row + at;
        for (int64_t i = 0; i < m; ++i) {
          const T* x = a.data + i * a.row + k * a.column;
          T* __restrict__ to = out + i * n + at;
          if (k + 4 <= depth) {
            const T x0 = x[0], x1 = x[a.column], x2 = x[2 * a.column], x3 = x[3 * a.column];
            for (int64_t j = 0; j < here; ++j)
              to[j] += (x0 * from[j] + x1 * from[b.row + j]) + (x2 * from[2 * b.row + j] + x3 * from[3 * b.row + j]);
          } else {
            for (int64_t r = 0; r < depth - k; ++r)
              for (int64_t j = 0; j < here; ++j) to[j] += x[r * a.column] * from[r * b.row + j];
          }
        }
      }
    }
  });
}

// Computes a large complex product by four products of the real and imaginary parts.
template <class R>
void multiply_parts(const Matrix<std::complex<R>>& a, const Matrix<std::complex<R>>& b, std::complex<R>* out, int64_t m,
                    int64_t n, int64_t depth) {
  const int64_t a_size = m * depth, b_size = depth * n, out_size = m * n;
  const BufferPtr memory =
      allocate_buffer(Device::cpu(), static_cast<size_t>(2 * (a_size + b_size + out_size)) * sizeof(R));
  R* const a_parts = static_cast<R*>(memory->data());
  R* const b_parts = a_parts + 2 * a_size;
  R* const out_parts = b_parts + 2 * b_size;
  const auto take_apart = [](const Matrix<std::complex<R>>& from, int64_t rows, int64_t columns, R* to) {
    parallel_for(rows, std::max<int64_t>(1, (1 << 15) / columns), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const std::complex<R> x = from.data[i * from.row + j * from.column];
          to[i * columns + j] = x.real();
          to[(rows + i) * columns + j] = x.imag();
        }
    });
  };
  take_apart(a, m, depth, a_parts);
  take_apart(b, depth, n, b_parts);
  const Matrix<R> a_real{a_parts, depth, 1}, a_imaginary{a_parts + a_size, depth, 1};
  const Matrix<R> b_real{b_parts, n, 1}, b_imaginary{b_parts + b_size, n, 1};
  gemm(m, n, depth, a_real, b_real, out_parts, n);
  gemm(m, n, depth, a_imaginary, b_imaginary, out_parts, n, Into::kSubtract);
  gemm(m, n, depth, a_real, b_imaginary, out_parts + out_size, n);
  gemm(m, n, depth, a_imaginary, b_real, out_parts + out_size, n, Into::kAdd);
  parallel_for(out_size, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = {out_parts[i], out_parts[out_size + i]};
  });
}

template <class T>
void multiply(Matrix<T> a, Matrix<T> b, T* out, int64_t m, int64_t n, int64_t depth) {
  if (m == 0 || n == 0) return;
  if constexpr (functors::is_complex_v<T>) {
    if (m * n * depth >= 16 * 16 * 16) return multiply_parts(a, b, out, m, n, depth);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (depth > 0 && (m * n * depth >= 24 * 24 * 24 || (n == 1 && depth >= 8 && a.column == 1))) {
      if (m <= 2 && n >= 64 && b.column == 1) multiply_few(a, b, out, m, n, depth);
      else gemm(m, n, depth, a, b, out, n);
      return;
    }
  }
  BufferPtr straight;
  if (b.column != 1 && depth > 0) {  // transposed into rows first
    straight = allocate_buffer(Device::cpu(), static_cast<size_t>(depth * n) * sizeof(T));
    T* to = static_cast<T*>(straight->data());
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t j = 0; j < n; ++j) to[k * n + j] = b.data[k * b.row + j * b.column];
    b = {to, n, 1};
  }
  parallel_for(m, std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, n * depth)),
               [&](int64_t begin, int64_t end) {
                 if constexpr (functors::is_complex_v<T>) multiply_rows(a, b, out, begin, end, n, depth);
                 else SmallProduct<T>::run(a, b, out, begin, end, n, depth);
               });
}

// 16-bit floats are multiplied as floats.
template <class T>
void multiply_any(Matrix<T> a, Matrix<T> b, T* out, int64_t m, int64_t n, int64_t depth) {
  if constexpr (std::is_same_v<Compute<T>, T>) {
    multiply(a, b, out, m, n, depth);
  } else {
    const int64_t a_size = m * depth, b_size = depth * n;
    const BufferPtr wide =
        allocate_buffer(Device::cpu(), static_cast<size_t>(a_size + b_size + m * n + 1) * sizeof(float));
    float* wa = static_cast<float*>(wide->data());
    float* wb = wa + a_size;
    float* wout = wb + b_size;
    widen(a.data, wa, a_size);
    widen(b.data, wb, b_size);
    multiply<float>({wa, a.row, a.column}, {wb, b.row, b.column}, wout, m, n, depth);
    narrow(wout, out, m * n);
  }
}

template <class T>
void matmul(KernelContext& c) {
  const bool ta = !c.attrs.empty() && c.attrs.get_or("transpose_a"_attr, false);
  const bool tb = !c.attrs.empty() && c.attrs.get_or("transpose_b"_attr, false);
  const Shape& as = c.inputs[0].shape();
  const Shape& bs = c.inputs[1].shape();
  const Matrix<T> a = ta ? Matrix<T>{c.in<T>(0), 1, as[1]} : Matrix<T>{c.in<T>(0), as[1], 1};
  const Matrix<T> b = tb ? Matrix<T>{c.in<T>(1), 1, bs[1]} : Matrix<T>{c.in<T>(1), bs[1], 1};
  multiply_any(a, b, c.out<T>(), ta ? as[1] : as[0], tb ? bs[0] : bs[1], ta ? as[0] : as[1]);
}

template <class T>
void batch_matmul(KernelContext& c) {
  const bool ta = c.attrs.get_or("adj_x"_attr, false);
  const bool tb = c.attrs.get_or("adj_y"_attr, false);
  const Shape& as = c.inputs[0].shape();
  const Shape& bs = c.inputs[1].shape();
  const Shape& os = c.outputs[0].shape();
  const int64_t rows_a = as[as.rank() - 2], columns_a = as[as.rank() - 1];
  const int64_t rows_b = bs[bs.rank() - 2], columns_b = bs[bs.rank() - 1];
  const int64_t m = os[os.rank() - 2], n = os[os.rank() - 1];
  const int64_t depth = ta ? rows_a : columns_a;
  // Adjoint operands are conjugated copies.
  Tensor conjugated[2];
  auto memory = [&](size_t i, bool adjoint) {
    const T* data = c.in<T>(i);
    if constexpr (functors::is_complex_v<T>) {
      if (adjoint) {
        conjugated[i] = Tensor::empty(c.inputs[i].dtype(), c.inputs[i].shape());
        for (int64_t k = 0, size = conjugated[i].elements(); k < size; ++k)
          conjugated[i].data<T>()[k] = std::conj(data[k]);
        return static_cast<const T*>(conjugated[i].data<T>());
      }
    }
    (void)adjoint;
    return data;
  };
  const T* a_data = memory(0, ta);
  const T* b_data = memory(1, tb);
  const int64_t batches = m * n == 0 ? 0 : os.elements() / (m * n);
  const int batch_rank = os.rank() - 2;
  auto one = [&](int64_t index) {
    int64_t a_at = 0, b_at = 0, a_stride = 1, b_stride = 1, rest = index;
    for (int d = batch_rank - 1; d >= 0; --d) {
      const int64_t here = rest % os[d];
      rest /= os[d];
      const int ad = d - (os.rank() - as.rank());
      const int bd = d - (os.rank() - bs.rank());
      if (ad >= 0) {
        if (as[ad] != 1) a_at += here * a_stride;
        a_stride *= as[ad];
      }
      if (bd >= 0) {
        if (bs[bd] != 1) b_at += here * b_stride;
        b_stride *= bs[bd];
      }
    }
    const T* pa = a_data + a_at * rows_a * columns_a;
    const T* pb = b_data + b_at * rows_b * columns_b;
    const Matrix<T> a = ta ? Matrix<T>{pa, 1, columns_a} : Matrix<T>{pa, columns_a, 1};
    const Matrix<T> b = tb ? Matrix<T>{pb, 1, columns_b} : Matrix<T>{pb, columns_b, 1};
    multiply_any(a, b, c.out<T>() + index * m * n, m, n, depth);
  };
  if (batches == 1) {
    one(0);
  } else {
    const int64_t work = batches == 0 ? 1 : std::max<int64_t>(1, m * n * depth);
    parallel_for(batches, std::max<int64_t>(1, (1 << 15) / work),
                 [&](int64_t begin, int64_t end) { for (int64_t i = begin; i < end; ++i) one(i); });
  }
}

template <class... Types>
void products() {
  (on_cpu("MatMul", bit_of(dtype_of<Types>), matmul<Types>), ...);
  (on_cpu("BatchMatMulV2", bit_of(dtype_of<Types>), batch_matmul<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  products<float, double, Float16, BFloat16, int32_t, int64_t, std::complex<float>, std::complex<double>>();
  on_cpu("BatchMatMulV2", bit_of(DType::kInt16), batch_matmul<int16_t>);
}

}  // namespace footlight::FL_ISA
