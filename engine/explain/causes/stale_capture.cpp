// stale_capture: a trace read a global, an attribute or a closure's variable, and calls that it served later found
// another value there. Fix: a tf.Variable, or an argument.
#include "engine/explain/causes/observed.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;

void find(const Evidence& evidence, Findings& to) {
  const Hits served(evidence);
  // One root cause is one finding, however many functions and traces read it.
  std::map<std::pair<std::string, Line>, Finding> all;
  std::map<std::pair<std::string, Line>, int64_t> first;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kStateChanged || o.values.size() < 2) continue;
    const size_t hits = served.of(o.trace, o.time_ns);
    if (!hits) continue;
    const bool global = o.path.starts_with("global ");
    const std::pair<std::string, Line> key{o.path, global ? Line() : Line{o.file, o.line}};
    const auto [at, fresh] = all.try_emplace(key, wrong_result(evidence, o, hits));
    Finding& f = at->second;
    if (fresh) first[key] = o.time_ns;
    if (f.function == o.function || fresh) {
      for (const std::string& value : o.values)
        if (std::ranges::find(f.values, value) == f.values.end()) f.values.push_back(value);
      if (f.values.empty()) f.values = o.values;
    }
    relate(f, o, "change", "change");
  }
  for (auto& [key, f] : all) {
    const std::string name = name_in(f.path), function = short_name(evidence, f.function);
    const std::string old_value = short_value(f.values.front()), now = short_value(f.values.back());
    f.title = name + " is frozen in the graph of " + function;
    f.detail = function + " read " + name + " = " + old_value + " while it was traced; it changed to " + now +
               ", but " + later_calls(f.calls) + " still used " + old_value;
    f.fix = "keep " + name + " in a tf.Variable and assign it, or pass it to " + function + " as a tensor";
    to.found.push_back(std::move(f));
  }
}

const Cause cause("stale_capture", find);

}  // namespace
}  // namespace footlight::explain
