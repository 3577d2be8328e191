// Conversion of expressions: calls, and/or/not, conditional expressions, chained comparisons; ag__.ld in readable form.
#include "engine/autograph/convert.h"
#include "engine/autograph/converter.h"
#include "engine/autograph/unparse.h"

#include <algorithm>

namespace footlight::autograph {

Node* Converter::thunk(Node* value) {
  ++moved_;
  Node* made = tree_.lambda(expression(value), value->at);
  --moved_;
  return made;
}

const List* Converter::expressions(const List& list) {
  std::vector<Node*> items;
  bool changed = false;
  for (Node* node : list) {
    Node* made = node ? expression(node) : nullptr;
    changed |= made != node;
    items.push_back(made);
  }
  return changed ? tree_.list(items) : &list;
}

// The node with its children converted; itself if nothing changed.
Node* Converter::generic(Node* node) {
  const KindInfo& described = info(node->kind);
  Node* made = nullptr;
  auto fields = [&] {
    if (!made) made = tree_.copy(node);
    return made->fields();
  };
  for (int i = 0; i < described.field_count; ++i) {
    const FieldType type = described.fields[i].type;
    if (type == FieldType::kNode || type == FieldType::kOptional) {
      Node* child = node->node(i);
      Node* converted = child ? expression(child) : nullptr;
      if (converted != child) fields()[i].node = converted;
    } else if (type == FieldType::kList || type == FieldType::kOptionalList) {
      const List* list = node->fields()[i].list;
      const List* converted = expressions(*list);
      if (converted != list) fields()[i].list = converted;
    }
  }
  return made ? made : node;
}

Node* Converter::expression(Node* node) {
  ++result_.steps;
  if (raw_expressions_) return node;
  switch (node->kind) {
    case Kind::kName: {
      Name* name = node->name(at::Name::id);
      if (lean() || plain_names_ || name->generated || node->op(at::Name::ctx) != Op::kLoad) return node;
      return tree_.call(ag("ld", node->at), {node}, node->at);
    }
    case Kind::kConstant: return node;
    case Kind::kCall: return call(node);
    case Kind::kBoolOp:
      if (Node* made = decided(node)) return made;
      return bool_op(node);
    case Kind::kIfExp:
      if (Node* made = decided(node)) return made;
      return conditional(node);
    case Kind::kCompare:
      if (Node* made = decided(node)) return made;
      return compare(node);
    case Kind::kUnaryOp:
      if (Node* made = decided(node)) return made;
      if (node->op(at::UnaryOp::op) == Op::kNot && !(lean() && (class_body_ || always_python(node)))) {
        if (Node* made = plain_or(node, [&] { return expression(node); })) return made;
        Node* operand = expression(node->node(at::UnaryOp::operand));
        if (inline_forms())
          return either_expression(operand, tree_.call(runtime(runtime_name::kNot, node->at),
                                                       {tree_.load(value_, node->at)}, node->at),
                                   tree_.unary(Op::kNot, tree_.load(value_, node->at), node->at), node->at);
        return tree_.call(lean() ? runtime(runtime_name::kNot, node->at) : ag("not_", node->at), {operand}, node->at);
      }
      return generic(node);
    case Kind::kListComp:
    case Kind::kSetComp:
    case Kind::kDictComp:
    case Kind::kGeneratorExp: {
      if (lean() && !class_body_ && movable(node)) return comprehension(node);
      ++kept_comprehension_;
      Node* kept = generic(node);
      --kept_comprehension_;
      return kept;
    }
    case Kind::kLambda: {
      Converter inner(tree_, options_, result_, this);
      inner.plain_names_ = plain_names_;
      inner.function_ = nullptr;
      inner.kept_comprehension_ = kept_comprehension_;
      inner.only_staged_ = !native();
      const std::string reason = std::move(result_.reason);
      Node* made = inner.lambda(node);
      result_.reason = reason;
      if (!made) return node;
      return lean() ? made : tree_.call(ag("autograph_artifact", node->at), {made}, node->at);
    }
    default: return generic(node);
  }
}

namespace {
// Whether the expression contains no call, which could change an object's attributes.
bool calls_nothing(const Node* node) {
  switch (node->kind) {
    case Kind::kName:
    case Kind::kConstant: return true;
    case Kind::kAttribute:
    case Kind::kSubscript:
    case Kind::kBinOp:
    case Kind::kUnaryOp:
    case Kind::kCompare:
    case Kind::kTuple:
    case Kind::kList:
    case Kind::kDict:
    case Kind::kSlice:
    case Kind::kStarred:
    case Kind::kJoinedStr:
    case Kind::kFormattedValue:
    case Kind::kkeyword: {
      bool fine = true;
      for_each_child(node, [&](const Node* child) { fine = fine && calls_nothing(child); });
      return fine;
    }
    default: return false;
  }
}
}  // namespace

Node* Converter::call(Node* node) {
  Node* func = node->node(at::Call::func);
  const List& args = node->list(at::Call::args);
  const List& keywords = node->list(at::Call::keywords);
  const Position at = node->at;
  const std::string_view name = is(func, Kind::kName) ? func->name(at::Name::id)->text : std::string_view();
  if (name == runtime_name::kAppend) return generic(node);
  // print runs while tracing, unless the function's options say otherwise, which the runtime knows; a debugger needs
  // the user's frame.
  if (!options_.recursive || plain_calls_ || (name == "print" && !lean()) || name == "breakpoint" ||
      (lean() && class_body_))
    return generic(node);
  if (lean()) {
    if (name == "super" && args.empty() && function_) {
      // Without arguments it would look at its caller, which may be a moved block.
      const Node* parameters = function_->node(at::FunctionDef::args);
      const List& first = parameters->list(at::arguments::posonlyargs).empty()
                              ? parameters->list(at::arguments::args)
                              : parameters->list(at::arguments::posonlyargs);
      if (first.empty()) return node;
      Node* made = tree_.copy(node);
      made->fields()[at::Call::args].list =
          tree_.list({tree_.load(tree_.name("__class__"), at), tree_.load(first[0]->name(at::arg::arg), at)});
      return made;
    }
    const bool method = is(func, Kind::kAttribute) && std::all_of(args.begin(), args.end(), calls_nothing) &&
                        std::all_of(keywords.begin(), keywords.end(), calls_nothing);
    Nodes all;
    if (method) {
      all.push_back(tree_.string(func->name(at::Attribute::attr)->text, func->at));
      all.push_back(expression(func->node(at::Attribute::value)));
    } else {
      all.push_back(expression(func));
    }
    for (Node* arg : args) all.push_back(expression(arg));
    Node* made = tree_.call(runtime(method ? runtime_name::kMethod : runtime_name::kCall, at), tree_.list(all), at);
    made->fields()[at::Call::keywords].list = expressions(keywords);
    return made;
  }
  // (a, b) + tuple(c): plain arguments in tuples, starred ones after them
  Node* packed = nullptr;
  Nodes plain;
  auto append = [&](Node* part) {
    if (!packed) {
      packed = part;
      return;
    }
    Node* sum = tree_.make(Kind::kBinOp, at);
    sum->node(at::BinOp::left) = packed;
    sum->fields()[at::BinOp::op].op = Op::kAdd;
    sum->node(at::BinOp::right) = part;
    packed = sum;
  };
  auto flush = [&] {
    if (!plain.empty()) append(tree_.tuple(tree_.list(plain), Op::kLoad, at));
    plain.clear();
  };
  for (Node* arg : args) {
    if (!is(arg, Kind::kStarred)) {
      plain.push_back(expression(arg));
      continue;
    }
    flush();
    append(tree_.call(tree_.load(tree_.name("tuple"), at), {expression(arg->node(at::Starred::value))}, at));
  }
  flush();
  if (!packed) packed = tree_.tuple(&kEmptyList, Op::kLoad, at);
  Node* named = tree_.none(at);
  if (!keywords.empty()) {
    named = tree_.call(tree_.load(tree_.name("dict"), at), std::initializer_list<Node*>{}, at);
    named->fields()[at::Call::keywords].list = expressions(keywords);
  }
  Node* scope = scope_name_ ? tree_.load(scope_name_, at) : ag("STD", at);
  return tree_.call(ag("converted_call", at), {expression(func), packed, named, scope}, at);
}

Node* Converter::bool_op(Node* node) {
  const List& values = node->list(at::BoolOp::values);
  const bool is_and = node->op(at::BoolOp::op) == Op::kAnd;
  bool convertible = !class_body_ && !(lean() && always_python(node));
  for (uint32_t i = lean() ? 1 : 0; i < values.size; ++i) convertible &= movable(values[i]);
  if (!convertible) return generic(node);
  if (Node* made = plain_or(node, [&] { return bool_op(node); })) return made;
  if (lean()) return either_bool(values, 0, is_and, node->at);  // the first operand is always evaluated
  Node* right = thunk(values[values.size - 1]);
  for (uint32_t i = values.size - 1; i-- > 0;) {
    Node* made = tree_.call(ag(is_and ? "and_" : "or_", node->at), {thunk(values[i]), right}, node->at);
    if (i == 0) return made;
    right = tree_.lambda(made, node->at);
  }
  return right;
}

namespace {
bool simple(const Node* node) { return is(node, Kind::kName) || is(node, Kind::kConstant); }
}  // namespace

// left op b op c ...: and_(left op b, lambda: b op c ...). A middle operand that is more than a name is
// evaluated once: (lambda left, b: and_(left op b, lambda: b op c ...))(left, b). The operands are already
// converted.
Node* Converter::pairs(Node* left, const OpList& ops, const List& comparators, uint32_t from, Position at) {
  auto one = [&](Node* a, Node* b) { return compared(a, ops[from], b, at); };
  Node* right = comparators[from];
  if (from + 1 == comparators.size) return one(left, right);
  auto both = [&](Node* a, Node* b) {
    Node* rest = pairs(b, ops, comparators, from + 1, at);
    return tree_.call(runtime(runtime_name::kAnd, at), {one(a, b), tree_.lambda(rest, at)}, at);
  };
  if (simple(right) && inline_forms()) {
    ++moved_;
    Node* rest = pairs(right, ops, comparators, from + 1, at);
    --moved_;
    Node* staged = tree_.call(runtime(runtime_name::kAnd, at), {tree_.load(value_, at), tree_.lambda(rest, at)}, at);
    ++expression_depth_;
    Node* python = pairs(right, ops, comparators, from + 1, at);
    --expression_depth_;
    return either_expression(one(left, right), staged,
                             joined(Op::kAnd, Nodes{tree_.load(value_, at), python}, at), at);
  }
  if (simple(left) && simple(right)) return both(left, right);
  Name* left_name = tree_.fresh("left");
  Name* right_name = tree_.fresh("right");
  Node* made = tree_.make(Kind::kLambda, at);
  made->node(at::Lambda::args) = tree_.arguments({left_name, right_name}, at);
  made->node(at::Lambda::body) = both(tree_.load(left_name, at), tree_.load(right_name, at));
  return tree_.call(made, {left, right}, at);
}

Node* Converter::compare(Node* node) {
  const List& comparators = node->list(at::Compare::comparators);
  bool convertible = comparators.size > 1 && !class_body_ && movable(node) && !(lean() && always_python(node));
  if (!convertible) return generic(node);
  if (Node* made = plain_or(node, [&] { return compare(node); })) return made;
  const OpList& ops = node->ops(at::Compare::ops);
  if (lean()) {
    ++moved_;
    Node* left = expression(node->node(at::Compare::left));
    const List* converted = expressions(comparators);
    --moved_;
    return pairs(left, ops, *converted, 0, node->at);
  }
  // and_(lambda: a < b, lambda: b < c)
  Node* right = nullptr;
  for (uint32_t i = comparators.size; i-- > 0;) {
    Node* one = tree_.make(Kind::kCompare, node->at);
    one->node(at::Compare::left) = expression(i ? comparators[i - 1] : node->node(at::Compare::left));
    one->fields()[at::Compare::ops].ops = tree_.op_list(&ops[i], 1);
    one->fields()[at::Compare::comparators].list = tree_.list({expression(comparators[i])});
    if (!right) {
      right = tree_.lambda(one, node->at);
      continue;
    }
    Node* both = tree_.call(ag("and_", node->at), {tree_.lambda(one, node->at), right}, node->at);
    if (i == 0) return both;
    right = tree_.lambda(both, node->at);
  }
  return right;
}

Node* Converter::conditional(Node* node) {
  Node* test = node->node(at::IfExp::test);
  Node* body = node->node(at::IfExp::body);
  Node* orelse = node->node(at::IfExp::orelse);
  if (class_body_ || !movable(body) || !movable(orelse) || (lean() && always_python(test))) return generic(node);
  if (lean()) {
    const bool inlined = inline_forms();
    Node* first = inlined ? asked_anyway(test) : expression(test);
    Node* staged = tree_.call(runtime(runtime_name::kIfExp, node->at),
                              {inlined ? tree_.load(value_, node->at) : first, thunk(body), thunk(orelse),
                               tree_.string(unparse_expression(tree_, test), node->at)},
                              node->at);
    if (!inlined) return staged;
    Node* python = tree_.make(Kind::kIfExp, node->at);
    ++expression_depth_;
    python->node(at::IfExp::test) = tree_.load(value_, node->at);
    python->node(at::IfExp::body) = expression(body);
    python->node(at::IfExp::orelse) = expression(orelse);
    --expression_depth_;
    Node* either = either_expression(first, staged, python, node->at);
    if (!is_decided(test)) return either;
    either->node(at::IfExp::test) = unless_plain(either->node(at::IfExp::test), node->at);
    python->node(at::IfExp::test) = if_plain(test, python->node(at::IfExp::test), node->at);
    return either;
  }
  return tree_.call(ag("if_exp", node->at), {expression(test), thunk(body), thunk(orelse),
                                             tree_.string(unparse_expression(tree_, test), node->at)}, node->at);
}

// The first name of a comprehension's target ends in another column for each of them. Storing it raises nothing, so no
// program sees that. CPython 3.11 hashes code by its columns but not by its line: in a function of many equal
// comprehensions it would compare each with all others.
Node* Converter::placed_apart(Node* target, uint32_t number) {
  if (is(target, Kind::kName)) {
    Node* made = tree_.copy(target);
    made->at.end_column += number;
    return made;
  }
  if (!is(target, Kind::kTuple) && !is(target, Kind::kList)) return target;
  const List& parts = target->list(at::Tuple::elts);
  if (parts.empty()) return target;
  Nodes items(parts.begin(), parts.end());
  items[0] = placed_apart(items[0], number);
  Node* made = tree_.copy(target);
  made->fields()[at::Tuple::elts].list = tree_.list(items);
  return made;
}

// [f(x) for x in xs if p(x)]
//   -> ag__.comprehension(xs, lambda items_: [f(x) for x in items_ if ag__.kept(p(x), items_)], 'list', 1)
// and where staged forms are compiled late, one without conditions stands in Python's own form too:
//   -> ag__.late(...) if ag__.staged(value_ := xs) else [f(x) for x in value_]
// Further iterables stand in ag__.items. The last argument tells whether there are conditions that the runtime can
// decide for tensors: those of a single `for`.
Node* Converter::comprehension(Node* node) {
  const Position at = node->at;
  const bool dict = is(node, Kind::kDictComp);
  const int slot = dict ? +at::DictComp::generators : +at::ListComp::generators;
  const List& generators = node->list(slot);
  if (!items_) items_ = tree_.fresh("items_");
  Name* items = items_;
  Node* values = expression(generators[0]->node(at::comprehension::iter));
  ++moved_;
  Node* made = tree_.copy(node);
  made->node(0) = expression(node->node(0));
  if (dict) made->node(at::DictComp::value) = expression(node->node(at::DictComp::value));
  std::vector<Node*> parts;
  bool conditions = false;
  for (Node* generator : generators) {
    Node* part = tree_.copy(generator);
    part->node(at::comprehension::target) = expression(generator->node(at::comprehension::target));
    if (parts.empty())
      part->node(at::comprehension::target) =
          placed_apart(part->node(at::comprehension::target), ++result_.comprehensions);
    Node* source = generator->node(at::comprehension::iter);
    part->node(at::comprehension::iter) =
        parts.empty() ? tree_.load(items, source->at)
                      : tree_.call(runtime(runtime_name::kItems, source->at), {expression(source)}, source->at);
    std::vector<Node*> tests;
    for (Node* test : generator->list(at::comprehension::ifs)) {
      tests.push_back(expression(test));
      if (generators.size > 1 || always_python(test)) continue;
      tests.back() = tree_.call(runtime(runtime_name::kKept, test->at), 
                                {tests.back(), tree_.load(items, test->at)}, test->at);
      conditions = true;
    }
    part->fields()[at::comprehension::ifs].list = tree_.list(tests);
    parts.push_back(part);
  }
  made->fields()[slot].list = tree_.list(parts);
  --moved_;
  Node* function = tree_.make(Kind::kLambda, at);
  function->node(at::Lambda::args) = tree_.arguments({items}, at);
  function->node(at::Lambda::body) = made;
  const char* kind = dict                           ? "dict"
                     : is(node, Kind::kListComp)    ? "list"
                     : is(node, Kind::kSetComp)     ? "set"
                                                    : "generator";
  const auto staged = [&](Node* over) {
    return tree_.call(runtime(runtime_name::kComprehension, at),
                      {over, function, tree_.string(kind, at), tree_.integer(conditions, at)}, at);
  };
  if (conditions || !options_.late || !function_ || !inline_forms()) return staged(values);
  Node* plain = tree_.copy(made);
  parts[0] = tree_.copy(parts[0]);
  parts[0]->node(at::comprehension::iter) = tree_.load(value_, at);
  plain->fields()[slot].list = tree_.list(parts);
  Node* named = tree_.make(Kind::kNamedExpr, at);
  named->node(at::NamedExpr::target) = tree_.store(value_, at);
  named->node(at::NamedExpr::value) = values;
  Node* either = tree_.make(Kind::kIfExp, at);
  either->node(at::IfExp::test) = tree_.call(runtime(runtime_name::kStaged, at), {named}, at);
  either->node(at::IfExp::body) = late_value(staged(tree_.load(value_, at)), at);
  either->node(at::IfExp::orelse) = plain;
  return either;
}

}  // namespace footlight::autograph
