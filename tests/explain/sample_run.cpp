// Records calls as the recorder does.
#include "tests/explain/sample_run.h"

#include "tests/keys/specs.h"

namespace footlight::explain {

SampleRun::SampleRun(std::vector<std::string> parameters, uint32_t function) : parameters_(std::move(parameters)) {
  session::FunctionRecord record;
  record.id = FunctionId(function);
  record.name = "step";
  record.parameters = parameters_;
  record.file = session::FileId(1);
  record.line = 6;
  record.decorator_line = 5;
  functions.push_back(std::move(record));
  codes.push_back({CodeId(1), session::FileId(1), "main", 10, {}});
  for (uint32_t i = 0; i < 100; ++i) codes[0].lines.push_back({i, 10 + i});
}

GraphId SampleRun::add_graph(session::GraphRecord graph) {
  graph.id = GraphId(static_cast<uint32_t>(graphs.size()));
  graph.name = "graph_" + std::to_string(graphs.size());
  graphs.push_back(std::move(graph));
  return graphs.back().id;
}

KeyId SampleRun::add_key(const std::vector<uint64_t>& words) {
  for (const session::KeyRecord& k : keys)
    if (k.words == words) return k.id;
  keys.push_back(
      {KeyId(functions[0].id.value * 1000 + static_cast<uint32_t>(keys.size())), functions[0].id, words, {}});
  return keys.back().id;
}

TraceId SampleRun::call(const keys::KeyWriter& key, const session::GraphRecord& graph, const Options& options) {
  const std::vector<uint64_t> words(key.words.begin(), key.words.end());
  int at = table_.find(words);
  const int64_t start = now_ns;
  session::CallRecord call;
  call.outcome = CallOutcome::kHit;
  if (at == keys::DispatchTable::kMiss) {
    std::vector<uint64_t> wanted = options.reduce_retracing     ? table_.relaxed(words)
                                   : options.declared.empty() ? words
                                                              : options.declared;
    session::TraceRecord t;
    t.id = TraceId(functions[0].id.value * 1000 + static_cast<uint32_t>(traces.size()));
    t.function = functions[0].id;
    t.graphs = {{"traced", add_graph(graph)}};
    t.number = static_cast<int>(traces.size()) + 1;
    t.reason = wanted == words || !options.reduce_retracing ? options.reason : session::TraceReason::kRelaxed;
    const keys::Key made(wanted, parameters_, nullptr);
    t.key = describe(made);
    t.source = {CodeId(1), static_cast<uint32_t>(traces.size())};
    t.start_ns = start + 10;
    t.end_ns = t.start_ns + options.trace_ns;
    now_ns = t.end_ns;
    at = table_.add(made);
    trace_ids_.push_back(t.id);
    t.call_key = add_key(wanted);
    traces.push_back(std::move(t));
    call.outcome = CallOutcome::kTrace;
  }
  now_ns += 100;
  if (options.reason == session::TraceReason::kCall) {
    call.id = CallId(functions[0].id.value * 1000 + calls.size());
    call.function = functions[0].id;
    call.trace = trace_ids_[static_cast<size_t>(at)];
    call.start_ns = start;
    call.end_ns = now_ns;
    if (options.record_key) call.key = add_key(words);
    calls.push_back(call);
  }
  return trace_ids_[static_cast<size_t>(at)];
}

RunRecords SampleRun::records() const {
  RunRecords records{functions, traces, graphs, calls, keys, files, codes, observations};
  if (!raw_keys) records.keys = {};
  return records;
}

session::GraphRecord scaled(const std::string& constant, const std::string& shape) {
  session::GraphRecord g;
  session::NodeRecord x, c, mul;
  x.id = 0, c.id = 1, mul.id = 2;
  x.name = "x", c.name = "mul/y", mul.name = "mul";
  x.op = "Placeholder", c.op = "Const", mul.op = "Mul";
  x.outputs = {"float32 " + shape};
  c.outputs = {"float32 ()"};
  mul.outputs = {"float32 " + shape};
  c.constant = constant;
  mul.inputs = {{0, 0}, {1, 0}};
  g.nodes = {x, c, mul};
  g.inputs = {0};
  g.outputs = {{2, 0}};
  return g;
}

std::vector<Finding> findings(const SampleRun& run) { return find_findings(run.records()).found; }

keys::KeyWriter batch_and_rate(int64_t batch, double rate) {
  return call_key([&](keys::KeyWriter& w) {
    w.tensor(keys::key_spec(keys::DType::kFloat32, {batch, 8}));
    w.floating(rate);
  });
}

}  // namespace footlight::explain
