// Prints signatures, functions, variables, objects and layers of a model.
#include "engine/cli/model_info.h"

#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/model/model_file.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

namespace footlight::cli {
namespace {

using model::ModelFile;

constexpr size_t kMostLines = 200;  // of a list, in text

std::string size_text(int64_t bytes) {
  char text[32];
  if (bytes < 0) return "?";
  if (bytes < 10'000) std::snprintf(text, sizeof text, "%" PRId64 " B", bytes);
  else if (bytes < 10'000'000) std::snprintf(text, sizeof text, "%.1f KB", static_cast<double>(bytes) / 1e3);
  else std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

void line(const std::string& name, const std::string& value) {
  std::printf("%-14s %s\n", printable(name).c_str(), printable(value).c_str());
}

template <class Items, class Print>
void list(const char* title, const Items& items, Print&& print) {
  if (items.empty()) return;
  std::printf("\n%s\n", title);
  size_t shown = 0;
  for (const auto& item : items) {
    if (shown++ == kMostLines) {
      std::printf("  and %zu more\n", items.size() - kMostLines);
      break;
    }
    for (const std::string& text : text_lines(print(item))) std::printf("  %s\n", text.c_str());
  }
}

std::string tensors(const std::vector<model::TensorFacts>& facts) {
  std::string text;
  for (const model::TensorFacts& t : facts)
    text += (text.empty() ? "" : ", ") + t.name + ": " + t.dtype + " " + t.shape;
  return text;
}

std::string ops_of(const session::GraphRecord& graph) {
  std::map<std::string, size_t> counts;
  for (const session::NodeRecord& node : graph.nodes) ++counts[node.op];
  std::vector<std::pair<size_t, std::string>> most;
  for (const auto& [op, count] : counts) most.emplace_back(count, op);
  std::ranges::sort(most, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (size_t i = 0; i < most.size() && i < 6; ++i)
    text += (i ? ", " : "") + std::to_string(most[i].first) + " " + most[i].second;
  return text + (most.size() > 6 ? ", ..." : "");
}

int64_t parameters(const ModelFile& m) {
  int64_t count = 0;
  for (const model::Layer& layer : m.layers)
    if (layer.depth == 0) count += layer.parameters;
  return count;
}

void print_text(const ModelFile& m) {
  line("model", m.path);
  line("kind", m.kind);
  for (const auto& [name, value] : m.facts)
    if (!value.empty()) line(name, value);
  if (!m.layers.empty()) line("parameters", std::to_string(parameters(m)));
  int64_t bytes = 0;
  for (const model::Variable& v : m.variables) bytes += std::max<int64_t>(v.bytes, 0);
  if (!m.variables.empty()) line("variables", std::to_string(m.variables.size()) + ", " + size_text(bytes));
  list("signatures", m.signatures, [](const model::Signature& s) {
    return s.name + "(" + tensors(s.inputs) + ") -> {" + tensors(s.outputs) + "}";
  });
  list("layers", m.layers, [](const model::Layer& l) {
    return std::string(2 * static_cast<size_t>(l.depth), ' ') + l.name + " (" + l.kind + ")" +
           (l.shape.empty() ? "" : " for " + l.shape) + ": " + std::to_string(l.parameters) + " parameters";
  });
  list("functions", m.functions, [](const model::Function& f) {
    std::string text = f.name + "(" + f.arguments + ")";
    for (const std::string& trace : f.traces) text += "\n      " + trace;
    return text;
  });
  list("variables", m.variables, [](const model::Variable& v) {
    return v.name + ": " + v.dtype + " " + v.shape + ", " + size_text(v.bytes) +
           (v.trainable ? "" : ", not trained");
  });
  list("objects", m.objects, [](const model::Object& o) { return o.path + ": " + o.kind; });
  list("graphs", m.graphs, [](const session::GraphRecord& g) {
    return g.name + ": " + std::to_string(g.nodes.size()) + " nodes (" + ops_of(g) + ")";
  });
}

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
    items.push_back(JsonObject().add("name", l.name).add("class", l.kind).add("shape", l.shape)
                        .add("parameters", l.parameters).add("depth", int64_t{l.depth}).inline_());
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
    items.push_back(JsonObject().add("name", v.name).add("dtype", v.dtype).add("shape", v.shape).add("bytes", v.bytes)
                        .add("trainable", v.trainable).inline_());
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
  json ? print_json(m) : print_text(m);
}

}  // namespace footlight::cli
