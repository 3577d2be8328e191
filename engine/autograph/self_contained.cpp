// The analysis by kinds of nodes: everything that is not named here is refused.
#include "engine/autograph/self_contained.h"
#include "engine/autograph/name_set.h"

#include <algorithm>
#include <functional>

namespace footlight::autograph {

namespace {

class Look {
 public:
  explicit Look(SelfContained& found) : found_(found) {}

  bool function(const Node* node) {
    const bool is_lambda = is(node, Kind::kLambda);
    if (!is_lambda && !is(node, Kind::kFunctionDef)) return false;
    NameSet bound;
    const Node* given = node->node(is_lambda ? +at::Lambda::args : +at::FunctionDef::args);
    for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs})
      for (const Node* one : given->list(slot)) bound.add(one->name(at::arg::arg));
    for (const int slot : {+at::arguments::vararg, +at::arguments::kwarg})
      if (const Node* one = given->node(slot)) bound.add(one->name(at::arg::arg));
    if (is_lambda) {
      bind(node->node(at::Lambda::body), bound, false);
      return see(node->node(at::Lambda::body), bound);
    }
    for (const Node* one : node->list(at::FunctionDef::body)) bind(one, bound, false);
    return all(node->list(at::FunctionDef::body), bound);
  }

 private:
  static bool is_comprehension(const Node* node) {
    return is(node, Kind::kListComp) || is(node, Kind::kSetComp) || is(node, Kind::kDictComp) ||
           is(node, Kind::kGeneratorExp);
  }

  // What a statement or expression binds in its function. A comprehension binds there by := alone.
  static void bind(const Node* node, NameSet& bound, bool inside_comprehension) {
    if (is(node, Kind::kNamedExpr)) bound.add(node->node(at::NamedExpr::target)->name(at::Name::id));
    if (is(node, Kind::kName) && node->op(at::Name::ctx) != Op::kLoad && !inside_comprehension)
      bound.add(node->name(at::Name::id));
    if (is(node, Kind::kExceptHandler) && node->name(at::ExceptHandler::name))
      bound.add(node->name(at::ExceptHandler::name));
    const bool inside = inside_comprehension || is_comprehension(node);
    for_each_child(node, [&](const Node* child) { bind(child, bound, inside); });
  }

  static void note(std::vector<std::string>& names, std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }

  bool all(const List& list, const NameSet& bound) {
    return std::all_of(list.begin(), list.end(), [&](const Node* node) { return !node || see(node, bound); });
  }

  bool children(const Node* node, const NameSet& bound) {
    bool fine = true;
    for_each_child(node, [&](const Node* child) { fine = fine && see(child, bound); });
    return fine;
  }

  bool see(const Node* node, const NameSet& bound) {
    switch (node->kind) {
      case Kind::kName: {
        const Name* name = node->name(at::Name::id);
        if (bound.has(name)) return true;
        if (node->op(at::Name::ctx) != Op::kLoad) return false;
        note(found_.globals, name->text);
        return true;
      }
      case Kind::kAttribute: {
        const std::string_view name = node->name(at::Attribute::attr)->text;
        // Of frames, code, generators and tracebacks.
        constexpr std::string_view kInner[] = {"gi_", "f_", "tb_", "co_", "cr_", "ag_", "func_"};
        if (name.starts_with("__") ||
            std::any_of(std::begin(kInner), std::end(kInner), [&](auto part) { return name.starts_with(part); }))
          return false;
        const Node* of = node->node(at::Attribute::value);
        // What is set is an object's; functions, classes and modules are globals.
        if (node->op(at::Attribute::ctx) != Op::kLoad && is(of, Kind::kName) && !bound.has(of->name(at::Name::id)))
          return false;
        note(found_.attributes, name);
        return see(of, bound);
      }
      case Kind::kListComp:
      case Kind::kSetComp:
      case Kind::kDictComp:
      case Kind::kGeneratorExp: {
        const bool dict = is(node, Kind::kDictComp);
        const List& generators = node->list(dict ? +at::DictComp::generators : +at::ListComp::generators);
        if (!see(generators[0]->node(at::comprehension::iter), bound)) return false;  // the first is read outside
        NameSet inner = bound;
        for (const Node* one : generators) bind(one->node(at::comprehension::target), inner, false);
        return children(node, inner);
      }
      case Kind::kcomprehension: return !node->integer(at::comprehension::is_async) && children(node, bound);
      case Kind::kRaise:
      case Kind::kAssert: found_.raises = true; return children(node, bound);
      case Kind::kReturn:
      case Kind::kDelete:
      case Kind::kAssign:
      case Kind::kAugAssign:
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kIf:
      case Kind::kTry:
      case Kind::kWith:
      case Kind::kwithitem:
      case Kind::kExpr:
      case Kind::kPass:
      case Kind::kBreak:
      case Kind::kContinue:
      case Kind::kBoolOp:
      case Kind::kNamedExpr:
      case Kind::kBinOp:
      case Kind::kUnaryOp:
      case Kind::kIfExp:
      case Kind::kDict:
      case Kind::kSet:
      case Kind::kCompare:
      case Kind::kCall:
      case Kind::kFormattedValue:
      case Kind::kJoinedStr:
      case Kind::kConstant:
      case Kind::kSubscript:
      case Kind::kStarred:
      case Kind::kList:
      case Kind::kTuple:
      case Kind::kSlice:
      case Kind::kExceptHandler:
      case Kind::kkeyword: return children(node, bound);
      default: return false;
    }
  }

  SelfContained& found_;
};

}  // namespace

SelfContained self_contained(const Node* function) {
  SelfContained found;
  Look look(found);
  found.yes = look.function(function);
  return found;
}

}  // namespace footlight::autograph
