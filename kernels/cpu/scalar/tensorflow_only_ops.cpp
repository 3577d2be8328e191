// Kernels of the ops that only graphs of TensorFlow contain.
#include "kernels/cpu/elements.h"
#include "kernels/functors/common.h"

namespace footlight::FL_ISA {

namespace {

struct Run {
  int32_t first, script;
};
#include "kernels/cpu/scalar/unicode_scripts.inc"

void unicode_script(KernelContext& c) {
  for (int64_t k = 0; k < c.inputs[0].elements(); ++k) {
    const int32_t character = c.in<int32_t>(0)[k];
    const Run* after = std::upper_bound(std::begin(kScripts), std::end(kScripts), character,
                                        [](int32_t x, const Run& run) { return x < run.first; });
    c.out<int32_t>()[k] = character < 0 || character > 0x10ffff ? -1 : after[-1].script;
  }
}

template <class T>
void bucketize(KernelContext& c) {
  const auto boundaries = c.attrs.get_or("boundaries"_attr, std::vector<float>());
  for (int64_t k = 0; k < c.inputs[0].elements(); ++k) {
    const auto above = std::ranges::upper_bound(boundaries, c.in<T>(0)[k], [](const auto& x, const auto& y) {
      return static_cast<double>(x) < static_cast<double>(y);
    });
    c.out<int32_t>()[k] = static_cast<int32_t>(above - boundaries.begin());
  }
}

void empty(KernelContext& c) { clear(c.outputs[0]); }

void to_bool(KernelContext& c) {
  const Tensor& x = c.inputs[0];
  bool truth = x.elements() > 0;
  if (x.shape().rank() == 0) {
    if (x.dtype() == DType::kString)
      truth = !x.data<std::string>()->empty();
    else
      with_plain_type(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        truth = static_cast<functors::Compute<T>>(*x.data<T>()) != functors::Compute<T>(0);
      });
  }
  *c.out<bool>() = truth;
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("UnicodeScript", kAllTypes, unicode_script);
  on_cpu("Bucketize", bit_of(DType::kInt32), bucketize<int32_t>);
  on_cpu("Bucketize", bit_of(DType::kInt64), bucketize<int64_t>);
  on_cpu("Bucketize", bit_of(DType::kFloat32), bucketize<float>);
  on_cpu("Bucketize", bit_of(DType::kFloat64), bucketize<double>);
  on_cpu("Empty", kAllTypes, empty);
  on_cpu("ToBool", kAllTypes, to_bool);
}

}  // namespace footlight::FL_ISA
