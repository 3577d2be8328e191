// The table of node kinds, the arena, interned names and builders for common nodes.
#include "engine/autograph/tree.h"

#include <algorithm>
#include <cstring>

namespace footlight::autograph {

namespace {
template <class... Fields>
constexpr KindInfo describe(const char* name, Category category, Fields... fields) {
  return {name, category, sizeof...(fields), {fields...}};
}
}  // namespace
#define FIELD(name, type) FieldInfo{#name, FieldType::k##type}
#define NAMED(name, type, python) FieldInfo{python, FieldType::k##type}
#define NODE(kind, category, ...) describe(#kind, Category::k##category __VA_OPT__(, ) __VA_ARGS__),
const KindInfo kinds[kKindCount] = {
#include "engine/autograph/kinds.inc"
};
#undef NODE
#undef FIELD
#undef NAMED

const char* const op_names[kOpCount] = {
    "Load", "Store", "Del", "And", "Or", "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift",
    "BitOr", "BitXor", "BitAnd", "FloorDiv", "Invert", "Not", "UAdd", "USub", "Eq", "NotEq", "Lt", "LtE", "Gt",
    "GtE", "Is", "IsNot", "In", "NotIn"};
const char* const op_symbols[kOpCount] = {
    "", "", "", "and", "or", "+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//", "~", "not", "+",
    "-", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

const List kEmptyList;
const NameList kEmptyNames;
static const OpList kEmptyOps;

void* Tree::allocate(size_t bytes) {
  bytes = (bytes + 7) & ~size_t{7};
  if (bytes > left_) {
    const size_t chunk = std::max<size_t>(bytes, 16 * 1024);
    chunks_.emplace_back(new std::byte[chunk]);
    next_ = chunks_.back().get();
    left_ = chunk;
  }
  void* at = next_;
  next_ += bytes;
  left_ -= bytes;
  return at;
}

std::string_view Tree::keep(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(allocate(text.size()));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

Name* Tree::name(std::string_view text) {
  if (auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  Name* name = new (allocate(sizeof(Name))) Name{keep(text), static_cast<uint32_t>(names_.size())};
  names_.push_back(name);
  by_text_.emplace(name->text, name);
  return name;
}

Name* Tree::fresh(std::string_view wanted) {
  std::string text(wanted);
  uint32_t& used = numbers_[text];
  while (by_text_.count(text)) text = std::string(wanted) + "_" + std::to_string(++used);
  Name* made = name(text);
  made->generated = true;
  return made;
}

Node* Tree::make(Kind kind, Position at) {
  const KindInfo& described = info(kind);
  void* memory = allocate(sizeof(Node) + described.field_count * sizeof(Slot));
  Node* node = new (memory) Node{kind, 0, 0, node_count_++, at};
  for (int i = 0; i < described.field_count; ++i) {
    Slot& slot = node->fields()[i];
    slot.integer = 0;
    switch (described.fields[i].type) {
      case FieldType::kList:
      case FieldType::kOptionalList: slot.list = &kEmptyList; break;
      case FieldType::kNameList: slot.names = &kEmptyNames; break;
      case FieldType::kOperatorList: slot.ops = &kEmptyOps; break;
      default: break;
    }
  }
  return node;
}

Node* Tree::copy(const Node* node) {
  const size_t bytes = sizeof(Node) + info(node->kind).field_count * sizeof(Slot);
  Node* made = static_cast<Node*>(allocate(bytes));
  std::memcpy(static_cast<void*>(made), node, bytes);
  made->number = node_count_++;
  return made;
}

namespace {
template <class T>
const Sequence<T>* sequence(Tree& tree, const T* items, size_t count) {
  T* copy = static_cast<T*>(tree.allocate(count * sizeof(T)));
  std::copy(items, items + count, copy);
  return new (tree.allocate(sizeof(Sequence<T>))) Sequence<T>{static_cast<uint32_t>(count), copy};
}
}  // namespace

const List* Tree::list(Node* const* items, size_t count) {
  return count ? sequence<Node*>(*this, items, count) : &kEmptyList;
}
const NameList* Tree::name_list(Name* const* items, size_t count) {
  return count ? sequence<Name*>(*this, items, count) : &kEmptyNames;
}
const OpList* Tree::op_list(const Op* items, size_t count) { return sequence<Op>(*this, items, count); }

const Constant* Tree::constant(ConstantKind kind, std::string_view text, int64_t integer) {
  return new (allocate(sizeof(Constant))) Constant{kind, nullptr, keep(text), integer};
}
const std::string_view* Tree::text(std::string_view text) {
  return new (allocate(sizeof(std::string_view))) std::string_view(keep(text));
}

Node* Tree::name_node(Name* id, Op context, Position at) {
  Node* node = make(Kind::kName, at);
  node->fields()[at::Name::id].name = id;
  node->fields()[at::Name::ctx].op = context;
  return node;
}

Node* Tree::attribute(Node* value, std::string_view attr, Position at) {
  Node* node = make(Kind::kAttribute, at);
  node->node(at::Attribute::value) = value;
  node->fields()[at::Attribute::attr].name = name(attr);
  node->fields()[at::Attribute::ctx].op = Op::kLoad;
  return node;
}

Node* Tree::call(Node* func, const List* args, Position at) {
  Node* node = make(Kind::kCall, at);
  node->node(at::Call::func) = func;
  node->fields()[at::Call::args].list = args;
  return node;
}

Node* Tree::constant_node(ConstantKind kind, std::string_view text, int64_t integer, Position at) {
  Node* node = make(Kind::kConstant, at);
  node->fields()[at::Constant::value].constant = constant(kind, text, integer);
  return node;
}

Node* Tree::tuple(const List* elts, Op context, Position at) {
  Node* node = make(Kind::kTuple, at);
  node->fields()[at::Tuple::elts].list = elts;
  node->fields()[at::Tuple::ctx].op = context;
  return node;
}

Node* Tree::assign(Node* target, Node* value, Position at) {
  Node* node = make(Kind::kAssign, at);
  node->fields()[at::Assign::targets].list = list({target});
  node->node(at::Assign::value) = value;
  return node;
}

Node* Tree::expression(Node* value, Position at) {
  Node* node = make(Kind::kExpr, at);
  node->node(at::Expr::value) = value;
  return node;
}

Node* Tree::arguments(std::initializer_list<Name*> names, Position at) {
  Node* node = make(Kind::karguments, at);
  std::vector<Node*> args;
  for (Name* name : names) {
    Node* arg = make(Kind::karg, at);
    arg->fields()[at::arg::arg].name = name;
    args.push_back(arg);
  }
  node->fields()[at::arguments::args].list = list(args);
  return node;
}

Node* Tree::function(Name* id, Node* arguments, const List* body, Position at) {
  Node* node = make(Kind::kFunctionDef, at);
  node->fields()[at::FunctionDef::name].name = id;
  node->node(at::FunctionDef::args) = arguments;
  node->fields()[at::FunctionDef::body].list = body;
  return node;
}

Node* Tree::lambda(Node* body, Position at) {
  Node* node = make(Kind::kLambda, at);
  node->node(at::Lambda::args) = arguments({}, at);
  node->node(at::Lambda::body) = body;
  return node;
}

Node* Tree::unary(Op op, Node* operand, Position at) {
  Node* node = make(Kind::kUnaryOp, at);
  node->fields()[at::UnaryOp::op].op = op;
  node->node(at::UnaryOp::operand) = operand;
  return node;
}

}  // namespace footlight::autograph
