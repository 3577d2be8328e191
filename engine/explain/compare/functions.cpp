// Functions are matched by name: an edit moves lines, and each run numbers functions anew.
#include "engine/explain/compare/functions.h"

#include "engine/base/errors.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace footlight::explain {
namespace {

constexpr double kSame = 1.02;   // times that differ by less are the same

using Changes = std::map<std::string, FunctionChange>;

void add(uint64_t& count, int64_t& sum, int64_t start, int64_t end) {
  ++count;
  int64_t ns = 0;
  if (__builtin_sub_overflow(end, start, &ns) || __builtin_add_overflow(sum, ns, &sum)) sum = INT64_MAX;
}

void add_side(Changes& changes, const session::Reader& reader, FunctionSums FunctionChange::*side,
              const std::function<void()>& go_on) {
  std::map<FunctionId, const session::FunctionRecord*> own;
  for (const session::FunctionRecord& f : reader.contents().functions)
    if (!is_internal(f)) own[f.id] = &f;
  const auto sums_of = [&](const session::FunctionRecord& f) -> FunctionSums& {
    FunctionChange& change = changes[f.name];
    FunctionSums& sums = change.*side;
    if (!sums.first.valid()) sums.first = f.id;
    return sums;
  };
  for (const session::TraceRecord& t : reader.contents().traces) {
    const auto f = own.find(t.function);
    if (f == own.end() || t.end_ns < t.start_ns) continue;
    FunctionSums& sums = sums_of(*f->second);
    add(sums.traces, sums.traces_ns, t.start_ns, t.end_ns);
  }
  for (size_t c = 0; c < reader.calls().index().size(); ++c) {
    if (go_on) go_on();
    try {
      for (const session::CallRecord& call : *reader.calls().chunk(c)) {
        const auto f = own.find(call.function);
        if (f == own.end() || is_resume(*f->second) || call.end_ns < call.start_ns) continue;
        FunctionSums& sums = sums_of(*f->second);
        add(sums.calls, sums.calls_ns, call.start_ns, call.end_ns);
      }
    } catch (const Error&) {
      // a damaged chunk: its calls are missing from the sums
    }
  }
}

double weight(const FunctionChange& change) {
  const auto of = [](int64_t left, int64_t right) {
    return std::abs(static_cast<double>(right) - static_cast<double>(left));
  };
  return std::max(of(change.left.calls_ns, change.right.calls_ns), of(change.left.traces_ns, change.right.traces_ns));
}

// "3 calls more", "1 trace fewer"; empty: as often.
std::string count_change(uint64_t left, uint64_t right, const char* one, const char* many) {
  if (left == right) return {};
  const uint64_t by = left < right ? right - left : left - right;
  return with_commas(by) + " " + (by == 1 ? one : many) + (left < right ? " more" : " fewer");
}

// "2.1 times as fast", "12 % slower"; empty: the same.
std::string time_change(double left, double right) {
  if (left <= 0 || right <= 0 || std::max(left, right) <= kSame * std::min(left, right)) return {};
  const bool is_faster = right < left;
  const double factor = is_faster ? left / right : right / left;
  char text[48];
  if (factor < 1.5)
    std::snprintf(text, sizeof text, "%ld %% %s", std::lround(100 * (is_faster ? 1 - 1 / factor : factor - 1)),
                  is_faster ? "faster" : "slower");
  else
    std::snprintf(text, sizeof text, factor < 9.95 ? "%.1f times as %s" : "%.0f times as %s", factor,
                  is_faster ? "fast" : "slow");
  return text;
}

}  // namespace

std::vector<FunctionChange> compare_functions(const session::Reader& left, const session::Reader& right,
                                              const std::function<void()>& go_on) {
  Changes changes;
  add_side(changes, left, &FunctionChange::left, go_on);
  add_side(changes, right, &FunctionChange::right, go_on);
  std::vector<FunctionChange> made;
  made.reserve(changes.size());
  for (auto& [name, change] : changes) {
    change.name = name;
    made.push_back(std::move(change));
  }
  std::ranges::stable_sort(made, std::greater(), weight);
  return made;
}

const char* outcome_of(uint64_t left, int64_t left_ns, uint64_t right, int64_t right_ns) {
  if (!left) return right ? "appeared" : "same";
  if (!right) return "vanished";
  if (left != right) return right > left ? "more often" : "less often";
  const auto before = static_cast<double>(left_ns), after = static_cast<double>(right_ns);
  if (after > before * kSame) return "slower";
  return after * kSame < before ? "faster" : "same";
}

std::string outcome_of(const FunctionChange& change) {
  const FunctionSums &left = change.left, &right = change.right;
  if (!left.ran()) return "appeared";
  if (!right.ran()) return "vanished";
  std::string text;
  for (const std::string& part : {count_change(left.calls, right.calls, "call", "calls"),
                                  count_change(left.traces, right.traces, "trace", "traces"),
                                  time_change(left.per_call(), right.per_call())})
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "same" : text;
}

}  // namespace footlight::explain
