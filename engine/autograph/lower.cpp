// Lowering of break, continue, return and loop else in one pass.
#include "engine/autograph/activity.h"
#include "engine/autograph/lower.h"

#include <optional>

namespace footlight::autograph {

namespace {

// The statements that follow: the rest of a list, then the rest of the enclosing lists that moved in here.
struct Chain {
  const List* list;
  uint32_t from;
  const Chain* next;
};

struct Loop {
  Name* break_flag = nullptr;
  Name* continue_flag = nullptr;
  bool native = true;
};

class Lowering {
 public:
  Lowering(Tree& tree, uint64_t& steps, bool reuse, int deepest)
      : tree_(tree), steps_(steps), reuse_(reuse), deepest_(deepest) {}

  Name* do_return = nullptr;
  Name* retval = nullptr;
  NameSet break_flags, late;
  bool too_deep = false;

  const List* block(const Chain* chain, const Loop& loop) {
    std::vector<Node*> out;
    run(chain, loop, out);
    return tree_.list(out);
  }

 private:
  const List* block(const List& list, const Loop& loop) {
    const Chain chain{&list, 0, nullptr};
    return block(&chain, loop);
  }

  // No statement after this one is reached. Breaks and continues of an enclosing loop make it a maybe.
  bool always_returns(const List& list) {
    for (const Node* node : list) {
      ++steps_;
      if (node->flags & (kHasBreak | kHasContinue)) return false;
      if (is(node, Kind::kReturn)) return true;
      if (is(node, Kind::kIf) && !node->list(at::If::orelse).empty() && returns_in_all(node)) return true;
      if (is(node, Kind::kWith) && always_returns(node->list(at::With::body))) return true;
    }
    return false;
  }
  // Computed once per if, so that chains of elif stay linear.
  bool returns_in_all(const Node* node) {
    if (!(node->flags & kHasReturn)) return false;
    uint8_t& known = const_cast<Node*>(node)->mark;
    if (!known) known = always_returns(node->list(at::If::body)) && always_returns(node->list(at::If::orelse)) ? 2 : 1;
    return known == 2;
  }

  void run(const Chain* start, const Loop& loop, std::vector<Node*>& out) {
    too_deep = too_deep || ++nesting_ > deepest_;
    if (!too_deep) lower_all(start, loop, out);
    --nesting_;
  }

  void lower_all(const Chain* start, const Loop& loop, std::vector<Node*>& out) {
    Chain here = *start;
    for (;;) {
      while (here.from == here.list->size) {
        if (!here.next) return;
        here = *here.next;
      }
      Node* node = (*here.list)[here.from];
      const Chain rest{here.list, here.from + 1, here.next};
      ++steps_;
      if (is(node, Kind::kBreak) && !loop.native) {
        out.push_back(set(loop.break_flag, true, node->at, kBreaks));
        out.push_back(set(loop.continue_flag, true, node->at, kAfterBreak));
        return;
      }
      if (is(node, Kind::kContinue) && !loop.native) {
        out.push_back(set(loop.continue_flag, true, node->at, kContinues));
        return;
      }
      if (is(node, Kind::kReturn) && do_return) {
        Node* made = tree_.copy(node);
        made->flags |= kLoweredReturn;
        out.push_back(made);
        return;
      }
      const bool may_return = do_return && (node->flags & kHasReturn);
      if (is(node, Kind::kIf) && may_return) {
        const bool body = always_returns(node->list(at::If::body));
        const bool orelse = !node->list(at::If::orelse).empty() && always_returns(node->list(at::If::orelse));
        if (body && orelse) {
          out.push_back(compound(node, loop));
          return;
        }
        if (body || orelse) {
          // The following statements are reached only through the other branch, so they move into it.
          Node* made = tree_.copy(node);
          const int moved = body ? +at::If::orelse : +at::If::body;
          const int stays = body ? +at::If::body : +at::If::orelse;
          const Chain joined{&node->list(moved), 0, &rest};
          made->fields()[stays].list = block(node->list(stays), loop);
          made->fields()[moved].list = block(&joined, loop);
          out.push_back(made);
          return;
        }
      }
      const bool jumps = !loop.native && (node->flags & (kHasBreak | kHasContinue));
      const List* orelse = statement(node, loop, out);
      const Chain with_else{orelse, 0, &rest};
      if (!may_return && !jumps) {
        if (!orelse) {
          here = rest;
          continue;
        }
        run(&with_else, loop, out);
        return;
      }
      std::vector<Node*> following;
      run(orelse ? &with_else : &rest, loop, following);
      if (following.empty()) return;
      if (jumps) following = {guard(loop.continue_flag, following, node)};
      if (may_return) following = {guard(do_return, following, node)};
      out.insert(out.end(), following.begin(), following.end());
      return;
    }
  }

  // Emits the statement; returns a loop's else that is still to be lowered, or null.
  const List* statement(Node* node, const Loop& loop, std::vector<Node*>& out) {
    if (is_control_flow(node) && node->kind != Kind::kIf && !(node->flags & kKept)) return converted_loop(node, out);
    out.push_back(compound(node, loop));
    return nullptr;
  }

  // The node with its nested blocks lowered; itself if it has none.
  Node* compound(Node* node, const Loop& loop) {
    switch (node->kind) {
      case Kind::kIf:
      case Kind::kWith:
      case Kind::kAsyncWith:
      case Kind::kTry:
      case Kind::kTryStar:
      case Kind::kMatch:
      case Kind::kExceptHandler:
      case Kind::kmatch_case:
      case Kind::kWhile:
      case Kind::kFor:
      case Kind::kAsyncFor: break;
      default: return node;
    }
    const Loop inner = node->kind == Kind::kWhile || node->kind == Kind::kFor || node->kind == Kind::kAsyncFor
                           ? Loop{}
                           : loop;
    Node* made = tree_.copy(node);
    const KindInfo& described = info(node->kind);
    for (int i = 0; i < described.field_count; ++i) {
      if (described.fields[i].type != FieldType::kList) continue;
      const List& list = node->list(i);
      if (list.empty()) continue;
      const Category category = info(list[0]->kind).category;
      if (category == Category::kStatement) {
        const bool is_else = std::string_view(described.fields[i].name) == "orelse";
        made->fields()[i].list = block(list, is_else ? loop : inner);
      } else if (is(list[0], Kind::kExceptHandler) || is(list[0], Kind::kmatch_case)) {
        std::vector<Node*> parts;
        for (Node* part : list) parts.push_back(compound(part, loop));
        made->fields()[i].list = tree_.list(parts);
      }
    }
    if (node->kind == Kind::kTry || node->kind == Kind::kTryStar) guard_try_else(node, made, loop);
    return made;
  }

  // The else of a try does not run if its body was left early.
  void guard_try_else(const Node* node, Node* made, const Loop& loop) {
    const List& orelse = made->list(at::Try::orelse);
    if (orelse.empty()) return;
    const uint16_t flags = list_flags(node->list(at::Try::body));
    std::vector<Node*> statements(orelse.begin(), orelse.end());
    if (!loop.native && (flags & (kHasBreak | kHasContinue)))
      statements = {guard(loop.continue_flag, statements, node)};
    if (do_return && (flags & kHasReturn)) statements = {guard(do_return, statements, node)};
    made->fields()[at::Try::orelse].list = tree_.list(statements);
  }

  static bool is_positive_number(const Node* node) {
    if (!is(node, Kind::kConstant)) return false;
    const Constant& value = node->constant(at::Constant::value);
    return value.kind == ConstantKind::kNumber && value.text.empty() && value.integer > 0;
  }

  const List* converted_loop(Node* node, std::vector<Node*>& out) {
    const bool is_while = node->kind == Kind::kWhile;
    const int body_slot = is_while ? +at::While::body : +at::For::body;
    const int orelse_slot = body_slot + 1;
    Loop inner;
    inner.native = false;
    if (node->flags & kOwnBreak) {
      inner.break_flag = flag("break_", break_names_);
      break_flags.add(inner.break_flag);
      NameSet names;
      std::optional<NameSet> at_breaks;
      bound_in(node->list(orelse_slot), names);
      bound_at_breaks(node->list(body_slot), {}, at_breaks);
      if (at_breaks) names.keep_only(*at_breaks);
      late.add_all(names);
    }
    if (node->flags & (kOwnBreak | kOwnContinue)) inner.continue_flag = flag("continue_", continue_names_);
    const bool returns = do_return && (list_flags(node->list(body_slot)) & kHasReturn);

    Node* made = tree_.copy(node);
    std::vector<Node*> body;
    if (inner.continue_flag) body.push_back(set(inner.continue_flag, false, node->at));
    const Chain chain{&node->list(body_slot), 0, nullptr};
    ++depth_;
    run(&chain, inner, body);
    --depth_;
    made->fields()[body_slot].list = tree_.list(body);
    made->fields()[orelse_slot].list = &kEmptyList;

    std::vector<Node*> tests;
    if (returns) tests.push_back(negated(do_return, node->at));
    if (inner.break_flag) tests.push_back(negated(inner.break_flag, node->at));
    if (!tests.empty() && is_while) {
      Node* test = node->node(at::While::test);
      // `while 1`: a number would be the value of `not flag and 1`.
      if (is_positive_number(test)) test = tree_.boolean(true, test->at);
      for (size_t i = tests.size(); i-- > 0;) {
        test = both(tests[i], test);
        test->flags |= kExtraTest;
      }
      made->node(at::While::test) = test;
    } else if (!tests.empty()) {
      Node* test = tests.size() == 2 ? both(tests[0], tests[1]) : tests[0];
      made->fields()[orelse_slot].list = tree_.list({tree_.expression(test, node->at)});
      made->flags |= kExtraTest;
    }
    if (inner.break_flag) out.push_back(set(inner.break_flag, false, node->at));
    out.push_back(made);

    const List& orelse = node->list(orelse_slot);
    if (orelse.empty()) return nullptr;
    if (!inner.break_flag) return &orelse;
    Node* guarded = guard(inner.break_flag, {orelse.begin(), orelse.end()}, node);
    return tree_.list({guarded});
  }

  // The names that statements before it have bound at every break of the loop.
  void bound_at_breaks(const List& list, NameSet bound, std::optional<NameSet>& common) {
    for (const Node* node : list) {
      ++steps_;
      if (is(node, Kind::kBreak)) {
        if (common) common->keep_only(bound);
        else common = bound;
        return;
      }
      if (is_function(node) || is(node, Kind::kClassDef) || is(node, Kind::kAssign)) {
        names_bound_here(tree_, node, bound);
        continue;
      }
      if (!(node->flags & kHasBreak)) continue;
      const KindInfo& described = info(node->kind);
      for (int i = 0; i < described.field_count; ++i) {
        if (described.fields[i].type != FieldType::kList || node->list(i).empty()) continue;
        const List& inner = node->list(i);
        if (info(inner[0]->kind).category == Category::kStatement) bound_at_breaks(inner, bound, common);
        else if (is(inner[0], Kind::kExceptHandler))
          for (const Node* part : inner) bound_at_breaks(part->list(at::ExceptHandler::body), bound, common);
        else if (is(inner[0], Kind::kmatch_case))
          for (const Node* part : inner) bound_at_breaks(part->list(at::match_case::body), bound, common);
      }
    }
  }

  void bound_in(const List& list, NameSet& names) {
    for (const Node* node : list) {
      ++steps_;
      names_bound_here(tree_, node, names);
      if (is_function(node) || is(node, Kind::kClassDef)) continue;
      const KindInfo& described = info(node->kind);
      for (int i = 0; i < described.field_count; ++i)
        if (described.fields[i].type == FieldType::kList && !node->list(i).empty() &&
            info(node->list(i)[0]->kind).category == Category::kStatement)
          bound_in(node->list(i), names);
    }
  }

  Name* flag(std::string_view wanted, std::vector<Name*>& by_depth) {
    if (!reuse_) return tree_.fresh(wanted);
    if (by_depth.size() <= depth_) by_depth.resize(depth_ + 1);
    if (!by_depth[depth_]) by_depth[depth_] = tree_.fresh(wanted);
    return by_depth[depth_];
  }

  static uint16_t list_flags(const List& list) {
    uint16_t flags = 0;
    for (const Node* node : list) flags |= node->flags;
    return flags;
  }

  Node* set(Name* flag, bool value, Position at, uint16_t flags = 0) {
    Node* node = tree_.assign(tree_.store(flag, at), tree_.boolean(value, at), at);
    node->flags |= flags;
    return node;
  }
  Node* negated(Name* flag, Position at) { return tree_.unary(Op::kNot, tree_.load(flag, at), at); }
  Node* both(Node* a, Node* b) {
    Node* node = tree_.make(Kind::kBoolOp, a->at);
    node->fields()[at::BoolOp::op].op = Op::kAnd;
    node->fields()[at::BoolOp::values].list = tree_.list({a, b});
    node->flags = a->flags | b->flags;
    return node;
  }
  Node* guard(Name* flag, const std::vector<Node*>& statements, const Node* because) {
    Node* node = tree_.make(Kind::kIf, because->at);
    node->node(at::If::test) = negated(flag, because->at);
    node->fields()[at::If::body].list = tree_.list(statements);
    for (const Node* statement : statements) node->flags |= statement->flags & (kHasReturn | kHasBreak | kHasContinue);
    node->flags |= kGuard;
    return node;
  }

  Tree& tree_;
  uint64_t& steps_;
  const bool reuse_;
  const int deepest_;
  int nesting_ = 0;   // nesting of blocks
  size_t depth_ = 0;  // nesting of loops
  std::vector<Name*> break_names_, continue_names_;
};

}  // namespace

Lowered lower(Tree& tree, const Node* function, const Marks& marks, uint64_t& steps, bool reuse, int deepest) {
  Lowering lowering(tree, steps, reuse, deepest);
  if (marks.lowered_returns) {
    lowering.do_return = tree.fresh("do_return");
    lowering.retval = tree.fresh("retval_");
  }
  const Chain chain{&function->list(at::FunctionDef::body), 0, nullptr};
  const List* body = lowering.block(&chain, Loop{});
  return {body,
          lowering.do_return,
          lowering.retval,
          std::move(lowering.break_flags),
          lowering.too_deep,
          std::move(lowering.late)};
}

}  // namespace footlight::autograph
