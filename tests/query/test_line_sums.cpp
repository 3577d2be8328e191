// Costs per line against a plain walk over random rows, and small sessions whose sums can be seen at once.
#include "tests/query/random_session.h"

#include "engine/query/line_sums.h"
#include "tests/session/records.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::query;

namespace {

constexpr session::FileId kFile(1);
int line_of(SourceRef source) { return source.code.valid() ? 1 + static_cast<int>(source.offset / 2) : 0; }

// A session of one file whose instruction N is on line N.
std::unique_ptr<session::Writer> begin(const std::string& path) {
  auto w = session::Writer::create(path, {}, RecordingLevel::kOps);
  w->add(session::FileRecord{kFile, "/tmp/a.py", "x\n"});
  w->add(code_of(CodeId(1), kFile, "f", 20));
  return w;
}

void add_op(session::OpColumns& ops, int64_t start, int64_t end, uint16_t op, SourceRef source, CallId call = {},
            GraphId graph = {}, uint32_t node = 0) {
  OpEvent e = op_of(OpId(op), start, end, call);
  if (graph.valid()) e.set_node(graph, NodeId(node));
  else e.set_source(source);
  ops.append(0, ops.size() + 1, e);
}

session::GraphRecord graph_with(GraphId id, std::vector<uint32_t> lines) {
  session::GraphRecord g;
  g.id = id;
  for (const uint32_t line : lines) {
    const auto number = static_cast<uint32_t>(g.nodes.size());
    g.nodes.push_back(node_of(number, "n" + std::to_string(number), "Op", {}, {CodeId(1), line}));
  }
  return g;
}

// Calls at these lines, one after another: those at the last line call function 2, the others function 1.
std::vector<session::CallRecord> calls_at(const std::vector<uint32_t>& lines) {
  std::vector<session::CallRecord> calls;
  for (const uint32_t line : lines) {
    const auto start = static_cast<int64_t>(10'000 + 100 * calls.size());
    calls.push_back(call_of(CallId(calls.size() + 1), FunctionId(line == lines.back() ? 2 : 1), {}, CallOutcome::kHit,
                            start, start + 50));
    calls.back().thread = session::ThreadId(0);
    calls.back().source = {CodeId(1), line};
  }
  return calls;
}

LineSums finished(session::Writer& w, const std::vector<TraceId>& traces = {}) {
  w.finish({});
  return line_sums(*session::Reader::open(w.path()), traces, Cancel());
}

}  // namespace

class LineSumsTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::string at(const char* name) { return folder_.filePath(QLatin1String(name)).toStdString(); }

 private Q_SLOTS:
  void random_sessions() {
    for (const uint32_t seed : {1u, 2u, 3u}) {
      const RandomSession all(seed, 4000, 3);
      all.write(at("random.footlight"), 7, true);
      const auto reader = session::Reader::open(at("random.footlight"));
      const LineSums sums = line_sums(*reader, {TraceId(0), TraceId(3)}, Cancel());
      const auto node_source = [&](const PlainOp& op) {
        const auto& nodes = all.graphs[op.graph.value - 100].nodes;
        return nodes[op.node].source;
      };
      LineSum whole;
      for (int line = 0; line <= 16; ++line) {
        LineSum wanted;
        std::map<uint32_t, std::map<uint32_t, std::map<uint16_t, uint64_t>>> nodes;  // instruction, graph, op
        for (const PlainOp& op : all.ops) {
          const bool traced = op.node != UINT32_MAX;
          if (line_of(traced ? node_source(op) : op.source) != line) continue;
          (traced ? wanted.traced_ops : wanted.eager_ops) += 1;
          (traced ? wanted.traced_ns : wanted.eager_ns) += op.end - op.start - op.inner;
          if (traced) ++nodes[node_source(op).offset][op.graph.value][op.op];
        }
        std::map<uint32_t, uint64_t> runs;  // by graph
        for (const auto& [instruction, graphs] : nodes) {
          for (const auto& [graph, ops] : graphs) {
            uint64_t least = UINT64_MAX;
            for (const auto& [op, times] : ops) least = std::min(least, times);
            runs[graph] = std::max(runs[graph], least);
          }
        }
        for (const auto& [graph, times] : runs) wanted.traced_runs += times;
        for (const session::CallRecord& c : all.calls) {
          if (line_of(c.source) != line) continue;
          ++wanted.calls;
          int64_t inside = 0;
          for (const PlainOp& op : all.ops) {
            if (op.call == c.id) inside += op.end - op.start - op.inner;
          }
          wanted.call_ns += std::max<int64_t>(0, c.end_ns - c.start_ns - inside);
        }
        for (const uint32_t t : {0u, 3u}) {
          for (const auto& n : all.graphs[t].nodes) wanted.nodes += line_of(n.source) == line;
        }
        const LineSum* found = line ? sums.at(kFile, line) : &sums.nowhere;
        QVERIFY2(found || wanted == LineSum{}, qPrintable(QString::number(line)));
        if (!found) continue;
        QCOMPARE(found->eager_ops, wanted.eager_ops);
        QCOMPARE(found->traced_ops, wanted.traced_ops);
        QCOMPARE(found->eager_ns, wanted.eager_ns);
        QCOMPARE(found->traced_ns, wanted.traced_ns);
        if (line) QCOMPARE(found->traced_runs, wanted.traced_runs);
        QCOMPARE(found->calls, wanted.calls);
        QCOMPARE(found->own_calls, wanted.calls);  // none is a library's
        QCOMPARE(found->call_ns, wanted.call_ns);
        QCOMPARE(found->nodes, wanted.nodes);
        whole.eager_ns += found->eager_ns;
        whole.traced_ns += found->traced_ns;
      }
      // Nothing is counted twice: the parts are the time of the outermost ops.
      int64_t outermost = 0;
      for (const PlainOp& op : all.ops) outermost += op.end - op.start - op.inner;
      QCOMPARE(whole.eager_ns + whole.traced_ns, outermost);
    }
  }

  // Two lines in a loop, ops of 10 with Python of 5 and 7 after them; a pause of 2 ms before the last run.
  void eager_lines() {
    auto w = begin(at("eager.footlight"));
    session::OpColumns ops;
    int64_t t = 1'000'000;
    for (int i = 0; i < 4; ++i) {
      if (i == 3) t += 2'000'000;
      add_op(ops, t, t + 10, 1, {CodeId(1), 5});
      add_op(ops, t + 10, t + 20, 2, {CodeId(1), 5});
      add_op(ops, t + 25, t + 35, 1, {CodeId(1), 6});
      t += 42;
    }
    for (int i = 0; i < 5; ++i) add_op(ops, t + i * 10, t + i * 10 + 10, 3, {CodeId(1), 9});
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    const LineSum five = *sums.at(kFile, 5), six = *sums.at(kFile, 6), nine = *sums.at(kFile, 9);
    QCOMPARE(five.eager_ops, uint64_t{8});
    QCOMPARE(five.eager_runs, uint64_t{4});
    QCOMPARE(five.eager_ns, int64_t{80});
    QCOMPARE(five.python_ns, int64_t{20});
    QCOMPARE(six.eager_runs, uint64_t{4});
    QCOMPARE(six.python_ns, int64_t{21});  // not the pause: a new run of the loop is not the same line going on
    QCOMPARE(nine.eager_runs, uint64_t{5});
    QCOMPARE(six.time(), int64_t{61});
  }

  // A function that was converted again has another code in its second trace: its lines ran in both.
  void a_line_with_two_codes() {
    auto w = begin(at("codes.footlight"));
    session::CodeRecord again{CodeId(2), kFile, "f", 1, {}};
    again.lines = {{7, 11}};
    w->add(again);
    w->add(graph_with(GraphId(1), {11}));
    session::GraphRecord second = graph_with(GraphId(2), {11});
    second.nodes[0].source = {CodeId(2), 7};
    w->add(second);
    session::OpColumns ops;
    for (uint32_t g = 1; g <= 2; ++g) {
      w->add(trace_of(TraceId(g), FunctionId(1), static_cast<int>(g), GraphId(g)));
      for (int64_t run = 0; run < (g == 1 ? 5 : 3); ++run)
        add_op(ops, 1000 * g + run * 10, 1000 * g + run * 10 + 4, 1, {}, CallId(g), GraphId(g), 0);
    }
    w->add_rows(ops);
    QCOMPARE(finished(*w).at(kFile, 11)->traced_runs, uint64_t{8});
  }

  // The trace of a call that failed is no time of the call's line.
  void a_call_that_failed_after_its_trace() {
    auto w = begin(at("failed.footlight"));
    session::FunctionRecord function{FunctionId(1), "f", kFile, 10, 9, {}};
    function.kind = "keras";
    w->add(function);
    session::TraceRecord trace = trace_of(TraceId(1), FunctionId(1), 1, 100, 600);
    trace.error = "ValueError";
    trace.phases.push_back({"python", "trace", -1, 100, 600, session::ThreadId(0)});
    w->add(trace);
    std::vector<session::CallRecord> calls(1);
    calls[0].id = CallId(1);
    calls[0].function = FunctionId(1);
    calls[0].outcome = CallOutcome::kFailed;
    calls[0].thread = session::ThreadId(0);
    calls[0].start_ns = 50, calls[0].end_ns = 800;
    calls[0].source = {CodeId(1), 3};
    w->add_rows(calls);
    const LineSums sums = finished(*w);
    QCOMPARE(sums.at(kFile, 3)->call_ns, int64_t{250});
    QCOMPARE(sums.at(kFile, 10)->tracing_ns, int64_t{500});
    QCOMPARE(std::pair(sums.at(kFile, 3)->calls, sums.at(kFile, 3)->own_calls), std::pair(uint64_t{1}, uint64_t{0}));
  }

  // A function with a loop, called twice: its lines, the calling line, the line of the loop, the trace.
  void a_traced_function() {
    auto w = begin(at("traced.footlight"));
    session::GraphRecord root = graph_with(GraphId(1), {11, 12});
    root.nodes[1].functions = {{"body", GraphId(2)}};
    w->add(root);
    w->add(graph_with(GraphId(2), {13, 13}));
    w->add(session::FunctionRecord{FunctionId(1), "f", kFile, 10, 9, {}});
    session::TraceRecord outer, inner;
    outer.id = TraceId(1), outer.function = FunctionId(1), outer.number = 1, outer.graphs = {{"traced", GraphId(1)}};
    outer.start_ns = 100, outer.end_ns = 600;
    inner.id = TraceId(2), inner.function = FunctionId(2), inner.number = 1;
    inner.start_ns = 200, inner.end_ns = 350;
    for (session::TraceRecord* t : {&outer, &inner})
      t->phases.push_back({"python", "trace", -1, t->start_ns, t->end_ns, session::ThreadId(0)});
    w->add(session::FunctionRecord{FunctionId(2), "g", kFile, 15, 14, {}});
    w->add(inner);
    w->add(outer);
    session::OpColumns ops;
    add_op(ops, 10, 20, 1, {CodeId(1), 2});    // Python until the call begins, at 50
    add_op(ops, 300, 320, 1, {CodeId(1), 12});  // for the graph: no eager op, and in the time of the trace
    for (int c = 0; c < 2; ++c) {
      const int64_t t = c ? 1000 : 700;
      const CallId call(static_cast<uint64_t>(c) + 1);
      add_op(ops, t, t + 10, 1, {}, call, GraphId(1), 0);
      for (int turn = 0; turn < 3; ++turn) {
        add_op(ops, t + 20 + turn * 10, t + 24 + turn * 10, 1, {}, call, GraphId(2), 0);
        add_op(ops, t + 24 + turn * 10, t + 26 + turn * 10, 2, {}, call, GraphId(2), 1);
      }
    }
    w->add_rows(ops);
    std::vector<session::CallRecord> calls(2);
    for (size_t c = 0; c < 2; ++c) {
      calls[c].id = CallId(c + 1);
      calls[c].function = FunctionId(1);
      calls[c].trace = TraceId(1);
      calls[c].outcome = c ? CallOutcome::kHit : CallOutcome::kTrace;
      calls[c].thread = session::ThreadId(0);
      calls[c].start_ns = c ? 990 : 50;
      calls[c].end_ns = c ? 1090 : 800;
      calls[c].source = {CodeId(1), 3};
    }
    w->add_rows(calls);
    const LineSums sums = finished(*w, {TraceId(1)});
    QCOMPARE(sums.at(kFile, 2)->python_ns, int64_t{30});
    const LineSum call = *sums.at(kFile, 3), first = *sums.at(kFile, 11), loop = *sums.at(kFile, 12),
                  body = *sums.at(kFile, 13), f = *sums.at(kFile, 10), g = *sums.at(kFile, 15);
    QCOMPARE(call.calls, uint64_t{2});
    QCOMPARE(call.call_ns, int64_t{(750 - 500 - 28) + (100 - 28)});
    QCOMPARE(first.traced_ns, int64_t{20});
    QCOMPARE(first.traced_runs, uint64_t{2});
    QCOMPARE(loop.traced_ns, int64_t{0});
    QCOMPARE(loop.evaluated_ops, uint64_t{1});
    QCOMPARE(loop.eager_ops, uint64_t{0});
    QCOMPARE(loop.time(), int64_t{0});
    QCOMPARE(loop.inside_ns, int64_t{36});
    QCOMPARE(loop.nodes, uint64_t{1});
    QCOMPARE(body.traced_ns, int64_t{36});
    QCOMPARE(body.traced_runs, uint64_t{6});
    QCOMPARE(body.nodes, uint64_t{2});
    QCOMPARE(f.tracing_ns, int64_t{350});
    QCOMPARE(g.tracing_ns, int64_t{150});
    QCOMPARE(f.traces, uint64_t{1});
    QVERIFY(sums.at(kFile, 20) == nullptr);
  }

  // A line of a traced function whose nodes a helper made, in a loop whose body is a function of converted code.
  void nodes_that_a_line_called() {
    auto w = begin(at("helpers.footlight"));
    w->add(session::FunctionRecord{FunctionId(1), "f", kFile, 10, 0, {}});
    const CodeId around(7), body(8), helper(9);
    w->add(session::CodeRecord{around, kFile, "f", 10, {{0, 10}, {1, 11}, {2, 12}}});
    w->add(session::CodeRecord{body, kFile, "f", 11, {{0, 12}}});
    w->add(session::CodeRecord{helper, kFile, "helper", 20, {{0, 21}}});
    // <module>:3 calls f; its loop at 11 runs a body, whose line 12 calls the helper.
    const auto frame = [&](uint32_t id, int line, SourceRef source, uint32_t caller) {
      session::LocationRecord l;
      l.id = session::LocationId(id), l.file = kFile, l.line = line, l.source = source;
      if (caller) l.caller = session::LocationId(caller);
      w->add(l);
    };
    frame(1, 3, {CodeId(1), 3}, 0);
    frame(2, 11, {around, 1}, 1);
    frame(3, 12, {body, 0}, 2);
    frame(4, 21, {helper, 0}, 3);
    session::GraphRecord graph = graph_with(GraphId(1), {3, 3});
    graph.nodes[0].op = graph.nodes[1].op = "AddV2";
    graph.nodes[0].source = {helper, 0}, graph.nodes[0].location = session::LocationId(4);
    graph.nodes[1].source = {body, 0}, graph.nodes[1].location = session::LocationId(3);
    w->add(graph);
    session::TraceRecord t = trace_of(TraceId(1), FunctionId(1), 1, GraphId(1), 150, 180);
    t.source = {CodeId(1), 3};
    w->add(t);
    const LineSums sums = finished(*w, {TraceId(1)});
    const auto counts = [&](int line) {
      const LineSum* sum = sums.at(kFile, line);
      return sum ? std::pair(sum->nodes, sum->called_nodes) : std::pair<uint64_t, uint64_t>();
    };
    QCOMPARE(counts(21), (std::pair<uint64_t, uint64_t>(1, 0)));
    QCOMPARE(counts(12), (std::pair<uint64_t, uint64_t>(1, 1)));
    QCOMPARE(counts(11), (std::pair<uint64_t, uint64_t>(0, 0)));  // the loop runs its own body
    QCOMPARE(counts(3), (std::pair<uint64_t, uint64_t>(0, 0)));   // outside of the trace
  }

  // The parameter and the result of a graph stand on the line of the call, which runs its own ops eagerly.
  void a_line_that_calls_a_traced_function() {
    auto w = begin(at("called.footlight"));
    w->add(session::FunctionRecord{FunctionId(1), "f", kFile, 10, 0, {}});
    session::GraphRecord graph = graph_with(GraphId(1), {3, 11, 3});
    graph.nodes[0].op = "Placeholder", graph.nodes[2].op = "Identity";
    w->add(graph);
    session::TraceRecord t = trace_of(TraceId(1), FunctionId(1), 1, GraphId(1), 150, 180);
    t.source = {CodeId(1), 3};
    w->add(t);
    session::OpColumns ops;
    std::vector<session::CallRecord> calls(2);
    for (size_t c = 0; c < calls.size(); ++c) {
      const auto start = static_cast<int64_t>(100 + 200 * c);
      add_op(ops, start, start + 10, 1, {CodeId(1), 3});
      for (const uint32_t node : {1u, 2u}) {
        const int64_t begins = start + 80 + 10 * node;
        add_op(ops, begins, begins + 5, 1, {}, CallId(c + 1), GraphId(1), node);
      }
      calls[c] = call_of(CallId(c + 1), FunctionId(1), TraceId(1), c ? CallOutcome::kHit : CallOutcome::kTrace,
                         start + 20, start + 150);
      calls[c].source = {CodeId(1), 3};
    }
    w->add_rows(std::move(ops));
    w->add_rows(calls);
    const LineSums sums = finished(*w, {TraceId(1)});
    const LineSum &call = *sums.at(kFile, 3), &body = *sums.at(kFile, 11);
    QCOMPARE(call.nodes, uint64_t{0});
    QCOMPARE(call.traced_runs, uint64_t{0});
    QCOMPARE(call.calls, uint64_t{2});
    QCOMPARE(call.eager_runs, uint64_t{2});
    QCOMPARE(call.traced_ns, int64_t{10});
    QCOMPARE(body.nodes, uint64_t{1});
    QCOMPARE(body.traced_runs, uint64_t{2});
  }

  // Keras makes a function where fit is called, and traces it again at another line.
  void traces_of_a_function_that_a_library_made() {
    auto w = session::Writer::create(at("library.footlight"), {}, RecordingLevel::kOps);
    const std::string text = "import keras\nm.predict(x)\nm.predict_on_batch(y)\ndef g(): pass\n";
    w->add(session::FileRecord{kFile, "/tmp/a.py", text});
    w->add(code_of(CodeId(1), kFile, "<module>", 4));
    w->add(session::FunctionRecord{FunctionId(1), "predict_function", kFile, 2, 0, {}});
    w->add(session::FunctionRecord{FunctionId(2), "g", kFile, 4, 0, {}});
    for (uint32_t i = 1; i <= 3; ++i) {
      session::TraceRecord t = trace_of(TraceId(i), FunctionId(i < 3 ? 1 : 2), 1, 1000 * i, 1010 * i);
      t.source = {CodeId(1), i < 3 ? 1 + i : 3};
      w->add(t);
    }
    // One run of the line makes a call for each batch; the program's own call is one run.
    w->add_rows(calls_at({2, 2, 2, 3}));
    const LineSums sums = finished(*w);
    QCOMPARE(std::pair(sums.at(kFile, 2)->calls, sums.at(kFile, 2)->own_calls), std::pair(uint64_t{3}, uint64_t{0}));
    QCOMPARE(sums.at(kFile, 3)->own_calls, uint64_t{1});
    for (const int line : {2, 3, 4}) QCOMPARE(sums.at(kFile, line)->traces, uint64_t{1});
    QCOMPARE(sums.at(kFile, 2)->tracing_ns, int64_t{10});
    QCOMPARE(sums.at(kFile, 3)->tracing_ns, int64_t{20});
    QCOMPARE(sums.at(kFile, 4)->tracing_ns, int64_t{30});
  }

  // The line that gives a function to a stage runs once; the function's calls stand at its def.
  void calls_of_a_function_that_a_pipeline_runs() {
    auto w = session::Writer::create(at("stage.footlight"), {}, RecordingLevel::kOps);
    const std::string text = "def enrich(x):\n    return x\nds = ds.map(parse).map(enrich)\nmodel.fit(ds)\n";
    w->add(session::FileRecord{kFile, "/tmp/a.py", text});
    w->add(code_of(CodeId(1), kFile, "<module>", 4));
    w->add(session::FunctionRecord{FunctionId(1), "Dataset_map_enrich", kFile, 1, 0, {}, "dataset"});
    // Of a library, which the line calls.
    w->add(session::FunctionRecord{FunctionId(2), "Dataset_map_permutation", kFile, 4, 0, {}, "dataset"});
    w->add_rows(calls_at({3, 3, 3, 3, 4, 4}));
    const LineSums sums = finished(*w);
    const LineSum& body = *sums.at(kFile, 1);
    QCOMPARE(std::pair(body.calls, body.own_calls), std::pair(uint64_t{4}, uint64_t{4}));
    QCOMPARE(body.call_ns, int64_t{200});
    QVERIFY(!sums.at(kFile, 3) || !sums.at(kFile, 3)->time());
    QCOMPARE(sums.at(kFile, 4)->call_ns, int64_t{100});
    QCOMPARE(sums.at(kFile, 4)->own_calls, uint64_t{0});
  }

  // The counter of a loop is a node of the loop's line that runs in its body: it is counted once.
  void a_loop_whose_line_runs_in_its_body() {
    auto w = begin(at("counter.footlight"));
    session::GraphRecord root = graph_with(GraphId(1), {12});
    root.nodes[0].functions = {{"body", GraphId(2)}};
    w->add(root);
    w->add(graph_with(GraphId(2), {12, 13}));
    session::OpColumns ops;
    add_op(ops, 100, 105, 1, {}, CallId(1), GraphId(2), 0);
    add_op(ops, 110, 117, 1, {}, CallId(1), GraphId(2), 1);
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    const LineSum& loop = *sums.at(kFile, 12);
    QCOMPARE(std::pair(loop.traced_ns, loop.inside_ns), std::pair(int64_t{5}, int64_t{7}));
  }

  // it = iter(data); next(it): the loop waits for an element after the op of its first line.
  void waiting_for_input_is_no_python() {
    auto w = begin(at("waits.footlight"));
    session::TrackRecord next, stage;
    next.id = session::TrackId(1), next.kind = session::TrackRecord::kStage, next.thread = session::ThreadId(0);
    stage = next;
    stage.id = session::TrackId(2), stage.parent = next.id;
    w->add(next);
    w->add(stage);
    w->add_rows(std::vector<session::SpanRecord>{{next.id, 25, 125, "next waits for map", "wait"},
                                                 {stage.id, 20, 120, "map waits", "wait"}});
    session::OpColumns ops;
    add_op(ops, 10, 20, 1, {CodeId(1), 2});
    add_op(ops, 130, 140, 1, {CodeId(1), 5});
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    QCOMPARE(sums.at(kFile, 2)->python_ns, int64_t{10});  // 20 to 25, and 125 to 130
  }

  // A call was compared before it ran: what that did is nobody's line.
  void what_a_comparison_does() {
    auto w = begin(at("compared.footlight"));
    w->add(session::FunctionRecord{FunctionId(1), "f", kFile, 10, 0, {}});
    w->add(graph_with(GraphId(1), {11}));
    session::TraceRecord t = trace_of(TraceId(1), FunctionId(1), 1, GraphId(1), 5000, 9000);
    t.phases = {{"python", "trace", -1, 5000, 9000, session::ThreadId(0)}};
    w->add(t);
    session::ComparisonRecord c;
    c.function = FunctionId(1), c.trace = TraceId(1), c.call = 1, c.source = {CodeId(1), 4};
    c.start_ns = 2000, c.end_ns = 90'000;
    w->add(c);
    session::OpColumns ops;
    add_op(ops, 1000, 1100, 1, {CodeId(1), 3});
    add_op(ops, 91'000, 91'100, 1, {CodeId(1), 5});
    w->add_rows(std::move(ops));
    w->finish({100'000, 0, 0, "finished"});
    w.reset();
    const auto reader = session::Reader::open(at("compared.footlight"));
    const LineSums sums = line_sums(*reader, {}, Cancel());
    QVERIFY(sums.at(kFile, 3));
    QCOMPARE(sums.at(kFile, 3)->python_ns, int64_t{900});
    QCOMPARE(sums.at(kFile, 10)->tracing_ns, int64_t{4000});
  }

  // A trace without a call, as of get_concrete_function or before repetitions: its time is not the Python after the op
  // before it, nor is the pause after an op that ran while tracing.
  void a_trace_of_no_call() {
    auto w = begin(at("no_call.footlight"));
    w->add(session::FunctionRecord{FunctionId(1), "f", kFile, 10, 9, {}});
    session::TraceRecord trace = trace_of(TraceId(1), FunctionId(1), 1, 50, 600);
    trace.source = {CodeId(1), 3};
    trace.phases.push_back({"python", "trace", -1, 50, 600, session::ThreadId(0)});
    w->add(trace);
    session::OpColumns ops;
    add_op(ops, 10, 20, 1, {CodeId(1), 2});
    add_op(ops, 100, 110, 1, {CodeId(1), 11});
    add_op(ops, 900, 910, 1, {CodeId(1), 4});
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    QCOMPARE(sums.at(kFile, 2)->python_ns, int64_t{30});
    QCOMPARE(sums.at(kFile, 11)->python_ns, int64_t{0});
    QCOMPARE(sums.at(kFile, 10)->tracing_ns, int64_t{550});
  }

  // A node made by a library is on its line, and again on the line of the program that called the library.
  void through_a_library() {
    auto w = begin(at("library.footlight"));
    w->add(session::FileRecord{session::FileId(2), "/venv/lib/python3.11/site-packages/keras/layer.py", "x\n"});
    w->add(code_of(CodeId(2), session::FileId(2), "Dense.call", 20));
    session::LocationRecord caller, inner;
    caller.id = session::LocationId(0), caller.file = kFile, caller.line = 5, caller.qualname = "f";
    inner.id = session::LocationId(1), inner.caller = caller.id;
    inner.file = session::FileId(2), inner.line = 9, inner.qualname = "Dense.call";
    w->add(caller);
    w->add(inner);
    session::GraphRecord g = graph_with(GraphId(3), {5, 9});
    g.nodes[0].location = caller.id;
    g.nodes[1].source.code = CodeId(2);
    g.nodes[1].location = inner.id;
    w->add(g);
    session::OpColumns ops;
    add_op(ops, 10, 30, 1, {}, CallId(0), GraphId(3), 0);
    add_op(ops, 40, 90, 1, {}, CallId(0), GraphId(3), 1);
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    const LineSum& line = *sums.at(kFile, 5);
    QCOMPARE(line.traced_ns, int64_t{20});
    QCOMPARE(line.library_ns, int64_t{50});
    QCOMPARE(line.library_ops, uint64_t{1});
    QCOMPARE(line.time(), int64_t{70});
    QCOMPARE(sums.at(session::FileId(2), 9)->traced_ns, int64_t{50});
    QCOMPARE(sums.at(session::FileId(2), 9)->library_ns, int64_t{0});
  }

  // So is an eager op, at the line that the location of its event names.
  void eager_ops_of_a_library() {
    auto w = begin(at("eager_library.footlight"));
    w->add(session::FileRecord{session::FileId(2), "/venv/lib/python3.11/site-packages/keras/metric.py", "x\n"});
    w->add(code_of(CodeId(2), session::FileId(2), "Mean.update_state", 20));
    session::LocationRecord caller;
    caller.id = session::LocationId(session::kFirstCallerLocation), caller.source = {CodeId(1), 5};
    w->add(caller);
    session::OpColumns ops;
    OpEvent e;
    e.set_source({CodeId(2), 9});
    for (uint64_t i = 1; i <= 3; ++i) {
      e.start_ns = static_cast<int64_t>(i) * 100, e.end_ns = e.start_ns + 20;
      ops.append(0, i, e, i < 3 ? caller.id : session::LocationId());
    }
    w->add_rows(ops);
    const LineSums sums = finished(*w);
    QCOMPARE(sums.at(kFile, 5)->library_ops, uint64_t{2});
    QCOMPARE(sums.at(kFile, 5)->library_ns, int64_t{40});
    QCOMPARE(sums.at(kFile, 5)->eager_ops, uint64_t{0});
    QCOMPARE(sums.at(session::FileId(2), 9)->eager_ops, uint64_t{3});
  }

  void cancelled() {
    const RandomSession all(4, 1000, 1);
    all.write(at("cancel.footlight"), 3, true);
    const auto reader = session::Reader::open(at("cancel.footlight"));
    Cancel cancel;
    cancel.request();
    QVERIFY_EXCEPTION_THROWN(line_sums(*reader, {}, cancel), Cancelled);
  }
};

QTEST_GUILESS_MAIN(LineSumsTest)
#include "test_line_sums.moc"
