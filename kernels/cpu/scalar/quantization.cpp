// Kernels that round numbers as if they were kept in a few bits.
#include "kernels/cpu/register.h"

#include <algorithm>
#include <cmath>

namespace footlight::FL_ISA {

namespace {

// The range, moved so that zero is one of its steps.
struct QuantizedRange {
  float low, high, size, zero;
  bool is_empty;  // both ends are zero

  QuantizedRange(const KernelContext& c, float min, float max) : is_empty(min == 0 && max == 0) {
    const auto first = c.attrs.get_or("narrow_range"_attr, false) ? 1.f : 0.f;
    const auto last = static_cast<float>((1 << c.attrs.get_or("num_bits"_attr, int64_t{8})) - 1);
    size = (max - min) / (last - first);
    const float place = first - min / size;
    const float nudged = place < first ? first : place > last ? last : std::round(place);
    low = (first - nudged) * size;
    high = (last - nudged) * size;
    zero = std::floor(-low / size + 0.5f);
  }
  float operator()(float x) const {
    if (is_empty) return 0;
    const float within = std::min(std::max(x, low), high);
    return std::floor((within - low) * (1 / size) - zero + 0.5f) * size;
  }
};

QuantizedRange fixed_steps(const KernelContext& c) {
  return {c, c.attrs.get_or("min"_attr, -6.f), c.attrs.get_or("max"_attr, 6.f)};
}

void fixed(KernelContext& c) {
  const QuantizedRange steps = fixed_steps(c);
  std::transform(c.in<float>(0), c.in<float>(0) + c.inputs[0].elements(), c.out<float>(), steps);
}

void fixed_back(KernelContext& c) {
  const QuantizedRange steps = fixed_steps(c);
  const float *g = c.in<float>(0), *x = c.in<float>(1);
  for (int64_t i = 0; i < c.inputs[0].elements(); ++i)
    c.out<float>()[i] = x[i] >= steps.low && x[i] <= steps.high ? g[i] : 0;
}

// Inputs `min` and `max` for all elements, or for each channel.
void given(KernelContext& c) {
  const int64_t channels = std::max<int64_t>(1, c.inputs[1].elements());
  const float *x = c.in<float>(0), *min = c.in<float>(1), *max = c.in<float>(2);
  for (int64_t k = 0; k < channels && c.inputs[0].elements() > 0; ++k) {
    const QuantizedRange steps(c, min[k], max[k]);
    for (int64_t i = k; i < c.inputs[0].elements(); i += channels) c.out<float>()[i] = steps(x[i]);
  }
}

void given_back(KernelContext& c) {
  const int64_t channels = c.inputs[2].elements();
  const float *g = c.in<float>(0), *x = c.in<float>(1), *min = c.in<float>(2), *max = c.in<float>(3);
  for (int64_t k = 0; k < channels; ++k) {
    const QuantizedRange steps(c, min[k], max[k]);
    float below = 0, above = 0;
    for (int64_t i = k; i < c.inputs[0].elements(); i += channels) {
      const bool low = !steps.is_empty && x[i] < steps.low, high = !steps.is_empty && x[i] > steps.high;
      c.out<float>(0)[i] = low || high ? 0 : g[i];
      below += low ? g[i] : 0;
      above += high ? g[i] : 0;
    }
    c.out<float>(1)[k] = below;
    c.out<float>(2)[k] = above;
  }
}

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kFloat = bit_of(DType::kFloat32);
  on_cpu("FakeQuantWithMinMaxArgs", kFloat, fixed);
  on_cpu("FakeQuantWithMinMaxArgsGradient", kFloat, fixed_back);
  on_cpu("FakeQuantWithMinMaxVars", kFloat, given);
  on_cpu("FakeQuantWithMinMaxVarsGradient", kFloat, given_back);
  on_cpu("FakeQuantWithMinMaxVarsPerChannel", kFloat, given);
  on_cpu("FakeQuantWithMinMaxVarsPerChannelGradient", kFloat, given_back);
}

}  // namespace footlight::FL_ISA
