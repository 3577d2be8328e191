// Runs Programs on this thread: kernels, branches, loops, calls; polls the cancel flag; records op events.
#pragma once

#include "engine/base/device_hooks.h"
#include "engine/compile/program.h"

#include <utility>

namespace footlight::runtime {

// `outputs` gets Program::results.size() tensors. `call` goes into op events.
void run(const compile::Program&, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call = {});

// Whatever this thread does while it lives belongs to that call.
class InCall {
 public:
  explicit InCall(CallId call) : before_(std::exchange(this_thread_call, call)) {}
  ~InCall() { this_thread_call = before_; }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  const CallId before_;
};

// Called before a graph runs of which the recording may not know yet; null: nobody wants to know.
extern void (*graph_runs)(const GraphPtr& graph);

// One op on known values, on the host. What folds constants.
std::vector<Tensor> run_op(const OpRow&, std::span<const Tensor> inputs, const Attrs&);

// Where the last exception that left run() on this thread came from: the innermost node. Cleared by reading it.
struct Failure {
  GraphPtr graph;
  NodeId node;
};
Failure take_failure();

}  // namespace footlight::runtime
