// A node's layer: its stack has as many calls of layers as its scope has names of them.
#include "app/models/layer_costs.h"

#include "app/models/graph_costs.h"
#include "app/models/graph_gradients.h"
#include "app/models/layer_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace footlight::app {
namespace {

constexpr int kMaxFrames = 96;

class Layers {
 public:
  Layers(const query::Store& store, const query::Cancel& cancel)
      : store_(store), reader_(store.reader()), cancel_(cancel) {
    for (const session::TraceRecord& t : reader_.contents().traces) trace_of_[t.graph()] = &t;
  }

  void add(const session::GraphRecord& graph) {
    std::vector<size_t> layer(graph.nodes.size());
    const std::vector<std::string> scopes = scopes_of(graph);
    const auto names = names_in(graph, scopes);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      layer[i] = scopes[i].empty() ? 0 : number_of(named_layer(names, scopes[i], have_numbers()));
    const bool has_layers = std::ranges::any_of(layer, [](size_t number) { return number != 0; });
    const std::vector<size_t> no_gradients(graph.nodes.size(), graph.nodes.size());
    const GradientLayers gradients = layers_of_gradients(graph, layer, has_layers ? forward_ops(graph) : no_gradients);
    std::set<uint32_t> variables;
    std::map<size_t, LayerCost> here;  // every trace has the layers' variables again
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const session::NodeRecord& n = graph.nodes[i];
      const bool is_backward = gradients.is_gradient[i];
      const size_t number = is_backward ? gradients.layer[i] : layer[i];
      const query::Sums ran = store_.of_node({graph.id, n.id});
      (is_backward ? costs_[number].backward : costs_[number].forward).add(ran);
      if (ran.count) ran_.emplace(query::NodeKey{graph.id, n.id}, number);
      if (is_backward) continue;
      LayerCost& cost = here[number];
      ++cost.nodes;
      if (n.op != "ReadVariableOp" || n.inputs.empty() || n.outputs.empty()) continue;
      if (!variables.insert(n.inputs.front().from).second) continue;
      const uint64_t bytes = bytes_of(n.outputs.front());
      const std::string one = n.outputs.front().substr(0, n.outputs.front().find(' ')) + " ()";
      cost.parameter_bytes += bytes;
      cost.parameters += bytes / std::max<uint64_t>(1, bytes_of(one));
    }
    for (const auto& [number, cost] : here) {
      LayerCost& most = costs_[number];
      most.nodes = std::max(most.nodes, cost.nodes);
      most.parameters = std::max(most.parameters, cost.parameters);
      most.parameter_bytes = std::max(most.parameter_bytes, cost.parameter_bytes);
    }
  }

  // FLOPs and bytes by the first run of each node; of several traces, those of the one that does most.
  void look_at_runs() {
    std::vector<query::NodeKey> keys;
    for (const auto& [key, layer] : ran_) keys.push_back(key);
    if (keys.empty() || costs_.size() == 1) return;  // without a layer nothing is shown
    std::map<std::pair<size_t, uint32_t>, LayerCost> runs;  // keyed by layer and graph
    store_.visit(store_.of_nodes(std::move(keys)), INT64_MIN, INT64_MAX, cancel_, [&](const query::OpEventRow& row) {
      const auto at = ran_.find(query::NodeKey{row.graph, row.node.value});
      if (at == ran_.end()) return true;
      LayerCost& cost = runs[{at->second, row.graph.value}];
      if (const session::SignatureRecord* as = reader_.signature(row.signature)) {
        cost.flops += as->flops;
        cost.output_bytes += row.bytes ? row.bytes : as->output_bytes;
      }
      ran_.erase(at);
      return !ran_.empty();
    });
    for (const auto& [key, cost] : runs) {
      LayerCost& most = costs_[key.first];
      most.flops = std::max(most.flops, cost.flops);
      most.output_bytes = std::max(most.output_bytes, cost.output_bytes);
    }
  }

  std::vector<LayerCost> take() {
    std::vector<LayerCost> all;
    // Scopes in which nothing ran only made the variables.
    for (size_t i = 1; i < costs_.size(); ++i)
      if (costs_[i].total_ns() || costs_[i].parameters) all.push_back(std::move(costs_[i]));
    if (all.empty()) return all;
    std::ranges::stable_sort(all, std::greater(), &LayerCost::total_ns);
    all.push_back(std::move(costs_[0]));
    return all;
  }

 private:
  struct Less {
    bool operator()(const query::NodeKey& a, const query::NodeKey& b) const {
      return std::pair(a.graph.value, a.node) < std::pair(b.graph.value, b.node);
    }
  };

  std::vector<std::string> scopes_of(const session::GraphRecord& graph) {
    std::vector<std::string> scopes;
    for (const session::NodeRecord& n : graph.nodes) scopes.push_back(scope_of(n));
    return scopes;
  }

  std::map<std::string, std::string> names_in(const session::GraphRecord& graph,
                                              const std::vector<std::string>& scopes) const {
    const auto trace = trace_of_.find(graph.id);
    if (trace == trace_of_.end()) return {};
    return layer_names(graph, *trace->second, scopes);
  }

  // Told by the first graph in which layers have variables: it is the same Keras in all of them.
  bool have_numbers() {
    if (have_numbers_) return *have_numbers_;
    for (const session::GraphRecord& graph : reader_.contents().graphs) {
      cancel_.check();
      const auto names = names_in(graph, scopes_of(graph));
      if (!names.empty()) return *(have_numbers_ = scopes_have_numbers(names));
    }
    return *(have_numbers_ = false);
  }

  // The scope of a node's layer; empty if it is in no layer.
  std::string scope_of(const session::NodeRecord& node) {
    const size_t depth = node.location.valid() ? depth_at(node.location) : 0;
    if (!depth) return {};
    size_t end = 0, names = 0;
    while (names < depth && (end = node.name.find('/', end ? end + 1 : 0)) != node.name.npos) ++names;
    return names < depth ? std::string() : node.name.substr(0, end);
  }

  size_t number_of(const std::string& name) {
    const auto [at, is_new] = known_.try_emplace(name, costs_.size());
    if (is_new) costs_.emplace_back().name = at->first;
    return at->second;
  }

  // How many calls of layers are in the stack.
  size_t depth_at(session::LocationId id) {
    if (const auto known = depths_.find(id.value); known != depths_.end()) return known->second;
    size_t depth = 0;
    const session::LocationRecord* at = reader_.location(id);
    for (int i = 0; at && i < kMaxFrames; ++i, at = reader_.location(at->caller)) {
      const session::CodeRecord* code = reader_.code(at->source.code);
      const std::string& name = at->qualname.empty() && code ? code->qualname : at->qualname;
      if (name == "Layer.__call__") ++depth;
    }
    depths_.emplace(id.value, depth);
    return depth;
  }

  const query::Store& store_;
  const session::Reader& reader_;
  const query::Cancel& cancel_;
  std::vector<LayerCost> costs_{1};
  std::map<std::string, size_t> known_;  // by the layer's name, with those of the layers around it
  std::map<GraphId, const session::TraceRecord*> trace_of_;
  std::optional<bool> have_numbers_;  // of scopes of layers; none: not looked at
  std::unordered_map<uint32_t, size_t> depths_;
  std::map<query::NodeKey, size_t, Less> ran_;
};

}  // namespace

std::vector<LayerCost> find_layers(const query::Store& store, FunctionId function, TraceId trace,
                                   const query::Cancel& cancel) {
  const session::Reader& reader = store.reader();
  std::vector<GraphId> left;
  for (const session::TraceRecord& t : reader.contents().traces)
    if (trace.valid() ? t.id == trace : t.function == function) left.push_back(t.graph());
  std::set<GraphId> seen;
  Layers layers(store, cancel);
  while (!left.empty()) {
    cancel.check();
    const GraphId id = left.back();
    left.pop_back();
    const session::GraphRecord* graph = id.valid() && seen.insert(id).second ? reader.graph(id) : nullptr;
    if (!graph) continue;
    layers.add(*graph);
    for (const session::NodeRecord& n : graph->nodes)
      for (const auto& [role, called] : n.functions) left.push_back(called);
  }
  layers.look_at_runs();
  return layers.take();
}

}  // namespace footlight::app
