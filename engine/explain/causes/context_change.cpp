// context_change: the arguments are the same, and the calls are made in other device scopes. Fix: one context for all.
#include "engine/explain/enclosing.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::TraceRecord;

uint64_t device_of(std::span<const uint64_t> key) { return key.size() > 1 ? key[1] : 0; }

bool enters_device(std::string_view line) {
  return source::leading_word(line) == "with" && line.find("device(") != line.npos;
}

// The `with` around the call that made a trace, in its function; none: line 0.
Line scope_around(const Evidence& evidence, const TraceRecord& trace) {
  const Line found = enclosing(evidence, evidence.line(trace.source), [](std::string_view head) {
    return enters_device(head) || source::leading_word(head) == "def";
  });
  return enters_device(evidence.text(found)) ? found : Line();
}

// The only `with` of a device scope in the file of a call, if there is one: the call may be in a function that is
// called inside of it.
Line only_scope(const Evidence& evidence, session::FileId file) {
  Line only, line{file, 0};
  const int last = evidence.line_count(file);
  for (line.line = 1; line.line <= last; ++line.line) {
    if (!enters_device(evidence.text(line))) continue;
    if (only) return {};
    only = line;
  }
  return only;
}

// The line to edit is where a scope is entered: around a call that need not have traced, else around another.
void name_scope(const Evidence& evidence, const FunctionRun& run, Finding& f, const ReplayResult& result) {
  std::vector<const TraceRecord*> traces = result.saved;
  traces.insert(traces.end(), run.traces.begin(), run.traces.end());
  for (const TraceRecord* t : traces)
    if (const Line scope = scope_around(evidence, *t)) return edit_at(f, scope, "call");
  std::set<session::FileId> seen;
  for (const TraceRecord* t : traces) {
    const session::FileId file = evidence.line(t->source).file;
    if (!seen.insert(file).second) continue;
    if (const Line scope = only_scope(evidence, file)) return edit_at(f, scope, "call");
  }
}

void propose_context_change(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) {
  std::vector<uint64_t> devices;
  for (const TraceRecord* t : run.traces) {
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
  c.complete = [&](Finding& found, const ReplayResult& result) { name_scope(evidence, run, found, result); };
  f.title = "The calls are made in different device scopes";
  f.detail = "Calls came from " + joined(f.values, " and ") + "; each has its own trace";
  f.fix = "Make the calls in one tf.device scope, or put the scope into the function";
  to.push_back(std::move(c));
}

const Cause context_change("context_change", propose_context_change);

}  // namespace
}  // namespace footlight::explain
