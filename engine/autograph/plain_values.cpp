// The analysis begins with all variables, and takes out those that get something else, until none is left to take out.
#include "engine/autograph/plain_values.h"

#include "engine/autograph/marks.h"

#include <algorithm>

namespace footlight::autograph {

namespace {

// Given plain values, the first of these give such.
constexpr std::string_view kKnown[] = {"abs", "bool", "float", "int", "len", "max", "min", "round", "str",
                                       "enumerate", "range"};

bool is_plain_path(const Node* node) {
  while (is(node, Kind::kAttribute)) node = node->node(at::Attribute::value);
  return is(node, Kind::kName) || is(node, Kind::kConstant);
}

}  // namespace

PlainValues::PlainValues(const Node* loop, const NameSet& own) : own_(own) {
  collect(loop);
  names_.keep_only(own);
  constexpr int kMaxRounds = 4;  // each round visits the loop once
  for (int round = 0; round < kMaxRounds; ++round) {
    changed_ = false;
    statement(loop, true);
    if (changed_) continue;
    NameSet needed;
    needed_in(loop, true, needed);
    for (NameSet before; needed.has_more_than(before);) {
      if (++round >= 2 * kMaxRounds) break;
      before = needed;
      sources_in(loop, needed);
    }
    if (round < 2 * kMaxRounds) names_.keep_only(needed);
    return;
  }
  names_ = {};
}

void PlainValues::collect(const Node* node) {
  if (is(node, Kind::kName)) names_.add(node->name(at::Name::id));
  const std::string_view name = called(node);
  if (std::ranges::find(kKnown, name) != std::end(kKnown) && std::ranges::find(builtins_, name) == builtins_.end())
    builtins_.push_back(name);
  for_each_child(node, [&](const Node* child) { collect(child); });
}

// name(...) without keywords, where the name is none of the function's.
std::string_view PlainValues::called(const Node* node) const {
  if (!is(node, Kind::kCall) || !node->list(at::Call::keywords).empty()) return {};
  const Node* const func = node->node(at::Call::func);
  if (!is(func, Kind::kName) || own_.has(func->name(at::Name::id))) return {};
  return func->name(at::Name::id)->text;
}

bool PlainValues::all(const List& list) const {
  return std::all_of(list.begin(), list.end(), [&](const Node* one) { return one && has(one); });
}

bool PlainValues::has(const Node* node) const {
  switch (node->kind) {
    case Kind::kConstant: return true;
    case Kind::kName: return names_.has(node->name(at::Name::id));
    case Kind::kBinOp: return has(node->node(at::BinOp::left)) && has(node->node(at::BinOp::right));
    case Kind::kUnaryOp: return has(node->node(at::UnaryOp::operand));
    case Kind::kBoolOp: return all(node->list(at::BoolOp::values));
    case Kind::kIfExp:
      return has(node->node(at::IfExp::test)) && has(node->node(at::IfExp::body)) &&
             has(node->node(at::IfExp::orelse));
    case Kind::kCompare: {
      const OpList& ops = node->ops(at::Compare::ops);
      const List& with = node->list(at::Compare::comparators);
      const auto of_any = [](Op op) { return op == Op::kIs || op == Op::kIsNot || op == Op::kIn || op == Op::kNotIn; };
      if (!std::all_of(ops.begin(), ops.end(), of_any)) return has(node->node(at::Compare::left)) && all(with);
      return is_plain_path(node->node(at::Compare::left)) &&
             std::all_of(with.begin(), with.end(), [&](const Node* one) { return is_plain_path(one) || has(one); });
    }
    case Kind::kSubscript:  // a subscript of text
      return has(node->node(at::Subscript::value)) && has(node->node(at::Subscript::slice));
    case Kind::kCall: {
      const std::string_view name = called(node);
      const List& args = node->list(at::Call::args);
      return std::ranges::find(kKnown, name) != std::end(kKnown) && name != "range" && name != "enumerate" &&
             !args.empty() && all(args);
    }
    default: return false;
  }
}

namespace {

void names_in(const Node* node, NameSet& found) {
  if (is(node, Kind::kName)) found.add(node->name(at::Name::id));
  for_each_child(node, [&](const Node* child) { names_in(child, found); });
}

// The test without the flags that were joined to it.
const Node* test_of(const Node* loop) {
  const Node* test = loop->node(at::While::test);
  while (is(test, Kind::kBoolOp) && (test->flags & kExtraTest)) test = test->list(at::BoolOp::values)[1];
  return test;
}

}  // namespace

void PlainValues::needed_in(const Node* node, bool outermost, NameSet& found) const {
  const auto if_plain = [&](const Node* test) {
    if (has(test)) names_in(test, found);
  };
  switch (node->kind) {
    case Kind::kIf: if_plain(node->node(at::If::test)); break;
    case Kind::kWhile:
      if_plain(node->node(at::While::test));
      if_plain(test_of(node));
      break;
    case Kind::kFor:
      if (!outermost) names_in(node->node(at::For::iter), found);
      break;
    case Kind::kIfExp:
      if_plain(node->node(at::IfExp::test));
      if_plain(node);
      break;
    case Kind::kBoolOp:
    case Kind::kUnaryOp: if_plain(node); break;
    case Kind::kCompare:
      if (node->ops(at::Compare::ops).size > 1) if_plain(node);
      break;
    default: break;
  }
  for_each_child(node, [&](const Node* child) { needed_in(child, false, found); });
}

void PlainValues::source(const Node* target, const Node* value, NameSet& found) const {
  if (is(target, Kind::kName) && found.has(target->name(at::Name::id))) names_in(value, found);
  if (!is(target, Kind::kTuple)) return;
  for (const Node* one : target->list(at::Tuple::elts)) source(one, value, found);
}

void PlainValues::sources_in(const Node* node, NameSet& found) const {
  if (info(node->kind).category == Category::kExpression) return;
  if (is(node, Kind::kAssign))
    for (const Node* target : node->list(at::Assign::targets)) source(target, node->node(at::Assign::value), found);
  if (is(node, Kind::kFor)) source(node->node(at::For::target), node->node(at::For::iter), found);
  if (is(node, Kind::kAugAssign)) source(node->node(at::AugAssign::target), node->node(at::AugAssign::value), found);
  for_each_child(node, [&](const Node* child) { sources_in(child, found); });
}

void PlainValues::take_out(const Name* name) {
  if (!names_.has(name)) return;
  names_.remove(name);
  changed_ = true;
}

// Removes whatever the node binds.
void PlainValues::take_out_all(const Node* node) {
  const KindInfo& described = info(node->kind);
  if (is(node, Kind::kName) && node->op(at::Name::ctx) != Op::kLoad) take_out(node->name(at::Name::id));
  if (!is(node, Kind::kName) && !is(node, Kind::kAttribute))
    for (int i = 0; i < described.field_count; ++i) {
      const FieldType type = described.fields[i].type;
      if ((type == FieldType::kName || type == FieldType::kOptionalName) && node->name(i)) take_out(node->name(i));
    }
  for_each_child(node, [&](const Node* child) { take_out_all(child); });
}

void PlainValues::bind(const Node* target, const Node* value) {
  const bool pairs = is(target, Kind::kTuple) && is(value, Kind::kTuple) &&
                     target->list(at::Tuple::elts).size == value->list(at::Tuple::elts).size;
  if (is(target, Kind::kName) && has(value)) return;
  if (!pairs) return take_out_all(target);
  const List &targets = target->list(at::Tuple::elts), &values = value->list(at::Tuple::elts);
  for (uint32_t i = 0; i < targets.size; ++i) {
    if (is(targets[i], Kind::kStarred) || is(values[i], Kind::kStarred)) return take_out_all(target);
    bind(targets[i], values[i]);
  }
}

// A Python loop over range(...) binds numbers, whatever its body; an inner loop must be in Python in every iteration.
void PlainValues::target_of(const Node* loop, bool outermost) {
  const Node *const target = loop->node(at::For::target), *const iterated = loop->node(at::For::iter);
  const std::string_view over = called(iterated);
  const bool counts = over == "range" && (outermost || all(iterated->list(at::Call::args)));
  const bool listed = is(iterated, Kind::kTuple) || is(iterated, Kind::kList);
  const bool literal = listed && all(iterated->list(at::Tuple::elts));
  if (is(target, Kind::kName) && (counts || literal)) return;
  if (outermost && over == "enumerate" && is(target, Kind::kTuple)) {
    const List& parts = target->list(at::Tuple::elts);
    for (uint32_t i = 0; i < parts.size; ++i)
      if (i || !is(parts[i], Kind::kName)) take_out_all(parts[i]);
    return;
  }
  take_out_all(outermost ? target : loop);  // the others' bodies may be staged
}

void PlainValues::block(const List& list) {
  for (const Node* node : list) statement(node, false);
}

void PlainValues::statement(const Node* node, bool outermost) {
  const auto expressions = [&] {  // names that := binds
    for_each_child(node, [&](const Node* child) {
      if (info(child->kind).category == Category::kExpression) take_out_all(child);
    });
  };
  switch (node->kind) {
    case Kind::kPass:
    case Kind::kBreak:
    case Kind::kContinue: return;
    case Kind::kAssign: {
      const Node* const value = node->node(at::Assign::value);
      take_out_all(value);
      for (const Node* target : node->list(at::Assign::targets)) bind(target, value);
      return;
    }
    case Kind::kAugAssign: {
      const Node* const target = node->node(at::AugAssign::target);
      take_out_all(node->node(at::AugAssign::value));
      if (!is(target, Kind::kName) || !has(node->node(at::AugAssign::value))) take_out_all(target);
      return;
    }
    case Kind::kExpr:
    case Kind::kDelete:
    case Kind::kReturn:
    case Kind::kAssert:
    case Kind::kRaise: return expressions();
    case Kind::kIf: {
      const Node* const test = node->node(at::If::test);
      if (!has(test) && !always_python(test)) return take_out_all(node);
      take_out_all(test);
      block(node->list(at::If::body));
      return block(node->list(at::If::orelse));
    }
    case Kind::kWhile: {
      const Node* const test = node->node(at::While::test);
      if (!outermost && !has(test)) return take_out_all(node);
      take_out_all(test);
      block(node->list(at::While::body));
      return block(node->list(at::While::orelse));
    }
    case Kind::kFor: {
      take_out_all(node->node(at::For::iter));
      target_of(node, outermost);
      block(node->list(at::For::body));
      return block(node->list(at::For::orelse));
    }
    case Kind::kTry: {
      block(node->list(at::Try::body));
      block(node->list(at::Try::orelse));
      block(node->list(at::Try::finalbody));
      for (const Node* handler : node->list(at::Try::handlers)) take_out_all(handler);
      return;
    }
    case Kind::kWith: {
      for (const Node* item : node->list(at::With::items)) take_out_all(item);
      return block(node->list(at::With::body));
    }
    default: take_out_all(node);
  }
}

}  // namespace footlight::autograph
