// Perfetto's traces: slices, instants, counters and flows of TrackEvents. What the kernel's tracer adds (scheduling,
// ftrace) is left out and counted.
#pragma once

#include "engine/foreign/program.h"

namespace footlight::foreign {

bool looks_like_perfetto(std::string_view begin);
void read_perfetto(const Import& import);

}  // namespace footlight::foreign
