// Whether a run goes straight through a program or on the tape with steps side by side.
#pragma once

#include "engine/compile/program.h"

#include <span>

namespace footlight::runtime {

// Nobody looks at single steps, and this thread may use the pool.
bool may_run_beside();
int64_t elements_of(std::span<const Tensor> inputs);
// The program's own, or the one with sections.
const compile::Tape& other_tape_for(const compile::Program&, std::span<const Tensor> inputs);

inline const compile::Tape& tape_for(const compile::Program& program, std::span<const Tensor> inputs) {
  using State = compile::ParallelSchedule::State;
  const State state = program.schedule.state();
  if (state == State::kMeasuring || (state == State::kSerial && !program.inputs_vary)) [[likely]] return program;
  return other_tape_for(program, inputs);
}

}  // namespace footlight::runtime
