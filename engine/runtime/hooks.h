// Functions through which engine/trace steers this layer. All are null where nobody has installed them.
#pragma once

#include "engine/compile/program.h"

namespace footlight::runtime {

struct Hooks {
  // Called before a program runs whose graph the recording may not know yet. engine/trace installs it (trace::init).
  void (*graph_runs)(const compile::Program& program) = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::runtime
