// Runs a fused group: all steps over one tile, or a few rows, then over the next; on all cores if the work is large.
#pragma once

#include "engine/fusion/fused_group.h"
#include "engine/tensor/tensor.h"

#include <span>

namespace footlight::runtime {

// `over` has the spread of each input, `shape` is that of the loop, `results` has the memory of each result.
void run_fused_loop(const fusion::FusedGroup& group, std::span<const Tensor> inputs,
                    std::span<const fusion::Spread> over, const Shape& shape, std::span<void* const> results);

}  // namespace footlight::runtime
