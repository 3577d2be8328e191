// Turns a graph into a program: assigns slots to values, finds their last uses and looks up kernels.
#include "engine/compile/program.h"

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/fusion/fuse.h"
#include "engine/compile/slots.h"
#include "engine/ops/branches.h"
#include "engine/ops/shape_inputs.h"
#include "engine/optimize/optimize.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace footlight::compile {

using fusion::FusedGroup;
using fusion::Grouping;
using fusion::Level;

namespace {

// Shared by the compilers of a program's graphs. Each graph is compiled once, however often it is called.
struct Shared {
  optimize::ProgramRewrite& rewrites;
  std::unordered_map<const Graph*, ProgramPtr> compiled = {};
};

class Compiler {
 public:
  Compiler(optimize::Rewrite& rewrite, Shared& shared)
      : graph_(rewrite.graph()),
        shared_(shared),
        shapes_uncertain_(shared.rewrites.shapes_uncertain()),
        rewrite_(rewrite),
        program_(std::make_shared<Program>()) {}

  std::shared_ptr<Program> run() {
    program_->inputs = static_cast<uint32_t>(rewrite_.inputs.size());
    input_index_.assign(rewrite_.size(), kNever);
    constant_index_.assign(rewrite_.size(), kNever);
    for (uint32_t i = 0; i < rewrite_.inputs.size(); ++i) {
      input_index_[rewrite_.inputs[i].value] = i;
      program_->inputs_vary |= !rewrite_.node(rewrite_.inputs[i]).shapes[0].fully_known();
    }
    grouping_ = fusion::group_elementwise(rewrite_, make_schedule());
    const std::vector<NodeId>& schedule = grouping_.schedule;
    find_last_uses(schedule);
    std::vector<bool> is_static(rewrite_.size(), false);
    for (const NodeId id : schedule) is_static[id.value] = needs_no_inference(rewrite_.node(id));
    slots_.emplace(rewrite_, schedule, is_static);
    // A loop by rows writes the results of reductions for its first rows while it still reads inputs for later rows.
    for (uint32_t i = 0; i < schedule.size(); ++i)
      if (grouping_.group[i] != Grouping::kUngrouped && grouping_.level[i] != Level::kWhole)
        slots_->never_keep(schedule[i]);
    program_->code.reserve(schedule.size() + grouping_.by_rows.size());
    for (uint32_t i = 0; i < schedule.size(); ++i) {
      if (i == 0 || grouping_.group[i] != grouping_.group[i - 1]) open_group(i);
      add(schedule[i], i);
      if (i + 1 == schedule.size() || grouping_.group[i] != grouping_.group[i + 1]) close_group(i + 1);
    }
    add_results();
    program_->frame_size = slots_->size();
    take_passes(rewrite_, *program_);
    for (Instruction& in : program_->code)
      in.op_node = in.inserted < 0 ? &graph_.node(in.node) : &program_->inserted[static_cast<size_t>(in.inserted)].node;
    program_->passes.push_back("fuse");  // Instruction::skip shows what it grouped
    program_->operands.shrink_to_fit();
    program_->released.shrink_to_fit();
    program_->changes.shrink_to_fit();
    program_->pure = is_pure(*program_);
    if (!may_run_in_parallel(*program_)) program_->schedule.stay_serial();
    return program_;
  }

  static void take_passes(optimize::Rewrite& rewrite, Program& program) {
    program.graph = const_cast<Graph&>(rewrite.graph()).shared_from_this();
    program.inserted = rewrite.take_inserted();
    program.passes = rewrite.passes();
    program.changes = rewrite.take_changes();
  }

 private:
  // Returns the nodes that become instructions, in the order in which they run.
  std::vector<NodeId> make_schedule() const {
    const auto runs = [&](NodeId id) {
      const Execution execution = rewrite_.node(id).op->execution;
      return rewrite_.is_live(id) && execution != Execution::kConstant && execution != Execution::kNoOp &&
             input_index_[id.value] == kNever;
    };
    // Nodes without inputs may have been added after their users (a gradient's lists): run them first.
    const auto runs_early = [&](NodeId id) {
      return rewrite_.node(id).inputs.empty() && !rewrite_.node(id).op->stateful();
    };
    std::vector<NodeId> schedule = rewrite_.order();
    std::erase_if(schedule, [&](NodeId id) { return !runs(id); });
    std::stable_partition(schedule.begin(), schedule.end(), runs_early);
    return schedule;
  }

  // Values live until the last instruction that uses any of the node's outputs.
  void find_last_uses(const std::vector<NodeId>& schedule) {
    last_use_.assign(rewrite_.size(), kNever);
    for (uint32_t i = 0; i < schedule.size(); ++i) {
      last_use_[schedule[i].value] = i;
      for (Edge edge : rewrite_.node(schedule[i]).inputs) {
        const uint32_t from = rewrite_.resolve(edge).node.value;
        if (last_use_[from] != kNever) last_use_[from] = i;
      }
    }
    for (Edge edge : rewrite_.outputs) last_use_[rewrite_.resolve(edge).node.value] = kNever;
    first_dying_.assign(schedule.size() + 1, 0);
    const auto for_each_dying = [&](const auto& do_this) {
      for (const NodeId id : schedule)
        if (last_use_[id.value] != kNever) do_this(id, last_use_[id.value]);
    };
    for_each_dying([&](NodeId, uint32_t at) { ++first_dying_[at + 1]; });
    std::partial_sum(first_dying_.begin(), first_dying_.end(), first_dying_.begin());
    dying_.resize(first_dying_.back());
    std::vector<uint32_t> next = first_dying_;
    for_each_dying([&](NodeId id, uint32_t at) { dying_[next[at]++] = id; });
  }

  // The nodes whose values are used for the last time at a position of the schedule.
  std::span<const NodeId> dying(uint32_t at) const {
    return {dying_.data() + first_dying_[at], dying_.data() + first_dying_[at + 1]};
  }

  Operand operand(Edge edge) {
    const Edge from = rewrite_.resolve(edge);
    const uint32_t node = from.node.value;
    if (const Tensor* constant = rewrite_.constant(from)) {
      uint32_t& index = constant_index_[node];
      if (index == kNever) {
        index = static_cast<uint32_t>(program_->constants.size());
        program_->constants.push_back(*constant);
      }
      return Operand::make(Operand::kConstant, index);
    }
    if (input_index_[node] != kNever) return Operand::make(Operand::kInput, input_index_[node]);
    return Operand::make(Operand::kFrame, slots_->slot(from.node) + from.output);
  }

  int32_t callee(const Node& node, AttrName attr) {
    const GraphPtr& graph = node.attrs.get<GraphPtr>(attr);
    auto [at, fresh] = callee_index_.try_emplace(graph.get(), static_cast<int32_t>(program_->callees.size()));
    if (fresh) {
      const auto known = shared_.compiled.find(graph.get());
      ProgramPtr callee = known != shared_.compiled.end()
                              ? known->second
                              : Compiler(shared_.rewrites.rewrite_of(*graph), shared_).run();
      shared_.compiled.emplace(graph.get(), callee);
      program_->callees.push_back(std::move(callee));
    }
    return at->second;
  }

  void add_case(const Node& node, Instruction& in) {
    std::vector<int32_t> branches;  // compiling a branch may add to the program's branches
    for (const AttrName name : branches_of(node.attrs)) branches.push_back(callee(node, name));
    in.opcode = Opcode::kCase;
    in.callee = static_cast<int32_t>(program_->branches.size());
    program_->branches.insert(program_->branches.end(), branches.begin(), branches.end());
    in.other = static_cast<int32_t>(program_->branches.size());
  }

  Instruction instruction(NodeId id) const {
    Instruction in;
    in.node = rewrite_.traced_node(id);
    if (rewrite_.is_inserted(id)) in.inserted = static_cast<int32_t>(id.value - graph_.size());
    return in;
  }

  // The instruction of a group precedes those of its nodes, and is completed when their slots are known.
  void open_group(uint32_t now) {
    if (grouping_.group[now] == Grouping::kUngrouped) return;
    group_starts_ = now;
    group_at_ = program_->code.size();
    program_->code.push_back(instruction(grouping_.schedule[now]));
  }

  void close_group(uint32_t end) {
    if (grouping_.group[end - 1] == Grouping::kUngrouped) return;
    const std::span<const NodeId> members(grouping_.schedule.data() + group_starts_, end - group_starts_);
    const auto dies_inside = [&](NodeId id) {
      return last_use_[id.value] >= group_starts_ && last_use_[id.value] < end;
    };
    std::vector<Edge> outside;
    const std::span levels = std::span(grouping_.level).subspan(group_starts_, members.size());
    FusedGroup group =
        fusion::fuse(rewrite_, {members, levels, grouping_.by_rows[grouping_.group[end - 1]]}, dies_inside,
                     [this](NodeId id) { return slots_->keeps(id); }, !shapes_uncertain_, outside);
    Instruction& in = program_->code[group_at_];
    in.opcode = Opcode::kFused;
    in.skip = static_cast<uint16_t>(members.size());
    in.callee = group_index(std::move(group));
    in.inputs = static_cast<uint32_t>(outside.size());
    in.first_input = static_cast<uint32_t>(program_->operands.size());
    for (Edge edge : outside) program_->operands.push_back(operand(edge));
    program_->max_inputs = std::max<uint32_t>(program_->max_inputs, in.inputs);
    in.first_released = static_cast<uint32_t>(program_->released.size());
    for (uint32_t at = group_starts_; at < end; ++at)
      for (const NodeId dead : dying(at))
        if (std::ranges::find(members, dead) == members.end()) release(dead);
    in.released = static_cast<uint32_t>(program_->released.size() - in.first_released);
  }

  // Adds the group to the program, unless an equivalent one is there; returns its index.
  int32_t group_index(FusedGroup group) {
    const size_t hash = group.hash();
    const auto [first, last] = groups_by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at)
      if (program_->groups[static_cast<size_t>(at->second)].equivalent_to(group)) return at->second;
    const auto index = static_cast<int32_t>(program_->groups.size());
    groups_by_hash_.emplace(hash, index);
    program_->groups.push_back(std::move(group));
    return index;
  }

  void release(NodeId dead) {
    if (slots_->keeps(dead)) return;
    for (uint32_t k = 0; k < rewrite_.node(dead).dtypes.size(); ++k)
      program_->released.push_back(slots_->slot(dead) + k);
  }

  void add_results() {
    for (Edge edge : rewrite_.outputs) program_->results.push_back(operand(edge));
    std::vector<bool> seen(slots_->size(), false);
    program_->last_result.assign(program_->results.size(), true);
    for (size_t i = program_->results.size(); i-- > 0;) {
      const Operand at = program_->results[i];
      if (at.array() != Operand::kFrame) continue;
      program_->last_result[i] = !seen[at.index()];
      seen[at.index()] = true;
    }
  }

  // `now`: the position in the schedule.
  void add(NodeId id, uint32_t now) {
    const Node& node = rewrite_.node(id);
    Instruction in = instruction(id);
    in.inputs = static_cast<uint32_t>(node.inputs.size());
    in.outputs = static_cast<uint32_t>(node.dtypes.size());
    in.first_input = static_cast<uint32_t>(program_->operands.size());
    for (Edge edge : node.inputs) program_->operands.push_back(operand(edge));
    NodeId reused;  // the node whose slot, with its kept memory, the output takes over
    if (node.op->execution == Execution::kKernel) reused = choose_kernel(id, in, now);
    if (reused.valid()) slots_->take_over(id, reused);
    else slots_->take(id);
    in.keeps_memory = slots_->keeps(id);
    in.blocker = grouping_.blocker[id.value];
    program_->keeps_memory |= in.keeps_memory;
    in.first_output = slots_->slot(id);
    program_->max_inputs = std::max<uint32_t>(program_->max_inputs, in.inputs);
    switch (node.op->execution) {
      case Execution::kIf:
        if (!node.attrs.find("then_branch"_attr)) {
          add_case(node, in);
          break;
        }
        in.opcode = Opcode::kIf;
        in.callee = callee(node, "then_branch"_attr);
        in.other = callee(node, "else_branch"_attr);
        break;
      case Execution::kWhile:
        in.opcode = Opcode::kWhile;
        in.callee = callee(node, "cond"_attr);
        in.other = callee(node, "body"_attr);
        break;
      case Execution::kCall:
        in.opcode = Opcode::kCall;
        in.callee = callee(node, "f"_attr);
        break;
      case Execution::kFakeParam:
      case Execution::kPlaceholder: in.opcode = Opcode::kNoValue; break;
      case Execution::kKernel: break;
      case Execution::kConstant:
      case Execution::kNoOp: FL_CHECK(!"constants and NoOps are not scheduled");
    }
    in.first_released = static_cast<uint32_t>(program_->released.size());
    for (const NodeId dead : dying(now)) {
      if (slots_->keeps(dead) && !(dead == reused)) slots_->give_back(dead);
      release(dead);
    }
    in.released = static_cast<uint32_t>(program_->released.size() - in.first_released);
    program_->code.push_back(in);
  }

  // Whether the node needs neither checks nor inference at run time: all shapes are certain, and the values that shape
  // rules read are constant.
  bool needs_no_inference(const Node& node) const {
    if (shapes_uncertain_) return false;
    for (const Shape& shape : node.shapes)
      if (!shape.fully_known()) return false;
    const bool reads = !kernel_checks_values(*node.op);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Edge edge = node.inputs[i];
      const Node& producer = rewrite_.node(edge.node);
      if (!producer.shapes[edge.output].fully_known()) return false;
      if (reads && shape_depends_on_value(*node.op, i, producer.dtypes[edge.output]) && !rewrite_.constant(edge))
        return false;
    }
    return true;
  }

  // Returns the node whose kept memory becomes the output's, if any.
  NodeId choose_kernel(NodeId id, Instruction& in, uint32_t now) const {
    const Node& node = rewrite_.node(id);
    const OpRow& row = *node.op;
    DType dtype = node.dtypes.empty() ? DType::kFloat32 : node.dtypes[0];
    if (row.dispatch >= 0 && static_cast<size_t>(row.dispatch) < node.inputs.size()) {
      const Edge from = node.inputs[static_cast<size_t>(row.dispatch)];
      dtype = rewrite_.node(from.node).dtypes[from.output];
    }
    in.kernel = kernel_for(DeviceType::kCpu, row.id, dtype);
    in.placed = !node.device.empty();
    in.device = fusion::placement(node);
    in.static_outputs = needs_no_inference(node);
    in.aliases = row.alias == Alias::kSame || row.alias == Alias::kView;
    if (row.alias != Alias::kInPlace || node.dtypes.size() != 1) return {};
    // Kernels write an element after reading the elements at its place, so a dying input of the same shape can give its
    // memory. Shapes that are not known yet are compared at run time.
    for (uint8_t k = 0; k < node.inputs.size(); ++k) {
      const Edge from = rewrite_.resolve(node.inputs[k]);
      const Node& producer = rewrite_.node(from.node);
      const Operand at = program_->operands[in.first_input + k];
      if (at.array() != Operand::kFrame || last_use_[from.node.value] != now) continue;
      if (producer.dtypes[from.output] != node.dtypes[0]) continue;
      if (!compatible(producer.shapes[from.output], node.shapes[0])) continue;
      if (!is_plain(node.dtypes[0])) continue;
      if (slots_->keeps(from.node) != slots_->keeps(id)) continue;
      if (slots_->keeps(id)) return from.node;
      in.reuse = k;
      break;
    }
    return {};
  }

  static constexpr uint32_t kNever = UINT32_MAX;

  const Graph& graph_;
  Shared& shared_;
  const bool shapes_uncertain_;  // whether the user set shapes somewhere, which may turn out to be wrong
  optimize::Rewrite& rewrite_;
  std::shared_ptr<Program> program_;
  Grouping grouping_;
  std::optional<SlotPlan> slots_;
  uint32_t group_starts_ = 0;  // position in the schedule of the group that is being added
  size_t group_at_ = 0;        // position of its instruction in the code
  std::vector<uint32_t> last_use_;  // last use of a node's outputs: a position in the schedule, or kNever
  std::vector<uint32_t> first_dying_;  // into `dying_`, for each position of the schedule
  std::vector<NodeId> dying_;
  std::vector<uint32_t> input_index_, constant_index_;  // by node; kNever if it is neither
  std::unordered_map<const Graph*, int32_t> callee_index_;
  std::unordered_multimap<size_t, int32_t> groups_by_hash_;  // keyed by hash
};

}  // namespace

ProgramPtr compile(const Graph& graph, optimize::Evaluator evaluate, optimize::Keep keep, Phases* phases) {
  const int64_t start = phases ? now_ns() : 0;
  optimize::ProgramRewrite rewrites = optimize::optimize(graph, evaluate, keep);
  if (phases) phases->optimize.push_back({start, now_ns()});
  ProgramPtr program = compile(rewrites);
  if (phases) phases->all = {start, now_ns()};
  return program;
}

ProgramPtr compile(optimize::ProgramRewrite& rewrites) {
  Shared shared{rewrites};
  const std::shared_ptr<Program> program = Compiler(rewrites.root(), shared).run();
  for (optimize::Rewrite* inlined : rewrites.unreachable()) {
    const auto passes = std::make_shared<Program>();
    Compiler::take_passes(*inlined, *passes);
    program->replaced.push_back(passes);
  }
  return program;
}

}  // namespace footlight::compile
