// Finds the names that a statement binds, and makes names for attributes and items.
#include "engine/autograph/activity.h"
#include "engine/autograph/unparse.h"

namespace footlight::autograph {

namespace {

// "[0]", "['k']" or "[i]" for an index that can be part of a name; empty for any other.
std::string index_text(const Tree& tree, const Node* index) {
  if (is(index, Kind::kName)) return "[" + std::string(index->name(at::Name::id)->text) + "]";
  if (!is(index, Kind::kConstant)) return {};
  const Constant& constant = index->constant(at::Constant::value);
  if (constant.kind == ConstantKind::kNumber && constant.text.empty())
    return "[" + std::to_string(constant.integer) + "]";
  if (constant.kind != ConstantKind::kString) return {};
  for (const char c : constant.text)
    if (c == '\\' || c == '\'' || c == ']' || static_cast<unsigned char>(c) < 0x20) return {};
  return "[" + unparse_expression(tree, index) + "]";
}

}  // namespace

Name* composite_name(Tree& tree, const Node* node) {
  const bool subscript = is(node, Kind::kSubscript);
  if (!subscript && !is(node, Kind::kAttribute)) return nullptr;
  const Node* value = node->node(subscript ? +at::Subscript::value : +at::Attribute::value);
  const Name* base = is(value, Kind::kName) ? value->name(at::Name::id) : composite_name(tree, value);
  if (!base) return nullptr;
  const std::string last = subscript ? index_text(tree, node->node(at::Subscript::slice))
                                     : "." + std::string(node->name(at::Attribute::attr)->text);
  return last.empty() ? nullptr : tree.name(std::string(base->text) + last);
}

void composite_support(Tree& tree, const Name* composite, std::vector<Name*>& names) {
  const std::string_view text = composite->text;
  names.push_back(tree.name(text.substr(0, text.find_first_of(".["))));
  for (size_t open = text.find('['); open != text.npos; open = text.find('[', open + 1)) {
    const std::string_view index = text.substr(open + 1, text.find(']', open) - open - 1);
    const char first = index.empty() ? '0' : index[0];
    if (first != '\'' && first != '"' && first != '-' && !(first >= '0' && first <= '9'))
      names.push_back(tree.name(index));
  }
}

namespace {

void bound_by_target(Tree& tree, const Node* target, NameSet& bound) {
  switch (target->kind) {
    case Kind::kName: bound.add(target->name(at::Name::id)); return;
    case Kind::kTuple:
    case Kind::kList:
      for (const Node* element : target->list(at::Tuple::elts)) bound_by_target(tree, element, bound);
      return;
    case Kind::kStarred: bound_by_target(tree, target->node(at::Starred::value), bound); return;
    default: return;
  }
}

void bound_by_expressions(const Node* node, NameSet& bound) {
  if (!(node->flags & kHasWalrus)) return;
  if (is(node, Kind::kLambda)) return;
  if (is(node, Kind::kNamedExpr)) bound.add(node->node(at::NamedExpr::target)->name(at::Name::id));
  for_each_child(node, [&](Node* child) {
    if (info(child->kind).category == Category::kExpression || child->kind == Kind::kcomprehension ||
        child->kind == Kind::kkeyword || child->kind == Kind::kwithitem)
      bound_by_expressions(child, bound);
  });
}

void bound_by_pattern(const Node* node, NameSet& bound) {
  const Name* name = node->kind == Kind::kMatchStar      ? node->name(at::MatchStar::name)
                     : node->kind == Kind::kMatchAs      ? node->name(at::MatchAs::name)
                     : node->kind == Kind::kMatchMapping ? node->name(at::MatchMapping::rest)
                                                         : nullptr;
  if (name) bound.add(name);
  for_each_child(node, [&](Node* child) {
    if (info(child->kind).category == Category::kPlaced) bound_by_pattern(child, bound);
  });
}

}  // namespace

void names_bound_here(Tree& tree, const Node* node, NameSet& bound) {
  switch (node->kind) {
    case Kind::kFunctionDef:
    case Kind::kAsyncFunctionDef:
    case Kind::kClassDef: bound.add(node->name(at::FunctionDef::name)); break;
    case Kind::kAssign:
      for (const Node* target : node->list(at::Assign::targets)) bound_by_target(tree, target, bound);
      break;
    case Kind::kAugAssign: bound_by_target(tree, node->node(at::AugAssign::target), bound); break;
    case Kind::kAnnAssign:
      if (node->node(at::AnnAssign::value)) bound_by_target(tree, node->node(at::AnnAssign::target), bound);
      break;
    case Kind::kTypeAlias: bound_by_target(tree, node->node(at::TypeAlias::name), bound); break;
    case Kind::kDelete:
      for (const Node* target : node->list(at::Delete::targets)) bound_by_target(tree, target, bound);
      break;
    case Kind::kFor:
    case Kind::kAsyncFor: bound_by_target(tree, node->node(at::For::target), bound); break;
    case Kind::kWith:
    case Kind::kAsyncWith:
      for (const Node* item : node->list(at::With::items))
        if (const Node* target = item->node(at::withitem::optional_vars)) bound_by_target(tree, target, bound);
      break;
    case Kind::kTry:
    case Kind::kTryStar:
      for (const Node* handler : node->list(at::Try::handlers))
        if (const Name* name = handler->name(at::ExceptHandler::name)) bound.add(name);
      break;
    case Kind::kMatch:
      for (const Node* one : node->list(at::Match::cases)) bound_by_pattern(one->node(at::match_case::pattern), bound);
      break;
    case Kind::kMatchStar:
    case Kind::kMatchAs:
    case Kind::kMatchMapping: bound_by_pattern(node, bound); return;
    case Kind::kImport:
    case Kind::kImportFrom:
      for (const Node* alias : node->list(node->kind == Kind::kImport ? +at::Import::names : +at::ImportFrom::names)) {
        if (const Name* as = alias->name(at::alias::asname)) {
          bound.add(as);
          continue;
        }
        const std::string_view text = alias->name(at::alias::name)->text;
        bound.add(tree.name(text.substr(0, text.find('.'))));
      }
      break;
    default: break;
  }
  if (node->flags & kHasWalrus)
    for_each_child(node, [&](Node* child) {
      const Category category = info(child->kind).category;
      if (category == Category::kExpression || child->kind == Kind::kwithitem) bound_by_expressions(child, bound);
    });
}

}  // namespace footlight::autograph
