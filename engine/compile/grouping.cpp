// Nodes join the groups of those whose values they use, if all have one shape and nothing outside lies between. Between
// two effects at most 64 groups are told apart, each a bit: what a node depends on is a word. A reduction is added to a
// complete group: all that it needs is in there, so no member can be waiting for it.
#include "engine/compile/grouping.h"

#include "engine/base/errors.h"
#include "engine/compile/spread.h"

#include <algorithm>
#include <bit>

namespace footlight::compile {

using optimize::Rewrite;

namespace {

constexpr size_t kMostGroups = 64;

class OfRewrite final : public NodesById {
 public:
  explicit OfRewrite(const Rewrite& rewrite) : rewrite_(rewrite) {}
  const Node& node(NodeId id) const override { return rewrite_.node(id); }

 private:
  const Rewrite& rewrite_;
};

DType selecting_dtype(const NodesById& nodes, const Node& node) {
  const int8_t by = node.op->dispatch;
  if (by < 0 || static_cast<size_t>(by) >= node.inputs.size()) return node.dtypes[0];
  const Edge from = node.inputs[static_cast<size_t>(by)];
  return nodes.node(from.node).dtypes[from.output];
}

bool suits(ElementLoop::Kind kind, const Node& node) {
  const size_t inputs = node.inputs.size();
  switch (kind) {
    case ElementLoop::Kind::kUnary: return inputs == 1;
    case ElementLoop::Kind::kBinary:
      return inputs == 2 || (joins_list(*node.op) && inputs > 2 && inputs <= kMostOutside);
    case ElementLoop::Kind::kSelect: return inputs == 3;
    default: return false;
  }
}

// The nodes between two effects.
class Segment {
 public:
  // `uses`: how often each node's values are read.
  Segment(const Rewrite& rewrite, std::vector<uint32_t>& position_of, const std::vector<uint32_t>& uses)
      : rewrite_(rewrite), position_of_(position_of), uses_(uses) {}

  bool full() const { return groups_.size() == kMostGroups; }
  bool empty() const { return nodes_.empty(); }

  void add(NodeId id) {
    const uint32_t at = static_cast<uint32_t>(nodes_.size());
    Item item{id, kNone, 0};
    for (Edge edge : rewrite_.node(id).inputs)
      if (const uint32_t from = position(edge); from != kNone) item.needs |= nodes_[from].needs | bit(nodes_[from]);
    nodes_.push_back(item);
    position_of_[id.value] = at;
    if (element_loop(rewrite_, rewrite_.node(id))) join(at);
  }

  // Appends its nodes to the schedule, and forgets them.
  void finish(Grouping& grouping) {
    add_reductions();
    std::vector<std::vector<uint32_t>> units;  // nodes that run together
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
    uint32_t group;
    uint64_t needs;  // the groups that it depends on
  };
  struct Group {
    uint32_t joined = kNone;          // the group that it became part of
    uint64_t bits = 0;                // itself, and those that became part of it
    uint64_t needs = 0;
    size_t steps = 0;                 // of its members together
    bool reduces = false;             // the last member is a reduction
    std::vector<uint32_t> members;    // in program order
    std::vector<Edge> outside;        // what they use of others, each once
  };

  // The first reduction of each group, of a value that nothing else reads.
  void add_reductions() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = rewrite_.node(nodes_[i].id);
      if (node.inputs.empty() || nodes_[i].group != kNone) continue;
      const uint32_t from = position(node.inputs[0]), group = from == kNone ? kNone : root(nodes_[from].group);
      if (group == kNone || groups_[group].reduces || uses_[nodes_[from].id.value] != 1) continue;
      if (!reduces_last_dims(rewrite_, node)) continue;
      groups_[group].reduces = true;
      groups_[group].members.push_back(i);
      nodes_[i].group = group;
    }
  }

  uint32_t position(Edge edge) const { return position_of_[rewrite_.resolve(edge).node.value]; }
  uint64_t bit(const Item& item) const { return item.group == kNone ? 0 : uint64_t{1} << item.group; }
  uint32_t root(uint32_t group) const {
    while (group != kNone && groups_[group].joined != kNone) group = groups_[group].joined;
    return group;
  }

  // All groups that must run before a node with these needs can.
  uint64_t closure(uint64_t needs) const {
    uint64_t all = 0;
    while (const uint64_t open = needs & ~all) {
      const Group& group = groups_[root(static_cast<uint32_t>(std::countr_zero(open)))];
      all |= group.bits | (open & -open);
      needs |= group.needs | group.bits;
    }
    return all;
  }

  // The node joins all groups that it uses values of, else the first of them that it can, else it starts one.
  void join(uint32_t at) {
    std::vector<uint32_t> used;
    const Shape& shape = rewrite_.node(nodes_[at].id).shapes[0];
    for (Edge edge : rewrite_.node(nodes_[at].id).inputs) {
      const uint32_t from = position(edge);
      const uint32_t group = from == kNone ? kNone : root(nodes_[from].group);
      if (group == kNone || std::ranges::find(used, group) != used.end()) continue;
      if (rewrite_.node(nodes_[groups_[group].members[0]].id).shapes[0] == shape) used.push_back(group);
    }
    if (used.size() > 1 && merge(used, at)) return;
    for (const uint32_t group : used)
      if (extend(group, at)) return;
    Group fresh;
    fresh.bits = uint64_t{1} << groups_.size();
    fresh.needs = nodes_[at].needs;
    fresh.steps = steps(at);
    fresh.members = {at};
    take_outside(at, fresh.outside, [](uint32_t) { return false; });
    nodes_[at].group = static_cast<uint32_t>(groups_.size());
    groups_.push_back(std::move(fresh));
  }

  size_t steps(uint32_t at) const { return steps_of(rewrite_.node(nodes_[at].id)); }

  // Something outside that uses values of a group runs after a member; a member that uses it would run before.
  bool uses(uint32_t outside, uint64_t bits) const {
    return (closure(nodes_[outside].needs | bit(nodes_[outside])) & bits) != 0;
  }

  // Appends what node `at` uses of nodes that are not `inside`, unless it is there.
  template <class Inside>
  void take_outside(uint32_t at, std::vector<Edge>& outside, Inside inside) const {
    for (Edge edge : rewrite_.node(nodes_[at].id).inputs) {
      const Edge from = rewrite_.resolve(edge);
      const uint32_t made = position(from);
      if ((made == kNone || !inside(made)) && std::ranges::find(outside, from) == outside.end())
        outside.push_back(from);
    }
  }

  // One group gets a node that comes after all of it, so only what this node uses can be new or in the way.
  bool extend(uint32_t into, uint32_t at) {
    Group& group = groups_[into];
    if (group.steps + steps(at) > kMostSteps) return false;
    const size_t before = group.outside.size();
    take_outside(at, group.outside, [&](uint32_t made) { return root(nodes_[made].group) == into; });
    bool fits = group.outside.size() <= kMostOutside;
    for (size_t i = before; fits && i < group.outside.size(); ++i)
      if (const uint32_t made = position(group.outside[i]); made != kNone) fits = !uses(made, group.bits);
    if (!fits) {
      group.outside.resize(before);
      return false;
    }
    group.steps += steps(at);
    group.needs = (group.needs | nodes_[at].needs) & ~group.bits;
    group.members.push_back(at);
    nodes_[at].group = into;
    return true;
  }

  bool merge(const std::vector<uint32_t>& groups, uint32_t at) {
    std::vector<uint32_t> members;
    uint64_t bits = 0, needs = nodes_[at].needs;
    for (const uint32_t group : groups) {
      members.insert(members.end(), groups_[group].members.begin(), groups_[group].members.end());
      bits |= groups_[group].bits;
      needs |= groups_[group].needs;
    }
    members.push_back(at);
    size_t all_steps = steps(at);
    for (const uint32_t group : groups) all_steps += groups_[group].steps;
    if (all_steps > kMostSteps) return false;
    std::ranges::sort(members);
    std::vector<Edge> outside;
    for (const uint32_t member : members)
      take_outside(member, outside, [&](uint32_t made) { return std::ranges::binary_search(members, made); });
    if (outside.size() > kMostOutside) return false;
    for (const Edge edge : outside)
      if (const uint32_t made = position(edge); made != kNone && uses(made, bits)) return false;
    Group& whole = groups_[groups[0]];
    for (size_t i = 1; i < groups.size(); ++i) groups_[groups[i]].joined = groups[0];
    whole.bits = bits;
    whole.needs = needs & ~bits;
    whole.steps = all_steps;
    whole.members = std::move(members);
    whole.outside = std::move(outside);
    nodes_[at].group = groups[0];
    return true;
  }

  // Each unit as soon as what it uses has run, by the place of its last node.
  void order(const std::vector<std::vector<uint32_t>>& units, const std::vector<uint32_t>& unit_of,
             Grouping& grouping) const {
    std::vector<std::vector<uint32_t>> users(units.size());
    std::vector<uint32_t> waits(units.size(), 0);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for (Edge edge : rewrite_.node(nodes_[i].id).inputs) {
        const uint32_t from = position(edge);
        if (from == kNone || unit_of[from] == unit_of[i]) continue;
        users[unit_of[from]].push_back(unit_of[i]);
        ++waits[unit_of[i]];
      }
    }
    std::vector<uint32_t> ready;  // a heap
    const auto later = [&](uint32_t a, uint32_t b) { return units[a].back() > units[b].back(); };
    const auto push = [&](uint32_t unit) {
      ready.push_back(unit);
      std::ranges::push_heap(ready, later);
    };
    for (uint32_t u = 0; u < units.size(); ++u)
      if (!waits[u]) push(u);
    size_t placed = 0;
    while (!ready.empty()) {
      std::ranges::pop_heap(ready, later);
      const uint32_t unit = ready.back();
      ready.pop_back();
      const bool together = units[unit].size() > 1;
      for (const uint32_t member : units[unit]) {
        grouping.schedule.push_back(nodes_[member].id);
        grouping.group.push_back(together ? grouping.groups : Grouping::kAlone);
        ++placed;
      }
      grouping.groups += together;
      for (const uint32_t user : users[unit])
        if (--waits[user] == 0) push(user);
    }
    FL_CHECK(placed == nodes_.size());  // no two units wait for each other
  }

  const Rewrite& rewrite_;
  std::vector<uint32_t>& position_of_;  // of each node of the graph: in nodes_
  const std::vector<uint32_t>& uses_;
  std::vector<Item> nodes_;
  std::vector<Group> groups_;
};

}  // namespace

const char* why_alone(const NodesById& nodes, const Node& node) {
  if (node.op->stateful()) return "it has an effect";
  if (!node.device.empty()) return "it was placed on a device";
  if (node.dtypes.size() != 1 || !is_plain(node.dtypes[0])) return "its values are not numbers";
  const ElementLoop loop = loop_for(node.op->id, selecting_dtype(nodes, node), node.dtypes[0]);
  if (!loop || !suits(loop.kind, node)) return "there is no loop over elements for it";
  for (Edge edge : node.inputs) {
    const Node& made = nodes.node(edge.node);
    if (!is_plain(made.dtypes[edge.output])) return "its values are not numbers";
    const Shape& shape = made.shapes[edge.output];
    if (shape.fully_known() && node.shapes[0].fully_known() && !spread(shape, node.shapes[0]))
      return "its inputs do not broadcast to its shape";
  }
  return "";
}

ElementLoop element_loop(const Rewrite& rewrite, const Node& node) {
  const OfRewrite nodes(rewrite);
  if (node.op->execution != Execution::kKernel || *why_alone(nodes, node)) return {};
  return loop_for(node.op->id, selecting_dtype(nodes, node), node.dtypes[0]);
}

Shape LastDims::shape(const Shape& input) const {
  Shape out(input.dims().first(static_cast<size_t>(kept)));
  for (int d = kept; keep_dims && d < rank; ++d) out.append(1);
  return out;
}

std::optional<LastDims> reduces_last_dims(const Rewrite& rewrite, const Node& node) {
  static const AttrName kKeepDims("keep_dims");
  if (node.op->execution != Execution::kKernel || !node.device.empty() || node.inputs.size() != 2) return {};
  const Edge from = rewrite.resolve(node.inputs[0]);
  const Node& made = rewrite.node(from.node);
  const Shape& shape = made.shapes[from.output];
  LastDims last;
  last.reduce = made_reduction_for(node.op->id, made.dtypes[from.output]);
  const Tensor* const axes = last.reduce ? rewrite.constant(node.inputs[1]) : nullptr;
  if (!axes || !shape.has_rank()) return {};
  last.rank = shape.rank();
  last.keep_dims = node.attrs.get_or(kKeepDims, false);
  std::vector<bool> reduced(static_cast<size_t>(last.rank), false);
  for (int64_t k = 0; k < axes->elements(); ++k) {
    const int64_t given = axes->dtype() == DType::kInt64 ? axes->data<int64_t>()[k] : axes->data<int32_t>()[k];
    const int64_t axis = given < 0 ? given + last.rank : given;
    if (axis < 0 || axis >= last.rank) return {};
    reduced[static_cast<size_t>(axis)] = true;
  }
  const auto first = std::ranges::find(reduced, true);
  if (first == reduced.end() || std::find(first, reduced.end(), false) != reduced.end()) return {};
  last.kept = static_cast<int>(first - reduced.begin());
  return last;
}

Grouping group_elementwise(const Rewrite& rewrite, std::vector<NodeId> schedule) {
  Grouping grouping;
  grouping.schedule.reserve(schedule.size());
  grouping.group.reserve(schedule.size());
  std::vector<uint32_t> position_of(rewrite.size(), UINT32_MAX);
  std::vector<uint32_t> uses(rewrite.size(), 0);
  for (const NodeId id : schedule)
    for (Edge edge : rewrite.node(id).inputs) ++uses[rewrite.resolve(edge).node.value];
  for (Edge edge : rewrite.outputs) ++uses[rewrite.resolve(edge).node.value];
  Segment segment(rewrite, position_of, uses);
  for (const NodeId id : schedule) {
    const Effect effect = rewrite.node(id).op->effect;
    const bool barrier = effect == Effect::kWrites || effect == Effect::kOther;
    if (barrier || segment.full()) segment.finish(grouping);
    segment.add(id);
    if (barrier) segment.finish(grouping);
  }
  if (!segment.empty()) segment.finish(grouping);
  return grouping;
}

}  // namespace footlight::compile
