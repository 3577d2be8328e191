// What a run was and what to change in it: the contents of `footlight report`, in every form in which that is written.
#pragma once

#include "engine/explain/findings.h"
#include "engine/session/reader.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace footlight::explain {

// One definition: its instances and re-made functions together.
struct ReportedFunction {
  std::string name;
  Line at;
  std::vector<FunctionId> ids = {};
  size_t calls = 0, traces = 0, hits = 0, failed = 0, failed_traces = 0;
  size_t retraces = 0;                  // traces that calls made after the first one
  int64_t trace_ns = 0;  // while it was traced, failures included
  int64_t run_ns = 0;    // while it was called but not traced
  std::string engine, kind;  // "jax", "jit"
  size_t compiles = 0;       // executables of its traces, where the engine makes one for each
  size_t resumes = 0;        // traces of what follows graph breaks in it
  size_t eager_calls = 0;    // that no trace serves
  int64_t compile_ns = 0;
};

// An engine that ran in the recorded program.
struct ReportedEngine {
  std::string name, version, adapter;
  std::vector<std::string> missing_hooks;
};

struct Report {
  std::string script;
  std::string error;          // that ended the run: "ValueError: ... at layers.py:5"; empty: none
  std::string error_message;  // the same without its place
  int64_t run_ns = 0;         // from the start of the script to its end, as in session::RunTimes
  int exit_code = 0, signal = 0;
  bool ended = false;
  std::vector<std::string> gaps;    // what the recording lacks: dropped records, damage
  std::vector<ReportedEngine> engines;
  std::vector<ReportedFunction> functions;  // most time tracing first
  std::vector<Finding> findings;
  struct Dropped {
    std::string function, cause;
    int rule = 0;
    std::string detail = {};  // as in Suppressed
    size_t saved = 0;         // traces that its fix would spare
  };
  std::vector<Dropped> suppressed;

  size_t calls = 0, traces = 0, retraces = 0, failed_traces = 0;
  int64_t trace_ns = 0;  // session::tracing_time
  size_t compiles = 0, eager_calls = 0;
  uint64_t eager_ops = 0;           // that ran outside of traced functions

  // The traces that checked findings would spare, with those of other functions that were made for them alone.
  std::set<TraceId> removable;
  // Other traces, which fixes of what is suppressed would spare.
  std::set<TraceId> also_removable;
  const ReportedFunction* function(FunctionId id) const;  // null: it was neither called nor traced
};

// `go_on` is called again and again, and throws to end it.
Report make_report(const session::Reader& reader, const std::function<void()>& go_on = [] {});

// Names in words: of the function that a finding is about, of files.
std::string function_name(const session::Reader& reader, const Finding& finding);
std::string path_of(const session::Reader& reader, const Line& line);
// Why a trace was made, for a table of traces: "value of lr", "first call".
std::string trace_reason(const session::TraceRecord& trace);
// Where a finding names more than that: "the function was re-created", "shape of x; lr too".
std::map<TraceId, std::string> reasons_of_findings(std::span<const session::TraceRecord> made,
                                                   std::span<const Finding> all);
// "loss = train_step(batch, lr)": the line without its indentation; empty: its file was not recorded.
std::string line_text(const session::Reader& reader, const Line& line);
// One paragraph for a person.
std::string message_of(std::span<const Finding> all, size_t at);
// "The graphs of #1 and #3 differ only in 1 constant"; empty: it compares no graphs.
std::string pair_text(const session::Reader& reader, const Finding& finding);
// "125 ms, 27.2 % of the run (461 ms)"; empty: it is about wrong results, or nothing was measured.
std::string cost_text(const Finding& finding, int64_t run_ns);
// "27.2 % of the run", at most 100 (threads work side by side); empty: one of both is unknown.
std::string share_of_run(int64_t ns, int64_t run_ns);

}  // namespace footlight::explain
