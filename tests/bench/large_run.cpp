// Writes calls of 450 traced ops with 50 eager ones between them.
#include "tests/bench/large_run.h"

#include "tests/app/graph_shapes.h"

#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

namespace footlight {
namespace {

constexpr uint32_t kTraces = 20, kNodes = 2000, kOps = 60, kLines = 400;
constexpr uint64_t kOpsInCall = 450, kEagerBetween = 50;
constexpr int64_t kStart = 1'700'000'000'000'000'000;

void write_records(session::Writer& w) {
  w.add(session::FileRecord{session::FileId(1), "/tmp/large.py", std::string(kLines, '\n')});
  session::CodeRecord code{CodeId(1), session::FileId(1), "step", 1, {}};
  for (uint32_t line = 1; line <= kLines; ++line) code.lines.push_back({line, line});
  w.add(code);
  w.add(session::FunctionRecord{FunctionId(1), "step", session::FileId(1), 3, 2, {"batch"}});
  for (uint32_t o = 0; o < kOps; ++o)
    w.add(session::OpNameRecord{OpId(static_cast<uint16_t>(o)), "Op" + std::to_string(o),
                                o % 3 ? "elementwise" : "product"});
  for (uint32_t s = 0; s < 300; ++s)
    w.add(session::SignatureRecord{SignatureId(s), OpId(static_cast<uint16_t>(s % kOps)),
                                   "float32[32,784], float32[784,128]", "float32[32,128]", 500'000, 16'384,
                                   6'000'000});
  for (uint32_t t = 0; t < kTraces; ++t) {
    session::GraphRecord graph;
    graph.id = GraphId(t + 1);
    graph.name = "step";
    for (uint32_t n = 0; n < kNodes; ++n) {
      session::NodeRecord node;
      node.id = n;
      node.name = "layer_" + std::to_string(n / 40) + "/node_" + std::to_string(n);
      node.op = "Op" + std::to_string(n % kOps);
      node.family = n % 3 ? "elementwise" : "product";
      node.outputs = {"float32 (32, 128)"};
      if (n) node.inputs = {{n - 1, 0}};
      node.source = {CodeId(1), 10 + n % 300};
      graph.nodes.push_back(std::move(node));
    }
    w.add(graph);
    session::TraceRecord trace = trace_of(TraceId(t + 1), FunctionId(1), static_cast<int>(t) + 1, kStart + t * 1000);
    trace.graphs = {{"traced", graph.id}};
    trace.end_ns = trace.start_ns + 900;
    trace.source = {CodeId(1), 390};
    w.add(trace);
  }
}

// A function that was traced once, into a graph of 20 nodes a layer.
void write_large_graph(session::Writer& w, uint32_t layers) {
  const GraphId id(kTraces + 1);
  w.add(session::FunctionRecord{FunctionId(2), "train", session::FileId(1), 300, 2, {"batch"}});
  w.add(app::training_graph(id, layers));
  session::TraceRecord trace = trace_of(TraceId(kTraces + 1), FunctionId(2), 1, kStart + 500'000, kStart + 900'000);
  trace.graphs = {{"traced", id}};
  trace.source = {CodeId(1), 391};
  w.add(trace);
}

void make_session(const std::string& path, uint64_t events, uint32_t layers) {
  session::RunRecord run;
  run.script = "/tmp/large.py";
  run.started_ns = kStart;
  auto w = session::Writer::create(path, run, RecordingLevel::kOps);
  write_records(*w);
  if (layers) write_large_graph(*w, layers);
  std::mt19937 random(7);
  int64_t now = kStart + 1'000'000;
  session::OpColumns columns;
  std::vector<session::CallRecord> calls;
  uint64_t id = 0;
  for (uint64_t call = 1; id < events; ++call) {
    session::CallRecord c = call_of(CallId(call), FunctionId(1), TraceId(1 + call % kTraces),
                                    call <= kTraces ? CallOutcome::kTrace : CallOutcome::kHit, now);
    c.source = {CodeId(1), 390};
    const auto first = static_cast<uint32_t>(random() % kNodes);
    for (uint64_t i = 0; i < kOpsInCall + kEagerBetween && id < events; ++i) {
      OpEvent e;
      e.start_ns = now += 15;
      e.end_ns = now += 60 + static_cast<int64_t>(random() % (i % 90 ? 700 : 40'000));
      e.signature = SignatureId(static_cast<uint32_t>(i % 300));
      if (i < kOpsInCall) {
        e.call = c.id;
        const uint32_t node = (first + static_cast<uint32_t>(i)) % kNodes;
        e.set_node(GraphId(c.trace.value), NodeId(node));
        e.op = OpId(static_cast<uint16_t>(node % kOps));
      } else {
        if (i == kOpsInCall) c.end_ns = now += 50;
        e.op = OpId(static_cast<uint16_t>(i % kOps));
        e.set_source({CodeId(1), 350 + static_cast<uint32_t>(i % 30)});
      }
      columns.append(0, ++id, e);
    }
    if (!c.end_ns) c.end_ns = now;
    calls.push_back(c);
    if (columns.size() < 100'000 && id < events) continue;
    w->add_rows(columns);
    w->add_rows(calls);
    w->flush();
    columns = {};
    calls.clear();
  }
  w->finish({now, 0, 0, "finished"});
}

}  // namespace

bool made_large_run(int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--make") return false;
  make_session(argv[2], std::strtoull(argv[3], nullptr, 10),
               static_cast<uint32_t>(std::strtoul(argv[4], nullptr, 10)));
  return true;
}

bool make_large_run(const char* self, const std::string& path, const std::string& events, const std::string& layers) {
  const pid_t child = fork();
  if (child == 0) {
    execl(self, self, "--make", path.c_str(), events.c_str(), layers.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace footlight
