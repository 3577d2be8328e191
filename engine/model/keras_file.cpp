// A .keras file: an archive with config.json, metadata.json and the weights.
#include "engine/base/claimed_size.h"
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/archive.h"
#include "engine/model/hdf5.h"
#include "engine/model/json.h"
#include "engine/model/parts.h"

namespace footlight::model {
namespace {

constexpr uint64_t kMaxConfigBytes = uint64_t{1} << 26;    // those of the largest models have a few million bytes
constexpr uint64_t kMaxWeightsBytes = uint64_t{1} << 31;
constexpr uint64_t kMaxWeightsRatio = 64;  // weights hardly get smaller; zeros of an optimizer may, beside them
constexpr size_t kMaxLayers = size_t{1} << 16;

std::string dims_text(const std::vector<uint64_t>& dims) {
  std::string text = "(";
  for (const uint64_t dim : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  return text + (dims.size() == 1 ? ",)" : ")");
}

int64_t count_of(const std::vector<uint64_t>& dims) {
  int64_t count = 1;
  for (const uint64_t dim : dims)
    if (dim > INT64_MAX || __builtin_mul_overflow(count, static_cast<int64_t>(dim), &count)) return -1;
  return count;
}

// The layers of a model, those of models inside of it below them.
class Layers {
 public:
  explicit Layers(ModelFile& model) : model_(model) {}

  // `where`: the folder of the model's layers in the weights.
  void add_all(const Json& config, const std::string& where, int depth) {
    std::map<std::string, int> used;  // layers of one class are numbered there
    for (const Json& layer : config["layers"].items()) {
      if (model_.layers.size() >= kMaxLayers || depth > 16)
        fail(ErrorKind::kValue, "the model has too many layers");
      Layer& made = model_.layers.emplace_back();
      made.kind = layer["class_name"].text();
      made.name = layer["config"]["name"].text();
      made.depth = depth;
      if (made.name.empty()) made.name = layer["name"].text();
      const Json& shape = layer["build_config"]["input_shape"];
      if (!shape.items().empty()) made.shape = shape.compact();
      if (made.kind == "InputLayer") {
        made.shape = layer["config"]["batch_shape"].compact();
        continue;
      }
      std::string folder = snake_case(made.kind);
      const int number = used[folder]++;
      if (number) folder += "_" + std::to_string(number);
      const std::string path = where + folder + "/";
      for (const Variable& v : model_.variables)
        if (v.is_weight && v.name.starts_with(path)) made.parameters += std::max<int64_t>(v.elements, 0) & kMost;
      if (!layer["config"]["layers"].items().empty()) add_all(layer["config"], path + "layers/", depth + 1);
    }
  }

 private:
  static constexpr int64_t kMost = INT64_MAX >> 24;  // no sum of damaged sizes overflows

  ModelFile& model_;
};

}  // namespace

void read_keras(ModelFile& model, std::string_view bytes) {
  const Archive archive(bytes);
  const Json config = parse_json(archive.member("config.json", kMaxConfigBytes));
  std::string version;
  if (archive.has("metadata.json")) {
    const Json metadata = parse_json(archive.member("metadata.json", kMaxConfigBytes));
    version = metadata["keras_version"].text();
    model.facts.emplace_back("written by", "Keras " + version);
    model.facts.emplace_back("saved", metadata["date_saved"].text());
  }
  model.facts.emplace_back("class", config["class_name"].text());
  model.facts.emplace_back("name", config["config"]["name"].text());
  const std::string optimizer = config["compile_config"]["optimizer"]["class_name"].text();
  if (!optimizer.empty()) model.facts.emplace_back("optimizer", optimizer);
  std::vector<Dataset> weights;
  const uint64_t most = std::min(kMaxWeightsBytes, std::max(kMaxUnbackedBytes, bytes.size() * kMaxWeightsRatio));
  if (archive.has("model.weights.h5")) weights = read_datasets(archive.member("model.weights.h5", most));
  for (const Dataset& weight : weights) {
    const int64_t count = count_of(weight.dims);
    Variable& v = model.variables.emplace_back();
    v.name = weight.path;
    v.dtype = weight.dtype;
    v.shape = dims_text(weight.dims);
    v.elements = count;
    if (count < 0 || __builtin_mul_overflow(count, static_cast<int64_t>(weight.item), &v.bytes)) v.bytes = -1;
  }
  mark_trainable(model, config, version);
  Layers(model).add_all(config["config"], "layers/", 0);
  add_layer_graph(model, config["config"]);
}

}  // namespace footlight::model
