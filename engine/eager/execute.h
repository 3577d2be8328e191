// Runs one op now: from an op row and tensors to the kernel.
#pragma once

#include "kernels/table.h"

#include <span>
#include <string>
#include <vector>

namespace footlight::eager {

// Fills in the kernels and installs the eager builder; called by the extension module and by C++ programs before
// anything else. Calling it again does nothing.
void init();

extern const Attrs no_attrs;

// Fast paths: one output, no vector, no lookup by name. `attrs` are in the order of the row; those with a default may
// be missing. Active tapes record the op.
Tensor unary(const OpRow&, const Tensor& x);
Tensor binary(const OpRow&, const Tensor& x, const Tensor& y);
Tensor execute1(const OpRow&, std::span<const Tensor> inputs, const Attrs& attrs = no_attrs);
template <class... Tensors>
Tensor execute1(const Op& op, const Attrs& attrs, const Tensors&... inputs) {
  return execute1(op.row(), Borrowed(inputs...), attrs);
}

std::vector<Tensor> execute(const OpRow&, std::span<const Tensor> inputs, const Attrs& attrs = no_attrs);

// Gives outputs new ids where needed, as tapes identify tensors by id: an argument, a kept value, or a value that is
// returned twice must be a new tensor, also for tapes that start later.
void make_own(std::span<Tensor> outputs);

// "outer/inner/" or "": the name scope of this thread outside of every graph.
std::string& name_scope();

}  // namespace footlight::eager
