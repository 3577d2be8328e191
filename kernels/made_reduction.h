// The inside of reduction kernels, by op and dtype, for elements that are made while they are reduced and never lie in
// memory all at once: the results are those of the kernel, bit for bit.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// Writes elements [begin, end) to `to`. Each element is asked for once, by any thread.
struct MadeElements {
  void* maker = nullptr;
  void (*make)(void* maker, int64_t begin, int64_t end, void* to) = nullptr;
};

// Each row of so many elements becomes one, in `out`.
using MadeReduction = void (*)(int64_t rows, int64_t length, const MadeElements&, void* out);

// Null: the host's kernel has none. `by`: the dtype of what is reduced.
MadeReduction made_reduction_for(OpId op, DType by);

// For the kernel that was registered last for these dtypes.
void register_made_reduction(std::string_view op, uint32_t dtypes, MadeReduction);

}  // namespace footlight
