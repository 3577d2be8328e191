// Conversion of functions and compound statements; control flow and expressions have their own files.
#include "engine/autograph/convert.h"
#include "engine/autograph/appends.h"
#include "engine/autograph/converter.h"
#include "engine/autograph/match.h"
#include "engine/autograph/unparse.h"

#include <algorithm>

namespace footlight::autograph {

namespace {
constexpr std::string_view kOptionNames[] = {"recursive", "user_requested", "optional_features",
                                             "internal_convert_user_code"};
}

// The range from the statement's first character to the end of its condition, which a traceback underlines.
Position header_of(const Node* statement, const Node* last) {
  Position at = statement->at;
  if (last->at.end_line >= at.line) {
    at.end_line = last->at.end_line;
    at.end_column = last->at.end_column;
  }
  return at;
}

Name* Converter::ag_() {
  Name* name = tree_.name("ag__");
  name->generated = true;
  return name;
}

Node* Converter::declaration(Kind kind, const std::vector<Name*>& names, Position at) {
  Node* node = tree_.make(kind, at);
  node->fields()[at::Nonlocal::names].names = tree_.name_list(names.data(), names.size());
  return node;
}

// Nested blocks declare names nonlocal, so Python needs them bound in an enclosing function. A bare annotation
// does that at no cost.
void Converter::declare_missing(Scope& scope, Nodes& out, size_t at_front, Position at) {
  NameSet missing = scope.wanted;
  missing.remove_all(scope.bound);
  missing.remove_all(scope.outer);
  missing.remove_all(activity_.globals);
  missing.remove_all(activity_.nonlocals);
  if (!scope.moved) missing.remove_all(activity_.parameters);
  Nodes made;
  missing.for_each([&](uint32_t id) {
    Node* node = tree_.make(Kind::kAnnAssign, at);
    node->node(at::AnnAssign::target) = tree_.store(tree_.name_at(id), at);
    node->node(at::AnnAssign::annotation) = tree_.none(at);
    node->fields()[at::AnnAssign::simple].integer = 1;
    made.push_back(node);
  });
  out.insert(out.begin() + static_cast<ptrdiff_t>(at_front), made.begin(), made.end());
}

void Converter::block(const List& list, Scope& scope, Nodes& out) {
  for (Node* node : list) statement(node, scope, out);
}

namespace {
// a, b = f(): a tensor may be what is taken apart.
bool unpacks(const Node* assign) {
  const Node* value = assign->node(at::Assign::value);
  if (is(value, Kind::kTuple) || is(value, Kind::kList) || is(value, Kind::kConstant)) return false;
  for (const Node* target : assign->list(at::Assign::targets))
    if (!is(target, Kind::kTuple) && !is(target, Kind::kList)) return false;
  return true;
}
}  // namespace

void Converter::statement(Node* node, Scope& scope, Nodes& out) {
  ++result_.steps;
  if (is_converted(node) && !class_body_) {
    if (both_forms()) return either(node, scope, out);
    if (const auto part = part_of_.find(node); beside_ && part != part_of_.end() && part->second.of == beside_) {
      staged_call(part->second, nullptr, scope, out);
      return;
    }
    switch (node->kind) {
      case Kind::kIf: if_statement(node, scope, out); break;
      case Kind::kWhile: while_statement(node, scope, out); break;
      default: for_statement(node, scope, out); break;
    }
    if (native()) note_jumps(node, out);
    return;
  }
  names_bound_here(tree_, node, scope.bound);
  switch (node->kind) {
    case Kind::kFunctionDef:
    case Kind::kAsyncFunctionDef:
    case Kind::kClassDef: out.push_back(definition(node)); return;
    case Kind::kReturn:
      if (node->flags & kLoweredReturn) {
        scope.bound.add(lowered_.do_return);
        scope.bound.add(lowered_.retval);
        if (native()) out.push_back(generic(node));
        else lowered_return(node, out);
        return;
      }
      break;
    case Kind::kGlobal:
    case Kind::kNonlocal:
      // In a moved block the declarations of the state replace it; the function declares it once, see function().
      if (scope.moved || lean()) return;
      break;
    case Kind::kAssert:
    case Kind::kRaise:
      if (!lean() || raw_expressions_ || class_body_) break;
      out.push_back(is(node, Kind::kAssert) ? assertion(node) : raising(node));
      return;
    case Kind::kAssign:
      if (native_jump(node, out)) return;
      if (!lean() || raw_expressions_ || class_body_ || !unpacks(node)) break;
      out.push_back(unpacked(node));
      return;
    case Kind::kAnnAssign: annotated(node, scope, out); return;
    case Kind::kDelete: deletion(node, out); return;
    case Kind::kAugAssign:
      if (!lean() && is(node->node(at::AugAssign::target), Kind::kName)) {
        Name* name = node->node(at::AugAssign::target)->name(at::Name::id);
        out.push_back(tree_.assign(tree_.store(name, node->at),
                                   tree_.call(ag("ld", node->at), {tree_.load(name, node->at)}, node->at), node->at));
        plain_names_ = true;
        out.push_back(generic(node));
        plain_names_ = false;
        return;
      }
      break;
    default: break;
  }
  compound(node, scope, out);
}

// finally: ...; if do_return is True: return ag__.ret(retval_, do_return): what was raised before is forgotten.
void Converter::return_at_end(const List& finalbody, Nodes& out) {
  if (!lean() || moved_ || !lowered_.do_return) return;
  for (const Node* node : finalbody) {
    if (!(node->flags & (kHasReturn | kLoweredReturn))) continue;
    const Position at = node->at;
    Node* made = tree_.make(Kind::kIf, at);
    made->node(at::If::test) = compared(tree_.load(lowered_.do_return, at), Op::kIs, tree_.boolean(true, at), at);
    made->fields()[at::If::body].list = tree_.list({result(at)});
    out.push_back(made);
    return;
  }
}

// return ag__.ret(retval_, do_return)
Node* Converter::result(Position at) {
  Node* made = tree_.make(Kind::kReturn, at);
  made->node(at::Return::value) =
      tree_.call(lean() ? tree_.load(tree_.name(runtime_name::kReturn), at)
                        : tree_.attribute(tree_.load(scope_name_, at), "ret", at),
                 {tree_.load(lowered_.retval, at), tree_.load(lowered_.do_return, at)}, at);
  return made;
}

// A statement that is kept: its expressions and blocks are converted.
void Converter::compound(Node* node, Scope& scope, Nodes& out) {
  const KindInfo& described = info(node->kind);
  Node* made = nullptr;
  auto fields = [&]() -> Slot* {
    if (!made) made = tree_.copy(node);
    return made->fields();
  };
  for (int i = 0; i < described.field_count; ++i) {
    switch (described.fields[i].type) {
      case FieldType::kNode:
      case FieldType::kOptional: {
        Node* child = node->node(i);
        if (!child || info(child->kind).category != Category::kExpression || is(node, Kind::kExceptHandler)) break;
        Node* converted = expression(child);
        // An `if` that stays Python's tells a recording which branch it takes.
        if (is(node, Kind::kIf) && i == at::If::test && options_.recorded && lean() && !class_body_ && function_ &&
            !is(child, Kind::kConstant) && always_python(child))
          converted = tree_.call(runtime(runtime_name::kDecided, child->at), {converted}, child->at);
        if (converted != child) fields()[i].node = converted;
        break;
      }
      case FieldType::kList: {
        const List& list = node->list(i);
        if (list.empty()) break;
        const Category category = info(list[0]->kind).category;
        if (category == Category::kStatement) {
          Nodes inner;
          const bool caught = (is(node, Kind::kTry) || is(node, Kind::kTryStar)) && i == at::Try::body &&
                              !node->list(at::Try::handlers).empty();
          Handled here{moved_};
          Handled* const outer = caught_;
          Parts* const parts = parts_;
          if (caught) {
            caught_ = &here;
            parts_ = nullptr;
          }
          block(list, scope, inner);
          caught_ = outer;
          parts_ = parts;
          if (here.depth)
            inner.insert(inner.begin(),
                         tree_.assign(tree_.store(here.depth, node->at),
                                      tree_.call(runtime(runtime_name::kDepth, node->at),
                                                 std::initializer_list<Node*>{}, node->at),
                                      node->at));
          if ((is(node, Kind::kTry) || is(node, Kind::kTryStar)) && i == at::Try::finalbody)
            return_at_end(list, inner);
          if (inner.empty()) inner.push_back(tree_.pass(node->at));
          fields()[i].list = tree_.list(inner);
        } else if (category == Category::kExpression) {
          const List* converted = expressions(list);
          if (converted != &list) fields()[i].list = converted;
        } else {
          // Handlers, cases, with items: small statements of their own. The call of a with item is not converted.
          Nodes parts;
          for (Node* part : list) {
            if (is(part, Kind::kwithitem)) {
              Node* item = tree_.copy(part);
              if (!lean()) {
                Node* context = part->node(at::withitem::context_expr);
                item->node(at::withitem::context_expr) =
                    is(context, Kind::kCall) ? generic(context) : expression(context);
              }
              parts.push_back(item);
            } else if (is(part, Kind::kalias)) {
              parts.push_back(part);
            } else {
              compound(part, scope, parts);
            }
          }
          fields()[i].list = tree_.list(parts);
        }
        break;
      }
      default: break;
    }
  }
  out.push_back(made ? made : node);
}

void Converter::lowered_return(Node* node, Nodes& out) {
  const Position at = node->at;
  Node* value = node->node(at::Return::value) ? expression(node->node(at::Return::value)) : tree_.none(at);
  Node* set_value = tree_.assign(tree_.store(lowered_.retval, at), value, at);
  Node* set_flag = tree_.assign(tree_.store(lowered_.do_return, at), tree_.boolean(true, at), at);
  if (lean()) {
    // The value first: if it raises, nothing was returned.
    out.push_back(set_value);
    out.push_back(set_flag);
    return;
  }
  Node* handler = tree_.make(Kind::kExceptHandler, at);
  handler->fields()[at::ExceptHandler::body].list =
      tree_.list({tree_.assign(tree_.store(lowered_.do_return, at), tree_.boolean(false, at), at),
                  tree_.make(Kind::kRaise, at)});
  Node* attempt = tree_.make(Kind::kTry, at);
  attempt->fields()[at::Try::body].list = tree_.list({set_flag, set_value});
  attempt->fields()[at::Try::handlers].list = tree_.list({handler});
  out.push_back(attempt);
}

// In a moved block `x: T = 1` may refer to an outer function's variable, which Python refuses to annotate there.
void Converter::annotated(Node* node, Scope& scope, Nodes& out) {
  Node* target = node->node(at::AnnAssign::target);
  const bool of_outer = is(target, Kind::kName) && scope.outer.has(target->name(at::Name::id));
  if (!of_outer) {
    compound(node, scope, out);
    return;
  }
  if (Node* value = node->node(at::AnnAssign::value)) out.push_back(tree_.assign(target, expression(value), node->at));
}

void Converter::deletion(Node* node, Nodes& out) {
  if (lean()) {
    out.push_back(generic(node));
    return;
  }
  Nodes rest;
  for (Node* target : node->list(at::Delete::targets)) {
    if (!is(target, Kind::kName)) {
      rest.push_back(expression(target));
      continue;
    }
    Name* name = target->name(at::Name::id);
    out.push_back(tree_.assign(tree_.store(name, node->at),
                               tree_.call(ag("Undefined", node->at), {tree_.string(name->text, node->at)}, node->at),
                               node->at));
  }
  if (rest.empty()) return;
  Node* made = tree_.copy(node);
  made->fields()[at::Delete::targets].list = tree_.list(rest);
  out.push_back(made);
}

// a, b = ag__.items(f())
Node* Converter::unpacked(Node* node) {
  Node* value = node->node(at::Assign::value);
  Node* made = tree_.copy(node);
  made->node(at::Assign::value) = tree_.call(runtime(runtime_name::kItems, value->at), {expression(value)}, value->at);
  made->fields()[at::Assign::targets].list = expressions(node->list(at::Assign::targets));
  return made;
}

// assert ag__.asserted(x > 0, lambda: message, 'x > 0'), message: a tensor passes here and is checked by the graph.
// What fails under a tensor condition is raised by the graph, like `raise`: see raising().
Node* Converter::assertion(Node* node) {
  Node* test = node->node(at::Assert::test);
  Node* message = node->node(at::Assert::msg);
  Node* made = tree_.copy(node);
  Node* said = message && movable(message) ? thunk(message) : tree_.none(node->at);
  if (is(said, Kind::kLambda)) said->at = node->at;  // a debugger sees the message's line only when it is needed
  if (message) made->node(at::Assert::msg) = expression(message);
  Node* checked = expression(test);
  if (!always_python(test) || moved_) {
    Nodes given{checked, said, tree_.string(unparse_expression(tree_, test), test->at)};
    if (caught_) given.push_back(caught_->moved == moved_ ? tree_.none(test->at) : try_depth(test->at));
    checked = tree_.call(runtime(runtime_name::kAsserted, test->at), tree_.list(given), test->at);
  }
  made->node(at::Assert::test) = checked;
  return made;
}

Node* Converter::try_depth(Position at) {
  if (!caught_->depth) caught_->depth = tree_.fresh("try_depth");
  return tree_.load(caught_->depth, at);
}

// raise ag__.raising(error): under a tensor condition, the graph raises it. Inside a try which might catch it, this is
// refused if the try began outside of the condition.
Node* Converter::raising(Node* node) {
  Node* error = node->node(at::Raise::exc);
  if (!error) return node;
  Node* made = tree_.copy(node);
  if (Node* cause = node->node(at::Raise::cause)) made->node(at::Raise::cause) = expression(cause);
  Node* raised = expression(error);
  if (!caught_) {
    raised = tree_.call(runtime(runtime_name::kRaising, error->at), {raised}, error->at);
  } else if (caught_->moved != moved_) {
    raised = tree_.call(runtime(runtime_name::kRaising, error->at), {raised, try_depth(error->at)}, error->at);
  }
  made->node(at::Raise::exc) = raised;
  return made;
}

// A nested function or class.
Node* Converter::definition(Node* node) {
  if (node->kind == Kind::kClassDef) {
    Node* made = tree_.copy(node);
    Nodes body;
    ++class_body_;
    Scope inner;
    block(node->list(at::ClassDef::body), inner, body);
    --class_body_;
    made->fields()[at::ClassDef::body].list = tree_.list(body);
    made->fields()[at::ClassDef::bases].list = expressions(node->list(at::ClassDef::bases));
    return made;
  }
  if (stands_as_written(node)) {
    result_.written.push_back(node);
    result_.written_at.push_back(place_of(node));
    return outside_of_body(node);
  }
  Node*& known = definitions_[node];
  if (!known) {
    Converter inner(tree_, options_, result_, this);
    inner.stands_once_ = stands_once();
    const std::string reason = std::move(result_.reason);
    known = inner.function(node);
    if (!known) {
      result_.statements.push_back({node->at.line, node->at.end_line, "function", "fallback", result_.reason});
      known = node;
    }
    result_.reason = reason;
  }
  const bool marked = !lean() && known != node;
  Node* made = outside_of_body(known);
  if (marked) {
    const List& list = made->list(at::FunctionDef::decorator_list);
    Nodes decorators(list.begin(), list.end());
    decorators.push_back(ag("autograph_artifact", node->at));  // the first to be applied: others may give anything
    if (made == known) made = tree_.copy(known);
    made->fields()[at::FunctionDef::decorator_list].list = tree_.list(decorators);
  }
  return made;
}

// Its decorators and default values are expressions of the function around it.
Node* Converter::outside_of_body(Node* function) {
  Node* made = function;
  const List& decorators = function->list(at::FunctionDef::decorator_list);
  if (const List* list = expressions(decorators); list != &decorators) {
    made = tree_.copy(function);
    made->fields()[at::FunctionDef::decorator_list].list = list;
  }
  Node* const arguments = function->node(at::FunctionDef::args);
  Node* given = arguments;
  for (const int slot : {+at::arguments::defaults, +at::arguments::kw_defaults}) {
    const List* list = expressions(arguments->list(slot));
    if (list == &arguments->list(slot)) continue;
    if (given == arguments) given = tree_.copy(arguments);
    given->fields()[slot].list = list;
  }
  if (given == arguments) return made;
  if (made == function) made = tree_.copy(function);
  made->node(at::FunctionDef::args) = given;
  return made;
}

// ag__.ConversionOptions(recursive=True, user_requested=True, optional_features=(), internal_convert_user_code=True)
Node* Converter::conversion_options(Position at) {
  Node* options = tree_.call(ag("ConversionOptions", at), std::initializer_list<Node*>{}, at);
  Node* values[] = {tree_.boolean(options_.recursive, at), tree_.boolean(true, at),
                    tree_.tuple(&kEmptyList, Op::kLoad, at), tree_.boolean(true, at)};
  Nodes keywords;
  for (int i = 0; i < 4; ++i) {
    Node* keyword = tree_.make(Kind::kkeyword, at);
    keyword->fields()[at::keyword::arg].name = tree_.name(kOptionNames[i]);
    keyword->node(at::keyword::value) = values[i];
    keywords.push_back(keyword);
  }
  options->fields()[at::Call::keywords].list = tree_.list(keywords);
  return options;
}

namespace {
// A docstring stays first.
uint32_t docstring_count(const List& body) {
  if (body.empty() || !is(body[0], Kind::kExpr)) return 0;
  const Node* value = body[0]->node(at::Expr::value);
  return is(value, Kind::kConstant) && value->constant(at::Constant::value).kind == ConstantKind::kString;
}
}  // namespace

Node* Converter::function(Node* function) {
  function_ = function;
  if (function->kind == Kind::kFunctionDef)
    function = lower_matches(tree_, function, result_.statements, result_.steps);
  if (lean() && function->kind == Kind::kFunctionDef)
    function = lower_appends(tree_, function, lists_, result_.steps);
  const Marks marks = mark(function, options_.style, result_.statements, result_.steps);
  result_.reason = marks.reason;
  if (marks.generator && !outer_ && !lean()) result_.reason = "a generator: its yields belong to the function itself";
  if (!result_.reason.empty()) return nullptr;

  raw_expressions_ = lean() && marks.sees_scope;
  // A return of Python's own would go on after a finally in which a tensor decided on another one.
  only_staged_ |= marks.return_in_finally && marks.lowered_returns;
  const Position at = function->at;
  const Node* last = nullptr;  // in the user's text
  if (is(function, Kind::kFunctionDef) && !function->list(at::FunctionDef::body).empty())
    last = function->list(at::FunctionDef::body)[function->list(at::FunctionDef::body).size - 1];
  lowered_ = lower(tree_, function, marks, result_.steps, lean(), options_.deepest);
  if (lowered_.too_deep) {
    result_.reason = "its statements, or what follows its early returns, would be nested more than " +
                     std::to_string(options_.deepest) + " deep";
    return nullptr;
  }
  std::vector<Name*> at_end;
  if (lowered_.do_return) at_end = {lowered_.do_return, lowered_.retval};
  activity_ = analyse(tree_, function, *lowered_.body, at_end, result_.steps, lowered_.do_return, lowered_.retval);

  Scope scope;
  Nodes body;
  const uint32_t docstrings = docstring_count(*lowered_.body);
  if (!lean()) scope_name_ = tree_.fresh("fscope");
  for (uint32_t i = 0; i < docstrings; ++i) body.push_back((*lowered_.body)[i]);
  size_t front = body.size();
  if (lean()) {
    for (const Kind kind : {Kind::kGlobal, Kind::kNonlocal}) {
      std::vector<Name*> names;
      const NameSet& declared = kind == Kind::kGlobal ? activity_.globals : activity_.nonlocals;
      declared.for_each([&](uint32_t id) { names.push_back(tree_.name_at(id)); });
      if (names.empty()) continue;
      body.push_back(declaration(kind, names, at));
      scope.outer.add_all(declared);
    }
    front = body.size();
  }
  const List rest{lowered_.body->size - docstrings, lowered_.body->items + docstrings};
  // A debugger that steps through the lean form stops at the user's statements only.
  const Position start = lean() && !rest.empty() ? rest[0]->at : at;
  const Position end = lean() && last ? last->at : at;
  if (lowered_.do_return) {
    body.push_back(tree_.assign(tree_.store(lowered_.do_return, start), tree_.boolean(false, start), start));
    Node* undefined = lean() ? tree_.load(tree_.name(runtime_name::kUndefinedReturn), start)
                             : tree_.call(ag("UndefinedReturnValue", at), std::initializer_list<Node*>{}, at);
    body.push_back(tree_.assign(tree_.store(lowered_.retval, start), undefined, start));
    scope.bound.add(lowered_.do_return);
    scope.bound.add(lowered_.retval);
  }
  block(rest, scope, body);
  if (lowered_.do_return) body.push_back(result(end));
  if (jumped_) {
    scope.bound.add(jumped_);
    body.insert(body.begin() + static_cast<ptrdiff_t>(front),
                tree_.assign(tree_.store(jumped_, start), tree_.boolean(false, start), start));
  }
  declare_missing(scope, body, front, start);
  if (first_late_) {
    const Position where = first_late_->at;  // a debugger stops at no other line
    // A function that is never called keeps the variables where late forms find them.
    Nodes shared;
    shared_with_late_.for_each([&](uint32_t id) {
      if (Name* name = tree_.name_at(id); name->text.find('.') == name->text.npos)
        shared.push_back(tree_.load(name, where));
    });
    const List& arguments = first_late_->list(at::Call::args);
    Nodes given(arguments.begin(), arguments.end());
    given.push_back(tree_.lambda(tree_.tuple(tree_.list(shared), Op::kLoad, where), where));
    first_late_->fields()[at::Call::args].list = tree_.list(given);
  }
  if (body.size() == docstrings) body.push_back(tree_.pass(at));

  Node* made = tree_.copy(function);
  if (lean()) {
    made->fields()[at::FunctionDef::body].list = tree_.list(body);
    return made;
  }
  // with ag__.FunctionScope('f', 'fscope', options) as fscope: ...
  Node* options = outer_ ? ag("STD", at) : conversion_options(at);
  Node* item = tree_.make(Kind::kwithitem, {});
  item->node(at::withitem::context_expr) =
      tree_.call(ag("FunctionScope", at), {tree_.string(function->name(at::FunctionDef::name)->text, at),
                                           tree_.string(scope_name_->text, at), options}, at);
  item->node(at::withitem::optional_vars) = tree_.store(scope_name_, at);
  Node* with = tree_.make(Kind::kWith, at);
  with->fields()[at::With::items].list = tree_.list({item});
  with->fields()[at::With::body].list = tree_.list(body.data() + docstrings, body.size() - docstrings);
  Nodes all(body.begin(), body.begin() + docstrings);
  if (body.size() == docstrings) with->fields()[at::With::body].list = tree_.list({tree_.pass(at)});
  all.push_back(with);
  made->fields()[at::FunctionDef::body].list = tree_.list(all);
  return made;
}

// In readable form a standalone lambda becomes ag__.with_function_scope(lambda lscope: body, 'lscope', options).
Node* Converter::lambda(Node* lambda) {
  const Marks marks = mark(lambda, options_.style, result_.statements, result_.steps);
  result_.reason = marks.reason;
  if (!result_.reason.empty()) return nullptr;
  const Position at = lambda->at;
  if (outer_) scope_name_ = outer_->scope_name_;
  else if (!lean()) scope_name_ = tree_.fresh("lscope");
  if (!outer_) plain_names_ = true;
  Node* made = tree_.copy(lambda);
  Node* body = expression(lambda->node(at::Lambda::body));
  made->node(at::Lambda::args) = generic(lambda->node(at::Lambda::args));
  if (!lean() && !outer_) {
    Node* scoped = tree_.make(Kind::kLambda, at);
    scoped->node(at::Lambda::args) = tree_.arguments({scope_name_}, at);
    scoped->node(at::Lambda::body) = body;
    body = tree_.call(ag("with_function_scope", at),
                      {scoped, tree_.string(scope_name_->text, at), conversion_options(at)}, at);
  }
  made->node(at::Lambda::body) = body;
  return made;
}

Conversion convert(Tree& tree, Node* function, const Options& options) {
  Conversion result;
  Converter converter(tree, options, result, nullptr);
  result.function = function->kind == Kind::kLambda ? converter.lambda(function) : converter.function(function);
  return result;
}

}  // namespace footlight::autograph
