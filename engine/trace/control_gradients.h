// The gradients of ops that hold graphs, for engine/ops (ops/hooks.h).
#pragma once

#include "engine/ops/hooks.h"

namespace footlight::trace {

void cond_gradient(GradientCall&);
void loop_gradient(GradientCall&);  // loop_gradient.cpp
void call_gradient(GradientCall&);

// Adds a loop to the graph being built that calls `step` for each number below `count` on the previous result.
Tensor loop_over_numbers(const Tensor& count, const Tensor& value, const ops::LoopStep& step);

}  // namespace footlight::trace
