// Select: one of two tensors for each element, or for each row.
#include "kernels/cpu/register.h"

#include <cstring>
#include <string>

namespace footlight::FL_ISA {

namespace {

// Calls copy(to, from an input, how many elements) for each element of the condition.
template <class Copy>
void choose(KernelContext& c, Copy&& copy) {
  const Tensor& condition = c.inputs[0];
  const int64_t choices = condition.elements(), all = c.outputs[0].elements();
  if (all == 0 || choices == 0) return;
  const int64_t each = all / choices;
  for (int64_t i = 0; i < choices; ++i) copy(i * each, c.inputs[condition.data<bool>()[i] ? 1 : 2], each);
}

void select_plain(KernelContext& c) {
  const size_t size = size_of(c.outputs[0].dtype());
  auto* out = static_cast<std::byte*>(c.outputs[0].raw());
  choose(c, [&](int64_t at, const Tensor& from, int64_t count) {
    const size_t offset = static_cast<size_t>(at) * size;
    std::memcpy(out + offset, static_cast<const std::byte*>(from.raw()) + offset, static_cast<size_t>(count) * size);
  });
}

void select_strings(KernelContext& c) {
  auto* out = c.outputs[0].data<std::string>();
  choose(c, [&](int64_t at, const Tensor& from, int64_t count) {
    std::copy_n(from.data<std::string>() + at, count, out + at);
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("Select", kPlainTypes, select_plain);
  on_cpu("Select", bit_of(DType::kString), select_strings);
}

}  // namespace footlight::FL_ISA
