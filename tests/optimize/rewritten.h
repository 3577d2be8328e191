// Programs before and after passes as text, and whether they compute the same.
#pragma once

#include "engine/graph/describe.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/verify.h"
#include "engine/runtime/executor.h"
#include "tests/trace/support.h"

#include <cstring>
#include <string>

namespace footlight::test {

// One line for each node that lives, "Mul = Mul(x, y)"; graphs that it runs are indented below it.
inline void add_text(std::string& out, const optimize::Unit& unit, const optimize::Rewrite& rewrite,
                     const std::string& indent) {
  const auto text = [&](Edge edge) {
    const Edge from = rewrite.resolve(edge);
    return rewrite.name(from.node) + (from.output ? ":" + std::to_string(from.output) : "");
  };
  const auto list = [&](const auto& edges) {
    std::string all;
    for (const auto& edge : edges) all += (all.empty() ? "" : ", ") + text(edge);
    return all;
  };
  std::vector<Edge> inputs;
  for (const NodeId id : rewrite.inputs) inputs.push_back({id, 0});
  out += indent + '(' + list(inputs) + ")\n";
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    const Execution by = node.op->execution;
    if (!rewrite.live(id) || by == Execution::kPlaceholder || by == Execution::kNoOp) continue;
    out += indent + rewrite.name(id) + " = " + node.op->name + '(' + list(node.inputs) + ')';
    if (const Tensor* constant = rewrite.constant({id, 0})) out += ' ' + describe_value(*constant);
    out += '\n';
    for (const Graph* callee : optimize::callees_of(node)) add_text(out, unit, unit.of(*callee), indent + "    ");
  }
  out += indent + "return " + list(rewrite.outputs) + '\n';
}

inline std::string text_of(const optimize::Unit& unit) {
  std::string out;
  add_text(out, unit, unit.root(), "");
  return out;
}

inline void prune_all(optimize::Unit& unit) {
  for (optimize::Rewrite* rewrite : unit.members()) {
    rewrite->begin("prune");
    optimize::prune(*rewrite, optimize::Keep::kOutputsAndEffects);
  }
  unit.find_members();
}

inline void tidy(optimize::Unit& unit) {
  for (optimize::Rewrite* rewrite : unit.members()) {
    rewrite->begin("forward_identities");
    optimize::forward_identities(*rewrite);
  }
  prune_all(unit);
}

// Runs one pass over all graphs of a program and what it leaves unused away, verified.
template <class Pass>
void run_pass(optimize::Unit& unit, Pass pass) {
  for (optimize::Rewrite* rewrite : unit.members()) rewrite->begin("test");
  if constexpr (std::is_invocable_v<Pass, optimize::Unit&>) {
    pass(unit);
  } else {
    for (optimize::Rewrite* rewrite : unit.members()) {
      if constexpr (std::is_invocable_v<Pass, optimize::Rewrite&, optimize::Unit&>) pass(*rewrite, unit);
      else pass(*rewrite);
    }
  }
  unit.find_members();
  verify(unit, "test");
  prune_all(unit);
  verify(unit, "prune");
}

// Prints a program before a pass, an arrow, and the program after it.
template <class Pass>
std::string before_and_after(const trace::Concrete& traced, Pass pass) {
  optimize::Unit unit(*traced.graph(), runtime::run_op);
  tidy(unit);
  std::string text = text_of(unit) + "->\n";
  run_pass(unit, pass);
  return text + text_of(unit);
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

// The results of the program as it was traced, without any pass.
inline std::vector<Tensor> as_traced(trace::Concrete& traced, std::vector<Tensor> arguments) {
  for (const Tensor& t : traced.captures()) arguments.push_back(t);
  optimize::Unit unit(*traced.graph());
  const compile::ProgramPtr program = compile::compile(unit);
  std::vector<Tensor> outputs(program->results.size());
  runtime::run(*program, arguments, outputs);
  return outputs;
}

}  // namespace footlight::test
