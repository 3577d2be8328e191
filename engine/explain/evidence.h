// The input of findings: the records of a run, by function.
#pragma once

#include "engine/explain/eager.h"
#include "engine/explain/pipelines.h"
#include "engine/explain/fingerprint.h"
#include "engine/session/records.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::query {
struct LateRank;
}

namespace footlight::explain {

// Calls that the program made while nothing was being traced: for each trace in which something was observed, and for
// each trace whose graph includes the graph of such a trace.
struct ServedCalls {
  std::unordered_map<TraceId, std::vector<int64_t>> starts;    // for each trace, of the calls that it served; sorted
  std::unordered_map<TraceId, std::vector<TraceId>> run_by;    // for each observed trace, those that include its graph
};

// Counts of all calls, for records that hold only the first few calls of each kind.
struct CallCounts {
  std::unordered_map<FunctionId, uint64_t> of_function;
  ServedCalls served;
  std::unordered_map<TraceId, uint64_t> of_trace = {};
};

// The records of a session that findings look at. Recordings before version 3 have no keys.
struct RunRecords {
  std::span<const session::FunctionRecord> functions;
  std::span<const session::TraceRecord> traces;
  std::span<const session::GraphRecord> graphs;
  std::span<const session::CallRecord> calls;
  std::span<const session::KeyRecord> keys;
  std::span<const session::FileRecord> files = {};
  std::span<const session::CodeRecord> codes = {};
  std::span<const session::ObservationRecord> observations = {};
  std::span<const session::DecisionRecord> decisions = {};
  std::span<const session::GeneratedRecord> generated = {};
  const EagerSums* eager = nullptr;  // null: not summed up
  bool failed = false;               // the program ended with an error
  std::span<const PipelineSums> pipelines = {};
  const CallCounts* counts = nullptr;  // null: `calls` has all of them
  std::span<const session::CallValues> values = {};
  std::span<const session::CheckedCall> checked_calls = {};
  int64_t run_ns = 0;  // from the start of the script to its end; 0: unknown
  const std::vector<query::LateRank>* late_ranks = nullptr;  // null: not looked for; the costliest first
};

// A line of the user's source; line 0: unknown.
struct Line {
  session::FileId file;
  int line = 0;
  explicit operator bool() const { return file.valid() && line > 0; }
  friend auto operator<=>(const Line&, const Line&) = default;
};

// One function's part of a run.
struct FunctionRun {
  FunctionId id;
  const session::FunctionRecord* record = nullptr;
  // The steps of a replay, in order of time: calls, and traces that were requested without a call.
  struct Step {
    int64_t start_ns = 0, end_ns = 0;
    const session::TraceRecord* trace = nullptr;  // the one that served the call
    std::span<const uint64_t> key;                // the call's; empty: not recorded
    bool call = true;
    SourceRef source = {};                        // the line of the call
  };
  std::vector<const session::TraceRecord*> traces;      // made by calls, in order
  std::vector<const session::TraceRecord*> all_traces;  // those that failed or were requested, too
  std::vector<Step> steps;

  int64_t tracing_ns() const;  // of all traces
};

// The line of the decorator, else of the def: where a call of tf.function is edited.
Line definition_of(const session::FunctionRecord& function);
// The line of the def, else of what made it: where a function is said to be defined.
Line def_of(const session::FunctionRecord& function);

class Evidence {
 public:
  explicit Evidence(const RunRecords& records);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  const std::map<FunctionId, FunctionRun>& functions() const { return functions_; }
  uint64_t calls_of(FunctionId function) const;  // all of them, failed ones too
  uint64_t calls_of(TraceId trace) const;        // that it served, with the one that made it
  const session::TraceRecord* trace(TraceId id) const;
  std::span<const uint64_t> key_of(const session::TraceRecord& trace) const;  // empty: not recorded, or damaged
  // Since when the object of that name in a trace's key is known to exist; 0: since its first key.
  int64_t known_since(const session::TraceRecord& trace, const std::string& object) const;

  // The largest difference between the graphs of these traces. The same graph over other variables computes something
  // else, unless what is captured was made again with the function.
  GraphRelation compare_graphs(std::span<const session::TraceRecord* const> traces,
                               bool captures_may_differ = false) const;
  GraphRelation compare_graphs(GraphId left, GraphId right) const { return fingerprints_.compare(left, right); }
  const session::GraphRecord* graph(GraphId id) const;
  // Whether it is the graph of another function, which a node calls.
  bool is_of_other(GraphId id, FunctionId function) const {
    const auto at = owners_.find(id);
    return at != owners_.end() && at->second != function;
  }

  const RunRecords& records() const { return records_; }
  // From the counts of the records, or counted in their calls at the first question.
  const ServedCalls& served_calls() const;
  Line line(SourceRef source) const;
  Line definition(const FunctionRun& run) const { return run.record ? definition_of(*run.record) : Line(); }
  // "    x = step(x, lr)"; empty if the file was not recorded or has no such line.
  std::string_view text(const Line& line) const;
  int line_count(session::FileId file) const;  // 0: the file was not recorded
  // Where the argument at `path` was made for the calls on this line, the most specific line first; for this trace, if
  // it was looked at.
  std::vector<Line> value_lines(const FunctionRun& run, const Line& call, const std::string& path,
                                TraceId trace = {}) const;
  Line value_line(const FunctionRun& run, const Line& call, const std::string& path, TraceId trace = {}) const;
  // Where a wrapper was called that passes the argument on at `call`; line 0: no wrapper does.
  Line passed_line(const FunctionRun& run, const Line& call, const std::string& path, TraceId trace) const;

 private:
  const session::ObservationRecord* made_at(const FunctionRun& run, const Line& call, const std::string& path,
                                            TraceId trace) const;
  std::span<const uint64_t> words(KeyId key) const;
  const std::vector<std::string_view>& lines(session::FileId file) const;
  // A function under PyTorch is guarded at more places with each trace: earlier keys serve anything there.
  void complete_keys();

  RunRecords records_;
  std::map<FunctionId, FunctionRun> functions_;
  std::unordered_map<CodeId, const session::CodeRecord*> codes_;
  std::unordered_map<TraceId, const session::TraceRecord*> traces_;
  std::unordered_map<FunctionId, uint64_t> calls_;
  std::unordered_map<TraceId, uint64_t> calls_of_trace_;
  std::unordered_map<GraphId, const session::GraphRecord*> graphs_;
  std::unordered_map<GraphId, FunctionId> owners_;  // of the graphs of traces
  std::unordered_map<KeyId, const session::KeyRecord*> keys_;  // well-formed keys only
  std::unordered_map<KeyId, std::vector<uint64_t>> completed_;
  mutable Fingerprints fingerprints_;
  mutable std::optional<ServedCalls> served_calls_;
  mutable std::unordered_map<session::FileId, std::vector<std::string_view>> lines_;  // of files that were asked for
};

// Graphs that call graphs are looked into this deep: a session may come from anybody.
inline constexpr int kDeepestGraph = 200;

// What it captured, without names: "float32 (8, 16) variable; float32 () tensor".
std::string capture_types(const session::TraceRecord& trace);

const session::KeyLeaf* leaf_at(const session::TraceRecord& trace, const std::string& path);

}  // namespace footlight::explain
