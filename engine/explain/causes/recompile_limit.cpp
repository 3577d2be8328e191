// recompile_limit: PyTorch compiles a function only so often, and calls that no trace serves run eagerly from then on.
// It is a finding of its own where every trace is legitimate. Fix: a higher limit.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/torch_rules.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace footlight::explain {
namespace {

using session::CallRecord;
using session::DecisionRecord;

constexpr std::string_view kLimit = "recompile limit";
constexpr const char* kOldName = "config.cache_size_limit";  // before PyTorch 2.7
constexpr uint64_t kCallsOfKind = 3;
constexpr size_t kMaxKinds = 64;  // of calls; more of them mean a value that changes

struct Reached {
  const DecisionRecord* decision = nullptr;
  size_t limit = 0;
  bool in_rest = false;                  // whether what follows a graph break reached it
  std::vector<const CallRecord*> eager;  // calls after it
  std::map<KeyId, uint64_t> keys;        // of all calls that have one: how often
  std::set<KeyId> eager_keys;
};

std::map<FunctionId, Reached> reached_limits(const Evidence& evidence) {
  const RunRecords& records = evidence.records();
  std::unordered_map<TraceId, FunctionId> function_of;
  std::set<TraceId> of_rests;
  for (const session::TraceRecord& t : records.traces) {
    function_of[t.id] = first_function(evidence, t.function);
    if (function_of[t.id] != t.function) of_rests.insert(t.id);
  }
  std::map<FunctionId, Reached> all;
  for (const DecisionRecord& d : records.decisions) {
    const auto at = function_of.find(d.trace);
    if (d.kind != kLimit || at == function_of.end()) continue;
    Reached& reached = all[at->second];
    if (reached.decision) continue;
    reached.decision = &d;
    reached.in_rest = of_rests.contains(d.trace);
    std::from_chars(d.note.data(), d.note.data() + d.note.size(), reached.limit);
  }
  for (const CallRecord& call : records.calls) {
    const auto at = all.find(call.function);
    if (at == all.end()) continue;
    const session::TraceRecord* t = evidence.trace(call.trace);
    const KeyId key = t ? t->call_key : call.key;
    if (key.valid()) ++at->second.keys[key];
    if (call.outcome != CallOutcome::kEager) continue;
    at->second.eager.push_back(&call);
    if (key.valid()) at->second.eager_keys.insert(key);
  }
  return all;
}

void find_limits(const Evidence& evidence, Findings& findings) {
  const auto& functions = evidence.records().functions;
  for (const auto& [function, reached] : reached_limits(evidence)) {
    const auto record = std::ranges::find(functions, function, &session::FunctionRecord::id);
    if (record == functions.end() || (reached.eager.empty() && !reached.in_rest)) continue;
    const size_t colon = reached.decision->note.find(": ");
    const std::string said = colon == std::string::npos ? "" : reached.decision->note.substr(colon + 2);
    // What made the traces explains the limit; a graph break explains a limit reached by what follows it.
    bool explained = false;
    for (Finding& f : findings.found) {
      const bool of_break = reached.in_rest && f.cause == "graph_break";
      if (first_function(evidence, f.function) != function || (f.saved.empty() && !of_break)) continue;
      explained = true;
      f.eager_calls = reached.eager.size();
      f.limit = reached.limit;
      f.detail += "; after " + with_commas(reached.limit) + " traces PyTorch no longer compiled " +
                  (of_break ? "what follows it" : "it");
      if (!reached.eager.empty())
        f.detail += ", and " + with_commas(reached.eager.size()) + (reached.eager.size() == 1 ? " call" : " calls") +
                    " ran eagerly";
    }
    if (explained) continue;
    if (reached.in_rest) {
      findings.suppressed.push_back({function, {}, Rule::kBreaks});
      continue;
    }
    // Each program is used again and again, those too that were never compiled.
    const auto often = [](const auto& key) { return key.second >= kCallsOfKind; };
    const bool needs_more = reached.keys.size() > reached.limit && reached.keys.size() <= kMaxKinds;
    if (!needs_more || reached.eager_keys.empty() || !std::ranges::all_of(reached.keys, often)) {
      findings.suppressed.push_back({function, {}, Rule::kNotConfirmed});
      continue;
    }
    Finding f;
    f.function = function;
    f.path = said.find(kOldName) == said.npos ? "config.recompile_limit" : kOldName;
    f.limit = reached.limit;
    f.eager_calls = reached.eager.size();
    f.calls = evidence.calls_of(function);
    f.values = {std::to_string(reached.limit)};
    f.engine_said = said;
    f.line = definition_of(*record);
    f.example = reached.decision->trace;
    for (const CallRecord* call : reached.eager) f.cost_ns += call->end_ns - call->start_ns;
    const size_t wanted = std::bit_ceil(reached.keys.size());
    f.title = std::string(last_name(record->name)) + " needs " + with_commas(reached.keys.size()) +
              " traces, and the limit is " + with_commas(reached.limit);
    f.detail = with_commas(reached.eager.size()) + " of " + with_commas(f.calls) +
               " calls ran eagerly: " + with_commas(reached.eager_keys.size()) + " of " +
               with_commas(reached.keys.size()) +
               " kinds of calls were never compiled, and each kind is called again and again";
    f.fix = "torch._dynamo.config." + f.path.substr(f.path.find('.') + 1) + " = " + std::to_string(wanted);
    f.checked.method = Checked::Method::kReplay;
    f.checked.ok = true;
    f.checked.traces_before = reached.limit;
    f.checked.traces_after = reached.keys.size();
    f.checked.eager_before = reached.eager.size();
    if (const Line at = evidence.line(reached.eager.front()->source); at) f.related.push_back({"call", at});
    findings.found.push_back(std::move(f));
  }
}

const Cause recompile_limit("recompile_limit", find_limits, "torch", true);

}  // namespace
}  // namespace footlight::explain
