// Lean: functions made inside that are called in loops, or call themselves, stand as they were written, if they would
// meet nothing but Python's own values: the runtime looks at what they are given, once for a whole loop or recursion.
#include "engine/autograph/converter.h"
#include "engine/autograph/self_contained.h"

#include <algorithm>

namespace footlight::autograph {

namespace {

// Functions that the statements of a function define.
void definitions_in(const Node* node, std::vector<const Node*>& out) {
  if (info(node->kind).category == Category::kExpression || is(node, Kind::kClassDef)) return;
  if (is_function(node)) return out.push_back(node);
  for_each_child(node, [&](const Node* child) { definitions_in(child, out); });
}

const Name* called(const Node* node) {
  const Node* const callee = is(node, Kind::kCall) ? node->node(at::Call::func) : nullptr;
  return is(callee, Kind::kName) ? callee->name(at::Name::id) : nullptr;
}

// Collects the names in `made` that are called; false: one is used otherwise.
bool calls_in(const Node* node, const NameSet& made, NameSet& calls) {
  const Name* const callee = called(node);
  if (callee && made.has(callee)) calls.add(callee);
  if (is(node, Kind::kName)) return !made.has(node->name(at::Name::id));
  if (is(node, Kind::kGlobal) || is(node, Kind::kNonlocal))
    return std::ranges::none_of(node->names(at::Global::names), [&](const Name* one) { return made.has(one); });
  bool fine = true;
  for_each_child(node, [&](const Node* child) {
    if (!(callee && child == node->node(at::Call::func))) fine = calls_in(child, made, calls) && fine;
  });
  return fine;
}

// Collects those of them that are called in loops and comprehensions of the function itself.
void calls_in_loops(const Node* node, const NameSet& made, NameSet& calls) {
  if (is_function(node) || is(node, Kind::kClassDef)) return;
  const bool repeats = is(node, Kind::kFor) || is(node, Kind::kWhile) || is(node, Kind::kListComp) ||
                       is(node, Kind::kSetComp) || is(node, Kind::kDictComp) || is(node, Kind::kGeneratorExp);
  if (repeats) calls_in(node, made, calls);
  else for_each_child(node, [&](const Node* child) { calls_in_loops(child, made, calls); });
}

}  // namespace

void Converter::find_written() {
  std::vector<const Node*> found;
  const List& body = function_->list(at::FunctionDef::body);
  for (const Node* one : body) definitions_in(one, found);
  NameSet made, unused;
  for (const Node* one : found) made.add(one->name(at::FunctionDef::name));
  constexpr size_t kMax = 32;
  if (found.empty() || found.size() > kMax) return;
  if (!std::ranges::all_of(body, [&](const Node* one) { return calls_in(one, made, unused); })) return;
  // For each function, those that it reaches by calls.
  std::vector<NameSet> reach(found.size());
  for (size_t i = 0; i < found.size(); ++i) calls_in(found[i], made, reach[i]);
  for (size_t round = 0; round < found.size(); ++round)
    for (size_t i = 0; i < found.size(); ++i)
      for (size_t k = 0; k < found.size(); ++k)
        if (reach[i].has(found[k]->name(at::FunctionDef::name))) reach[i].add_all(reach[k]);
  NameSet in_loops;
  for (const Node* one : body) calls_in_loops(one, made, in_loops);
  for (size_t i = 0; i < found.size(); ++i) {
    const Name* const name = found[i]->name(at::FunctionDef::name);
    if (in_loops.has(name)) reach[i].add(name);
    if (!reach[i].has(name)) continue;
    std::vector<const Node*> all;
    std::ranges::copy_if(found, std::back_inserter(all),
                         [&](const Node* one) { return reach[i].has(one->name(at::FunctionDef::name)); });
    const auto fits = [&](const Node* one) {
      if (!is(one, Kind::kFunctionDef) || !one->list(at::FunctionDef::decorator_list).empty()) return false;
      const SelfContained contained = self_contained(one);
      return contained.yes && std::ranges::none_of(contained.globals, options_.leads_out);
    };
    if (std::ranges::all_of(all, fits)) written_.insert(all.begin(), all.end());
  }
}

bool Converter::stands_as_written(const Node* function) {
  if (!lean() || !is(function, Kind::kFunctionDef) || !stands_once() || !function_) return false;
  if (plain_calls_ || raw_expressions_) return false;
  if (!options_.leads_out) return std::ranges::count(options_.written_at, place_of(function)) > 0;
  if (!found_written_) find_written();
  found_written_ = true;
  return written_.count(function) > 0;
}

}  // namespace footlight::autograph
