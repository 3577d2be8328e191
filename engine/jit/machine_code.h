// Assembles consecutive steps of a fused loop to one machine loop, whose values stay in registers.
#pragma once

#include "engine/fusion/fused_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::jit {

// Runs over n elements; `values` has the address of each value of the group.
using MachineLoop = void (*)(void* const* values, int64_t n);

// Consecutive steps of a group.
struct StepRange {
  size_t first = 0, count = 0;
};

// Which values have a single element in a run: bit i stands for outside value i, kPerRowBit for all values with one
// element per row, if the loop runs over one row at a time.
using ScalarMask = uint32_t;
inline constexpr ScalarMask kPerRowBit = ScalarMask{1} << 31;

// Why this machine cannot run machine code; null if it can. It depends on the instruction set of the kernels.
const char* why_no_machine_code();
// For tests: assembles for AVX2 on a machine with AVX-512.
void force_avx2(bool on);
// Whether this machine has instructions for the step and its dtypes.
bool has_instructions(const fusion::FusedGroup& group, const fusion::FusedGroup::Step& step);
// Returns the code; empty if the values need more registers than there are, or have sizes that one loop cannot mix.
std::vector<std::byte> assemble(const fusion::FusedGroup& group, StepRange range, ScalarMask scalars);

}  // namespace footlight::jit
