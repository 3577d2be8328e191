// The layers of a Keras model as a graph: a node for each call of a layer, with the calls of a model inside of it below
// its name, and the tensors between them as the configuration tells.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/parts.h"

#include <algorithm>

namespace footlight::model {
namespace {

// A model inside of another is written out for each of its calls, so that a small file could ask for much.
constexpr size_t kMaxSteps = size_t{1} << 22;
constexpr size_t kMaxNodes = size_t{1} << 16;
constexpr size_t kMaxEdges = size_t{1} << 20;
constexpr int kMaxDepth = 16;
constexpr size_t kMaxOutputs = 256;
constexpr size_t kMaxAttributes = 500;

class LayerGraph {
 public:
  session::GraphRecord read(const Json& config) {
    graph_.id = GraphId(1);
    graph_.name = cut(config["name"].text());
    if (graph_.name.empty()) graph_.name = "layers";
    graph_.outputs = add_model(config, "", 0).outputs;
    return std::move(graph_);
  }

 private:
  using Edges = std::vector<session::EdgeRecord>;
  struct Call {
    std::vector<uint32_t> inputs;  // nodes that take what the call is given
    Edges outputs;
    bool layer = true;  // a node: which outputs it has is not known
  };
  using Calls = std::map<std::pair<std::string_view, size_t>, Call>;

  void step() {
    if (++steps_ > kMaxSteps) fail(ErrorKind::kValue, "the model's configuration is too large to be expanded");
  }

  Call add_model(const Json& config, const std::string& prefix, int depth) {
    const bool chain = config["input_layers"].empty();
    Calls calls;
    Call all;
    all.layer = false;
    for (const Json& layer : config["layers"].items()) {
      const std::string_view name = layer["name"].text();
      const size_t count = chain ? 1 : std::max<size_t>(layer["inbound_nodes"].items().size(), 1);
      for (size_t k = 0; k < count; ++k) {
        Call call = add_layer(layer, prefix, k, depth);
        if (!chain) {
          calls.emplace(std::pair(name, k), std::move(call));
          continue;
        }
        if (all.outputs.empty()) all.inputs = call.inputs;
        const std::string shape = layer["build_config"]["input_shape"].compact();
        for (const session::EdgeRecord& edge : all.outputs) {
          name_output(edge, shape);
          connect(call, edge, 0);
        }
        all.outputs = std::move(call.outputs);
      }
    }
    if (chain) return all;
    for (const Json& layer : config["layers"].items()) {
      size_t k = 0;
      for (const Json& inbound : layer["inbound_nodes"].items()) {
        size_t at = 0;
        const Call& to = calls.at({layer["name"].text(), k++});
        each_tensor(inbound, [&](const Json& place, const Json& tensor) {
          session::EdgeRecord edge;
          if (!find(calls, place, edge)) return;
          const std::string shape = tensor["shape"].compact();
          if (!shape.empty()) name_output(edge, cut(tensor["dtype"].text()) + " " + shape);
          connect(to, edge, at++);
        });
      }
    }
    each_tensor(config["input_layers"], [&](const Json& place, const Json&) {
      session::EdgeRecord edge;
      if (find(calls, place, edge)) all.inputs.push_back(edge.from);
    });
    each_tensor(config["output_layers"], [&](const Json& place, const Json&) {
      session::EdgeRecord edge;
      if (find(calls, place, edge)) all.outputs.push_back(edge);
    });
    return all;
  }

  Call add_layer(const Json& layer, const std::string& prefix, size_t number, int depth) {
    step();
    const Json& config = layer["config"];
    std::string name = cut(config["name"].text().empty() ? layer["name"].text() : config["name"].text());
    if (number) name += " (call " + std::to_string(number + 1) + ")";
    if (!config["layers"].items().empty() && depth < kMaxDepth)
      return add_model(config, prefix + name + "/", depth + 1);
    if (graph_.nodes.size() >= kMaxNodes)
      fail(ErrorKind::kValue, "the model has more than ", kMaxNodes, " layers, written out");
    session::NodeRecord& node = graph_.nodes.emplace_back();
    node.id = static_cast<uint32_t>(graph_.nodes.size() - 1);
    node.name = prefix + name;
    node.op = cut(layer["class_name"].text());
    node.attributes = attributes(config);
    if (node.op == "InputLayer") {
      node.family = "placeholder";
      node.outputs = {cut(config["dtype"].text()) + " " + config["batch_shape"].compact()};
      if (depth == 0) graph_.inputs.push_back(node.id);
    }
    return {{node.id}, {{node.id, 0}}, true};
  }

  std::string attributes(const Json& config) {
    std::string text;
    for (const auto& [name, value] : config.fields()) {
      step();
      const std::string& kind = value["class_name"].text();
      const std::string words = kind.empty() ? value.compact() : cut(kind);
      if (name == "name" || name == "trainable" || words.empty() || words == "?" || words == "{...}") continue;
      text += (text.empty() ? "" : "; ") + cut(name) + "=" + cut(words);
      if (text.size() > kMaxAttributes) break;
    }
    return text;
  }

  // Calls `found` with the place of each tensor, [layer, call, output], and with what else is known of it. Keras 3
  // writes tensors as objects wherever they are among the arguments, Keras 2 places with the other arguments behind.
  template <class Found>
  void each_tensor(const Json& value, Found&& found) {
    step();
    const Json& place = value["config"]["keras_history"];
    if (!place.empty()) return found(place, value["config"]);
    const std::vector<Json>& items = value.items();
    if (items.size() >= 3 && items[0].is_text() && !items[1].number().empty() && !items[2].number().empty())
      return found(value, Json());
    for (const Json& item : items) each_tensor(item, found);
    for (const auto& [name, field] : value.fields()) each_tensor(field, found);
  }

  bool find(const Calls& calls, const Json& place, session::EdgeRecord& edge) {
    if (place.items().size() < 3) return false;
    const auto index = [&](size_t i) {
      size_t made = 0;
      for (const char c : place.items()[i].number())
        made = std::min(made * 10 + static_cast<size_t>(c - '0'), kMaxSteps);
      return made;
    };
    const auto at = calls.find({place.items()[0].text(), index(1)});
    const size_t output = index(2);
    if (at == calls.end()) return false;
    const Call& call = at->second;
    if (output >= (call.layer ? kMaxOutputs : call.outputs.size())) return false;
    edge = call.layer ? session::EdgeRecord{call.outputs[0].from, static_cast<uint16_t>(output)}
                      : call.outputs[output];
    return true;
  }

  void name_output(const session::EdgeRecord& edge, const std::string& type) {
    std::vector<std::string>& outputs = graph_.nodes[edge.from].outputs;
    if (outputs.size() <= edge.output) outputs.resize(edge.output + size_t{1});
    if (outputs[edge.output].empty()) outputs[edge.output] = type;
  }

  // A layer takes all that it is given; of a model inside, each input takes one tensor.
  void connect(const Call& to, const session::EdgeRecord& edge, size_t at) {
    step();
    if (to.inputs.empty()) return;
    if (++edges_ > kMaxEdges) fail(ErrorKind::kValue, "the layers have more than ", kMaxEdges, " inputs");
    name_output(edge, "");
    graph_.nodes[to.inputs[std::min(at, to.inputs.size() - 1)]].inputs.push_back(edge);
  }

  session::GraphRecord graph_;
  size_t steps_ = 0, edges_ = 0;
};

}  // namespace

void add_layer_graph(ModelFile& model, const Json& config) {
  if (!config["layers"].items().empty()) model.graphs.push_back(LayerGraph().read(config));
}

}  // namespace footlight::model
