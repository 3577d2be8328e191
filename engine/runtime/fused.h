// Runs a fused group: every node over one tile, or a few rows, then over the next; on all cores if there is much to do.
#pragma once

#include "engine/compile/fused.h"
#include "engine/tensor/tensor.h"

#include <span>

namespace footlight::runtime {

// `results`: where each result's elements go.
void run_tiles(const compile::FusedGroup& group, std::span<const Tensor> inputs, std::span<const compile::Spread> over,
               const Shape& shape, std::span<void* const> results);

}  // namespace footlight::runtime
