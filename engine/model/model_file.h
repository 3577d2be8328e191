// What stands in a file of a model: a SavedModel, a GraphDef or a model of Keras. Nothing of it runs.
#pragma once

#include "engine/session/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace footlight::model {

struct TensorFacts {
  std::string name, dtype;  // "float32"
  std::string shape;        // "(?, 3)"
};

struct Signature {
  std::string name;
  std::vector<TensorFacts> inputs, outputs;
};

// A function that can be called, with the graphs of its traces.
struct Function {
  std::string name;                 // "serve": the way from the root
  std::string arguments;            // "x, training=False"
  std::vector<std::string> traces;  // "(x: float32 (?, 3)) -> float32 (?, 2)"
  std::vector<GraphId> graphs;      // of each
};

struct Variable {
  std::string name, dtype, shape;
  int64_t bytes = -1;  // -1: not known
  int64_t elements = -1;
  std::optional<bool> trainable = true;  // none: the file does not say
  bool is_weight = true;  // of a layer: neither an optimizer's variable nor a second copy of a weight
};

struct Object {
  std::string path, kind;
};

struct Layer {
  std::string name, kind, shape;  // "dense", "Dense", the shape that it was built for
  int64_t parameters = 0;
  int depth = 0;
};

struct ModelFile {
  std::string path, kind;                                  // one of session::kModelKinds
  std::vector<std::pair<std::string, std::string>> facts;  // "tags": "serve"
  std::vector<Signature> signatures;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Object> objects;
  std::vector<Layer> layers;
  std::vector<session::GraphRecord> graphs;  // the graph outside of functions first, if there is one
};

// Whether a path may be one: a folder with a saved_model.pb, or a file that ends with .pb, .pbtxt or .keras.
bool looks_like_model(const std::string& path);
// Throws kValue for what is none, for damage, and for what is too large; kNotFound for what is not there.
ModelFile read_model(const std::string& path);
// The same from bytes, for tests: `form` is .pb, .pbtxt, .keras or saved_model.pb.
ModelFile read_model_bytes(std::string_view bytes, std::string_view form);

}  // namespace footlight::model
