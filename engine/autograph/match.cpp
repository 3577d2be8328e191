// Patterns as conditions: which of them are, and the ifs that test them in order.
#include "engine/autograph/match.h"

#include "engine/autograph/marks.h"

namespace footlight::autograph {

namespace {

using Nodes = std::vector<Node*>;

bool is_wildcard(const Node* pattern) { return is(pattern, Kind::kMatchAs) && !pattern->node(at::MatchAs::pattern); }

// A value, None, True or False, or a choice of such: one expression tests it.
bool is_plain(const Node* pattern) {
  if (is(pattern, Kind::kMatchValue) || is(pattern, Kind::kMatchSingleton)) return true;
  if (!is(pattern, Kind::kMatchOr)) return false;
  for (const Node* one : pattern->list(at::MatchOr::patterns))
    if (!is_plain(one)) return false;
  return true;
}

bool has_value(const Node* pattern) {
  if (is(pattern, Kind::kMatchValue)) return true;
  bool found = false;
  for_each_child(pattern, [&](const Node* child) { found |= has_value(child); });
  return found;
}

bool depends_on_values(const Node* match) {
  for (const Node* one : match->list(at::Match::cases))
    if (one->node(at::match_case::guard) || has_value(one->node(at::match_case::pattern))) return true;
  return false;
}

class Matches {
 public:
  Matches(Tree& tree, std::vector<Fate>& fates, uint64_t& steps) : tree_(tree), fates_(fates), steps_(steps) {}

  const List* block(const List& list) {
    Nodes out;
    bool changed = false;
    for (Node* node : list) {
      ++steps_;
      if (is(node, Kind::kMatch) && depends_on_values(node)) {
        chain(node, out);
        changed = true;
        continue;
      }
      Node* made = with_blocks(tree_, node, [this](const List& inner) { return block(inner); });
      changed |= made != node;
      out.push_back(made);
    }
    return changed ? tree_.list(out) : &list;
  }

 private:
  void chain(Node* match, Nodes& out) {
    fates_.push_back({match->at.line, match->at.end_line, "match", "staged", "as a chain of conditions"});
    Node* given = match->node(at::Match::subject);
    subject_ = tree_.fresh("subject_");
    out.push_back(tree_.assign(tree_.store(subject_, given->at), given, given->at));
    const List& cases = match->list(at::Match::cases);
    // Works from the last case on: each becomes the else of the one before it.
    Name* const subject = subject_;
    Nodes rest;
    for (uint32_t i = cases.size; i-- > 0;) {
      subject_ = subject;  // a match inside a case has one of its own
      rest = one_case(cases[i], rest);
    }
    out.insert(out.end(), rest.begin(), rest.end());
  }

  Nodes one_case(const Node* one, const Nodes& rest) {
    Node* pattern = one->node(at::match_case::pattern);
    Node* guard = one->node(at::match_case::guard);
    const Position at = pattern->at;
    Name* const subject = subject_;
    const List* body = block(one->list(at::match_case::body));
    subject_ = subject;
    Nodes before, conditions, bound;
    if (is_wildcard(pattern)) {
      Name* const name = pattern->name(at::MatchAs::name);
      before.push_back(name ? bind(name, at) : tree_.pass(at));  // a debugger, or coverage, sees this line too
    } else if (is_plain(pattern)) {
      conditions.push_back(test(pattern));
    } else if (is(pattern, Kind::kMatchAs) && is_plain(pattern->node(at::MatchAs::pattern))) {
      conditions.push_back(test(pattern->node(at::MatchAs::pattern)));
      bound.push_back(bind(pattern->name(at::MatchAs::name), at));
      if (guard) guard = with_name(pattern->name(at::MatchAs::name), guard);
    } else {
      Name* matched = tree_.fresh("case_");
      before.push_back(tree_.assign(tree_.store(matched, at), tree_.boolean(false, at), at));
      conditions.push_back(tree_.load(matched, at));
      Node* only = tree_.make(Kind::kmatch_case, at);
      only->node(at::match_case::pattern) = without_values(pattern, conditions);
      only->fields()[at::match_case::body].list =
          tree_.list({tree_.assign(tree_.store(matched, at), tree_.boolean(true, at), at)});
      Node* left = tree_.make(Kind::kMatch, at);
      left->node(at::Match::subject) = tree_.load(subject_, at);
      left->fields()[at::Match::cases].list = tree_.list({only});
      before.push_back(left);
    }
    if (guard) conditions.push_back(guard);
    if (conditions.empty()) {
      before.insert(before.end(), body->begin(), body->end());
      return before;
    }
    Node* choice = tree_.make(Kind::kIf, at);
    choice->node(at::If::test) = all_of(conditions, at);
    bound.insert(bound.end(), body->begin(), body->end());
    choice->fields()[at::If::body].list = tree_.list(bound);
    choice->fields()[at::If::orelse].list = tree_.list(rest);
    before.push_back(choice);
    return before;
  }

  Node* bind(Name* name, Position at) { return tree_.assign(tree_.store(name, at), tree_.load(subject_, at), at); }

  // (lambda name: guard)(subject): the name gets its value only where the whole case matches.
  Node* with_name(Name* name, Node* guard) {
    Node* made = tree_.make(Kind::kLambda, guard->at);
    made->node(at::Lambda::args) = tree_.arguments({name}, guard->at);
    made->node(at::Lambda::body) = guard;
    return tree_.call(made, {tree_.load(subject_, guard->at)}, guard->at);
  }

  Node* all_of(const Nodes& conditions, Position at) {
    return conditions.size() == 1 ? conditions[0] : joined(Op::kAnd, conditions, at);
  }

  Node* joined(Op op, const Nodes& values, Position at) {
    Node* node = tree_.make(Kind::kBoolOp, at);
    node->fields()[at::BoolOp::op].op = op;
    node->fields()[at::BoolOp::values].list = tree_.list(values);
    return node;
  }

  Node* compared(Node* left, Op op, Node* right) {
    Node* node = tree_.make(Kind::kCompare, right->at);
    node->node(at::Compare::left) = left;
    node->fields()[at::Compare::ops].ops = tree_.op_list(&op, 1);
    node->fields()[at::Compare::comparators].list = tree_.list({right});
    return node;
  }

  Node* test(const Node* pattern) { return test(pattern, subject_); }
  Node* test(const Node* pattern, Name* of) {
    const Position at = pattern->at;
    if (is(pattern, Kind::kMatchValue))
      return compared(tree_.load(of, at), Op::kEq, pattern->node(at::MatchValue::value));
    if (is(pattern, Kind::kMatchSingleton)) {
      Node* constant = tree_.make(Kind::kConstant, at);
      constant->fields()[at::Constant::value].constant = &pattern->constant(at::MatchSingleton::value);
      return compared(tree_.load(of, at), Op::kIs, constant);
    }
    Nodes any;
    for (const Node* one : pattern->list(at::MatchOr::patterns)) any.push_back(test(one, of));
    return joined(Op::kOr, any, at);
  }

  // The pattern with names in place of its values, which become conditions. Alternatives that bind names or have a
  // structure stay as they are.
  Node* without_values(Node* pattern, Nodes& conditions) {
    ++steps_;
    if (is_plain(pattern) && has_value(pattern)) {
      Name* value = tree_.fresh("value_");
      conditions.push_back(test(pattern, value));
      Node* name = tree_.make(Kind::kMatchAs, pattern->at);
      name->fields()[at::MatchAs::name].name = value;
      return name;
    }
    if (is(pattern, Kind::kMatchOr) || !has_value(pattern)) return pattern;
    if (is(pattern, Kind::kMatchAs) && is_plain(pattern->node(at::MatchAs::pattern))) {
      conditions.push_back(test(pattern->node(at::MatchAs::pattern), pattern->name(at::MatchAs::name)));
      Node* name = tree_.copy(pattern);
      name->node(at::MatchAs::pattern) = nullptr;
      return name;
    }
    Node* made = tree_.copy(pattern);
    const KindInfo& described = info(pattern->kind);
    for (int i = 0; i < described.field_count; ++i) {
      const std::string_view field = described.fields[i].name;
      if (field == "pattern") {
        made->node(i) = without_values(pattern->node(i), conditions);
      } else if (field == "patterns" || field == "kwd_patterns") {
        Nodes parts;
        for (Node* part : pattern->list(i)) parts.push_back(without_values(part, conditions));
        made->fields()[i].list = tree_.list(parts);
      }
    }
    return made;
  }

  Tree& tree_;
  std::vector<Fate>& fates_;
  uint64_t& steps_;
  Name* subject_ = nullptr;
};

bool looks_at_names(const Node* node) {
  if (is(node, Kind::kCall) && sees_scope(node)) return true;
  bool found = false;
  for_each_child(node, [&](const Node* child) { found |= looks_at_names(child); });
  return found;
}

bool any_match(const Node* node) {
  if (is(node, Kind::kMatch)) return true;
  if (info(node->kind).category == Category::kExpression || is_function(node)) return false;
  bool found = false;
  for_each_child(node, [&](const Node* child) { found |= any_match(child); });
  return found;
}

}  // namespace

Node* lower_matches(Tree& tree, Node* function, std::vector<Fate>& fates, uint64_t& steps) {
  bool any = false;
  for (const Node* node : function->list(at::FunctionDef::body)) any |= any_match(node);
  if (!any) return function;
  for (const Node* node : function->list(at::FunctionDef::body))
    if (looks_at_names(node)) return function;  // it would see generated names
  const List* body = Matches(tree, fates, steps).block(function->list(at::FunctionDef::body));
  if (body == &function->list(at::FunctionDef::body)) return function;
  Node* made = tree.copy(function);
  made->fields()[at::FunctionDef::body].list = body;
  return made;
}

}  // namespace footlight::autograph
