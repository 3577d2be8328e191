// A function of the program's own language that an op calls: what tf.py_function and tf.numpy_function put in a graph.
#pragma once

#include "engine/ops/attrs.h"

#include <span>
#include <vector>

namespace footlight {

// Held by the attribute `_function` of its node, and with it as long as any graph or program that runs the node.
class HostFunction : public Resource {
 public:
  // Returns an output for each of `dtypes`. Throws the function's error.
  virtual std::vector<Tensor> call(std::span<const Tensor> inputs, std::span<const DType> dtypes) = 0;
  // A node that runs the function gets a gradient: the value of `_function` of the op that computes it, whose inputs
  // are those of the function, its outputs and their gradients. Its outputs are the gradients of the inputs.
  virtual Tensor gradient() = 0;
};

Tensor host_function_value(HostFunction*);
// Throws kInvalidArgument for a node without one: it came from another process.
HostFunction& host_function_of(const Attrs&);
// Whether an attribute is something of this process that no file can hold.
bool is_of_this_process(const AttrValue&);

}  // namespace footlight
