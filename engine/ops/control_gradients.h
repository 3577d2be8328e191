// Gradients of ops that hold graphs. They are built by engine/trace, a higher layer, which installs them at start.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

struct ControlGradients {
  GradientFunction cond = nullptr;
  GradientFunction loop = nullptr;
  GradientFunction call = nullptr;
};
extern ControlGradients control_gradients;

}  // namespace footlight
