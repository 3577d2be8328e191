// An invented run of a program whose source is given: graphs, ops and errors at its lines.
#pragma once

#include "engine/explain/findings.h"
#include "tests/session/records.h"

#include <algorithm>

namespace footlight::explain {

struct SampleSource {
  std::vector<session::FunctionRecord> functions;
  std::vector<session::TraceRecord> traces;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::CallRecord> calls;
  std::vector<session::KeyRecord> keys;
  std::vector<session::FileRecord> files;
  std::vector<session::CodeRecord> codes;
  std::vector<session::ObservationRecord> observations;
  std::vector<session::DecisionRecord> decisions;
  std::vector<session::GeneratedRecord> generated;
  std::vector<session::CallValues> values;
  std::vector<session::CheckedCall> checked_calls;
  EagerOps eager;
  int64_t now_ns = 1000;
  bool failed = false;

  explicit SampleSource(const std::string& text) {
    // Edits use the name of the module, so the file has it: behind the lines that tests count.
    files.push_back({session::FileId(0), "/run.py", text + "\nimport tensorflow as tf\n"});
    functions.push_back({FunctionId(1), "step", session::FileId(0), 90, 90, {}});
    code("step", 1);
  }

  // Code of which instruction 2 * n is on line n.
  CodeId code(const std::string& name, int first_line) {
    session::CodeRecord c{CodeId(static_cast<uint32_t>(codes.size())), session::FileId(0), name, first_line, {}};
    for (uint32_t line = 1; line < 100; ++line) c.lines.push_back({2 * line, line});
    codes.push_back(std::move(c));
    return codes.back().id;
  }

  session::GraphRecord& trace(int64_t took_ns = 1'000'000) {
    session::GraphRecord graph;
    graph.id = GraphId(static_cast<uint32_t>(graphs.size()));
    traces.push_back(trace_of(TraceId(static_cast<uint32_t>(traces.size())), FunctionId(1), 0, graph.id, now_ns,
                              now_ns + took_ns));
    now_ns += took_ns;
    graphs.push_back(std::move(graph));
    return graphs.back();
  }
  static void node(session::GraphRecord& graph, const char* op, int line, CodeId code = CodeId(0)) {
    graph.nodes.push_back(node_of(static_cast<uint32_t>(graph.nodes.size()), "", op, {},
                                  {code, static_cast<uint32_t>(2 * line)}));
    graph.nodes.back().outputs = {"float32 ()"};
  }
  void decide(int line, const char* fate, const char* note, const char* kind = "for") {
    decisions.push_back({traces.back().id, session::FileId(0), line, kind, fate, note});
  }

  // An eager op at a line; `after_ns`: the pause before it.
  void op(CodeId code, int line, uint32_t signature = 1, int64_t took_ns = 1000, int64_t after_ns = 1000) {
    session::OpColumns& e = events_;
    now_ns += after_ns;
    e.start_ns.push_back(now_ns);
    e.end_ns.push_back(now_ns += took_ns);
    e.id.push_back(e.id.size());
    e.call.emplace_back();
    e.code.push_back(code);
    e.offset.push_back(static_cast<uint32_t>(2 * line));
    e.graph.emplace_back();
    e.node.emplace_back();
    e.bytes.push_back(0);
    e.op.emplace_back(uint16_t{1});
    e.thread.emplace_back(uint16_t{0});
    e.device.push_back({});
    e.signature.emplace_back(signature);
    e.location.emplace_back();
  }

  std::vector<Finding> findings() {
    eager.add(events_, session::TracingSpans(traces), {});
    events_ = {};
    RunRecords records{functions, traces, graphs, calls, keys, files, codes, observations};
    records.decisions = decisions;
    records.generated = generated;
    records.failed = failed;
    records.values = values;
    records.checked_calls = checked_calls;
    const EagerSums sums = eager.sums();
    records.eager = &sums;
    return find_findings(records).found;
  }

 private:
  session::OpColumns events_;
};

}  // namespace footlight::explain
