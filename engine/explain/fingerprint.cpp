// A node's number comes from its own contents and its inputs', then from its users', then from its inputs' again: the
// first pass tells expressions apart, the others tell one shared node from two equal ones.
#include "engine/explain/fingerprint.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::EdgeRecord;
using session::GraphRecord;
using session::NodeRecord;

constexpr size_t kDeepest = 200;  // graphs within graphs

bool is_real_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return true;
  const bool number = text.find_first_not_of("0123456789.e+-") == std::string_view::npos;
  return number && !text.empty() && text.find_first_of(".e") != std::string_view::npos && text[0] != 'e';
}

// "(32, None)" -> "(?, ?)": sizes are values, the rank is structure.
std::string without_sizes(std::string_view text) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(';
    depth -= c == ')';
    const bool size = depth > 0 && (c == 'N' || (c >= '0' && c <= '9'));
    if (!size) {
      out += c;
      continue;
    }
    out += '?';
    while (i + 1 < text.size() && text[i + 1] != ',' && text[i + 1] != ')') ++i;
  }
  return out;
}

std::string without_values(std::string_view name, std::string_view value) {
  if (name == "seed" || name == "seed2" || name == "_state") return "?";
  if (is_real_number(value)) return "?";
  if (value.starts_with('(') || value.starts_with("[(")) return without_sizes(value);
  if (value.starts_with('[') && value.ends_with(']')) {
    std::string_view rest = value.substr(1, value.size() - 2);
    std::string out = "[";
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(','));
      out += is_real_number(item) ? "?" : std::string(item);
      out += ',';
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    }
    return out + ']';
  }
  return std::string(value);
}

// Older recordings have only the beginning of a constant's values, which says nothing about the rest.
bool is_cut_off(const std::string& constant) {
  const size_t dots = constant.find("...");
  return dots != std::string::npos && constant.find(" #", dots) == std::string::npos;
}

Hash128 combined(std::vector<Hash128>& parts) {
  std::sort(parts.begin(), parts.end());
  Hasher128 hasher;
  for (Hash128 part : parts) hasher.add(part);
  return hasher.result();
}

// Positions of nodes, each after those it takes values from; a node on a cycle comes where it is first reached.
std::vector<size_t> in_order(const GraphRecord& graph, const std::unordered_map<uint32_t, size_t>& position) {
  std::vector<size_t> order;
  std::vector<uint8_t> state(graph.nodes.size(), 0);  // 1: on the way, 2: done
  std::vector<std::pair<size_t, size_t>> stack;       // node, number of its sources visited
  for (size_t start = 0; start < graph.nodes.size(); ++start) {
    if (state[start]) continue;
    state[start] = 1;
    stack.push_back({start, 0});
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const NodeRecord& node = graph.nodes[at];
      if (next == node.inputs.size() + node.control_inputs.size()) {
        state[at] = 2;
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      const uint32_t source =
          next < node.inputs.size() ? node.inputs[next].from : node.control_inputs[next - node.inputs.size()];
      ++next;
      const auto found = position.find(source);
      if (found == position.end() || state[found->second]) continue;
      state[found->second] = 1;
      stack.push_back({found->second, 0});
    }
  }
  return order;
}

}  // namespace

const char* name_of(GraphRelation relation) {
  switch (relation) {
    case GraphRelation::kIdentical: return "identical";
    case GraphRelation::kConstants: return "constants";
    case GraphRelation::kStructure: return "structure";
    case GraphRelation::kUnknown: break;
  }
  return "unknown";
}

std::vector<AttributeText> split_attributes(std::string_view attributes) {
  std::vector<AttributeText> found;
  while (!attributes.empty()) {
    const std::string_view one = attributes.substr(0, attributes.find("; "));
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) found.push_back({one, {}});
    else found.push_back({one.substr(0, equals), one.substr(equals + 1)});
    attributes.remove_prefix(std::min(attributes.size(), one.size() + 2));
  }
  return found;
}

Hash128 Fingerprints::label(const GraphRecord& graph, const NodeRecord& node, bool exact, bool& complete) {
  Hasher128 hasher;
  hasher.add(node.op);
  for (const AttributeText& a : split_attributes(node.attributes)) {
    // A function is compared by its contents, below; the user's name for an argument does not matter.
    const bool function = std::any_of(node.functions.begin(), node.functions.end(),
                                      [&](const auto& f) { return f.attribute == a.name; });
    if (function || a.name == "_user_specified_name") continue;
    hasher.add(a.name);
    hasher.add(exact ? std::string(a.value) : without_values(a.name, a.value));
  }
  hasher.add(node.outputs.size());
  for (const std::string& output : node.outputs) hasher.add(exact ? output : without_sizes(output));
  if (exact) {
    hasher.add(node.constant);
    if (is_cut_off(node.constant)) {  // equal only to itself
      hasher.add(graph.id.value);
      hasher.add(node.id);
    }
  }
  hasher.add(node.functions.size());
  for (const auto& [role, id] : node.functions) {
    hasher.add(role);
    const auto outer = std::find(open_.begin(), open_.end(), id);
    const GraphRecord* callee = lookup_(id);
    if (outer != open_.end()) {  // it calls itself
      hasher.add(static_cast<uint64_t>(open_.end() - outer));
    } else if (!callee || open_.size() > kDeepest) {
      complete = false;
      hasher.add(id.value);
    } else {
      const Known& inner = known(*callee);
      complete &= inner.complete;
      hasher.add(exact ? inner.print.exact : inner.print.structure);
    }
  }
  return hasher.result();
}

Hash128 Fingerprints::fingerprint(const GraphRecord& graph, bool exact, bool& complete) {
  const size_t count = graph.nodes.size();
  std::unordered_map<uint32_t, size_t> position;
  for (size_t i = 0; i < count; ++i) position.emplace(graph.nodes[i].id, i);
  const auto find = [&](uint32_t id) {
    const auto at = position.find(id);
    return at == position.end() ? count : at->second;
  };
  const std::vector<size_t> order = in_order(graph, position);

  std::vector<Hash128> hash(count + 1);  // the last stands for missing nodes
  std::vector<std::vector<Hash128>> marks(count + 1);
  const auto mark = [](uint64_t kind, uint64_t a, uint64_t b, Hash128 other) {
    Hasher128 hasher;
    hasher.add(kind);
    hasher.add(a);
    hasher.add(b);
    hasher.add(other);
    return hasher.result();
  };
  for (size_t i = 0; i < count; ++i) hash[i] = label(graph, graph.nodes[i], exact, complete);
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const size_t at = find(graph.inputs[k]);
    hash[at] = mark(1, k, 0, hash[at]);
  }
  const auto from_inputs = [&] {
    for (size_t i : order) {
      const NodeRecord& node = graph.nodes[i];
      Hasher128 hasher;
      hasher.add(hash[i]);
      for (EdgeRecord e : node.inputs) hasher.add(mark(2, e.output, 0, hash[find(e.from)]));
      std::vector<Hash128> controls;
      for (uint32_t c : node.control_inputs) controls.push_back(hash[find(c)]);
      hasher.add(controls.size());
      hasher.add(combined(controls));
      hash[i] = hasher.result();
    }
  };
  from_inputs();
  for (size_t k = 0; k < graph.outputs.size(); ++k)
    marks[find(graph.outputs[k].from)].push_back(mark(3, k, graph.outputs[k].output, {}));
  for (size_t at = count; at-- > 0;) {
    const size_t i = order[at];
    const NodeRecord& node = graph.nodes[i];
    Hasher128 hasher;
    hasher.add(hash[i]);
    hasher.add(combined(marks[i]));
    hash[i] = hasher.result();
    for (size_t k = 0; k < node.inputs.size(); ++k)
      marks[find(node.inputs[k].from)].push_back(mark(4, k, node.inputs[k].output, hash[i]));
    for (uint32_t c : node.control_inputs) marks[find(c)].push_back(mark(5, 0, 0, hash[i]));
  }
  from_inputs();

  Hasher128 result;
  result.add(graph.inputs.size());
  result.add(graph.outputs.size());
  for (EdgeRecord e : graph.outputs) result.add(mark(6, e.output, 0, hash[find(e.from)]));
  hash.pop_back();
  result.add(combined(hash));
  return result.result();
}

const Fingerprints::Known& Fingerprints::known(const GraphRecord& graph) {
  if (const auto at = known_.find(graph.id); at != known_.end()) return at->second;
  open_.push_back(graph.id);
  Known made;
  made.print.exact = fingerprint(graph, true, made.complete);
  made.print.structure = fingerprint(graph, false, made.complete);
  open_.pop_back();
  return known_.emplace(graph.id, made).first->second;
}

const GraphFingerprint& Fingerprints::of(const GraphRecord& graph) { return known(graph).print; }

GraphRelation Fingerprints::compare(GraphId a, GraphId b) {
  const GraphRecord *x = lookup_(a), *y = lookup_(b);
  if (!x || !y) return GraphRelation::kUnknown;
  const Known left = known(*x), right = known(*y);
  if (left.print.structure != right.print.structure) return GraphRelation::kStructure;
  if (!left.complete || !right.complete) return GraphRelation::kUnknown;
  return left.print.exact == right.print.exact ? GraphRelation::kIdentical : GraphRelation::kConstants;
}

}  // namespace footlight::explain
