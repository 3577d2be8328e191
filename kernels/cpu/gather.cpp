// Kernels of gather.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/elements.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <cstring>

namespace footlight::FL_ISA {

namespace {

// The layout of a gather: [batch, outer, axis, inner] of the parameters, [batch, many] of the indices.
struct GatherLayout {
  int64_t batch, outer, size, inner, many;
};

GatherLayout gather_layout(KernelContext& c, const Shape& params) {
  const Shape& indices = c.inputs[1].shape();
  const int axis = static_cast<int>(from_end(ints_of(c.inputs[2])[0], params.rank()));
  int64_t batch_dims = c.attrs.get_or("batch_dims"_attr, int64_t{0});
  if (batch_dims < 0) batch_dims += indices.rank();
  const int b = static_cast<int>(batch_dims);
  for (int d = 0; d < b; ++d)
    if (params[d] != indices[d])
      invalid("params.shape[", d, "]: ", params[d], " should be equal to indices.shape[", d,
              "]: ", indices[d], " [Op:GatherV2]");
  return {product(params, 0, b), product(params, b, axis), params[axis], product(params, axis + 1, params.rank()),
          product(indices, b, indices.rank())};
}

// Converts the indices to 64 bits and checks their bounds.
BufferPtr checked_indices(KernelContext& c, const GatherLayout& w) {
  const Tensor& indices = c.inputs[1];
  const int64_t n = indices.elements();
  const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(n) * sizeof(int64_t));
  int64_t* to = static_cast<int64_t*>(memory->data());
  bool wrong = false;
  const auto read = [&](const auto* from) {
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<int64_t>(from[i]);
      wrong |= static_cast<uint64_t>(to[i]) >= static_cast<uint64_t>(w.size);
    }
  };
  if (indices.dtype() == DType::kInt32) {
    read(indices.data<int32_t>());
  } else if (indices.dtype() == DType::kInt64) {
    read(indices.data<int64_t>());
  } else {
    for (int64_t i = 0; i < n; ++i) {
      to[i] = int_at(indices, i);
      wrong |= to[i] < 0 || to[i] >= w.size;
    }
  }
  for (int64_t i = 0; wrong && i < n; ++i)
    if (to[i] < 0 || to[i] >= w.size)
      invalid("indices", indices.shape().rank() ? str("[", place_in(indices.shape(), i), "]") : "", " = ", to[i],
              " is not in [0, ", w.size, ") [Op:", c.row.name,
              "]");
  return memory;
}

void gather(KernelContext& c) {
  const GatherLayout w = gather_layout(c, c.inputs[0].shape());
  const BufferPtr memory = checked_indices(c, w);
  const int64_t* indices = static_cast<const int64_t*>(memory->data());
  const DType dtype = c.outputs[0].dtype();
  const void* in = c.inputs[0].raw();
  void* out = c.outputs[0].raw();
  const int64_t lines = w.batch * w.outer;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, w.inner));
  const auto for_each_index = [&](auto&& move) {
    parallel_for(lines * w.many, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end;) {
        const int64_t line = i / w.many, m = i % w.many;
        const int64_t* from = indices + line / w.outer * w.many;
        const int64_t stop = std::min(w.many, m + end - i);
        for (int64_t k = m; k < stop; ++k) move(line * w.size + from[k], line * w.many + k);
        i += stop - m;
      }
    });
  };
  if (w.many == 0) return;
  if (w.inner == 1 && is_plain(dtype) && size_of(dtype) == 4) {
    for_each_index(
        [&](int64_t from, int64_t to) { static_cast<uint32_t*>(out)[to] = static_cast<const uint32_t*>(in)[from]; });
  } else if (w.inner == 1 && is_plain(dtype) && size_of(dtype) == 8) {
    for_each_index(
        [&](int64_t from, int64_t to) { static_cast<uint64_t*>(out)[to] = static_cast<const uint64_t*>(in)[from]; });
  } else {
    for_each_index([&](int64_t from, int64_t to) { copy(dtype, in, from * w.inner, out, to * w.inner, w.inner); });
  }
}

template <class T>
void gather_grad(KernelContext& c) {
  using C = functors::Compute<T>;
  const GatherLayout w = gather_layout(c, c.outputs[0].shape());
  std::memset(c.outputs[0].raw(), 0, c.outputs[0].bytes());
  const T* grad = c.in<T>(3);
  T* out = c.out<T>();
  const BufferPtr memory = checked_indices(c, w);
  const int64_t* indices = static_cast<const int64_t*>(memory->data());
  for (int64_t line = 0; line < w.batch * w.outer; ++line)
    for (int64_t m = 0; m < w.many; ++m, grad += w.inner) {
      T* to = out + (line * w.size + indices[line / w.outer * w.many + m]) * w.inner;
      for (int64_t i = 0; i < w.inner; ++i)
        to[i] = static_cast<T>(functors::Add()(static_cast<C>(to[i]), static_cast<C>(grad[i])));
    }
}

template <class... Types>
void gather_grads() { (on_cpu("GatherGrad", bit_of(dtype_of<Types>), gather_grad<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  on_cpu("GatherV2", kAllTypes, gather);
  gather_grads<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
               Float16, BFloat16, std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
