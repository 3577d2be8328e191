// Counts iterations of Python loops whose bodies add nodes, for a warning and for the recording.
#pragma once

#include "engine/python/autograph/runtime.h"

namespace footlight::python::ag {

// The size of the graph that is being traced.
size_t nodes_so_far();

// Warns once, with the line, that a Python loop has put many iterations into the graph.
class Unrolling {
 public:
  Unrolling();
  void turn();
  // Counts an iteration for which turn() has nothing to do. False: nothing is counted.
  bool passed() {
    if (turns_ + 1 == kMany) return false;
    ++turns_;
    return true;
  }
  void done(const char* kind) const;

  static constexpr int64_t kMany = 100;

 private:
  size_t start_;
  int64_t turns_ = 0;
};

}  // namespace footlight::python::ag
