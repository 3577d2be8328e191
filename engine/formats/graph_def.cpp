// Node, function and graph as messages, with the names that GraphDef wants: "cond:1" in a graph, "cond:output:1" in a
// function.
#include "engine/formats/graph_def.h"

#include "engine/ops/host_function.h"

#include <algorithm>
#include <set>

namespace footlight::formats {
namespace {

constexpr int kProducer = 2474, kMinConsumer = 12;

bool is_placeholder(const Node& node) { return node.op->execution == Execution::kPlaceholder; }

// "svd:u:0": the output's name, and its number among those of that name.
std::string output_reference(const Graph& graph, Edge edge) {
  const Node& node = graph.node(edge.node);
  const OutputName output = output_name(*node.op, node.dtypes.size(), edge.output);
  return node.name + ':' + output.name + ':' + std::to_string(output.index);
}

// "cond/Identity_1/x" -> "cond_identity_1_x"
std::string argument_name(std::string_view name, std::set<std::string>& used) {
  std::string plain;
  for (char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
  if (plain.empty() || !std::isalpha(static_cast<unsigned char>(plain[0]))) plain.insert(0, "arg_");
  std::string result = plain;
  for (int i = 1; !used.insert(result).second; ++i) result = plain + '_' + std::to_string(i);
  return result;
}

void fill_shape(TensorShapeProto* message, const Shape& shape) {
  if (!shape.has_rank()) return message->set_unknown_rank(true);
  for (int64_t dim : shape.dims()) message->add_dim()->set_size(dim);
}

void fill_attr(AttrValue* message, const footlight::AttrValue& value) {
  if (auto v = std::get_if<bool>(&value)) message->set_b(*v);
  if (auto v = std::get_if<int64_t>(&value)) message->set_i(*v);
  if (auto v = std::get_if<float>(&value)) message->set_f(*v);
  if (auto v = std::get_if<std::string>(&value)) message->set_s(*v);
  if (auto v = std::get_if<DType>(&value)) message->set_type(static_cast<DataType>(*v));
  if (auto v = std::get_if<Shape>(&value)) fill_shape(message->mutable_shape(), *v);
  if (auto v = std::get_if<Tensor>(&value)) *message->mutable_tensor() = to_tensor_proto(*v);
  if (auto v = std::get_if<GraphPtr>(&value)) message->mutable_func()->set_name((*v)->name());
  if (auto v = std::get_if<std::vector<int64_t>>(&value))
    message->mutable_list()->mutable_i()->Add(v->begin(), v->end());
  if (auto v = std::get_if<std::vector<float>>(&value))
    message->mutable_list()->mutable_f()->Add(v->begin(), v->end());
  if (auto v = std::get_if<std::vector<std::string>>(&value))
    message->mutable_list()->mutable_s()->Add(v->begin(), v->end());
  if (auto v = std::get_if<std::vector<DType>>(&value)) {
    AttrValue::ListValue* list = message->mutable_list();
    for (DType dtype : *v) list->add_type(static_cast<DataType>(dtype));
  }
  if (auto v = std::get_if<std::vector<Shape>>(&value)) {
    AttrValue::ListValue* list = message->mutable_list();
    for (const Shape& shape : *v) fill_shape(list->add_shape(), shape);
  }
}

// How a node names its inputs: in a library function, inputs of the function are named as its arguments.
struct InputNames {
  const Graph& graph;
  const std::vector<std::string>* arguments = nullptr;
};

std::string input_text(const InputNames& scope, Edge edge) {
  if (scope.arguments) {
    for (size_t i = 0; i < scope.graph.inputs.size(); ++i)
      if (scope.graph.inputs[i] == edge.node) return (*scope.arguments)[i];
    return output_reference(scope.graph, edge);
  }
  const std::string& name = scope.graph.node(edge.node).name;
  return edge.output == 0 ? name : name + ':' + std::to_string(edge.output);
}

void fill_node(NodeDef* message, const InputNames& scope, const Node& node) {
  message->set_name(node.name);
  message->set_op(node.op->name);
  for (Edge edge : node.inputs) message->add_input(input_text(scope, edge));
  std::vector<std::string> controls;
  for (NodeId control : node.control_inputs) controls.push_back('^' + scope.graph.node(control).name);
  std::ranges::sort(controls);
  for (std::string& control : controls) message->add_input(std::move(control));
  message->set_device(node.device);
  for (const auto& [name, value] : node.attrs)
    if (name.text().starts_with("branches["))
      (*message->mutable_attr())["branches"].mutable_list()->add_func()->set_name(std::get<GraphPtr>(value)->name());
    else if (!is_of_this_process(value)) fill_attr(&(*message->mutable_attr())[std::string(name.text())], value);
}

void fill_argument_attrs(FunctionDef::ArgAttrs* attrs, const Node& placeholder) {
  auto& map = *attrs->mutable_attr();
  fill_shape(map["_output_shapes"].mutable_list()->add_shape(), placeholder.shapes[0]);
  if (const auto* name = placeholder.attrs.find(AttrName("_user_specified_name")))
    fill_attr(&map["_user_specified_name"], *name);
}

void fill_function(FunctionDef* message, const Graph& graph) {
  OpDef* signature = message->mutable_signature();
  signature->set_name(graph.name());
  std::set<std::string> used;
  std::vector<std::string> arguments;
  for (NodeId input : graph.inputs) {
    const Node& node = graph.node(input);
    arguments.push_back(argument_name(node.name, used));
    OpDef::ArgDef* arg = signature->add_input_arg();
    arg->set_name(arguments.back());
    arg->set_type(static_cast<DataType>(node.dtypes[0]));
  }
  const InputNames scope{graph, &arguments};
  for (Edge edge : graph.outputs) {
    const Node& node = graph.node(edge.node);
    std::string wanted = node.name;
    if (is_placeholder(node) && wanted.ends_with("_0")) wanted.resize(wanted.size() - 2);
    const std::string name = argument_name(wanted, used);
    OpDef::ArgDef* arg = signature->add_output_arg();
    arg->set_name(name);
    arg->set_type(static_cast<DataType>(node.dtypes[edge.output]));
    (*message->mutable_ret())[name] = input_text(scope, edge);
  }
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(NodeId(i));
    if (is_placeholder(node) && std::ranges::find(graph.inputs, NodeId(i)) != graph.inputs.end()) continue;
    if (node.op->stateful()) signature->set_is_stateful(true);
    fill_node(message->add_node_def(), scope, node);
  }
  for (NodeId control : graph.control_outputs) {
    const std::string& name = graph.node(control).name;
    signature->add_control_output(name);
    (*message->mutable_control_ret())[name] = name;
  }
  (*message->mutable_attr())["_construction_context"].set_s("kEagerRuntime");
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    fill_argument_attrs(&(*message->mutable_arg_attr())[static_cast<uint32_t>(i)], graph.node(graph.inputs[i]));
}

}  // namespace

NodeDef to_node_def(const Graph& graph, NodeId node) {
  NodeDef message;
  fill_node(&message, InputNames{graph}, graph.node(node));
  return message;
}

GraphDef to_graph_def(const Graph& graph) {
  GraphDef message;
  for (uint32_t i = 0; i < graph.size(); ++i)
    fill_node(message.add_node(), InputNames{graph}, graph.node(NodeId(i)));
  const std::vector<GraphPtr> functions = library_of(graph);
  for (const GraphPtr& function : functions) fill_function(message.mutable_library()->add_function(), *function);
  VersionDef* versions = message.mutable_versions();
  versions->set_producer(kProducer);
  if (!functions.empty()) versions->set_min_consumer(kMinConsumer);
  return message;
}

}  // namespace footlight::formats
