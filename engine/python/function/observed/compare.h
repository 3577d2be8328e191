// A call that is compared: once it has run as usual, it is repeated with its arguments, eagerly and traced, into the
// session. Which call that is stands in footlight_recorder.wanted_comparison; a run without has no cost from it.
#pragma once

#include "engine/python/function/observed/chosen_call.h"

#include <cstdint>

namespace footlight::python {

struct WantedComparison {
  ChosenCall call;
  uint32_t pairs = 200;   // at most
  double seconds = 10;    // of the repetitions, about
};

// The call that was asked for has come: gives what `plain` gives for it, and compares it. Throws what the call raises,
// and interrupts; whatever else fails while it is compared is recorded with the comparison.
Ref compare_call(const WantedComparison& wanted, vectorcallfunc plain, const CallWords& call);

// How calls of new functions begin: `plain`, or what waits for the wanted call and goes on with `plain`.
vectorcallfunc called_by(vectorcallfunc plain);

void init_compare();  // reads what is wanted

}  // namespace footlight::python
