// s = 2; y, t = While(x, s; body (a, b) -> (a * b, b)); z = t
//   ->   s = 2; y, t = While(x, s; body (a, b) -> (a * 2, b)); z = s
// A loop variable that never changes is after the loop what it was before; and an argument that is the same constant at
// every call is that constant inside.
#include "engine/optimize/loops.h"
#include "engine/optimize/optimize.h"

#include <cstring>

namespace footlight::optimize {
namespace {

constexpr size_t kMaxBytes = 4096;  // bytes of constants that are compared

bool same(const Tensor& a, const Tensor& b) {
  if (a.body() == b.body()) return true;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()) || !is_plain(a.dtype())) return false;
  return a.raw() == b.raw() || (a.bytes() <= kMaxBytes && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

void forward_unchanged(Rewrite& rewrite, const Unit& unit) {
  for (const NodeId id : rewrite.controls()) {
    const Node& node = rewrite.node(id);
    if (!rewrite.live(id) || node.op->execution != Execution::kWhile) continue;
    const std::vector<bool> unchanged = unchanged_variables(unit.of(*callees_of(node)[1]));
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (unchanged[k] && !rewrite.replaced({id, k})) rewrite.replace({id, k}, node.inputs[k]);
  }
}

// The constant that every call site passes as an input; null if they do not agree on one.
const Tensor* constant_argument(const Rewrite& callee, size_t input, const Unit& unit) {
  const Tensor* common = nullptr;
  for (const Unit::Site& site : unit.sites(callee)) {
    const Node& node = site.caller->node(site.node);
    const Execution by = node.op->execution;
    const Tensor* constant = site.caller->constant(node.inputs[input + (by == Execution::kIf ? 1 : 0)]);
    if (!constant || (common && !same(*common, *constant))) return nullptr;
    const auto unchanged = [&] {
      const Rewrite& body = unit.of(*callees_of(node)[1]);
      return body.resolve(body.outputs[input]) == Edge{body.inputs[input], 0};
    };
    if (by == Execution::kWhile && !unchanged()) return nullptr;
    common = constant;
  }
  return common;
}

void take_constants(Rewrite& callee, const Unit& unit) {
  std::vector<std::pair<NodeId, const Tensor*>> found;
  for (size_t i = 0; i < callee.inputs.size(); ++i) {
    const NodeId input = callee.inputs[i];
    if (callee.replaced({input, 0}) || !callee.live(input)) continue;
    if (const Tensor* constant = constant_argument(callee, i, unit)) found.emplace_back(input, constant);
  }
  for (const auto& [input, constant] : found)
    callee.replace({input, 0}, {callee.insert_constant(*constant, input, callee.name(input) + "/known"), 0});
}

}  // namespace

void pass_arguments(Unit& unit) {
  for (Rewrite* rewrite : unit.members()) forward_unchanged(*rewrite, unit);
  // Callers before callees: a constant goes all the way in.
  for (auto at = unit.members().rbegin(); at != unit.members().rend(); ++at)
    if (*at != &unit.root()) take_constants(**at, unit);
}

}  // namespace footlight::optimize
