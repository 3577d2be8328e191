// Matches captured variables with the placeholders that stand for them, in their order.
#include "app/models/layer_names.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace footlight::app {
namespace {

// "sequential/gate/gate_w:0 float32 (20, 32) variable"
struct Variable {
  std::string_view folder, type;
};

std::optional<Variable> variable_of(std::string_view capture) {
  constexpr std::string_view kEnd = " variable";
  if (!capture.ends_with(kEnd)) return {};
  capture.remove_suffix(kEnd.size());
  const size_t space = capture.find(' ');
  if (space == capture.npos) return {};
  const std::string_view name = capture.substr(0, space);
  const size_t slash = name.rfind('/');
  return Variable{slash == name.npos ? std::string_view() : name.substr(0, slash), capture.substr(space + 1)};
}

std::string_view last_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view before_last(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// "dropout_1" for "dropout_1_3"; the name itself where no number is behind it.
std::string_view without_number(std::string_view name) {
  const size_t bar = name.rfind('_');
  const bool has_number = bar != name.npos && bar > 0 && bar + 1 < name.size() &&
                          name.find_first_not_of("0123456789", bar + 1) == name.npos;
  return has_number ? name.substr(0, bar) : name;
}

// "gate_1_2" for "gate_1"
bool is_call_of(std::string_view scope, std::string_view layer) {
  return !layer.empty() && (scope == layer || (scope != without_number(scope) && without_number(scope) == layer));
}

}  // namespace

std::map<std::string, std::string> layer_names(const session::GraphRecord& graph, const session::TraceRecord& trace,
                                               const std::vector<std::string>& scopes) {
  std::vector<Variable> variables;
  for (const std::string& capture : trace.captures)
    if (const auto variable = variable_of(capture)) variables.push_back(*variable);
  std::unordered_map<uint32_t, const Variable*> variable_at;
  size_t count = 0;
  for (const session::NodeRecord& n : graph.nodes) {
    if (n.op != "Placeholder" || n.attributes.find("dtype=resource") == n.attributes.npos) continue;
    if (count < variables.size()) variable_at[n.id] = &variables[count];
    ++count;
  }
  std::map<std::string, std::string> names;
  if (count != variables.size()) return names;  // some of them are arguments
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const session::NodeRecord& n = graph.nodes[i];
    if (scopes[i].empty() || n.op != "ReadVariableOp" || n.inputs.empty() || n.outputs.empty()) continue;
    const auto at = variable_at.find(n.inputs.front().from);
    if (at == variable_at.end() || at->second->type != n.outputs.front()) continue;
    // From the layer outwards, as long as scope and variable tell of the same layers.
    std::string_view scope = scopes[i], folder = at->second->folder;
    for (; is_call_of(last_of(scope), last_of(folder)); scope = before_last(scope), folder = before_last(folder))
      names.emplace(scope, last_of(folder));
  }
  return names;
}

bool scopes_have_numbers(const std::map<std::string, std::string>& names) {
  return !names.empty() &&
         std::ranges::all_of(names, [](const auto& known) { return last_of(known.first) != known.second; });
}

std::string named_layer(const std::map<std::string, std::string>& names, const std::string& scope, bool have_numbers) {
  std::string made;
  for (size_t end = 0; end != scope.npos;) {
    const size_t begin = end ? end + 1 : 0;
    end = scope.find('/', begin);
    const auto known = names.find(scope.substr(0, end));
    std::string_view name = std::string_view(scope).substr(begin, end - begin);
    if (known != names.end()) name = known->second;
    else if (have_numbers) name = without_number(name);
    if (!made.empty()) made += '/';
    made += name;
  }
  return made;
}

}  // namespace footlight::app
