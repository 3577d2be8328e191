// Runs Programs on this thread: kernels, branches, loops, calls; polls the cancel flag; records op events.
#pragma once

#include "engine/compile/program.h"

namespace footlight::runtime {

// `outputs` gets Program::results.size() tensors. `call` goes into op events.
void run(const compile::Program&, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call = {});

// One op on known values, on the host. What folds constants.
std::vector<Tensor> run_op(const OpRow&, std::span<const Tensor> inputs, const Attrs&);

// Where the last exception that left run() on this thread came from: the innermost node. Cleared by reading it.
struct Failure {
  GraphPtr graph;
  NodeId node;
};
Failure take_failure();

}  // namespace footlight::runtime
