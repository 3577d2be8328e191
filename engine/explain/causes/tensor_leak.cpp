// tensor_leak: a symbolic tensor was stored outside of the function that was traced, and used after the trace. Fix:
// return it.
#include "engine/explain/causes/later_calls.h"
#include "engine/explain/causes/wrong_results.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::ObservationRecord;

// Lines that made nodes: what they use there is a tensor of the trace that they are in.
std::set<Line> traced_lines(const Evidence& evidence) {
  std::set<Line> lines;
  for (const session::GraphRecord& graph : evidence.records().graphs)
    for (const session::NodeRecord& node : graph.nodes) lines.insert(evidence.line(node.source));
  return lines;
}

bool is_leak(const ObservationRecord& o) { return o.kind == ObservationKind::kTensorLeak; }

void find_tensor_leak(const Evidence& evidence, Findings& findings) {
  const LaterCalls later(evidence);
  const auto& all = evidence.records().observations;
  std::map<std::pair<std::string, Line>, Finding> found;
  if (std::ranges::none_of(all, is_leak)) return;
  const std::set<Line> traced = traced_lines(evidence);
  for (ObservationRecord stored : all) {
    if (!is_leak(stored) || stored.path.empty()) continue;
    std::erase_if(stored.lines, [&](const session::ObservedLine& l) { return traced.contains({l.file, l.line}); });
    Finding f = wrong_result(evidence, stored, later.count({stored.trace}));
    // Where a use was seen comes before where the source has one.
    for (const ObservationRecord& used : all)
      if (is_leak(used) && used.path.empty() && used.trace == stored.trace) relate(f, used, "use", "use");
    relate(f, stored, "use", "use");
    if (f.related.empty()) continue;
    const std::string name = name_in(f.path), function = short_name(evidence, f.function);
    f.values = stored.values;
    f.title = name + " keeps a symbolic tensor of " + function;
    f.detail = "What this line stores exists only while " + function + " is traced: it has no value afterwards, " +
               "and the calls that the graph serves do not store anything";
    f.fix = "Return the tensor from " + function + " and store it in " + name + " where it is called";
    found.try_emplace({stored.path, f.line}, std::move(f));
  }
  for (auto& [key, f] : found) findings.found.push_back(std::move(f));
}

const Cause tensor_leak("tensor_leak", find_tensor_leak);

}  // namespace
}  // namespace footlight::explain
