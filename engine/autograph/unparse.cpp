// Unparsing of statements, definitions and patterns, and the line map.
#include "engine/autograph/unparser.h"

#include <algorithm>
#include <utility>

namespace footlight::autograph {

void Unparser::line(const Node* node, std::string_view text) {
  if (!map_.empty()) out_ += '\n';
  // Multi-line strings belong to the line on which their statement starts.
  count_lines();
  map_.push_back(static_cast<int>(node->at.line));
  out_.append(static_cast<size_t>(indent_) * 4, ' ');
  out_ += text;
}

void Unparser::count_lines() {
  const size_t newlines =
      static_cast<size_t>(std::count(out_.begin() + static_cast<ptrdiff_t>(counted_), out_.end(), '\n'));
  counted_ = out_.size();
  newlines_ += newlines;
  while (map_.size() < newlines_) map_.push_back(map_.empty() ? 0 : map_.back());
}

void Unparser::blank() {
  if (map_.empty()) return;
  out_ += '\n';
  map_.push_back(0);
}

Text Unparser::finish() {
  out_ += '\n';
  count_lines();
  out_.pop_back();
  return {std::move(out_), std::move(map_)};
}

void Unparser::block(const List& statements, bool docstring) {
  out_ += ':';
  ++indent_;
  body(statements, docstring);
  --indent_;
}

void Unparser::body(const List& statements, bool with_docstring) {
  uint32_t first = 0;
  if (with_docstring && !statements.empty() && is(statements[0], Kind::kExpr)) {
    const Node* value = statements[0]->node(at::Expr::value);
    if (is(value, Kind::kConstant) && value->constant(at::Constant::value).kind == ConstantKind::kString) {
      docstring(statements[0]);
      first = 1;
    }
  }
  for (uint32_t i = first; i < statements.size; ++i) statement(statements[i]);
}

void Unparser::docstring(const Node* node) {
  const Node* value = node->node(at::Expr::value);
  line(node, value->text(at::Constant::kind) == "u" ? "u" : "");
  string(value->constant(at::Constant::value).text, true);
}

void Unparser::decorators(const List& list) {
  for (const Node* decorator : list) {
    line(decorator, "@");
    expression(decorator);
  }
}

void Unparser::type_params(const List& list) {
  if (list.empty()) return;
  out_ += '[';
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i) out_ += ", ";
    const Node* param = list[i];
    const Node* fallback = nullptr;
    switch (param->kind) {
      case Kind::kTypeVar:
        out_ += param->name(at::TypeVar::name)->text;
        if (const Node* bound = param->node(at::TypeVar::bound)) {
          out_ += ": ";
          expression(bound);
        }
        fallback = param->node(at::TypeVar::fallback);
        break;
      case Kind::kParamSpec:
        out_ += "**";
        out_ += param->name(at::ParamSpec::name)->text;
        fallback = param->node(at::ParamSpec::fallback);
        break;
      default:
        out_ += '*';
        out_ += param->name(at::TypeVarTuple::name)->text;
        fallback = param->node(at::TypeVarTuple::fallback);
        break;
    }
    if (fallback) {
      out_ += " = ";
      expression(fallback);
    }
  }
  out_ += ']';
}

void Unparser::argument(const Node* node) {
  out_ += node->name(at::arg::arg)->text;
  if (const Node* annotation = node->node(at::arg::annotation)) {
    out_ += ": ";
    expression(annotation);
  }
}

void Unparser::arguments(const Node* node) {
  const List& positional_only = node->list(at::arguments::posonlyargs);
  const List& positional = node->list(at::arguments::args);
  const List& defaults = node->list(at::arguments::defaults);
  const List& keyword_only = node->list(at::arguments::kwonlyargs);
  const uint32_t all = positional_only.size + positional.size;
  bool first = true;
  auto comma = [&] {
    if (!first) out_ += ", ";
    first = false;
  };
  for (uint32_t i = 0; i < all; ++i) {
    comma();
    argument(i < positional_only.size ? positional_only[i] : positional[i - positional_only.size]);
    if (i + defaults.size >= all) {
      out_ += '=';
      expression(defaults[i + defaults.size - all]);
    }
    if (positional_only.size && i + 1 == positional_only.size) out_ += ", /";
  }
  const Node* vararg = node->node(at::arguments::vararg);
  if (vararg || !keyword_only.empty()) {
    comma();
    out_ += '*';
    if (vararg) argument(vararg);
  }
  const List& keyword_defaults = node->list(at::arguments::kw_defaults);
  for (uint32_t i = 0; i < keyword_only.size; ++i) {
    comma();
    argument(keyword_only[i]);
    if (i < keyword_defaults.size && keyword_defaults[i]) {
      out_ += '=';
      expression(keyword_defaults[i]);
    }
  }
  if (const Node* kwarg = node->node(at::arguments::kwarg)) {
    comma();
    out_ += "**";
    argument(kwarg);
  }
}

void Unparser::function(const Node* node, std::string_view keyword) {
  blank();
  decorators(node->list(at::FunctionDef::decorator_list));
  line(node, keyword);
  out_ += node->name(at::FunctionDef::name)->text;
  type_params(node->list(at::FunctionDef::type_params));
  out_ += '(';
  arguments(node->node(at::FunctionDef::args));
  out_ += ')';
  if (const Node* returns = node->node(at::FunctionDef::returns)) {
    out_ += " -> ";
    expression(returns);
  }
  block(node->list(at::FunctionDef::body), true);
}

void Unparser::class_def(const Node* node) {
  blank();
  decorators(node->list(at::ClassDef::decorator_list));
  line(node, "class ");
  out_ += node->name(at::ClassDef::name)->text;
  type_params(node->list(at::ClassDef::type_params));
  const List& bases = node->list(at::ClassDef::bases);
  const List& keywords = node->list(at::ClassDef::keywords);
  if (!bases.empty() || !keywords.empty()) {
    out_ += '(';
    items(bases);
    if (!bases.empty() && !keywords.empty()) out_ += ", ";
    items(keywords);
    out_ += ')';
  }
  block(node->list(at::ClassDef::body), true);
}

void Unparser::if_chain(const Node* node) {
  line(node, "if ");
  for (;;) {
    expression(node->node(at::If::test));
    block(node->list(at::If::body));
    const List& orelse = node->list(at::If::orelse);
    if (orelse.empty()) return;
    if (orelse.size == 1 && is(orelse[0], Kind::kIf)) {
      node = orelse[0];
      line(node, "elif ");
      continue;
    }
    line(node, "else");
    map_.back() = 0;
    block(orelse);
    return;
  }
}

void Unparser::loop_else(const Node* node, const List& orelse) {
  if (orelse.empty()) return;
  line(node, "else");
  map_.back() = 0;
  block(orelse);
}

void Unparser::try_statement(const Node* node, bool star) {
  line(node, "try");
  block(node->list(at::Try::body));
  for (const Node* handler : node->list(at::Try::handlers)) {
    line(handler, star ? "except*" : "except");
    if (const Node* type = handler->node(at::ExceptHandler::type)) {
      out_ += ' ';
      expression(type);
    }
    if (const Name* name = handler->name(at::ExceptHandler::name)) {
      out_ += " as ";
      out_ += name->text;
    }
    block(handler->list(at::ExceptHandler::body));
  }
  loop_else(node, node->list(at::Try::orelse));
  if (!node->list(at::Try::finalbody).empty()) {
    line(node, "finally");
    map_.back() = 0;
    block(node->list(at::Try::finalbody));
  }
}

void Unparser::with_statement(const Node* node, std::string_view keyword) {
  line(node, keyword);
  const List& with_items = node->list(at::With::items);
  for (uint32_t i = 0; i < with_items.size; ++i) {
    if (i) out_ += ", ";
    const Node* context = with_items[i]->node(at::withitem::context_expr);
    const Node* as = with_items[i]->node(at::withitem::optional_vars);
    // `with (a, b):` would be two items.
    const bool wrap = with_items.size == 1 && !as && is(context, Kind::kTuple);
    open_if(wrap);
    expression(context);
    close_if(wrap);
    if (as) {
      out_ += " as ";
      expression(as);
    }
  }
  block(node->list(at::With::body));
}

void Unparser::match(const Node* node) {
  line(node, "match ");
  expression(node->node(at::Match::subject));
  out_ += ':';
  ++indent_;
  for (const Node* match_case : node->list(at::Match::cases)) {
    line(match_case->node(at::match_case::pattern), "case ");
    pattern(match_case->node(at::match_case::pattern));
    if (const Node* guard = match_case->node(at::match_case::guard)) {
      out_ += " if ";
      expression(guard);
    }
    block(match_case->list(at::match_case::body));
  }
  --indent_;
}

void Unparser::pattern(const Node* node, int precedence) {
  switch (node->kind) {
    case Kind::kMatchValue: expression(node->node(at::MatchValue::value)); break;
    case Kind::kMatchSingleton: constant(node->constant(at::MatchSingleton::value)); break;
    case Kind::kMatchSequence: {
      out_ += '[';
      const List& patterns = node->list(at::MatchSequence::patterns);
      for (uint32_t i = 0; i < patterns.size; ++i) {
        if (i) out_ += ", ";
        pattern(patterns[i]);
      }
      out_ += ']';
      break;
    }
    case Kind::kMatchMapping: {
      out_ += '{';
      const List& keys = node->list(at::MatchMapping::keys);
      for (uint32_t i = 0; i < keys.size; ++i) {
        if (i) out_ += ", ";
        expression(keys[i]);
        out_ += ": ";
        pattern(node->list(at::MatchMapping::patterns)[i]);
      }
      if (const Name* rest = node->name(at::MatchMapping::rest)) {
        if (!keys.empty()) out_ += ", ";
        out_ += "**";
        out_ += rest->text;
      }
      out_ += '}';
      break;
    }
    case Kind::kMatchClass: {
      expression(node->node(at::MatchClass::cls), kAtom);
      out_ += '(';
      bool first = true;
      for (const Node* positional : node->list(at::MatchClass::patterns)) {
        if (!std::exchange(first, false)) out_ += ", ";
        pattern(positional);
      }
      const NameList& names = node->names(at::MatchClass::kwd_attrs);
      for (uint32_t i = 0; i < names.size; ++i) {
        if (!std::exchange(first, false)) out_ += ", ";
        out_ += names[i]->text;
        out_ += '=';
        pattern(node->list(at::MatchClass::kwd_patterns)[i]);
      }
      out_ += ')';
      break;
    }
    case Kind::kMatchStar: {
      const Name* name = node->name(at::MatchStar::name);
      out_ += '*';
      out_ += name ? name->text : "_";
      break;
    }
    case Kind::kMatchAs: {
      const Name* name = node->name(at::MatchAs::name);
      const Node* inner = node->node(at::MatchAs::pattern);
      if (!inner) {
        out_ += name ? name->text : "_";
        break;
      }
      open_if(precedence > kTest);
      pattern(inner, kBitOr);
      out_ += " as ";
      out_ += name->text;
      close_if(precedence > kTest);
      break;
    }
    case Kind::kMatchOr: {
      open_if(precedence > kBitOr);
      const List& patterns = node->list(at::MatchOr::patterns);
      for (uint32_t i = 0; i < patterns.size; ++i) {
        if (i) out_ += " | ";
        pattern(patterns[i], kBitOr + 1);
      }
      close_if(precedence > kBitOr);
      break;
    }
    default: break;
  }
}

void Unparser::aliases(const List& list) {
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i) out_ += ", ";
    out_ += list[i]->name(at::alias::name)->text;
    if (const Name* as = list[i]->name(at::alias::asname)) {
      out_ += " as ";
      out_ += as->text;
    }
  }
}

void Unparser::statement(const Node* node) {
  auto optional = [&](std::string_view before, const Node* value) {
    if (!value) return;
    out_ += before;
    expression(value);
  };
  switch (node->kind) {
    case Kind::kFunctionDef: function(node, "def "); break;
    case Kind::kAsyncFunctionDef: function(node, "async def "); break;
    case Kind::kClassDef: class_def(node); break;
    case Kind::kReturn:
      line(node, "return");
      optional(" ", node->node(at::Return::value));
      break;
    case Kind::kDelete:
      line(node, "del ");
      items(node->list(at::Delete::targets));
      break;
    case Kind::kAssign:
      line(node, "");
      for (const Node* target : node->list(at::Assign::targets)) {
        expression(target, kTuple);
        out_ += " = ";
      }
      expression(node->node(at::Assign::value));
      break;
    case Kind::kTypeAlias:
      line(node, "type ");
      expression(node->node(at::TypeAlias::name));
      type_params(node->list(at::TypeAlias::type_params));
      optional(" = ", node->node(at::TypeAlias::value));
      break;
    case Kind::kAugAssign:
      line(node, "");
      expression(node->node(at::AugAssign::target));
      out_ += ' ';
      out_ += op_symbols[static_cast<int>(node->op(at::AugAssign::op))];
      optional("= ", node->node(at::AugAssign::value));
      break;
    case Kind::kAnnAssign: {
      line(node, "");
      const Node* target = node->node(at::AnnAssign::target);
      const bool wrap = !node->integer(at::AnnAssign::simple) && is(target, Kind::kName);
      open_if(wrap);
      expression(target);
      close_if(wrap);
      optional(": ", node->node(at::AnnAssign::annotation));
      optional(" = ", node->node(at::AnnAssign::value));
      break;
    }
    case Kind::kFor:
    case Kind::kAsyncFor:
      line(node, node->kind == Kind::kFor ? "for " : "async for ");
      expression(node->node(at::For::target), kTuple);
      optional(" in ", node->node(at::For::iter));
      block(node->list(at::For::body));
      loop_else(node, node->list(at::For::orelse));
      break;
    case Kind::kWhile:
      line(node, "while ");
      expression(node->node(at::While::test));
      block(node->list(at::While::body));
      loop_else(node, node->list(at::While::orelse));
      break;
    case Kind::kIf: if_chain(node); break;
    case Kind::kWith: with_statement(node, "with "); break;
    case Kind::kAsyncWith: with_statement(node, "async with "); break;
    case Kind::kMatch: match(node); break;
    case Kind::kRaise:
      line(node, "raise");
      optional(" ", node->node(at::Raise::exc));
      optional(" from ", node->node(at::Raise::cause));
      break;
    case Kind::kTry: try_statement(node, false); break;
    case Kind::kTryStar: try_statement(node, true); break;
    case Kind::kAssert:
      line(node, "assert ");
      expression(node->node(at::Assert::test));
      optional(", ", node->node(at::Assert::msg));
      break;
    case Kind::kImport:
      line(node, "import ");
      aliases(node->list(at::Import::names));
      break;
    case Kind::kImportFrom:
      line(node, "from ");
      out_.append(static_cast<size_t>(node->integer(at::ImportFrom::level)), '.');
      if (const Name* module = node->name(at::ImportFrom::module)) out_ += module->text;
      out_ += " import ";
      aliases(node->list(at::ImportFrom::names));
      break;
    case Kind::kGlobal:
    case Kind::kNonlocal: {
      line(node, node->kind == Kind::kGlobal ? "global " : "nonlocal ");
      const NameList& names = node->names(at::Global::names);
      for (uint32_t i = 0; i < names.size; ++i) {
        if (i) out_ += ", ";
        out_ += names[i]->text;
      }
      break;
    }
    case Kind::kExpr:
      line(node, "");
      expression(node->node(at::Expr::value), kYield);
      break;
    case Kind::kPass: line(node, "pass"); break;
    case Kind::kBreak: line(node, "break"); break;
    case Kind::kContinue: line(node, "continue"); break;
    default: break;
  }
}

Text unparse(const Tree& tree, const Node* node) {
  Unparser unparser(tree);
  if (node->kind == Kind::kModule) unparser.body(node->list(at::Module::body), true);
  else if (info(node->kind).category == Category::kStatement) unparser.statement(node);
  else unparser.expression(node);
  return unparser.finish();
}

std::string unparse_expression(const Tree& tree, const Node* node) {
  Unparser unparser(tree);
  unparser.expression(node);
  return unparser.finish().text;
}

}  // namespace footlight::autograph
