// A tape that records and watches tensors from the start.
#pragma once

#include "engine/eager/tape.h"

#include <vector>

namespace footlight {

struct WatchingTape : Tape {
  explicit WatchingTape(const std::vector<Tensor>& watched, bool persistent = false) : Tape(persistent) {
    start();
    for (const Tensor& t : watched) watch(t);
  }
};

}  // namespace footlight
