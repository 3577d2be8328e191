// An executable graph: a linear list of instructions over slots, made once from a graph and never changed.
#pragma once

#include "engine/fusion/fused_group.h"
#include "engine/compile/parallel_schedule.h"
#include "engine/graph/graph.h"
#include "engine/optimize/rewrite.h"
#include "kernels/table.h"

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

namespace footlight::optimize {
class ProgramRewrite;
}

namespace footlight::compile {

class Program;
using ProgramPtr = std::shared_ptr<const Program>;

// The location of a value: the two highest bits say in which array.
struct Operand {
  static constexpr uint32_t kFrame = 0, kInput = 1, kConstant = 2;
  uint32_t code = 0;
  static constexpr Operand make(uint32_t array, uint32_t index) { return {array << 30 | index}; }
  constexpr uint32_t array() const { return code >> 30; }
  constexpr uint32_t index() const { return code & 0x3fffffff; }
};

enum class Opcode : uint8_t { kKernel, kFused, kIf, kCase, kWhile, kCall, kNoValue };

struct Instruction {
  Opcode opcode = Opcode::kKernel;
  bool static_outputs = false;   // all output dtypes and shapes are known: no inference at run time
  bool aliases = false;          // the outputs are views of inputs, so nothing is allocated
  bool keeps_memory = false;     // the output is small: its memory stays in its slot for the next run
  fusion::FusionBlocker blocker = fusion::FusionBlocker::kNoNeighbour;  // of a node that could be in a group and is not
  uint8_t reuse = kNoReuse;      // the input whose memory the output may reuse, if nothing else holds it and the shapes
                                 // agree
  uint16_t skip = 0;             // for a fused group: how many of the following instructions are its nodes, which run
                                 // one by one if the group cannot
  uint32_t inputs = 0, outputs = 0, released = 0;
  uint32_t first_input = 0;      // into Program::operands
  uint32_t first_output = 0;     // frame slot
  uint32_t first_released = 0;   // into Program::released
  // Indexes into Program::callees: kIf then and else, kWhile condition and body, kCall the function. For kCase a range
  // of Program::branches, for kFused `callee` is an index into `groups`.
  int32_t callee = -1, other = -1;
  Kernel kernel = nullptr;       // the kernel for the host
  Device device = Device::cpu(); // if placed: requested by tf.device
  bool placed = false;           // whether the user requested a device
  const Node* op_node = nullptr;   // the node that the instruction runs
  NodeId node;                   // a node of Program::graph; for an inserted one, the node that it was inserted before
  int32_t inserted = -1;         // into Program::inserted
  static constexpr uint8_t kNoReuse = 255;
};

// What a run executes: instructions, from the first to the last, and the slots that they read and write.
struct Executable {
  Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  ~Executable() { delete[] spare_frame.load(); }

  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<uint32_t> released;          // for each instruction, the frame slots that are not needed after it
  std::vector<fusion::FusedGroup> groups;  // equivalent instructions share one
  std::vector<Operand> results;
  std::vector<bool> last_result;        // for each result, whether no later one is in the same slot
  std::vector<Section> sections;        // in order; instructions outside of sections run one after the other
  uint32_t frame_size = 0;
  uint32_t max_inputs = 0;              // the largest number of inputs of an instruction
  bool keeps_memory = false;            // some slots keep their memory between runs
  mutable std::atomic<Tensor*> spare_frame{nullptr};  // a frame with such memory; a run takes it and puts it back
};

// A compiled graph. As an Executable, it is serial: it has no sections.
class Program : public Executable {
 public:
  Program() = default;

  GraphPtr graph;                // kept alive, because instructions refer to its nodes
  std::deque<optimize::Inserted> inserted;  // nodes that passes added
  std::vector<const char*> passes;        // passes that ran over the graph, in order, and "fuse"
  std::vector<optimize::Change> changes;  // what the passes changed; what "fuse" grouped is in Instruction::skip
  std::vector<Tensor> constants;
  std::vector<ProgramPtr> callees;
  std::vector<int32_t> branches;        // ranges of each kCase, by number, into callees
  std::vector<ProgramPtr> replaced;     // only in the root: the graphs that were inlined or dropped. They have no code,
                                     // but their passes and changes
  uint32_t inputs = 0;
  bool inputs_vary = false;             // whether some of their shapes are unknown
  bool pure = false;                    // whether it may run on any thread (is_pure)
  mutable ParallelSchedule schedule;      // which steps run in parallel
  mutable std::atomic<uint32_t> recorded{0};  // the last recording that knows the graph (recording_number)

  const Node& node(const Instruction& in) const { return *in.op_node; }
  // The number of the instruction's node: the graph's nodes come first, then the inserted ones.
  uint32_t node_number(const Instruction& in) const {
    return in.inserted < 0 ? in.node.value : static_cast<uint32_t>(graph->size()) + static_cast<uint32_t>(in.inserted);
  }
  std::string name(const Instruction& in) const {
    return in.inserted < 0 ? std::string(in.op_node->name) : inserted[static_cast<size_t>(in.inserted)].name();
  }
  // The traced node whose work an instruction does.
  optimize::Origin origin(const Instruction& in) const {
    return has_origin(in) && in.inserted >= 0 ? inserted[static_cast<size_t>(in.inserted)].origin
                                              : optimize::Origin{graph.get(), in.node};
  }
  // False if a pass inserted the node and it does not stand for a single traced one.
  bool has_origin(const Instruction& in) const {
    return in.inserted < 0 || inserted[static_cast<size_t>(in.inserted)].origin.graph;
  }
};

// The times of a compilation: in total, and of the passes.
struct TimeRange {
  int64_t start_ns = 0, end_ns = 0;
};
struct Phases {
  TimeRange all;
  std::vector<TimeRange> optimize;
};

// Optimizes and compiles a graph. `evaluate` folds constants; null: no folding.
ProgramPtr compile(const Graph&, optimize::Evaluator evaluate, optimize::Keep = optimize::Keep::kOutputsAndEffects,
                   Phases* phases = nullptr);
// Compiles graphs over which all passes have run.
ProgramPtr compile(optimize::ProgramRewrite&);

}  // namespace footlight::compile
