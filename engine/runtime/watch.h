// Inspects the results of every op, eager or in a program: detects NaN and infinity, and logs device placement. While
// it is disabled, each op pays one load and a branch.
#pragma once

#include "engine/base/thread_context.h"
#include "engine/compile/program.h"
#include "engine/ops/row.h"
#include "engine/tensor/device.h"

#include <span>

namespace footlight {

using ResultWatch = void (*)(const OpRow&, std::span<const Tensor> inputs, std::span<const Tensor> outputs, Device);
extern ResultWatch result_watch;  // null: disabled

namespace runtime {

// Sees the results of nodes of the programs that a thread runs.
class NodeWatch {
 public:
  // With `every_node`, each node runs alone and reuses no memory. Otherwise fused groups stay fused, and their nodes
  // are not seen.
  explicit NodeWatch(bool every_node) : every_node(every_node) {}
  virtual ~NodeWatch() = default;
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;
  const bool every_node;

  // Called before a program runs.
  virtual void on_entry(const compile::Program&, std::span<const Tensor> /*inputs*/) {}
  // May supply the results of a node, which then does not run. Returns whether it did.
  virtual bool supply(const compile::Program&, const compile::Instruction&, std::span<Tensor> /*outputs*/) {
    return false;
  }
  // Called after a node has run.
  virtual void on_result(const compile::Program&, const compile::Instruction&, std::span<const Tensor> /*inputs*/,
                   std::span<const Tensor> /*outputs*/) {}
};

}  // namespace runtime

// tf.debugging.enable_check_numerics: a float result with NaN or infinity is kInvalidArgument.
void check_numerics(bool on);
// tf.debugging.set_log_device_placement: a line per op on standard error.
void log_placement(bool on);

}  // namespace footlight
