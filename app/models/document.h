// The records of a session with the look-ups that every view needs. For calls, op events and device events, of which
// there may be millions, it has only totals; rows are queried from the store, on its thread (app/session/queries.h).
#pragma once

#include "app/models/console_log.h"

#include "engine/explain/compare/comparison.h"
#include "engine/explain/eager.h"
#include "engine/query/calls.h"
#include "engine/session/records.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace footlight::app {

struct OpInfo {
  std::string name, family;
};

// A place in a source file; line 0: unknown.
struct SourcePlace {
  session::FileId file;
  int line = 0;
  explicit operator bool() const { return file.valid() && line > 0; }
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

class Document {
 public:
  // --- what was read -------------------------------------------------------------------------------------------
  QString path;                              // the session file; empty: nothing is recorded yet
  session::RunRecord run;
  std::optional<session::EndRecord> end;
  bool live = false;
  QString level = QStringLiteral("ops");
  uint64_t dropped = 0;
  std::vector<session::FileRecord> files;
  std::vector<session::CodeRecord> codes;
  std::vector<session::LocationRecord> locations;    // places with those that called them
  std::vector<session::FunctionRecord> functions;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::GeneratedRecord> generated;
  std::vector<session::DecisionRecord> decisions;
  std::vector<session::ObservationRecord> observations;
  std::vector<session::KeyRecord> keys;              // keys of calls and traces, as the dispatcher compared them
  ConsoleLog console;
  std::vector<OpInfo> ops;                   // indexed by number
  std::vector<session::SignatureRecord> signatures;
  std::vector<std::string> device_names;     // indexed by OpRow::device
  std::vector<session::ProcessRecord> processes;  // which wrote into the recording
  QString damage;                            // why the file could be read only in part
  uint64_t calls = 0, events = 0, device_events = 0;  // number of each
  int64_t first_device_ns = 0, last_device_ns = 0;    // 0: none
  int64_t first_span_ns = 0;                          // 0: none
  std::vector<session::CallRecord> distinct_calls;    // the first few of each trace, key and line
  explain::EagerSums eager;                           // ops outside of calls, by instruction
  std::vector<std::shared_ptr<const explain::Comparison>> comparisons;  // in the order in which they were recorded
  std::vector<std::shared_ptr<const session::CallValues>> values;  // calls that were run again node by node
  std::vector<session::CheckedCall> checked_calls;

  // --- adding, in any order --------------------------------------------------------------------------------------
  // A record whose id is known replaces the earlier one (an open trace that has ended).
  void add(session::FileRecord record);
  void add(session::CodeRecord record);
  void add(session::LocationRecord record);
  void add(session::FunctionRecord record);
  void add(session::TraceRecord record);
  void add(session::GraphRecord record);
  void add(session::GeneratedRecord record);
  void add(session::SignatureRecord record);
  void set_calls(FunctionId id, const query::CallSums& sums) { calls_of_function_[id] = sums; }
  void set_calls(TraceId id, const query::CallSums& sums) { calls_of_trace_[id] = sums; }

  // --- look-up: null if not found ----------------------------------------------------------------------------------
  const session::FileRecord* file(session::FileId id) const;
  const session::CodeRecord* code(CodeId id) const;
  const session::LocationRecord* location(session::LocationId id) const;
  const session::FunctionRecord* function(FunctionId id) const;
  const session::TraceRecord* trace(TraceId id) const;
  const session::GraphRecord* graph(GraphId id) const;
  const session::NodeRecord* node(GraphId graph, uint32_t id) const;
  const OpInfo& op(session::OpNumber id) const;
  const session::SignatureRecord* signature(SignatureId id) const;

  SourcePlace place(SourceRef source) const;                     // through the code's line table
  QString place_text(SourcePlace place) const;                   // "retracing.py:24"
  QString line_text(SourcePlace place) const;                    // the source line, without its end
  const std::vector<std::string>& lines(session::FileId id) const;

  std::vector<const session::TraceRecord*> traces_of(FunctionId id) const;   // sorted by number
  query::CallSums calls_of(FunctionId id) const;
  query::CallSums calls_of(TraceId id) const;
  const session::GeneratedRecord* generated_of(FunctionId id) const;         // the function's own code
  std::vector<const session::GeneratedRecord*> all_generated_of(FunctionId id) const;
  const session::TraceRecord* trace_of_graph(GraphId id) const;              // bodies and branches too
  std::vector<GraphId> graphs_of_trace(TraceId id) const;                    // the root first
  std::vector<GraphId> graphs_below(std::vector<GraphId> roots) const;       // these, then what their nodes run
  session::FileId file_named(const std::string& path) const;                 // equal, else by suffix

  int64_t first_ns() const { return first_; }   // begin of the first trace, call or op event
  int64_t last_ns() const { return last_; }
  int64_t origin_ns() const;                    // from which times are counted: of anything recorded
  int64_t duration_ns() const;
  void note_time(int64_t from, int64_t to);

 private:
  template <class Record, class Key>
  void put(std::vector<Record>& all, std::unordered_map<Key, size_t>& index, Key key, Record record);

  std::unordered_map<session::FileId, size_t> file_index_;
  std::unordered_map<CodeId, size_t> code_index_;
  std::unordered_map<session::LocationId, size_t> location_index_;
  std::unordered_map<FunctionId, size_t> function_index_;
  std::unordered_map<TraceId, size_t> trace_index_;
  std::unordered_map<GraphId, size_t> graph_index_;
  std::unordered_map<SignatureId, size_t> signature_index_;
  std::unordered_map<FunctionId, std::vector<size_t>> traces_of_;    // indexes in traces
  std::map<std::tuple<FunctionId, CodeId, std::string>, size_t> generated_index_;
  std::unordered_map<FunctionId, query::CallSums> calls_of_function_;
  std::unordered_map<TraceId, query::CallSums> calls_of_trace_;
  mutable std::unordered_map<session::FileId, std::vector<std::string>> lines_;
  mutable std::unordered_map<GraphId, TraceId> trace_of_graph_;
  mutable size_t traced_graphs_ = 0;   // number of graphs from which trace_of_graph_ was built
  int64_t first_ = 0, last_ = 0;
};

}  // namespace footlight::app
