// stale_capture: a trace read a global, an attribute or a closure's variable, and calls that it served later found
// another value there. Fix: a tf.Variable, or an argument.
#include "engine/explain/causes/observed.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::ObservationRecord;

using ReadKey = std::tuple<TraceId, std::string, Line>;
ReadKey place_of(const ObservationRecord& o) { return {o.trace, o.path, Line{o.file, o.line}}; }

// The calls between a change and the moment when the old value was back. A further change in between adds none.
std::map<const ObservationRecord*, size_t> calls_with_another_value(const Evidence& evidence) {
  const Hits served(evidence);
  std::map<ReadKey, std::vector<const ObservationRecord*>> places;
  for (const ObservationRecord& o : evidence.records().observations)
    if (o.kind == ObservationKind::kStateChanged && o.values.size() >= 2) places[place_of(o)].push_back(&o);
  std::map<const ObservationRecord*, size_t> calls;
  for (auto& [place, changes] : places) {
    std::ranges::stable_sort(changes, {}, &ObservationRecord::time_ns);
    const ObservationRecord* since = nullptr;
    for (const ObservationRecord* o : changes) {
      const bool back = o->note == session::kCameBack;
      if (since && back) calls[since] = served.of(since->trace, since->time_ns, o->time_ns);
      if (!since || back) since = back ? nullptr : o;
    }
    if (since) calls[since] = served.of(since->trace, since->time_ns);
  }
  return calls;
}

void find_stale_capture(const Evidence& evidence, Findings& to) {
  const auto calls = calls_with_another_value(evidence);
  // One root cause is one finding, however many functions and traces read it.
  std::map<std::pair<std::string, Line>, Finding> all;
  for (const ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kStateChanged || o.values.size() < 2) continue;
    const auto with_another = calls.find(&o);
    const size_t hits = with_another == calls.end() ? 0 : with_another->second;
    const Line line{o.file, o.line};
    const std::pair<std::string, Line> key{o.path, o.path.starts_with("global ") ? Line() : line};
    if (!hits && !all.contains(key)) continue;
    const auto [at, fresh] = all.try_emplace(key, wrong_result(evidence, o, hits));
    Finding& f = at->second;
    if (!fresh && f.example == o.trace && f.line == line) f.calls += hits;
    if (f.function == o.function || fresh) {
      for (const std::string& value : o.values)
        if (std::ranges::find(f.values, value) == f.values.end()) f.values.push_back(value);
    }
    relate(f, o, "change", "change");
  }
  for (auto& [key, f] : all) {
    const std::string name = name_in(f.path), function = short_name(evidence, f.function);
    const std::string old_value = short_value(f.values.front()), now = short_value(f.values.back());
    f.title = name + " is frozen in the graph of " + function;
    f.detail = function + " read " + name + " = " + old_value + " while it was traced; it changed to " + now +
               ", but " + later_calls(f.calls) + " still used " + old_value;
    if (is_jax(evidence, f.function)) {
      f.fix = "Pass " + name + " to " + function + " as an argument";
    } else {
      f.fix = "Keep " + name + " in a tf.Variable and assign to it";
      also(f, "Pass " + name + " to " + function + " as a tensor", f.checked);
    }
    to.found.push_back(std::move(f));
  }
}

const Cause stale_capture("stale_capture", find_stale_capture);

}  // namespace
}  // namespace footlight::explain
