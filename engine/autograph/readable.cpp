// The readable conversion of one function as text.
#include "engine/autograph/readable.h"

#include "engine/autograph/unparse.h"

namespace footlight::autograph {

namespace {
// Defaults were evaluated when the function was made: the text only shows that they exist.
void hide_defaults(Tree& tree, Node* arguments) {
  for (const int slot : {+at::arguments::defaults, +at::arguments::kw_defaults}) {
    std::vector<Node*> values;
    for (Node* value : arguments->list(slot)) values.push_back(value ? tree.none(value->at) : nullptr);
    arguments->fields()[slot].list = tree.list(values);
  }
}
}  // namespace

Readable readable(Tree& tree, Node* function, std::string_view name, bool recursive) {
  Readable result;
  Conversion conversion = convert(tree, function, {Style::kReadable, recursive});
  result.statements = std::move(conversion.statements);
  result.reason = std::move(conversion.reason);
  if (!conversion.function) return result;
  Node* made = tree.copy(conversion.function);
  const bool is_lambda = made->kind == Kind::kLambda;
  const int arguments = is_lambda ? +at::Lambda::args : +at::FunctionDef::args;
  made->node(arguments) = tree.copy(made->node(arguments));
  hide_defaults(tree, made->node(arguments));
  if (is_lambda) {
    made = tree.assign(tree.store(tree.name(name), made->at), made, made->at);
  } else {
    made->fields()[at::FunctionDef::name].name = tree.name(name);
    made->fields()[at::FunctionDef::decorator_list].list = &kEmptyList;
  }
  Text text = unparse(tree, made);
  result.text = std::move(text.text) + "\n";
  result.line_map = std::move(text.line_map);
  return result;
}

}  // namespace footlight::autograph
