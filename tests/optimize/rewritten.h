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
inline void add_text(std::string& out, const optimize::ProgramRewrite& rewrites, const optimize::Rewrite& rewrite,
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
    if (!rewrite.is_live(id) || by == Execution::kPlaceholder || by == Execution::kNoOp) continue;
    out += indent + rewrite.name(id) + " = " + node.op->name + '(' + list(node.inputs) + ')';
    if (const Tensor* constant = rewrite.constant({id, 0})) out += ' ' + describe_value(*constant);
    out += '\n';
    for (const Graph* callee : optimize::callees_of(node))
      add_text(out, rewrites, rewrites.rewrite_of(*callee), indent + "    ");
  }
  out += indent + "return " + list(rewrite.outputs) + '\n';
}

inline std::string text_of(const optimize::ProgramRewrite& rewrites) {
  std::string out;
  add_text(out, rewrites, rewrites.root(), "");
  return out;
}

inline void prune_all(optimize::ProgramRewrite& rewrites) {
  for (optimize::Rewrite* rewrite : rewrites.reachable()) {
    rewrite->begin_pass("prune");
    optimize::prune(*rewrite, optimize::Keep::kOutputsAndEffects);
  }
  rewrites.find_reachable();
}

inline void tidy(optimize::ProgramRewrite& rewrites) {
  for (optimize::Rewrite* rewrite : rewrites.reachable()) {
    rewrite->begin_pass("forward_identities");
    optimize::forward_identities(*rewrite);
  }
  prune_all(rewrites);
}

// Runs one pass over all graphs of a program, prunes what it leaves unused, and verifies the program after each.
template <class Pass>
void run_pass(optimize::ProgramRewrite& rewrites, Pass pass) {
  for (optimize::Rewrite* rewrite : rewrites.reachable()) rewrite->begin_pass("test");
  if constexpr (std::is_invocable_v<Pass, optimize::ProgramRewrite&>) {
    pass(rewrites);
  } else {
    for (optimize::Rewrite* rewrite : rewrites.reachable()) {
      if constexpr (std::is_invocable_v<Pass, optimize::Rewrite&, optimize::ProgramRewrite&>) pass(*rewrite, rewrites);
      else pass(*rewrite);
    }
  }
  rewrites.find_reachable();
  verify(rewrites, "test");
  prune_all(rewrites);
  verify(rewrites, "prune");
}

// Prints a program before a pass, an arrow, and the program after it.
template <class Pass>
std::string before_and_after(const trace::Concrete& traced, Pass pass) {
  optimize::ProgramRewrite rewrites(*traced.graph(), runtime::run_op);
  tidy(rewrites);
  std::string text = text_of(rewrites) + "->\n";
  run_pass(rewrites, pass);
  return text + text_of(rewrites);
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

// The results of the program as it was traced, without any pass.
inline std::vector<Tensor> as_traced(trace::Concrete& traced, std::vector<Tensor> arguments) {
  for (const Tensor& t : traced.captures()) arguments.push_back(t);
  optimize::ProgramRewrite rewrites(*traced.graph());
  const compile::ProgramPtr program = compile::compile(rewrites);
  std::vector<Tensor> outputs(program->results.size());
  runtime::run(*program, arguments, outputs);
  return outputs;
}

}  // namespace footlight::test
