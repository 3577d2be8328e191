// Counts the iterations of comprehensions in a trace, for the recording: Python runs them, so no graph shows them.
#pragma once

#include "engine/python/autograph/runtime.h"

#include <map>

namespace footlight::python::ag {

// Collects them while a function is traced. Those with many iterations are recorded when its body has ended; one
// comprehension may run many times in a trace, and its iterations are added up.
class ComprehensionTurns {
 public:
  ComprehensionTurns();
  ~ComprehensionTurns();
  ComprehensionTurns(const ComprehensionTurns&) = delete;
  ComprehensionTurns& operator=(const ComprehensionTurns&) = delete;

  // The one of the function that is being traced; null: its comprehensions are not recorded.
  static ComprehensionTurns* innermost() { return innermost_; }
  bool are_of(TraceId trace) const { return trace_ == trace; }
  ComprehensionTurns* outer() const { return outer_; }

  struct Turns {
    Ref code = {};                            // keeps its address from being another's
    UserLine place = {};
    int64_t of_first = 0;                     // over the iterable of its first `for`
    std::map<std::pair<int, int>, int64_t> of_further = {};  // over those of further ones, by their line and column
    int64_t most = 0;                         // most iterations of one run
    bool made_nodes = false;
  };
  Turns& of(PyObject* code) { return turns_[code]; }

 private:
  TraceId trace_;
  ComprehensionTurns* outer_;
  std::map<PyObject*, Turns> turns_;  // keyed by the code of the function that contains it in the lean form
  static inline thread_local ComprehensionTurns* innermost_ = nullptr;
};

// An iterator over `values` that counts for the comprehension that `function` is; `values` themselves where nothing is
// recorded.
Ref counted_items(PyObject* function, PyObject* values);
// Forgets a comprehension whose condition turned out to be a tensor: it is staged.
void forget_turns(PyObject* items);
// Counts iterations of a further `for` of the running comprehension, if its iterable has a length.
void count_further_items(PyObject* iterable);
void init_comprehension_turns();

}  // namespace footlight::python::ag
