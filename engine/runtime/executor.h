// Runs Programs on this thread: kernels, branches, loops, calls; polls the cancel flag; records op events.
#pragma once

#include "engine/base/device_hooks.h"
#include "engine/compile/program.h"

#include <utility>

namespace footlight::runtime {

// `outputs` gets Program::results.size() tensors. `call` goes into op events.
void run(const compile::Program&, std::span<const Tensor> inputs, std::span<Tensor> outputs, CallId call = {});

// While the scope lives, events of this thread belong to that call.
class CallScope {
 public:
  explicit CallScope(CallId call) : before_(std::exchange(this_thread.call, call)) {}
  ~CallScope() { this_thread.call = before_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const CallId before_;
};

// Runs one op on known values, on the host. Used to fold constants.
std::vector<Tensor> run_op(const OpRow&, std::span<const Tensor> inputs, const Attrs&);

// The innermost node that caused an exception from run().
struct Failure {
  GraphPtr graph;
  NodeId node;
};
// The last failure on this thread. Reading clears it.
Failure take_failure();

}  // namespace footlight::runtime
