// Chooses how a run executes a program: serially, or on the tape whose steps run side by side.
#pragma once

#include "engine/compile/program.h"

#include <span>

namespace footlight::runtime {

// Whether steps may run side by side: nobody watches single steps, and this thread may use the pool.
bool may_run_beside();
int64_t elements_of(std::span<const Tensor> inputs);
// Chooses the program's own tape or the one with sections.
const compile::Tape& other_tape_for(const compile::Program&, std::span<const Tensor> inputs);

inline const compile::Tape& tape_for(const compile::Program& program, std::span<const Tensor> inputs) {
  using State = compile::ParallelSchedule::State;
  const State state = program.schedule.state();
  if (state == State::kMeasuring || (state == State::kSerial && !program.inputs_vary)) [[likely]] return program;
  return other_tape_for(program, inputs);
}

}  // namespace footlight::runtime
