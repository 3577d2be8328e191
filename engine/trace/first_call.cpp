// Builds a branch on whether the variables have values.
#include "engine/trace/first_call.h"

#include "engine/eager/tape.h"
#include "engine/trace/control_flow.h"

namespace footlight::trace {

void build_first_call(GraphBuilder& builder, Concrete& creating, Concrete& later, std::span<const Tensor> variables) {
  const HideTapes hidden;
  const Building building(&builder);
  std::vector<Tensor> parameters;
  const Graph& graph = *later.graph();
  for (size_t i = 0; i < graph.parameters; ++i) {
    const Node& node = graph.node(graph.inputs[i]);
    const AttrValue* const given = node.attrs.find("_user_specified_name"_attr);
    const std::string* const user_name = given ? std::get_if<std::string>(given) : nullptr;
    parameters.push_back(builder.parameter(node.dtypes[0], node.shapes[0], node.name,
                                           user_name ? *user_name : std::string()));
  }
  Tensor all;
  for (const Tensor& handle : variables) {
    const Tensor one = apply("VarIsInitializedOp"_op, {handle});
    all = all ? apply("LogicalAnd"_op, {all, one}) : one;
  }
  builder.finish(build_cond(
      all, [&] { return later.call(parameters); }, [&] { return creating.call(parameters); }));
}

}  // namespace footlight::trace
