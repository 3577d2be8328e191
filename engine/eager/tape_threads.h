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
extern thread_local Recorders recorders;

// A tape or accumulator that starts or stops, and may be gone soon, leaves every list of this thread, the ones that a
// PauseTapes put aside too.
void forget(Tape*);
void forget(ForwardAccumulator*);

// Installs or removes the hook of apply(), depending on whether there are recorders.
void set_tape_hook();

}  // namespace footlight
