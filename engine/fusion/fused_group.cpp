// Infers the shapes of a group that are known only when it runs, and compares groups.
#include "engine/fusion/fused_group.h"

#include <algorithm>
#include <tuple>

namespace footlight::fusion {
namespace {

// Replaces `common` by the shape to which it and `shape` broadcast. False if they do not.
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

bool FusedGroup::is_repeated(uint16_t value) const {
  return value >= num_outside && steps[value - num_outside].kind == Step::Kind::kRepeat;
}

uint64_t FusedGroup::cost_of(const Step& step, const Shape& whole) const {
  uint64_t cost = step.weight();
  if (!by_rows || (step.kind != Step::Kind::kReduce && values[step.out].level != Level::kWhole)) return cost;
  for (int d = dims.first; d < dims.last; ++d) cost *= static_cast<uint64_t>(std::max<int64_t>(1, whole[d]));
  return cost;
}

bool FusedGroup::infer_shapes(std::span<const Tensor> inputs, Shape& common, std::span<Spread> over) const {
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step& step = steps[s];
    if (step.kind == Step::Kind::kRepeat || (step.kind == Step::Kind::kReduce && s)) continue;
    if (values[step.out].level != Level::kWhole && s) continue;  // its other inputs broadcast to the reduced shape
    const auto has_common_shape = [&](uint16_t v) {
      return v >= num_outside && values[v].level == Level::kWhole && !is_repeated(v);
    };
    if (std::any_of(step.in, step.in + step.inputs, has_common_shape)) continue;  // so the result has it too
    Shape own;
    for (uint8_t k = 0; k < step.inputs; ++k) {
      const uint16_t v = step.in[k];
      const Shape shape = v < num_outside ? inputs[v].shape() : dims.shape(common, true);
      if (k == 0) own = shape;
      else if (!broadcast_into(own, shape)) return false;
    }
    if (s == 0) common = own;
    else if (!(own == common)) return false;
    if (s == 0 && num_reductions && common.rank() != dims.rank) return false;
  }
  if (by_rows && common.elements() == 0) return false;
  for (size_t i = 0; i < num_outside; ++i) {
    const std::optional<Spread> found = spread(inputs[i].shape(), shape_of(values[i], common));
    if (!found) return false;
    over[i] = *found;
  }
  for (const Step& step : steps)
    for (uint8_t k = 0; (step.same_shape || step.kind == Step::Kind::kReduce) && k < step.inputs; ++k)
      if (step.in[k] < num_outside && !(inputs[step.in[k]].shape() == shape_of(values[step.in[k]], common)))
        return false;
  return true;
}

bool FusedGroup::equivalent_to(const FusedGroup& o) const {
  const auto members = [](const FusedGroup& g) {
    return std::tie(g.by_rows, g.num_reductions, g.num_outside, g.num_tiles, g.num_row_tiles, g.max_element_size,
                    g.weight, g.is_static, g.dims, g.shape, g.values, g.steps, g.results, g.spreads);
  };
  return members(*this) == members(o);
}

size_t FusedGroup::hash() const {
  size_t all = num_outside + 31 * results.size();
  const auto add = [&](size_t more) { all = all * 0x9e3779b97f4a7c15u + more + (all >> 29); };
  for (const Step& step : steps) add(step.loop.address() + static_cast<size_t>(step.in[0] + step.in[1] * 64));
  for (const Result& result : results) add(result.value);
  for (const int64_t size : shape.dims()) add(static_cast<size_t>(size));
  return all;
}

}  // namespace footlight::fusion
