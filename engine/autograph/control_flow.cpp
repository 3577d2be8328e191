// Converts if, while and for into calls of the runtime; their blocks become functions that share state through
// nonlocal. Python's own form, which lean code has beside it, is in both_forms.cpp.
#include "engine/autograph/convert.h"
#include "engine/autograph/converter.h"
#include "engine/autograph/unparse.h"

#include <algorithm>
#include <utility>

namespace footlight::autograph {

Converter::State Converter::state_of(const Node* node, const NameSet& bound) {
  // A while's test and body are two functions, so names that the test binds are shared.
  NameSet shared;
  if (is(node, Kind::kWhile)) names_bound_here(tree_, node, shared);
  const Flow& flow = activity_.flow(node);
  State state;
  std::vector<Name*> inputs;
  bound.for_each([&](uint32_t id) {
    Name* name = tree_.name_at(id);
    const bool declared = activity_.globals.has(name) || activity_.nonlocals.has(name);
    if (activity_.composites.has(name)) {
      // a.b assigned on an object that comes from outside the statement.
      std::vector<Name*> support;
      composite_support(tree_, name, support);
      for (size_t i = 0; i < support.size(); ++i)
        if (!flow.live_in.has(support[i]) || (i > 0 && bound.has(support[i]))) return;
      state.names.push_back(name);
      return;
    }
    const bool in = flow.live_in.has(name), out = flow.live_out.has(name) || shared.has(name);
    if (out || declared) state.names.push_back(name);
    else if (in) inputs.push_back(name);
    if (!flow.defined_in.has(name) && !declared) state.undefined.push_back(name);
  });
  if (is(node, Kind::kIf)) {
    auto by_text = [](const Name* a, const Name* b) { return a->text < b->text; };
    std::sort(state.names.begin(), state.names.end(), by_text);
    std::sort(inputs.begin(), inputs.end(), by_text);
  }
  state.outputs = static_cast<uint32_t>(state.names.size());
  state.names.insert(state.names.end(), inputs.begin(), inputs.end());
  return state;
}

// Readable form only. An attribute may be missing: ag__.ldu(lambda: a.b, 'a.b')
Node* Converter::state_tuple(const State& state, Op context, Position at) {
  Nodes items;
  for (Name* name : state.names) {
    if (!activity_.composites.has(name)) {
      items.push_back(tree_.name_node(name, context, at));
      continue;
    }
    // Spelled as a name, so that it unparses unchanged.
    Node* whole = tree_.name_node(name, context, at);
    items.push_back(
        context != Op::kLoad
            ? whole
            : tree_.call(ag("ldu", at), {tree_.lambda(whole, at), tree_.string(name->text, at)}, at));
  }
  return tree_.tuple(tree_.list(items), context, at);
}

// ('y', 'x'); the lean form says which variables this conversion made for a return or break, and which need a value
// only once the loop is left by a break: ('retval_', 'value'), ('do_return', 'flag'), ('break_', 'break'),
// ('y', 'late'), and which are lists that grow: ('out', 'list').
Node* Converter::state_names(const State& state, Position at) {
  Nodes items;
  for (const Name* name : state.names) {
    Node* text = tree_.string(name->text, at);
    const char* role = !lean()                      ? nullptr
                       : name == lowered_.retval    ? "value"
                       : name == lowered_.do_return ? "flag"
                       : lowered_.break_flags.has(name) ? "break"
                       : lowered_.late.has(name)        ? "late"
                       : lists_.has(name)               ? "list"
                                                        : nullptr;
    items.push_back(role ? tree_.tuple(tree_.list({text, tree_.string(role, at)}), Op::kLoad, at) : text);
  }
  return tree_.tuple(tree_.list(items), Op::kLoad, at);
}

// if False: d, k -- no code, but the block has these variables of the function, in which the runtime finds d[k]. Where
// only a statement inside uses them, whose blocks stand beside this one, nothing else would name them here.
void Converter::name_objects(const State& state, Node* block) {
  NameSet named, missing;
  bool known = false;
  for (const Name* name : state.names) {
    if (!activity_.composites.has(name)) continue;
    if (!std::exchange(known, true)) named = free_names(tree_, block, result_.steps);
    std::vector<Name*> support;
    composite_support(tree_, name, support);
    for (const Name* one : support)
      if (!named.has(one)) missing.add(one);
  }
  if (missing.empty()) return;
  const List& body = block->list(at::FunctionDef::body);
  const Position at = body[body.size - 1]->at;
  Nodes loads, all(body.begin(), body.end());
  missing.for_each([&](uint32_t id) { loads.push_back(tree_.load(tree_.name_at(id), at)); });
  Node* never = tree_.make(Kind::kIf, at);
  never->node(at::If::test) = tree_.boolean(false, at);
  never->fields()[at::If::body].list =
      tree_.list({tree_.expression(tree_.tuple(tree_.list(loads), Op::kLoad, at), at)});
  all.push_back(never);
  block->fields()[at::FunctionDef::body].list = tree_.list(all);
}

// def name(arguments): nonlocal ...; first; list
// `beside`: the blocks of statements inside this one stand beside it, and see what it binds.
Node* Converter::moved_block(Name* name, Node* arguments, const List& list, const Nodes& first, const State& state,
                             Scope& scope, const Node* origin, const NameSet& also_bound, bool beside) {
  const Position at = origin->at;
  Scope inner;
  inner.moved = true;
  std::vector<Name*> globals, nonlocals;
  const auto share = [&](Name* symbol) {
    if (activity_.composites.has(symbol) || inner.outer.has(symbol)) return;
    inner.outer.add(symbol);
    (activity_.globals.has(symbol) ? globals : nonlocals).push_back(symbol);
  };
  for (Name* symbol : state.names) share(symbol);
  NameSet sought;  // names of the statements inside that are found through this block
  if (beside) {
    sought = inner.outer;
    activity_.flow(origin).bound.for_each([&](uint32_t id) { share(tree_.name_at(id)); });
  }
  Nodes body;
  ++moved_;
  for (Node* node : first) statement(node, inner, body);
  block(list, inner, body);
  --moved_;
  if (lean()) {
    // Only what this block binds, itself or through nested blocks.
    auto unbound = [&](const Name* symbol) {
      return !inner.bound.has(symbol) && !inner.wanted.has(symbol) && !also_bound.has(symbol) && !sought.has(symbol);
    };
    std::erase_if(globals, unbound);
    std::erase_if(nonlocals, unbound);
  }
  declare_missing(inner, body, 0, at);
  Nodes declarations;
  if (!globals.empty()) declarations.push_back(declaration(Kind::kGlobal, globals, at));
  if (!nonlocals.empty()) declarations.push_back(declaration(Kind::kNonlocal, nonlocals, at));
  for (const Name* symbol : nonlocals) scope.wanted.add(symbol);
  body.insert(body.begin(), declarations.begin(), declarations.end());
  if (body.empty() || (!lean() && body.size() == declarations.size())) body.push_back(tree_.pass(at));
  Node* made = tree_.function(name, arguments, tree_.list(body), at);
  if (lean()) name_objects(state, made);
  return made;
}

void Converter::declarations(const State& state, Position at, Nodes& out) {
  std::vector<Name*> globals, nonlocals;
  for (Name* symbol : state.names)
    if (!activity_.composites.has(symbol)) (activity_.globals.has(symbol) ? globals : nonlocals).push_back(symbol);
  if (!globals.empty()) out.push_back(declaration(Kind::kGlobal, globals, at));
  if (!nonlocals.empty()) out.push_back(declaration(Kind::kNonlocal, nonlocals, at));
}

// Readable form only: def get_state(): return (a, b), def set_state(vars_): nonlocal a, b; a, b = vars_
void Converter::state_functions(const State& state, Position at, Nodes& out, Name** getter, Name** setter) {
  *getter = tree_.fresh("get_state");
  *setter = tree_.fresh("set_state");
  Node* result = tree_.make(Kind::kReturn, at);
  result->node(at::Return::value) = state_tuple(state, Op::kLoad, at);
  out.push_back(tree_.function(*getter, tree_.arguments({}, at), tree_.list({result}), at));
  if (state.names.empty()) {
    out.push_back(tree_.function(*setter, tree_.arguments({tree_.name("block_vars")}, at),
                                 tree_.list({tree_.pass(at)}), at));
    return;
  }
  Name* vars = tree_.name("vars_");
  vars->generated = true;
  Nodes body;
  declarations(state, at, body);
  body.push_back(tree_.assign(state_tuple(state, Op::kStore, at), tree_.load(vars, at), at));
  out.push_back(tree_.function(*setter, tree_.arguments({vars}, at), tree_.list(body), at));
}

void Converter::undefined_assigns(const State& state, Position at, Scope& scope, Nodes& out) {
  for (Name* name : state.undefined) {
    scope.bound.add(name);
    out.push_back(tree_.assign(tree_.store(name, at),
                               tree_.call(ag("Undefined", at), {tree_.string(name->text, at)}, at), at));
  }
}

// Lean: adds the functions of a statement's blocks. A part with a number stands beside those of other statements.
void Converter::staged_blocks(const Part& part, Scope& scope, Nodes& out) {
  Node* node = part.node;
  const State state = state_of(node, activity_.flow(node).bound);
  const bool beside = part.number != 0;
  const auto add = [&](Name* name, Node* arguments, const List& list, const Nodes& first, const NameSet& also_bound) {
    out.push_back(moved_block(name, arguments, list, first, state, scope, node, also_bound, beside));
    scope.bound.add(name);
  };
  if (is(node, Kind::kIf)) {
    add(part.body, tree_.arguments({}, node->at), node->list(at::If::body), {}, {});
    if (part.other) add(part.other, tree_.arguments({}, node->at), node->list(at::If::orelse), {}, {});
    return;
  }
  uint32_t skip;
  const List& body = node->list(is(node, Kind::kWhile) ? +at::While::body : +at::For::body);
  if (is(node, Kind::kWhile)) {
    Node* test = node->node(at::While::test);
    const Position at = header_of(node, test);
    loop_options(body, skip, nullptr, at);
    NameSet test_binds;
    names_bound_here(tree_, node, test_binds);
    Node* result = tree_.make(Kind::kReturn, test->at);
    result->node(at::Return::value) = test;
    add(part.body, tree_.arguments({}, at), *without_options(body, skip), {}, {});
    add(part.other, tree_.arguments({}, at), *tree_.list({result}), {}, test_binds);
    return;
  }
  Node* target = node->node(at::For::target);
  const Position at = header_of(node, node->node(at::For::iter));
  if (part.other) {  // whether it goes on, for both places that call it
    Node* const extra = node->list(at::For::orelse)[0]->node(at::Expr::value);
    ++moved_;
    out.push_back(tree_.assign(tree_.store(part.other, at), tree_.lambda(expression(extra), at), at));
    --moved_;
    scope.bound.add(part.other);
  }
  loop_options(body, skip, nullptr, at);
  const bool plain_target =
      !beside && is(target, Kind::kName) &&
      std::find(state.names.begin(), state.names.end(), target->name(at::Name::id)) == state.names.end();
  Name* item = plain_target ? target->name(at::Name::id) : tree_.fresh("itr");
  Nodes first;
  if (!plain_target) first.push_back(tree_.assign(target, tree_.load(item, target->at), target->at));
  add(part.body, tree_.arguments({item}, at), *without_options(body, skip), first, {});
}

// Lean: adds ag__.if_stmt(value, if_body, ...) and so on. `value`: the test, or what a for iterates over; null: as in
// the statement.
void Converter::staged_call(const Part& part, Node* value, Scope& scope, Nodes& out) {
  Node* node = part.node;
  const State state = state_of(node, activity_.flow(node).bound);
  names_bound_here(tree_, node, scope.bound);
  Nodes arguments;
  std::string_view operation;
  Position at;
  if (is(node, Kind::kIf)) {
    Node* test = node->node(at::If::test);
    at = header_of(node, test);
    operation = runtime_name::kIf;
    const bool guard = node->flags & kGuard;
    arguments = {value ? value : guard ? negated_flag(node, at) : expression(test), tree_.load(part.body, at),
                 part.other ? tree_.load(part.other, at) : tree_.none(at), state_names(state, at),
                 tree_.integer(state.outputs, at)};
    if (guard) arguments.push_back(tree_.boolean(true, at));
  } else {
    uint32_t skip;
    Node* options = nullptr;
    if (is(node, Kind::kWhile)) {
      at = header_of(node, node->node(at::While::test));
      operation = runtime_name::kWhile;
      options = loop_options(node->list(at::While::body), skip, nullptr, at);
      arguments = {tree_.load(part.other, at), tree_.load(part.body, at), state_names(state, at)};
    } else {
      at = header_of(node, node->node(at::For::iter));
      operation = runtime_name::kFor;
      // A range gives its target a value even if the loop runs no iteration.
      Node* target = node->node(at::For::target);
      Name* kept = is(target, Kind::kName) ? target->name(at::Name::id) : nullptr;
      if (std::find(state.names.begin(), state.names.end(), kept) == state.names.end()) kept = nullptr;
      options = loop_options(node->list(at::For::body), skip, kept ? tree_.string(kept->text, at) : nullptr, at);
      Node* extra = node->flags & kExtraTest ? node->list(at::For::orelse)[0]->node(at::Expr::value) : nullptr;
      arguments = {value ? value : expression(node->node(at::For::iter)),
                   part.other ? tree_.load(part.other, at)
                   : extra    ? tree_.lambda(expression(extra), at)
                              : tree_.none(at),
                   tree_.load(part.body, at), state_names(state, at)};
    }
    if (!options->list(at::Dict::keys).empty()) arguments.push_back(options);
  }
  out.push_back(tree_.expression(tree_.call(runtime(operation, at), tree_.list(arguments), at), at));
}

void Converter::staged_alone(Node* node, Node* value, Scope& scope, Nodes& out) {
  Part part{node, nullptr, nullptr};
  const auto reused = [&](Name*& name, std::string_view wanted) {
    if (!name) name = tree_.fresh(wanted);
    return name;
  };
  if (is(node, Kind::kIf)) {
    part.body = reused(if_body_, "if_body");
    if (!node->list(at::If::orelse).empty()) part.other = reused(else_body_, "else_body");
  } else {
    part.body = reused(loop_body_, "loop_body");
    if (is(node, Kind::kWhile)) part.other = reused(loop_test_, "loop_test");
  }
  names_bound_here(tree_, node, scope.bound);
  if (!value && is(node, Kind::kIf)) value = expression(node->node(at::If::test));
  if (!value && is(node, Kind::kFor)) value = expression(node->node(at::For::iter));
  staged_blocks(part, scope, out);
  staged_call(part, value, scope, out);
}

void Converter::if_statement(Node* node, Scope& scope, Nodes& out) {
  const Position at = header_of(node, node->node(at::If::test));
  const State state = state_of(node, activity_.flow(node).bound);
  const List& orelse = node->list(at::If::orelse);
  if (lean()) return staged_alone(node, nullptr, scope, out);
  Nodes body_functions;
  Node* body = moved_block(nullptr, tree_.arguments({}, at), node->list(at::If::body), {}, state, scope, node);
  Node* other = moved_block(nullptr, tree_.arguments({}, at), orelse, {}, state, scope, node);
  Name *getter, *setter;
  state_functions(state, at, out, &getter, &setter);
  Name* body_name = tree_.fresh("if_body");
  Name* other_name = tree_.fresh("else_body");
  body->fields()[at::FunctionDef::name].name = body_name;
  other->fields()[at::FunctionDef::name].name = other_name;
  out.push_back(body);
  out.push_back(other);
  undefined_assigns(state, at, scope, out);
  out.push_back(
      tree_.expression(tree_.call(ag("if_stmt", at),
                                  {expression(node->node(at::If::test)), tree_.load(body_name, at),
                                   tree_.load(other_name, at), tree_.load(getter, at), tree_.load(setter, at),
                                   state_names(state, at), tree_.integer(state.outputs, at)},
                                  at),
                       at));
}

// set_loop_options(...) at the start of a loop body: its keywords, as a dict for the runtime. It may come after
// statements that act like docstrings (flags added by a conversion).
Node* Converter::loop_options(const List& body, uint32_t& skip, Node* iterate_names, Position at) {
  Nodes keys, values;
  skip = UINT32_MAX;
  for (uint32_t i = 0; i < body.size && i < 2; ++i) {
    if (!is(body[i], Kind::kExpr) || !is(body[i]->node(at::Expr::value), Kind::kCall)) continue;
    const Node* call = body[i]->node(at::Expr::value);
    const Node* func = call->node(at::Call::func);
    const std::string_view name = is(func, Kind::kAttribute) ? func->name(at::Attribute::attr)->text
                                  : is(func, Kind::kName)    ? func->name(at::Name::id)->text
                                                             : std::string_view();
    if (name != "set_loop_options") continue;
    skip = i;
    static constexpr std::string_view kPlaces[] = {"parallel_iterations", "swap_memory", "maximum_iterations",
                                                   "shape_invariants"};
    const auto said = [&](std::string_view key, Node* value) {
      keys.push_back(tree_.string(key, at));
      plain_calls_ = true;
      values.push_back(expression(value));
      plain_calls_ = false;
    };
    const List& positional = call->list(at::Call::args);
    for (uint32_t k = 0; k < positional.size && k < std::size(kPlaces); ++k)
      if (!is(positional[k], Kind::kStarred)) said(kPlaces[k], positional[k]);
    for (const Node* keyword : call->list(at::Call::keywords)) {
      if (!keyword->name(at::keyword::arg)) continue;
      said(keyword->name(at::keyword::arg)->text, keyword->node(at::keyword::value));
    }
    break;
  }
  if (iterate_names) {
    keys.push_back(tree_.string("iterate_names", at));
    values.push_back(iterate_names);
  }
  Node* dict = tree_.make(Kind::kDict, at);
  dict->fields()[at::Dict::keys].list = tree_.list(keys);
  dict->fields()[at::Dict::values].list = tree_.list(values);
  return dict;
}

const List* Converter::without_options(const List& list, uint32_t skip) {
  if (skip == UINT32_MAX) return &list;
  Nodes rest;
  for (uint32_t i = 0; i < list.size; ++i)
    if (i != skip) rest.push_back(list[i]);
  return tree_.list(rest);
}

void Converter::while_statement(Node* node, Scope& scope, Nodes& out) {
  if (lean()) return staged_alone(node, nullptr, scope, out);
  Node* test = node->node(at::While::test);
  const Position at = header_of(node, test);
  const State state = state_of(node, activity_.flow(node).bound);
  uint32_t skip;
  Node* options = loop_options(node->list(at::While::body), skip, nullptr, at);
  const List* statements = without_options(node->list(at::While::body), skip);
  NameSet test_binds;
  names_bound_here(tree_, node, test_binds);
  Node* result = tree_.make(Kind::kReturn, test->at);
  result->node(at::Return::value) = test;
  Node* body = moved_block(nullptr, tree_.arguments({}, at), *statements, {}, state, scope, node);
  Nodes tester_body;
  if (!test_binds.empty()) {
    std::vector<Name*> names;
    test_binds.for_each([&](uint32_t id) { names.push_back(tree_.name_at(id)); });
    tester_body.push_back(declaration(Kind::kNonlocal, names, at));
  }
  Node* converted = tree_.copy(result);
  converted->node(at::Return::value) = expression(test);
  tester_body.push_back(converted);
  Name *getter, *setter;
  state_functions(state, at, out, &getter, &setter);
  Name* body_name = tree_.fresh("loop_body");
  Name* test_name = tree_.fresh("loop_test");
  body->fields()[at::FunctionDef::name].name = body_name;
  out.push_back(body);
  out.push_back(tree_.function(test_name, tree_.arguments({}, at), tree_.list(tester_body), at));
  undefined_assigns(state, at, scope, out);
  out.push_back(tree_.expression(
      tree_.call(ag("while_stmt", at), {tree_.load(test_name, at), tree_.load(body_name, at), tree_.load(getter, at),
                                        tree_.load(setter, at), state_names(state, at), options}, at),
      at));
}

void Converter::for_statement(Node* node, Scope& scope, Nodes& out) {
  if (lean()) return staged_alone(node, nullptr, scope, out);
  Node* target = node->node(at::For::target);
  Node* iterated = node->node(at::For::iter);
  const Position at = header_of(node, iterated);
  const State state = state_of(node, activity_.flow(node).bound);
  uint32_t skip;
  Node* names = tree_.string(unparse_expression(tree_, target), at);
  Node* options = loop_options(node->list(at::For::body), skip, names, at);
  const List* statements = without_options(node->list(at::For::body), skip);
  Node* extra = node->flags & kExtraTest ? node->list(at::For::orelse)[0]->node(at::Expr::value) : nullptr;

  Name* item = tree_.fresh("itr");
  const Nodes first{tree_.assign(target, tree_.load(item, target->at), target->at)};
  Node* body = moved_block(nullptr, tree_.arguments({item}, at), *statements, first, state, scope, node);
  Name *getter, *setter;
  state_functions(state, at, out, &getter, &setter);
  Name* body_name = tree_.fresh("loop_body");
  body->fields()[at::FunctionDef::name].name = body_name;
  out.push_back(body);
  Node* tester = tree_.none(at);
  if (extra) {
    Name* extra_name = tree_.fresh("extra_test");
    Node* result = tree_.make(Kind::kReturn, at);
    result->node(at::Return::value) = expression(extra);
    Nodes extra_body;
    declarations(state, at, extra_body);
    extra_body.push_back(result);
    out.push_back(tree_.function(extra_name, tree_.arguments({}, at), tree_.list(extra_body), at));
    tester = tree_.load(extra_name, at);
  }
  undefined_assigns(state, at, scope, out);
  out.push_back(tree_.expression(
      tree_.call(ag("for_stmt", at), {expression(iterated), tester, tree_.load(body_name, at), tree_.load(getter, at),
                                      tree_.load(setter, at), state_names(state, at), options}, at),
      at));
}

}  // namespace footlight::autograph
