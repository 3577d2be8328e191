// Elements of a tensor read with strides, written contiguously: the core of transpose, slice, broadcast and
// reverse.
#pragma once

#include "kernels/cpu/register.h"

namespace footlight::FL_ISA {

struct Strided {
  static constexpr int kMax = 32;
  int rank = 0;
  int64_t size[kMax];
  int64_t stride[kMax];  // strides in elements of the input, innermost first

  void add(int64_t n, int64_t step) {
    if (rank == kMax) invalid("tensors of more than 32 dimensions cannot be moved");
    size[rank] = n;
    stride[rank++] = step;
  }
};

// Fills output 0 from input 0, starting at element `offset`. Plain dtypes and strings.
void gather_strided(KernelContext& c, Strided& w, int64_t offset);

}  // namespace footlight::FL_ISA
