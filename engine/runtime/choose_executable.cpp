// If the sizes of inputs vary, compares them with those for which the decision was made.
#include "engine/runtime/choose_executable.h"

#include "engine/base/activity.h"
#include "engine/base/step_parallelism.h"
#include "engine/runtime/watch.h"
#include "engine/tensor/gpu.h"

namespace footlight::runtime {

bool can_run_steps_in_parallel() {
  return !inside_pool_loop() && max_parallel_steps() > 1 && !device_access.copy && !result_watch &&
         !this_thread.node_watch && !this_thread.activity;
}

int64_t elements_of(std::span<const Tensor> inputs) {
  int64_t all = 0;
  for (const Tensor& t : inputs)
    if (t) all += t.elements();
  return all;
}

const compile::Executable& choose_executable(const compile::Program& program, std::span<const Tensor> inputs) {
  if (program.inputs_vary) {
    const int64_t elements = elements_of(inputs);
    program.schedule.note_size(elements);
    if (program.schedule.is_too_small(elements)) return program;
  }
  if (program.schedule.state() != compile::ParallelSchedule::State::kParallel || !can_run_steps_in_parallel())
    return program;
  return program.schedule.executable();
}

}  // namespace footlight::runtime
