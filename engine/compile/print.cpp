// Prints one line per instruction; the nodes of a fused loop are indented below its own line.
#include "engine/compile/print.h"

#include "engine/graph/describe.h"
#include "engine/ops/flops.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace footlight::compile {

using fusion::FusedGroup;
using fusion::JitCode;
using fusion::JitState;

namespace {

std::string counted(size_t n, const char* what) { return str(n, ' ', what, n == 1 ? "" : "s"); }

// "12.5 kB", "3.1 MFLOP"
std::string scaled(double n, const char* unit) {
  static constexpr const char* kPrefixes[] = {" ", " k", " M", " G", " T"};
  size_t k = 0;
  for (; n >= 1000 && k < 4; ++k) n /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, k ? "%.1f" : "%.0f", n);
  return str(text, kPrefixes[k], unit);
}

double bytes_of(const TensorType& type) { return flops::elements(type) * static_cast<double>(size_of(type.dtype)); }

class ProgramNodes final : public fusion::NodesById {
 public:
  explicit ProgramNodes(const Program& program) : program_(program) {}
  const Node& node(NodeId id) const override {
    const size_t size = program_.graph->size();
    return id.value < size ? program_.graph->node(id) : program_.inserted[id.value - size].node;
  }
  TensorType type_of(Edge edge) const {
    const Node& producer = node(edge.node);
    return {producer.dtypes[edge.output], producer.shapes[edge.output]};
  }

 private:
  const Program& program_;
};

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), nodes_(program) {}

  std::string print() {
    const std::vector<Instruction>& code = program_.code;
    size_t instructions = 0;
    for (size_t i = 0; i < code.size(); i += size_t{1} + code[i].skip) ++instructions;
    out_ = str("program of ", program_.graph->name(), ": ", counted(instructions, "instruction"), ", ",
               counted(program_.inputs, "input"), ", ", counted(program_.constants.size(), "constant"), ", ",
               counted(program_.frame_size, "slot"), '\n');
    for (size_t i = 0; i < code.size(); ++i) {
      if (code[i].opcode != Opcode::kFused) {
        print_instruction(code[i], 1);
        continue;
      }
      print_fused_loop(code[i]);
      for (uint16_t k = code[i].skip; k > 0; --k) print_instruction(code[++i], 2);
    }
    out_ += "  return";
    for (size_t i = 0; i < program_.results.size(); ++i) out_ += str(i ? ", " : " ", name_of(program_.results[i]));
    out_ += str('\n', "  in all: ", scaled(flops_, "FLOP"), ", ", scaled(bytes_, "B"), " read and written",
                unknown_ ? ", without what is known only when it runs" : "", '\n');
    const char* before = "  not fused, because they are not elementwise: ";
    for (const auto& [name, times] : unfusible_ops_) {
      out_ += str(before, name);
      if (times > 1) out_ += str(" (", times, ')');
      before = ", ";
    }
    if (!unfusible_ops_.empty()) out_ += '\n';
    print_schedule();
    return std::move(out_);
  }

 private:
  static std::string name_of(Operand o) {
    const char* array = o.array() == Operand::kInput ? "in" : o.array() == Operand::kConstant ? "c" : "s";
    return array + std::to_string(o.index());
  }
  std::string operand(const Instruction& in, uint32_t i) const {
    return name_of(program_.operands[in.first_input + i]);
  }

  static std::string reductions(const FusedGroup& group) {
    if (!group.num_reductions) return "";
    if (group.by_rows) return "; row by row, because there are reductions of rows";
    if (group.num_reductions == 1) return "; the last node reduces what is read or made";
    return str("; the last ", group.num_reductions, " nodes reduce what is read or made");
  }

  static std::string machine_code(const FusedGroup& group) {
    const JitState* const state = group.jit.get();
    if (const JitCode* const code = state ? state->code.load() : nullptr) return code->describe();
    return str("no machine code: ",
               state ? state->why_no_code.load() : "no two consecutive steps have machine instructions");
  }

  void print_fused_loop(const Instruction& in) {
    const FusedGroup& group = program_.groups[static_cast<size_t>(in.callee)];
    out_ += str("  fused loop of ", counted(in.skip, "node"), ": ", counted(group.num_outside, "value"), " in, ",
                counted(group.results.size(), "value"), " out, ", counted(group.num_tiles, "tile"), reductions(group),
                '\n');
    out_ += str("    ", machine_code(group), '\n');
    // Only values from outside count as memory traffic: values inside stay in tiles.
    std::set<uint32_t> outside;
    for (uint32_t i = 0; i < in.inputs; ++i) outside.insert(program_.operands[in.first_input + i].code);
    for (uint16_t m = 0; m < in.skip; ++m) {
      const Instruction& member = (&in)[1 + m];
      for (uint32_t k = 0; k < member.inputs; ++k)
        if (outside.erase(program_.operands[member.first_input + k].code))
          add_traffic(nodes_.type_of(program_.node(member).inputs[k]));
    }
    for (const FusedGroup::Step& step : group.steps) {
      const Node& made = program_.node((&in)[1 + step.member]);
      if (group.values[step.out].storage == FusedGroup::Storage::kResult) add_traffic({made.dtypes[0], made.shapes[0]});
    }
  }

  static std::string time_text(int64_t ns) {
    const auto value = static_cast<double>(ns);
    if (ns < 1'000'000) return scaled(value / 1e3, "us");
    return ns < 1'000'000'000 ? scaled(value / 1e6, "ms") : scaled(value / 1e9, "s");
  }

  // Prints the decision about parallel steps, once the program has run a few times.
  void print_schedule() {
    const ParallelSchedule& known = program_.schedule;
    if (known.state() != ParallelSchedule::State::kParallel) {
      if (known.serial_ns())
        out_ += str("  serial, ", time_text(known.serial_ns()), ": running steps in parallel would save ",
                    time_text(std::max<int64_t>(known.saving_ns(), 0)), '\n');
      return;
    }
    for (const Section& section : known.executable().sections) {
      out_ += str("  parallel, ", counted(section.tasks.size(), "task"), ": ", time_text(section.parallel_ns),
                  " instead of ", time_text(section.serial_ns), '\n');
      for (size_t t = 0; t < section.tasks.size(); ++t) {
        out_ += str("    task ", t);
        const char* between = ", after ";
        for (size_t before = 0; before < section.tasks.size(); ++before) {
          const std::vector<uint32_t>& successors = section.tasks[before].successors;
          if (std::ranges::find(successors, t) == successors.end()) continue;
          out_ += str(between, before);
          between = " and ";
        }
        between = ": ";
        for (const uint32_t step : section.tasks[t].steps) {
          out_ += str(between, program_.name(program_.code[step]));
          if (program_.code[step].skip) out_ += str(" (a fused loop of ", program_.code[step].skip, ')');
          between = ", ";
        }
        out_ += '\n';
      }
    }
  }

  void add_traffic(const TensorType& type) {
    if (!type.shape.fully_known()) unknown_ = true;
    else if (is_plain(type.dtype)) bytes_ += bytes_of(type);
  }

  void print_instruction(const Instruction& in, int depth) {
    const Node& made = program_.node(in);
    out_ += std::string(static_cast<size_t>(2 * depth), ' ');
    for (uint32_t k = 0; k < in.outputs; ++k) out_ += str(k ? ", s" : "s", in.first_output + k);
    out_ += str(in.outputs ? " = " : "", made.op->name, '(');
    for (uint32_t i = 0; i < in.inputs; ++i) out_ += str(i ? ", " : "", operand(in, i));
    out_ += str(")  # ", program_.name(in));
    std::vector<TensorType> inputs, outputs;
    bool known = true;
    for (Edge edge : made.inputs) inputs.push_back(nodes_.type_of(edge));
    for (size_t k = 0; k < made.dtypes.size(); ++k) {
      out_ += str(k ? ", " : ": ", describe(made.dtypes[k], made.shapes[k]));
      outputs.push_back({made.dtypes[k], made.shapes[k]});
    }
    for (const std::vector<TensorType>* types : {&inputs, &outputs})
      for (const TensorType& type : *types) {
        known &= type.shape.fully_known();
        if (depth == 1 && !in.aliases) add_traffic(type);
      }
    const double cost = known ? static_cast<double>(flops_of(*made.op, inputs, outputs)) : 0;
    flops_ += cost;
    unknown_ |= !known;
    if (cost > 0) out_ += ", " + scaled(cost, "FLOP");
    if (in.keeps_memory) out_ += "; its memory stays in the slot";
    else if (in.reuse != Instruction::kNoReuse) out_ += "; in the memory of " + operand(in, in.reuse);
    if (in.opcode == Opcode::kKernel && !in.static_outputs) out_ += "; shapes are inferred when it runs";
    if (depth == 1 && in.opcode == Opcode::kKernel) {
      const char* const why = why_not_fusible(program_, in);
      if (*why) out_ += str("; not fused: ", why);
      else if (!in.aliases) ++unfusible_ops_[made.op->name];
    }
    out_ += '\n';
  }

  const Program& program_;
  const ProgramNodes nodes_;
  std::string out_;
  double flops_ = 0, bytes_ = 0;
  std::map<std::string, size_t> unfusible_ops_;  // ops for which fusion has no loop, with counts
  bool unknown_ = false;
};

void print_all(const Program& program, std::set<const Program*>& seen, std::string& out) {
  if (!seen.insert(&program).second) return;
  out += Printer(program).print();
  for (const ProgramPtr& callee : program.callees) print_all(*callee, seen, out);
}

}  // namespace

const char* why_not_fusible(const Program& program, const Instruction& in) {
  if (in.opcode != Opcode::kKernel) return "";
  const ProgramNodes nodes(program);
  const Node& made = program.node(in);
  const char* why = "";
  if (made.op->family == OpFamily::kElementwise) {
    why = fusion::why_not_fusible(nodes, made);
  } else {
    if (made.inputs.size() != 2) return "";
    const Operand axes = program.operands[in.first_input + 1];
    const Tensor* const known = axes.array() == Operand::kConstant ? &program.constants[axes.index()] : nullptr;
    if (!fusion::fusible_reduction(made, nodes.type_of(made.inputs[0]), known, why) && !*why) return "";
  }
  return *why ? why : fusion::words_of(in.blocker);
}

std::string to_text(const Program& program) {
  std::set<const Program*> seen;
  std::string out;
  print_all(program, seen, out);
  return out;
}

}  // namespace footlight::compile
