// Registers a kernel with the loop inside it.
#pragma once

#include "kernels/cpu/register.h"
#include "kernels/loops.h"

namespace footlight {

inline void on_cpu(std::string_view op, uint32_t dtypes, Kernel kernel, ElementLoop loop) {
  on_cpu(op, dtypes, kernel);
  register_loop(op, dtypes, loop);
}

}  // namespace footlight
