// context_change: the arguments are the same, and the calls are made in other device scopes. Fix: one context for all.
#include "engine/explain/findings.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

uint64_t device_of(std::span<const uint64_t> key) { return key.size() > 1 ? key[1] : 0; }

void propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) {
  std::vector<uint64_t> devices;
  for (const session::TraceRecord* t : run.traces) {
    const uint64_t device = device_of(evidence.key_of(*t));
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  if (devices.size() < 2) return;
  Candidate c;
  Finding& f = c.finding;
  f.path = "context.device";
  for (const uint64_t device : devices)
    f.values.push_back(device ? "device scope " + std::to_string(device) : "no device scope");
  c.paths = {"context"};
  c.fix.call = leave_context();
  c.most = GraphRelation::kStructure;
  c.fewest = 1;
  f.title = "the calls are made in different device scopes";
  f.detail = joined(f.values, ", ") + "; each has its own trace";
  f.fix = "make the calls in one tf.device scope, or put the scope into the function";
  to.push_back(std::move(c));
}

const Cause cause("context_change", propose);

}  // namespace
}  // namespace footlight::explain
