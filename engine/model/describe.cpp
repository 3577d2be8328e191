// Writes the page of a model.
#include "engine/model/describe.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

namespace footlight::model {
namespace {

std::string size_text(int64_t bytes) {
  char text[32];
  if (bytes < 0) return "?";
  if (bytes < 10'000)
    std::snprintf(text, sizeof text, "%" PRId64 " B", bytes);
  else if (bytes < 10'000'000)
    std::snprintf(text, sizeof text, "%.1f KB", static_cast<double>(bytes) / 1e3);
  else
    std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

// Text of the file in a line: without what ends lines.
std::string in_line(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  return out;
}

std::string tensors(const std::vector<TensorFacts>& facts) {
  std::string text;
  for (const TensorFacts& t : facts)
    text += (text.empty() ? "" : ", ") + t.name + ": " + t.dtype + " " + t.shape;
  return text;
}

std::string ops_of(const session::GraphRecord& graph) {
  std::map<std::string, size_t> counts;
  for (const session::NodeRecord& node : graph.nodes) ++counts[node.op];
  std::vector<std::pair<size_t, std::string>> most;
  for (const auto& [op, count] : counts) most.emplace_back(count, op);
  std::ranges::sort(most, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (size_t i = 0; i < most.size() && i < 6; ++i)
    text += (i ? ", " : "") + std::to_string(most[i].first) + " " + most[i].second;
  return text + (most.size() > 6 ? ", ..." : "");
}

// ", 8 of them not trained": counts weights that are not trained, and those of which the file does not say whether.
std::string untrained_text(const ModelFile& m) {
  int64_t not_trained = 0, not_known = 0;
  for (const Variable& v : m.variables) {
    if (!v.is_weight || v.trainable == true) continue;
    int64_t& sum = v.trainable ? not_trained : not_known;
    sum += std::max<int64_t>(v.elements, 0) & INT64_MAX >> 24;
  }
  std::string text;
  if (not_trained) text += ", " + std::to_string(not_trained) + " of them not trained";
  if (not_known) text += "; of " + std::to_string(not_known) + " the file does not say whether they are trained";
  return text;
}

class Page {
 public:
  Page(size_t most, std::vector<int>* function_lines) : most_(most), function_lines_(function_lines) {}

  void fact(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    std::string row = in_line(name);
    row.resize(std::max<size_t>(row.size() + 1, 15), ' ');
    line(row + in_line(value));
  }
  template <class Items, class Print>
  void list(const char* title, const Items& items, Print&& print) {
    if (items.empty()) return;
    line("");
    line(title);
    size_t shown = 0;
    for (const auto& item : items) {
      if (shown++ == most_) return line("  and " + std::to_string(items.size() - most_) + " more");
      line("  " + in_line(print(item)));
    }
  }
  void functions(const std::vector<Function>& functions) {
    if (function_lines_) function_lines_->assign(functions.size(), 0);
    if (functions.empty()) return;
    line("");
    line("functions");
    for (size_t i = 0; i < functions.size(); ++i) {
      if (i == most_) return line("  and " + std::to_string(functions.size() - most_) + " more");
      line("  " + in_line(functions[i].name) + "(" + in_line(functions[i].arguments) + ")");
      if (function_lines_) (*function_lines_)[i] = lines_;
      for (size_t k = 0; k < functions[i].traces.size() && k < most_; ++k)
        line("      " + in_line(functions[i].traces[k]));
    }
  }
  std::string text;

 private:
  void line(const std::string& words) {
    text += words + "\n";
    ++lines_;
  }
  size_t most_;
  std::vector<int>* function_lines_;
  int lines_ = 0;
};

}  // namespace

std::string describe(const ModelFile& m, size_t most, std::vector<int>* lines) {
  Page page(most, lines);
  page.fact("model", m.path);
  page.fact("kind", m.kind);
  for (const auto& [name, value] : m.facts) page.fact(name, value);
  int64_t parameters = 0, bytes = 0;
  for (const Layer& layer : m.layers)
    if (layer.depth == 0) parameters += std::max<int64_t>(layer.parameters, 0) & INT64_MAX >> 16;
  for (const Variable& v : m.variables) bytes += std::max<int64_t>(v.bytes, 0) & INT64_MAX >> 24;
  if (!m.layers.empty()) page.fact("parameters", std::to_string(parameters) + untrained_text(m));
  if (!m.variables.empty())
    page.fact("variables", std::to_string(m.variables.size()) + ", " + size_text(bytes));
  page.list("signatures", m.signatures, [](const Signature& s) {
    return s.name + "(" + tensors(s.inputs) + ") -> {" + tensors(s.outputs) + "}";
  });
  page.list("layers", m.layers, [](const Layer& l) {
    return std::string(2 * static_cast<size_t>(l.depth), ' ') + l.name + " (" + l.kind + ")" +
           (l.shape.empty() ? "" : " for " + l.shape) + ": " + std::to_string(l.parameters) + " parameters";
  });
  page.functions(m.functions);
  page.list("variables", m.variables, [](const Variable& v) {
    return v.name + ": " + v.dtype + " " + v.shape + ", " + size_text(v.bytes) +
           (!v.trainable ? ", not known whether trained" : *v.trainable ? "" : ", not trained");
  });
  page.list("objects", m.objects, [](const Object& o) { return o.path + ": " + o.kind; });
  page.list("graphs", m.graphs, [](const session::GraphRecord& g) {
    return g.name + ": " + std::to_string(g.nodes.size()) + " nodes (" + ops_of(g) + ")";
  });
  return std::move(page.text);
}

}  // namespace footlight::model
