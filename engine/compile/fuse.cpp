// Tiles are shared by values that are not needed at the same time; a step may write where it reads for the last time.
#include "engine/compile/fuse.h"

#include <algorithm>

namespace footlight::compile {

using optimize::Rewrite;

namespace {

class Fusing {
 public:
  Fusing(const Rewrite& rewrite, std::span<const NodeId> members, const std::function<bool(NodeId)>& dies_inside,
         const SlotPlan& slots, std::vector<Edge>& outside)
      : rewrite_(rewrite), members_(members), dies_inside_(dies_inside), slots_(slots), outside_(outside) {
    if (!reduces_last_dims(rewrite, rewrite.node(members.back()))) return;
    reduces_ = members.back();
    members_ = members.first(members.size() - 1);
  }

  FusedGroup make(bool certain) {
    gather_outside();
    size_t steps = 0;
    for (const NodeId id : members_) steps += steps_of(rewrite_.node(id));
    group_.values.reserve(outside_.size() + steps);
    group_.steps.reserve(steps);
    group_.results.reserve(static_cast<size_t>(std::ranges::count_if(members_, std::not_fn(dies_inside_))));
    for (const Edge edge : outside_)
      add_value(rewrite_.node(edge.node).dtypes[edge.output], FusedGroup::Place::kOutside);
    for (size_t m = 0; m < members_.size(); ++m) add_steps(m);
    if (reduces_) add_reduction();
    last_read_.assign(group_.values.size(), 0);
    for (uint16_t s = 0; s < group_.steps.size(); ++s)
      for (uint8_t k = 0; k < group_.steps[s].inputs; ++k) last_read_[group_.steps[s].in[k]] = s;
    share_tiles();
    if (certain) settle();
    take_over();
    return std::move(group_);
  }

 private:
  size_t member(Edge edge) const {
    return static_cast<size_t>(std::ranges::find(members_, edge.node) - members_.begin());
  }

  void gather_outside() {
    for (const NodeId id : members_) {
      for (Edge edge : rewrite_.node(id).inputs) {
        const Edge from = rewrite_.resolve(edge);
        if (member(from) == members_.size() && std::ranges::find(outside_, from) == outside_.end())
          outside_.push_back(from);
      }
    }
    group_.outside = static_cast<uint32_t>(outside_.size());
  }

  void add_value(DType dtype, FusedGroup::Place place) {
    const auto size = static_cast<uint8_t>(size_of(dtype));
    group_.values.push_back({dtype, size, place, static_cast<uint16_t>(group_.values.size())});
    group_.widest = std::max(group_.widest, size);
  }

  uint16_t value_of(Edge edge) const {
    const Edge from = rewrite_.resolve(edge);
    const size_t made = member(from);
    if (made < members_.size()) return made_[made];
    return static_cast<uint16_t>(std::ranges::find(outside_, from) - outside_.begin());
  }

  void add_steps(size_t member) {
    const NodeId id = members_[member];
    const Node& node = rewrite_.node(id);
    FusedGroup::Step step;
    step.loop = element_loop(rewrite_, node);
    step.member = static_cast<uint16_t>(member);
    step.alike = joins_list(*node.op);
    const size_t at_once = step.alike ? 2 : node.inputs.size();
    step.inputs = static_cast<uint8_t>(at_once);
    for (size_t k = 0; k < at_once; ++k) step.in[k] = value_of(node.inputs[k]);
    add_step(step, node.dtypes[0]);
    for (size_t k = at_once; k < node.inputs.size(); ++k) {
      step.in[0] = group_.steps.back().out;
      step.in[1] = value_of(node.inputs[k]);
      add_step(step, node.dtypes[0]);
    }
    made_.push_back(group_.steps.back().out);
    if (dies_inside_(id)) return;
    FusedGroup::Value& value = group_.values.back();
    value.place = FusedGroup::Place::kResult;
    value.index = static_cast<uint16_t>(group_.results.size());
    group_.results.push_back({made_.back(), slots_.slot(id), value.dtype, FusedGroup::kNoReuse});
  }

  void add_reduction() {
    const Node& node = rewrite_.node(*reduces_);
    FusedGroup::Reduction& reduction = group_.reduction.emplace(*reduces_last_dims(rewrite_, node));
    reduction.value = value_of(node.inputs[0]);
    reduction.slot = slots_.slot(*reduces_);
    reduction.dtype = node.dtypes[0];
    group_.values[reduction.value].place = FusedGroup::Place::kReduced;
    group_.weight += 1;
  }

  void add_step(FusedGroup::Step& step, DType dtype) {
    step.out = static_cast<uint16_t>(group_.values.size());
    group_.weight += step.loop.weight;
    group_.steps.push_back(step);
    add_value(dtype, FusedGroup::Place::kTile);
  }

  void share_tiles() {
    struct Tile {
      uint16_t value;  // that it holds
      bool used;
    };
    std::vector<Tile> tiles;
    for (uint16_t s = 0; s < group_.steps.size(); ++s) {
      FusedGroup::Value& out = group_.values[group_.steps[s].out];
      // In place only among elements of one size.
      for (Tile& tile : tiles)
        if (tile.used && last_read_[tile.value] < s) tile.used = false;
      if (out.place != FusedGroup::Place::kTile) continue;
      const auto serves = [&](const Tile& tile) {
        return !tile.used || (last_read_[tile.value] == s && group_.values[tile.value].size == out.size);
      };
      auto found = std::ranges::find_if(tiles, serves);
      if (found == tiles.end()) found = tiles.insert(tiles.end(), Tile{});
      *found = {group_.steps[s].out, true};
      last_read_[group_.steps[s].out] = std::max(last_read_[group_.steps[s].out], s);
      out.index = static_cast<uint16_t>(found - tiles.begin());
    }
    group_.tiles = static_cast<uint16_t>(tiles.size());
  }

  // All shapes are known: they need not be looked at again.
  void settle() {
    const Shape& common = rewrite_.node(members_[0]).shapes[0];
    if (!common.fully_known()) return;
    std::vector<Spread> spreads;
    bool alike = true;
    for (const Edge edge : outside_) {
      const Shape& shape = rewrite_.node(edge.node).shapes[edge.output];
      const auto how = shape.fully_known() ? spread(shape, common) : std::nullopt;
      if (!how) return;
      spreads.push_back(*how);
      alike = alike && shape == common;
    }
    if (!alike) group_.spreads.assign(spreads.begin(), spreads.end());  // in no more memory than they need
    group_.settled = true;
  }

  // The memory of a large value that dies here, once it was read, for a result; if it may have that shape.
  void take_over() {
    const Shape& common = rewrite_.node(members_[0]).shapes[0];
    std::vector<bool> taken(outside_.size(), false);
    for (FusedGroup::Result& result : group_.results) {
      const uint32_t step = result.value - group_.outside;
      if (slots_.keeps(members_[group_.steps[step].member])) continue;
      for (size_t i = 0; i < outside_.size(); ++i) {
        const NodeId from = outside_[i].node;
        const Node& made = rewrite_.node(from);
        const bool frame = !rewrite_.constant(outside_[i]) && made.op->execution != Execution::kPlaceholder;
        if (taken[i] || !frame || slots_.keeps(from) || !dies_inside_(from) || last_read_[i] > step) continue;
        if (group_.values[i].dtype != result.dtype || !compatible(made.shapes[outside_[i].output], common)) continue;
        result.reuse = static_cast<uint8_t>(i);
        taken[i] = true;
        break;
      }
    }
  }

  const Rewrite& rewrite_;
  std::span<const NodeId> members_;  // those with steps
  std::optional<NodeId> reduces_;    // the one that comes after them
  const std::function<bool(NodeId)>& dies_inside_;
  const SlotPlan& slots_;
  std::vector<Edge>& outside_;
  FusedGroup group_;
  std::vector<uint16_t> made_;       // the value of each member
  std::vector<uint16_t> last_read_;  // the step that reads a value last
};

}  // namespace

FusedGroup fuse(const Rewrite& rewrite, std::span<const NodeId> members, const std::function<bool(NodeId)>& dies_inside,
                const SlotPlan& slots, bool certain, std::vector<Edge>& outside) {
  return Fusing(rewrite, members, dies_inside, slots, outside).make(certain);
}

}  // namespace footlight::compile
