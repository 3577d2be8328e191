// tf.cond, tf.while_loop, tf.switch_case, tf.case and tf.gradients: staged while tracing, plain Python otherwise.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <string>
#include <vector>

namespace footlight::python {

void init_function_control();
// What a program registered with tf.RegisterGradient (engine/trace/hooks.h).
std::vector<Tensor> gradient_registered_in_python(const std::string& type, Graph&, NodeId,
                                                  std::span<const Tensor> arriving);

}  // namespace footlight::python
