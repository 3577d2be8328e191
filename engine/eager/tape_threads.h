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
  size_t looking = SIZE_MAX;  // only accumulators before this index see applied ops, while the one here computes
};
Recorders& own_recorders();

// Removes a tape or accumulator from every list of this thread, also from those that a PauseTapes put aside; it starts
// or stops, and may be destroyed soon.
void forget(Tape*);
void forget(ForwardAccumulator*);

// Tells the context of this thread whether anything records.
void set_recorders();

// Installed by eager::init() in engine/ops (ops/hooks.h).
void record_applied(const OpRow&, const Attrs&, std::span<const Tensor> inputs, std::span<const Tensor> outputs);
bool recorders_watch(std::span<const Tensor>);

}  // namespace footlight
