// Builds the steps of a group and assigns tiles: values that are not needed at the same time share one, and a step may
// overwrite an input that it reads for the last time.
#include "engine/fusion/fuse.h"

#include <algorithm>

namespace footlight::fusion {

using optimize::Rewrite;

namespace {

class GroupBuilder {
 public:
  GroupBuilder(const Rewrite& rewrite, const GroupMembers& members, const std::function<bool(NodeId)>& dies_inside,
               const std::function<bool(NodeId)>& keeps_slot, std::vector<Edge>& outside)
      : rewrite_(rewrite), members_(members.nodes), levels_(members.levels), dies_inside_(dies_inside),
        keeps_slot_(keeps_slot), outside_(outside) {
    group_.by_rows = members.by_rows;
  }

  FusedGroup build(bool certain) {
    size_t steps = 0;
    for (const NodeId id : members_) {
      const std::optional<FusibleReduction> reduced = fusible_reduction(rewrite_, rewrite_.node(id));
      steps += reduced ? 1 : num_steps(rewrite_.node(id));
      group_.num_reductions += reduced.has_value();
      if (reduced) group_.dims = *reduced;
    }
    gather_outside();
    group_.values.reserve(outside_.size() + steps);
    group_.steps.reserve(steps);
    group_.results.reserve(static_cast<size_t>(std::ranges::count_if(members_, std::not_fn(dies_inside_))));
    for (size_t i = 0; i < outside_.size(); ++i)
      add_value(rewrite_.node(outside_[i].node).dtypes[outside_[i].output], FusedGroup::Storage::kOutside, over_[i]);
    for (size_t m = 0; m < members_.size(); ++m) add_steps(m);
    last_read_.assign(group_.values.size(), 0);
    for (size_t s = 0; s < group_.steps.size(); ++s)
      for (size_t k = 0; k < group_.steps[s].inputs; ++k) last_read_[group_.steps[s].in[k]] = s;
    share_tiles();
    const NodeId first = members_[0];
    group_.shape = fusible_reduction(rewrite_, rewrite_.node(first)) ? shape_of(rewrite_.node(first).inputs[0])
                                                           : rewrite_.node(first).shapes[0];
    if (certain) resolve_spreads();
    reuse_inputs();
    const auto both = [](const FusedGroup::Step& a, const FusedGroup::Step& b) {
      return a.jit_op != JitOp::kNone && b.jit_op != JitOp::kNone;
    };
    if (std::ranges::adjacent_find(group_.steps, both) != group_.steps.end())
      group_.jit = std::make_shared<JitState>();
    return std::move(group_);
  }

 private:
  const Shape& shape_of(Edge edge) const {
    const Edge from = rewrite_.resolve(edge);
    return rewrite_.node(from.node).shapes[from.output];
  }
  size_t member(Edge edge) const {
    return static_cast<size_t>(std::ranges::find(members_, edge.node) - members_.begin());
  }
  // The values that a member reads in the loop. The second input of a reduction, its axes, is not one.
  std::span<const Edge> inputs_of(size_t member) const {
    const Node& node = rewrite_.node(members_[member]);
    const bool reduced = fusible_reduction(rewrite_, node).has_value();
    return std::span(node.inputs).first(reduced ? 1 : node.inputs.size());
  }
  Level level_read(size_t member) const {
    return fusible_reduction(rewrite_, rewrite_.node(members_[member])) ? Level::kWhole : levels_[member];
  }
  size_t outside_index(Edge from, Level level) const {
    size_t i = 0;
    while (i < outside_.size() && !(outside_[i] == from && over_[i] == level)) ++i;
    return i;
  }

  void gather_outside() {
    for (size_t m = 0; m < members_.size(); ++m) {
      for (Edge edge : inputs_of(m)) {
        const Edge from = rewrite_.resolve(edge);
        if (member(from) < members_.size() || outside_index(from, level_read(m)) < outside_.size()) continue;
        outside_.push_back(from);
        over_.push_back(level_read(m));
      }
    }
    group_.num_outside = static_cast<uint32_t>(outside_.size());
  }

  void add_value(DType dtype, FusedGroup::Storage storage, Level level) {
    const auto size = static_cast<uint8_t>(size_of(dtype));
    group_.values.push_back({dtype, size, storage, level, static_cast<uint16_t>(group_.values.size())});
    group_.max_element_size = std::max(group_.max_element_size, size);
  }

  // The value as member `by` reads it. A value with one element per row is repeated first, once for all readers.
  uint16_t value_of(Edge edge, size_t by) {
    const Edge from = rewrite_.resolve(edge);
    const size_t producer = member(from);
    if (producer == members_.size()) return static_cast<uint16_t>(outside_index(from, level_read(by)));
    if (levels_[producer] == level_read(by)) return value_of_member_[producer];
    const auto repeats = [&](const FusedGroup::Step& s) {
      return s.kind == FusedGroup::Step::Kind::kRepeat && s.in[0] == value_of_member_[producer];
    };
    if (const auto known = std::ranges::find_if(group_.steps, repeats); known != group_.steps.end()) return known->out;
    FusedGroup::Step step;
    step.kind = FusedGroup::Step::Kind::kRepeat;
    step.inputs = 1;
    step.in[0] = value_of_member_[producer];
    step.member = static_cast<uint16_t>(by);
    add_step(step, group_.values[value_of_member_[producer]].dtype, Level::kWhole);
    return step.out;
  }

  void add_steps(size_t member) {
    const NodeId id = members_[member];
    const Node& node = rewrite_.node(id);
    const std::optional<FusibleReduction> reduced = fusible_reduction(rewrite_, node);
    FusedGroup::Step step;
    step.member = static_cast<uint16_t>(member);
    if (reduced) {
      step.kind = FusedGroup::Step::Kind::kReduce;
      step.reduction = reduced->reduction;
    } else {
      step.loop = element_loop(rewrite_, node);
      step.jit_op = jit_op(*node.op);
      step.same_shape = folds_list(*node.op);
    }
    const size_t first_inputs = reduced ? 1 : step.same_shape ? 2 : node.inputs.size();
    step.inputs = static_cast<uint8_t>(first_inputs);
    for (size_t k = 0; k < first_inputs; ++k) step.in[k] = value_of(node.inputs[k], member);
    add_step(step, node.dtypes[0], levels_[member]);
    for (size_t k = first_inputs; !reduced && k < node.inputs.size(); ++k) {
      const uint16_t before = step.out;
      step.in[1] = value_of(node.inputs[k], member);
      step.in[0] = before;
      add_step(step, node.dtypes[0], levels_[member]);
    }
    value_of_member_.push_back(step.out);
    if (dies_inside_(id)) return;
    FusedGroup::Value& value = group_.values.back();
    value.storage = FusedGroup::Storage::kResult;
    value.index = static_cast<uint16_t>(group_.results.size());
    group_.results.push_back({step.out, static_cast<uint16_t>(member), value.dtype, FusedGroup::kNoReuse});
  }

  void add_step(FusedGroup::Step& step, DType dtype, Level level) {
    step.out = static_cast<uint16_t>(group_.values.size());
    group_.weight += step.weight();
    group_.steps.push_back(step);
    add_value(dtype, FusedGroup::Storage::kTile, level);
  }

  void share_tiles() {
    struct Tile {
      uint16_t value;  // the value that it holds
      bool is_used;
    };
    std::vector<Tile> tiles;
    const size_t last = group_.plain_steps().size();  // values that the last reductions read are not in tiles
    for (size_t s = 0; s < group_.steps.size(); ++s) {
      FusedGroup::Value& out = group_.values[group_.steps[s].out];
      for (Tile& tile : tiles)
        if (tile.is_used && last_read_[tile.value] < s) tile.is_used = false;
      if (out.storage != FusedGroup::Storage::kTile) continue;
      if (out.level != Level::kWhole) {  // it takes a few bytes, so each value has its own
        out.index = group_.num_row_tiles++;
        continue;
      }
      if (!group_.by_rows && last_read_[group_.steps[s].out] >= last) continue;
      const auto is_usable = [&](const Tile& tile) {
        // A step may overwrite its input only if both have elements of one size.
        const bool in_place = group_.steps[s].kind == FusedGroup::Step::Kind::kLoop;
        return !tile.is_used ||
               (in_place && last_read_[tile.value] == s && group_.values[tile.value].size == out.size);
      };
      auto found = std::ranges::find_if(tiles, is_usable);
      if (found == tiles.end()) found = tiles.insert(tiles.end(), Tile{});
      *found = {group_.steps[s].out, true};
      last_read_[group_.steps[s].out] = std::max(last_read_[group_.steps[s].out], s);
      out.index = static_cast<uint16_t>(found - tiles.begin());
    }
    group_.num_tiles = static_cast<uint16_t>(tiles.size());
  }

  // If all shapes are known, the spreads are computed here and not at each run.
  void resolve_spreads() {
    if (!group_.shape.fully_known() || (group_.by_rows && group_.shape.elements() == 0)) return;
    std::vector<Spread> spreads;
    bool nothing_broadcasts = true;
    for (size_t i = 0; i < outside_.size(); ++i) {
      const Shape &shape = shape_of(outside_[i]), over = group_.shape_of(group_.values[i], group_.shape);
      const auto how = shape.fully_known() ? spread(shape, over) : std::nullopt;
      if (!how) return;
      spreads.push_back(*how);
      nothing_broadcasts = nothing_broadcasts && shape == over;
    }
    if (!nothing_broadcasts) group_.spreads.assign(spreads.begin(), spreads.end());  // without spare capacity
    group_.is_static = true;
  }

  // Lets a result reuse the memory of an input that dies here, if their shapes may be the same.
  void reuse_inputs() {
    std::vector<bool> taken(outside_.size(), false);
    for (FusedGroup::Result& result : group_.results) {
      if (group_.values[result.value].level != Level::kWhole) continue;
      const uint32_t step = result.value - group_.num_outside;
      if (keeps_slot_(members_[group_.steps[step].member])) continue;
      for (size_t i = 0; i < outside_.size(); ++i) {
        const NodeId from = outside_[i].node;
        const Node& producer = rewrite_.node(from);
        const bool in_frame = !rewrite_.constant(outside_[i]) && producer.op->execution != Execution::kPlaceholder;
        if (taken[i] || !in_frame || keeps_slot_(from) || !dies_inside_(from) || last_read_[i] > step) continue;
        if (group_.values[i].dtype != result.dtype) continue;
        if (!compatible(producer.shapes[outside_[i].output], group_.shape)) continue;
        result.reuse = static_cast<uint8_t>(i);
        taken[i] = true;
        break;
      }
    }
  }

  const Rewrite& rewrite_;
  const std::span<const NodeId> members_;
  const std::span<const Level> levels_;
  const std::function<bool(NodeId)>& dies_inside_;
  const std::function<bool(NodeId)>& keeps_slot_;
  std::vector<Edge>& outside_;
  std::vector<Level> over_;          // the level to which each outside value is broadcast
  FusedGroup group_;
  std::vector<uint16_t> value_of_member_;
  std::vector<size_t> last_read_;  // the last step that reads each value
};

}  // namespace

FusedGroup fuse(const Rewrite& rewrite, const GroupMembers& members, const std::function<bool(NodeId)>& dies_inside,
                const std::function<bool(NodeId)>& keeps_slot, bool certain, std::vector<Edge>& outside) {
  return GroupBuilder(rewrite, members, dies_inside, keeps_slot, outside).build(certain);
}

}  // namespace footlight::fusion
