// Lean form: decisions in a loop that depend only on plain values stay Python's, if the values are plain before it.
#include "engine/autograph/converter.h"

#include <string>
#include <utility>

namespace footlight::autograph {

namespace {

bool any_if(const Node* node) {
  bool found = is(node, Kind::kIf) || is(node, Kind::kIfExp) || is(node, Kind::kBoolOp) || is(node, Kind::kWhile);
  for_each_child(node, [&](const Node* child) { found = found || any_if(child); });
  return found;
}

// Collects names that statements bind, without inner functions and comprehensions.
void variables_in(const Node* node, NameSet& names) {
  switch (node->kind) {
    case Kind::kFunctionDef:
    case Kind::kAsyncFunctionDef:
    case Kind::kClassDef:
    case Kind::kLambda:
    case Kind::kListComp:
    case Kind::kSetComp:
    case Kind::kDictComp:
    case Kind::kGeneratorExp: return;
    case Kind::kName:
      if (node->op(at::Name::ctx) == Op::kStore) names.add(node->name(at::Name::id));
      return;
    default: for_each_child(node, [&](const Node* child) { variables_in(child, names); });
  }
}

// Collects names that inner functions and generators change, which may run at any time.
void changed_inside(const Node* node, NameSet& names) {
  if (is(node, Kind::kNamedExpr)) names.add(node->node(at::NamedExpr::target)->name(at::Name::id));
  if (is(node, Kind::kNonlocal))
    for (const Name* name : node->names(at::Nonlocal::names)) names.add(name);
  for_each_child(node, [&](const Node* child) { changed_inside(child, names); });
}

}  // namespace

const NameSet& Converter::own_variables() {
  if (!own_.empty()) return own_;
  NameSet changed = activity_.globals;
  changed.add_all(activity_.nonlocals);
  for (const Node* one : *lowered_.body) {
    variables_in(one, own_);
    changed_inside(one, changed);
  }
  own_.add_all(activity_.parameters);
  own_.remove_all(changed);
  return own_;
}

// plain_ = ag__.numbers('total i range ||range |'): what the loop's variables are, and what names have to be Python's.
void Converter::begin_numbers(Node* node, Scope& scope, Nodes& out) {
  if (in_written_loop_ || !options_.late || !options_.recursive || !native() || !function_) return;
  if (plain_calls_ || raw_expressions_ || class_body_ || !any_if(node)) return;
  auto found = std::make_unique<PlainValues>(node, own_variables());
  if (found->names().empty()) return;
  std::string needs;
  size_t count = 0;
  found->names().for_each([&](uint32_t id) {
    needs.append(tree_.name_at(id)->text).append(" ");
    ++count;
  });
  constexpr size_t kMax = 64;  // they are checked before each loop
  if (count > kMax) return;
  for (const std::string_view name : found->builtins()) needs.append(name).append(" ");
  needs += "||";
  for (const std::string_view name : found->builtins()) needs.append(name).append(" ");
  needs += "|";
  if (!plain_) plain_ = tree_.fresh("plain_");
  scope.bound.add(plain_);
  const Position at = header_of(node, node->node(is(node, Kind::kFor) ? +at::For::iter : +at::While::test));
  out.push_back(tree_.assign(tree_.store(plain_, at),
                             tree_.call(runtime(runtime_name::kNumbers, at), {tree_.string(needs, at)}, at), at));
  numbers_ = std::move(found);
}

// written if plain_ else else_
Node* Converter::if_plain(Node* written, Node* else_, Position at) {
  Node* made = tree_.make(Kind::kIfExp, at);
  made->node(at::IfExp::test) = tree_.load(plain_, at);
  made->node(at::IfExp::body) = written;
  made->node(at::IfExp::orelse) = else_;
  return made;
}

// not plain_ and asked
Node* Converter::unless_plain(Node* asked, Position at) {
  return joined(Op::kAnd, {tree_.unary(Op::kNot, tree_.load(plain_, at), at), asked}, at);
}

// An expression with operators that a conversion changes. Null: it is not decided by plain values.
Node* Converter::decided(Node* node) {
  if (!is_decided(node) || !inline_forms()) return nullptr;
  Node* made = asked_anyway(node);
  return made == node ? node : if_plain(node, made, node->at);
}

// Converts the test as if nothing were known of its values.
Node* Converter::asked_anyway(Node* test) {
  if (!is_decided(test)) return expression(test);
  std::unique_ptr<PlainValues> known = std::exchange(numbers_, nullptr);
  Node* made = expression(test);
  numbers_ = std::move(known);
  return made;
}

}  // namespace footlight::autograph
