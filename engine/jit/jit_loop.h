// Compiles a fused loop to machine code when it is hot; steps without machine code run the loops of the kernels.
#pragma once

#include "engine/jit/code_memory.h"
#include "engine/jit/machine_code.h"

#include <atomic>
#include <memory>
#include <span>
#include <string>

namespace footlight::jit {

class JitLoop final : public fusion::JitCode {
 public:
  // One step of the group, or several steps that `loop` runs.
  struct Part {
    uint16_t step = 0;
    MachineLoop loop = nullptr;
  };

  // Null, with the reason in `why`, if no two consecutive steps can be compiled or the system refuses memory.
  static std::unique_ptr<const JitLoop> compile(const fusion::FusedGroup& group, ScalarMask scalars, const char*& why);

  std::span<const Part> parts() const { return parts_; }
  // The parts that make up the first `steps` steps, if a part ends there.
  std::span<const Part> parts_of(size_t steps) const { return parts().first(parts_.size() - (steps_ - steps)); }
  // Whether one machine loop runs the first `steps` steps.
  bool is_one_loop(size_t steps) const { return parts_[0].loop && parts_of(steps).size() == 1; }
  ScalarMask scalars() const { return scalars_; }
  std::string describe() const override;

 private:
  ScalarMask scalars_ = 0;
  std::vector<Part> parts_;
  CodeMemory memory_;
  size_t steps_ = 0, compiled_steps_ = 0, loops_ = 0;
  int64_t compile_ns_ = 0;
};

// Sets how many nanoseconds a fused loop runs before it is compiled. The default is about three times what compiling
// takes, because machine code saves about a third of a loop's time.
void set_jit_threshold(int64_t ns);
inline constexpr int64_t kDefaultJitThreshold = 200'000, kJitOff = INT64_MAX;

// Counts a run over this number of elements and compiles the loop if it has become hot.
const JitLoop* compile_if_hot(const fusion::FusedGroup& group, ScalarMask scalars, int64_t elements);

// The machine code for a run over this number of elements; null if the loops of the kernels run.
inline const JitLoop* jit_code_for(const fusion::FusedGroup& group, ScalarMask scalars, int64_t elements) {
  const fusion::JitState* const state = group.jit.get();
  if (!state) return nullptr;
  if (const auto* code = static_cast<const JitLoop*>(state->code.load(std::memory_order_acquire)))
    return code->scalars() == scalars ? code : nullptr;
  return state->was_tried.load(std::memory_order_relaxed) ? nullptr : compile_if_hot(group, scalars, elements);
}

}  // namespace footlight::jit
