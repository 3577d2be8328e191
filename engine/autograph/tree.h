// Our own Python syntax tree: compact nodes in an arena, described by one table (kinds.inc), so that reading,
// writing, walking and printing are each written once. Nodes are never freed individually; subtrees may be shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::autograph {

#define FIELD(name, type)
#define NAMED(name, type, python)
#define NODE(kind, ...) k##kind,
enum class Kind : uint8_t {
#include "engine/autograph/kinds.inc"
};
#undef NODE
#undef FIELD
#undef NAMED

// at::If::test is the slot of an If's test.
namespace at {
#define FIELD(name, type) name
#define NAMED(name, type, python) name
#define NODE(kind, category, ...) \
  namespace kind {                \
  enum : uint8_t { __VA_ARGS__ }; \
  }
#include "engine/autograph/kinds.inc"
#undef NODE
#undef FIELD
#undef NAMED
}  // namespace at

enum class Category : uint8_t { kRoot, kStatement, kExpression, kPlaced, kPlain };  // kPlain: without a position
enum class FieldType : uint8_t {
  kNode, kOptional, kList, kOptionalList,  // kOptionalList: elements may be null
  kName, kOptionalName, kNameList,
  kConstant, kText, kInt, kOperator, kOperatorList,
};

struct FieldInfo {
  const char* name;
  FieldType type;
};
inline constexpr int kMaxFields = 7;
struct KindInfo {
  const char* name;
  Category category;
  uint8_t field_count;
  FieldInfo fields[kMaxFields];
};
inline constexpr int kKindCount = static_cast<int>(Kind::kTypeVarTuple) + 1;
extern const KindInfo kinds[kKindCount];
inline const KindInfo& info(Kind kind) { return kinds[static_cast<int>(kind)]; }

// Contexts and operators, in one numbering.
enum class Op : uint8_t {
  kLoad, kStore, kDel,
  kAnd, kOr,
  kAdd, kSub, kMult, kMatMult, kDiv, kMod, kPow, kLShift, kRShift, kBitOr, kBitXor, kBitAnd, kFloorDiv,
  kInvert, kNot, kUAdd, kUSub,
  kEq, kNotEq, kLt, kLtE, kGt, kGtE, kIs, kIsNot, kIn, kNotIn,
};
inline constexpr int kOpCount = static_cast<int>(Op::kNotIn) + 1;
extern const char* const op_names[kOpCount];    // "Load", "Add": CPython's class names
extern const char* const op_symbols[kOpCount];  // "+", "not in"

// An identifier, one object per distinct spelling in a tree; `id` is dense.
struct Name {
  std::string_view text;
  uint32_t id = 0;
  bool generated = false;   // made by a conversion, so not one of the user's names
  void* handle = nullptr;   // the host's object for it, owned by the host
};

enum class ConstantKind : uint8_t { kNone, kTrue, kFalse, kEllipsis, kNumber, kString, kBytes };
struct Constant {
  ConstantKind kind = ConstantKind::kNone;
  void* handle = nullptr;  // the host's object, owned by the host; null: the node was made here
  std::string_view text;   // string: its characters in UTF-8 (surrogates encoded too); number, bytes: as
                           // Python prints it
  int64_t integer = 0;     // a number, if the node was made here
};

struct Node;
template <class T>
struct Sequence {
  uint32_t size = 0;
  T* items = nullptr;
  T& operator[](uint32_t i) const { return items[i]; }
  T* begin() const { return items; }
  T* end() const { return items + size; }
  bool empty() const { return size == 0; }
};
using List = Sequence<Node*>;
using NameList = Sequence<Name*>;
using OpList = Sequence<Op>;

union Slot {
  Node* node;
  const List* list;
  Name* name;
  const NameList* names;
  const OpList* ops;
  const Constant* constant;
  const std::string_view* text;
  int64_t integer;
  Op op;
};

struct Position {
  uint32_t line = 0, column = 0, end_line = 0,
           end_column = 0;  // as CPython counts: lines from 1, columns in bytes from 0
};

struct Node {
  Kind kind;
  uint8_t mark = 0;     // scratch mark, used by one pass at a time
  uint16_t flags = 0;   // NodeFlag
  uint32_t number = 0;  // dense in its tree
  Position at;

  Slot* fields() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* fields() const { return reinterpret_cast<const Slot*>(this + 1); }
  Node*& node(int i) { return fields()[i].node; }
  Node* node(int i) const { return fields()[i].node; }
  const List& list(int i) const { return *fields()[i].list; }
  Name* name(int i) const { return fields()[i].name; }
  const NameList& names(int i) const { return *fields()[i].names; }
  const OpList& ops(int i) const { return *fields()[i].ops; }
  const Constant& constant(int i) const { return *fields()[i].constant; }
  int64_t integer(int i) const { return fields()[i].integer; }
  Op op(int i) const { return fields()[i].op; }
  std::string_view text(int i) const { return fields()[i].text ? *fields()[i].text : std::string_view(); }
};
static_assert(sizeof(Node) % alignof(Slot) == 0);

// What only the host (CPython's bridge) can tell.
struct Host {
  bool (*is_printable)(char32_t) = nullptr;  // null: everything past ASCII is
};

class Tree {
 public:
  Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void* allocate(size_t bytes);
  std::string_view keep(std::string_view text);

  Name* name(std::string_view text);            // interned
  Name* fresh(std::string_view wanted);         // "wanted", "wanted_1", ...: an unused one; generated
  uint32_t name_count() const { return static_cast<uint32_t>(names_.size()); }
  Name* name_at(uint32_t id) const { return names_[id]; }

  Node* make(Kind kind, Position at);           // slots zeroed, lists empty
  uint32_t node_count() const { return node_count_; }
  Node* copy(const Node* node);                 // shallow

  const List* list(const std::vector<Node*>& items) { return list(items.data(), items.size()); }
  const List* list(std::initializer_list<Node*> items) { return list(items.begin(), items.size()); }
  const List* list(Node* const* items, size_t count);
  const NameList* name_list(Name* const* items, size_t count);
  const OpList* op_list(const Op* items, size_t count);
  const Constant* constant(ConstantKind kind, std::string_view text = {}, int64_t integer = 0);
  const std::string_view* text(std::string_view text);

  // Builders for the nodes that conversions make most often.
  Node* load(Name* id, Position at) { return name_node(id, Op::kLoad, at); }
  Node* store(Name* id, Position at) { return name_node(id, Op::kStore, at); }
  Node* name_node(Name* id, Op context, Position at);
  Node* attribute(Node* value, std::string_view attr, Position at);
  Node* call(Node* func, std::initializer_list<Node*> args, Position at) { return call(func, list(args), at); }
  Node* call(Node* func, const List* args, Position at);
  Node* none(Position at) { return constant_node(ConstantKind::kNone, {}, 0, at); }
  Node* boolean(bool value, Position at) {
    return constant_node(value ? ConstantKind::kTrue : ConstantKind::kFalse, {}, 0, at);
  }
  Node* integer(int64_t value, Position at) { return constant_node(ConstantKind::kNumber, {}, value, at); }
  Node* string(std::string_view value, Position at) { return constant_node(ConstantKind::kString, value, 0, at); }
  Node* tuple(const List* elts, Op context, Position at);
  Node* assign(Node* target, Node* value, Position at);
  Node* expression(Node* value, Position at);
  Node* pass(Position at) { return make(Kind::kPass, at); }
  Node* arguments(std::initializer_list<Name*> names, Position at);
  Node* function(Name* id, Node* arguments, const List* body, Position at);
  Node* lambda(Node* body, Position at);
  Node* unary(Op op, Node* operand, Position at);

  Host host;

 private:
  Node* constant_node(ConstantKind kind, std::string_view text, int64_t integer, Position at);

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
  uint32_t node_count_ = 0;
  std::vector<Name*> names_;
  std::unordered_map<std::string_view, Name*> by_text_;
  std::unordered_map<std::string, uint32_t> numbers_;  // the last one that fresh() gave
};

extern const List kEmptyList;
extern const NameList kEmptyNames;

inline bool is(const Node* node, Kind kind) { return node && node->kind == kind; }
inline bool is_function(const Node* node) { return is(node, Kind::kFunctionDef) || is(node, Kind::kAsyncFunctionDef); }

// Calls `visit(child)` for every child node, in source order of the fields.
template <class Visit>
void for_each_child(const Node* node, Visit&& visit) {
  const KindInfo& kind = info(node->kind);
  for (int i = 0; i < kind.field_count; ++i) {
    switch (kind.fields[i].type) {
      case FieldType::kNode:
      case FieldType::kOptional:
        if (Node* child = node->node(i)) visit(child);
        break;
      case FieldType::kList:
      case FieldType::kOptionalList:
        for (Node* child : node->list(i))
          if (child) visit(child);
        break;
      default:
        break;
    }
  }
}

}  // namespace footlight::autograph
