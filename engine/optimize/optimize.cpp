// The order of the passes.
#include "engine/optimize/optimize.h"

#include "engine/optimize/verify.h"

namespace footlight::optimize {

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
bool verify_passes = false;
#else
bool verify_passes = true;
#endif

namespace {

// Later passes may create work for earlier ones, which the next round does.
constexpr int kMaxRounds = 4;

class Pipeline {
 public:
  explicit Pipeline(Unit& unit) : unit_(unit) {}

  // Passes run over all graphs one after the other, so that the stages of all graphs of a program correspond, and as
  // every round has the same passes, those of graphs of other programs too.
  void run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      found_ = 0;
      each("forward_identities", [](Rewrite& r) { forward_identities(r); });
      prune_all();
      const size_t tidied = found_;
      each("known_shapes", [&](Rewrite& r) { known_shapes(r, unit_); });
      each("fold_constants", [&](Rewrite& r) { fold_constants(r, unit_.evaluate); });
      each("simplify_arithmetic", [&](Rewrite& r) { simplify_arithmetic(r, unit_); });
      each("cancel_moves", [&](Rewrite& r) { cancel_moves(r, unit_); });
      each("constant_branches", [&](Rewrite& r) { constant_branches(r, unit_); });
      each("inline_calls", [&](Rewrite& r) { inline_calls(r, unit_); });
      all("pass_arguments", pass_arguments);
      each("join_equal", [](Rewrite& r) { join_equal(r); });
      all("hoist_invariants", hoist_invariants);
      all("drop_unused", drop_unused);
      const bool again = found_ > tidied;
      prune_all();
      if (!again) return;
    }
  }

 private:
  template <class Pass>
  void each(const char* name, Pass pass) {
    all(name, [&](Unit& unit) {
      for (Rewrite* rewrite : unit.members()) pass(*rewrite);
    });
  }

  template <class Pass>
  void all(const char* name, Pass pass) {
    const size_t before = changes();
    for (Rewrite* rewrite : unit_.members()) rewrite->begin(name);
    pass(unit_);
    const size_t after = changes();
    found_ += after - before;
    if (after == before) return;
    if (unit_.members().size() > 1) unit_.find_members();
    if (verify_passes) verify(unit_, name);
  }

  void prune_all() {
    each("prune", [&](Rewrite& r) { prune(r, &r == &unit_.root() ? unit_.keep : Keep::kOutputsAndEffects); });
  }

  size_t changes() const {
    size_t count = 0;
    for (const Rewrite* rewrite : unit_.members()) count += rewrite->changes().size();
    return count;
  }

  Unit& unit_;
  size_t found_ = 0;
};

}  // namespace

Unit optimize(const Graph& graph, Evaluator evaluate, Keep keep) {
  Unit unit(graph, evaluate, keep);
  Pipeline(unit).run();
  return unit;
}

}  // namespace footlight::optimize
