// One walk over the statements of a scope per question, following a single name: the set of definitions that reach a
// statement is a word of bits.
#include "engine/autograph/definitions.h"

#include "engine/autograph/activity.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footlight::autograph {
namespace {

constexpr size_t kMaxDefinitions = 64;
constexpr uint32_t kMaxSteps = 200'000;

bool is_scope(const Node* node) { return is_function(node) || is(node, Kind::kLambda) || is(node, Kind::kClassDef); }

bool is_loop(const Node* node) { return is(node, Kind::kFor) || is(node, Kind::kAsyncFor) || is(node, Kind::kWhile); }

bool is_comprehension(const Node* node) {
  return is(node, Kind::kListComp) || is(node, Kind::kSetComp) || is(node, Kind::kDictComp) ||
         is(node, Kind::kGeneratorExp);
}

const List& generators_of(const Node* node) {
  return node->list(is(node, Kind::kDictComp) ? +at::DictComp::generators : +at::ListComp::generators);
}

const Node* arguments_of(const Node* function) {
  return function->node(is(function, Kind::kLambda) ? +at::Lambda::args : +at::FunctionDef::args);
}

// Methods that change the object they are called on.
bool changes_object(std::string_view method) {
  for (const std::string_view name : {"append", "extend", "insert", "pop", "popleft", "appendleft", "remove", "clear",
                                      "update", "add", "discard", "setdefault", "sort", "reverse", "popitem"})
    if (method == name) return true;
  return false;
}

// Finds what one statement defines of a name; `base` is the name's first part.
class Follower {
 public:
  Follower(Tree& tree, const Name* key, const Name* base) : tree_(tree), key_(key), base_(base) {}

  struct Bound {
    uint64_t bits = 0;
    bool replaces = false;  // earlier definitions end here
  };

  // What a statement's own targets and expressions bind, without the statements in its blocks.
  Bound bound_by(const Node* s) {
    bound_ = {};
    statement_ = s;
    for_each_child(s, [&](const Node* child) {
      const Category category = info(child->kind).category;
      if (category != Category::kStatement && !is(child, Kind::kExceptHandler) && !is(child, Kind::kmatch_case))
        walrus(child);
    });
    switch (s->kind) {
      case Kind::kAssign:
        for (const Node* target : s->list(at::Assign::targets))
          bind(target, s->node(at::Assign::value), Definition::Kind::kValue, {});
        break;
      case Kind::kAugAssign:
        bind(s->node(at::AugAssign::target), s->node(at::AugAssign::value), Definition::Kind::kOther, {});
        break;
      case Kind::kAnnAssign:
        if (const Node* value = s->node(at::AnnAssign::value))
          bind(s->node(at::AnnAssign::target), value, Definition::Kind::kValue, {});
        break;
      case Kind::kFor:
      case Kind::kAsyncFor:
        bind(s->node(at::For::target), s->node(at::For::iter), Definition::Kind::kLoop, {});
        break;
      case Kind::kWith:
      case Kind::kAsyncWith:
        for (const Node* item : s->list(at::With::items))
          if (const Node* target = item->node(at::withitem::optional_vars))
            bind(target, item->node(at::withitem::context_expr), Definition::Kind::kValue, {});
        break;
      case Kind::kImport:
      case Kind::kImportFrom:
        for (const Node* alias : s->list(s->kind == Kind::kImport ? +at::Import::names : +at::ImportFrom::names)) {
          const Name* as = alias->name(at::alias::asname);
          const std::string_view whole = alias->name(at::alias::name)->text;
          if (as ? as == base_ : whole.substr(0, whole.find('.')) == base_->text)
            add(s, Definition::Kind::kOther, nullptr, {}, true);
        }
        break;
      case Kind::kFunctionDef:
      case Kind::kAsyncFunctionDef:
        if (s->name(at::FunctionDef::name) == base_) add(s, Definition::Kind::kOther, nullptr, {}, true);
        break;
      case Kind::kClassDef:
        if (s->name(at::ClassDef::name) == base_) add(s, Definition::Kind::kOther, nullptr, {}, true);
        break;
      case Kind::kExpr: changed_by(s->node(at::Expr::value)); break;
      case Kind::kMatch:
        for (const Node* one : s->list(at::Match::cases)) pattern(one->node(at::match_case::pattern));
        break;
      case Kind::kTry:
      case Kind::kTryStar:
        for (const Node* handler : s->list(at::Try::handlers))
          if (handler->name(at::ExceptHandler::name) == base_)
            add(handler, Definition::Kind::kOther, nullptr, {}, false);
        break;
      default: break;
    }
    return bound_;
  }

  // All definitions in these statements, with those of inner functions that say `global` or `nonlocal`.
  uint64_t all_in(const List& statements, bool inner = false) {
    uint64_t bits = 0;
    for (const Node* s : statements) {
      if (++steps > kMaxSteps) return bits;
      if (!inner || shares_) bits |= bound_by(s).bits;
      const bool function = is_function(s);
      if (is(s, Kind::kClassDef)) {
        const bool before = std::exchange(shares_, false);
        bits |= all_in(s->list(at::ClassDef::body), true);
        shares_ = before;
        continue;
      }
      if (function) {
        const List& body = s->list(at::FunctionDef::body);
        const bool before = std::exchange(shares_, declares_outer(body));
        bits |= all_in(body, true);
        shares_ = before;
        continue;
      }
      for_each_block(s, [&](const List& block) { bits |= all_in(block, inner); });
    }
    return bits;
  }

  // An attribute of an object that several functions share.
  uint64_t all_stores_in(const Node* node) {
    uint64_t bits = 0;
    if (++steps > kMaxSteps) return bits;
    if (info(node->kind).category == Category::kStatement) bits |= bound_by(node).bits;
    for_each_child(node, [&](const Node* child) {
      if (info(child->kind).category != Category::kExpression) bits |= all_stores_in(child);
    });
    return bits;
  }

  bool declares_outer(const List& body) const {
    bool found = false;
    for (const Node* s : body) {
      if (is(s, Kind::kGlobal) || is(s, Kind::kNonlocal))
        for (const Name* name : s->names(at::Global::names)) found |= name == base_;
      for_each_block(s, [&](const List& block) { found |= declares_outer(block); });
    }
    return found;
  }

  uint64_t parameter(const Node* function) {
    const Node* arguments = arguments_of(function);
    uint64_t bits = 0;
    const auto check = [&](const Node* arg, const Node* otherwise) {
      if (arg && arg->name(at::arg::arg) == base_)
        bits |= add(arg, Definition::Kind::kParameter, otherwise, {}, true, function);
    };
    std::vector<const Node*> plain;
    for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args})
      for (const Node* arg : arguments->list(slot)) plain.push_back(arg);
    const List& defaults = arguments->list(at::arguments::defaults);
    for (size_t i = 0; i < plain.size(); ++i) {
      const size_t from_end = plain.size() - i;
      check(plain[i], from_end <= defaults.size ? defaults[static_cast<uint32_t>(defaults.size - from_end)] : nullptr);
    }
    const List& named = arguments->list(at::arguments::kwonlyargs);
    for (uint32_t i = 0; i < named.size; ++i) {
      const List& others = arguments->list(at::arguments::kw_defaults);
      check(named[i], i < others.size ? others[i] : nullptr);
    }
    check(arguments->node(at::arguments::vararg), nullptr);
    check(arguments->node(at::arguments::kwarg), nullptr);
    return bits;
  }

  uint64_t loop_target(const Node* generator) {
    bound_ = {};
    statement_ = generator->node(at::comprehension::target);
    bind(statement_, generator->node(at::comprehension::iter), Definition::Kind::kLoop, {});
    return bound_.bits;
  }

  template <class Visit>
  static void for_each_block(const Node* s, Visit&& visit) {
    if (is_scope(s)) return;
    const KindInfo& kind = info(s->kind);
    for (int i = 0; i < kind.field_count; ++i) {
      if (kind.fields[i].type != FieldType::kList) continue;
      const List& list = s->list(i);
      if (list.empty()) continue;
      const Node* first = list[0];
      if (info(first->kind).category == Category::kStatement) visit(list);
      if (is(first, Kind::kExceptHandler))
        for (const Node* handler : list) visit(handler->list(at::ExceptHandler::body));
      if (is(first, Kind::kmatch_case))
        for (const Node* one : list) visit(one->list(at::match_case::body));
    }
  }

  std::vector<Definition> found;           // indexed by bit
  std::vector<const Node*> places;         // the statement of each
  uint32_t steps = 0;

 private:
  uint64_t add(const Node* place, Definition::Kind kind, const Node* value, std::vector<uint32_t> element,
               bool replaces, const Node* function = nullptr) {
    const auto [at, added] = bits_.try_emplace({place, element}, found.size());
    if (added) {
      if (found.size() == kMaxDefinitions) {
        bits_.erase(at);
        return 0;
      }
      Definition d{kind, place->at, value, std::move(element), function, base_};
      if (kind != Definition::Kind::kParameter && statement_ && is(statement_, Kind::kAssign)) d.at = statement_->at;
      found.push_back(std::move(d));
      places.push_back(place);
    }
    const uint64_t bit = uint64_t{1} << at->second;
    bound_.bits |= bit;
    bound_.replaces |= replaces;
    return bit;
  }

  void bind(const Node* target, const Node* value, Definition::Kind kind, std::vector<uint32_t> element) {
    switch (target->kind) {
      case Kind::kName:
        if (target->name(at::Name::id) == base_) add(target, kind, value, std::move(element), true);
        return;
      case Kind::kTuple:
      case Kind::kList: {
        const List& items = target->list(at::Tuple::elts);
        for (uint32_t i = 0; i < items.size; ++i) {
          std::vector<uint32_t> inner = element;
          inner.push_back(i);
          bind(items[i], value, kind, std::move(inner));
        }
        return;
      }
      case Kind::kStarred: return bind(target->node(at::Starred::value), nullptr, kind, std::move(element));
      case Kind::kAttribute:
      case Kind::kSubscript: {
        if (composite_name(tree_, target) == key_) return void(add(target, kind, value, std::move(element), true));
        if (!is(target, Kind::kSubscript)) return;
        const Node* inner = target->node(at::Subscript::value);
        if (name_of(inner) == key_) add(target, Definition::Kind::kOther, value, std::move(element), false);
        return;
      }
      default: return;
    }
  }

  const Name* name_of(const Node* node) const {
    return is(node, Kind::kName) ? node->name(at::Name::id) : composite_name(tree_, node);
  }

  void walrus(const Node* node) {
    if (is(node, Kind::kNamedExpr)) {
      const Node* target = node->node(at::NamedExpr::target);
      if (is(target, Kind::kName) && target->name(at::Name::id) == base_)
        add(node, Definition::Kind::kValue, node->node(at::NamedExpr::value), {}, false);
    }
    if (is_scope(node)) return;
    for_each_child(node, [&](const Node* child) { walrus(child); });
  }

  void changed_by(const Node* node) {
    if (!is(node, Kind::kCall)) return;
    const Node* function = node->node(at::Call::func);
    if (!is(function, Kind::kAttribute) || !changes_object(function->name(at::Attribute::attr)->text)) return;
    if (name_of(function->node(at::Attribute::value)) == key_)
      add(node, Definition::Kind::kOther, nullptr, {}, false);
  }

  void pattern(const Node* node) {
    const Name* name = is(node, Kind::kMatchAs)     ? node->name(at::MatchAs::name)
                       : is(node, Kind::kMatchStar) ? node->name(at::MatchStar::name)
                                                    : nullptr;
    if (name && name == base_) add(node, Definition::Kind::kOther, nullptr, {}, false);
    for_each_child(node, [&](const Node* child) { pattern(child); });
  }

  Tree& tree_;
  const Name *key_, *base_;
  const Node* statement_ = nullptr;
  Bound bound_;
  bool shares_ = false;  // all_in() is inside a function that declares `global` or `nonlocal`
  std::map<std::pair<const Node*, std::vector<uint32_t>>, size_t> bits_;
};

// Runs over the statements of one scope and notes what reaches `wanted`.
class Scope {
 public:
  Scope(Follower& follower, const Node* wanted) : follower_(follower), wanted_(wanted) {}

  struct State {
    uint64_t bits = 0;
    bool alive = true;
  };

  State run(const List& statements, State s) {
    for (const Node* statement : statements) {
      if (!s.alive) break;
      if (++follower_.steps > kMaxSteps) return s;
      s = run(statement, s);
      for (uint64_t* seen : in_try_) *seen |= s.bits;
    }
    return s;
  }

  uint64_t reaches = 0;

 private:
  struct Loop {
    State left{0, false}, next{0, false};
  };

  static State join(State a, State b) {
    if (!a.alive) return b;
    if (!b.alive) return a;
    return {a.bits | b.bits, true};
  }

  State bind(const Node* statement, State s) {
    const Follower::Bound bound = follower_.bound_by(statement);
    s.bits = bound.replaces ? bound.bits : s.bits | bound.bits;
    return s;
  }

  State run(const Node* node, State s) {
    if (node == wanted_ && !is_loop(node)) reaches |= s.bits;
    switch (node->kind) {
      case Kind::kReturn:
      case Kind::kRaise: return {0, false};
      case Kind::kBreak:
        if (!loops_.empty()) loops_.back()->left = join(loops_.back()->left, s);
        return {0, false};
      case Kind::kContinue:
        if (!loops_.empty()) loops_.back()->next = join(loops_.back()->next, s);
        return {0, false};
      case Kind::kIf: {
        s = bind(node, s);
        return join(run(node->list(at::If::body), s), run(node->list(at::If::orelse), s));
      }
      case Kind::kWhile:
      case Kind::kFor:
      case Kind::kAsyncFor: return loop(node, s);
      case Kind::kWith:
      case Kind::kAsyncWith: return run(node->list(at::With::body), bind(node, s));
      case Kind::kTry:
      case Kind::kTryStar: return attempt(node, s);
      case Kind::kMatch: {
        const State in = bind(node, s);
        State out = s;
        for (const Node* one : node->list(at::Match::cases)) out = join(out, run(one->list(at::match_case::body), in));
        return out;
      }
      default: return bind(node, s);
    }
  }

  State loop(const Node* node, State s) {
    const bool is_while = node->kind == Kind::kWhile;
    if (node == wanted_ && !is_while) reaches |= s.bits;
    State head = s, left{0, false};
    for (int turn = 0; turn < 3; ++turn) {
      if (node == wanted_ && is_while) reaches |= head.bits;
      Loop own;
      loops_.push_back(&own);
      const State end = run(node->list(is_while ? +at::While::body : +at::For::body), bind(node, head));
      loops_.pop_back();
      left = join(left, own.left);
      const State again = join(join(head, end), own.next);
      if (again.bits == head.bits) break;
      head = again;
    }
    return join(left, run(node->list(is_while ? +at::While::orelse : +at::For::orelse), head));
  }

  State attempt(const Node* node, State s) {
    uint64_t seen = s.bits;
    in_try_.push_back(&seen);
    State end = run(node->list(at::Try::body), s);
    in_try_.pop_back();
    end = run(node->list(at::Try::orelse), end);
    const uint64_t named = follower_.bound_by(node).bits;
    for (const Node* handler : node->list(at::Try::handlers))
      end = join(end, run(handler->list(at::ExceptHandler::body), {seen | named, true}));
    const List& last = node->list(at::Try::finalbody);
    if (last.empty()) return end;
    const State after = run(last, {end.alive ? end.bits | seen : seen, true});
    return end.alive ? after : State{0, false};
  }

  Follower& follower_;
  const Node* wanted_;
  std::vector<Loop*> loops_;
  std::vector<uint64_t*> in_try_;
};

bool ends_before(const Position& a, const Position& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

}  // namespace

Definitions::Definitions(Tree& tree, const Node* module) : tree_(tree), module_(module) {
  parents_.resize(tree.node_count() + 1, nullptr);
  std::vector<const Node*> open{module};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (is(node, Kind::kCall)) calls_.push_back(node);
    if (is_function(node) || is(node, Kind::kLambda)) functions_.push_back(node);
    for_each_child(node, [&](const Node* child) {
      if (child->number < parents_.size()) parents_[child->number] = node;
      open.push_back(child);
    });
  }
}

const Node* Definitions::call_ending_at(uint32_t line, uint32_t column) const {
  for (const Node* call : calls_)
    if (call->at.end_line == line && call->at.end_column == column) return call;
  return nullptr;
}

const Node* Definitions::function_at(uint32_t line, std::string_view name) const {
  for (const Node* function : functions_) {
    if (is(function, Kind::kLambda)) {
      if (name == "<lambda>" && function->at.line == line) return function;
      continue;
    }
    const List& decorators = function->list(at::FunctionDef::decorator_list);
    const uint32_t first = decorators.empty() ? function->at.line : decorators[0]->at.line;
    if (first == line && function->name(at::FunctionDef::name)->text == name) return function;
  }
  return nullptr;
}

const Node* Definitions::function_around(const Node* node) const {
  for (node = parents_[node->number]; node; node = parents_[node->number])
    if (is_function(node) || is(node, Kind::kLambda)) return node;
  return nullptr;
}

const Node* Definitions::base_of(const Node* read) {
  while (is(read, Kind::kAttribute) || is(read, Kind::kSubscript))
    read = read->node(is(read, Kind::kAttribute) ? +at::Attribute::value : +at::Subscript::value);
  return is(read, Kind::kName) ? read : nullptr;
}

std::vector<Definition> Definitions::of(const Node* read) const {
  const Node* first = base_of(read);
  if (!first) return {};
  const Name* base = first->name(at::Name::id);
  const Name* key = read == first ? base : composite_name(tree_, read);
  if (!key) key = base;
  Follower follower(tree_, key, base);
  uint64_t reached = 0;
  const auto in_body = [](const Node* child, const Node* scope) {  // not in its decorators, defaults, bases
    if (is(scope, Kind::kLambda)) return child == scope->node(at::Lambda::body);
    const List& body = scope->list(is(scope, Kind::kClassDef) ? +at::ClassDef::body : +at::FunctionDef::body);
    return std::ranges::find(body, child) != body.end();
  };
  const Node* statement = nullptr;     // around the read, in the innermost scope
  bool innermost = true, outer_only = false;
  const Node* owner = nullptr;         // the class around
  const Node* child = read;
  for (const Node* node = parents_[read->number]; node && !reached; child = node, node = parents_[node->number]) {
    if (!statement && info(child->kind).category == Category::kStatement) statement = child;
    if (is_comprehension(node) && !outer_only) {
      const List& generators = generators_of(node);
      for (const Node* g : generators) {
        // The iterable is evaluated before the comprehension's target is bound.
        const Position& in = g->node(at::comprehension::iter)->at;
        const bool in_iter = child == g && !ends_before(first->at, in) &&
                             (first->at.line < in.end_line ||
                              (first->at.line == in.end_line && first->at.column < in.end_column));
        if (in_iter) break;
        if (const uint64_t bits = follower.loop_target(g)) reached = bits;
        if (child == g) break;
      }
      continue;
    }
    if (is(node, Kind::kClassDef)) {
      if (!owner) owner = node;
      if (innermost && in_body(child, node)) {
        Scope flow(follower, statement);
        flow.run(node->list(at::ClassDef::body), {});
        reached = flow.reaches;
      }
      continue;
    }
    if (!is_function(node) && !is(node, Kind::kLambda) && !is(node, Kind::kModule)) continue;
    if (!is(node, Kind::kModule) && !in_body(child, node)) {
      statement = nullptr;  // a default or a decorator: evaluated with the def
      continue;
    }
    if (is(node, Kind::kLambda)) {
      if (!outer_only) reached = follower.parameter(node);
      statement = nullptr;
      innermost = false;
      continue;
    }
    const List& body = node->list(is(node, Kind::kModule) ? +at::Module::body : +at::FunctionDef::body);
    const bool shared = is_function(node) && follower.declares_outer(body);
    if (is_function(node)) reached |= follower.parameter(node);
    if (innermost && statement) {
      Scope flow(follower, statement);
      uint64_t before = reached;
      if (shared) before |= follower.all_in(module_->list(at::Module::body));
      flow.run(body, {before, true});
      reached = flow.reaches;
    } else {
      reached |= follower.all_in(body);
    }
    innermost = false;
    outer_only |= shared && !reached;
  }
  // self.rate: what reaches it in this function is the parameter at most; the class assigns it elsewhere.
  const auto only_base = [&] {
    for (size_t i = 0; i < follower.found.size(); ++i)
      if (reached >> i & 1 && follower.found[i].kind != Definition::Kind::kParameter &&
          !is(follower.places[i], Kind::kName))
        return false;
    return true;
  };
  if (key != base && only_base()) {
    Follower stores(tree_, key, tree_.name(""));
    const uint64_t bits = stores.all_stores_in(owner && is(read, Kind::kAttribute) ? owner : module_);
    if (bits) {
      follower.found = std::move(stores.found);
      follower.places = std::move(stores.places);
      reached = bits;
    }
  }

  std::vector<std::pair<int, Definition>> ordered;
  std::vector<const Node*> loops;  // around the read
  for (const Node* node = read; node; node = parents_[node->number])
    if (is_loop(node)) loops.push_back(node);
  for (size_t i = 0; i < follower.found.size(); ++i) {
    if (!(reached >> i & 1)) continue;
    int common = 0;
    for (const Node* node = follower.places[i]; node; node = parents_[node->number])
      common += std::ranges::find(loops, node) != loops.end();
    ordered.emplace_back(common, follower.found[i]);
  }
  std::ranges::stable_sort(ordered, [](const auto& a, const auto& b) {
    return std::make_pair(a.first, a.second.at.line) > std::make_pair(b.first, b.second.at.line);
  });
  std::vector<Definition> found;
  for (auto& [common, d] : ordered) found.push_back(std::move(d));
  return found;
}

std::vector<const Node*> Definitions::results_of(const Node* function) {
  std::vector<const Node*> returned, yielded;
  if (is(function, Kind::kLambda)) return {function->node(at::Lambda::body)};
  std::vector<const Node*> open;
  for (const Node* s : function->list(at::FunctionDef::body)) open.push_back(s);
  std::ranges::reverse(open);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (is_scope(node)) continue;
    if (is(node, Kind::kReturn) && node->node(at::Return::value)) returned.push_back(node->node(at::Return::value));
    if (is(node, Kind::kYield) && node->node(at::Yield::value)) yielded.push_back(node->node(at::Yield::value));
    if (is(node, Kind::kYieldFrom)) yielded.push_back(node->node(at::YieldFrom::value));
    const size_t before = open.size();
    for_each_child(node, [&](const Node* child) { open.push_back(child); });
    std::reverse(open.begin() + static_cast<ptrdiff_t>(before), open.end());
  }
  return yielded.empty() ? returned : yielded;
}

}  // namespace footlight::autograph
