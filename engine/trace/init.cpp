// Installs the hooks of the layers below this one.
#include "engine/trace/init.h"

#include "engine/eager/hooks.h"
#include "engine/ops/hooks.h"
#include "engine/runtime/hooks.h"
#include "engine/runtime/host_function_kernels.h"
#include "engine/runtime/optional.h"
#include "engine/runtime/tensor_list.h"
#include "engine/trace/control_gradients.h"
#include "engine/trace/derivative.h"
#include "engine/trace/graph_builder.h"
#include "engine/trace/graph_record.h"
#include "engine/trace/shape_value.h"

namespace footlight::trace {

void init() {
  ops::hooks.known_part_of_shape = known_part_of_shape;
  ops::hooks.build_loop = loop_over_numbers;
  ops::hooks.cond_gradient = cond_gradient;
  ops::hooks.loop_gradient = loop_gradient;
  ops::hooks.call_gradient = call_gradient;
  ops::hooks.leaked = [](const Tensor& tensor) { throw_leaked(tensor); };
  eager::hooks.custom_gradient_in_graph = note_custom_gradient;
  runtime::hooks.graph_runs = record_graphs;
  runtime::register_list_kernels();
  runtime::register_optional_kernels();
  runtime::register_host_function_kernels();
}

}  // namespace footlight::trace
