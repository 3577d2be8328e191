// Code of the machine for steps of a walk that follow each other: one loop, whose values stay in registers.
#pragma once

#include "engine/compile/fused.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::runtime {

// Over n elements; `at`: where each value of the group lies.
using MachineLoop = void (*)(void* const* at, int64_t n);

struct Piece {
  size_t first = 0, count = 0;  // of the group's steps
};

// Values that have one element for all: bit i for the value i from outside, kRepeats for what a row has one of.
using Singles = uint32_t;
inline constexpr Singles kRepeats = Singles{1} << 31;

// Why none can be made here at all; null: it can. By the instruction set that the kernels were chosen for.
const char* no_machine_code();
// For tests: code for AVX2 where there is AVX-512. (Kernels of all instruction sets give the same bits for such steps.)
void make_narrow_code(bool narrow);
// Whether this machine has instructions for the step.
bool has_instructions(const compile::FusedGroup& group, const compile::FusedGroup::Step& step);
// Empty: more values at once than there are registers, or elements of different sizes that no register holds alike.
std::vector<std::byte> assemble(const compile::FusedGroup& group, Piece piece, Singles singles);

}  // namespace footlight::runtime
