// What the causes have in common that explain an observation of a trace.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// How many calls this trace served from `since` on, not counting the one that made it; also as a part of other traces.
size_t hits_of(const Evidence& evidence, TraceId trace, int64_t since = 0);

// "global RATE" -> "RATE", "self.scale" -> "self.scale"
std::string name_in(const std::string& path);

// A finding that results are wrong, with what every such finding says.
Finding wrong_result(const Evidence& evidence, const session::ObservationRecord& observed, size_t hits);

// Relates the lines with role `from` as `role`.
void relate(Finding& finding, const session::ObservationRecord& observed, std::string_view from, const char* role);

// "12 later calls", "1 later call"
std::string later_calls(size_t count);

// "track": the name of a function without those around it.
std::string short_name(const Evidence& evidence, FunctionId function);

}  // namespace footlight::explain
