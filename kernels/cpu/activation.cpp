// Kernels of activation functions and of their gradients.
#include "kernels/functors/activation.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

namespace {

// Computes out = x > 0 ? in : alpha in, for two inputs of one shape or for one input given twice.
template <class T>
void scale_negative(KernelContext& c, const Tensor& in_tensor, const Tensor& x_tensor) {
  using C = Compute<T>;
  if (!(in_tensor.shape() == x_tensor.shape()))
    invalid("the gradients have shape ", in_tensor.shape().to_string(), ", the features ", x_tensor.shape().to_string(),
            " [Op:", c.row.name, "]");
  const C alpha = static_cast<C>(c.attrs.get_or("alpha"_attr, 0.2f));
  const T* in = in_tensor.data<T>();
  const T* x = x_tensor.data<T>();
  T* out = c.out<T>();
  parallel_for(c.outputs[0].elements(), kParallelElements, [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<C, T>) {
      const T slope = alpha;  // a local copy: the output could alias the member, for all the compiler knows
      const T* v = in;
      const T* of = x;
      T* to = out;
#pragma GCC ivdep
      for (int64_t i = begin; i < end; ++i) to[i] = v[i] * (of[i] > T(0) ? T(1) : slope);
    } else {
      binary_by_blocks(in + begin, 1, x + begin, 1, out + begin, end - begin,
                       [&](const float* v, int, const float* of, int, float* to, int64_t n) {
                         const float slope = alpha;
#pragma GCC ivdep
                         for (int64_t i = 0; i < n; ++i) to[i] = v[i] * (of[i] > 0.0f ? 1.0f : slope);
                       });
    }
  });
}
template <class T>
void leaky_relu(KernelContext& c) { scale_negative<T>(c, c.inputs[0], c.inputs[0]); }
template <class T>
void leaky_relu_grad(KernelContext& c) { scale_negative<T>(c, c.inputs[0], c.inputs[1]); }

template <class... Types>
void leaky_kernels() {
  (on_cpu("LeakyRelu", bit_of(dtype_of<Types>), leaky_relu<Types>), ...);
  (on_cpu("LeakyReluGrad", bit_of(dtype_of<Types>), leaky_relu_grad<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  unary<functors::Relu6, FL_FLOATS, FL_INTEGERS>("Relu6");
  binary<functors::Relu6Grad, FL_FLOATS, FL_INTEGERS>("Relu6Grad");
  costly_unary<functors::Elu, FL_FLOATS>("Elu");
  binary<functors::EluGrad, FL_FLOATS>("EluGrad");
  costly_unary<functors::Selu, FL_FLOATS>("Selu");
  binary<functors::SeluGrad, float, double>("SeluGrad");
  costly_unary<functors::Softplus, FL_FLOATS>("Softplus");
  costly_binary<functors::SoftplusGrad, FL_FLOATS>("SoftplusGrad");
  unary<functors::Softsign, FL_FLOATS>("Softsign");
  binary<functors::SoftsignGrad, FL_FLOATS>("SoftsignGrad");
  leaky_kernels<FL_FLOATS>();
}

}  // namespace footlight::FL_ISA
