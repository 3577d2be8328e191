// Lean: if, while and for stand twice, in Python's own form and in the staged one, which the runtime chooses; so do
// `and`, `or`, `not`, conditional expressions and chained comparisons.
#include "engine/autograph/convert.h"
#include "engine/autograph/converter.h"

#include <algorithm>
#include <utility>

namespace footlight::autograph {

Node* Converter::compared(Node* value, Op op, Node* with, Position at) {
  Node* node = tree_.make(Kind::kCompare, at);
  node->node(at::Compare::left) = value;
  node->fields()[at::Compare::ops].ops = tree_.op_list(&op, 1);
  node->fields()[at::Compare::comparators].list = tree_.list({with});
  return node;
}

Node* Converter::joined(Op op, const Nodes& values, Position at) {
  if (values.size() == 1) return values[0];
  Node* node = tree_.make(Kind::kBoolOp, at);
  node->fields()[at::BoolOp::op].op = op;
  node->fields()[at::BoolOp::values].list = tree_.list(values);
  return node;
}

// (name := value) in ag__.to_stage
// Nodes cost more than anything else of a conversion, and this is fewer than a call.
// A recording asks always: it notes what was decided.
Node* Converter::is_staged(Node* value, Name* name, Position at) {
  Node* named = tree_.make(Kind::kNamedExpr, at);
  named->node(at::NamedExpr::target) = tree_.store(name, at);
  named->node(at::NamedExpr::value) = value;
  if (options_.recorded) return tree_.call(runtime(runtime_name::kStaged, at), {named}, at);
  return compared(named, Op::kIn, runtime(runtime_name::kToStage, at), at);
}

Node* Converter::choice(Node* test, const Nodes& body, const Nodes& orelse, Position at) {
  Node* node = tree_.make(Kind::kIf, at);
  node->node(at::If::test) = test;
  Nodes filled(body);
  if (filled.empty()) filled.push_back(tree_.pass(at));
  node->fields()[at::If::body].list = tree_.list(filled);
  node->fields()[at::If::orelse].list = tree_.list(orelse);
  return node;
}

Node* Converter::flags_are_not(bool constant, Op join, const std::vector<Name*>& flags, Position at) {
  Nodes tests;
  for (Name* flag : flags) tests.push_back(compared(tree_.load(flag, at), Op::kIsNot, tree_.boolean(constant, at), at));
  return joined(join, tests, at);
}

// jumped_ and (flag is not False or other is not False)
Node* Converter::may_have_jumped(const std::vector<Name*>& flags, Position at) {
  return joined(Op::kAnd, {tree_.load(jumped(), at), flags_are_not(false, Op::kOr, flags, at)}, at);
}

// Statements side by side share their names.
Name* Converter::at_depth(std::vector<Name*>& names, std::string_view wanted) {
  const auto depth = static_cast<size_t>(nesting_);
  if (names.size() <= depth) names.resize(depth + 1);
  if (!names[depth]) names[depth] = tree_.fresh(wanted);
  return names[depth];
}

Name* Converter::jumped() {
  if (!jumped_) jumped_ = tree_.fresh("jumped_");
  return jumped_;
}

// Follows a staged statement, whose flags may have become tensors. Without one, only jumped_ is read.
void Converter::note_jumps(const Node* node, Nodes& out) {
  if (!(node->flags & (kHasReturn | kHasBreak | kHasContinue | kOwnBreak))) return;
  out.push_back(tree_.assign(tree_.store(jumped(), node->at), tree_.boolean(true, node->at), node->at));
}

// In Python's own form a jump leaves its loop directly, so only staged statements set the flags.
bool Converter::native_jump(Node* node, Nodes& out) {
  if (!native()) return false;
  if (node->flags & kBreaks) {
    out.push_back(node);
    out.push_back(tree_.make(Kind::kBreak, node->at));
  } else if (node->flags & kContinues) {
    out.push_back(tree_.make(Kind::kContinue, node->at));
  }
  return node->flags & (kBreaks | kContinues | kAfterBreak);
}

namespace {
// The if at the end of a block: nothing else runs after it where the block's own if ends.
bool ends(const List& list, const Node* node) { return list[list.size - 1] == node && is(node, Kind::kIf); }

enum class Inside : uint8_t { kNothing, kLastIfs, kStatements };
// The state for converting the inside of a statement. A try with handlers has its own, because these must know of it.
Inside inside(const Node* node) {
  Inside found = Inside::kNothing;
  const auto see = [&](Inside more) { found = std::max(found, more); };
  const KindInfo& described = info(node->kind);
  for (int i = 0; i < described.field_count && found != Inside::kStatements; ++i) {
    if (described.fields[i].type != FieldType::kList) continue;
    const List& list = node->list(i);
    if (list.empty() || is_function(node) || is(node, Kind::kClassDef)) continue;
    const bool statements = info(list[0]->kind).category == Category::kStatement;
    if (!statements && !is(list[0], Kind::kExceptHandler) && !is(list[0], Kind::kmatch_case)) continue;
    if (i == at::Try::body && (is(node, Kind::kTry) || is(node, Kind::kTryStar)) &&
        !node->list(at::Try::handlers).empty())
      continue;
    for (const Node* child : list) {
      const Inside within = inside(child);
      if (!is_converted(child)) see(within == Inside::kNothing ? within : Inside::kStatements);
      else if (is(node, Kind::kIf) && ends(list, child)) see(std::max(within, Inside::kLastIfs));
      else see(Inside::kStatements);
    }
  }
  return found;
}
}  // namespace

// A statement with others inside it, all in Python's own form: what is staged of them stands once, in one function.
// def parts(rest_, test_):
//   def if_body ...; def loop_body ...   -- which call ag__.if_stmt and so on with the blocks of those inside
//   ...
//   if rest_ == 1: ag__.if_stmt(test_, if_body, ...)
//   if rest_ == 2: ag__.for_stmt(test_, loop_body, ...)
// and parts(2, values_) is what is staged of the second. Where further ifs end its blocks, as in elif and after
// returns, the function is made only when it is needed, after them:
// rest_ = 0
// if (test_ := x > 0) in ag__.to_stage: rest_ = 1
// elif test_: ...
// elif (test_ := x > 1) in ag__.to_stage: rest_ = 2
// elif test_: ...
// if rest_: def parts(rest_, test_): ...; parts(rest_, test_)
// Where staged forms are compiled late, every statement has such a function, but not here: ag__.late(0, 2, values_) is
// what is staged of the second, and 0 the function's place among all.
void Converter::either(Node* node, Scope& scope, Nodes& out) {
  if (contained_loop(node, scope, out)) return;
  if (in_loop_ || is(node, Kind::kIf)) return in_both_forms(node, scope, out);
  in_loop_ = true;
  begin_numbers(node, scope, out);
  in_both_forms(node, scope, out);
  numbers_ = nullptr;
  in_loop_ = false;
}

void Converter::in_both_forms(Node* node, Scope& scope, Nodes& out) {
  const auto in_python = [&] {
    switch (node->kind) {
      case Kind::kIf: either_if(node, scope, out); break;
      case Kind::kWhile: either_while(node, scope, out); break;
      default: either_for(node, scope, out); break;
    }
  };
  const Inside within = parts_ ? Inside::kNothing : inside(node);
  const bool first = !parts_;
  // Only where functions are not shared does what is staged stand again, for each level.
  int& depth = node->flags & kGuard ? guards_ : depth_;
  const bool late = options_.late && first;
  if (within == Inside::kNothing && !late) {
    depth += first;
    in_python();
    depth -= first;
    return;
  }
  const Position at = header_of(node, node->node(is(node, Kind::kFor) ? +at::For::iter : +at::If::test));
  Parts parts;
  if (late) {
    parts.late = static_cast<int64_t>(result_.late.size());
    result_.late.push_back(nullptr);
    result_.late_in.push_back(function_);
  } else {
    parts.function = at_depth(functions_, "parts");
    scope.bound.add(parts.function);
  }
  if (!late && within == Inside::kLastIfs) {
    parts.rest = at_depth(rest_, "rest_");
    scope.bound.add(parts.rest);
    out.push_back(tree_.assign(tree_.store(parts.rest, at), tree_.integer(0, at), at));
  }
  const size_t before = out.size();
  parts_ = &parts;
  ++depth;
  in_python();
  --depth;
  parts_ = nullptr;
  if (late) return late_parts(parts, scope);
  Nodes made;
  only_staged_ = true;
  beside_ = &parts;
  staged_parts(parts, scope, made);
  beside_ = nullptr;
  only_staged_ = false;
  if (!parts.rest) {
    out.insert(out.begin() + static_cast<ptrdiff_t>(before), made.begin(), made.end());
    return;
  }
  made.push_back(tree_.expression(
      tree_.call(tree_.load(parts.function, at), {tree_.load(parts.rest, at), tree_.load(value_of_part(), at)}, at),
      at));
  note_jumps(node, made);
  out.push_back(choice(tree_.load(parts.rest, at), made, {}, at));
}

void Converter::late_parts(Parts& parts, Scope& scope) {
  Nodes made;
  only_staged_ = true;
  beside_ = &parts;
  parts.function = tree_.name("ag__.parts");
  staged_parts(parts, scope, made);
  beside_ = nullptr;
  only_staged_ = false;
  result_.late[static_cast<size_t>(parts.late)] = made[0];
  shared_with_late_.add_all(free_names(tree_, made[0], result_.steps));
}

// The staged part of an expression whose first operand is value_: def parts(number, value_): return staged
Node* Converter::late_value(Node* staged, Position at) {
  if (!options_.late || !function_) return staged;
  Node* result = tree_.make(Kind::kReturn, at);
  result->node(at::Return::value) = staged;
  Node* arguments = tree_.arguments({tree_.name("ag__.number"), value_}, at);
  Node* made = tree_.function(tree_.name("ag__.parts"), arguments, tree_.list({result}), at);
  result_.late.push_back(made);
  result_.late_in.push_back(function_);
  shared_with_late_.add_all(free_names(tree_, made, result_.steps));
  return late_call(static_cast<int64_t>(result_.late.size()) - 1, 0, tree_.load(value_, at), at);
}

// ag__.late(0, 2, values_)
Node* Converter::late_call(int64_t which, int64_t number, Node* value, Position at) {
  Node* made =
      tree_.call(runtime(runtime_name::kLate, at),
                 {tree_.integer(which, at), tree_.integer(number, at), value ? value : tree_.none(at)}, at);
  if (!first_late_) first_late_ = made;
  return made;
}

Name* Converter::value_of_part() {
  if (!test_) test_ = tree_.fresh("test_");
  return test_;
}

void Converter::staged_parts(Parts& parts, Scope& scope, Nodes& out) {
  const Position at = parts.all[0]->node->at;
  Name* number = parts.rest ? parts.rest : at_depth(rest_, "rest_");
  Scope inner;
  inner.moved = true;
  Nodes body;
  for (Part* part : parts.all) {
    const bool loop = !is(part->node, Kind::kIf);
    part->body = tree_.fresh(loop ? "loop_body" : "if_body");
    if (is(part->node, Kind::kWhile) || (loop && part->node->flags & kExtraTest))
      part->other = tree_.fresh("loop_test");
    else if (!loop && !part->node->list(at::If::orelse).empty()) part->other = tree_.fresh("else_body");
  }
  for (const Part* part : parts.all) staged_blocks(*part, inner, body);
  for (const Part* part : parts.all) {
    Nodes call;
    const bool valued = !is(part->node, Kind::kWhile) && !(part->node->flags & kGuard);
    ++moved_;
    staged_call(*part, valued ? tree_.load(value_of_part(), at) : nullptr, inner, call);
    --moved_;
    Node* is_this = compared(tree_.load(number, at), Op::kEq, tree_.integer(part->number, at), at);
    body.push_back(choice(is_this, call, {}, at));
  }
  scope.wanted.add_all(inner.wanted);
  out.push_back(tree_.function(parts.function, tree_.arguments({number, value_of_part()}, at), tree_.list(body), at));
}

// The staged form of a statement. `value`: its test, or what it iterates over.
Converter::Nodes Converter::staged_form(Node* node, Node* value, Scope& scope) {
  Nodes out;
  const Position at = header_of(node, node->node(is(node, Kind::kFor) ? +at::For::iter : +at::If::test));
  if (parts_) {
    Part& part = part_of_.try_emplace(node, Part{node, nullptr, nullptr}).first->second;
    parts_->all.push_back(&part);
    part.of = parts_;
    part.number = static_cast<int64_t>(parts_->all.size());
    Node* number = tree_.integer(part.number, at);
    if (parts_->late >= 0) {
      out.push_back(tree_.expression(late_call(parts_->late, part.number, value, at), at));
      note_jumps(node, out);
      return out;
    }
    if (parts_->rest) return {tree_.assign(tree_.store(parts_->rest, at), number, at)};
    out.push_back(tree_.expression(
        tree_.call(tree_.load(parts_->function, at), {number, value ? value : tree_.none(at)}, at), at));
  } else {
    only_staged_ = true;
    staged_alone(node, value, scope, out);
    only_staged_ = false;
  }
  note_jumps(node, out);
  return out;
}

Node* Converter::negated_flag(const Node* guard, Position at) {
  Node* flag = guard->node(at::If::test)->node(at::UnaryOp::operand);
  return tree_.call(runtime(runtime_name::kNot, at), {flag}, at);
}

// if (test_ := x > 0) in ag__.to_stage:
//   def if_body ...; ag__.if_stmt(test_, if_body, ...)
// elif test_: ...
// A guard, whose test is `not flag`:
// if jumped_ and flag is not False:
//   if flag is not True: def if_body ...; ag__.if_stmt(ag__.not_(flag), if_body, ...)
// else: ...
void Converter::either_if(Node* node, Scope& scope, Nodes& out) {
  const Position at = header_of(node, node->node(at::If::test));
  Node* const condition = node->node(at::If::test);
  names_bound_here(tree_, node, scope.bound);
  Nodes body, orelse;
  Node* value = nullptr;
  const bool guard = node->flags & kGuard;
  if (!guard) {
    scope.bound.add(value_of_part());
    const Flow* const outer = std::exchange(flow_, &activity_.flow(node));
    value = asked_anyway(condition);
    flow_ = outer;
  }
  const Nodes staged = staged_form(node, guard ? nullptr : tree_.load(test_, at), scope);
  ++nesting_;
  block(node->list(at::If::body), scope, body);
  block(node->list(at::If::orelse), scope, orelse);
  --nesting_;
  if (guard) {
    Name* flag = condition->node(at::UnaryOp::operand)->name(at::Name::id);
    Node* tensor = choice(flags_are_not(true, Op::kOr, {flag}, at), staged, {}, at);
    // A break leaves its loop but not what follows; other jumps leave everything in the guard.
    const bool of_break = lowered_.break_flags.has(flag);
    Node* asked = of_break ? flags_are_not(false, Op::kOr, {flag}, at) : may_have_jumped({flag}, at);
    out.push_back(choice(asked, {tensor}, body, at));
    return;
  }
  Node *asked = is_staged(value, test_, at), *holds = tree_.load(test_, at);
  if (is_decided(condition)) {
    asked = unless_plain(asked, at);
    holds = if_plain(condition, holds, at);
  }
  out.push_back(choice(asked, staged, {choice(holds, body, orelse, at)}, at));
}

// The variables that decide whether a test is a tensor, where evaluating them ahead of it does nothing else.
// `certain`: the test evaluates this part whatever the others are; elsewhere a variable may have no value.
bool Converter::plain_leaves(const Node* test, bool certain, std::vector<Name*>& leaves) {
  constexpr size_t kMax = 6;
  switch (test->kind) {
    case Kind::kConstant: return true;
    case Kind::kName: {
      Name* name = test->name(at::Name::id);
      if (std::find(leaves.begin(), leaves.end(), name) != leaves.end()) return true;
      leaves.push_back(name);
      return leaves.size() <= kMax &&
             (certain || activity_.parameters.has(name) ||
              (flow_ && flow_->defined_in.has(name) && !activity_.in_patterns.has(name)));
    }
    case Kind::kCall: {
      const Node* func = test->node(at::Call::func);
      const List& args = test->list(at::Call::args);
      return is(func, Kind::kName) && func->name(at::Name::id)->text == "len" && args.size == 1 &&
             test->list(at::Call::keywords).empty() && is(args[0], Kind::kName) &&
             plain_leaves(args[0], certain, leaves);
    }
    case Kind::kCompare:
    case Kind::kBoolOp:
    case Kind::kBinOp:
    case Kind::kUnaryOp: {
      const uint32_t first = is(test, Kind::kBoolOp) ? 1 : is(test, Kind::kCompare) ? 2 : 3;
      uint32_t seen = 0;
      bool plain = true;
      for_each_child(test, [&](const Node* child) {
        plain = plain && plain_leaves(child, certain && seen++ < first, leaves);
      });
      return plain;
    }
    default: return false;
  }
}

// test if ag__.plain(x, y) else staged, while recording: numbers make no tensors. Null: it does more than compare
// variables.
Node* Converter::plain_or(Node* test, const std::function<Node*()>& staged) {
  std::vector<Name*> leaves;
  if (!options_.recorded || !inline_forms() || plain_calls_) return nullptr;
  if (!plain_leaves(test, true, leaves) || leaves.empty()) return nullptr;
  Nodes arguments;
  for (Name* leaf : leaves) arguments.push_back(tree_.load(leaf, test->at));
  Node* made = tree_.make(Kind::kIfExp, test->at);
  made->node(at::IfExp::test) = tree_.call(runtime(runtime_name::kPlain, test->at), tree_.list(arguments), test->at);
  made->node(at::IfExp::body) = test;
  ++moved_;
  made->node(at::IfExp::orelse) = staged();
  --moved_;
  return made;
}

// go_on_ = True
// if not ag__.staged(x):
//   for test_ in ag__.turns(ag__.forever):
//     test_ = x > 0
//     if test_ is not True:
//       if test_ is not False and ag__.staged(test_): break
//       if not test_: go_on_ = False; break
//     ...
//     if jumped_ and break_ is not False: break
// if go_on_ and break_ is not True: def loop_body ...; ag__.while_stmt(...)
// A test that may do something else than compare is evaluated by the runtime alone while a function is traced.
void Converter::either_while(Node* node, Scope& scope, Nodes& out) {
  const Position at = header_of(node, node->node(at::While::test));
  Nodes turn;
  const Flow& flow = activity_.flow(node);
  const Nodes staged = staged_form(node, nullptr, scope);
  Node* test = node->node(at::While::test);
  std::vector<Name*> flags;
  while (is(test, Kind::kBoolOp) && (test->flags & kExtraTest)) {
    const List& values = test->list(at::BoolOp::values);
    flags.push_back(values[0]->node(at::UnaryOp::operand)->name(at::Name::id));
    test = values[1];
  }
  uint32_t skip;
  loop_options(node->list(at::While::body), skip, nullptr, at);
  const List* statements = without_options(node->list(at::While::body), skip);
  names_bound_here(tree_, node, scope.bound);
  if (!test_) test_ = tree_.fresh("test_");
  scope.bound.add(test_);
  Name* go_on = at_depth(go_on_, "go_on_");
  scope.bound.add(go_on);
  auto is_not = [&](bool constant) {
    return compared(tree_.load(test_, at), Op::kIsNot, tree_.boolean(constant, at), at);
  };
  auto leave = [&] { return tree_.make(Kind::kBreak, at); };
  const bool forever = is(test, Kind::kConstant) && test->constant(at::Constant::value).kind == ConstantKind::kTrue;
  if (!forever) {
    const Flow* const outer = std::exchange(flow_, &flow);
    Nodes asks{tree_.assign(tree_.store(test_, at), asked_anyway(test), at)};
    flow_ = outer;
    Node* asked = tree_.call(runtime(runtime_name::kStaged, at), {tree_.load(test_, at)}, at);
    Node* becomes = choice(joined(Op::kAnd, {is_not(false), asked}, at), {leave()}, {}, at);
    const auto unless = [&](Node* holds) {
      return choice(tree_.unary(Op::kNot, holds, at),
                    {tree_.assign(tree_.store(go_on, at), tree_.boolean(false, at), at), leave()}, {}, at);
    };
    asks.push_back(choice(is_not(true), {becomes, unless(tree_.load(test_, at))}, {}, at));
    if (is_decided(test)) turn.push_back(choice(tree_.load(plain_, at), {unless(test)}, asks, at));
    else turn = asks;
  }
  ++nesting_;
  block(*statements, scope, turn);
  --nesting_;
  if (!flags.empty()) turn.push_back(choice(may_have_jumped(flags, at), {leave()}, {}, at));
  if (turn.empty()) turn.push_back(tree_.pass(at));
  Node* loop = tree_.make(Kind::kFor, node->at);
  loop->node(at::For::target) = tree_.store(test_, at);
  loop->node(at::For::iter) = tree_.call(runtime(runtime_name::kTurns, at), {runtime(runtime_name::kForever, at)}, at);
  loop->fields()[at::For::body].list = tree_.list(turn);

  Nodes asked;
  std::vector<Name*> leaves;
  flow_ = &flow;
  const bool plain = plain_leaves(test, true, leaves);
  flow_ = nullptr;
  if (plain) {
    for (Name* leaf : leaves)
      asked.push_back(tree_.call(runtime(runtime_name::kStaged, at), {tree_.load(leaf, at)}, at));
    if (leaves.empty()) asked.push_back(tree_.call(runtime(runtime_name::kStaged, at), {tree_.none(at)}, at));
  } else {
    asked.push_back(tree_.call(runtime(runtime_name::kTracing, at), std::initializer_list<Node*>{}, at));
  }
  Nodes rest{tree_.load(go_on, at)};
  if (!flags.empty()) rest.push_back(flags_are_not(true, Op::kAnd, flags, at));
  out.push_back(tree_.assign(tree_.store(go_on, at), tree_.boolean(true, at), at));
  out.push_back(choice(tree_.unary(Op::kNot, joined(Op::kOr, asked, at), at), {loop}, {}, at));
  out.push_back(choice(joined(Op::kAnd, rest, at), staged, {}, at));
}

// values_ = xs
// if ag__.staged(values_): def loop_body ...; ag__.for_stmt(values_, ...)
// else: for x in ag__.turns(values_): ...
// Where a break or return may depend on a tensor, the rest of the iterations are then staged one by one:
// turns_ = xs
// if not ag__.staged(turns_):
//   turns_ = ag__.turns(turns_)
//   for x in turns_:
//     ...
//     if jumped_ and break_ is not False: break
//   else: turns_ = None
// if turns_ is not None and break_ is not True: def loop_body ...; ag__.for_stmt(turns_, ...)
void Converter::either_for(Node* node, Scope& scope, Nodes& out) {
  Node* iterated = node->node(at::For::iter);
  const Position at = header_of(node, iterated);
  Node* extra = node->flags & kExtraTest ? node->list(at::For::orelse)[0]->node(at::Expr::value) : nullptr;
  if (!values_ && !extra) values_ = tree_.fresh("values_");
  Name* values = extra ? at_depth(turns_, "turns_") : values_;
  scope.bound.add(values);
  out.push_back(tree_.assign(tree_.store(values, at), expression(iterated), at));
  Nodes body;
  const Nodes staged = staged_form(node, tree_.load(values, at), scope);
  uint32_t skip;
  loop_options(node->list(at::For::body), skip, nullptr, at);
  const List* statements = without_options(node->list(at::For::body), skip);
  names_bound_here(tree_, node, scope.bound);
  ++nesting_;
  block(*statements, scope, body);
  --nesting_;
  std::vector<Name*> flags;
  if (extra) {
    auto flag_of = [&](const Node* negated) {
      flags.push_back(negated->node(at::UnaryOp::operand)->name(at::Name::id));
    };
    if (is(extra, Kind::kBoolOp)) for_each_child(extra, flag_of);
    else flag_of(extra);
    body.push_back(choice(may_have_jumped(flags, at), {tree_.make(Kind::kBreak, at)}, {}, at));
  }
  if (body.empty()) body.push_back(tree_.pass(at));
  Node* source = tree_.call(runtime(runtime_name::kTurns, at), {tree_.load(values, at)}, at);
  Node* loop = tree_.make(Kind::kFor, node->at);
  loop->node(at::For::target) = expression(node->node(at::For::target));
  loop->node(at::For::iter) = extra ? tree_.load(values, at) : source;
  loop->fields()[at::For::body].list = tree_.list(body);
  Node* asked = tree_.call(runtime(runtime_name::kStaged, at), {tree_.load(values, at)}, at);
  if (!extra) {
    out.push_back(choice(asked, staged, {loop}, at));
    return;
  }
  loop->fields()[at::For::orelse].list =
      tree_.list({tree_.assign(tree_.store(values, at), tree_.none(at), at)});
  out.push_back(choice(tree_.unary(Op::kNot, asked, at),
                       {tree_.assign(tree_.store(values, at), source, at), loop}, {}, at));
  Node* left = compared(tree_.load(values, at), Op::kIsNot, tree_.none(at), at);
  out.push_back(choice(joined(Op::kAnd, {left, flags_are_not(true, Op::kAnd, flags, at)}, at), staged, {}, at));
}

// staged if (value_ := first) in ag__.to_stage else python: both sides use value_.
Node* Converter::either_expression(Node* first, Node* staged, Node* python, Position at) {
  Node* made = tree_.make(Kind::kIfExp, at);
  made->node(at::IfExp::test) = is_staged(first, value_, at);
  made->node(at::IfExp::body) = late_value(staged, at);
  made->node(at::IfExp::orelse) = python;
  return made;
}

bool Converter::inline_forms() {
  if (!native() || raw_expressions_ || class_body_ || kept_comprehension_) return false;
  if (expression_depth_ >= kMaxForms) return false;
  if (!value_) value_ = tree_.fresh("value_");
  return true;
}

// and_(value_, lambda: b, lambda: c) if (value_ := a) in ag__.to_stage else value_ and ...
Node* Converter::either_bool(const List& values, uint32_t from, bool is_and, Position at) {
  Node* first = expression(values[from]);
  if (from + 1 == values.size) return first;
  constexpr uint32_t kLongest = 8;
  if (!inline_forms() || from >= kLongest) {
    Nodes all{first};
    for (uint32_t i = from + 1; i < values.size; ++i) all.push_back(thunk(values[i]));
    return tree_.call(runtime(is_and ? runtime_name::kAnd : runtime_name::kOr, at), tree_.list(all), at);
  }
  const Op op = is_and ? Op::kAnd : Op::kOr;
  ++expression_depth_;
  Node* rest = either_bool(values, from + 1, is_and, at);
  --expression_depth_;
  if (always_python(values[from])) return joined(op, {first, rest}, at);
  Nodes all{tree_.load(value_, at)};
  for (uint32_t i = from + 1; i < values.size; ++i) all.push_back(thunk(values[i]));
  Node* staged = tree_.call(runtime(is_and ? runtime_name::kAnd : runtime_name::kOr, at), tree_.list(all), at);
  return either_expression(first, staged, joined(op, {tree_.load(value_, at), rest}, at), at);
}

}  // namespace footlight::autograph
