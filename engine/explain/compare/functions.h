// Two recordings function by function: how often each was called and traced, and how long that took.
#pragma once

#include "engine/session/reader.h"

#include <functional>
#include <string>
#include <vector>

namespace footlight::explain {

// Sums over all functions of one name in a recording.
struct FunctionSums {
  FunctionId first;                 // none: the recording has no function of that name
  uint64_t calls = 0, traces = 0;
  int64_t calls_ns = 0, traces_ns = 0;

  bool ran() const { return calls > 0 || traces > 0; }
  double per_call() const { return calls ? static_cast<double>(calls_ns) / static_cast<double>(calls) : 0; }
};

struct FunctionChange {
  std::string name;
  FunctionSums left, right;
};

// The functions of either recording that were called or traced, except those that a library made for itself; the
// largest difference of time comes first. What follows a graph break of PyTorch has traces of its own, which count for
// the function, but no calls. `go_on` may throw to end the work.
std::vector<FunctionChange> compare_functions(const session::Reader& left, const session::Reader& right,
                                              const std::function<void()>& go_on = {});

// "appeared", "vanished", "more often", "less often", "slower", "faster" (by more than 2 % each time) or "same", of
// something that ran so often, for so long, on the left and on the right.
const char* outcome_of(uint64_t left, int64_t left_ns, uint64_t right, int64_t right_ns);
// What became of a function: "appeared", "vanished", "10 traces fewer, 2.1 times as fast", "same".
std::string outcome_of(const FunctionChange& change);

}  // namespace footlight::explain
