// Kernels that make keys and counters of random streams.
#include "kernels/cpu/register.h"
#include "kernels/functors/random_draw.h"

#include "engine/base/text.h"

namespace footlight::FL_ISA {

namespace {

constexpr int32_t kPhilox = 1;

void get_key_counter(KernelContext& c) {
  const Tensor& seeds = c.inputs[0];
  if (seeds.elements() != 2)
    invalid("seed must have shape [2], not ", seeds.shape().brackets(), " [Op:", c.row.name, "]");
  const bool wide = seeds.dtype() == DType::kInt64;
  const auto seed = [&](size_t k) {
    return static_cast<uint64_t>(wide ? seeds.data<int64_t>()[k] : seeds.data<int32_t>()[k]);
  };
  const Philox p = mixed(seed(0), seed(1));
  *c.out<uint64_t>(0) = static_cast<uint64_t>(p.key[1]) << 32 | p.key[0];
  c.out<uint64_t>(1)[0] = 0;
  c.out<uint64_t>(1)[1] = static_cast<uint64_t>(p.counter[3]) << 32 | p.counter[2];
  if (c.outputs.size() > 2) *c.out<int32_t>(2) = kPhilox;
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("StatelessRandomGetKeyCounter", kAllTypes, get_key_counter);
  on_cpu("StatelessRandomGetKeyCounterAlg", kAllTypes, get_key_counter);
  on_cpu("StatelessRandomGetAlg", kAllTypes, [](KernelContext& c) { *c.out<int32_t>(0) = kPhilox; });
}

}  // namespace footlight::FL_ISA
