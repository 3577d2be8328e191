// A Python function that an op calls: tf.py_function and tf.numpy_function put one into a graph.
#pragma once

#include "engine/ops/attrs.h"

#include <span>
#include <string>
#include <vector>

namespace footlight {

// The attribute `_function` of a node owns it, so it lives as long as any graph or program that runs the node.
class HostFunction : public Resource {
 public:
  // Returns an output for each of `dtypes`. Throws the function's error.
  virtual std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType> dtypes) = 0;
  // Returns the value of `_function` for the op that computes the gradient. That op's inputs are the inputs of this
  // function, its outputs and their gradients; its outputs are the gradients of the inputs.
  virtual Tensor gradient() = 0;
  // Tells functions apart in a recording: "clip #3". Nodes that would do the same in any call have the same text.
  // Empty: not known, or not now.
  virtual std::string identity() { return {}; }
};

Tensor host_function_value(HostFunction*);
// Null for other attributes.
HostFunction* host_function_in(const Attrs&);
// Throws kInvalidArgument if the node has no function, because it came from another process.
HostFunction& host_function_of(const Attrs&);
// Whether an attribute refers to an object of this process, so that no file can hold it.
bool is_process_local(const AttrValue&);

}  // namespace footlight
