// One walk over a function collects its accesses by scope; another over a module finds the uses of one name.
#include "engine/autograph/outside.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace footlight::autograph {
namespace {

template <size_t n>
bool among(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 17> kMutators{
    "append", "appendleft", "add", "update", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove",
    "discard", "clear", "sort", "reverse", "intersection_update", "difference_update"};
constexpr std::array<std::string_view, 9> kLogs{"debug", "info",      "warning", "warn", "error",
                                                "fatal", "exception", "critical", "log"};
constexpr std::array<std::string_view, 6> kMakers{"build", "__init__", "setup", "_build", "initialize", "reset"};

// True, None, 0, []: what is the same each time.
bool is_literal(const Node* node) {
  return is(node, Kind::kConstant) || (is(node, Kind::kList) && node->list(at::List::elts).empty()) ||
         (is(node, Kind::kDict) && node->list(at::Dict::values).empty());
}

bool is_store(const Node* node, int slot) { return node->op(slot) != Op::kLoad; }

// Bound names of a scope and its declarations, without those of functions inside.
struct Scope {
  std::set<std::string_view> bound, declared;
  std::map<std::string_view, int> parameters;
  bool has(std::string_view name) const { return bound.contains(name) && !declared.contains(name); }
};

void bind(const Node* node, Scope& scope) {
  switch (node->kind) {
    case Kind::kFunctionDef:
    case Kind::kAsyncFunctionDef:
      scope.bound.insert(node->name(at::FunctionDef::name)->text);
      return;
    case Kind::kClassDef:
      scope.bound.insert(node->name(at::ClassDef::name)->text);
      return;
    case Kind::kLambda:
      return;
    case Kind::kGlobal:
      for (const Name* name : node->names(at::Global::names)) scope.declared.insert(name->text);
      return;
    case Kind::kNonlocal:
      for (const Name* name : node->names(at::Nonlocal::names)) scope.declared.insert(name->text);
      return;
    case Kind::kName:
      if (is_store(node, at::Name::ctx)) scope.bound.insert(node->name(at::Name::id)->text);
      return;
    case Kind::kExceptHandler:
      if (const Name* name = node->name(at::ExceptHandler::name)) scope.bound.insert(name->text);
      break;
    case Kind::kalias: {
      const Name* as = node->name(at::alias::asname);
      const std::string_view text = (as ? as : node->name(at::alias::name))->text;
      scope.bound.insert(text.substr(0, text.find('.')));
      return;
    }
    default:
      break;
  }
  for_each_child(node, [&](const Node* child) { bind(child, scope); });
}

Scope scope_of(const Node* function) {
  Scope scope;
  const bool lambda = is(function, Kind::kLambda);
  const Node* arguments = function->node(lambda ? +at::Lambda::args : +at::FunctionDef::args);
  auto parameter = [&](const Node* arg) {
    if (!arg) return;
    const std::string_view name = arg->name(at::arg::arg)->text;
    scope.parameters.emplace(name, static_cast<int>(scope.parameters.size()));
    scope.bound.insert(name);
  };
  for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args})
    for (const Node* arg : arguments->list(slot)) parameter(arg);
  parameter(arguments->node(at::arguments::vararg));
  for (const Node* arg : arguments->list(at::arguments::kwonlyargs)) parameter(arg);
  parameter(arguments->node(at::arguments::kwarg));
  if (lambda) bind(function->node(at::Lambda::body), scope);
  else
    for (const Node* statement : function->list(at::FunctionDef::body)) bind(statement, scope);
  return scope;
}

bool constant_key(const Node* node, PathStep& step) {
  if (!is(node, Kind::kConstant)) return false;
  const Constant& c = node->constant(at::Constant::value);
  step.item = true;
  step.number = c.kind == ConstantKind::kNumber;
  step.key = std::string(c.text);
  if (step.number && c.text.empty()) step.key = std::to_string(c.integer);
  const bool digits = step.key.find_first_not_of("0123456789") == std::string::npos;
  return !step.key.empty() && (c.kind == ConstantKind::kString || (step.number && digits && step.key.size() < 10));
}

// A name followed by attributes and items with constant keys.
bool plain_path(const Node* node, OutsidePath& path) {
  switch (node->kind) {
    case Kind::kName:
      path.root = node->name(at::Name::id)->text;
      return true;
    case Kind::kAttribute:
      if (!plain_path(node->node(at::Attribute::value), path)) return false;
      path.steps.push_back({false, false, std::string(node->name(at::Attribute::attr)->text)});
      return true;
    case Kind::kSubscript: {
      PathStep step;
      if (!constant_key(node->node(at::Subscript::slice), step)) return false;
      if (!plain_path(node->node(at::Subscript::value), path)) return false;
      path.steps.push_back(std::move(step));
      return true;
    }
    default:
      return false;
  }
}

// print(...), logger.info(...), warnings.warn(...), sys.stderr.write(...): what they get goes into no graph.
bool is_talk(const Node* call) {
  OutsidePath path;
  if (!plain_path(call->node(at::Call::func), path)) return false;
  if (path.steps.empty()) return path.root == "print" || path.root == "pprint";
  const std::string& method = path.steps.back().key;
  std::string before = path.steps.size() > 1 ? path.steps[path.steps.size() - 2].key : path.root;
  std::ranges::transform(before, before.begin(), [](unsigned char c) { return std::tolower(c); });
  if (before == "warnings") return true;
  if ((before == "stdout" || before == "stderr") && method == "write") return true;
  return before.find("log") != before.npos && before.find("math") == before.npos && among(method, kLogs);
}

// What it gets runs with the graph, not with the trace.
bool runs_later(const Node* call) {
  OutsidePath path;
  if (!plain_path(call->node(at::Call::func), path)) return false;
  const std::string& name = path.steps.empty() ? path.root : path.steps.back().key;
  return name == "py_function" || name == "numpy_function" || name == "py_func";
}

bool only_talks(const List& statements) {
  return std::ranges::all_of(statements, [](const Node* s) {
    if (is(s, Kind::kPass) || is(s, Kind::kRaise) || is(s, Kind::kAssert)) return true;
    if (is(s, Kind::kIf)) return only_talks(s->list(at::If::body)) && only_talks(s->list(at::If::orelse));
    if (!is(s, Kind::kExpr)) return false;
    const Node* value = s->node(at::Expr::value);
    return is(value, Kind::kConstant) || (is(value, Kind::kCall) && is_talk(value));
  });
}

class Collector {
 public:
  explicit Collector(Outside& out) : out_(out) {}

  void run(const Node* function) {
    const Scope scope = scope_of(function);
    find_used(function);
    find_later(function);
    find_aliases(function, scope);
    enter(function);
  }

 private:
  void enter(const Node* function) {
    scopes_.push_back(scope_of(function));
    if (is(function, Kind::kLambda)) visit(function->node(at::Lambda::body));
    else block(function->list(at::FunctionDef::body));
    scopes_.pop_back();
  }

  // Locals that something else than a print reads.
  void find_used(const Node* node) {
    if (is(node, Kind::kRaise) || is(node, Kind::kAssert)) return;
    if (is(node, Kind::kCall) && is_talk(node)) return;
    if (is(node, Kind::kIf) && only_talks(node->list(at::If::body)) && only_talks(node->list(at::If::orelse))) return;
    if (is(node, Kind::kName) && !is_store(node, at::Name::ctx)) used_.insert(node->name(at::Name::id)->text);
    for_each_child(node, [&](const Node* child) { find_used(child); });
  }

  // Functions inside that a py_function runs.
  void find_later(const Node* node) {
    if (is(node, Kind::kCall) && runs_later(node)) {
      const auto note = [&](const Node* arg) {
        if (is(arg, Kind::kName)) later_.insert(arg->name(at::Name::id)->text);
      };
      for (const Node* arg : node->list(at::Call::args)) note(arg);
      for (const Node* keyword : node->list(at::Call::keywords)) note(keyword->node(at::keyword::value));
    }
    for_each_child(node, [&](const Node* child) { find_later(child); });
  }

  // `p = self.params`, the only assignment of p: p.rate is self.params.rate.
  void find_aliases(const Node* node, const Scope& scope) {
    std::map<std::string_view, int> stores;
    std::map<std::string_view, Alias> made;
    auto walk = [&](auto&& self, const Node* n) -> void {
      if (is(n, Kind::kName) && is_store(n, at::Name::ctx)) ++stores[n->name(at::Name::id)->text];
      if (is(n, Kind::kAssign) && n->list(at::Assign::targets).size == 1) {
        const Node* target = n->list(at::Assign::targets)[0];
        OutsidePath path;
        if (is(target, Kind::kName) && plain_path(n->node(at::Assign::value), path))
          made[target->name(at::Name::id)->text] = {std::move(path), static_cast<int>(n->at.line)};
      }
      for_each_child(n, [&](const Node* child) { self(self, child); });
    };
    walk(walk, node);
    for (auto& [name, alias] : made)
      if (stores[name] == 1 && scope.has(name) && !scope.parameters.contains(name)) aliases_[name] = std::move(alias);
  }

  // The path with its root resolved; false: it begins at a local. `line`: of the alias, if the path is just one.
  bool outside(OutsidePath& path, int* line = nullptr) const {
    for (int depth = 0; depth < 4; ++depth) {
      bool local = false;
      for (size_t i = scopes_.size(); i-- > 0 && !local;) {
        if (scopes_[i].declared.contains(path.root)) break;
        if (!scopes_[i].bound.contains(path.root)) continue;
        local = true;
        const auto parameter = scopes_[i].parameters.find(path.root);
        if (parameter == scopes_[i].parameters.end()) continue;
        if (i || path.steps.empty()) return false;
        path.parameter = parameter->second;
        return true;
      }
      if (!local) return true;
      const auto alias = aliases_.find(path.root);
      if (alias == aliases_.end()) return false;
      OutsidePath whole = alias->second.path;
      if (line && path.steps.empty()) *line = alias->second.line;
      whole.steps.insert(whole.steps.end(), path.steps.begin(), path.steps.end());
      path = std::move(whole);
    }
    return false;
  }

  void add(OutsideAccess::Kind kind, OutsidePath path, const Node* at, bool literal = false) {
    const bool changes = kind >= OutsideAccess::kStore;
    if (talking_ && !changes) return;
    int line = static_cast<int>(at->at.line);
    if (!outside(path, &line)) return;
    const bool memo = changes && kind != OutsideAccess::kUpdate && tested(path);
    out_.accesses.push_back({kind, std::move(path), line, memo, literal});
  }

  // Whether a test around asks for the place, or for what holds it.
  bool tested(const OutsidePath& path) const {
    return std::ranges::any_of(guards_, [&](const OutsidePath& guard) {
      return guard.root == path.root && guard.steps.size() <= path.steps.size() &&
             std::equal(guard.steps.begin(), guard.steps.end(), path.steps.begin()) &&
             (guard.steps.size() == path.steps.size() || path.steps[guard.steps.size()].item);
    });
  }
  bool is_memo(const Node* target) const {
    OutsidePath path;
    return !is(target, Kind::kName) && plain_path(target, path) && outside(path) && tested(path);
  }

  void block(const List& statements) {
    for (const Node* s : statements) visit(s);
  }

  void collect_guards(const Node* node) {
    OutsidePath path;
    if (is(node, Kind::kCall)) {
      const Node* function = node->node(at::Call::func);
      const List& args = node->list(at::Call::args);
      PathStep step;
      if (is(function, Kind::kName) && function->name(at::Name::id)->text == "hasattr" && args.size == 2 &&
          plain_path(args[0], path) && constant_key(args[1], step)) {
        path.steps.push_back({false, false, step.key});
        if (outside(path)) guards_.push_back(path);
        return;
      }
    }
    if (plain_path(node, path) && outside(path)) guards_.push_back(path);
    for_each_child(node, [&](const Node* child) { collect_guards(child); });
  }

  void store(const Node* target, OutsideAccess::Kind kind, bool literal) {
    OutsidePath path;
    switch (target->kind) {
      case Kind::kTuple:
      case Kind::kList:
        for (const Node* one : target->list(at::Tuple::elts)) store(one, kind, false);
        return;
      case Kind::kStarred:
        return store(target->node(at::Starred::value), kind, false);
      case Kind::kName:
        if (plain_path(target, path) && scopes_.back().declared.contains(path.root)) add(kind, path, target, literal);
        return;
      case Kind::kAttribute:
        if (plain_path(target, path)) add(kind, path, target, literal);
        else visit(target->node(at::Attribute::value));
        return;
      case Kind::kSubscript: {
        PathStep step;
        if (plain_path(target, path)) {
          add(kind == OutsideAccess::kStore ? OutsideAccess::kMutation : kind, path, target, literal);
          return;
        }
        if (plain_path(target->node(at::Subscript::value), path))
          add(OutsideAccess::kMutation, path, target, literal);
        visit(target->node(at::Subscript::slice));
        return;
      }
      default:
        return visit(target);
    }
  }

  void call(const Node* node) {
    const Node* function = node->node(at::Call::func);
    const List& args = node->list(at::Call::args);
    const bool talk = is_talk(node);
    OutsidePath path;
    if (!talk) {
      const bool path_called = plain_path(function, path);
      const bool method = path_called && !path.steps.empty() && !path.steps.back().item;
      PathStep name;
      const bool names = args.size >= 2 && constant_key(args[1], name) && !name.number;
      OutsidePath object;
      if (path_called && path.steps.empty() && names && plain_path(args[0], object) &&
          (path.root == "getattr" || path.root == "setattr")) {
        object.steps.push_back({false, false, name.key});
        add(path.root == "getattr" ? OutsideAccess::kRead : OutsideAccess::kStore, object, node);
        for (uint32_t i = 2; i < args.size; ++i) visit(args[i]);
        return;
      }
      if (path_called && path.steps.empty() && (path.root == "hasattr" || path.root == "isinstance")) return;
      if (method && among(path.steps.back().key, kMutators)) {
        path.steps.pop_back();
        add(OutsideAccess::kMutation, path, node);
      } else if (method && path.steps.back().key == "get" && args.size >= 1 && constant_key(args[0], name)) {
        path.steps.back() = name;
        add(OutsideAccess::kRead, path, node);
      } else if (path_called) {
        add(OutsideAccess::kCall, path, node);
      } else {
        visit(function);
      }
    }
    talking_ += talk;
    const bool later = runs_later(node);
    const auto argument = [&](const Node* arg) {
      if (!later || !is(arg, Kind::kLambda)) visit(arg);
    };
    for (const Node* arg : args) argument(arg);
    for (const Node* keyword : node->list(at::Call::keywords)) argument(keyword->node(at::keyword::value));
    talking_ -= talk;
  }

  void assign(const Node* node) {
    const Node* value = node->node(at::Assign::value);
    const List& targets = node->list(at::Assign::targets);
    // What only a print reads in the end is not a read.
    const bool unused = std::ranges::all_of(targets, [&](const Node* t) {
      return is(t, Kind::kName) && scopes_.back().has(t->name(at::Name::id)->text) &&
             !used_.contains(t->name(at::Name::id)->text);
    });
    OutsidePath path;
    const bool alias = targets.size == 1 && is(targets[0], Kind::kName) && plain_path(value, path) &&
                       aliases_.contains(targets[0]->name(at::Name::id)->text);
    // What is computed once and kept is the same without a trace.
    const bool once = std::ranges::any_of(targets, [&](const Node* t) { return is_memo(t); });
    talking_ += unused + once;
    if (!alias) visit(value);  // an alias is read where it is used: perhaps not all of it
    talking_ -= unused + once;
    for (const Node* target : targets) store(target, OutsideAccess::kStore, is_literal(value));
  }

  void visit(const Node* node) {
    switch (node->kind) {
      case Kind::kFunctionDef:
      case Kind::kAsyncFunctionDef:
        for (const Node* d : node->list(at::FunctionDef::decorator_list)) visit(d);
        if (!later_.contains(node->name(at::FunctionDef::name)->text)) enter(node);
        return;
      case Kind::kLambda:
        return enter(node);
      case Kind::kGlobal:
      case Kind::kNonlocal:
        return;
      case Kind::kRaise:
      case Kind::kAssert:
        ++talking_;
        for_each_child(node, [&](const Node* child) { visit(child); });
        --talking_;
        return;
      case Kind::kIf: {
        const List &body = node->list(at::If::body), &orelse = node->list(at::If::orelse);
        const bool talk = only_talks(body) && only_talks(orelse);
        talking_ += talk;
        visit(node->node(at::If::test));
        talking_ -= talk;
        const size_t guards = guards_.size();
        collect_guards(node->node(at::If::test));
        block(body);
        block(orelse);
        const bool leaves = !body.empty() && is(body[body.size - 1], Kind::kReturn);
        if (!leaves) guards_.resize(guards);  // else what follows is under the test too
        return;
      }
      case Kind::kTry: {
        const size_t guards = guards_.size();
        block(node->list(at::Try::body));
        for (const Node* s : node->list(at::Try::body)) collect_guards(s);
        for (const Node* handler : node->list(at::Try::handlers)) block(handler->list(at::ExceptHandler::body));
        guards_.resize(guards);
        block(node->list(at::Try::orelse));
        block(node->list(at::Try::finalbody));
        return;
      }
      case Kind::kAssign:
        return assign(node);
      case Kind::kAnnAssign:
        if (const Node* value = node->node(at::AnnAssign::value)) {
          visit(value);
          store(node->node(at::AnnAssign::target), OutsideAccess::kStore, is_literal(value));
        }
        return;
      case Kind::kAugAssign:
        visit(node->node(at::AugAssign::value));
        store(node->node(at::AugAssign::target), OutsideAccess::kUpdate, false);
        return;
      case Kind::kDelete:
        for (const Node* target : node->list(at::Delete::targets)) store(target, OutsideAccess::kStore, false);
        return;
      case Kind::kCall:
        return call(node);
      case Kind::kName:
      case Kind::kAttribute:
      case Kind::kSubscript: {
        OutsidePath path;
        if (plain_path(node, path)) {
          add(OutsideAccess::kRead, std::move(path), node);
          return;
        }
        break;
      }
      default:
        break;
    }
    for_each_child(node, [&](const Node* child) { visit(child); });
  }

  Outside& out_;
  std::vector<Scope> scopes_;
  std::set<std::string_view> used_, later_;
  struct Alias { OutsidePath path; int line = 0; };
  std::map<std::string_view, Alias> aliases_;
  std::vector<OutsidePath> guards_;
  int talking_ = 0;
};

// The uses of one name in a module.
class Uses {
 public:
  Uses(const StateName& state, LineRange body, const std::vector<LineRange>& without, std::vector<StateUse>& to)
      : state_(state), body_(body), without_(without), to_(to) {}

  void module(const Node* module) {
    if (state_.kind == StateName::kClosure) {
      if (const Node* owner = owner_of(module)) {
        owner_ = owner;
        enter(owner);
      }
      return;
    }
    for_each_child(module, [&](const Node* child) { visit(child); });
  }

 private:
  // The innermost function around the body that binds the name.
  const Node* owner_of(const Node* module) const {
    const Node* found = nullptr;
    auto walk = [&](auto&& self, const Node* n) -> void {
      const bool around = static_cast<int>(n->at.line) <= body_.first && body_.last <= static_cast<int>(n->at.end_line);
      const bool itself = static_cast<int>(n->at.line) == body_.first;
      if (is_function(n) && around && !itself && scope_of(n).has(state_.name)) found = n;
      for_each_child(n, [&](const Node* child) { self(self, child); });
    };
    walk(walk, module);
    return found;
  }

  void enter(const Node* function) {
    const Scope scope = scope_of(function);
    const bool lambda = is(function, Kind::kLambda);
    const bool hidden = state_.kind != StateName::kAttribute && function != owner_ && scope.has(state_.name);
    if (hidden) return;
    const bool init_before = init_;
    init_ = !lambda && function->name(at::FunctionDef::name)->text == "__init__";
    depth_ += function != owner_;
    if (lambda) visit(function->node(at::Lambda::body));
    else
      for (const Node* s : function->list(at::FunctionDef::body)) visit(s);
    depth_ -= function != owner_;
    init_ = init_before;
  }

  bool names(const Node* node) const {
    if (state_.kind == StateName::kAttribute)
      return is(node, Kind::kAttribute) && node->name(at::Attribute::attr)->text == state_.name;
    if (is(node, Kind::kAttribute) && state_.kind == StateName::kGlobal)  // settings.RATE in another file
      return node->name(at::Attribute::attr)->text == state_.name && is(node->node(at::Attribute::value), Kind::kName);
    return is(node, Kind::kName) && node->name(at::Name::id)->text == state_.name;
  }

  void add(const Node* node, bool store, bool literal = false) {
    const int line = static_cast<int>(node->at.line);
    for (const LineRange& range : without_)
      if (range.first <= line && line <= range.last) return;
    const bool initial = store && (state_.kind == StateName::kAttribute ? init_ : depth_ == 0 && !seen_initial_);
    if (store && initial) seen_initial_ = state_.kind != StateName::kAttribute;
    to_.push_back({line, store, initial, literal, false, {}});
    const Node* object = is(node, Kind::kSubscript) ? node->node(at::Subscript::value) : node;
    object = is(object, Kind::kAttribute) ? object->node(at::Attribute::value) : nullptr;
    if (is(object, Kind::kName) && object->name(at::Name::id)->text == "self") to_.back().of_class = class_;
  }

  void target(const Node* node, bool literal) {
    if (is(node, Kind::kTuple) || is(node, Kind::kList)) {
      for (const Node* one : node->list(at::Tuple::elts)) target(one, false);
      return;
    }
    if (names(node)) return add(node, true, literal);
    if (is(node, Kind::kSubscript) && names(node->node(at::Subscript::value))) {
      PathStep step;
      const bool constant = constant_key(node->node(at::Subscript::slice), step);
      if (!constant || state_.item.key.empty() || step == state_.item) add(node, true, literal);
      return;
    }
    visit(node);
  }

  void visit(const Node* node) {
    switch (node->kind) {
      case Kind::kFunctionDef:
      case Kind::kAsyncFunctionDef:
        for (const Node* d : node->list(at::FunctionDef::decorator_list)) visit(d);
        return enter(node);
      case Kind::kLambda:
        return enter(node);
      case Kind::kClassDef: {
        const std::string around = std::exchange(class_, std::string(node->name(at::ClassDef::name)->text));
        for_each_child(node, [&](const Node* child) { visit(child); });
        class_ = around;
        return;
      }
      case Kind::kAssign:
        visit(node->node(at::Assign::value));
        for (const Node* one : node->list(at::Assign::targets))
          target(one, is_literal(node->node(at::Assign::value)));
        return;
      case Kind::kAugAssign: {
        visit(node->node(at::AugAssign::value));
        target(node->node(at::AugAssign::target), false);
        return;
      }
      case Kind::kAnnAssign:
        if (const Node* value = node->node(at::AnnAssign::value)) {
          visit(value);
          target(node->node(at::AnnAssign::target), is_literal(value));
        }
        return;
      case Kind::kFor:
        target(node->node(at::For::target), false);
        visit(node->node(at::For::iter));
        for (const Node* s : node->list(at::For::body)) visit(s);
        for (const Node* s : node->list(at::For::orelse)) visit(s);
        return;
      case Kind::kCall: {
        const Node* function = node->node(at::Call::func);
        if (is(function, Kind::kAttribute)) {
          const Node* object = function->node(at::Attribute::value);
          if (names(object) && among(function->name(at::Attribute::attr)->text, kMutators)) add(node, true);
          else visit(object);
        } else if (is(function, Kind::kName)) {
          const List& args = node->list(at::Call::args);
          const std::string_view called = function->name(at::Name::id)->text;
          PathStep step;
          if (called == "len" && args.size == 1 && names(args[0])) {
            add(node, false);
            if (!to_.empty() && to_.back().line == static_cast<int>(node->at.line)) to_.back().size = true;
            return;
          }
          if (state_.kind == StateName::kAttribute && (called == "getattr" || called == "setattr") && args.size >= 2 &&
              constant_key(args[1], step) && step.key == state_.name)
            add(node, called == "setattr");
        } else {
          visit(function);
        }
        for (const Node* arg : node->list(at::Call::args)) visit(arg);
        for (const Node* keyword : node->list(at::Call::keywords)) visit(keyword->node(at::keyword::value));
        return;
      }
      case Kind::kSubscript: {
        const Node* value = node->node(at::Subscript::value);
        PathStep step;
        if (!state_.item.key.empty() && names(value) && constant_key(node->node(at::Subscript::slice), step) &&
            step != state_.item)
          return;
        break;
      }
      case Kind::kName:
      case Kind::kAttribute:
        if (names(node)) add(node, false);
        break;
      default:
        break;
    }
    for_each_child(node, [&](const Node* child) { visit(child); });
  }

  const StateName& state_;
  LineRange body_;
  const std::vector<LineRange>& without_;
  std::vector<StateUse>& to_;
  const Node* owner_ = nullptr;
  int depth_ = 0;               // functions around
  bool init_ = false, seen_initial_ = false;
  std::string class_;
};

}  // namespace

std::string OutsidePath::text() const {
  std::string out = root;
  for (const PathStep& step : steps) {
    if (!step.item) out += '.' + step.key;
    else if (step.number) out += '[' + step.key + ']';
    else out += "['" + step.key + "']";
  }
  return out;
}

Outside outside_of(const Node* function) {
  Outside out;
  const bool lambda = is(function, Kind::kLambda);
  out.name = lambda ? "<lambda>" : std::string(function->name(at::FunctionDef::name)->text);
  out.first_line = static_cast<int>(function->at.line);
  out.last_line = static_cast<int>(function->at.end_line);
  out.makes_once = among(out.name, kMakers) || out.name.starts_with("_init") || out.name.starts_with("_maybe");
  Collector(out).run(function);
  return out;
}

std::vector<StateUse> uses_of(const Node* module, const StateName& state, LineRange body,
                              const std::vector<LineRange>& without) {
  std::vector<StateUse> uses;
  Uses(state, body, without, uses).module(module);
  return uses;
}

}  // namespace footlight::autograph
