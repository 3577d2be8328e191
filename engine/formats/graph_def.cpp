// Node, function and graph as messages, with the names that GraphDef wants: "cond:1" in a graph, "cond:output:1" in a
// function.
#include "engine/formats/graph_def.h"

#include "engine/base/errors.h"
#include "engine/formats/attributes.h"
#include "engine/formats/read.h"
#include "engine/ops/file_names.h"
#include "engine/ops/host_function.h"
#include "engine/ops/output_name.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::formats {
namespace {

constexpr int kMinConsumer = 12;  // of a graph with functions

bool is_placeholder(const Node& node) { return node.op->execution == Execution::kPlaceholder; }

// "svd:u:0": the output's name, and its number among those of that name.
std::string output_reference(const Graph& graph, Edge edge) {
  const Node& node = graph.node(edge.node);
  const OutputName output = output_name(*node.op, node.dtypes.size(), edge.output, node.attrs);
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

// The names of functions in the file: two that are different get different ones.
class FunctionNames {
 public:
  virtual ~FunctionNames() = default;
  virtual const std::string& name(const Graph& function) { return function.name(); }
};

void fill_attr(AttrValue* message, const footlight::AttrValue& value, FunctionNames& functions) {
  if (auto v = std::get_if<bool>(&value)) message->set_b(*v);
  if (auto v = std::get_if<int64_t>(&value)) message->set_i(*v);
  if (auto v = std::get_if<float>(&value)) message->set_f(*v);
  if (auto v = std::get_if<std::string>(&value)) message->set_s(*v);
  if (auto v = std::get_if<DType>(&value)) message->set_type(static_cast<DataType>(*v));
  if (auto v = std::get_if<Shape>(&value)) fill_shape(message->mutable_shape(), *v);
  if (auto v = std::get_if<Tensor>(&value)) *message->mutable_tensor() = to_tensor_proto(*v);
  if (auto v = std::get_if<GraphPtr>(&value)) message->mutable_func()->set_name(functions.name(**v));
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
  FunctionNames& functions;
  const std::unordered_map<uint32_t, std::string>* arguments = nullptr;  // by their nodes
};

std::string input_text(const InputNames& scope, Edge edge) {
  if (scope.arguments) {
    const auto argument = scope.arguments->find(edge.node.value);
    return argument == scope.arguments->end() ? output_reference(scope.graph, edge) : argument->second;
  }
  const std::string& name = scope.graph.node(edge.node).name;
  return edge.output == 0 ? name : name + ':' + std::to_string(edge.output);
}

void fill_node(NodeDef* message, const InputNames& scope, const Node& node) {
  message->set_name(node.name.c_str(), node.name.size());
  message->set_op(name_in_files(*node.op, node.dtypes));
  for (Edge edge : node.inputs) message->add_input(input_text(scope, edge));
  std::vector<std::string> controls;
  for (NodeId control : node.control_inputs) controls.push_back("^" + scope.graph.node(control).name);
  std::ranges::sort(controls);
  for (std::string& control : controls) message->add_input(std::move(control));
  message->set_device(node.device.text());
  for (const auto& [name, value] : node.attrs) {
    if (name == kExtras) message->MergeFromString(std::get<std::string>(value));
    else if (name.text().starts_with("branches["))
      (*message->mutable_attr())["branches"].mutable_list()->add_func()->set_name(
          scope.functions.name(*std::get<GraphPtr>(value)));
    else if (!is_process_local(value))
      fill_attr(&(*message->mutable_attr())[std::string(name.text())], value, scope.functions);
  }
}

// Writes the attributes of an argument: its shape, and all that a Placeholder does not have by itself.
void fill_argument_attrs(FunctionDef::ArgAttrs* attrs, const Node& placeholder, FunctionNames& functions) {
  auto& map = *attrs->mutable_attr();
  fill_shape(map["_output_shapes"].mutable_list()->add_shape(), placeholder.shapes[0]);
  for (const auto& [name, value] : placeholder.attrs)
    if (name.text().starts_with('_')) fill_attr(&map[std::string(name.text())], value, functions);
}

// What a function implements may be a name with attributes, written as text.
void fill_function_attr(FunctionDef* message, AttrName name, const footlight::AttrValue& value,
                        FunctionNames& functions) {
  AttrValue& attr = (*message->mutable_attr())[std::string(name.text())];
  const auto* text = name.text() == "_implements" ? std::get_if<std::string>(&value) : nullptr;
  NameAttrList named;
  try {
    if (text) read_text(named, *text);
  } catch (const Error&) {
    named.Clear();  // a plain name
  }
  if (named.name().empty())
    fill_attr(&attr, value, functions);
  else
    *attr.mutable_func() = named;
}

void fill_function(FunctionDef* message, const Graph& graph, FunctionNames& functions) {
  OpDef* signature = message->mutable_signature();
  signature->set_name(graph.name());
  // Nodes and arguments share their names, arguments and outputs do so.
  std::set<std::string> taken, used;
  std::unordered_map<uint32_t, std::string> arguments;
  for (uint32_t i = 0; i < graph.size(); ++i)
    if (!is_placeholder(graph.node(NodeId(i)))) taken.insert(graph.node(NodeId(i)).name);
  for (NodeId input : graph.inputs) {
    const Node& node = graph.node(input);
    OpDef::ArgDef* arg = signature->add_input_arg();
    arg->set_name(arguments.emplace(input.value, argument_name(node.name, taken)).first->second);
    used.insert(arg->name());
    arg->set_type(static_cast<DataType>(node.dtypes[0]));
  }
  const InputNames scope{graph, functions, &arguments};
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
    if (arguments.contains(i)) continue;
    if (node.op->stateful()) signature->set_is_stateful(true);
    fill_node(message->add_node_def(), scope, node);
  }
  for (NodeId control : graph.control_outputs) {
    const std::string& name = graph.node(control).name;
    signature->add_control_output(name);
    (*message->mutable_control_ret())[name] = name;
  }
  (*message->mutable_attr())["_construction_context"].set_s("kEagerRuntime");
  for (const auto& [name, value] : graph.attrs) fill_function_attr(message, name, value, functions);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    fill_argument_attrs(&(*message->mutable_arg_attr())[static_cast<uint32_t>(i)], graph.node(graph.inputs[i]),
                        functions);
}

// The functions of a file. Graphs that are the same as functions, such as those of a file that was read twice, are
// written once; others of one name get a number.
class LibraryWriter final : public FunctionNames {
 public:
  // Names those that it calls first. Graphs call each other at most as deep as traces, or files, may be nested.
  const std::string& name(const Graph& function) override {
    if (const auto known = names_.find(&function); known != names_.end()) return known->second;
    FunctionDef def;
    fill_function(&def, function, *this);
    const auto [same, fresh] = written_.try_emplace(bytes_of(def));
    if (fresh) {
      std::string& own = same->second;
      own = function.name();
      for (int i = 1; !used_.insert(own).second; ++i) own = function.name() + '_' + std::to_string(i);
      def.mutable_signature()->set_name(own);
      defs_.emplace(own, std::move(def));
    }
    return names_[&function] = same->second;
  }

  void fill(FunctionDefLibrary* message, const std::vector<GraphPtr>& functions) {
    for (const GraphPtr& function : functions) {
      const auto def = defs_.find(name(*function));
      if (def == defs_.end()) continue;  // the same as an earlier one
      *message->add_function() = std::move(def->second);
      defs_.erase(def);
      if (!function->gradient) continue;
      GradientDef* gradient = message->add_gradient();
      gradient->set_function_name(name(*function));
      gradient->set_gradient_func(name(*function->gradient));
    }
  }

 private:
  std::unordered_map<const Graph*, std::string> names_;
  std::map<std::string, std::string> written_;  // the name of each, by its bytes under its own name
  std::map<std::string, FunctionDef> defs_;     // by name
  std::set<std::string> used_;
};

}  // namespace

OpDef to_op_def(const OpRow& row) {
  FunctionNames names;
  OpDef message;
  message.set_name(row.name);
  message.set_is_stateful(row.stateful());
  const auto fill = [&](OpDef::ArgDef* arg, const ArgSpec& spec) {
    arg->set_name(spec.name);
    if (spec.count_attr >= 0) arg->set_number_attr(row.attrs[static_cast<size_t>(spec.count_attr)].name);
    if (spec.type_attr < 0) {
      arg->set_type(static_cast<DataType>(spec.dtype));
      return;
    }
    const AttrSpec& type = row.attrs[static_cast<size_t>(spec.type_attr)];
    (std::string_view(type.type) == "list(type)" ? arg->mutable_type_list_attr() : arg->mutable_type_attr())
        ->assign(type.name);
  };
  for (const ArgSpec& spec : row.inputs) fill(message.add_input_arg(), spec);
  for (const ArgSpec& spec : row.output_specs) fill(message.add_output_arg(), spec);
  for (const AttrSpec& spec : row.attrs) {
    OpDef::AttrDef* attr = message.add_attr();
    attr->set_name(spec.name);
    attr->set_type(spec.type);
    if (spec.has_default) {
      if (std::string_view(spec.type).starts_with("list(")) attr->mutable_default_value()->mutable_list();
      fill_attr(attr->mutable_default_value(), spec.otherwise, names);
    }
    if (spec.allowed == kAllTypes) continue;
    for (int type = 1; type < static_cast<int>(kDTypeCount); ++type)
      if (spec.allowed & bit_of(static_cast<DType>(type)))
        attr->mutable_allowed_values()->mutable_list()->add_type(static_cast<DataType>(type));
  }
  return message;
}

NodeDef to_node_def(const Graph& graph, NodeId node) {
  NodeDef message;
  FunctionNames names;
  fill_node(&message, InputNames{graph, names}, graph.node(node));
  return message;
}

GraphDef to_graph_def(const Graph& graph) {
  GraphDef message;
  LibraryWriter library;
  for (uint32_t i = 0; i < graph.size(); ++i)
    fill_node(message.add_node(), InputNames{graph, library}, graph.node(NodeId(i)));
  const std::vector<GraphPtr> functions = library_of(graph);
  library.fill(message.mutable_library(), functions);
  if (functions.empty()) message.clear_library();
  VersionDef* versions = message.mutable_versions();
  versions->set_producer(kProducer);
  if (!functions.empty()) versions->set_min_consumer(kMinConsumer);
  return message;
}

FunctionDefLibrary to_library(const std::vector<GraphPtr>& functions, std::vector<std::string>& names) {
  FunctionDefLibrary message;
  LibraryWriter library;
  for (const GraphPtr& function : functions) {
    library.fill(&message, library_of(*function));
    library.fill(&message, {function});
    names.push_back(library.name(*function));
  }
  return message;
}

}  // namespace footlight::formats
