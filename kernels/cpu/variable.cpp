// Kernels of variables.
#include "engine/base/thread_pool.h"
#include "engine/tensor/gpu.h"
#include "engine/tensor/variable.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace footlight::FL_ISA {

namespace {

Variable& variable(KernelContext& c) {
  Variable* v = variable_of(c.inputs[0]);
  if (!v)
    fail(ErrorKind::kFailedPrecondition,
         "the resource is no variable, or the variable was deleted [Op:", c.row.name, "]");
  return *v;
}

void make_handle(KernelContext& c) {
  static const AttrName kHeld{"_held"};  // a node of a tf.Graph that uses a variable of the program
  if (const AttrValue* held = c.attrs.find(kHeld)) {
    c.outputs[0] = std::get<Tensor>(*held);
    return;
  }
  c.outputs[0] = Tensor::resource(new Variable(c.attrs.get<DType>("dtype"_attr), c.attrs.get<Shape>("shape"_attr),
                                               c.attrs.get_or("shared_name"_attr, std::string("Variable"))));
}

void read(KernelContext& c) { c.outputs[0] = variable(c).read(); }
void assign(KernelContext& c) { variable(c).assign(c.inputs[1]); }
void is_initialized(KernelContext& c) { *c.out<bool>() = variable(c).initialized(); }

void shape_of_variable(KernelContext& c) {
  const Tensor value = variable(c).read();
  const DType type = c.attrs.get_or("out_type"_attr, DType::kInt32);
  Tensor& out = c.set_output(0, type, Shape{value.shape().rank()});
  for (int d = 0; d < value.shape().rank(); ++d) {
    if (type == DType::kInt64) out.data<int64_t>()[d] = value.shape()[d];
    else out.data<int32_t>()[d] = static_cast<int32_t>(value.shape()[d]);
  }
}

// Updates all elements even if the loop is cancelled meanwhile, so that a variable is never half updated.
template <class F, class T>
void update_all(const T* a, const T* b, T* out, int64_t n) {
  const int64_t pieces = (n + kParallelElements - 1) / kParallelElements;
  const auto update_piece = [&](int64_t piece) {
    const int64_t begin = piece * kParallelElements;
    binary_loop<F, T, T>(a + begin, 1, b + begin, 1, out + begin, std::min(kParallelElements, n - begin));
  };
  if (pieces <= 1) {
    if (n) update_piece(0);
    return;
  }
  std::vector<char> done(static_cast<size_t>(pieces), 0);
  auto rest = [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      if (!std::exchange(done[static_cast<size_t>(piece)], 1)) update_piece(piece);
  };
  try {
    parallel_for(pieces, 1, rest);
  } catch (...) {
    rest(0, pieces);
    throw;
  }
}

// Updates in place if nobody holds the value that was read before, else into a new tensor.
template <class F, class T>
void update(KernelContext& c) {
  const Tensor& by = c.inputs[1];
  Variable& v = variable(c);
  v.update([&](Tensor& value) {
    if (value.shape() != by.shape())
      invalid("Cannot update variable '", v.name(), "' with shape ", value.shape().brackets(),
              " using a Tensor with shape ", by.shape().brackets(),
              ", shapes must be equal. [Op:", c.row.name, "]");
    value = gpu::on_host(value);  // tf.device may have placed it elsewhere
    Tensor to = value.exclusive() ? value : Tensor::empty(value.dtype(), value.shape());
    update_all<F>(value.data<T>(), by.data<T>(), to.data<T>(), value.elements());
    value = to;
  });
}

template <class... Types>
void updates() {
  (on_cpu("AssignAddVariableOp", bit_of(dtype_of<Types>), update<functors::Add, Types>), ...);
  (on_cpu("AssignSubVariableOp", bit_of(dtype_of<Types>), update<functors::Sub, Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  const uint32_t resource = bit_of(DType::kResource);
  on_cpu("VarHandleOp", resource, make_handle);
  on_cpu("ReadVariableOp", resource, read);
  on_cpu("AssignVariableOp", kAllTypes, assign);
  on_cpu("VarIsInitializedOp", resource, is_initialized);
  on_cpu("VariableShape", resource, shape_of_variable);
  updates<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
          std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
