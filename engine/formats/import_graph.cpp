// Versions and ops are checked for the whole file before anything is added to the graph.
#include "engine/formats/import_graph.h"

#include "engine/base/text.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/import_nodes.h"
#include "engine/formats/library.h"
#include "engine/ops/file_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::formats {
namespace {

void check_versions(const GraphDef& def) {
  const VersionDef& versions = def.versions();
  if (versions.min_consumer() > kProducer)
    fail(ErrorKind::kValue, "the graph needs a program of version ", versions.min_consumer(),
         " or later, this one has ", kProducer);
  if (std::ranges::find(versions.bad_consumers(), kProducer) != versions.bad_consumers().end())
    fail(ErrorKind::kValue, "the graph is marked as unusable for programs of version ", kProducer);
}

// Ops without a row, each with the first node that uses it and how often it is used.
class Unsupported {
 public:
  explicit Unsupported(const Library& library) : library_(library) {}

  void look_at(const NodeDefs& nodes, const std::string& function) {
    for (const NodeDef& node : nodes) {
      if (library_.find(node.op()))
        reach(node.op());
      else if (!row_of_file(node.op()))
        add(node, function);
      for (const auto& [name, value] : node.attr()) {
        if (value.has_func()) reach(value.func().name());
        for (const NameAttrList& func : value.list().func()) reach(func.name());
      }
    }
  }
  void look_at_functions() {
    for (size_t i = 0; i < reached_.size(); ++i)
      if (const FunctionDef* def = library_.find(reached_[i])) look_at(def->node_def(), def->signature().name());
  }
  void report() const {
    if (uses_.empty()) return;
    std::string text = "the graph has ops that are not supported:";
    const char* between = " ";
    bool old_control_flow = false, old_variables = false;
    size_t shown = 0;
    for (const auto& [op, use] : uses_) {
      static const std::set<std::string_view> kOldControl{
          "Enter",   "Exit",     "LoopCond",         "Merge",     "NextIteration", "RefEnter",
          "RefExit", "RefMerge", "RefNextIteration", "RefSwitch", "Switch"};
      static const std::set<std::string_view> kOldVariables{"Assign", "AssignAdd", "AssignSub", "Variable",
                                                            "VariableV2"};
      old_control_flow |= kOldControl.contains(op);
      old_variables |= kOldVariables.contains(op);
      if (++shown > kMaxShown) continue;
      append_to(text, str(between, op, " (", use.node));
      if (use.count > 1) append_to(text, str(" and ", use.count - 1, use.count == 2 ? " other" : " others"));
      append_to(text, ')');
      between = ", ";
    }
    if (uses_.size() > kMaxShown) append_to(text, str(" and ", uses_.size() - kMaxShown, " more ops"));
    if (old_control_flow)
      append_to(text,
                "; branches and loops made of Switch, Merge and Enter are those of TensorFlow 1: write the graph "
                "with tf.compat.v1.enable_control_flow_v2(), or freeze it with lower_control_flow=False");
    if (old_variables)
      append_to(text, "; its variables are those of TensorFlow 1: freeze it first, which makes them constants");
    throw Error(ErrorKind::kNotFound, text);
  }

 private:
  static constexpr size_t kMaxShown = 50;
  struct Use {
    std::string node;
    size_t count = 0;
  };

  void reach(const std::string& name) {
    if (seen_.insert(name).second) reached_.push_back(name);
  }
  void add(const NodeDef& node, const std::string& function) {
    Use& use = uses_[node.op().empty() ? "an op without a name" : node.op()];
    if (use.count++ == 0)
      use.node = function.empty() ? str("node '", node.name(), "'")
                                  : str("node '", node.name(), "' of function '", function, "'");
  }

  const Library& library_;
  std::map<std::string, Use> uses_;
  std::set<std::string> seen_;
  std::vector<std::string> reached_;
};

// "x:1" -> the output; "x" -> the node.
GraphImport::Element element(const std::string& wanted, const NodeReader& reader, const GraphImport& into) {
  for (const auto& [name, edge] : into.inputs)
    if (name == wanted && wanted.find(':') != wanted.npos) return {edge.node, edge.output};
  for (const auto& [name, node] : into.controls)
    if (name == wanted) return {node, -1};
  try {
    if (wanted.find(':') != wanted.npos) {
      const Edge edge = reader.tensor(wanted);
      return {edge.node, edge.output};
    }
  } catch (const Error&) {  // it is said below
  }
  const NodeId node = wanted.find(':') == wanted.npos ? reader.node(wanted) : NodeId();
  if (!node.valid()) fail(ErrorKind::kValue, "Requested return_element '", wanted, "' not found in graph_def.");
  return {node, -1};
}

void check_mapped(const GraphDef& def, const GraphImport& into, const NodeReader& reader) {
  std::set<std::string_view> used;
  for (const NodeDef& node : def.node()) used.insert(node.input().begin(), node.input().end());
  std::string missing;
  const auto miss = [&](std::string_view name) { append_to(missing, str(missing.empty() ? "" : ", ", name)); };
  for (const auto& [name, edge] : into.inputs) {
    const std::string_view plain = name.ends_with(":0") ? std::string_view(name).substr(0, name.size() - 2) : name;
    if (!used.contains(name) && !used.contains(plain) && !reader.has_tensor(name)) miss(name);
  }
  for (const auto& [name, node] : into.controls)
    if (!used.contains('^' + name) && !reader.node(name).valid()) miss('^' + name);
  if (!missing.empty())
    fail(ErrorKind::kValue, "Attempted to map inputs that were not found in graph_def: [", missing, "]");
}

}  // namespace

void import_graph_def(const GraphDef& def, GraphImport& into, const OpList* producer_ops, const Limits& limits) {
  check_versions(def);
  Reading reading(limits);
  reading.producer = def.has_versions() ? def.versions().producer() : def.version();
  if (producer_ops)
    for (const OpDef& op : producer_ops->op()) reading.producer_ops.emplace(op.name(), &op);
  Library library(def.library(), reading);
  Unsupported unsupported(library);
  unsupported.look_at(def.node(), {});
  unsupported.look_at_functions();
  unsupported.report();

  NodeReader reader(reading, into.graph, def.node(), Style::kGraph);
  reader.prefix = into.prefix;
  reader.add = into.add;
  for (const auto& [name, edge] : into.inputs) reader.tensors.emplace(name, edge);
  for (const auto& [name, node] : into.controls) reader.controls.emplace(name, node);
  reader.read();
  check_mapped(def, into, reader);
  library.check_cost(into.graph);
  for (const std::string& wanted : into.wanted) into.found.push_back(element(wanted, reader, into));
}

}  // namespace footlight::formats
