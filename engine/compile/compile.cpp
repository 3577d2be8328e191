// Graph -> Program: slots for values, their last uses, kernels looked up once.
#include "engine/compile/program.h"

#include "engine/base/errors.h"
#include "engine/ops/looked_at.h"
#include "engine/tensor/gpu.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace footlight::compile {
namespace {

constexpr std::string_view kAliasing[] = {"Identity", "Reshape",      "ExpandDims",
                                          "Squeeze",  "StopGradient", "PreventGradient"};

// Whether the user told a shape of any tensor in the graph or in one that it calls.
bool was_told(const Graph& graph) {
  const auto told = [](const Graph& g) {
    for (uint32_t i = 0; i < g.size(); ++i)
      if (g.node(NodeId(i)).told) return true;
    return false;
  };
  const std::vector<GraphPtr> library = library_of(graph);
  return told(graph) || std::any_of(library.begin(), library.end(), [&](const GraphPtr& g) { return told(*g); });
}

class Compiler {
 public:
  // `doubt`: the user told shapes somewhere in the whole of what is compiled; they may turn out to be others.
  Compiler(const Graph& graph, optimize::Evaluator evaluate, optimize::Keep keep, bool doubt)
      : graph_(graph), evaluate_(evaluate), doubt_(doubt),
        rewrite_(optimize::optimize(graph, evaluate, keep)), program_(std::make_shared<Program>()),
        slot_of_(graph.size(), 0), last_use_(graph.size()) {}

  ProgramPtr run() {
    program_->graph = const_cast<Graph&>(graph_).shared_from_this();
    program_->inputs = static_cast<uint32_t>(graph_.inputs.size());
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) input_index_.emplace(graph_.inputs[i].value, i);
    find_last_uses();
    // What needs nothing may have been made after its users (a gradient's lists): it runs first.
    auto early = [&](uint32_t i) {
      return graph_.node(NodeId(i)).inputs.empty() && !graph_.node(NodeId(i)).op->stateful;
    };
    for (const bool first : {true, false})
      for (uint32_t i = 0; i < graph_.size(); ++i)
        if (rewrite_.live[i] && !rewrite_.value[i] && !rewrite_.forward[i].node.valid() &&
            !input_index_.contains(i) && early(i) == first)
          add(NodeId(i));
    for (Edge edge : graph_.outputs) program_->results.push_back(operand(edge));
    return program_;
  }

 private:
  // Values live from their instruction to the last one that takes any of the node's outputs.
  void find_last_uses() {
    used_.assign(graph_.size(), false);
    for (uint32_t i = 0; i < graph_.size(); ++i) last_use_[i] = i;
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      if (!rewrite_.live[i] || rewrite_.value[i] || rewrite_.forward[i].node.valid()) continue;
      for (Edge edge : graph_.node(NodeId(i)).inputs) {
        uint32_t& last = last_use_[rewrite_.resolve(edge).node.value];
        last = used_[rewrite_.resolve(edge).node.value] ? std::max(last, i) : i;
        used_[rewrite_.resolve(edge).node.value] = true;
      }
    }
    for (Edge edge : graph_.outputs) last_use_[rewrite_.resolve(edge).node.value] = UINT32_MAX;
    dying_.resize(graph_.size());
    for (uint32_t i = 0; i < graph_.size(); ++i)
      if (last_use_[i] != UINT32_MAX) dying_[last_use_[i]].push_back(i);
  }

  Operand operand(Edge edge) {
    const Edge from = rewrite_.resolve(edge);
    const uint32_t node = from.node.value;
    if (from.output == 0 && rewrite_.value[node]) {
      auto [at, fresh] = constant_index_.try_emplace(node, static_cast<uint32_t>(program_->constants.size()));
      if (fresh) program_->constants.push_back(rewrite_.value[node]);
      return Operand::make(Operand::kConstant, at->second);
    }
    if (auto at = input_index_.find(node); at != input_index_.end()) return Operand::make(Operand::kInput, at->second);
    return Operand::make(Operand::kFrame, slot_of_[node] + from.output);
  }

  int32_t callee(const Node& node, AttrName attr) {
    const GraphPtr& graph = node.attrs.get<GraphPtr>(attr);
    auto [at, fresh] = callee_index_.try_emplace(graph.get(), static_cast<int32_t>(program_->callees.size()));
    if (fresh) {
      Compiler compiler(*graph, evaluate_, optimize::Keep::kOutputsAndEffects, doubt_);
      program_->callees.push_back(compiler.run());
    }
    return at->second;
  }

  void add(NodeId id) {
    static const AttrName kThen("then_branch"), kElse("else_branch"), kCond("cond"), kBody("body"), kFunction("f");
    const Node& node = graph_.node(id);
    const std::string_view op = node.op->name;
    if (op == "NoOp") return;
    Instruction in;
    in.node = id;
    in.inputs = static_cast<uint16_t>(node.inputs.size());
    in.outputs = static_cast<uint16_t>(node.dtypes.size());
    in.first_input = static_cast<uint32_t>(program_->operands.size());
    for (Edge edge : node.inputs) program_->operands.push_back(operand(edge));
    in.first_output = program_->frame_size;
    slot_of_[id.value] = program_->frame_size;
    program_->frame_size += in.outputs;
    program_->widest = std::max<uint32_t>(program_->widest, in.inputs);
    if (op == "StatelessIf" || op == "If") {
      in.step = Step::kIf;
      in.callee = callee(node, kThen);
      in.other = callee(node, kElse);
    } else if (op == "StatelessWhile" || op == "While") {
      in.step = Step::kWhile;
      in.callee = callee(node, kCond);
      in.other = callee(node, kBody);
    } else if (op == "PartitionedCall" || op == "StatefulPartitionedCall") {
      in.step = Step::kCall;
      in.callee = callee(node, kFunction);
    } else if (op == "FakeParam" || op == "Placeholder") {
      in.step = Step::kFake;
    } else {
      choose_kernel(node, in);
    }
    in.first_released = static_cast<uint32_t>(program_->released.size());
    for (uint32_t dead : dying_[id.value]) {
      if (!rewrite_.live[dead] || rewrite_.value[dead] || rewrite_.forward[dead].node.valid() ||
          input_index_.contains(dead))
        continue;
      for (uint32_t k = 0; k < graph_.node(NodeId(dead)).dtypes.size(); ++k)
        program_->released.push_back(slot_of_[dead] + k);
    }
    in.released = static_cast<uint16_t>(program_->released.size() - in.first_released);
    program_->code.push_back(in);
  }

  // Whether nothing is left to check or to infer when the node runs: all shapes are known and can be believed, and so
  // are the values that shape rules look at.
  bool settled(const Node& node) {
    if (doubt_) return false;
    for (const Shape& shape : node.shapes)
      if (!shape.fully_known()) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Edge edge = node.inputs[i];
      if (!graph_.node(edge.node).shapes[edge.output].fully_known()) return false;
      if (looked_at(*node.op, i, graph_.node(edge.node).dtypes[edge.output]) &&
          operand(edge).array() != Operand::kConstant)
        return false;
    }
    return true;
  }

  void choose_kernel(const Node& node, Instruction& in) {
    const OpRow& row = *node.op;
    DType dtype = node.dtypes.empty() ? DType::kFloat32 : node.dtypes[0];
    if (row.dispatch >= 0 && static_cast<size_t>(row.dispatch) < node.inputs.size()) {
      const Edge from = node.inputs[static_cast<size_t>(row.dispatch)];
      dtype = graph_.node(from.node).dtypes[from.output];
    }
    in.kernel = kernel_for(DeviceType::kCpu, row.id, dtype);
    if (!node.device.empty()) {
      in.placed = true;
      in.device = gpu::soft(parse_device(node.device));
      program_->uses_gpu = program_->uses_gpu || in.device.type == DeviceType::kGpu;
    }
    in.static_outputs = settled(node);
    for (std::string_view name : kAliasing) in.aliases = in.aliases || name == row.name;
    if ((row.fast != FastPath::kUnary && row.fast != FastPath::kBinary) || !in.static_outputs) return;
    // An element is written after the elements at its place were read: the memory of a dying input of the
    // same shape serves.
    for (uint8_t k = 0; k < node.inputs.size(); ++k) {
      const Edge from = rewrite_.resolve(node.inputs[k]);
      const Node& made = graph_.node(from.node);
      const Operand at = program_->operands[in.first_input + k];
      if (at.array() != Operand::kFrame || last_use_[from.node.value] != in.node.value) continue;
      if (made.dtypes[from.output] != node.dtypes[0] || !(made.shapes[from.output] == node.shapes[0])) continue;
      if (!is_plain(node.dtypes[0])) continue;
      in.reuse = k;
      return;
    }
  }

  const Graph& graph_;
  optimize::Evaluator evaluate_;
  const bool doubt_;
  optimize::Rewrite rewrite_;
  std::shared_ptr<Program> program_;
  std::vector<uint32_t> slot_of_;
  std::vector<uint32_t> last_use_;
  std::vector<bool> used_;
  std::vector<std::vector<uint32_t>> dying_;
  std::unordered_map<uint32_t, uint32_t> input_index_, constant_index_;
  std::unordered_map<const Graph*, int32_t> callee_index_;
};

}  // namespace

ProgramPtr compile(const Graph& graph, optimize::Evaluator evaluate, optimize::Keep keep) {
  return Compiler(graph, evaluate, keep, was_told(graph)).run();
}

}  // namespace footlight::compile
