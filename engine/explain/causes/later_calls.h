// Counts the calls that run what a trace kept from Python: a draw, a value, an effect that happens no more.
#pragma once

#include "engine/explain/evidence.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace footlight::explain {

// Counts the later calls of the program that ran the graphs of some traces, alone or as a part of other graphs. Calls
// that made the traces do not count.
class LaterCalls {
 public:
  explicit LaterCalls(const Evidence& evidence) : evidence_(evidence), served_(evidence.served_calls()) {}
  size_t count(const std::set<TraceId>& traces) const;
  // The time from a moment on, and up to another, in which calls that ran the trace's graph count.
  struct Span {
    TraceId trace;
    int64_t since = 0, until = INT64_MAX;
  };
  size_t count(const std::vector<Span>& spans) const;  // a call in several spans counts once
  std::vector<FunctionId> functions(const std::set<TraceId>& traces) const;  // that the program called

 private:
  // The traces that run graphs of `traces`, each with the time when the first of those graphs was complete.
  std::map<TraceId, int64_t> run_by(const std::set<TraceId>& traces) const;
  size_t count_of(TraceId served_by, int64_t since, int64_t until) const;

  const Evidence& evidence_;
  const ServedCalls& served_;
};

// "12 later calls", "1 later call"
std::string later_calls(size_t count);

}  // namespace footlight::explain
