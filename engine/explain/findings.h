// Findings: what cost time or went wrong in a run, why, and what to change. A cause is a file in causes/ that registers
// itself here; there is no other list of causes.
#pragma once

#include "engine/explain/replay.h"

namespace footlight::explain {

struct Finding {
  FunctionId function;
  std::string cause;                    // the name of the cause: "python_scalar_argument"
  std::string path;                     // "args[1]", "args[0].shape[0]"
  std::string parameter;                // "lr"
  std::vector<std::string> also_paths;  // leaves that change together with it
  std::vector<std::string> values;      // in the order of their first trace
  GraphRelation graphs = GraphRelation::kUnknown;  // between the traces that one trace would have replaced

  bool at_definition = false;           // the line to edit is the function's own, not that of the call
  SourceRef call;                       // the line of the first call that need not have traced
  TraceId example;                      // the trace of that call
  std::vector<TraceId> saved;           // all such traces

  Checked checked;
  int64_t cost_ns = 0;                  // tracing time of all traces of the function
  int64_t saved_ns = 0;                 // of the traces that would have been hits

  std::string title, detail, fix;       // for the user: plain text, one line each
};

// Most time saved first. One root cause is one finding: if nested functions are retraced for the same reason, the outer
// one is named.
std::vector<Finding> find_findings(const RunRecords& records);

// "replayed: saves 10 of 12 traces", "not checked: ..."
std::string check_text(const Checked& checked);

// A cause looks at one function and adds what it finds.
class Cause {
 public:
  using Find = void (*)(const Evidence& evidence, const FunctionRun& run, std::vector<Finding>& found);
  Cause(const char* name, Find find);  // one static object per cause

  const char* name;
  const Find find;

 private:
  friend std::vector<const Cause*> all_causes();
  const Cause* next_;
  static const Cause* first_;
};
std::vector<const Cause*> all_causes();  // by name

// For most causes, a change that saves fewer traces is not worth a finding.
inline constexpr size_t kFewestSaved = 2;

// Fills in the results of a replay; false if the change would save too little.
bool conclude(const FunctionRun& run, const ReplayResult& result, Finding& finding, size_t fewest = kFewestSaved);

}  // namespace footlight::explain
