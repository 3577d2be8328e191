// The line of the program that runs now, and what was recorded already of such lines while a trace is made.
#pragma once

#include "engine/base/ids.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace footlight::python {

struct UserLine {
  std::string file;
  int line = 0;  // 0: nothing of Python runs
};
UserLine current_line();

// Tells what is new in a trace. The same trace may go on after others that it calls.
template <class Fact>
class RecordedFacts {
 public:
  static constexpr size_t kAll = SIZE_MAX;

  // Whether the fact is new in the trace, of which no more than `max` are to be recorded.
  bool add(TraceId trace, Fact fact, size_t max = kAll) {
    constexpr size_t kMaxTraces = 64;
    if (by_trace_.size() >= kMaxTraces && !by_trace_.contains(trace)) by_trace_.erase(by_trace_.begin());
    std::set<Fact>& known = by_trace_[trace];
    return known.size() < max && known.insert(std::move(fact)).second;
  }

 private:
  std::map<TraceId, std::set<Fact>> by_trace_;
};

}  // namespace footlight::python
