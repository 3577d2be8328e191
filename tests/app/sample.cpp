// Builds the sample run.
#include "tests/app/sample.h"

#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <map>

namespace footlight::app {
namespace {

constexpr int64_t kStart = 1'700'000'000'000'000'000;
constexpr int64_t kMs = 1'000'000;

session::NodeRecord node(uint32_t id, const char* name, const char* op, const char* family, std::vector<uint32_t> from,
                         const char* output, uint32_t line) {
  session::NodeRecord n = node_of(id, name, op, from, {CodeId(1), line});
  n.family = family;
  n.outputs.push_back(output);
  n.attributes = "T=float32";
  return n;
}

session::GraphRecord step_graph(GraphId id, GraphId then_graph, GraphId else_graph, const std::string& rate) {
  session::GraphRecord g;
  g.id = id;
  g.name = "__inference_train_step";
  g.nodes.push_back(node(0, "batch", "Placeholder", "constant", {}, "float32 (32, 8)", 5));
  g.nodes.push_back(node(1, "resource", "Placeholder", "variable", {}, "resource ()", 6));
  g.nodes.push_back(node(2, "ReadVariableOp", "ReadVariableOp", "variable", {1}, "float32 (8, 16)", 6));
  g.nodes.push_back(node(3, "MatMul", "MatMul", "product", {0, 2}, "float32 (32, 16)", 6));
  g.nodes.push_back(node(4, "Relu", "Relu", "elementwise", {3}, "float32 (32, 16)", 6));
  g.nodes.push_back(node(5, "Sum", "Sum", "reduction", {4}, "float32 ()", 7));
  g.nodes.push_back(node(6, "Greater/y", "Const", "constant", {}, "float32 ()", 7));
  g.nodes.back().constant = "0";
  g.nodes.push_back(node(7, "Greater", "Greater", "elementwise", {5, 6}, "bool ()", 7));
  g.nodes.push_back(node(8, "cond", "StatelessIf", "control", {7, 4}, "float32 (32, 16)", 7));
  g.nodes.back().functions = {{"then_branch", then_graph}, {"else_branch", else_graph}};
  g.nodes.push_back(node(9, "mul/y", "Const", "constant", {}, "float32 ()", 9));
  g.nodes.back().constant = rate;
  g.nodes.push_back(node(10, "mul", "Mul", "elementwise", {8, 9}, "float32 (32, 16)", 9));
  g.nodes.push_back(node(11, "Identity", "Identity", "move", {10}, "float32 (32, 16)", 9));
  g.inputs = {0, 1};
  g.outputs = {{11, 0}};
  return g;
}

}  // namespace

const std::string& sample_script() {
  static const std::string text =
      "import tensorflow as tf\n"                         // 1
      "w = tf.Variable(tf.ones([8, 16]))\n"               // 2
      "\n"                                                // 3
      "@tf.function\n"                                    // 4
      "def train_step(batch, lr, training):\n"            // 5
      "    h = tf.nn.relu(batch @ w)\n"                   // 6
      "    if tf.reduce_sum(h) > 0:\n"                    // 7
      "        h = h + 1.0\n"                             // 8
      "    return h * lr\n"                               // 9
      "\n"                                                // 10
      "@tf.function\n"                                    // 11
      "def evaluate(batch):\n"                            // 12
      "    return tf.reduce_mean(batch)\n"                // 13
      "\n"                                                // 14
      "for epoch in range(6):\n"                          // 15
      "    lr = 0.1 / (epoch + 1)\n"                      // 16
      "    train_step(batch, lr, True)\n"                 // 17
      "    print('epoch', epoch)\n";                      // 18
  return text;
}

SampleRun sample_run() {
  SampleRun run;
  Document& d = run.document;
  d.run.script = "/tmp/train.py";
  d.run.arguments = {"--epochs", "6"};
  d.run.working_directory = "/tmp";
  d.run.python = "Python 3.11.2";
  d.run.engine = "footlight 0.1.0";
  d.run.machine = "2 threads; no CUDA driver";
  d.run.started_ns = kStart;
  const session::FileId file(1);
  d.add(session::FileRecord{file, "/tmp/train.py", sample_script()});
  session::CodeRecord code{CodeId(1), file, "train_step", 4, {}};
  for (uint32_t line = 1; line <= 18; ++line) code.lines.push_back({line, line});
  d.add(code);
  d.add(session::FunctionRecord{FunctionId(1), "train_step", file, 5, 4, {"batch", "lr", "training"}});
  d.add(session::FunctionRecord{FunctionId(2), "evaluate", file, 12, 11, {"batch"}});
  d.ops = {{"MatMul", "product"}, {"Relu", "elementwise"}, {"Sum", "reduction"}, {"Mul", "elementwise"}};

  for (uint32_t i = 0; i < 2; ++i) {
    session::GraphRecord body;
    body.id = GraphId(100 + i);
    body.name = i ? "cond_false" : "cond_true";
    body.nodes.push_back(node(0, "h", "Placeholder", "constant", {}, "float32 (32, 16)", 8));
    if (!i) body.nodes.push_back(node(1, "add", "AddV2", "elementwise", {0}, "float32 (32, 16)", 8));
    body.nodes.push_back(node(2 - i, "Identity", "Identity", "move", {i ? 0u : 1u}, "float32 (32, 16)", 8));
    d.add(body);
  }
  const char* rates[] = {"0.1", "0.05", "0.03333333333333333", "0.025", "0.02", "0.016666666666666666"};
  std::vector<session::CallRecord>& calls = run.calls;
  const auto add_event = [&run](const OpEvent& e, uint64_t id) {
    run.ops.append(0, id, e);
    run.document.note_time(e.start_ns, e.end_ns);
    ++run.document.events;
  };
  int64_t at = kStart + kMs;
  uint64_t event_id = 1;
  for (uint32_t i = 0; i < 6; ++i) {
    session::TraceRecord t =
        trace_of(TraceId(10 + i), FunctionId(1), static_cast<int>(i) + 1, GraphId(10 + i), at, at + 4 * kMs);
    t.add_phase("autograph", kMs);
    t.add_phase("python", 2 * kMs);
    t.add_phase("optimize", kMs / 2);
    t.add_phase("compile", kMs / 2);
    t.signature = std::string("f32[32,8] ") + rates[i] + " True";
    t.key = {{"args[0]", "batch", "tensor", "float32", "32,8", ""},
             {"args[1]", "lr", "literal", "float", "", rates[i]},
             {"args[2]", "training", "literal", "bool", "", "True"}};
    if (i) {
      t.nearest = TraceId(10);
      t.differing = {"args[1]"};
      t.why = "value of lr";
    }
    t.captures = {"w:0 float32 (8, 16) variable"};
    t.source = {CodeId(1), 17};
    d.add(step_graph(t.graph(), GraphId(100), GraphId(101), rates[i]));
    d.add(t);
    for (uint32_t c = 0; c < 4; ++c) {
      session::CallRecord call =
          call_of(CallId(i * 4 + c + 1), FunctionId(1), t.id, c ? CallOutcome::kHit : CallOutcome::kTrace, at,
                  at + (c ? kMs / 10 : 5 * kMs));
      call.source = {CodeId(1), 17};
      calls.push_back(call);
      const int64_t first = call.end_ns - kMs / 12;
      const uint32_t nodes[] = {3, 4, 5, 10};
      for (uint16_t k = 0; k < 4; ++k) {
        const int64_t start = first + k * 20'000;
        OpEvent e = op_of(OpId(k), start, start + (k == 0 ? 15'000 : 4'000), call.id);
        e.set_node(GraphId(10 + i), NodeId(nodes[k]));
        add_event(e, event_id++);
      }
      at = call.end_ns + kMs / 5;
    }
    OpEvent eager = op_of(OpId(3), at, at + 3'000);
    eager.set_source({CodeId(1), 16});
    add_event(eager, event_id++);
    at += kMs;
    d.console.push_back({at, session::ConsoleStream::kStdout, "epoch " + std::to_string(i) + "\n"});
  }
  query::CallSums all;
  std::map<TraceId, query::CallSums> sums;
  for (const session::CallRecord& c : calls) {
    d.note_time(c.start_ns, c.end_ns);
    all.add(c);
    sums[c.trace].add(c);
    d.distinct_calls.push_back(c);
  }
  d.calls = calls.size();
  d.set_calls(FunctionId(1), all);
  for (const auto& [trace, of_trace] : sums) d.set_calls(trace, of_trace);
  session::TraceRecord e = trace_of(TraceId(20), FunctionId(2), 1, GraphId(20), at, at + kMs);
  e.signature = "f32[64,8]";
  e.key = {{"args[0]", "batch", "tensor", "float32", "64,8", ""}};
  e.source = {CodeId(1), 13};
  session::GraphRecord eg;
  eg.id = GraphId(20);
  eg.name = "__inference_evaluate";
  eg.nodes.push_back(node(0, "batch", "Placeholder", "constant", {}, "float32 (64, 8)", 12));
  eg.nodes.push_back(node(1, "Mean", "Mean", "reduction", {0}, "float32 ()", 13));
  eg.inputs = {0};
  d.add(eg);
  d.add(e);
  session::GeneratedRecord g;
  g.function = FunctionId(1);
  g.code = CodeId(1);
  g.name = "train_step";
  g.file = file;
  g.text =
      "def tf__train_step(batch, lr, training):\n    h = ag__.converted_call(tf.nn.relu, (batch @ w,))\n"
      "    def if_body():\n        h = h + 1.0\n    ag__.if_stmt(tf.reduce_sum(h) > 0, if_body)\n    return "
      "h * lr\n";
  g.line_map = {5, 6, 7, 8, 7, 9};
  g.statements = {{6, 6, "call", "staged", ""},
                  {7, 8, "if", "staged", ""},
                  {8, 8, "assign", "staged", ""},
                  {9, 9, "return", "staged", ""}};
  d.add(g);
  d.decisions.push_back({TraceId(10), file, 7, "if", "staged", "tensor condition: cond, both branches traced"});
  d.console.push_back({at, session::ConsoleStream::kTfPrint, "loss 0.25\n"});
  d.console.push_back({at, session::ConsoleStream::kStderr, "  File \"/tmp/train.py\", line 17, in <module>\n"});
  d.end = session::EndRecord{at + 2 * kMs, 0, 0, "finished"};
  return run;
}

Document sample_document() { return sample_run().document; }

void write_sample_session(const QString& path, bool finished) { write_session(path, sample_run(), finished); }

void write_session(const QString& path, const SampleRun& run, bool finished) {
  const Document& d = run.document;
  auto w = session::Writer::create(path.toStdString(), d.run, RecordingLevel::kOps);
  for (const auto& f : d.files) w->add(f);
  for (const auto& c : d.codes) w->add(c);
  for (const auto& l : d.locations) w->add(l);
  for (const auto& f : d.functions) w->add(f);
  for (const auto& g : d.graphs) w->add(g);
  for (const auto& t : d.traces) w->add(t);
  for (const auto& g : d.generated) w->add(g);
  for (const auto& x : d.decisions) w->add(x);
  for (const ConsolePiece c : d.console) w->add(session::ConsoleRecord{c.time_ns, c.stream, std::string(c.text)});
  for (size_t i = 0; i < d.ops.size(); ++i)
    w->add(session::OpNameRecord{OpId(static_cast<uint16_t>(i)), d.ops[i].name, d.ops[i].family});
  for (const auto& s : d.signatures) w->add(s);
  if (!run.calls.empty()) w->add_rows(run.calls);
  if (run.ops.size()) w->add_rows(run.ops);
  for (const auto& device : run.device) w->add(device);
  for (const auto& comparison : run.comparisons) w->add(comparison);
  if (finished) {
    w->finish(d.end.value_or(session::EndRecord{}));
  } else {
    w->close();
  }
}

SampleStore::SampleStore(const SampleRun& run) {
  const QString path = folder_.filePath(QStringLiteral("run.footlight"));
  write_session(path, run);
  reader_ = session::Reader::open(path.toStdString());
  store_ = std::make_unique<query::Store>(*reader_);
  store_->index();
}

session::GraphRecord layered_graph(GraphId id, int layers) {
  session::GraphRecord g;
  g.id = id;
  g.nodes.push_back(node(0, "x", "Placeholder", "constant", {}, "float32 (32, 8)", 5));
  for (int i = 0; i < layers; ++i) {
    const uint32_t at = static_cast<uint32_t>(i) * 3;
    const std::string scope = "layer_" + std::to_string(i) + "/";
    g.nodes.push_back(node(at + 1, (scope + "MatMul").c_str(), "MatMul", "product", {at}, "float32 (32, 8)", 6));
    g.nodes.push_back(node(at + 2, (scope + "add").c_str(), "AddV2", "elementwise", {at + 1}, "float32 (32, 8)", 6));
    g.nodes.push_back(node(at + 3, (scope + "Relu").c_str(), "Relu", "elementwise", {at + 2}, "float32 (32, 8)", 6));
  }
  return g;
}

}  // namespace footlight::app
