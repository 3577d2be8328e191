// Lean: a loop that meets no tensor if what it is given is none stands once more, as it was written, which the runtime
// chooses where that is so.
#include "engine/autograph/converter.h"
#include "engine/autograph/self_contained.h"

#include <algorithm>

namespace footlight::autograph {

namespace {

bool is_loop(const Node* node) { return is(node, Kind::kFor) || is(node, Kind::kWhile); }

// The loops of a function that are in no other loop of it, by their places: passes before this one copy statements.
void collect_loops(const Node* node, std::unordered_map<uint64_t, const Node*>& loops) {
  if (is_loop(node)) {
    loops.emplace(place_of(node), node);
    return;
  }
  if (is_function(node) || is(node, Kind::kClassDef) || info(node->kind).category == Category::kExpression) return;
  for_each_child(node, [&](const Node* child) { collect_loops(child, loops); });
}

// Functions of their own to Python's compiler, which takes more than linear time for many of them.
int comprehensions_in(const Node* node) {
  int count = is(node, Kind::kListComp) || is(node, Kind::kSetComp) || is(node, Kind::kDictComp) ||
              is(node, Kind::kGeneratorExp);
  for_each_child(node, [&](const Node* child) { count += comprehensions_in(child); });
  return count;
}

}  // namespace

// The loop without its else, which now follows it. Null: the loop is only converted.
Node* Converter::as_written(const Node* node, std::string& needs) {
  if (!is_loop(node) || !options_.leads_out || !native() || in_written_loop_) return nullptr;
  if (!function_ || plain_calls_ || raw_expressions_) return nullptr;
  if (loops_.empty())
    for (const Node* one : function_->list(at::FunctionDef::body)) collect_loops(one, loops_);
  const auto found = loops_.find(place_of(node));
  if (found == loops_.end() || found->second->kind != node->kind) return nullptr;
  const Node* written = found->second;
  const int orelse = is(written, Kind::kFor) ? +at::For::orelse : +at::While::orelse;
  if (!written->list(orelse).empty() && node->flags & kOwnBreak) return nullptr;  // its else runs only without a break
  const SelfContained contained = self_contained_loop(written);
  if (!contained.yes || std::ranges::any_of(contained.globals, options_.leads_out)) return nullptr;
  constexpr int kMaxComprehensions = 24;  // in a function
  const int comprehensions = comprehensions_in(written);
  if (written_comprehensions_ + comprehensions > kMaxComprehensions) return nullptr;
  written_comprehensions_ += comprehensions;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) needs += name + ' ';
    needs += '|';
  };
  add(contained.globals);
  add(contained.attributes);
  add(contained.builtins);
  if (contained.raises) needs += "raises";
  Node* made = tree_.copy(written);
  made->fields()[orelse].list = &kEmptyList;
  return made;
}

// if ag__.contained('names that it uses |attributes that it reaches |names of builtins |'): for x in xs: ...
// else: both forms of it
bool Converter::contained_loop(Node* node, Scope& scope, Nodes& out) {
  std::string needs;
  Node* const written = as_written(node, needs);
  if (!written) return false;
  const Position at = header_of(node, node->node(is(node, Kind::kFor) ? +at::For::iter : +at::While::test));
  Nodes both;
  in_written_loop_ = true;
  either(node, scope, both);
  in_written_loop_ = false;
  Node* asked = tree_.call(runtime(runtime_name::kContained, at), {tree_.string(needs, at)}, at);
  out.push_back(choice(asked, {written}, both, at));
  return true;
}

}  // namespace footlight::autograph
