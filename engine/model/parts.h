// Parts that all kinds of models share.
#pragma once

#include "engine/model/json.h"
#include "engine/model/message.h"
#include "engine/model/model_file.h"

#include <map>

namespace footlight::model {

std::string cut(std::string_view text);  // in a line and not long
std::string dtype_name(int64_t number);
int64_t dtype_size(int64_t number);            // 0: not known
std::string shape_text(const Message* shape);  // "(?, 3)"; "<unknown>"
int64_t element_count(const Message* shape);   // -1: not known

// The graphs of a GraphDef: its own, if it has nodes, and one for each function; `ids` has those by name.
void add_graphs(ModelFile& model, const Message& graph_def, std::map<std::string, GraphId, std::less<>>& ids);
void read_saved_model(ModelFile& model, const Message& saved_model);
// The graph of a model's layers; none if the configuration does not tell its layers.
void add_layer_graph(ModelFile& model, const Json& config);
// "BatchNormalization" -> "batch_normalization", "Conv2D" -> "conv2d": the folder of a layer's weights.
std::string snake_case(std::string_view name);
// Sets `trainable` and `is_weight` of the variables as Keras has them when it loads the file.
void mark_trainable(ModelFile& model, const Json& config, std::string_view keras_version);
void read_keras(ModelFile& model, std::string_view archive);

}  // namespace footlight::model
