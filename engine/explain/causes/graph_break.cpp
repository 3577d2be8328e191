// graph_break: under PyTorch a statement splits a function into several graphs, with Python between them. Fix: keep
// values in tensors and read them outside of the function, torch.where in place of a branch, no message.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/torch_rules.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::DecisionRecord;

constexpr std::string_view kGraphBreak = "graph break", kSplitHere = "python";
constexpr uint64_t kCallsOfBroken = 10;

// "int(logits.argmax())": what the statement computes, or asks in its condition.
std::string expression_of(std::string_view line) {
  std::string_view text = source::trimmed(source::without_comment(line));
  for (const std::string_view word : {"if ", "elif ", "while ", "return ", "assert "})
    if (text.starts_with(word)) text.remove_prefix(word.size());
  if (text.ends_with(':')) text.remove_suffix(1);
  const size_t equals = text.find(" = ");
  if (equals != text.npos && text.substr(0, equals).find('(') == text.npos) text.remove_prefix(equals + 3);
  return std::string(source::trimmed(text));
}

bool says(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

std::string fix_for(std::string_view said, std::string_view text) {
  if (source::leading_word(source::unindented(text)) == "print" || says(said, {"print", "logging", "warn"}) ||
      says(text, {"print(", "logger.", "logging.", "warnings.warn("}))
    return "Leave the message out, or print what the function returns after the call";
  if (says(said, {"ata-dependent branching", "data dependent branching", "generic_jump", "ata-dependent jump"}))
    return "Use torch.where, or do it in each call, so that no branch depends on the data";
  if (says(said, {".item()", "item()", "tolist", "data dependent", "ata-dependent"}) ||
      says(text, {".item(", "int(", "float(", "bool(", ".tolist(", ".numpy("}))
    return "Keep the value in a tensor and read it after the call";
  if (says(said, {"dynamic shape", "ynamic output shape", "nonzero"}))
    return "Use a mask of the same shape in place of a selection whose size depends on the data";
  return "Move the statement out of the compiled function: before the call, or after it with what the function returns";
}

// A break, which each trace of its function repeats: the first record of it, and the traces.
struct Break {
  const DecisionRecord* decision = nullptr;
  std::set<TraceId> traces;
};

void find_graph_breaks(const Evidence& evidence, Findings& findings) {
  const RunRecords& records = evidence.records();
  std::unordered_map<TraceId, FunctionId> function_of;
  for (const session::TraceRecord& t : records.traces) function_of[t.id] = first_function(evidence, t.function);
  std::map<std::pair<FunctionId, Line>, Break> breaks;
  std::map<FunctionId, std::set<Line>> places;  // at which a function is split
  for (const DecisionRecord& d : records.decisions) {
    const auto at = function_of.find(d.trace);
    if (d.kind != kGraphBreak || at == function_of.end()) continue;
    places[at->second].insert({d.file, d.line});
    if (d.fate != kSplitHere) {
      findings.suppressed.push_back({at->second, {}, Rule::kBreaks});
      continue;
    }
    Break& found = breaks[{at->second, {d.file, d.line}}];
    if (!found.decision) found.decision = &d;
    found.traces.insert(d.trace);
  }
  for (const auto& [where, found] : breaks) {
    const auto& [function, line] = where;
    const auto record = std::ranges::find(records.functions, function, &session::FunctionRecord::id);
    if (record == records.functions.end()) continue;
    // One that was compiled since another one calls it after a break belongs to that break.
    const uint64_t calls = evidence.calls_of(function);
    if (calls < kCallsOfBroken || record->parent.valid()) {
      findings.suppressed.push_back({function, {}, Rule::kBreaks});
      continue;
    }
    const std::string_view text = evidence.text(line);
    Finding f;
    f.function = function;
    f.line = line;
    f.path = expression_of(text);
    f.calls = calls;
    f.graphs_per_call = places[function].size() + 1;
    f.engine_said = found.decision->note;
    f.example = found.decision->trace;
    f.checked.why_not = "a replay of the recorded calls cannot show it; run the edited script again";
    const std::string name = std::string(last_name(record->name));
    f.title =
        "Line " + std::to_string(line.line) + " splits " + name + " into " + with_commas(f.graphs_per_call) + " graphs";
    f.detail = found.decision->note + (found.decision->note.ends_with('.') ? " " : ". ") +
               "Python runs it between two graphs in each of " + with_commas(calls) + " calls";
    f.fix = fix_for(found.decision->note, text);
    if (const Line made = definition_of(*record); made && made != line) f.related.push_back({"definition", made});
    for (const session::CallRecord& call : records.calls) {
      if (call.function != function) continue;
      if (const Line at = evidence.line(call.source); at) f.related.push_back({"call", at});
      break;
    }
    findings.found.push_back(std::move(f));
  }
}

const Cause graph_break("graph_break", find_graph_breaks, "torch");

}  // namespace
}  // namespace footlight::explain
