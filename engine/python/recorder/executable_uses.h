// Counts calls of the executables that an engine made for one trace. JAX makes one for each placement of the arguments,
// and its fast path tells nobody which of them a call runs: where the arguments lie does.
#pragma once

#include "engine/base/recording.h"
#include "engine/python/recorder/signature.h"

namespace footlight::python {

// Whether a trace is known to have several executables. Accessed with the GIL held.
bool any_executables_counted();

// A call of the trace ended. `made_another`: an executable was made for it.
void count_use(TraceId trace, bool made_another, const SignatureRules& rules, PyObject* const* args, size_t count,
               PyObject* keywords);

}  // namespace footlight::python
