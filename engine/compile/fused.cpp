// Shapes that are known only when a group runs.
#include "engine/compile/fused.h"

#include <algorithm>

namespace footlight::compile {
namespace {

// Grows `common` to what it and `shape` broadcast to.
bool broadcast_into(Shape& common, const Shape& shape) {
  if (common == shape) return true;
  const int rank = std::max(common.rank(), shape.rank());
  Shape both = Shape::of_rank(rank, 1);
  for (int k = 1; k <= rank; ++k) {
    const int64_t a = k <= common.rank() ? common[common.rank() - k] : 1;
    const int64_t b = k <= shape.rank() ? shape[shape.rank() - k] : 1;
    if (a != b && a != 1 && b != 1) return false;
    both.set(rank - k, a == 1 ? b : a);
  }
  common = both;
  return true;
}

}  // namespace

bool FusedGroup::fit(std::span<const Tensor> inputs, Shape& common, std::span<Spread> over) const {
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    const bool grown = std::any_of(step.in, step.in + step.inputs, [&](uint16_t v) { return v >= outside; });
    if (grown) continue;  // one of its inputs has the common shape already
    Shape own = inputs[step.in[0]].shape();
    for (uint8_t k = 1; k < step.inputs; ++k)
      if (!broadcast_into(own, inputs[step.in[k]].shape())) return false;
    if (s == 0) common = own;
    else if (!(own == common)) return false;
  }
  for (size_t i = 0; i < outside; ++i) {
    const std::optional<Spread> how = spread(inputs[i].shape(), common);
    if (!how) return false;
    over[i] = *how;
  }
  if (reduction && common.rank() != reduction->rank) return false;
  for (const Step& step : steps)
    for (uint8_t k = 0; step.alike && k < step.inputs; ++k)
      if (step.in[k] < outside && !(inputs[step.in[k]].shape() == common)) return false;
  return true;
}

}  // namespace footlight::compile
