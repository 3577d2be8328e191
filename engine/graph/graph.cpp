// Adds nodes, makes names unique, and visits called graphs.
#include "engine/graph/graph.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <type_traits>
#include <unordered_set>

namespace footlight {
namespace {

// Names that differ only in case count as equal.
std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

const Attrs& NodeAttrs::none() {
  static const Attrs none;
  return none;
}

NodeAttrs::NodeAttrs(Attrs attrs) {
  if (!attrs.empty()) attrs_ = CopyOnWrite(std::move(attrs));
}

void NodeAttrs::set(AttrName name, AttrValue value) { attrs_.own().set(name, std::move(value)); }

bool NodeAttrs::share(const NodeAttrs& other) {
  const auto same = [](const auto& mine, const auto& theirs) {
    if (!(mine.first == theirs.first)) return false;
    return std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, Tensor>) return false;
          else return std::holds_alternative<T>(theirs.second) && std::get<T>(theirs.second) == value;
        },
        mine.second);
  };
  if (!std::equal(begin(), end(), other.begin(), other.end(), same)) return false;
  attrs_ = other.attrs_;
  return true;
}

const std::vector<Shape>& NodeShapes::none() {
  static const std::vector<Shape> none;
  return none;
}

NodeShapes::NodeShapes(std::vector<Shape> shapes) {
  if (!shapes.empty()) shapes_ = CopyOnWrite(std::move(shapes));
}

DeviceName::DeviceName(const std::string& text) {
  static std::mutex mutex;
  static auto& names = *new std::unordered_set<std::string>;
  if (text.empty()) return;
  const std::lock_guard lock(mutex);
  text_ = &*names.insert(text).first;
}

const std::string& DeviceName::text() const {
  static const std::string none;
  return text_ ? *text_ : none;
}

std::string Graph::unique_name(std::string_view wanted) {
  // "scope/" is the scope's own name, reserved when the scope was entered.
  if (wanted.ends_with('/')) return std::string(wanted.substr(0, wanted.size() - 1));
  if (name_scope.empty()) return unique_full_name(wanted);
  std::string full = name_scope;
  full += wanted;
  return unique_full_name(full);
}

bool Graph::taken(std::string_view name) const {
  if (used_names_.contains(name)) return true;
  const size_t end = name.rfind('_');
  if (end == std::string_view::npos) return false;
  const std::string_view digits = name.substr(end + 1);
  uint32_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || rest != digits.data() + digits.size() || digits[0] == '0') return false;
  const auto at = used_names_.find(name.substr(0, end));
  return at != used_names_.end() && number < at->second;
}

std::string Graph::unique_full_name(std::string_view wanted) {
  std::string key = lower(wanted);
  auto at = used_names_.find(key);
  if (at == used_names_.end()) {
    const bool numbered = taken(key);
    at = used_names_.emplace(key, 1).first;
    if (!numbered) return std::string(wanted);
  }
  const size_t length = key.size();
  uint32_t number = at->second;
  do {
    key.resize(length);
    key += '_';
    key += std::to_string(number++);
  } while (used_names_.contains(key));
  at->second = number;
  const std::string digits = std::to_string(number - 1);
  std::string name;
  name.reserve(wanted.size() + 1 + digits.size());  // exactly as long as needed: names of nested graphs are long
  name += wanted;
  name += '_';
  return name += digits;
}

NodeShapes Graph::shared(std::vector<Shape> shapes) const {
  if (!nodes_.empty() && nodes_.back().shapes.all() == shapes) return nodes_.back().shapes;
  return shapes;
}

NodeId Graph::add(Node node) {
  node.name = unique_name(node.name.empty() ? std::string_view(node.op->name) : std::string_view(node.name));
  return add_named(std::move(node));
}

NodeId Graph::add_named(Node node) {
  if (finalized) throw Error(ErrorKind::kRuntime, "Graph is finalized and cannot be modified.");
  affects_elsewhere |= footlight::affects_elsewhere(*this, node);
  nodes_.push_back(std::move(node));
  const NodeId id(static_cast<uint32_t>(nodes_.size() - 1));
  if (marks.added) [[unlikely]] marks.added(*this, id);
  return id;
}

Tensor Graph::tensor(Edge edge) {
  const Node& made = node(edge.node);
  return Tensor::symbolic(made.dtypes[edge.output], made.shapes[edge.output], this, shared_from_this(), edge.node,
                          edge.output);
}

bool affects_elsewhere(const Graph& graph, const Node& node) {
  const OpRow& row = *node.op;
  if (!row.stateful() || (row.family == OpFamily::kRandom && row.effect == Effect::kOther)) return false;
  bool calls = false;
  for (const auto& [name, value] : node.attrs) {
    const GraphPtr* callee = std::get_if<GraphPtr>(&value);
    calls |= callee != nullptr;
    if (callee && *callee && (*callee)->affects_elsewhere) return true;
  }
  const auto resource = [&](Edge edge) { return graph.node(edge.node).dtypes[edge.output] == DType::kResource; };
  return !calls && std::ranges::none_of(node.inputs, resource);
}

std::vector<GraphPtr> library_of(const Graph& graph) {
  std::vector<GraphPtr> found;
  std::unordered_set<const Graph*> seen{&graph};
  std::vector<const Graph*> queue{&graph};
  for (size_t i = 0; i < queue.size(); ++i) {
    const Graph& current = *queue[i];
    const auto find = [&](const GraphPtr& callee) {
      if (!callee || !seen.insert(callee.get()).second) return;
      found.push_back(callee);
      queue.push_back(callee.get());
    };
    for (uint32_t n = 0; n < current.size(); ++n) {
      for (const auto& [name, value] : current.node(NodeId(n)).attrs) {
        if (const GraphPtr* callee = std::get_if<GraphPtr>(&value)) find(*callee);
      }
    }
    find(current.gradient);
  }
  return found;
}

GraphPtr clone(const Graph& graph) {
  auto copy = std::make_shared<Graph>(graph);
  copy->id = GraphId();
  copy->finalized = false;
  copy->derivative.reset();
  copy->marks = {};  // the copy has no open scopes
  return copy;
}

std::string numbered(std::string_view prefix) {
  static std::atomic<uint32_t> next{5};
  return std::string(prefix) + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
}

}  // namespace footlight
