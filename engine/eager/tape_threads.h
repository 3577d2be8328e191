// The recorders of this thread: tapes and forward accumulators, outermost first. Shared by tape.cpp and forward.cpp.
#pragma once

#include "engine/eager/tape.h"

#include <cstddef>
#include <vector>

namespace footlight {

class ForwardAccumulator;

struct Recorders {
  std::vector<Tape*> tapes;
  std::vector<ForwardAccumulator*> accumulators;
  size_t looking = SIZE_MAX;  // only the accumulators before this one see applied ops: it is computing itself
};
Recorders& own_recorders();

// A tape or accumulator that starts or stops, and may be gone soon, leaves every list of this thread, the ones that a
// PauseTapes put aside too.
void forget(Tape*);
void forget(ForwardAccumulator*);

// Tells the context of this thread whether anything records.
void set_recorders();

// What eager::init() installs in engine/ops (ops/hooks.h).
void record_applied(const OpRow&, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
bool recorders_watch(std::span<const Tensor>);

}  // namespace footlight
