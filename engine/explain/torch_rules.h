// Rules that hold for runs under PyTorch: what is legitimate there, and fixes in its words.
#pragma once

#include "engine/explain/findings.h"

#include <optional>

namespace footlight::explain {

// The rule that refuses a candidate under PyTorch; nullopt if no rule does, or the function ran under another engine.
std::optional<Rule> torch_rule_against(const Evidence& evidence, const FunctionRun& run, const Candidate& candidate);

// Puts fixes into PyTorch's words, names the function of the program for what follows a graph break in it, and leaves
// out what a graph break explains.
void apply_torch_rules(const Evidence& evidence, Findings& all);

// The function of the program: what continues another after a graph break belongs to that.
FunctionId first_function(const Evidence& evidence, FunctionId function);

// The lines, outside of constructors, that assign to an attribute of that name: "self.step = k", "net.step += 1".
std::vector<Line> lines_that_assign(const Evidence& evidence, std::string_view attribute);

}  // namespace footlight::explain
