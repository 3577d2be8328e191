// The records of the sample: two traced functions and an eager one, 48 + 6 calls, 4500 op events, a console.
#include "tests/session/sample_session.h"
#include "tests/session/records.h"

#include <map>
#include <array>
#include <cstdio>

namespace footlight::sample {
namespace {
using namespace session;

constexpr int64_t kStart = 1'767'225'600'000'000'000;  // 2026-01-01
constexpr const char* kScript = R"(import random

import footlight as tf

def normalize(x):
  mean = tf.reduce_mean(x)
  return (x - mean) / (tf.reduce_max(x) - mean)

w1 = tf.Variable(tf.ones([8, 16]))
b1 = tf.Variable(tf.zeros([16]))

@tf.function
def train_step(batch, lr, training):
  hidden = tf.nn.relu(tf.matmul(batch, w1) + b1)
  if tf.reduce_sum(hidden) > 0:
    scaled = hidden * lr
  else:
    scaled = hidden
  w1.assign_sub(lr * tf.reduce_mean(scaled))
  return tf.reduce_mean(scaled)

@tf.function
def evaluate(batch):
  return tf.reduce_mean(tf.matmul(batch, w1))

for epoch in range(6):
  seen = 0
  for batch in batches:
    lr = 0.1 / (epoch + 1)
    seen += len(batch)
    train_step(normalize(batch), lr, True)
  print("epoch", epoch, "seen", seen)
  tf.print("loss", evaluate(held_out))
)";

struct Op { const char* name; const char* family; };
constexpr std::array<Op, 15> kOps{{{"Placeholder", "io"},
                                   {"Const", "constant"},
                                   {"MatMul", "product"},
                                   {"AddV2", "elementwise"},
                                   {"Relu", "elementwise"},
                                   {"Sum", "reduction"},
                                   {"Greater", "elementwise"},
                                   {"If", "control"},
                                   {"Mul", "elementwise"},
                                   {"Identity", "move"},
                                   {"Mean", "reduction"},
                                   {"ReadVariableOp", "variable"},
                                   {"AssignSubVariableOp", "variable"},
                                   {"Sub", "elementwise"},
                                   {"RealDiv", "elementwise"}}};
OpId op_id(std::string_view name) {
  for (uint16_t i = 0; i < kOps.size(); ++i)
    if (name == kOps[i].name) return OpId(i);
  return {};
}
const char* family(std::string_view name) { return kOps[op_id(name).value].family; }

// Line numbers of kScript; offset = 4 * line, so that the line table is easy.
constexpr CodeId kModule{0}, kTrainStep{1}, kNormalize{2}, kEvaluate{3};
SourceRef at(CodeId code, int line) { return {code, static_cast<uint32_t>(line) * 4}; }

NodeRecord node(GraphRecord& g, const std::string& name, const char* op, std::vector<EdgeRecord> inputs,
                std::string output, SourceRef source, std::string attributes = "T=float32") {
  NodeRecord n = node_of(static_cast<uint32_t>(g.nodes.size()), name, op, {}, source);
  n.family = family(op);
  n.inputs = std::move(inputs);
  n.outputs = {std::move(output)};
  n.attributes = std::move(attributes);
  return n;
}

struct Builder {
  GraphRecord graph;
  uint32_t add(std::string name, const char* op, std::vector<uint32_t> inputs, std::string output, int line,
               std::string attributes = "T=float32", std::string constant = {}) {
    std::vector<EdgeRecord> edges;
    for (const uint32_t i : inputs) edges.push_back({i, 0});
    NodeRecord n = node(graph, std::move(name), op, std::move(edges), std::move(output), at(kTrainStep, line),
                        std::move(attributes));
    n.constant = std::move(constant);
    graph.nodes.push_back(std::move(n));
    return graph.nodes.back().id;
  }
};

GraphRecord branch(GraphId id, const char* name, bool scales, const std::string& rows, const std::string& lr) {
  Builder b;
  b.graph.id = id;
  b.graph.name = name;
  const std::string type = "float32 (" + rows + ", 16)";
  const uint32_t hidden = b.add("hidden", "Placeholder", {}, type, 14, "dtype=float32; shape=(" + rows + ", 16)");
  b.graph.inputs = {hidden};
  uint32_t result = hidden;
  if (scales) {
    const uint32_t factor = b.add("mul/y", "Const", {}, "float32 ()", 16, "dtype=float32", lr);
    result = b.add("mul", "Mul", {hidden, factor}, type, 16);
  }
  result = b.add("Identity", "Identity", {result}, type, scales ? 16 : 18);
  b.graph.outputs = {{result, 0}};
  return std::move(b.graph);
}

struct StepGraph { GraphRecord graph; std::vector<NodeId> executed; };

// The 24 nodes of train_step; its two branches are graphs of their own.
StepGraph step_graph(GraphId id, GraphId then_branch, GraphId else_branch, const std::string& rows,
                     const std::string& lr) {
  Builder b;
  b.graph.id = id;
  b.graph.name = "__inference_train_step_" + std::to_string(id.value);
  const std::string batch_type = "float32 (" + rows + ", 8)", hidden_type = "float32 (" + rows + ", 16)";
  const uint32_t batch = b.add("batch", "Placeholder", {}, batch_type, 13, "dtype=float32; shape=(" + rows + ", 8)");
  const uint32_t w1 = b.add("matmul_readvariableop_resource", "Placeholder", {}, "resource ()", 13, "dtype=resource");
  const uint32_t b1 = b.add("add_readvariableop_resource", "Placeholder", {}, "resource ()", 13, "dtype=resource");
  const uint32_t read_w =
      b.add("MatMul/ReadVariableOp", "ReadVariableOp", {w1}, "float32 (8, 16)", 14, "dtype=float32");
  const uint32_t product = b.add("MatMul", "MatMul", {batch, read_w}, hidden_type, 14,
                                 "T=float32; transpose_a=false; transpose_b=false");
  const uint32_t read_b = b.add("add/ReadVariableOp", "ReadVariableOp", {b1}, "float32 (16,)", 14, "dtype=float32");
  const uint32_t sum = b.add("add", "AddV2", {product, read_b}, hidden_type, 14);
  const uint32_t relu = b.add("Relu", "Relu", {sum}, hidden_type, 14);
  const uint32_t axes = b.add("Const", "Const", {}, "int32 (2,)", 15, "dtype=int32", "[0, 1]");
  const uint32_t total = b.add("Sum", "Sum", {relu, axes}, "float32 ()", 15, "T=float32; keep_dims=false");
  const uint32_t zero = b.add("Greater/y", "Const", {}, "float32 ()", 15, "dtype=float32", "0");
  const uint32_t greater = b.add("Greater", "Greater", {total, zero}, "bool ()", 15);
  const uint32_t cond =
      b.add("cond", "If", {greater, relu}, hidden_type, 15, "Tcond=bool; lower_using_switch_merge=true");
  b.graph.nodes[cond].functions = {{"then_branch", then_branch}, {"else_branch", else_branch}};
  const uint32_t merged = b.add("cond/Identity", "Identity", {cond}, hidden_type, 15);
  const uint32_t axes1 = b.add("Const_1", "Const", {}, "int32 (2,)", 19, "dtype=int32", "[0, 1]");
  const uint32_t mean = b.add("Mean", "Mean", {merged, axes1}, "float32 ()", 19, "T=float32; keep_dims=false");
  const uint32_t rate = b.add("mul/x", "Const", {}, "float32 ()", 19, "dtype=float32", lr);
  const uint32_t step = b.add("mul", "Mul", {rate, mean}, "float32 ()", 19);
  const uint32_t assign = b.add("AssignSubVariableOp", "AssignSubVariableOp", {w1, step}, "", 19, "dtype=float32");
  b.graph.nodes[assign].outputs.clear();
  const uint32_t read_again = b.add("ReadVariableOp", "ReadVariableOp", {w1}, "float32 (8, 16)", 19, "dtype=float32");
  b.graph.nodes[read_again].control_inputs = {assign};
  const uint32_t axes2 = b.add("Const_2", "Const", {}, "int32 (2,)", 20, "dtype=int32", "[0, 1]");
  const uint32_t loss = b.add("Mean_1", "Mean", {merged, axes2}, "float32 ()", 20, "T=float32; keep_dims=false");
  const uint32_t result = b.add("Identity", "Identity", {loss}, "float32 ()", 20);
  const uint32_t unused = b.add("Identity_1", "Identity", {read_again}, "float32 (8, 16)", 19);
  b.graph.nodes[result].control_inputs = {assign, unused};
  b.graph.inputs = {batch, w1, b1};
  b.graph.outputs = {{result, 0}};
  StepGraph out{std::move(b.graph), {}};
  for (const NodeRecord& n : out.graph.nodes)
    if (n.op != "Placeholder" && n.op != "Const") out.executed.push_back(NodeId(n.id));
  return out;
}

constexpr const char* kGenerated = R"(def tf__train_step(batch, lr, training):
    with ag__.FunctionScope('train_step', 'fscope', ag__.STD) as fscope:
        hidden = ag__.converted_call(ag__.ld(tf).nn.relu, (ag__.converted_call(ag__.ld(tf).matmul, )"
R"((batch, w1), None, fscope) + b1,), None, fscope)

        def get_state():
            return (scaled,)

        def set_state(vars_):
            nonlocal scaled
            (scaled,) = vars_

        def if_body():
            nonlocal scaled
            scaled = hidden * lr

        def else_body():
            nonlocal scaled
            scaled = hidden
        scaled = ag__.Undefined('scaled')
        ag__.if_stmt(ag__.converted_call(ag__.ld(tf).reduce_sum, (hidden,), None, fscope) > 0, if_body, )"
R"(else_body, get_state, set_state, ('scaled',), 1)
        ag__.converted_call(ag__.ld(w1).assign_sub, (lr * ag__.converted_call(ag__.ld(tf).reduce_mean, )"
R"((scaled,), None, fscope),), None, fscope)
        return ag__.converted_call(ag__.ld(tf).reduce_mean, (scaled,), None, fscope)
)";

CodeRecord code(CodeId id, FileId file, const char* name, int first, int last) {
  CodeRecord c{id, file, name, first, {}};
  for (int line = first; line <= last; ++line)
    c.lines.push_back({static_cast<uint32_t>(line) * 4, static_cast<uint32_t>(line)});
  return c;
}

class Story {
 public:
  explicit Story(Writer& writer) : writer_(writer) {}
  int64_t tell();

 private:
  void definitions();
  void eager_normalize();
  TraceId trace_step(const std::string& rows, const std::string& lr, TraceId nearest,
                     std::vector<std::string> differing, std::string why);
  void call(FunctionId function, TraceId trace, CallOutcome outcome, SourceRef source, const std::vector<NodeId>& nodes,
            const GraphRecord& graph, int64_t tracing_ns);
  SignatureId signature(OpId op, uint32_t bytes);
  void op(std::string_view name, CallId call, SourceRef source, GraphId graph, NodeId node, int64_t ns, uint32_t bytes);
  void console(ConsoleStream stream, std::string text) { writer_.add(ConsoleRecord{now_, stream, std::move(text)}); }

  Writer& writer_;
  int64_t now_ = kStart;
  uint64_t next_call_ = 0;
  uint32_t next_event_ = 0;
  uint32_t next_trace_ = 0, next_graph_ = 0;
  FileId file_;
  OpColumns events_;
  std::map<std::pair<OpId, uint32_t>, SignatureId> signatures_;
  StepGraph steps_[12];
  GraphRecord evaluate_;
};

SignatureId Story::signature(OpId op, uint32_t bytes) {
  const auto [it, added] = signatures_.try_emplace({op, bytes}, SignatureId(static_cast<uint32_t>(signatures_.size())));
  const std::string type = "float32[" + std::to_string(bytes / 4) + "]";
  if (added)
    writer_.add(SignatureRecord{it->second, op, type + ", " + type, type, 2 * uint64_t{bytes}, bytes, bytes / 4});
  return it->second;
}

void Story::op(std::string_view name, CallId call, SourceRef source, GraphId graph, NodeId node, int64_t ns,
               uint32_t bytes) {
  OpEvent e = op_of(op_id(name), now_, now_ + ns, call);
  now_ += ns;
  if (node.valid()) e.set_node(graph, node);
  else e.set_source(source);
  e.signature = signature(e.op, bytes);
  events_.append(0, ThreadRings::op_event_id(0, next_event_++), e);
}

// 50 eager ops.
void Story::eager_normalize() {
  for (int i = 0; i < 10; ++i) {
    now_ += 900;
    op("Mean", {}, at(kNormalize, 6), {}, {}, 2100, 4);
    now_ += 500;
    op("Sub", {}, at(kNormalize, 7), {}, {}, 1400, 1024);
    op("Sum", {}, at(kNormalize, 7), {}, {}, 1900, 4);
    op("Sub", {}, at(kNormalize, 7), {}, {}, 700, 4);
    now_ += 400;
    op("RealDiv", {}, at(kNormalize, 7), {}, {}, 1500, 1024);
  }
}

void Story::definitions() {
  for (uint16_t i = 0; i < kOps.size(); ++i) writer_.add(OpNameRecord{OpId(i), kOps[i].name, kOps[i].family});
  ProcessRecord process;
  process.host = "lovelace";
  process.pid = 4711;
  process.engine = "footlight";
  process.engine_version = "0.1";
  writer_.add(process);
  writer_.add(TrackRecord{TrackId(0), {}, {}, "process", "start-up", {}, {}});
  writer_.add(SpanRecord{TrackId(0), kStart - 9'000'000, kStart - 1'000'000, "import footlight", "start-up"});
  writer_.add(TrackRecord{TrackId(1), {}, TrackId(0), "counter", "memory in use", {}, {}});
  writer_.add(CounterRecord{TrackId(1), kStart, 26e6});
  writer_.add(CounterRecord{TrackId(1), kStart + 5'000'000, 27.5e6});
  writer_.add(ThreadRecord{ThreadId(0), 4711, "python3"});
  writer_.add(DeviceNameRecord{DeviceNumber(0), "/cpu:0", "AVX-512, 2 threads"});
  file_ = writer_.file("/home/ada/retracing.py", kScript);
  writer_.add(code(kModule, file_, "<module>", 1, 33));
  writer_.add(code(kTrainStep, file_, "train_step", 13, 20));
  writer_.add(code(kNormalize, file_, "normalize", 5, 7));
  writer_.add(code(kEvaluate, file_, "evaluate", 23, 24));
  writer_.add(FunctionRecord{FunctionId(0), "train_step", file_, 13, 12, {"batch", "lr", "training"}});
  writer_.add(FunctionRecord{FunctionId(1), "evaluate", file_, 23, 22, {"batch"}});

  GeneratedRecord g;
  g.function = FunctionId(0);
  g.code = kTrainStep;
  g.name = "train_step";
  g.file = file_;
  g.text = kGenerated;
  g.line_map = {13, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 16, 0, 17, 0, 18, 0, 15, 19, 20};
  g.statements = {{15, 18, "if", "staged", "became cond"}};
  writer_.add(std::move(g));
}

TraceId Story::trace_step(const std::string& rows, const std::string& lr, TraceId nearest,
                          std::vector<std::string> differing, std::string why) {
  const TraceId id(next_trace_++);
  const GraphId graph(next_graph_), then_branch(next_graph_ + 1), else_branch(next_graph_ + 2);
  next_graph_ += 3;
  writer_.add(branch(then_branch, "cond_true", true, rows, lr));
  writer_.add(branch(else_branch, "cond_false", false, rows, lr));
  StepGraph step = step_graph(graph, then_branch, else_branch, rows, lr);
  writer_.add(step.graph);
  TraceRecord t = trace_of(id, FunctionId(0), static_cast<int>(id.value) + 1, graph, now_);
  t.add_phase("autograph", id.value == 0 ? 1'900'000 : 0);
  t.add_phase("python", 2'900'000);
  t.add_phase("optimize", 800'000);
  t.add_phase("compile", 500'000);
  t.end_ns = t.phases.back().end_ns;
  t.signature = "f32[" + rows + ",8] " + lr + " True";
  t.key = {{"args[0]", "batch", "tensor", "float32", rows + ",8", ""},
           {"args[1]", "lr", "literal", "float", "", lr},
           {"args[2]", "training", "literal", "bool", "", "True"},
           {"captures[0]", "w1", "variable", "float32", "8,16", "0"},
           {"captures[1]", "b1", "variable", "float32", "16", "1"}};
  t.nearest = nearest;
  t.differing = std::move(differing);
  t.why = std::move(why);
  t.captures = {"w1 float32 (8, 16) variable", "b1 float32 (16,) variable"};
  t.source = at(kModule, 31);
  writer_.add(t);
  writer_.add(DecisionRecord{id, file_, 15, "if", "staged", "became cond"});
  steps_[id.value] = std::move(step);
  return id;
}

void Story::call(FunctionId function, TraceId trace, CallOutcome outcome, SourceRef source,
                 const std::vector<NodeId>& nodes, const GraphRecord& graph, int64_t tracing_ns) {
  CallRecord c = call_of(CallId(next_call_++), function, trace, outcome, now_);
  c.source = source;
  now_ += tracing_ns + 300;
  for (const NodeId n : nodes) {
    const NodeRecord& record = graph.nodes[n.value];
    op(record.op, c.id, {}, graph.id, n, record.op == "MatMul" ? 2200 : 350, 2048);
  }
  now_ += 120;
  c.end_ns = now_;
  writer_.add(c);
}

int64_t Story::tell() {
  definitions();
  GraphRecord& e = evaluate_;
  e.id = GraphId(1000);
  e.name = "__inference_evaluate_1000";
  e.nodes.push_back(node(e, "batch", "Placeholder", {}, "float32 (64, 8)", at(kEvaluate, 23)));
  e.nodes.push_back(node(e, "w1", "Placeholder", {}, "resource ()", at(kEvaluate, 23)));
  e.nodes.push_back(node(e, "ReadVariableOp", "ReadVariableOp", {{1, 0}}, "float32 (8, 16)", at(kEvaluate, 24)));
  e.nodes.push_back(node(e, "MatMul", "MatMul", {{0, 0}, {2, 0}}, "float32 (64, 16)", at(kEvaluate, 24)));
  e.nodes.push_back(node(e, "Const", "Const", {}, "int32 (2,)", at(kEvaluate, 24), "dtype=int32"));
  e.nodes.back().constant = "[0, 1]";
  e.nodes.push_back(node(e, "Mean", "Mean", {{3, 0}, {4, 0}}, "float32 ()", at(kEvaluate, 24)));
  e.nodes.push_back(node(e, "Identity", "Identity", {{5, 0}}, "float32 ()", at(kEvaluate, 24)));
  e.inputs = {0, 1};
  e.outputs = {{6, 0}};

  const char* rates[] = {"0.1", "0.05", "0.03333333333333333", "0.025", "0.02", "0.016666666666666666"};
  TraceId evaluate_trace;
  for (int epoch = 0; epoch < 6; ++epoch) {
    TraceId full, part;
    for (int b = 0; b < 8; ++b) {
      eager_normalize();
      const bool last = b == 7;
      TraceId& trace = last ? part : full;
      CallOutcome outcome = CallOutcome::kHit;
      int64_t tracing = 0;
      if (!trace.valid()) {
        outcome = CallOutcome::kTrace;
        const bool first = next_trace_ == 0;
        const TraceId nearest = first ? TraceId() : last ? full : TraceId(0);
        std::vector<std::string> differing;
        if (!first) differing = {last ? "args[0].shape[0]" : "args[1]"};
        trace = trace_step(last ? "17" : "32", rates[epoch], nearest, std::move(differing),
                           first ? "first call" : last ? "shape of batch" : "value of lr");
        tracing = first ? 6'100'000 : 4'200'000;
      }
      call(FunctionId(0), trace, outcome, at(kModule, 31), steps_[trace.value].executed,
           steps_[trace.value].graph, tracing);
    }
    console(ConsoleStream::kStdout, "epoch " + std::to_string(epoch) + " seen 241\n");
    CallOutcome outcome = CallOutcome::kHit;
    if (!evaluate_trace.valid()) {
      outcome = CallOutcome::kTrace;
      evaluate_trace = TraceId(100);
      writer_.add(e);
      TraceRecord t = trace_of(evaluate_trace, FunctionId(1), 1, e.id, now_, now_ + 2'400'000);
      t.add_phase("python", 1'900'000), t.add_phase("optimize", 300'000), t.add_phase("compile", 200'000);
      t.signature = "f32[64,8]";
      t.key = {{"args[0]", "batch", "tensor", "float32", "64,8", ""},
               {"captures[0]", "w1", "variable", "float32", "8,16", "0"}};
      t.why = "first call";
      t.captures = {"w1 float32 (8, 16) variable"};
      t.source = at(kModule, 33);
      writer_.add(std::move(t));
    }
    call(FunctionId(1), evaluate_trace, outcome, at(kModule, 33), {NodeId(2), NodeId(3), NodeId(5), NodeId(6)}, e,
         outcome == CallOutcome::kTrace ? 2'400'000 : 0);
    char loss[40];
    std::snprintf(loss, sizeof loss, "loss %.6f\n", 8.0 / (epoch + 1));
    console(ConsoleStream::kTfPrint, loss);
  }
  // The rest of the 4500: eager evaluation at the end.
  while (events_.size() < 4500) op("Mean", {}, at(kNormalize, 6), {}, {}, 1800, 4);
  console(ConsoleStream::kStderr, "retracing.py: done\n");
  writer_.add_rows(events_);
  return now_;
}

}  // namespace

session::RunRecord run_record() {
  session::RunRecord run;
  run.script = "/home/ada/retracing.py";
  run.arguments = {"--epochs", "6"};
  run.working_directory = "/home/ada";
  run.python = "3.11.2 /usr/bin/python3";
  run.engine = "footlight 0.1";
  run.machine = "x86-64, AVX-512, 2 threads; no CUDA driver: host timelines only";
  run.started_ns = kStart;
  return run;
}

int64_t write_session(session::Writer& writer) { return Story(writer).tell(); }

}  // namespace footlight::sample
