// The events of ops that programs run, for a recording.
#pragma once

#include "engine/compile/program.h"
#include "engine/ops/cost.h"

#include <span>

namespace footlight::runtime {

// The event of an instruction, without its times.
OpEvent event_of(const compile::Program&, const compile::Instruction&, CallId, SignatureId);

// One run of a fused group.
struct FusedRun {
  const compile::Program& program;
  const compile::Executable& executable;
  const compile::Instruction& instruction;
  const fusion::FusedGroup& group;
  std::span<const Tensor> inputs;
  const Shape& shape;           // of the loop
  const Tensor* const* arrays;  // the arrays of values, by Operand::array()
  CallId call;
  int64_t start_ns;
};
// Records an event for each node, as if they had run one after the other until now, each for its share of the time.
void record_fused_group(const FusedRun&);

}  // namespace footlight::runtime
