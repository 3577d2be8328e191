// The analysis by kinds of nodes: everything that is not named here is refused.
#include "engine/autograph/self_contained.h"
#include "engine/autograph/name_set.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace footlight::autograph {

namespace {

using Texts = std::initializer_list<std::string_view>;
bool is_one_of(std::string_view text, Texts texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

class Look {
 public:
  // `loop`: the names that it uses are all looked up where it runs.
  Look(SelfContained& found, bool loop) : found_(found), loop_(loop) {}

  // `outer`: what the functions around it bind.
  bool function(const Node* node, const NameSet& outer = {}) {
    const bool is_lambda = is(node, Kind::kLambda);
    if (!is_lambda && !is(node, Kind::kFunctionDef)) return false;
    NameSet bound = outer;
    const Node* given = node->node(is_lambda ? +at::Lambda::args : +at::FunctionDef::args);
    for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs})
      for (const Node* one : given->list(slot)) bound.add(one->name(at::arg::arg));
    for (const int slot : {+at::arguments::vararg, +at::arguments::kwarg})
      if (const Node* one = given->node(slot)) bound.add(one->name(at::arg::arg));
    if (is_lambda) {
      bind(node->node(at::Lambda::body), bound, false);
      return see(node->node(at::Lambda::body), bound);
    }
    NameSet made;
    for (const Node* one : node->list(at::FunctionDef::body)) {
      bind(one, bound, false);
      functions_in(one, made);
    }
    for (const Node* one : node->list(at::FunctionDef::body))
      if (!shares_only(one, outer)) return false;
    return all(node->list(at::FunctionDef::body), bound) &&
           std::ranges::all_of(node->list(at::FunctionDef::body),
                               [&](const Node* one) { return only_called(one, made); });
  }

  bool loop(const Node* node) {
    if (is(node, Kind::kWhile))
      return see(node->node(at::While::test), {}) && all(node->list(at::While::body), {});
    return see(node->node(at::For::target), {}) && consumed(node->node(at::For::iter), {}) &&
           all(node->list(at::For::body), {});
  }

 private:
  static bool is_comprehension(const Node* node) {
    return is(node, Kind::kListComp) || is(node, Kind::kSetComp) || is(node, Kind::kDictComp) ||
           is(node, Kind::kGeneratorExp);
  }

  // Whether inner functions are only called: one that is read otherwise might run later, with any arguments.
  static bool only_called(const Node* node, const NameSet& made) {
    if (is(node, Kind::kName)) return node->op(at::Name::ctx) == Op::kStore || !made.has(node->name(at::Name::id));
    const Node* const callee = is(node, Kind::kCall) ? node->node(at::Call::func) : nullptr;
    bool fine = true;
    for_each_child(node, [&](const Node* child) {
      fine = fine && ((child == callee && is(child, Kind::kName)) || only_called(child, made));
    });
    return fine;
  }

  // Whether its nonlocal variables belong to functions that are checked, too.
  static bool shares_only(const Node* node, const NameSet& outer) {
    if (is(node, Kind::kNonlocal))
      return std::ranges::all_of(node->names(at::Nonlocal::names), [&](const Name* one) { return outer.has(one); });
    bool fine = true;
    if (!is(node, Kind::kFunctionDef))
      for_each_child(node, [&](const Node* child) { fine = fine && shares_only(child, outer); });
    return fine;
  }

  static void functions_in(const Node* node, NameSet& made) {
    if (is(node, Kind::kFunctionDef)) made.add(node->name(at::FunctionDef::name));
    for_each_child(node, [&](const Node* child) { functions_in(child, made); });
  }

  // def f(...): ... inside of a function.
  bool made_inside(const Node* node, const NameSet& bound) {
    if (loop_ || !node->list(at::FunctionDef::decorator_list).empty()) return false;
    const Node* given = node->node(at::FunctionDef::args);
    if (!all(given->list(at::arguments::defaults), bound) || !all(given->list(at::arguments::kw_defaults), bound))
      return false;
    const int handlers = std::exchange(handlers_, 0);
    const bool fine = function(node, bound);
    handlers_ = handlers;
    return fine;
  }

  // Adds what a statement or expression binds in its function. Within a comprehension, only := binds there.
  static void bind(const Node* node, NameSet& bound, bool inside_comprehension) {
    if (is(node, Kind::kFunctionDef)) return bound.add(node->name(at::FunctionDef::name));
    if (is(node, Kind::kNamedExpr)) bound.add(node->node(at::NamedExpr::target)->name(at::Name::id));
    if (is(node, Kind::kName) && node->op(at::Name::ctx) != Op::kLoad && !inside_comprehension)
      bound.add(node->name(at::Name::id));
    if (is(node, Kind::kExceptHandler) && node->name(at::ExceptHandler::name))
      bound.add(node->name(at::ExceptHandler::name));
    const int in_pattern = is(node, Kind::kMatchAs)        ? +at::MatchAs::name
                           : is(node, Kind::kMatchStar)    ? +at::MatchStar::name
                           : is(node, Kind::kMatchMapping) ? +at::MatchMapping::rest
                                                           : -1;
    if (in_pattern >= 0 && node->name(in_pattern)) bound.add(node->name(in_pattern));
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

  // They run later what they are given.
  static bool is_lazy(std::string_view name) { return is_one_of(name, {"map", "filter"}); }

  // Whether a value, which may be lazy, is consumed at once.
  bool consumed(const Node* node, const NameSet& bound) {
    if (is(node, Kind::kGeneratorExp)) return comprehension(node, bound);
    if (!is(node, Kind::kCall)) return see(node, bound);
    const std::string_view called = builtin_called(node, bound);
    if (!is_lazy(called) && !is_one_of(called, {"enumerate", "zip", "reversed"})) return see(node, bound);
    return call_builtin(node, called, bound);
  }

  // sum(...): a name that is none of the function's.
  static std::string_view builtin_called(const Node* call, const NameSet& bound) {
    const Node* func = call->node(at::Call::func);
    if (!is(func, Kind::kName) || bound.has(func->name(at::Name::id))) return {};
    return func->name(at::Name::id)->text;
  }

  bool call_builtin(const Node* call, std::string_view name, const NameSet& bound) {
    note(found_.globals, name);
    note(found_.builtins, name);
    const List& args = call->list(at::Call::args);
    return all(call->list(at::Call::keywords), bound) &&
           std::all_of(args.begin(), args.end(), [&](const Node* one) { return consumed(one, bound); });
  }

  bool call(const Node* node, const NameSet& bound) {
    const std::string_view called = builtin_called(node, bound);
    const List& args = node->list(at::Call::args);
    if (called == "iter") {
      if (args.size != 1 || is(args[0], Kind::kStarred) || !see(args[0], bound)) return false;  // iter(function, end)
      return call_builtin(node, called, bound);
    }
    if (is_one_of(called, {"sum", "any", "all", "min", "max", "sorted", "list", "tuple", "set", "frozenset", "dict"}))
      return call_builtin(node, called, bound);
    const Node* func = node->node(at::Call::func);
    const bool joins = is(func, Kind::kAttribute) && is(func->node(at::Attribute::value), Kind::kConstant) &&
                       func->name(at::Attribute::attr)->text == "join" && args.size == 1;
    return joins ? consumed(args[0], bound) : children(node, bound);
  }

  bool comprehension(const Node* node, const NameSet& bound) {
    const bool dict = is(node, Kind::kDictComp);
    const List& generators = node->list(dict ? +at::DictComp::generators : +at::ListComp::generators);
    if (!consumed(generators[0]->node(at::comprehension::iter), bound)) return false;  // the first is read outside
    NameSet inner = bound;
    for (const Node* one : generators) bind(one->node(at::comprehension::target), inner, false);
    return children(node, inner);
  }

  bool see(const Node* node, const NameSet& bound) {
    switch (node->kind) {
      case Kind::kName: {
        const Name* name = node->name(at::Name::id);
        if (bound.has(name)) return true;
        if (!loop_ && node->op(at::Name::ctx) != Op::kLoad) return false;
        if (is_lazy(name->text) || name->text == "iter") return false;  // but where it is called
        note(found_.globals, name->text);
        return true;
      }
      case Kind::kAttribute: {
        const std::string_view name = node->name(at::Attribute::attr)->text;
        // Prefixes of attributes of frames, code, generators and tracebacks.
        constexpr std::string_view kInner[] = {"gi_", "f_", "tb_", "co_", "cr_", "ag_", "func_"};
        if (name.starts_with("__") ||
            std::any_of(std::begin(kInner), std::end(kInner), [&](auto part) { return name.starts_with(part); }))
          return false;
        const Node* of = node->node(at::Attribute::value);
        // Only attributes of objects are set; those of functions, classes and modules are globals.
        if (!loop_ && node->op(at::Attribute::ctx) != Op::kLoad && is(of, Kind::kName) &&
            !bound.has(of->name(at::Name::id)))
          return false;
        note(found_.attributes, name);
        return see(of, bound);
      }
      case Kind::kListComp:
      case Kind::kSetComp:
      case Kind::kDictComp: return comprehension(node, bound);
      case Kind::kcomprehension:
        return !node->integer(at::comprehension::is_async) && see(node->node(at::comprehension::target), bound) &&
               consumed(node->node(at::comprehension::iter), bound) && all(node->list(at::comprehension::ifs), bound);
      case Kind::kFor:
        return see(node->node(at::For::target), bound) && consumed(node->node(at::For::iter), bound) &&
               all(node->list(at::For::body), bound) && all(node->list(at::For::orelse), bound);
      case Kind::kAnnAssign: {
        const Node* value = node->node(at::AnnAssign::value);
        return node->integer(at::AnnAssign::simple) && see(node->node(at::AnnAssign::target), bound) &&
               (!value || see(value, bound));
      }
      case Kind::kCall: return call(node, bound);
      case Kind::kRaise:
        found_.raises = true;
        return (node->node(at::Raise::exc) || handlers_) && children(node, bound);  // else of what was raised outside
      case Kind::kAssert: found_.raises = true; return children(node, bound);
      case Kind::kFunctionDef: return made_inside(node, bound);
      case Kind::kNonlocal: return !loop_;  // shares_only checks the functions
      case Kind::kExceptHandler: {
        ++handlers_;
        const bool fine = children(node, bound);
        --handlers_;
        return fine;
      }
      case Kind::kReturn:
      case Kind::kDelete:
      case Kind::kAssign:
      case Kind::kAugAssign:
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
      case Kind::kFormattedValue:
      case Kind::kJoinedStr:
      case Kind::kConstant:
      case Kind::kSubscript:
      case Kind::kStarred:
      case Kind::kList:
      case Kind::kTuple:
      case Kind::kSlice:
      case Kind::kMatch:
      case Kind::kmatch_case:
      case Kind::kMatchValue:
      case Kind::kMatchSingleton:
      case Kind::kMatchSequence:
      case Kind::kMatchMapping:
      case Kind::kMatchStar:
      case Kind::kMatchAs:
      case Kind::kMatchOr:
      case Kind::kkeyword: return children(node, bound);
      default: return false;
    }
  }

  SelfContained& found_;
  const bool loop_;
  int handlers_ = 0;  // nesting of exception handlers
};

}  // namespace

SelfContained self_contained(const Node* function) {
  SelfContained found;
  Look look(found, false);
  found.yes = look.function(function);
  return found;
}

SelfContained self_contained_loop(const Node* loop) {
  SelfContained found;
  Look look(found, true);
  found.yes = look.loop(loop);
  return found;
}

}  // namespace footlight::autograph
