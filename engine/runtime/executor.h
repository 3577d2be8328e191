// Runs Programs on this thread: kernels, branches, loops, calls; polls the cancel flag; records op events.
#pragma once

#include "engine/base/device_hooks.h"
#include "engine/compile/program.h"

#include <utility>

namespace footlight::runtime {

// `outputs` gets Program::results.size() tensors. `call` goes into op events.
void run(const compile::Program&, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call = {});

// While the scope lives, everything that this thread does belongs to that call.
class InCall {
 public:
  explicit InCall(CallId call) : before_(std::exchange(this_thread.call, call)) {}
  ~InCall() { this_thread.call = before_; }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;

 private:
  const CallId before_;
};

// Runs one op on known values, on the host. Used to fold constants.
std::vector<Tensor> run_op(const OpRow&, std::span<const Tensor> inputs, const Attrs&);

// The innermost node that caused the last exception from run() on this thread. Reading clears it.
struct Failure {
  GraphPtr graph;
  NodeId node;
};
Failure take_failure();

}  // namespace footlight::runtime
