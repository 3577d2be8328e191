// The passes, and their order. Each is a file with a picture of what it does on top.
#pragma once

#include "engine/optimize/unit.h"

namespace footlight::optimize {

// Over one graph.
void forward_identities(Rewrite&);
void fold_constants(Rewrite&, Evaluator);
void prune(Rewrite&, Keep);
void known_shapes(Rewrite&, Unit&);
void simplify_arithmetic(Rewrite&, Unit&);
void cancel_moves(Rewrite&, Unit&);
void join_equal(Rewrite&);
// Over the nodes of one graph that run others.
void constant_branches(Rewrite&, Unit&);
void inline_calls(Rewrite&, Unit&);
// Over all graphs of a program.
void pass_arguments(Unit&);
void hoist_invariants(Unit&);
void drop_unused(Unit&);

// Runs all passes, again and again as long as they find something, but not for ever. Without an evaluator, nothing is
// folded.
Unit optimize(const Graph&, Evaluator, Keep = Keep::kOutputsAndEffects);

// Whether each pass is followed by verify(). Set in checked builds and by tests.
extern bool verify_passes;

}  // namespace footlight::optimize
