// A node joins the groups of its inputs if all have one shape and no other node has to run between them. There are at
// most 64 groups (kMaxGroups) at a time, so the dependencies of a node are the bits of a word. A reduction of short
// rows is treated like any node. Every other reduction starts as a group of its own; once all groups are complete, it
// is appended to one that computes, or reads, its input.
#include "engine/fusion/grouping.h"

#include "engine/base/errors.h"
#include "engine/fusion/spread.h"
#include "engine/ops/flops.h"
#include "engine/tensor/gpu.h"

#include <algorithm>
#include <bit>

namespace footlight::fusion {

using optimize::Rewrite;

namespace {

constexpr size_t kMaxShortRow = 16 << 10;  // bytes; several such rows fit in the fastest cache

class RewriteNodes final : public NodesById {
 public:
  explicit RewriteNodes(const Rewrite& rewrite) : rewrite_(rewrite) {}
  const Node& node(NodeId id) const override { return rewrite_.node(id); }

 private:
  const Rewrite& rewrite_;
};

DType dispatch_dtype_of(const NodesById& nodes, const Node& node) {
  const int8_t by = node.op->dispatch;
  if (by < 0 || static_cast<size_t>(by) >= node.inputs.size()) return node.dtypes[0];
  const Edge from = node.inputs[static_cast<size_t>(by)];
  return nodes.node(from.node).dtypes[from.output];
}

// Whether a loop of this kind takes as many inputs as the node has.
bool takes_inputs_of(ElementLoop::Kind kind, const Node& node) {
  const size_t inputs = node.inputs.size();
  switch (kind) {
    case ElementLoop::Kind::kUnary: return inputs == 1;
    case ElementLoop::Kind::kBinary:
      return inputs == 2 || (folds_list(*node.op) && inputs > 2 && inputs <= kMaxOutside);
    case ElementLoop::Kind::kSelect: return inputs == 3;
    default: return false;
  }
}

// Groups the nodes between two effects.
class Segment {
 public:
  Segment(const Rewrite& rewrite, std::vector<uint32_t>& position_of, std::vector<FusionBlocker>& blockers)
      : rewrite_(rewrite), position_of_(position_of), blockers_(blockers), effects_before_(rewrite.size(), kNone) {}

  bool full() const { return groups_.size() == kMaxGroups; }
  bool empty() const { return nodes_.empty(); }
  void count_effect() { ++effects_; }

  void add(NodeId id) {
    const auto at = static_cast<uint32_t>(nodes_.size());
    const Node& node = rewrite_.node(id);
    Item item{id};
    for (Edge edge : node.inputs)
      if (const uint32_t from = position(edge); from != kNone)
        item.dependencies |= nodes_[from].dependencies | bit(nodes_[from]);
    item.reduction = fusible_reduction(rewrite_, node);
    nodes_.push_back(item);
    position_of_[id.value] = at;
    effects_before_[id.value] = effects_;
    if (item.reduction) join_reduction(at);
    else if (element_loop(rewrite_, node)) join(at);
    else return;
    for (Edge edge : node.inputs) {
      const uint32_t effects = effects_before_[rewrite_.resolve(edge).node.value];  // kNone: the producer does not run
      if (effects == kNone || position(edge) != kNone || !could_fuse_with_producer(at, edge)) continue;
      set_blocker(effects == effects_ ? FusionBlocker::kTooManyGroups : FusionBlocker::kEffect, at, edge);
    }
  }

  // Appends its nodes to the schedule and clears the segment.
  void finish(Grouping& grouping) {
    add_last_reductions();
    for (uint32_t i = 0; i < nodes_.size(); ++i)
      for (Edge edge : rewrite_.node(nodes_[i].id).inputs)
        if (nodes_[i].group != kNone && position(edge) != kNone && could_fuse_with_producer(i, edge))
          set_blocker(FusionBlocker::kReordered, i, edge);
    std::vector<std::vector<uint32_t>> units;  // a group, or a single node
    std::vector<uint32_t> unit_of(nodes_.size(), kNone);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (unit_of[i] != kNone) continue;
      const uint32_t group = root(nodes_[i].group);
      if (group == kNone) units.push_back({i});
      else units.push_back(groups_[group].members);
      for (const uint32_t member : units.back()) unit_of[member] = static_cast<uint32_t>(units.size() - 1);
    }
    order(units, unit_of, grouping);
    for (const Item& item : nodes_) position_of_[item.id.value] = kNone;
    nodes_.clear();
    groups_.clear();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Item {
    NodeId id;
    std::optional<FusibleReduction> reduction = {};
    uint32_t group = kNone;
    uint64_t dependencies = 0;  // bits of the groups that it depends on
    Level level = Level::kWhole;
  };
  struct Outside {
    Edge edge;
    Level level;  // the level to which it is broadcast
    bool operator==(const Outside&) const = default;
  };
  struct Group {
    uint32_t joined = kNone;          // the group that it became part of
    uint64_t bits = 0;                // its own bit, and those of groups that became part of it
    uint64_t dependencies = 0;
    size_t steps = 0;                 // number of steps of its members together
    Edge like;                        // an edge with the shape of the loop
    std::optional<ReducedDims> dims;  // the same for all its reductions
    bool by_rows = false;
    size_t num_ending = 0;            // number of reductions that end it, whose values nothing in the group uses
    std::vector<uint32_t> members;    // in program order; reductions that end it come last
    std::vector<Outside> outside;     // the edges that members use from outside, each once
  };
  struct Use {
    uint32_t group;
    Level level;  // the level that the node would have in the group
  };

  uint32_t position(Edge edge) const { return position_of_[rewrite_.resolve(edge).node.value]; }
  uint64_t bit(const Item& item) const { return item.group == kNone ? 0 : uint64_t{1} << item.group; }
  uint32_t root(uint32_t group) const {
    while (group != kNone && groups_[group].joined != kNone) group = groups_[group].joined;
    return group;
  }
  uint32_t group_of(Edge edge) const {
    const uint32_t from = position(edge);
    return from == kNone ? kNone : root(nodes_[from].group);
  }
  const Shape& shape_of(Edge edge) const {
    const Edge from = rewrite_.resolve(edge);
    return rewrite_.node(from.node).shapes[from.output];
  }
  const Shape& shape_of(const Group& group) const { return shape_of(group.like); }

  // Whether a node could be fused with the producer of an input if no other node were in the way.
  bool could_fuse_with_producer(uint32_t at, Edge edge) const {
    const Node& producer = rewrite_.node(rewrite_.resolve(edge).node);
    if (!element_loop(rewrite_, producer)) return false;
    return nodes_[at].reduction || producer.shapes[0] == rewrite_.node(nodes_[at].id).shapes[0];
  }
  void set_blocker(FusionBlocker why, NodeId id) {
    if (blockers_[id.value] == FusionBlocker::kNoNeighbour) blockers_[id.value] = why;
  }
  void set_blocker(FusionBlocker why, uint32_t at, Edge edge) {
    set_blocker(why, nodes_[at].id);
    set_blocker(why, rewrite_.resolve(edge).node);
  }
  // Notes why these groups, and node `at` if it is not kNone, do not become one. Returns false.
  bool blocked(FusionBlocker why, std::span<const uint32_t> groups, uint32_t at) {
    if (at != kNone) set_blocker(why, nodes_[at].id);
    for (const uint32_t group : groups)
      for (const uint32_t member : groups_[group].members) set_blocker(why, nodes_[member].id);
    return false;
  }

  // The groups on which these groups depend, directly or not, and these themselves.
  uint64_t closure(uint64_t groups) const {
    uint64_t all = 0;
    while (const uint64_t open = groups & ~all) {
      const Group& group = groups_[root(static_cast<uint32_t>(std::countr_zero(open)))];
      all |= group.bits | (open & -open);
      groups |= group.dependencies | group.bits;
    }
    return all;
  }

  // The level that a node would have in a group that computes some of its inputs; empty if it does not fit.
  std::optional<Level> level_in(const Group& group, uint32_t at) const {
    if (group.num_ending) return {};
    const Node& node = rewrite_.node(nodes_[at].id);
    const Shape& shape = node.shapes[0];
    std::optional<Level> level;
    if (shape == shape_of(group)) level = Level::kWhole;
    else if (group.by_rows && shape == group.dims->shape(shape_of(group), true)) level = Level::kReducedKeepDims;
    else if (group.by_rows && shape == group.dims->shape(shape_of(group), false)) level = Level::kReduced;
    if (!level) return {};
    for (Edge edge : node.inputs) {
      const uint32_t from = position(edge);
      if (from == kNone || root(nodes_[from].group) == kNone || &groups_[root(nodes_[from].group)] != &group) continue;
      const Level producer = nodes_[from].level;
      const bool repeats = producer == Level::kReducedKeepDims && *level == Level::kWhole;  // along each row
      if (producer != *level && !repeats) return {};
    }
    return level;
  }

  // Joins the node to all groups whose values it uses, else to the first possible one, else starts a group.
  void join(uint32_t at) {
    std::vector<Use> used;
    for (Edge edge : rewrite_.node(nodes_[at].id).inputs) {
      const uint32_t group = group_of(edge);
      if (group == kNone || std::ranges::find(used, group, &Use::group) != used.end()) continue;
      if (const auto level = level_in(groups_[group], at)) used.push_back({group, *level});
    }
    const auto alike = std::ranges::all_of(used, [&](const Use& u) { return u.level == used[0].level; });
    if (used.size() > 1 && alike) {
      std::vector<uint32_t> groups;
      for (const Use& use : used) groups.push_back(use.group);
      nodes_[at].level = used[0].level;
      if (merge(groups, at)) return;
    }
    for (const Use& use : used) {
      nodes_[at].level = use.level;
      if (extend(use.group, at)) return;
    }
    nodes_[at].level = Level::kWhole;
    start(at, {nodes_[at].id, 0});
  }

  // A reduction of short rows joins the group that computes its input.
  void join_reduction(uint32_t at) {
    const FusibleReduction& reduction = *nodes_[at].reduction;
    const Edge from = rewrite_.resolve(rewrite_.node(nodes_[at].id).inputs[0]);
    const bool rows = has_short_rows(reduction, shape_of(from), size_of(rewrite_.node(from.node).dtypes[from.output]));
    nodes_[at].level = reduction.keep_dims ? Level::kReducedKeepDims : Level::kReduced;
    const uint32_t producer = group_of(from);
    if (rows && producer != kNone && nodes_[position(from)].level == Level::kWhole && !groups_[producer].num_ending) {
      Group& group = groups_[producer];
      if (group.dims && !(*group.dims == reduction)) {
        blocked(FusionBlocker::kOtherDims, {}, at);
      } else if (extend(producer, at)) {
        group.dims = reduction;
        group.by_rows = true;
        return;
      }
    }
    if (rows && producer != kNone && groups_[producer].by_rows) blocked(FusionBlocker::kRowByRow, {}, at);
    Group& group = start(at, from);
    group.dims = reduction;
    group.by_rows = rows;
    group.num_ending = !rows;
  }

  Group& start(uint32_t at, Edge like) {
    Group fresh;
    fresh.bits = uint64_t{1} << groups_.size();
    fresh.dependencies = nodes_[at].dependencies;
    fresh.steps = steps(at);
    fresh.like = like;
    fresh.members = {at};
    take_outside(at, fresh.outside, [](uint32_t) { return false; });
    nodes_[at].group = static_cast<uint32_t>(groups_.size());
    return groups_.emplace_back(std::move(fresh));
  }

  // Appends each reduction that is in no group yet to the group that computes its input, or else to one that reads it.
  void add_last_reductions() {
    for (uint32_t own = 0; own < groups_.size(); ++own) {
      if (groups_[own].joined != kNone || !groups_[own].num_ending) continue;
      const uint32_t producer = group_of(groups_[own].like);
      if (producer != kNone && append_to(own, producer)) continue;
      for (uint32_t other = 0; other < groups_.size(); ++other)
        if (reads(groups_[other], groups_[own].like) && append_to(own, other)) break;
    }
  }
  static bool reads(const Group& group, Edge edge) {
    if (group.joined != kNone) return false;
    return std::ranges::find(group.outside, Outside{edge, Level::kWhole}) != group.outside.end();
  }
  // Appends a group of reductions to the end of another; returns whether it could.
  bool append_to(uint32_t own, uint32_t other) {
    const Group &group = groups_[own], &with = groups_[other];
    if (own == other) return false;
    if (with.by_rows) return blocked(FusionBlocker::kRowByRow, {&own, 1}, kNone);
    if (with.dims && !(*with.dims == *group.dims)) return blocked(FusionBlocker::kOtherDims, {&own, 1}, kNone);
    if (!(shape_of(group) == shape_of(with))) return false;
    if (group.num_ending + with.num_ending > kMaxReductions)
      return blocked(FusionBlocker::kTooManyReductions, {&own, 1}, kNone);
    if (with.num_ending && group.dims->last == group.dims->rank) {  // rows that may be long
      const Item &a = nodes_[group.members.back()], &b = nodes_[with.members.back()];
      if (!(a.reduction->reduction->halving == b.reduction->reduction->halving) || element_size(a) != element_size(b))
        return blocked(FusionBlocker::kOtherOrder, {&own, 1}, kNone);
    }
    return !reads_reduced_value(group, own, other) && !reads_reduced_value(with, own, other) &&
           merge({other, own}, kNone);
  }
  // Whether members of one group read results of reductions of the other.
  bool reads_reduced_value(const Group& group, uint32_t own, uint32_t other) const {
    return std::ranges::any_of(group.members, [&](uint32_t m) {
      return std::ranges::any_of(rewrite_.node(nodes_[m].id).inputs, [&](Edge edge) {
        const uint32_t producer = position(edge), group_read = group_of(edge);
        return (group_read == own || group_read == other) && group_read != kNone &&
               nodes_[producer].level != Level::kWhole;
      });
    });
  }
  size_t element_size(const Item& reduction) const {
    const Edge from = rewrite_.resolve(rewrite_.node(reduction.id).inputs[0]);
    return size_of(rewrite_.node(from.node).dtypes[from.output]);
  }

  size_t steps(uint32_t at) const { return nodes_[at].reduction ? 1 : num_steps(rewrite_.node(nodes_[at].id)); }

  // Whether the node of an edge from outside depends on these groups. Then no member may use the edge, because the node
  // must run after other members.
  bool depends_on(Edge outside, uint64_t bits) const {
    const uint32_t producer = position(outside);
    return producer != kNone && (closure(nodes_[producer].dependencies | bit(nodes_[producer])) & bits) != 0;
  }

  // Appends the edges that node `at` uses from nodes that are not `inside`, each once.
  template <class Inside>
  void take_outside(uint32_t at, std::vector<Outside>& outside, Inside inside) const {
    const Node& node = rewrite_.node(nodes_[at].id);
    const Level level = nodes_[at].reduction ? Level::kWhole : nodes_[at].level;
    for (Edge edge : nodes_[at].reduction ? std::span(node.inputs).first(1) : std::span(node.inputs)) {
      const Outside from{rewrite_.resolve(edge), level};
      const uint32_t producer = position(edge);
      if ((producer == kNone || !inside(producer)) && std::ranges::find(outside, from) == outside.end())
        outside.push_back(from);
    }
  }

  // Adds a node after all others of the group, so only its own inputs can be new or conflict. Returns whether it could.
  bool extend(uint32_t into, uint32_t at) {
    Group& group = groups_[into];
    if (group.steps + steps(at) > kMaxSteps) return blocked(FusionBlocker::kTooManySteps, {&into, 1}, at);
    const size_t before = group.outside.size();
    take_outside(at, group.outside, [&](uint32_t producer) { return root(nodes_[producer].group) == into; });
    bool is_reordered = false;
    for (size_t i = before; i < group.outside.size(); ++i)
      is_reordered = is_reordered || depends_on(group.outside[i].edge, group.bits);
    if (is_reordered || group.outside.size() > kMaxOutside) {
      group.outside.resize(before);
      return blocked(is_reordered ? FusionBlocker::kReordered : FusionBlocker::kTooManyInputs, {&into, 1}, at);
    }
    group.steps += steps(at);
    group.dependencies = (group.dependencies | nodes_[at].dependencies) & ~group.bits;
    group.members.push_back(at);
    nodes_[at].group = into;
    return true;
  }

  // Merges groups, and adds node `at` if it is not kNone. Returns whether it could.
  bool merge(const std::vector<uint32_t>& groups, uint32_t at) {
    Group all;
    all.like = groups_[groups[0]].like;
    if (at != kNone) all.dependencies = nodes_[at].dependencies, all.steps = steps(at);
    for (const uint32_t g : groups) {
      const Group& group = groups_[g];
      if (!(shape_of(group) == shape_of(all)) || (group.dims && all.dims && !(*group.dims == *all.dims))) return false;
      if (group.dims) all.dims = group.dims;
      all.members.insert(all.members.end(), group.members.begin(), group.members.end());
      all.bits |= group.bits;
      all.dependencies |= group.dependencies;
      all.steps += group.steps;
      all.num_ending += group.num_ending;
      all.by_rows |= group.by_rows;
    }
    if (at != kNone) all.members.push_back(at);
    if (all.steps > kMaxSteps) return blocked(FusionBlocker::kTooManySteps, groups, at);
    std::ranges::sort(all.members);
    const auto member = [&](uint32_t producer) { return std::ranges::binary_search(all.members, producer); };
    for (const uint32_t m : all.members) take_outside(m, all.outside, member);
    for (const Outside& outside : all.outside)
      if (depends_on(outside.edge, all.bits)) return blocked(FusionBlocker::kReordered, groups, at);
    if (all.outside.size() > kMaxOutside) return blocked(FusionBlocker::kTooManyInputs, groups, at);
    if (all.num_ending)
      std::ranges::stable_partition(all.members, [&](uint32_t m) { return !nodes_[m].reduction; });
    all.dependencies &= ~all.bits;
    for (size_t i = 1; i < groups.size(); ++i) groups_[groups[i]].joined = groups[0];
    groups_[groups[0]] = std::move(all);
    if (at != kNone) nodes_[at].group = groups[0];
    return true;
  }

  // Places each unit as soon as its inputs have run, in the order of the units' last nodes.
  void order(const std::vector<std::vector<uint32_t>>& units, const std::vector<uint32_t>& unit_of,
             Grouping& grouping) const {
    std::vector<std::vector<uint32_t>> users(units.size());
    std::vector<uint32_t> predecessors_left(units.size(), 0);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for (Edge edge : rewrite_.node(nodes_[i].id).inputs) {
        const uint32_t from = position(edge);
        if (from == kNone || unit_of[from] == unit_of[i]) continue;
        users[unit_of[from]].push_back(unit_of[i]);
        ++predecessors_left[unit_of[i]];
      }
    }
    std::vector<uint32_t> ready;  // a heap
    const auto later = [&](uint32_t a, uint32_t b) { return units[a].back() > units[b].back(); };
    const auto push = [&](uint32_t unit) {
      ready.push_back(unit);
      std::ranges::push_heap(ready, later);
    };
    for (uint32_t u = 0; u < units.size(); ++u)
      if (!predecessors_left[u]) push(u);
    size_t placed = 0;
    while (!ready.empty()) {
      std::ranges::pop_heap(ready, later);
      const uint32_t unit = ready.back();
      ready.pop_back();
      const bool together = units[unit].size() > 1;
      for (const uint32_t member : units[unit]) {
        grouping.schedule.push_back(nodes_[member].id);
        grouping.group.push_back(together ? static_cast<uint32_t>(grouping.by_rows.size()) : Grouping::kUngrouped);
        grouping.level.push_back(nodes_[member].level);
        ++placed;
      }
      if (together) grouping.by_rows.push_back(groups_[root(nodes_[units[unit][0]].group)].by_rows);
      for (const uint32_t user : users[unit])
        if (--predecessors_left[user] == 0) push(user);
    }
    FL_CHECK(placed == nodes_.size());  // no two units wait for each other
  }

  const Rewrite& rewrite_;
  std::vector<uint32_t>& position_of_;  // position in nodes_ of each node of the graph
  std::vector<FusionBlocker>& blockers_;
  std::vector<uint32_t> effects_before_;  // for each scheduled node of the graph, how many effects precede it
  uint32_t effects_ = 0;
  std::vector<Item> nodes_;
  std::vector<Group> groups_;
};

}  // namespace

Device placement(const Node& node) {
  return node.device.empty() ? Device::cpu() : gpu::soft(parse_device(node.device.text()));
}

const char* why_not_fusible(const NodesById& nodes, const Node& node) {
  if (node.op->stateful()) return "it has an effect";
  if (placement(node) != Device::cpu()) return "it was placed on a device";
  if (node.dtypes.size() != 1 || !is_plain(node.dtypes[0])) return "its values are not numbers";
  const ElementLoop loop = loop_for(node.op->id, dispatch_dtype_of(nodes, node), node.dtypes[0]);
  if (!loop || !takes_inputs_of(loop.kind, node)) return "there is no loop over elements for it";
  for (Edge edge : node.inputs) {
    const Node& producer = nodes.node(edge.node);
    if (!is_plain(producer.dtypes[edge.output])) return "its values are not numbers";
    const Shape& shape = producer.shapes[edge.output];
    if (shape.fully_known() && node.shapes[0].fully_known() && !spread(shape, node.shapes[0]))
      return "its inputs do not broadcast to its shape";
  }
  return "";
}

const char* words_of(FusionBlocker blocker) {
  switch (blocker) {
    case FusionBlocker::kNoNeighbour: return "no producer or consumer beside it is elementwise";
    case FusionBlocker::kReordered: return "another node has to run between it and others of its shape";
    case FusionBlocker::kEffect: return "an effect lies between it and others of its shape";
    case FusionBlocker::kTooManySteps: return "the fused loop would have too many steps";
    case FusionBlocker::kTooManyInputs: return "the fused loop would read too many values";
    case FusionBlocker::kTooManyGroups:
      return "the graph is divided after every 64 groups of nodes, here between it and others of its shape";
    case FusionBlocker::kTooManyReductions: return "the fused loop would end with too many reductions";
    case FusionBlocker::kRowByRow: return "the fused loop that it could join runs row by row";
    case FusionBlocker::kOtherDims: return "the reductions that it could be fused with remove other dimensions";
    case FusionBlocker::kOtherOrder:
      return "the reductions that it could be fused with take elements in another order";
  }
  return "";
}

ElementLoop element_loop(const Rewrite& rewrite, const Node& node) {
  const RewriteNodes nodes(rewrite);
  if (node.op->execution != Execution::kKernel || *why_not_fusible(nodes, node)) return {};
  return loop_for(node.op->id, dispatch_dtype_of(nodes, node), node.dtypes[0]);
}

Shape ReducedDims::shape(const Shape& input, bool keep_dims) const {
  Shape out;
  for (int d = 0; d < rank; ++d) {
    if (d < first || d >= last) out.append(input[d]);
    else if (keep_dims) out.append(1);
  }
  return out;
}

std::optional<FusibleReduction> fusible_reduction(const Node& node, const TensorType& of, const Tensor* axes,
                                                  const char*& why_not) {
  why_not = "";
  if (node.op->execution != Execution::kKernel || node.inputs.size() != 2) return {};
  FusibleReduction found;
  found.reduction = streamed_reduction_for(node.op->id, of.dtype);
  const auto not_because = [&](const char* why) {
    why_not = why;
    return std::nullopt;
  };
  if (!found.reduction) return {};
  if (placement(node) != Device::cpu()) return not_because("it was placed on a device");
  if (!axes) return not_because("which dimensions it reduces is known only when it runs");
  if (!of.shape.has_rank()) return not_because("how many dimensions it reduces is known only when it runs");
  found.rank = of.shape.rank();
  found.keep_dims = node.attrs.get_or("keep_dims"_attr, false);
  std::vector<bool> reduced(static_cast<size_t>(found.rank), false);
  for (int64_t k = 0; k < axes->elements(); ++k) {
    const int64_t given = axes->dtype() == DType::kInt64 ? axes->data<int64_t>()[k] : axes->data<int32_t>()[k];
    const int64_t axis = given < 0 ? given + found.rank : given;
    if (axis < 0 || axis >= found.rank) return not_because("it has no such dimensions");
    reduced[static_cast<size_t>(axis)] = true;
  }
  const auto first = std::ranges::find(reduced, true), last = std::find(first, reduced.end(), false);
  if (first == reduced.end()) return not_because("it reduces no dimension");
  if (std::find(last, reduced.end(), true) != reduced.end())
    return not_because("the dimensions that it reduces do not lie side by side");
  found.first = static_cast<int>(first - reduced.begin());
  found.last = static_cast<int>(last - reduced.begin());
  return found;
}

std::optional<FusibleReduction> fusible_reduction(const Rewrite& rewrite, const Node& node) {
  if (node.inputs.size() != 2) return {};
  const Edge from = rewrite.resolve(node.inputs[0]);
  const Node& producer = rewrite.node(from.node);
  const char* why_not;
  return fusible_reduction(node, {producer.dtypes[from.output], producer.shapes[from.output]},
                           rewrite.constant(node.inputs[1]), why_not);
}

bool has_short_rows(const FusibleReduction& reduction, const Shape& input, size_t element) {
  if (reduction.last != reduction.rank) return false;
  int64_t length = 1, rows = 1;
  for (int d = 0; d < reduction.rank; ++d) {
    if (d < reduction.first) rows = input[d] == kUnknownDim || rows < 0 ? -1 : rows * input[d];
    else if (input[d] == kUnknownDim || (length *= input[d]) > static_cast<int64_t>(kMaxShortRow)) return false;
  }
  return length > 1 && rows != 1 && static_cast<size_t>(length) * element <= kMaxShortRow;
}

Grouping group_elementwise(const Rewrite& rewrite, std::vector<NodeId> schedule) {
  Grouping grouping;
  grouping.schedule.reserve(schedule.size());
  grouping.group.reserve(schedule.size());
  grouping.level.reserve(schedule.size());
  std::vector<uint32_t> position_of(rewrite.size(), UINT32_MAX);
  grouping.blocker.assign(rewrite.size(), FusionBlocker::kNoNeighbour);
  Segment segment(rewrite, position_of, grouping.blocker);
  for (const NodeId id : schedule) {
    const Effect effect = rewrite.node(id).op->effect;
    const bool barrier = effect == Effect::kWrites || effect == Effect::kOther;
    if (barrier || segment.full()) segment.finish(grouping);
    segment.add(id);
    if (!barrier) continue;
    segment.finish(grouping);
    segment.count_effect();
  }
  if (!segment.empty()) segment.finish(grouping);
  return grouping;
}

}  // namespace footlight::fusion
