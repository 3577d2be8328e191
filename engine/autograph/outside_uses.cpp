// Finds the uses of one name in a module.
#include "engine/autograph/outside_paths.h"

#include <utility>

namespace footlight::autograph {
namespace {

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
      if (is_function(n) && around && !itself && local_names_of(n).has(state_.name)) found = n;
      for_each_child(n, [&](const Node* child) { self(self, child); });
    };
    walk(walk, module);
    return found;
  }

  void enter(const Node* function) {
    const LocalNames scope = local_names_of(function);
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
    to_.push_back({line, store, initial, literal, false, of_traces_ > 0, {}});
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

  void call(const Node* node, const Node* function) {
    if (is(function, Kind::kAttribute)) {
      const Node* object = function->node(at::Attribute::value);
      if (names(object) && is_mutator(function->name(at::Attribute::attr)->text)) add(node, true);
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
        const bool of_traces = is_talk(node) && speaks_of_traces(node);
        of_traces_ += of_traces;
        call(node, function);
        of_traces_ -= of_traces;
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
  int of_traces_ = 0;           // prints around that speak of traces
  bool init_ = false, seen_initial_ = false;
  std::string class_;
};

}  // namespace

std::vector<StateUse> uses_of(const Node* module, const StateName& state, LineRange body,
                              const std::vector<LineRange>& without) {
  std::vector<StateUse> uses;
  Uses(state, body, without, uses).module(module);
  return uses;
}

}  // namespace footlight::autograph
