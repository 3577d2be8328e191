// A FunctionDef as a graph: arguments become Placeholders, `ret` its outputs.
#include "engine/formats/library.h"

#include "engine/base/text.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/import_nodes.h"

#include <algorithm>
#include <set>

namespace footlight::formats {
namespace {

// The dtypes of one argument: a list has several.
std::vector<DType> types_of(const OpDef::ArgDef& arg, const AttrMap& parameters) {
  const auto parameter = [&](const std::string& name) -> const AttrValue& {
    const auto at = parameters.find(name);
    if (at == parameters.end())
      fail(ErrorKind::kValue, "its argument '", arg.name(), "' depends on the attribute '", name,
           "', which the call does not give");
    return at->second;
  };
  std::vector<DType> types;
  if (!arg.type_list_attr().empty()) {
    for (int type : parameter(arg.type_list_attr()).list().type()) types.push_back(dtype_from(type));
    return types;
  }
  const DType type = dtype_from(arg.type_attr().empty() ? static_cast<int>(arg.type())
                                                        : static_cast<int>(parameter(arg.type_attr()).type()));
  if (arg.number_attr().empty()) return {type};
  const int64_t count = parameter(arg.number_attr()).i();
  if (count < 0 || count > 65535) fail(ErrorKind::kValue, "its argument '", arg.name(), "' has ", count, " tensors");
  types.assign(static_cast<size_t>(count), type);
  return types;
}

bool is_list(const OpDef::ArgDef& arg) { return !arg.type_list_attr().empty() || !arg.number_attr().empty(); }

// Arguments as nodes, and what references to them mean.
class Arguments {
 public:
  Arguments(const FunctionDef& def, Graph& graph, NodeReader& reader, Reading& reading)
      : def_(def), graph_(graph), reader_(reader), reading_(reading) {
    for (const NodeDef& node : def.node_def()) used_.insert(node.name());
  }

  void add(const OpDef::ArgDef& arg, const std::vector<DType>& types, uint32_t index) {
    for (size_t k = 0; k < types.size(); ++k) {
      const Edge edge{placeholder(arg, types[k], index, k), 0};
      const std::string reference = is_list(arg) ? str(arg.name(), ':', k) : arg.name();
      if (!reader_.tensors.emplace(reference, edge).second)
        fail(ErrorKind::kValue, "two of its arguments are named '", arg.name(), "'");
      if (k == 0 && is_list(arg)) reader_.tensors.emplace(arg.name(), edge);
    }
  }

 private:
  NodeId placeholder(const OpDef::ArgDef& arg, DType type, uint32_t index, size_t k) {
    Node node;
    node.op = &"Placeholder"_op.row();
    Shape shape = Shape::unknown_rank();
    if (const auto at = def_.arg_attr().find(index); at != def_.arg_attr().end()) {
      node.attrs = extra_attrs_from(at->second.attr(), reading_);
      const auto shapes = at->second.attr().find("_output_shapes");
      if (shapes != at->second.attr().end() && static_cast<size_t>(shapes->second.list().shape_size()) > k)
        shape = shape_from(shapes->second.list().shape(static_cast<int>(k)));
    }
    node.attrs.set("dtype"_attr, type);
    node.attrs.set("shape"_attr, shape);
    node.dtypes = {type};
    node.shapes = {std::move(shape)};
    std::string name = is_list(arg) ? str(arg.name(), '_', k) : arg.name();
    while (used_.contains(name)) name += "_arg";
    node.name = graph_.unique_full_name(name);
    const NodeId id = graph_.add_named(std::move(node));
    graph_.inputs.push_back(id);
    ++graph_.parameters;
    return id;
  }

  const FunctionDef& def_;
  Graph& graph_;
  NodeReader& reader_;
  Reading& reading_;
  std::set<std::string_view> used_;
};

void add_outputs(const FunctionDef& def, const OpDef::ArgDef& arg, const std::vector<DType>& types, Graph& graph,
                 const NodeReader& reader) {
  const auto ret = def.ret().find(arg.name());
  if (ret == def.ret().end()) fail(ErrorKind::kValue, "it does not say what its output '", arg.name(), "' is");
  if (types.empty()) return;
  const Edge first = reader.tensor(ret->second);
  for (uint32_t k = 0; k < types.size(); ++k) {
    const auto listed = reader.tensors.find(str(ret->second, ':', k));
    const Edge edge = listed != reader.tensors.end() ? listed->second : Edge{first.node, first.output + k};
    const Node& node = graph.node(edge.node);
    if (edge.output >= node.dtypes.size() || node.dtypes[edge.output] != types[k])
      fail(ErrorKind::kValue, "its output '", arg.name(), "' should be ", footlight::name_of(types[k]), ", but is ",
           edge.output < node.dtypes.size() ? footlight::name_of(node.dtypes[edge.output]) : "missing");
    graph.outputs.push_back(edge);
  }
}

void add_control_outputs(const FunctionDef& def, Graph& graph, const NodeReader& reader) {
  for (const std::string& output : def.signature().control_output()) {
    const auto at = def.control_ret().find(output);
    const NodeId node = at == def.control_ret().end() ? NodeId() : reader.node(at->second);
    if (!node.valid()) fail(ErrorKind::kValue, "its control output '", output, "' names no node of it");
    graph.control_outputs.push_back(node);
  }
}

}  // namespace

Library::Library(const FunctionDefLibrary& defs, Reading& reading) : defs_(defs), reading_(reading) {
  for (const FunctionDef& def : defs.function()) {
    const std::string& name = def.signature().name();
    const auto [at, fresh] = by_name_.emplace(name, &def);
    if (!fresh && bytes_of(*at->second) != bytes_of(def))
      fail(ErrorKind::kValue, "two functions of the library are named '", name, "'");
  }
  reading.function = [this](const NameAttrList& callee) { return function(callee); };
}

const FunctionDef* Library::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : at->second;
}

GraphPtr Library::function(const NameAttrList& callee) {
  const FunctionDef* def = find(callee.name());
  if (!def) fail(ErrorKind::kValue, "the library has no function '", callee.name(), "'");
  NameAttrList key;  // the attributes of the call that make a difference
  key.set_name(callee.name());
  for (const OpDef::AttrDef& attr : def->signature().attr()) {
    const auto given = callee.attr().find(attr.name());
    if (given != callee.attr().end()) (*key.mutable_attr())[attr.name()] = given->second;
    else if (attr.has_default_value()) (*key.mutable_attr())[attr.name()] = attr.default_value();
  }
  const auto [at, fresh] = read_.try_emplace(bytes_of(key));
  if (!fresh) {
    if (!at->second) fail(ErrorKind::kValue, "the function '", callee.name(), "' calls itself, which is not supported");
    return at->second;
  }
  if (depth_ >= reading_.limits.calls)
    fail(ErrorKind::kValue, "functions call each other more than ", reading_.limits.calls, " levels deep");
  ++depth_;
  at->second = read(*def, key.attr());
  --depth_;
  for (const GradientDef& gradient : defs_.gradient()) {
    if (gradient.function_name() != callee.name() || !find(gradient.gradient_func())) continue;
    NameAttrList name;
    name.set_name(gradient.gradient_func());
    const GraphPtr graph = function(name);
    // One that calls the function itself could not be freed.
    const std::vector<GraphPtr> calls = library_of(*graph);
    if (graph != at->second && std::ranges::find(calls, at->second) == calls.end()) at->second->gradient = graph;
  }
  return at->second;
}

GraphPtr Library::read(const FunctionDef& def, const AttrMap& parameters) {
  const std::string& name = def.signature().name();
  const AttrMap* const before = std::exchange(reading_.parameters, &parameters);
  try {
    auto graph = std::make_shared<Graph>(name);
    NodeReader reader(reading_, *graph, def.node_def(), Style::kFunction);
    reader.add = [&](Node node) { return graph->add_named(std::move(node)); };
    Arguments arguments(def, *graph, reader, reading_);
    size_t given = 0;
    for (int i = 0; i < def.signature().input_arg_size(); ++i) {
      const OpDef::ArgDef& arg = def.signature().input_arg(i);
      const std::vector<DType> types = types_of(arg, parameters);
      given += types.size();
      if (given > reading_.limits.arguments)
        fail(ErrorKind::kValue, "it takes more than ", reading_.limits.arguments, " tensors");
      arguments.add(arg, types, static_cast<uint32_t>(i));
    }
    reader.read();
    for (const OpDef::ArgDef& arg : def.signature().output_arg())
      add_outputs(def, arg, types_of(arg, parameters), *graph, reader);
    if (graph->outputs.size() > reading_.limits.arguments)
      fail(ErrorKind::kValue, "it gives more than ", reading_.limits.arguments, " tensors");
    add_control_outputs(def, *graph, reader);
    graph->attrs = extra_attrs_from(def.attr(), reading_);
    reading_.parameters = before;
    check_cost(*graph);
    return graph;
  } catch (const Error& error) {
    reading_.parameters = before;
    if (error.message().starts_with("function '")) throw;
    throw Error(error.kind(), str("function '", name, "': ", error.message()));
  }
}

Library::Cost Library::cost_of(const Graph& graph) {
  if (const auto known = costs_.find(&graph); known != costs_.end()) return known->second;
  Cost cost{graph.size(), 0};
  std::set<const Graph*> seen;
  for (uint32_t i = 0; i < graph.size(); ++i)
    for (const auto& [name, value] : graph.node(NodeId(i)).attrs) {
      const GraphPtr* callee = std::get_if<GraphPtr>(&value);
      if (!callee || !seen.insert(callee->get()).second) continue;
      const Cost inner = costs_[callee->get()];
      cost.nodes += inner.nodes;
      cost.depth = std::max(cost.depth, inner.depth + 1);
    }
  return cost;
}

void Library::check_cost(const Graph& graph) {
  const Cost cost = cost_of(graph);
  if (cost.depth > reading_.limits.calls)
    fail(ErrorKind::kValue, "functions call each other more than ", reading_.limits.calls, " levels deep");
  if (cost.nodes > reading_.limits.program_nodes)
    fail(ErrorKind::kValue, "with all that its functions call, the graph has more than ", reading_.limits.program_nodes,
         " nodes");
  costs_[&graph] = cost;
}

}  // namespace footlight::formats
