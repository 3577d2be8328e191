// A call counts from the time on when the graph that it runs was complete.
#include "engine/explain/causes/later_calls.h"

#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {

using session::TraceRecord;

std::map<TraceId, int64_t> LaterCalls::run_by(const std::set<TraceId>& traces) const {
  std::map<TraceId, int64_t> all;
  for (const TraceId id : traces) {
    const TraceRecord* trace = evidence_.trace(id);
    const auto at = served_.run_by.find(id);
    if (!trace || at == served_.run_by.end()) continue;
    const auto add = [&](TraceId served_by) {
      const auto [since, fresh] = all.try_emplace(served_by, trace->end_ns);
      if (!fresh) since->second = std::min(since->second, trace->end_ns);
    };
    add(id);
    std::ranges::for_each(at->second, add);
  }
  return all;
}

size_t LaterCalls::count_of(TraceId served_by, int64_t since, int64_t until) const {
  const std::vector<int64_t>& starts = served_.starts.at(served_by);
  const auto first = std::ranges::lower_bound(starts, since);
  return static_cast<size_t>(std::lower_bound(first, starts.end(), until) - first);
}

size_t LaterCalls::count(const std::set<TraceId>& traces) const {
  size_t sum = 0;
  for (const auto& [served_by, made] : run_by(traces)) sum += count_of(served_by, made, INT64_MAX);
  return sum;
}

size_t LaterCalls::count(const std::vector<Span>& spans) const {
  std::map<TraceId, std::vector<std::pair<int64_t, int64_t>>> times;
  for (const Span& span : spans)
    for (const auto& [served_by, made] : run_by({span.trace}))
      times[served_by].emplace_back(std::max(span.since, made), span.until);
  size_t sum = 0;
  for (auto& [served_by, all] : times) {
    std::ranges::sort(all);
    int64_t counted_to = INT64_MIN;
    for (const auto& [since, until] : all) {
      if (until <= counted_to) continue;
      sum += count_of(served_by, std::max(since, counted_to), until);
      counted_to = until;
    }
  }
  return sum;
}

std::vector<FunctionId> LaterCalls::functions(const std::set<TraceId>& traces) const {
  std::vector<FunctionId> called;
  for (const auto& [served_by, made] : run_by(traces)) {
    const TraceRecord* trace = count_of(served_by, made, INT64_MAX) ? evidence_.trace(served_by) : nullptr;
    if (trace && std::ranges::find(called, trace->function) == called.end()) called.push_back(trace->function);
  }
  return called;
}

std::string later_calls(size_t count) {
  return with_commas(count) + (count == 1 ? " later call" : " later calls");
}

}  // namespace footlight::explain
