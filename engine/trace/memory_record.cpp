// Derives from the instructions which slot each writes, whose memory it uses, and which slots are read no more.
#include "engine/trace/memory_record.h"

#include "engine/ops/row.h"

namespace footlight::trace {
namespace {

using fusion::FusedGroup;
using compile::Instruction;
using compile::Operand;
using compile::Program;
using compile::Opcode;
using session::MemoryPlace;
using session::PlannedValue;

class Plan {
 public:
  explicit Plan(const Program& program) : program_(program), holder_(program.frame_size, kNobody) {}

  std::vector<PlannedValue> make() {
    const std::vector<Instruction>& code = program_.code;
    for (size_t i = 0; i < code.size(); i += size_t{1} + code[i].skip, ++step_) {
      note_reads(code[i]);
      if (code[i].opcode != Opcode::kFused) {
        for (uint32_t k = 0; k < code[i].outputs; ++k) add(code[i], k, place_of(code[i]), reused(code[i], k));
        continue;
      }
      const FusedGroup& group = program_.groups[static_cast<size_t>(code[i].callee)];
      for (uint16_t m = 0; m < code[i].skip; ++m) add_member(code[i], group, m);
    }
    for (const Operand result : program_.results)
      if (result.array() == Operand::kFrame && holder_[result.index()] != kNobody)
        plan_[holder_[result.index()]].last = step_;
    return std::move(plan_);
  }

 private:
  static constexpr size_t kNobody = SIZE_MAX;

  // The value in the frame that an instruction reads.
  size_t read(const Instruction& in, size_t input) const {
    if (input >= in.inputs) return kNobody;
    const Operand from = program_.operands[in.first_input + input];
    return from.array() == Operand::kFrame ? holder_[from.index()] : kNobody;
  }
  void note_reads(const Instruction& in) {
    for (uint32_t i = 0; i < in.inputs; ++i)
      if (const size_t from = read(in, i); from != kNobody) plan_[from].last = step_;
  }

  MemoryPlace place_of(const Instruction& in) const {
    if (in.opcode == Opcode::kNoValue) return MemoryPlace::kNone;
    if (in.opcode != Opcode::kKernel) return MemoryPlace::kGraph;
    if (in.aliases || program_.node(in).op->alias == Alias::kShares) return MemoryPlace::kView;
    if (in.keeps_memory) return MemoryPlace::kKept;
    return in.reuse == Instruction::kNoReuse ? MemoryPlace::kOwn : MemoryPlace::kTakenOver;
  }
  // The value whose memory an output reuses, if it has none of its own.
  size_t reused(const Instruction& in, uint32_t output) const {
    switch (place_of(in)) {
      case MemoryPlace::kView: return read(in, static_cast<size_t>(program_.node(in).op->alias_input));
      case MemoryPlace::kTakenOver: return read(in, in.reuse);
      case MemoryPlace::kKept: return taken(in.first_output + output);
      default: return kNobody;
    }
  }
  // The value in a slot, if this step reads it for the last time.
  size_t taken(uint32_t slot) const {
    const size_t before = holder_[slot];
    return before != kNobody && plan_[before].last == step_ ? before : kNobody;
  }

  void add_member(const Instruction& head, const FusedGroup& group, uint16_t member) {
    const Instruction& in = (&head)[1 + member];
    for (const FusedGroup::Result& result : group.results) {
      if (result.member != member) continue;
      if (in.keeps_memory) return add(in, 0, MemoryPlace::kKept, taken(in.first_output));
      if (result.reuse == FusedGroup::kNoReuse) return add(in, 0, MemoryPlace::kOwn, kNobody);
      return add(in, 0, MemoryPlace::kTakenOver, read(head, result.reuse));
    }
    add(in, 0, MemoryPlace::kTile, kNobody);
  }

  void add(const Instruction& in, uint32_t output, MemoryPlace place, size_t of) {
    const Node& node = program_.node(in);
    PlannedValue value;
    value.node = value.of = program_.node_number(in);
    value.output = static_cast<uint16_t>(output);
    value.slot = in.first_output + output;
    value.place = place;
    if (of != kNobody) value.of = plan_[of].node;
    if (is_plain(node.dtypes[output]) && node.shapes[output].fully_known())
      value.bytes = node.shapes[output].elements() * static_cast<int64_t>(size_of(node.dtypes[output]));
    value.made = value.last = step_;
    holder_[value.slot] = plan_.size();
    plan_.push_back(value);
  }

  const Program& program_;
  std::vector<size_t> holder_;  // for each slot, the index in the plan of the value in it
  std::vector<PlannedValue> plan_;
  uint32_t step_ = 0;
};

}  // namespace

std::vector<session::PlannedValue> memory_plan(const Program& program) { return Plan(program).make(); }

}  // namespace footlight::trace
