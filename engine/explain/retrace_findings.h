// Why functions were traced again, as far as the recorded keys prove it: each finding names one cause, and its saving
// is what a replay of the recorded calls gives once the differing leaves are taken out of the key.
#pragma once

#include "engine/session/records.h"

#include <span>
#include <string>
#include <vector>

namespace footlight::explain {

struct RetraceFinding {
  FunctionId function;
  std::string cause;                    // python_scalar_argument, identical_graphs, varying_shape
  std::string path;                     // "args[1]"
  std::string parameter;                // "lr"
  std::string type;                     // "float" or "float32"
  std::vector<std::string> values;      // in the order of their first trace
  std::vector<std::string> also_paths;  // leaves that always change together with it
  std::vector<size_t> dimensions;       // varying_shape: which ones
  std::string graphs;                   // identical, constants, structure
  SourceRef call;                       // the line of the first call that was traced again
  TraceId example;                      // that trace
  size_t traces_before = 0, traces_after = 0;
  int64_t cost_ns = 0;                  // tracing time of all traces of the function
  int64_t saved_ns = 0;                 // of those that would have been hits
};

struct RetraceEvidence {
  std::span<const session::FunctionRecord> functions;
  std::span<const session::TraceRecord> traces;
  std::span<const session::GraphRecord> graphs;
  std::span<const session::CallRecord> calls;
};

// Most time saved first.
std::vector<RetraceFinding> find_retraces(const RetraceEvidence& evidence);

// "identical", "constants" (equal but for values of constants and shapes) or "structure".
std::string compare_graphs(const session::GraphRecord& a, const session::GraphRecord& b);

}  // namespace footlight::explain
