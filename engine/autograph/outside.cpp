// Visits a function once and collects its accesses by scope.
#include "engine/autograph/outside_paths.h"

#include <algorithm>
#include <array>
#include <utility>

namespace footlight::autograph {
namespace {

template <size_t n>
bool among(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 6> kMakers{"build", "__init__", "setup", "_build", "initialize", "reset"};

// Whether arguments of the call run with the graph, not with the trace.
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
    const LocalNames scope = local_names_of(function);
    find_used(function);
    find_later(function);
    find_aliases(function, scope);
    enter(function);
  }

 private:
  void enter(const Node* function) {
    scopes_.push_back(local_names_of(function));
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
  void find_aliases(const Node* node, const LocalNames& scope) {
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
    out_.accesses.push_back({kind, std::move(path), line, memo, nested_ > 0, literal, under_});
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

  // A test after which either branch stores the same place chooses the first value or the next one: no cache does so.
  void stored_in_both(size_t first, size_t second) {
    auto& all = out_.accesses;
    const auto stores_item_or_name = [](const OutsideAccess& access) {
      return access.kind == OutsideAccess::kStore ||
             (access.kind == OutsideAccess::kMutation && !access.path.steps.empty() && access.path.steps.back().item);
    };
    for (size_t i = first; i < second; ++i) {
      if (!all[i].memo || !stores_item_or_name(all[i])) continue;
      for (size_t k = second; k < all.size(); ++k)
        if (stores_item_or_name(all[k]) && all[k].path == all[i].path) all[k].memo = all[i].memo = false;
    }
  }

  void block(const List& statements) {
    const size_t under = under_.size();
    for (const Node* s : statements) visit(s);
    under_.resize(under);
  }
  void branch(const List& statements, int line, bool body) {
    under_.push_back({line, body});
    block(statements);
    under_.pop_back();
  }

  // Whether nothing behind the statements runs once they have run.
  static bool leaves(const List& statements) {
    if (statements.empty()) return false;
    const Node* last = statements[statements.size - 1];
    return is(last, Kind::kReturn) || is(last, Kind::kRaise) || is(last, Kind::kContinue) || is(last, Kind::kBreak);
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
      if (method && is_mutator(path.steps.back().key)) {
        const bool clears = path.steps.back().key == "clear";
        path.steps.pop_back();
        add(OutsideAccess::kMutation, path, node, clears);
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
    // A value that only a print uses does not count as read.
    const bool unused = std::ranges::all_of(targets, [&](const Node* t) {
      return is(t, Kind::kName) && scopes_.back().has(t->name(at::Name::id)->text) &&
             !used_.contains(t->name(at::Name::id)->text);
    });
    OutsidePath path;
    const bool alias = targets.size == 1 && is(targets[0], Kind::kName) && plain_path(value, path) &&
                       aliases_.contains(targets[0]->name(at::Name::id)->text);
    // A value that is computed once and kept is the same without a trace.
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
        const size_t guards = guards_.size(), first = out_.accesses.size();
        collect_guards(node->node(at::If::test));
        ++nested_;
        const int line = static_cast<int>(node->at.line);
        branch(body, line, true);
        const size_t second = out_.accesses.size();
        branch(orelse, line, false);
        --nested_;
        stored_in_both(first, second);
        const bool returns = !body.empty() && is(body[body.size - 1], Kind::kReturn);
        if (!returns) guards_.resize(guards);  // otherwise what follows is under the test too
        if (leaves(body)) under_.push_back({line, false});
        if (leaves(orelse)) under_.push_back({line, true});
        return;
      }
      case Kind::kTry: {
        const size_t guards = guards_.size();
        ++nested_;
        block(node->list(at::Try::body));
        for (const Node* s : node->list(at::Try::body)) collect_guards(s);
        for (const Node* handler : node->list(at::Try::handlers)) block(handler->list(at::ExceptHandler::body));
        guards_.resize(guards);
        block(node->list(at::Try::orelse));
        --nested_;
        block(node->list(at::Try::finalbody));
        return;
      }
      case Kind::kFor:
      case Kind::kAsyncFor:
      case Kind::kWhile:
        ++nested_;
        for_each_child(node, [&](const Node* child) { visit(child); });
        --nested_;
        return;
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
  std::vector<LocalNames> scopes_;
  std::set<std::string_view> used_, later_;
  struct Alias { OutsidePath path; int line = 0; };
  std::map<std::string_view, Alias> aliases_;
  std::vector<OutsidePath> guards_;
  std::vector<BranchTaken> under_;  // around what is visited
  int talking_ = 0;
  int nested_ = 0;  // branches, loops and try statements around
};

}  // namespace

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

}  // namespace footlight::autograph
