// Compares a loop's inputs with its outputs, and exchanges nodes that run graphs.
#include "engine/optimize/loops.h"

#include <algorithm>

namespace footlight::optimize {

std::vector<bool> loop_invariants(const Rewrite& body) {
  std::vector<bool> unchanged(body.inputs.size());
  for (size_t k = 0; k < body.inputs.size(); ++k)
    unchanged[k] = body.resolve(body.outputs[k]) == Edge{body.inputs[k], 0};
  return unchanged;
}

bool has_own_graphs(const ProgramRewrite& program, const Rewrite& caller, NodeId id) {
  const std::vector<const Graph*> callees = callees_of(caller.node(id));
  return std::ranges::all_of(callees,
                             [&](const Graph* g) { return program.call_sites(program.rewrite_of(*g)).size() == 1; });
}

void change_interface(Rewrite& caller, NodeId id, Node changed, const std::vector<uint32_t>& old, const char* suffix) {
  changed.name = caller.name(id) + suffix;
  changed.control_inputs.clear();
  std::vector<DType> argument_types;
  const bool has_condition = changed.op->execution == Execution::kIf;
  for (size_t i = has_condition ? 1 : 0; i < changed.inputs.size(); ++i)
    argument_types.push_back(caller.dtype(changed.inputs[i]));
  if (changed.attrs.find("T"_attr)) changed.attrs.set("T"_attr, changed.dtypes.to_vector());
  if (changed.attrs.find("Tin"_attr)) changed.attrs.set("Tin"_attr, argument_types);
  if (changed.attrs.find("Tout"_attr)) changed.attrs.set("Tout"_attr, changed.dtypes.to_vector());
  if (changed.attrs.find("output_shapes"_attr)) changed.attrs.set("output_shapes"_attr, changed.shapes.all());
  const NodeId replacement = caller.insert(std::move(changed), id, caller.origin(id));
  for (uint32_t k = 0; k < old.size(); ++k)
    if (!caller.is_replaced({id, old[k]})) caller.replace({id, old[k]}, {replacement, k});
  caller.remove(id, replacement);
}

NodeId add_parameter(Rewrite& rewrite, DType dtype, const Shape& shape, NodeId before, std::string name) {
  Node node;
  node.op = &"Placeholder"_op.row();
  node.name = std::move(name);
  node.attrs = {{"dtype"_attr, dtype}, {"shape"_attr, shape}};
  node.dtypes = {dtype};
  node.shapes = {shape};
  node.source = rewrite.node(before).source;
  const NodeId id = rewrite.insert(std::move(node), before);
  rewrite.inputs.push_back(id);
  return id;
}

}  // namespace footlight::optimize
