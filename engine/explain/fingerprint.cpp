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

}  // namespace

bool is_message(std::string_view attribute) { return attribute == "message" || attribute == "template"; }

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
  if (name == "seed" || name == "seed2" || name == "_state" || is_message(name)) return "?";
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

bool is_cut_off(const std::string& constant) {
  const size_t dots = constant.find("...");
  return dots != std::string::npos && constant.find(" #", dots) == std::string::npos;
}

const char* name_of(GraphRelation relation) {
  switch (relation) {
    case GraphRelation::kIdentical: return "identical";
    case GraphRelation::kConstants: return "constants";
    case GraphRelation::kStructure: return "structure";
    case GraphRelation::kUnknown: break;
  }
  return "unknown";
}

static std::vector<AttributeText> split_attributes(std::string_view attributes) {
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

std::vector<AttributeText> compared_attributes(std::string_view attributes) {
  std::vector<AttributeText> found = split_attributes(attributes);
  const auto is_known = std::ranges::find(found, "python_function", &AttributeText::name) != found.end();
  std::erase_if(found, [&](const AttributeText& a) {
    return a.name == "_user_specified_name" || (is_known && a.name == "token");
  });
  return found;
}

Hash128 Fingerprints::label(const GraphRecord& graph, const NodeRecord& node, bool exact, bool& complete) {
  Hasher128 hasher;
  hasher.add(node.op);
  for (const AttributeText& a : compared_attributes(node.attributes)) {
    // A function is compared by its contents, below.
    const bool function = std::any_of(node.functions.begin(), node.functions.end(),
                                      [&](const auto& f) { return f.attribute == a.name; });
    if (function) continue;
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

NodeHashes Fingerprints::labels(const GraphIndex& index, bool exact, bool& complete) {
  const GraphRecord& graph = index.graph();
  NodeHashes hashes(index.size() + 1);
  open_.push_back(graph.id);
  for (size_t i = 0; i < index.size(); ++i) hashes[i] = label(graph, graph.nodes[i], exact, complete);
  open_.pop_back();
  for (size_t k = 0; k < graph.inputs.size(); ++k) {
    const size_t at = index.find(graph.inputs[k]);
    hashes[at] = relation_hash(1, k, 0, hashes[at]);
  }
  return hashes;
}

Hash128 Fingerprints::fingerprint(const GraphIndex& index, bool exact, bool& complete) {
  NodeHashes hashes =
      with_inputs(index, with_users(index, with_inputs(index, labels(index, exact, complete))));
  const GraphRecord& graph = index.graph();
  Hasher128 result;
  result.add(graph.inputs.size());
  result.add(graph.outputs.size());
  for (EdgeRecord e : graph.outputs) result.add(relation_hash(6, e.output, 0, hashes[index.find(e.from)]));
  hashes.pop_back();
  result.add(combined(hashes));
  return result.result();
}

const Fingerprints::Known& Fingerprints::known(const GraphRecord& graph) {
  if (const auto at = known_.find(graph.id); at != known_.end()) return at->second;
  const GraphIndex index(graph);
  Known made;
  made.print.exact = fingerprint(index, true, made.complete);
  made.print.structure = fingerprint(index, false, made.complete);
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
