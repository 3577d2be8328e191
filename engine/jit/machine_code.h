// Assembles consecutive steps of a fused loop to one machine loop, whose values stay in registers.
#pragma once

#include "engine/fusion/fused_group.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::jit {

// Runs over n elements; `at` has the address of each value of the group.
using MachineLoop = void (*)(void* const* at, int64_t n);

struct Piece {
  size_t first = 0, count = 0;  // a range of the group's steps
};

// The values with a single element: bit i stands for outside value i, kRepeats for the values with one per row.
using Singles = uint32_t;
inline constexpr Singles kRepeats = Singles{1} << 31;

// Why this machine cannot run machine code; null if it can. It depends on the instruction set of the kernels.
const char* why_no_machine_code();
// For tests: assembles for AVX2 on a machine with AVX-512. Such steps give the same bits on every instruction set.
void use_narrow_code(bool narrow);
// Whether this machine has instructions for the step.
bool has_instructions(const fusion::FusedGroup& group, const fusion::FusedGroup::Step& step);
// Empty if the values need more registers than there are, or differ in size in a way that no register can hold.
std::vector<std::byte> assemble(const fusion::FusedGroup& group, Piece piece, Singles singles);

}  // namespace footlight::jit
