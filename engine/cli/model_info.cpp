// Prints signatures, functions, variables, objects and layers of a model.
#include "engine/cli/model_info.h"

#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/model/describe.h"

#include <cstdio>

namespace footlight::cli {
namespace {

using model::ModelFile;

constexpr size_t kMaxLines = 200;  // of a list, in text

std::string tensors_json(const std::vector<model::TensorFacts>& facts) {
  std::vector<std::string> items;
  for (const model::TensorFacts& t : facts)
    items.push_back(JsonObject().add("name", t.name).add("dtype", t.dtype).add("shape", t.shape).inline_());
  return json_list(items);
}

void print_json(const ModelFile& m) {
  JsonObject out;
  out.add("model", m.path);
  out.add("kind", m.kind);
  for (const auto& [name, value] : m.facts) out.add(name.c_str(), value);
  std::vector<std::string> items;
  for (const model::Signature& s : m.signatures) {
    JsonObject one;
    one.add("name", s.name);
    one.raw("inputs", tensors_json(s.inputs));
    one.raw("outputs", tensors_json(s.outputs));
    items.push_back(one.inline_());
  }
  out.raw("signatures", json_list(items));
  items.clear();
  for (const model::Layer& l : m.layers)
    items.push_back(JsonObject()
                        .add("name", l.name)
                        .add("class", l.kind)
                        .add("shape", l.shape)
                        .add("parameters", l.parameters)
                        .add("depth", int64_t{l.depth})
                        .inline_());
  out.raw("layers", json_list(items));
  items.clear();
  for (const model::Function& f : m.functions) {
    std::vector<std::string> traces;
    for (const std::string& trace : f.traces) traces.push_back(json_text(trace));
    JsonObject one;
    one.add("name", f.name);
    one.add("arguments", f.arguments);
    one.raw("traces", json_list(traces));
    items.push_back(one.inline_());
  }
  out.raw("functions", json_list(items));
  items.clear();
  for (const model::Variable& v : m.variables)
    items.push_back(JsonObject()
                        .add("name", v.name)
                        .add("dtype", v.dtype)
                        .add("shape", v.shape)
                        .add("bytes", v.bytes)
                        .raw("trainable", !v.trainable ? "null" : *v.trainable ? "true" : "false")
                        .inline_());
  out.raw("variables", json_list(items));
  items.clear();
  for (const model::Object& o : m.objects)
    items.push_back(JsonObject().add("path", o.path).add("kind", o.kind).inline_());
  out.raw("objects", json_list(items));
  items.clear();
  for (const session::GraphRecord& g : m.graphs)
    items.push_back(JsonObject().add("name", g.name).add("nodes", uint64_t{g.nodes.size()}).inline_());
  out.raw("graphs", json_list(items));
  std::printf("%s\n", out.lines().c_str());
}

}  // namespace

void print_model(const std::string& path, bool json) {
  const ModelFile m = model::read_model(path);
  if (json) return print_json(m);
  const std::string page = model::describe(m, kMaxLines);
  for (const std::string& line : text_lines(page)) std::printf("%s\n", line.c_str());
}

}  // namespace footlight::cli
