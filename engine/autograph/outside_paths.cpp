// Reads scopes and paths.
#include "engine/autograph/outside_paths.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace footlight::autograph {

static void add_bound(const Node* node, LocalNames& scope) {
  switch (node->kind) {
    case Kind::kFunctionDef:
    case Kind::kAsyncFunctionDef:
      scope.bound.insert(node->name(at::FunctionDef::name)->text);
      return;
    case Kind::kClassDef:
      scope.bound.insert(node->name(at::ClassDef::name)->text);
      return;
    case Kind::kLambda:
      return;
    case Kind::kGlobal:
      for (const Name* name : node->names(at::Global::names)) scope.declared.insert(name->text);
      return;
    case Kind::kNonlocal:
      for (const Name* name : node->names(at::Nonlocal::names)) scope.declared.insert(name->text);
      return;
    case Kind::kName:
      if (is_store(node, at::Name::ctx)) scope.bound.insert(node->name(at::Name::id)->text);
      return;
    case Kind::kExceptHandler:
      if (const Name* name = node->name(at::ExceptHandler::name)) scope.bound.insert(name->text);
      break;
    case Kind::kalias: {
      const Name* as = node->name(at::alias::asname);
      const std::string_view text = (as ? as : node->name(at::alias::name))->text;
      scope.bound.insert(text.substr(0, text.find('.')));
      return;
    }
    default:
      break;
  }
  for_each_child(node, [&](const Node* child) { add_bound(child, scope); });
}

LocalNames local_names_of(const Node* function) {
  LocalNames scope;
  const bool lambda = is(function, Kind::kLambda);
  const Node* arguments = function->node(lambda ? +at::Lambda::args : +at::FunctionDef::args);
  auto parameter = [&](const Node* arg) {
    if (!arg) return;
    const std::string_view name = arg->name(at::arg::arg)->text;
    scope.parameters.emplace(name, static_cast<int>(scope.parameters.size()));
    scope.bound.insert(name);
  };
  for (const int slot : {+at::arguments::posonlyargs, +at::arguments::args})
    for (const Node* arg : arguments->list(slot)) parameter(arg);
  parameter(arguments->node(at::arguments::vararg));
  for (const Node* arg : arguments->list(at::arguments::kwonlyargs)) parameter(arg);
  parameter(arguments->node(at::arguments::kwarg));
  if (lambda) add_bound(function->node(at::Lambda::body), scope);
  else
    for (const Node* statement : function->list(at::FunctionDef::body)) add_bound(statement, scope);
  return scope;
}

bool constant_key(const Node* node, PathStep& step) {
  if (!is(node, Kind::kConstant)) return false;
  const Constant& c = node->constant(at::Constant::value);
  step.item = true;
  step.number = c.kind == ConstantKind::kNumber;
  step.key = std::string(c.text);
  if (step.number && c.text.empty()) step.key = std::to_string(c.integer);
  const bool digits = step.key.find_first_not_of("0123456789") == std::string::npos;
  return !step.key.empty() && (c.kind == ConstantKind::kString || (step.number && digits && step.key.size() < 10));
}

bool plain_path(const Node* node, OutsidePath& path) {
  switch (node->kind) {
    case Kind::kName:
      path.root = node->name(at::Name::id)->text;
      return true;
    case Kind::kAttribute:
      if (!plain_path(node->node(at::Attribute::value), path)) return false;
      path.steps.push_back({false, false, std::string(node->name(at::Attribute::attr)->text)});
      return true;
    case Kind::kSubscript: {
      PathStep step;
      if (!constant_key(node->node(at::Subscript::slice), step)) return false;
      if (!plain_path(node->node(at::Subscript::value), path)) return false;
      path.steps.push_back(std::move(step));
      return true;
    }
    default:
      return false;
  }
}

bool is_mutator(std::string_view method) {
  constexpr std::string_view kMutators[] = {
      "append", "appendleft", "add", "update", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove",
      "discard", "clear", "sort", "reverse", "intersection_update", "difference_update"};
  return std::ranges::find(kMutators, method) != std::end(kMutators);
}

bool is_literal(const Node* node) {
  return is(node, Kind::kConstant) || (is(node, Kind::kList) && node->list(at::List::elts).empty()) ||
         (is(node, Kind::kDict) && node->list(at::Dict::values).empty());
}

bool is_store(const Node* node, int slot) { return node->op(slot) != Op::kLoad; }

std::string OutsidePath::text() const {
  std::string out = root;
  for (const PathStep& step : steps) {
    if (!step.item) out += '.' + step.key;
    else if (step.number) out += '[' + step.key + ']';
    else out += "['" + step.key + "']";
  }
  return out;
}

static constexpr std::string_view kLogs[] = {"debug", "info",      "warning",  "warn", "error",
                                             "fatal", "exception", "critical", "log"};

bool is_talk(const Node* call) {
  OutsidePath path;
  if (!plain_path(call->node(at::Call::func), path)) return false;
  if (path.steps.empty()) return path.root == "print" || path.root == "pprint";
  const std::string& method = path.steps.back().key;
  std::string before = path.steps.size() > 1 ? path.steps[path.steps.size() - 2].key : path.root;
  std::ranges::transform(before, before.begin(), [](unsigned char c) { return std::tolower(c); });
  if (before == "warnings") return true;
  if ((before == "stdout" || before == "stderr") && method == "write") return true;
  const bool logs = before.find("log") != before.npos && before.find("math") == before.npos;
  return logs && std::ranges::find(kLogs, method) != std::end(kLogs);
}

bool is_about_traces(std::string_view words) {
  static constexpr std::string_view kWords[] = {"trace", "tracing", "compil"};  // not "track", "extract"
  std::string lower(words);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

bool speaks_of_traces(const Node* call) {
  if (is(call, Kind::kConstant)) {
    const Constant& c = call->constant(at::Constant::value);
    return c.kind == ConstantKind::kString && is_about_traces(c.text);
  }
  bool found = false;
  for_each_child(call, [&](const Node* child) { found |= speaks_of_traces(child); });
  return found;
}

}  // namespace footlight::autograph
