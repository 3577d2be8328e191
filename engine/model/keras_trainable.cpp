// Which variables of a .keras file Keras trains. A layer stores its trainable variables before the others, and the file
// has no word about a single variable: it follows from the layer's class and from `trainable` in its configuration.
#include "engine/model/parts.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace footlight::model {
namespace {

using Trainable = std::optional<bool>;
using Folders = std::map<std::string, const Json*, std::less<>>;

constexpr std::array kForeignLayers{"TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer"};
constexpr std::array kQuantizedLayers{"Dense", "EinsumDense", "Embedding", "ReversibleEmbedding"};

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

bool is_layer(const Json& value) { return value["class_name"].is_text() && !value["config"].fields().empty(); }

// A program's own class may hold variables that it does not train, and no configuration tells of them.
bool is_class_of_keras(const Json& layer) {
  const std::string& module = layer["module"].text();
  const bool registered = layer["registered_name"].text().find('>') != std::string::npos;
  const bool foreign = std::ranges::count(kForeignLayers, layer["class_name"].text()) > 0;
  return !registered && !foreign && (module == "keras" || module.starts_with("keras."));
}

bool is_frozen(const Json& layer) { return layer["config"]["trainable"].is_word("false"); }

// A layer whose kernel is quantized to integers trains its bias alone; with float8 it trains all.
Trainable of_quantized(const Json& layer, size_t index) {
  const Json& config = layer["config"];
  const std::string& mode = config["dtype"]["config"]["mode"].text();
  if (mode == "float8") return true;
  if (mode != "int8" && !mode.starts_with("int4")) return std::nullopt;
  const bool has_bias = config["use_bias"].is_word("true") || config["bias_axes"].is_text();
  return has_bias && index == 1;
}

// Says whether a variable that the layer itself owns is trained.
Trainable of_variable(const Json& layer, size_t index) {
  const Json& config = layer["config"];
  const std::string& name = layer["class_name"].text();
  if (is_frozen(layer)) return false;
  if (!is_class_of_keras(layer)) return std::nullopt;
  if (name == "Normalization") return false;
  if (name == "SpectralNormalization") return index == 0;  // the kernel of the layer inside; vector_u is not trained
  if (name == "BatchNormalization") {
    const size_t trained = size_t{!config["scale"].is_word("false")} + size_t{!config["center"].is_word("false")};
    return index < trained;
  }
  if (std::ranges::count(kQuantizedLayers, name) && config["dtype"]["config"]["mode"].is_text())
    return of_quantized(layer, index);
  if (!config["lora_rank"].number().empty()) return index != 0;  // LoRA trains two factors, which are in no file
  return true;
}

// The same for a variable of an inner layer that no configuration describes, such as the cell of an LSTM, which Keras
// makes anew.
Trainable of_hidden(const Json& layer, std::string_view attribute) {
  if (!is_class_of_keras(layer)) return std::nullopt;
  if (!is_frozen(layer)) return true;
  return attribute == "cell" ? Trainable(false) : std::nullopt;
}

class Search {
 public:
  Search(const Json& model, std::string_view keras_version)
      : model_(model), nested_layers_freeze_(keras_version.starts_with("2.")) {}

  void mark(Variable& v) {
    const std::vector<std::string_view> path = segments_of(v.name);
    const bool seed = v.dtype.starts_with("uint") && v.name.find("seed_generator/") != std::string::npos;
    if (path.empty() || path[0] == "optimizer" || seed) {
      v.trainable = v.is_weight = false;
      return;
    }
    const Json* layer = &model_;
    bool frozen = is_frozen(model_);
    size_t i = 0;
    while (i < path.size() && path[i] != "vars") {
      const Json* next = child(*layer, path, i);
      if (!next) {
        v.trainable = frozen ? Trainable(false) : of_hidden(*layer, path[i]);
        return;
      }
      layer = next;
      if (nested_layers_freeze_ && is_frozen(*layer)) frozen = true;
    }
    size_t index = 0;
    if (i + 1 < path.size()) std::from_chars(path[i + 1].data(), path[i + 1].data() + path[i + 1].size(), index);
    v.trainable = frozen ? Trainable(false) : of_variable(*layer, index);
    v.is_weight = index != 0 || (*layer)["class_name"].text() != "SpectralNormalization";
  }

 private:
  // The layer that the folder at `i` is of, and in `i` what follows its name.
  const Json* child(const Json& layer, const std::vector<std::string_view>& path, size_t& i) {
    std::string_view attribute = path[i];
    if (attribute == "forward_layer") attribute = "layer";  // Bidirectional's
    const Json& value = layer["config"][attribute];
    if (!value.items().empty() && i + 1 < path.size()) {
      const Folders& folders = folders_of(value);
      const auto member = folders.find(path[i + 1]);
      if (member == folders.end()) return nullptr;
      i += 2;
      return member->second;
    }
    if (attribute == "backward_layer" && !is_layer(value)) return child_as(layer["config"]["layer"], i);
    return child_as(value, i);
  }
  static const Json* child_as(const Json& value, size_t& i) {
    if (!is_layer(value)) return nullptr;
    ++i;
    return &value;
  }

  // A configuration lists the layers inside; each has a folder with the name of its class, numbered from the second on.
  const Folders& folders_of(const Json& layers) {
    const auto [at, is_new] = folders_.try_emplace(&layers);
    if (!is_new) return at->second;
    std::map<std::string, int> used;
    for (const Json& layer : layers.items()) {
      std::string name = snake_case(layer["class_name"].text());
      const int number = used[name]++;
      if (number) name += "_" + std::to_string(number);
      at->second.emplace(std::move(name), &layer);
    }
    return at->second;
  }

  const Json& model_;
  const bool nested_layers_freeze_;  // Keras 2 trains nothing inside a frozen layer; Keras 3 asks the inner layer
  std::map<const Json*, Folders> folders_;
};

}  // namespace

std::string snake_case(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto upper = [&](size_t k) { return k < name.size() && name[k] >= 'A' && name[k] <= 'Z'; };
    const auto lower = [&](size_t k) { return k < name.size() && name[k] >= 'a' && name[k] <= 'z'; };
    if (upper(i) && i > 0 && (lower(i - 1) || (lower(i + 1) && (upper(i - 1) || lower(i - 1))))) out += '_';
    out += upper(i) ? static_cast<char>(name[i] | 0x20) : name[i];
  }
  return out;
}

void mark_trainable(ModelFile& model, const Json& config, std::string_view keras_version) {
  Search search(config, keras_version);
  for (Variable& v : model.variables) search.mark(v);
}

}  // namespace footlight::model
