// What the causes have in common that explain an observation of a trace.
#pragma once

#include "engine/explain/findings.h"

#include <map>
#include <vector>

namespace footlight::explain {

// How many calls a trace served from `since` on and before `until`, not counting the one that made it; also as a part
// of other traces.
class Hits {
 public:
  explicit Hits(const Evidence& evidence);
  size_t of(TraceId trace, int64_t since = 0, int64_t until = INT64_MAX) const;

 private:
  const Evidence& evidence_;
  std::map<const session::TraceRecord*, std::vector<int64_t>> starts_;  // of the calls that it served, in order
};

// "global RATE" -> "RATE", "self.scale" -> "self.scale"
std::string name_in(const std::string& path);

// A finding that results are wrong, with what every such finding says.
Finding wrong_result(const Evidence& evidence, const session::ObservationRecord& observed, size_t hits);

// Nothing is to be found if no call hit the trace; says so if a trace was asked for (rule 4).
void suppress(const Evidence& evidence, const session::ObservationRecord& observed, Findings& to);

// Relates the lines with role `from` as `role`.
void relate(Finding& finding, const session::ObservationRecord& observed, std::string_view from, const char* role);

// "12 later calls", "1 later call"
std::string later_calls(size_t count);

// "track": the name of a function without those around it.
std::string short_name(const Evidence& evidence, FunctionId function);

}  // namespace footlight::explain
