// Unparses expressions, with no more parentheses than Python's own unparser writes.
#include "engine/autograph/unparser.h"

namespace footlight::autograph {

namespace {
int precedence_of(Op op) {
  switch (op) {
    case Op::kAnd: return kAnd;
    case Op::kOr: return kOr;
    case Op::kAdd:
    case Op::kSub: return kArithmetic;
    case Op::kMult:
    case Op::kMatMult:
    case Op::kDiv:
    case Op::kMod:
    case Op::kFloorDiv: return kTerm;
    case Op::kLShift:
    case Op::kRShift: return kShift;
    case Op::kBitOr: return kBitOr;
    case Op::kBitXor: return kBitXor;
    case Op::kBitAnd: return kBitAnd;
    case Op::kPow: return kPower;
    case Op::kNot: return kNot;
    case Op::kInvert:
    case Op::kUAdd:
    case Op::kUSub: return kFactor;
    default: return kCompare;
  }
}
bool is_integer(const Constant& constant) {
  return constant.kind == ConstantKind::kNumber &&
         (constant.text.starts_with("0x") || constant.text.find_first_of(".ejn") == constant.text.npos);
}
int tighter(int precedence) { return precedence < kAtom ? precedence + 1 : kAtom; }
}  // namespace

void Unparser::items(const List& list, int precedence) {
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i) out_ += ", ";
    expression(list[i], precedence);
  }
}

void Unparser::tuple(const Node* node, int precedence) {
  const List& elts = node->list(at::Tuple::elts);
  const bool wrap = elts.empty() || precedence > kTuple;
  open_if(wrap);
  items(elts);
  if (elts.size == 1) out_ += ',';
  close_if(wrap);
}

void Unparser::bin_op(const Node* node, int precedence) {
  const Op op = node->op(at::BinOp::op);
  const int own = precedence_of(op);
  const bool right_first = op == Op::kPow;
  open_if(precedence > own);
  expression(node->node(at::BinOp::left), right_first ? tighter(own) : own);
  out_ += ' ';
  out_ += op_symbols[static_cast<int>(op)];
  out_ += ' ';
  expression(node->node(at::BinOp::right), right_first ? own : tighter(own));
  close_if(precedence > own);
}

void Unparser::compare(const Node* node, int precedence) {
  open_if(precedence > kCompare);
  expression(node->node(at::Compare::left), tighter(kCompare));
  const OpList& ops = node->ops(at::Compare::ops);
  for (uint32_t i = 0; i < ops.size; ++i) {
    out_ += ' ';
    out_ += op_symbols[static_cast<int>(ops[i])];
    out_ += ' ';
    expression(node->list(at::Compare::comparators)[i], tighter(kCompare));
  }
  close_if(precedence > kCompare);
}

void Unparser::call(const Node* node) {
  expression(node->node(at::Call::func), kAtom);
  out_ += '(';
  const List& args = node->list(at::Call::args);
  const List& keywords = node->list(at::Call::keywords);
  items(args);
  if (!args.empty() && !keywords.empty()) out_ += ", ";
  items(keywords);
  out_ += ')';
}

void Unparser::subscript(const Node* node) {
  expression(node->node(at::Subscript::value), kAtom);
  out_ += '[';
  const Node* slice = node->node(at::Subscript::slice);
  if (is(slice, Kind::kTuple) && !slice->list(at::Tuple::elts).empty()) {
    items(slice->list(at::Tuple::elts));
    if (slice->list(at::Tuple::elts).size == 1) out_ += ',';
  } else {
    expression(slice);
  }
  out_ += ']';
}

void Unparser::dict(const Node* node) {
  out_ += '{';
  const List& keys = node->list(at::Dict::keys);
  for (uint32_t i = 0; i < keys.size; ++i) {
    if (i) out_ += ", ";
    if (keys[i]) {
      expression(keys[i]);
      out_ += ": ";
      expression(node->list(at::Dict::values)[i]);
    } else {
      out_ += "**";
      expression(node->list(at::Dict::values)[i], kBitOr);
    }
  }
  out_ += '}';
}

void Unparser::generators(const List& list) {
  for (const Node* generator : list) {
    out_ += generator->integer(at::comprehension::is_async) ? " async for " : " for ";
    expression(generator->node(at::comprehension::target), kTuple);
    out_ += " in ";
    expression(generator->node(at::comprehension::iter), tighter(kTest));
    for (const Node* condition : generator->list(at::comprehension::ifs)) {
      out_ += " if ";
      expression(condition, tighter(kTest));
    }
  }
}

void Unparser::comprehension(const Node* node, std::string_view open, std::string_view close) {
  out_ += open;
  expression(node->node(at::ListComp::elt));
  generators(node->list(at::ListComp::generators));
  out_ += close;
}

void Unparser::expression(const Node* node, int precedence) {
  switch (node->kind) {
    case Kind::kBoolOp: {
      int own = precedence_of(node->op(at::BoolOp::op));
      const bool wrap = precedence > own;
      open_if(wrap);
      const List& values = node->list(at::BoolOp::values);
      for (uint32_t i = 0; i < values.size; ++i) {
        if (i) {
          out_ += ' ';
          out_ += op_symbols[static_cast<int>(node->op(at::BoolOp::op))];
          out_ += ' ';
        }
        own = tighter(own);
        expression(values[i], own);
      }
      close_if(wrap);
      break;
    }
    case Kind::kNamedExpr:
      open_if(precedence > kNamedExpr);
      expression(node->node(at::NamedExpr::target), kAtom);
      out_ += " := ";
      expression(node->node(at::NamedExpr::value), kAtom);
      close_if(precedence > kNamedExpr);
      break;
    case Kind::kBinOp: bin_op(node, precedence); break;
    case Kind::kUnaryOp: {
      const Op op = node->op(at::UnaryOp::op);
      const int own = precedence_of(op);
      open_if(precedence > own);
      out_ += op_symbols[static_cast<int>(op)];
      if (own != kFactor) out_ += ' ';
      expression(node->node(at::UnaryOp::operand), own);
      close_if(precedence > own);
      break;
    }
    case Kind::kLambda: {
      open_if(precedence > kTest);
      out_ += "lambda";
      const size_t before = out_.size();
      arguments(node->node(at::Lambda::args));
      if (out_.size() > before) out_.insert(before, 1, ' ');
      out_ += ": ";
      expression(node->node(at::Lambda::body), kTest);
      close_if(precedence > kTest);
      break;
    }
    case Kind::kIfExp:
      open_if(precedence > kTest);
      expression(node->node(at::IfExp::body), tighter(kTest));
      out_ += " if ";
      expression(node->node(at::IfExp::test), tighter(kTest));
      out_ += " else ";
      expression(node->node(at::IfExp::orelse), kTest);
      close_if(precedence > kTest);
      break;
    case Kind::kDict: dict(node); break;
    case Kind::kSet:
      if (node->list(at::Set::elts).empty()) {
        out_ += "{*()}";
        break;
      }
      out_ += '{';
      items(node->list(at::Set::elts));
      out_ += '}';
      break;
    case Kind::kListComp: comprehension(node, "[", "]"); break;
    case Kind::kSetComp: comprehension(node, "{", "}"); break;
    case Kind::kGeneratorExp: comprehension(node, "(", ")"); break;
    case Kind::kDictComp:
      out_ += '{';
      expression(node->node(at::DictComp::key));
      out_ += ": ";
      expression(node->node(at::DictComp::value));
      generators(node->list(at::DictComp::generators));
      out_ += '}';
      break;
    case Kind::kAwait:
      open_if(precedence > kAwait);
      out_ += "await ";
      expression(node->node(at::Await::value), kAtom);
      close_if(precedence > kAwait);
      break;
    case Kind::kYield:
      open_if(precedence > kYield);
      out_ += "yield";
      if (const Node* value = node->node(at::Yield::value)) {
        out_ += ' ';
        expression(value, kAtom);
      }
      close_if(precedence > kYield);
      break;
    case Kind::kYieldFrom:
      open_if(precedence > kYield);
      out_ += "yield from ";
      expression(node->node(at::YieldFrom::value), kAtom);
      close_if(precedence > kYield);
      break;
    case Kind::kCompare: compare(node, precedence); break;
    case Kind::kCall: call(node); break;
    case Kind::kFormattedValue:
    case Kind::kJoinedStr: f_string(node); break;
    case Kind::kConstant:
      if (node->text(at::Constant::kind) == "u") out_ += 'u';
      constant(node->constant(at::Constant::value));
      break;
    case Kind::kAttribute: {
      const Node* value = node->node(at::Attribute::value);
      expression(value, kAtom);
      // 1 .real: without the space it would be the number 1.
      if (is(value, Kind::kConstant) && is_integer(value->constant(at::Constant::value))) out_ += ' ';
      out_ += '.';
      out_ += node->name(at::Attribute::attr)->text;
      break;
    }
    case Kind::kSubscript: subscript(node); break;
    case Kind::kStarred:
      out_ += '*';
      expression(node->node(at::Starred::value), kBitOr);
      break;
    case Kind::kName: out_ += node->name(at::Name::id)->text; break;
    case Kind::kList:
      out_ += '[';
      items(node->list(at::List::elts));
      out_ += ']';
      break;
    case Kind::kTuple: tuple(node, precedence); break;
    case Kind::kSlice:
      if (const Node* lower = node->node(at::Slice::lower)) expression(lower);
      out_ += ':';
      if (const Node* upper = node->node(at::Slice::upper)) expression(upper);
      if (const Node* step = node->node(at::Slice::step)) {
        out_ += ':';
        expression(step);
      }
      break;
    case Kind::kkeyword:
      if (const Name* name = node->name(at::keyword::arg)) {
        out_ += name->text;
        out_ += '=';
      } else {
        out_ += "**";
      }
      expression(node->node(at::keyword::value));
      break;
    default: break;
  }
}

}  // namespace footlight::autograph
