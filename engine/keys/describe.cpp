// Puts keys into words: leaves with paths, differences, the short phrase.
#include "engine/keys/key.h"

#include "engine/base/dtype_names.h"
#include "engine/base/hash128.h"
#include "engine/keys/elements.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace footlight::keys {
namespace {

constexpr size_t kLongestText = 200;
constexpr const char* kPlaced = ".sharding";

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  auto end = std::to_chars(text, text + sizeof text, value);
  std::string result(text, end.ptr);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::string complex_text(uint64_t real, uint64_t imaginary) {
  const std::string part = number_text(std::bit_cast<double>(imaginary));
  return '(' + number_text(std::bit_cast<double>(real)) + (part.starts_with('-') ? "" : "+") + part + "j)";
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, kLongestText)) {
    if (c == '\n') out += "\\n";
    else if (c == '\'' || c == '\\') (out += '\\') += c;
    else out += c;
  }
  // The hash tells texts apart that differ only behind the cut.
  if (text.size() > kLongestText) out += "... " + hash128(text).hex().substr(0, 8);
  return out + '\'';
}

std::string name_of_number(const Key& key, uint64_t number) {
  if (key.names)
    if (auto at = key.names->find(number); at != key.names->end()) return at->second.name;
  return "#" + std::to_string(number);
}

std::string sizes_text(const TensorSpec& spec) {
  if (!spec.has_rank) return "<unknown>";
  std::string out;
  for (int64_t size : spec.sizes) {
    if (!out.empty()) out += ',';
    out += size == kUnknownSize ? "None" : std::to_string(size);
  }
  return out;
}

// "Point(x,y)" -> the name of field i
std::string field(std::string_view class_text, uint32_t index) {
  size_t at = class_text.find('(');
  if (at == std::string_view::npos) return std::to_string(index);
  std::string_view fields = class_text.substr(at + 1, class_text.size() - at - 2);
  for (uint32_t i = 0; i < index; ++i) {
    at = fields.find(',');
    if (at == std::string_view::npos) return std::to_string(index);
    fields.remove_prefix(at + 1);
  }
  return std::string(fields.substr(0, fields.find(',')));
}

session::KeyLeaf leaf_of(const Key& key, const Item& item) {
  session::KeyLeaf leaf;
  auto set = [&](const char* kind, std::string type, std::string value) {
    leaf.kind = kind;
    leaf.type = std::move(type);
    leaf.value = std::move(value);
  };
  const std::string count = '[' + std::to_string(item.payload) + ']';
  switch (item.token) {
    case Token::kContext: set("context", "context", ""); break;
    case Token::kTensor:
      set("tensor", dtype_names(item.spec().dtype).name, item.spec().weak ? "weak type" : "");
      leaf.shape = sizes_text(item.spec());
      break;
    case Token::kVariable:
      set("variable", dtype_names(item.spec().dtype).name, std::to_string(item.alias()));
      leaf.shape = sizes_text(item.spec());
      break;
    case Token::kNone: set("none", "None", "None"); break;
    case Token::kEllipsis: set("literal", "ellipsis", "..."); break;
    case Token::kBool: set("literal", "bool", item.payload ? "True" : "False"); break;
    case Token::kInt: set("literal", "int", std::to_string(item.integer())); break;
    case Token::kBigInt: set("literal", "int", std::string(item.text())); break;
    case Token::kFloat: set("literal", "float", number_text(item.floating())); break;
    case Token::kComplex: set("literal", "complex", complex_text(item.words[1], item.words[2])); break;
    case Token::kString: set("literal", "str", quoted(item.text())); break;
    case Token::kBytes: set("literal", "bytes", 'b' + quoted(item.text())); break;
    case Token::kObject: set("object", "object", name_of_number(key, item.number)); break;
    case Token::kType: set("object", "type", name_of_number(key, item.number)); break;
    case Token::kCustom: set("object", "trace type", name_of_number(key, item.number)); break;
    case Token::kCallable: set("callable", "function", name_of_number(key, item.number)); break;
    case Token::kList: set("structure", "list" + count, ""); break;
    case Token::kTuple: set("structure", "tuple" + count, ""); break;
    case Token::kSet: set("structure", "set" + count, ""); break;
    case Token::kSlice: set("structure", "slice", ""); break;
    case Token::kDict: set("structure", "dict" + count, ""); break;
    case Token::kNamedTuple:
    case Token::kRecord: set("structure", name_of_number(key, item.number), ""); break;
    case Token::kAny: set("any", "any", "not guarded"); break;
  }
  return leaf;
}

// A key as a tree, to compare two of them side by side.
struct Tree {
  size_t begin = 0, end = 0;  // range of its words, children included
  Item item;
  std::string path, parameter;
  std::vector<ElementLeaf> elements;  // of the type of a dataset or iterator
  std::vector<Tree> children;
};

// "args[0].element_spec['x']": the type is the first item of what stands at "args[0]".
std::string element_path(const Tree& type, const ElementLeaf& element) {
  const std::string outer = type.path.ends_with("[0]") ? type.path.substr(0, type.path.size() - 3) : type.path;
  return outer + ".element_spec" + element.path;
}

std::string child_path(const Key& key, const Tree& parent, uint32_t index, const Item& child_key) {
  switch (parent.item.token) {
    case Token::kDict: {
      const session::KeyLeaf leaf = leaf_of(key, child_key);
      return parent.path + '[' + leaf.value + ']';
    }
    case Token::kNamedTuple:
    case Token::kRecord: return parent.path + '.' + field(name_of_number(key, parent.item.number), index);
    case Token::kSlice: return parent.path + (index == 0 ? ".start" : index == 1 ? ".stop" : ".step");
    case Token::kCallable: return parent.path + ".closure[" + std::to_string(index) + ']';
    default: return parent.path + '[' + std::to_string(index) + ']';
  }
}

Tree build(const Key& key, size_t& position, std::string path, const std::string& parameter) {
  Tree tree;
  tree.begin = position;
  tree.item = read(key.words, position);
  tree.path = std::move(path);
  tree.parameter = parameter;
  if (tree.item.token == Token::kCustom) tree.elements = element_leaves(name_of_number(key, tree.item.number));
  if (tree.item.token == Token::kDict) {
    for (uint64_t i = 0; i < tree.item.payload; ++i) {
      const Tree entry_key = build(key, position, "", parameter);
      tree.children.push_back(
          build(key, position, child_path(key, tree, static_cast<uint32_t>(i), entry_key.item), parameter));
    }
  } else {
    for (uint32_t i = 0; i < tree.item.children; ++i)
      tree.children.push_back(build(key, position, child_path(key, tree, i, tree.item), parameter));
  }
  tree.end = position;
  return tree;
}

std::vector<Tree> trees(const Key& key) {
  std::vector<Tree> result;
  size_t position = 0;
  for (size_t i = 0; position < key.words.size(); ++i) {
    const bool context = i == 0;
    const std::string parameter = context || i > key.parameters.size() ? std::string() : key.parameters[i - 1];
    result.push_back(build(key, position, context ? "context" : "args[" + std::to_string(i - 1) + ']', parameter));
  }
  return result;
}

// The mesh that a tensor's type names; 0 if it names none, and for all other items.
uint32_t placement_of(const Item& item) { return item.token == Token::kTensor ? item.spec().placement : 0; }

void flatten(const Key& key, const Tree& tree, std::vector<session::KeyLeaf>& leaves) {
  session::KeyLeaf leaf = leaf_of(key, tree.item);
  leaf.path = tree.path;
  leaf.parameter = tree.parameter;
  leaves.push_back(std::move(leaf));
  if (const uint32_t placement = placement_of(tree.item))
    leaves.push_back({.path = tree.path + kPlaced, .parameter = tree.parameter, .kind = "placement",
                      .type = "", .shape = "", .value = name_of_number(key, placement)});
  for (const ElementLeaf& element : tree.elements)
    leaves.push_back({.path = element_path(tree, element), .parameter = tree.parameter, .kind = "element",
                      .type = element.type, .shape = element.shape, .value = ""});
  for (const Tree& child : tree.children) flatten(key, child, leaves);
}

void flatten(const Tree& tree, std::vector<ItemPlace>& out) {
  out.push_back({tree.path, tree.begin, tree.end, tree.item});
  for (const Tree& child : tree.children) flatten(child, out);
}

using Kind = Difference::Kind;

std::vector<std::string_view> split_sizes(std::string_view shape) {
  std::vector<std::string_view> sizes;
  while (!shape.empty()) {
    const size_t comma = std::min(shape.find(','), shape.size());
    sizes.push_back(shape.substr(0, comma));
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  return sizes;
}

void compare_specs(const Tree& a, const TensorSpec& x, const TensorSpec& y, std::vector<Difference>& out) {
  if (x.dtype != y.dtype) out.push_back({a.path + ".dtype", a.parameter, Kind::kDType});
  if (x.weak != y.weak) out.push_back({a.path + ".weak_type", a.parameter, Kind::kWeakType});
  if (x.placement != y.placement) out.push_back({a.path + kPlaced, a.parameter, Kind::kPlacement});
  if (x.has_rank != y.has_rank || x.sizes.size() != y.sizes.size()) {
    out.push_back({a.path + ".shape", a.parameter, Kind::kRank});
    return;
  }
  for (size_t i = 0; i < x.sizes.size(); ++i)
    if (x.sizes[i] != y.sizes[i])
      out.push_back({a.path + ".shape[" + std::to_string(i) + ']', a.parameter, Kind::kShape});
}

// How two types of datasets or iterators differ; false if they differ in more than dtypes and shapes of their elements.
bool compare_elements(const Tree& a, const Tree& b, std::vector<Difference>& out) {
  if (a.elements.empty() || a.elements.size() != b.elements.size()) return false;
  std::vector<Difference> found;
  const std::string parameter = "the elements of " + (a.parameter.empty() ? a.path : a.parameter);
  for (size_t i = 0; i < a.elements.size(); ++i) {
    const ElementLeaf &x = a.elements[i], &y = b.elements[i];
    const std::string path = element_path(a, x);
    if (x.path != y.path || x.tensor != y.tensor) return false;
    if (x.type != y.type) found.push_back({path + ".dtype", parameter, Kind::kDType});
    const std::vector<std::string_view> p = split_sizes(x.shape), q = split_sizes(y.shape);
    if (p.size() != q.size()) {
      found.push_back({path + ".shape", parameter, Kind::kRank});
      continue;
    }
    for (size_t d = 0; d < p.size(); ++d)
      if (p[d] != q[d]) found.push_back({path + ".shape[" + std::to_string(d) + ']', parameter, Kind::kShape});
  }
  out.insert(out.end(), found.begin(), found.end());
  return !found.empty();
}

bool same_keys(const Tree& a, const Tree& b) {
  for (size_t i = 0; i < a.children.size(); ++i)
    if (a.children[i].path != b.children[i].path) return false;
  return true;
}

void compare(const Tree& a, const Tree& b, std::vector<Difference>& out) {
  auto add = [&](std::string path, Kind kind) { out.push_back({std::move(path), a.parameter, kind}); };
  const Item &x = a.item, &y = b.item;
  if (x.token == Token::kAny || y.token == Token::kAny) return;
  if (x.token != y.token) {
    const bool both_literal = x.is_literal() && y.is_literal() && x.token != Token::kNone && y.token != Token::kNone;
    const bool both_structure = x.is_structure() && y.is_structure();
    return add(a.path, both_literal ? Kind::kValue : both_structure ? Kind::kStructure : Kind::kForm);
  }
  switch (x.token) {
    case Token::kContext:
      if (x.words[1] != y.words[1]) add("context.device", Kind::kContext);
      return;
    case Token::kTensor: return compare_specs(a, x.spec(), y.spec(), out);
    case Token::kVariable:
      if (x.trainable() != y.trainable()) add(a.path + ".trainable", Kind::kValue);
      if (x.alias() != y.alias()) add(a.path, Kind::kAlias);
      return compare_specs(a, x.spec(), y.spec(), out);
    case Token::kObject:
    case Token::kType:
      if (x.number != y.number) add(a.path, Kind::kObject);
      return;
    case Token::kCustom:  // a description, such as a RaggedTensorSpec: new objects of it are equal
      if (x.number != y.number && !compare_elements(a, b, out)) add(a.path, Kind::kForm);
      return;
    case Token::kCallable:
      if (x.number != y.number || x.payload != y.payload) return add(a.path, Kind::kCallable);
      break;
    case Token::kNamedTuple:
    case Token::kRecord:
      if (x.number != y.number) return add("type(" + a.path + ')', Kind::kStructure);
      break;
    case Token::kDict:
      if (x.payload != y.payload || !same_keys(a, b)) return add(a.path + ".keys()", Kind::kStructure);
      break;
    default:
      if (x.is_structure()) {
        if (x.payload != y.payload) return add("len(" + a.path + ')', Kind::kStructure);
      } else if (x.payload != y.payload || x.words.size() != y.words.size() ||
                 !std::equal(x.words.begin(), x.words.end(), y.words.begin())) {
        add(a.path, Kind::kValue);
      }
  }
  const size_t before = out.size();
  for (size_t i = 0; i < a.children.size() && i < b.children.size(); ++i) compare(a.children[i], b.children[i], out);
  // What consists of tensors has a description of another kind because these have other shapes.
  const bool described = !a.children.empty() && a.children[0].item.token == Token::kCustom &&
                         a.children[0].elements.empty();
  if (described && out.size() > before + 1 && out[before].path == a.children[0].path)
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(before));
}

void summarise(const Key& key, const Tree& tree, std::string& out) {
  const Item& item = tree.item;
  auto children = [&](const char* open, const char* close) {
    out += open;
    for (size_t i = 0; i < tree.children.size(); ++i) {
      if (i) out += ' ';
      summarise(key, tree.children[i], out);
    }
    out += close;
  };
  if (item.token == Token::kTensor || item.token == Token::kVariable) {
    if (item.token == Token::kVariable) out += "var ";
    if (item.spec().weak) out += "weak ";
    out += dtype_names(item.spec().dtype).abbreviation;
    out += '[' + sizes_text(item.spec()) + ']';
  } else if (!tree.children.empty() && !tree.children[0].elements.empty()) {
    out += leaf_of(key, tree.children[0].item).value;  // its parts are handles, which say nothing
  } else if (item.token == Token::kList || item.token == Token::kSet) {
    children("[", "]");
  } else if (item.token == Token::kTuple || item.token == Token::kSlice) {
    children("(", ")");
  } else if (item.token == Token::kDict) {
    // "{a: f32[3]}": calls that differ in their keys alone have other signatures.
    out += '{';
    for (size_t i = 0; i < tree.children.size(); ++i) {
      const Tree& child = tree.children[i];
      std::string name = child.path.substr(tree.path.size());
      if (name.size() > 1) name = name.substr(1, name.size() - 2);  // without brackets
      if (name.size() > 1 && name.front() == '\'' && name.back() == '\'') name = name.substr(1, name.size() - 2);
      out += (i ? " " : "") + name + ": ";
      summarise(key, child, out);
    }
    out += '}';
  } else if (item.token == Token::kNamedTuple || item.token == Token::kRecord) {
    const std::string name = name_of_number(key, item.number);
    children((name.substr(0, name.find('(')) + '(').c_str(), ")");
  } else {
    out += leaf_of(key, item).value;
  }
}

const char* word_for(Kind kind) {
  switch (kind) {
    case Kind::kValue: return "value of ";
    case Kind::kShape: return "shape of ";
    case Kind::kRank: return "rank of ";
    case Kind::kDType: return "dtype of ";
    case Kind::kWeakType: return "weak type of ";
    case Kind::kPlacement: return "placement of ";
    case Kind::kForm: return "kind of ";
    case Kind::kStructure: return "structure of ";
    case Kind::kObject: return "object in ";
    case Kind::kCallable: return "function in ";
    case Kind::kAlias: return "variables shared in ";
    case Kind::kContext: return "";
  }
  return "";
}

}  // namespace

std::vector<session::KeyLeaf> describe(const Key& key) {
  std::vector<session::KeyLeaf> leaves;
  for (const Tree& tree : trees(key)) flatten(key, tree, leaves);
  return leaves;
}

std::vector<ItemPlace> places(std::span<const uint64_t> words) {
  std::vector<ItemPlace> result;
  Key key;
  key.words.assign(words.begin(), words.end());
  for (const Tree& tree : trees(key)) flatten(tree, result);
  // The items were read from a copy of the words.
  for (ItemPlace& place : result) {
    size_t position = place.begin;
    place.item = read(words, position);
  }
  return result;
}

std::string summary(const Key& key) {
  std::string out;
  for (const Tree& tree : trees(key)) {
    if (tree.item.token == Token::kContext) continue;
    if (!out.empty()) out += ' ';
    summarise(key, tree, out);
  }
  return out;
}

std::vector<Difference> differences(const Key& a, const Key& b) {
  std::vector<Difference> out;
  const std::vector<Tree> x = trees(a), y = trees(b);
  for (size_t i = 0; i < x.size() && i < y.size(); ++i) compare(x[i], y[i], out);
  if (x.size() != y.size()) out.push_back({"len(args)", "", Difference::Kind::kStructure});
  return out;
}

std::string phrase(const std::vector<Difference>& all) {
  std::string out;
  std::vector<std::string> said;
  for (const Difference& difference : all) {
    std::string part = difference.kind == Kind::kContext
                           ? difference.path
                           : word_for(difference.kind) +
                                 (difference.parameter.empty() ? difference.path : difference.parameter);
    if (std::find(said.begin(), said.end(), part) != said.end()) continue;
    if (said.size() == 3) return out + ", ...";
    if (!out.empty()) out += ", ";
    out += part;
    said.push_back(std::move(part));
  }
  return out;
}

}  // namespace footlight::keys
