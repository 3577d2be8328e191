// An invented run for tests: calls go through a dispatch table as in the dispatcher, and leave the same records.
#pragma once

#include "engine/keys/dispatch.h"
#include "engine/explain/findings.h"

namespace footlight::explain {

class SampleRun {
 public:
  // One function with these parameters.
  explicit SampleRun(std::vector<std::string> parameters, uint32_t function = 1);

  struct Options {
    bool reduce_retracing = false;
    std::vector<uint64_t> declared;  // the key of every trace; if empty, the key of the call
    int64_t trace_ns = 1000;
    session::TraceReason reason = session::TraceReason::kCall;
    bool record_key = true;
  };
  // A call with this key; `graph` is recorded if the call traces. Returns the trace that served the call.
  TraceId call(const keys::KeyWriter& key, const session::GraphRecord& graph, const Options& options);
  TraceId call(const keys::KeyWriter& key, const session::GraphRecord& graph) { return call(key, graph, Options()); }
  // A graph that other graphs call.
  GraphId add_graph(session::GraphRecord graph);

  RunRecords records() const;

  std::vector<session::FunctionRecord> functions;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::CallRecord> calls;
  // Instruction N of code 1 stands on line 10 + N of file 1.
  std::vector<session::CodeRecord> codes;
  std::vector<session::FileRecord> files;
  std::vector<session::ObservationRecord> observations;
  int64_t now_ns = 1'000'000;
  bool raw_keys = true;            // false: as in older recordings
  std::vector<session::KeyRecord> keys;

 private:
  KeyId add_key(const std::vector<uint64_t>& words);

  std::vector<std::string> parameters_;
  keys::DispatchTable table_;
  std::vector<TraceId> trace_ids_;
};

// Placeholder -> Mul by a constant -> output.
session::GraphRecord scaled(const std::string& constant, const std::string& shape = "(4)");

std::vector<Finding> findings(const SampleRun& run);

// The key of one call: the context, then what `body` writes.
template <class Body>
keys::KeyWriter call_key(Body&& body) {
  keys::KeyWriter key;
  key.context(0);
  body(key);
  return key;
}

// A float32 tensor of shape (batch, 8), and a float.
keys::KeyWriter batch_and_rate(int64_t batch, double rate);

}  // namespace footlight::explain
