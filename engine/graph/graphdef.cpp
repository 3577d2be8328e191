// Node, function and graph as messages, with the names GraphDef wants: "cond:1" in a graph, "cond:output:1"
// in a function.
#include "engine/graph/graphdef.h"

#include "engine/base/errors.h"
#include "engine/graph/tensor_proto.h"

#include <algorithm>
#include <set>

namespace footlight {
namespace {

using proto::Message;
constexpr int64_t kProducer = 2474, kMinConsumer = 12;

bool is_op(const Node& node, std::string_view op) { return op == node.op->name; }

// GraphDef names outputs; most ops have one, called "output", "z" (two operands) or "y" (one operand).
const char* output_name(const Node& node, uint32_t index) {
  struct Named { std::string_view op; const char* names[4]; };
  static constexpr Named kNamed[] = {{"MatMul", {"product"}},
                                     {"Relu", {"activations"}},
                                     {"Softmax", {"softmax"}},
                                     {"ReadVariableOp", {"value"}},
                                     {"SparseSoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
                                     {"SoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
                                     {"ReluGrad", {"backprops"}},
                                     {"BroadcastGradientArgs", {"r0", "r1"}},
                                     {"VarHandleOp", {"resource"}},
                                     {"Elu", {"activations"}},
                                     {"LogSoftmax", {"logsoftmax"}},
                                     {"ArgMax", {"output"}},
                                     {"TopKV2", {"values", "indices"}},
                                     {"Unique", {"y", "idx"}}};
  static constexpr std::string_view kTwo[] = {
      "AddV2",       "Add",         "Sub",          "Mul",       "RealDiv",
      "Div",         "FloorDiv",    "FloorMod",     "Pow",       "Maximum",
      "Minimum",     "Greater",     "GreaterEqual", "Less",      "LessEqual",
      "Equal",       "NotEqual",    "LogicalAnd",   "LogicalOr", "SquaredDifference",
      "TruncateDiv", "TruncateMod", "DivNoNan",     "MulNoNan",  "Atan2"};
  static constexpr std::string_view kOne[] = {
      "Neg",    "Abs",   "Cast",       "Exp",   "Log",   "Log1p",    "Expm1", "Sqrt",       "Rsqrt",
      "Square", "Sin",   "Cos",        "Tan",   "Tanh",  "Sigmoid",  "Sign",  "LogicalNot", "Floor",
      "Ceil",   "Round", "Reciprocal", "IsNan", "IsInf", "IsFinite", "Rint",  "ZerosLike",  "OnesLike",
      "Erf",    "Asin",  "Acos",       "Atan",  "Sinh",  "Cosh",     "Asinh", "Acosh",      "Atanh"};
  const std::string_view op = node.op->name;
  for (const Named& named : kNamed)
    if (named.op == op && index < 4 && named.names[index]) return named.names[index];
  if (std::ranges::find(kTwo, op) != std::end(kTwo)) return "z";
  if (std::ranges::find(kOne, op) != std::end(kOne)) return "y";
  return "output";
}

// Ops with one list of outputs number within it, ops with several named ones have number 0 in each.
std::string output_reference(const Graph& graph, Edge edge) {
  const Node& node = graph.node(edge.node);
  const std::string name = output_name(node, edge.output);
  const uint32_t index = node.op->outputs == kVariableOutputs || name == "output" ? edge.output : 0;
  return node.name + ':' + name + ':' + std::to_string(index);
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

void fill_shape(Message& message, const Shape& shape) {
  if (!shape.has_rank()) return message.add("unknown_rank", int64_t{1});
  for (int64_t dim : shape.dims()) message.add("dim").add("size", dim);
}

void fill_attr(Message& message, const AttrValue& value) {
  auto list = [&](const auto& items, const char* field, auto convert) {
    Message& inner = message.add("list");
    for (const auto& item : items) inner.add(field, proto::Value(convert(item)));
  };
  if (auto v = std::get_if<bool>(&value)) message.add("b", int64_t{*v});
  if (auto v = std::get_if<int64_t>(&value)) message.add("i", *v);
  if (auto v = std::get_if<float>(&value)) message.add("f", double{*v});
  if (auto v = std::get_if<std::string>(&value)) message.add("s", *v);
  if (auto v = std::get_if<DType>(&value)) message.add("type", static_cast<int64_t>(*v));
  if (auto v = std::get_if<Shape>(&value)) fill_shape(message.add("shape"), *v);
  if (auto v = std::get_if<Tensor>(&value)) fill_tensor_proto(message.add("tensor"), *v);
  if (auto v = std::get_if<GraphPtr>(&value)) message.add("func").add("name", (*v)->name());
  if (auto v = std::get_if<std::vector<int64_t>>(&value)) list(*v, "i", [](int64_t i) { return i; });
  if (auto v = std::get_if<std::vector<float>>(&value)) list(*v, "f", [](float f) { return double{f}; });
  if (auto v = std::get_if<std::vector<std::string>>(&value)) list(*v, "s", [](const std::string& s) { return s; });
  if (auto v = std::get_if<std::vector<DType>>(&value))
    list(*v, "type", [](DType d) { return static_cast<int64_t>(d); });
  if (auto v = std::get_if<std::vector<Shape>>(&value)) {
    Message& inner = message.add("list");
    for (const Shape& shape : *v) fill_shape(inner.add("shape"), shape);
  }
}

struct InputNames {
  const Graph& graph;
  const std::vector<std::string>* arguments = nullptr;  // library functions: names of the inputs
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

void fill_node(Message& message, const InputNames& scope, const Node& node) {
  message.add("name", node.name);
  message.add("op", std::string(node.op->name));
  for (Edge edge : node.inputs) message.add("input", input_text(scope, edge));
  std::vector<std::string> controls;
  for (NodeId control : node.control_inputs) controls.push_back('^' + scope.graph.node(control).name);
  std::ranges::sort(controls);
  for (std::string& control : controls) message.add("input", std::move(control));
  if (!node.device.empty()) message.add("device", node.device);
  for (const auto& [name, value] : node.attrs) fill_attr(message.add_entry("attr", std::string(name.text())), value);
  message.sort_map("attr");
}

void fill_argument_attrs(Message& function, size_t index, const Node& placeholder) {
  Message& attrs = function.add_entry("arg_attr", static_cast<int64_t>(index));
  fill_shape(attrs.add_entry("attr", std::string("_output_shapes")).add("list").add("shape"), placeholder.shapes[0]);
  if (const AttrValue* name = placeholder.attrs.find(AttrName("_user_specified_name")))
    fill_attr(attrs.add_entry("attr", std::string("_user_specified_name")), *name);
}

void fill_function(Message& message, const Graph& graph) {
  Message& signature = message.add("signature");
  signature.add("name", graph.name());
  std::set<std::string> used;
  std::vector<std::string> arguments;
  for (NodeId input : graph.inputs) {
    const Node& node = graph.node(input);
    arguments.push_back(argument_name(node.name, used));
    Message& arg = signature.add("input_arg");
    arg.add("name", arguments.back());
    arg.add("type", static_cast<int64_t>(node.dtypes[0]));
  }
  const InputNames scope{graph, &arguments};
  std::vector<std::pair<std::string, std::string>> returned;
  for (Edge edge : graph.outputs) {
    const Node& node = graph.node(edge.node);
    std::string wanted = node.name;
    if (is_op(node, "Placeholder") && wanted.ends_with("_0")) wanted.resize(wanted.size() - 2);
    const std::string name = argument_name(wanted, used);
    Message& arg = signature.add("output_arg");
    arg.add("name", name);
    arg.add("type", static_cast<int64_t>(node.dtypes[edge.output]));
    returned.emplace_back(name, input_text(scope, edge));
  }
  bool stateful = false;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(NodeId(i));
    if (is_op(node, "Placeholder") && std::ranges::find(graph.inputs, NodeId(i)) != graph.inputs.end()) continue;
    stateful = stateful || node.op->stateful;
    fill_node(message.add("node_def"), scope, node);
  }
  for (auto& [name, value] : returned) {
    Message& entry = message.add("ret");
    entry.add("key", name);
    entry.add("value", value);
  }
  message.sort_map("ret");
  for (NodeId control : graph.control_outputs) {
    const std::string& name = graph.node(control).name;
    signature.add("control_output", name);
    Message& entry = message.add("control_ret");
    entry.add("key", name);
    entry.add("value", name);
  }
  message.sort_map("control_ret");
  if (stateful) signature.add("is_stateful", int64_t{1});
  message.add_entry("attr", std::string("_construction_context")).add("s", std::string("kEagerRuntime"));
  for (size_t i = 0; i < graph.inputs.size(); ++i) fill_argument_attrs(message, i, graph.node(graph.inputs[i]));
}

}  // namespace

std::shared_ptr<Message> to_node_def(const Graph& graph, NodeId id) {
  auto message = std::make_shared<Message>(proto::node_def());
  fill_node(*message, InputNames{graph}, graph.node(id));
  return message;
}

std::shared_ptr<Message> to_graph_def(const Graph& graph) {
  auto message = std::make_shared<Message>(proto::graph_def());
  for (uint32_t i = 0; i < graph.size(); ++i) fill_node(message->add("node"), InputNames{graph}, graph.node(NodeId(i)));
  const std::vector<GraphPtr> functions = library_of(graph);
  if (!functions.empty()) {
    Message& library = message->add("library");
    for (const GraphPtr& function : functions) fill_function(library.add("function"), *function);
  }
  Message& versions = message->add("versions");
  versions.add("producer", kProducer);
  if (!functions.empty()) versions.add("min_consumer", kMinConsumer);
  return message;
}

}  // namespace footlight
