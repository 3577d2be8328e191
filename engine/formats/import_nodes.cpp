// Nodes in the order in which they can run, their inputs found by name.
#include "engine/formats/import_nodes.h"

#include "engine/base/text.h"
#include "engine/formats/constants.h"
#include "engine/formats/graph_def.h"
#include "engine/ops/file_names.h"
#include "engine/ops/output_name.h"
#include "engine/tensor/device.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <set>

namespace footlight::formats {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
}

// "[A-Za-z0-9.][A-Za-z0-9_.>/\\-]*"
bool is_node_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._>/\\-") == name.npos;
}

// The number at the end of "x:1"; false if there is none.
bool number_after(std::string_view& reference, uint32_t& number) {
  const size_t colon = reference.rfind(':');
  if (colon == reference.npos || colon + 1 == reference.size() || reference.size() - colon > 7) return false;
  number = 0;
  for (char c : reference.substr(colon + 1)) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  reference = reference.substr(0, colon);
  return true;
}

// What a node has besides that which is understood: its full type, fields of later versions.
std::string extras_of(const NodeDef& def) {
  const google::protobuf::UnknownFieldSet& unknown = def.GetReflection()->GetUnknownFields(def);
  if (!def.has_experimental_debug_info() && !def.has_experimental_type() && unknown.empty()) return {};
  NodeDef extras;
  if (def.has_experimental_debug_info()) *extras.mutable_experimental_debug_info() = def.experimental_debug_info();
  if (def.has_experimental_type()) *extras.mutable_experimental_type() = def.experimental_type();
  extras.GetReflection()->MutableUnknownFields(&extras)->MergeFrom(unknown);
  return bytes_of(extras);
}

[[noreturn]] void no_such_input(std::string_view reference) {
  fail(ErrorKind::kValue, "Unknown input node '", reference,
       "', which is neither a node of the graph nor one of its inputs");
}

}  // namespace

// "x" of "x:1", "^x" and "x:output:1".
std::string_view NodeReader::node_part(std::string_view reference) const {
  if (reference.starts_with('^')) return reference.substr(1);
  return reference.substr(0, reference.find(':'));
}

bool NodeReader::outside(std::string_view reference, Edge& found) const {
  auto at = tensors.find(std::string(reference));
  if (at == tensors.end() && style_ == Style::kGraph && reference.find(':') == reference.npos)
    at = tensors.find(std::string(reference) + ":0");
  if (at == tensors.end()) return false;
  found = at->second;
  return true;
}

NodeId NodeReader::node(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? NodeId() : made_[at->second];
}

// Whether it is the handle of an object of another process. TensorFlow writes such a constant for what a dataset keeps
// itself, the seeds of a shuffle and the elements of a cache; new ones take their place.
static bool is_handle_constant(const NodeDef& def) {
  const auto dtype = def.attr().find("dtype");
  return def.op() == "Const" && def.attr().contains("value") && dtype != def.attr().end() &&
         dtype->second.type() != 0 && dtype_from(dtype->second.type()) == DType::kResource;
}

Edge NodeReader::tensor(std::string_view reference) const {
  Edge found;
  if (outside(reference, found)) return found;
  std::string_view rest = reference;
  uint32_t number = 0;
  const bool numbered = number_after(rest, number);
  const NodeId id = node(node_part(reference));
  if (!id.valid()) no_such_input(reference);
  const Node& made = graph_.node(id);
  const auto count = static_cast<uint32_t>(made.dtypes.size());
  if (style_ == Style::kGraph) {
    if (rest.find(':') != rest.npos) no_such_input(reference);
    if (number >= count)
      fail(ErrorKind::kValue, "its input '", reference, "' is output ", number, " of a node that has ", count);
    return {id, number};
  }
  const size_t colon = rest.find(':');
  if (colon != rest.npos) {
    const std::string_view output = rest.substr(colon + 1);
    for (uint32_t k = 0; k < count; ++k) {
      const OutputName name = output_name(*made.op, count, k, made.attrs);
      if (name.name == output && name.index == (numbered ? number : 0)) return {id, k};
    }
    if (is_handle_constant(defs_[static_cast<int>(by_name_.find(node_part(reference))->second)])) return {id, 0};
  }
  fail(ErrorKind::kValue, "its input '", reference, "' is no output of the op ", made.op->name);
}

bool NodeReader::has_tensor(std::string_view reference) const {
  uint32_t number = 0;
  number_after(reference, number);
  const NodeId id = node(reference);
  return id.valid() && number < graph_.node(id).dtypes.size();
}

void NodeReader::index() {
  by_name_.reserve(static_cast<size_t>(defs_.size()));
  for (int i = 0; i < defs_.size(); ++i) {
    const std::string& name = defs_[i].name();
    if (!is_node_name(name)) {
      std::string quoted;
      append_quoted(quoted, name);
      fail(ErrorKind::kValue, "\"", quoted, "\" is no name that a node can have");
    }
    if (!by_name_.emplace(name, static_cast<uint32_t>(i)).second)
      fail(ErrorKind::kValue, "two nodes are named '", name, "'");
  }
  made_.resize(static_cast<size_t>(defs_.size()));
  for (uint32_t i = 0; i < graph_.size(); ++i) taken_.insert(graph_.node(NodeId(i)).name);
}

// The nodes of the file, each after those that it needs, otherwise in their own order.
std::vector<uint32_t> NodeReader::order() const {
  const auto count = static_cast<uint32_t>(defs_.size());
  std::vector<uint32_t> waiting(count, 0), first(count + 1, 0), order;
  const auto for_needs = [&](uint32_t user, auto&& visit) {
    for (const std::string& input : defs_[static_cast<int>(user)].input()) {
      Edge edge;
      if (!input.starts_with('^') && outside(input, edge)) continue;
      if (input.starts_with('^') && controls.contains(input.substr(1))) continue;
      const auto at = by_name_.find(node_part(input));
      if (at != by_name_.end()) visit(at->second);
    }
  };
  for (uint32_t i = 0; i < count; ++i)
    for_needs(i, [&](uint32_t needed) {
      ++waiting[i];
      ++first[needed + 1];
    });
  for (uint32_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<uint32_t> users(first[count]), next(first.begin(), first.end() - 1);
  for (uint32_t i = 0; i < count; ++i) for_needs(i, [&](uint32_t needed) { users[next[needed]++] = i; });
  std::set<uint32_t> ready;
  for (uint32_t i = 0; i < count; ++i)
    if (!waiting[i]) ready.insert(i);
  while (!ready.empty()) {
    const uint32_t at = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(at);
    for (uint32_t k = first[at]; k < first[at + 1]; ++k)
      if (--waiting[users[k]] == 0) ready.insert(users[k]);
  }
  if (order.size() == count) return order;
  const auto stuck = std::ranges::find_if(waiting, [](uint32_t n) { return n != 0; });
  fail(ErrorKind::kValue, "the nodes ", stuck - waiting.begin() < count ? "around '" : "'",
       defs_[static_cast<int>(stuck - waiting.begin())].name(), "' need each other: a graph has no cycles");
}

void NodeReader::read() {
  index();
  for (uint32_t i : order()) read_node(i);
}

void NodeReader::read_node(uint32_t index) {
  const NodeDef& def = defs_[static_cast<int>(index)];
  try {
    made_[index] = add(node_from(def));
  } catch (const Error& error) {
    // An error inside of a function that the node calls says where already.
    if (error.message().starts_with("function '")) throw;
    throw Error(error.kind() == ErrorKind::kInvalidArgument ? ErrorKind::kValue : error.kind(),
                str("Node '", def.name(), "': ", error.message(), " (", def.op(), ")"));
  }
}

void NodeReader::read_inputs(const NodeDef& def, Node& node) const {
  if (static_cast<size_t>(def.input_size()) > reading_.limits.arguments)
    fail(ErrorKind::kValue, "it has ", def.input_size(), " inputs: at most ", reading_.limits.arguments, " can be");
  std::unordered_set<uint32_t> waited;
  for (const std::string& input : def.input()) {
    if (!input.starts_with('^')) {
      if (!node.control_inputs.empty()) fail(ErrorKind::kValue, "its input '", input, "' comes after control inputs");
      node.inputs.push_back(tensor(input));
      continue;
    }
    const std::string name = input.substr(1);
    const auto mapped = controls.find(name);
    const NodeId control = mapped != controls.end() ? mapped->second : this->node(name);
    if (!control.valid()) {
      // In a function, arguments may be waited for: they are there before it begins.
      if (style_ == Style::kFunction && tensors.contains(name)) continue;
      no_such_input(input);
    }
    if (waited.insert(control.value).second) node.control_inputs.push_back(control);
  }
}

// A name that the graph has already gets a number; under a prefix, which is new, there is none.
std::string NodeReader::unused_name(const std::string& own) {
  std::string name = prefix + own;
  for (int i = 1; taken_.contains(name); ++i) {
    const std::string numbered = str(own, '_', i);
    if (!by_name_.contains(numbered)) name = prefix + numbered;
  }
  static_cast<void>(graph_.unique_full_name(name));  // taken from now on; names here may differ in case alone
  return name;
}

Node NodeReader::node_from(const NodeDef& def) {
  Node node;
  node.op = row_of_file(def.op());
  if (is_handle_constant(def)) {
    node.op = &"DummySeedGenerator"_op.row();
  } else if (node.op) {
    node.attrs = attrs_from(def.attr(), *node.op, reading_);
  } else {
    // A function of the library as an op of its own.
    NameAttrList callee;
    callee.set_name(def.op());
    *callee.mutable_attr() = def.attr();
    node.op = &"PartitionedCall"_op.row();
    node.attrs.set("f"_attr, reading_.function(callee));
  }
  if (std::string extras = extras_of(def); !extras.empty()) node.attrs.set(kExtras, std::move(extras));
  read_inputs(def, node);
  if (!def.device().empty()) static_cast<void>(parse_device(def.device()));  // throws for what is none
  node.device = def.device();
  settle(graph_, node, reading_);
  node.name = unused_name(def.name());
  if (const footlight::AttrValue* value = prefix.empty() ? nullptr : node.attrs.find("_class"_attr))
    if (const auto* places = std::get_if<std::vector<std::string>>(value)) {
      std::vector<std::string> moved = *places;
      for (std::string& place : moved)
        if (place.starts_with("loc:@")) place.insert(5, prefix);
      node.attrs.set("_class"_attr, std::move(moved));
    }
  return node;
}

}  // namespace footlight::formats
