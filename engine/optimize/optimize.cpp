// Runs the passes in their order.
#include "engine/optimize/optimize.h"

#include "engine/optimize/verify.h"

namespace footlight::optimize {

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
bool verify_passes = false;
#else
bool verify_passes = true;
#endif

namespace {

// Later passes may create work for earlier ones, which run again in the next round.
constexpr int kMaxRounds = 4;

class Pipeline {
 public:
  explicit Pipeline(ProgramRewrite& program) : program_(program) {}

  // Each pass runs over all graphs before the next one starts, and all rounds have the same passes. So pass number n is
  // the same in the recorded history of every graph, of other programs too.
  void run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      changes_found_ = 0;
      on_each_graph("forward_identities", [](Rewrite& r) { forward_identities(r); });
      prune_all();
      const size_t tidying_changes = changes_found_;
      on_each_graph("known_shapes", [&](Rewrite& r) { known_shapes(r, program_); });
      on_each_graph("fold_constants", [&](Rewrite& r) { fold_constants(r, program_.evaluate); });
      on_each_graph("simplify_arithmetic", [&](Rewrite& r) { simplify_arithmetic(r, program_); });
      on_each_graph("cancel_moves", [&](Rewrite& r) { cancel_moves(r, program_); });
      on_each_graph("constant_branches", [&](Rewrite& r) { constant_branches(r, program_); });
      on_each_graph("inline_calls", [&](Rewrite& r) { inline_calls(r, program_); });
      run_pass("pass_arguments", pass_arguments);
      on_each_graph("join_equal", [](Rewrite& r) { join_equal(r); });
      run_pass("hoist_invariants", hoist_invariants);
      run_pass("drop_unused", drop_unused);
      const bool again = changes_found_ > tidying_changes;
      prune_all();
      if (!again) return;
    }
  }

 private:
  template <class Pass>
  void on_each_graph(const char* name, Pass pass) {
    run_pass(name, [&](ProgramRewrite& program) {
      for (Rewrite* rewrite : program.reachable()) pass(*rewrite);
    });
  }

  template <class Pass>
  void run_pass(const char* name, Pass pass) {
    const size_t before = total_changes();
    for (Rewrite* rewrite : program_.reachable()) rewrite->begin_pass(name);
    pass(program_);
    const size_t after = total_changes();
    changes_found_ += after - before;
    if (after == before) return;
    if (program_.reachable().size() > 1) program_.find_reachable();
    if (verify_passes) verify(program_, name);
  }

  void prune_all() {
    on_each_graph("prune",
                  [&](Rewrite& r) { prune(r, &r == &program_.root() ? program_.keep : Keep::kOutputsAndEffects); });
  }

  size_t total_changes() const {
    size_t count = 0;
    for (const Rewrite* rewrite : program_.reachable()) count += rewrite->changes().size();
    return count;
  }

  ProgramRewrite& program_;
  size_t changes_found_ = 0;
};

}  // namespace

ProgramRewrite optimize(const Graph& graph, Evaluator evaluate, Keep keep) {
  ProgramRewrite program(graph, evaluate, keep);
  Pipeline(program).run();
  return program;
}

}  // namespace footlight::optimize
