// Finds local names, and the statements `name.append(value)` in ifs, whiles and fors.
#include "engine/autograph/appends.h"

#include "engine/autograph/activity.h"
#include "engine/autograph/convert.h"

namespace footlight::autograph {

namespace {

class Appends {
 public:
  Appends(Tree& tree, NameSet& lists, uint64_t& steps) : tree_(tree), lists_(lists), steps_(steps) {}

  // Names that the function binds itself.
  void find_locals(const Node* function) {
    const Node* arguments = function->node(at::FunctionDef::args);
    for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args, +at::arguments::kwonlyargs})
      for (const Node* arg : arguments->list(slot)) locals_.add(arg->name(at::arg::arg));
    bound(function->list(at::FunctionDef::body));
    locals_.remove_all(outer_);
  }

  const List* block(const List& list, bool controlled) {
    std::vector<Node*> out;
    bool changed = false;
    for (Node* node : list) {
      ++steps_;
      Node* made = controlled ? append(node) : nullptr;
      if (!made) made = inside(node, controlled);
      changed |= made != node;
      out.push_back(made);
    }
    return changed ? tree_.list(out) : &list;
  }

 private:
  void bound(const List& list) {
    for (const Node* node : list) {
      ++steps_;
      names_bound_here(tree_, node, locals_);
      if (is(node, Kind::kGlobal) || is(node, Kind::kNonlocal))
        for (const Name* name : node->names(at::Global::names)) outer_.add(name);
      for_each_block(node, [&](const List& inner) { bound(inner); });
    }
  }

  template <class Visit>
  static void for_each_block(const Node* node, Visit&& visit) {
    if (is_function(node) || is(node, Kind::kClassDef)) return;
    const KindInfo& described = info(node->kind);
    for (int i = 0; i < described.field_count; ++i) {
      if (described.fields[i].type != FieldType::kList || node->list(i).empty()) continue;
      const List& list = node->list(i);
      if (info(list[0]->kind).category == Category::kStatement) visit(list);
      else if (is(list[0], Kind::kExceptHandler) || is(list[0], Kind::kmatch_case))
        for (const Node* part : list) for_each_block(part, visit);
    }
  }

  Node* inside(Node* node, bool controlled) {
    controlled |= is_control_flow(node);
    return with_blocks(tree_, node, [&](const List& list) { return block(list, controlled); });
  }

  // name = ag__.append(name, value), or null.
  Node* append(Node* node) {
    if (!is(node, Kind::kExpr) || !is(node->node(at::Expr::value), Kind::kCall)) return nullptr;
    const Node* call = node->node(at::Expr::value);
    const Node* function = call->node(at::Call::func);
    if (!is(function, Kind::kAttribute) || function->name(at::Attribute::attr)->text != "append" ||
        call->list(at::Call::args).size != 1 || is(call->list(at::Call::args)[0], Kind::kStarred) ||
        !call->list(at::Call::keywords).empty())
      return nullptr;
    const Node* object = function->node(at::Attribute::value);
    if (!is(object, Kind::kName) || !locals_.has(object->name(at::Name::id))) return nullptr;
    Name* name = object->name(at::Name::id);
    lists_.add(name);
    Node* made = tree_.call(tree_.load(tree_.name(runtime_name::kAppend), node->at),
                            {tree_.load(name, object->at), call->list(at::Call::args)[0]}, node->at);
    return tree_.assign(tree_.store(name, node->at), made, node->at);
  }

  Tree& tree_;
  NameSet& lists_;
  uint64_t& steps_;
  NameSet locals_, outer_;
};

}  // namespace

Node* lower_appends(Tree& tree, Node* function, NameSet& lists, uint64_t& steps) {
  Appends appends(tree, lists, steps);
  appends.find_locals(function);
  const List* body = appends.block(function->list(at::FunctionDef::body), false);
  if (body == &function->list(at::FunctionDef::body)) return function;
  Node* made = tree.copy(function);
  made->fields()[at::FunctionDef::body].list = body;
  return made;
}

}  // namespace footlight::autograph
