// Chooses how a run executes a program: serially, or on the executable with parallel sections.
#pragma once

#include "engine/compile/program.h"

#include <span>

namespace footlight::runtime {

// Whether sections may run in parallel now: nobody watches single steps, and this thread may use the pool.
bool can_run_steps_in_parallel();
// The number of elements of all inputs together.
int64_t elements_of(std::span<const Tensor> inputs);
// The slow path of executable_for().
const compile::Executable& choose_executable(const compile::Program&, std::span<const Tensor> inputs);

// Returns the program itself or its form with parallel sections.
inline const compile::Executable& executable_for(const compile::Program& program, std::span<const Tensor> inputs) {
  using State = compile::ParallelSchedule::State;
  const State state = program.schedule.state();
  if (state == State::kMeasuring || (state == State::kSerial && !program.inputs_vary)) [[likely]] return program;
  return choose_executable(program, inputs);
}

}  // namespace footlight::runtime
