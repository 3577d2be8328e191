// The passes. Each is a file with an example of its rewrite on top; optimize.cpp has their order.
#pragma once

#include "engine/optimize/program_rewrite.h"

namespace footlight::optimize {

// Passes over one graph.
void forward_identities(Rewrite&);
void fold_constants(Rewrite&, Evaluator);
void prune(Rewrite&, Keep);
void known_shapes(Rewrite&, ProgramRewrite&);
void simplify_arithmetic(Rewrite&, ProgramRewrite&);
void cancel_moves(Rewrite&, ProgramRewrite&);
void join_equal(Rewrite&);
// Passes over the nodes of one graph that run other graphs.
void constant_branches(Rewrite&, ProgramRewrite&);
void inline_calls(Rewrite&, ProgramRewrite&);
// Passes over all graphs of a program.
void pass_arguments(ProgramRewrite&);
void hoist_invariants(ProgramRewrite&);
void drop_unused(ProgramRewrite&);

// Runs all passes, in several rounds as long as they change something. Without an evaluator, no constants are folded.
ProgramRewrite optimize(const Graph&, Evaluator, Keep = Keep::kOutputsAndEffects);

// Whether each pass is followed by verify(). Set in checked builds and by tests.
extern bool verify_passes;

}  // namespace footlight::optimize
