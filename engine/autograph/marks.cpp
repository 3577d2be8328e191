// Marks what statements contain (bottom up) and which of them stay in Python (top down).
#include "engine/autograph/marks.h"

namespace footlight::autograph {

bool always_python(const Node* test) {
  switch (test->kind) {
    case Kind::kConstant: return true;
    case Kind::kCompare: {
      for (const Op op : test->ops(at::Compare::ops))
        if (op != Op::kIs && op != Op::kIsNot) return false;
      return true;
    }
    case Kind::kUnaryOp:
      return test->op(at::UnaryOp::op) == Op::kNot && always_python(test->node(at::UnaryOp::operand));
    case Kind::kBoolOp:
      for (const Node* value : test->list(at::BoolOp::values))
        if (!always_python(value)) return false;
      return true;
    case Kind::kCall: {
      const Node* func = test->node(at::Call::func);
      if (!is(func, Kind::kName)) return false;
      const std::string_view name = func->name(at::Name::id)->text;
      return name == "isinstance" || name == "issubclass" || name == "hasattr" || name == "callable";
    }
    default: return false;
  }
}

bool sees_scope(const Node* call) {
  const Node* func = call->node(at::Call::func);
  if (!is(func, Kind::kName)) return false;
  const std::string_view name = func->name(at::Name::id)->text;
  if (name == "locals" || name == "eval" || name == "exec") return true;
  return (name == "vars" || name == "dir") && call->list(at::Call::args).empty();
}

namespace {

class Marker {
 public:
  Marker(Style style, std::vector<Fate>& fates, uint64_t& steps) : style_(style), fates_(fates), steps_(steps) {}

  uint16_t scan(Node* node) {
    ++steps_;
    uint16_t flags = 0;
    switch (node->kind) {
      case Kind::kFunctionDef:
      case Kind::kAsyncFunctionDef:
        flags = scan_list(node->list(at::FunctionDef::decorator_list)) | scan(node->node(at::FunctionDef::args));
        break;
      case Kind::kLambda: flags = scan(node->node(at::Lambda::args)); break;
      case Kind::kClassDef:
        flags = scan_list(node->list(at::ClassDef::decorator_list)) | scan_list(node->list(at::ClassDef::bases));
        break;
      case Kind::kFor:
      case Kind::kAsyncFor:
      case Kind::kWhile: {
        const bool is_while = node->kind == Kind::kWhile;
        flags = is_while ? scan(node->node(at::While::test))
                         : scan(node->node(at::For::target)) | scan(node->node(at::For::iter));
        const uint16_t body = scan_list(node->list(is_while ? +at::While::body : +at::For::body));
        if (body & kHasBreak) flags |= kOwnBreak;
        if (body & kHasContinue) flags |= kOwnContinue;
        flags |= body & ~(kHasBreak | kHasContinue | kOwnBreak | kOwnContinue);
        flags |= scan_list(node->list(is_while ? +at::While::orelse : +at::For::orelse)) & ~(kOwnBreak | kOwnContinue);
        if (node->kind == Kind::kAsyncFor) flags |= kHasYield;
        node->flags = flags;
        return flags & static_cast<uint16_t>(~(kOwnBreak | kOwnContinue));
      }
      default:
        for_each_child(node, [&](Node* child) { flags |= scan(child); });
        switch (node->kind) {
          case Kind::kReturn: flags |= kHasReturn; break;
          case Kind::kBreak: flags |= kHasBreak; break;
          case Kind::kContinue: flags |= kHasContinue; break;
          case Kind::kYield:
          case Kind::kYieldFrom:
          case Kind::kAwait:
          case Kind::kAsyncWith: flags |= kHasYield; break;
          case Kind::kNamedExpr: flags |= kHasWalrus; break;
          case Kind::kTry:
          case Kind::kTryStar:
            for (const Node* last : node->list(at::Try::finalbody))
              return_in_finally |= last->kind == Kind::kReturn || (last->flags & kHasReturn);
            break;
          case Kind::kcomprehension:
            if (node->integer(at::comprehension::is_async)) flags |= kHasYield;
            break;
          case Kind::kCall:
            if (sees_scope(node)) flags |= kHasLocals;
            break;
          default: break;
        }
        break;
    }
    node->flags = flags;
    return flags;
  }

  uint16_t scan_list(const List& list) {
    uint16_t flags = 0;
    for (Node* node : list) flags |= scan(node);
    return flags;
  }

  // `native_loop`: breaks here leave a loop that stays in Python. `moved`: inside a statement that is converted.
  void decide(const List& statements, bool native_loop, bool moved) {
    for (Node* node : statements) decide(node, native_loop, moved);
  }

  bool generator = false, scope_seen = false, moved_return = false, return_in_finally = false;

 private:
  void decide(Node* node, bool native_loop, bool moved) {
    ++steps_;
    if (is(node, Kind::kReturn)) {
      moved_return |= moved;
      return;
    }
    if (!is_control_flow(node)) {
      if (is_function(node) || is(node, Kind::kClassDef)) return;
      for_each_child(node, [&](Node* child) {
        const Category category = info(child->kind).category;
        if (category == Category::kStatement || child->kind == Kind::kExceptHandler || child->kind == Kind::kmatch_case)
          decide(child, native_loop || is(node, Kind::kAsyncFor), moved);
      });
      return;
    }
    const bool is_if = node->kind == Kind::kIf;
    const char* why = nullptr;
    if (scope_seen) why = "locals(), eval() or exec() in this function sees the names of its scope";
    else if (node->flags & kHasYield) why = "a yield or await inside belongs to this function";
    else if (generator && (node->flags & kHasReturn)) why = "a return inside ends this generator";
    else if (native_loop && (node->flags & (kHasBreak | kHasContinue))) why = "leaves a loop that stays Python";
    const bool plain = !why && is_if && style_ == Style::kLean && always_python(node->node(at::If::test));
    if (why || plain) node->flags |= kKept;
    Fate fate{node->at.line, node->at.end_line,
              is_if                        ? "if"
              : node->kind == Kind::kWhile ? "while"
                                           : "for",
              "staged", ""};
    if (why) {
      fate.fate = "fallback";
      fate.note = why;
    } else if (is_if && always_python(node->node(at::If::test))) {
      fate.fate = "python";
      fate.note = "the condition is a Python bool whatever its operands are";
    }
    fates_.push_back(std::move(fate));
    const bool kept = node->flags & kKept;
    const int body = is_if ? +at::If::body : node->kind == Kind::kWhile ? +at::While::body : +at::For::body;
    const int orelse = body + 1;
    decide(node->list(body), is_if ? native_loop : kept, moved || !kept);
    decide(node->list(orelse), native_loop, moved || !kept);
  }

  Style style_;
  std::vector<Fate>& fates_;
  uint64_t& steps_;
};

}  // namespace

Marks mark(Node* function, Style style, std::vector<Fate>& fates, uint64_t& steps) {
  Marks marks;
  if (function->kind == Kind::kAsyncFunctionDef) {
    marks.reason = "an async function";
    return marks;
  }
  Marker marker(style, fates, steps);
  if (function->kind == Kind::kLambda) {
    marker.scan(function->node(at::Lambda::args));
    const uint16_t flags = marker.scan(function->node(at::Lambda::body));
    if (flags & kHasYield) marks.reason = "a generator";
    return marks;
  }
  const List& body = function->list(at::FunctionDef::body);
  const uint16_t flags = marker.scan_list(body);
  marks.generator = marker.generator = flags & kHasYield;
  marks.sees_scope = marker.scope_seen = flags & kHasLocals;
  marker.decide(body, false, false);
  // In a function that sees its scope all loops stay Python: a return has to leave them itself.
  const bool lowers_all = style == Style::kReadable && !marks.sees_scope;
  marks.return_in_finally = marker.return_in_finally;
  marks.lowered_returns = !marks.generator && (lowers_all ? (flags & kHasReturn) != 0 : marker.moved_return);
  return marks;
}

}  // namespace footlight::autograph
