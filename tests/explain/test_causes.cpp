// What each cause finds in a run, and what it leaves alone.
#include "engine/explain/findings.h"
#include "tests/explain/sample_run.h"
#include "tests/explain/specs.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

KeyWriter batch_and_rate(int64_t batch, double rate) {
  return call_key([&](KeyWriter& w) {
    w.tensor(key_spec(DType::kFloat32, {batch, 8}));
    w.floating(rate);
  });
}

// x * alpha-ish in an attribute, and a branch that holds `constant`.
session::GraphRecord with_attribute(const std::string& alpha) {
  session::GraphRecord g = scaled("1");
  g.nodes[2].op = "LeakyRelu";
  g.nodes[2].attributes = "alpha=" + alpha + "; T=float32";
  return g;
}

session::GraphRecord with_branch(SampleRun& run, const std::string& constant) {
  session::GraphRecord g = scaled("1");
  session::NodeRecord branch;
  branch.id = 3;
  branch.op = "If";
  branch.inputs = {{2, 0}};
  branch.outputs = {"float32 (4)"};
  const GraphId body = run.add_graph(scaled(constant));
  branch.attributes = "then_branch=body_" + std::to_string(body.value);
  branch.functions = {{"then_branch", body}};
  g.nodes.push_back(branch);
  g.outputs = {{3, 0}};
  return g;
}

std::vector<Finding> findings(const SampleRun& run) { return find_findings(run.records()); }

}  // namespace

class TestCauses : public QObject {
  Q_OBJECT
 private slots:
  void every_cause_is_registered_under_a_name_of_its_own() {
    std::set<std::string> names;
    for (const Cause* cause : all_causes()) names.insert(cause->name);
    QCOMPARE(names.size(), all_causes().size());
    for (const char* name : {"identical_graphs", "python_scalar_argument", "varying_shape"})
      QVERIFY(names.count(name));
  }

  void a_number_that_changes() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 12; ++i) run.call(batch_and_rate(32, 0.1 / (1 + i / 2)), scaled(std::to_string(i / 2)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    const Finding& f = found[0];
    QCOMPARE(f.cause, std::string("python_scalar_argument"));
    QCOMPARE(f.path, std::string("args[1]"));
    QCOMPARE(f.parameter, std::string("lr"));
    QCOMPARE(f.values.size(), size_t{6});
    QCOMPARE(f.graphs, GraphRelation::kConstants);
    QVERIFY(f.checked.ok);
    QCOMPARE(f.checked.traces_before, size_t{6});
    QCOMPARE(f.checked.traces_after, size_t{1});
    QCOMPARE(f.example, run.traces[1].id);
    QCOMPARE(f.call.offset, 1u);
    QCOMPARE(f.title, std::string("lr is a Python number that changes"));
    QCOMPARE(f.detail, std::string("args[1]: 6 values, 0.1 → 0.05 → … → 0.01667; the graphs differ only in constants"));
    QCOMPARE(f.fix, std::string("tf.constant(lr)"));
    QCOMPARE(check_text(f.checked), std::string("replayed: saves 5 of 6 traces"));
  }

  void a_number_that_the_graph_does_not_know() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), scaled("1"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("identical_graphs"));
    QCOMPARE(found[0].fix, std::string("leave lr out of the call"));
    QVERIFY(found[0].checked.ok);
  }

  void a_number_in_a_branch_reaches_the_graph() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), with_branch(run, std::to_string(i)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_scalar_argument"));
    SampleRun same({"x", "lr"});
    for (int i = 0; i < 6; ++i) same.call(batch_and_rate(32, i), with_branch(same, "1"));
    QCOMPARE(findings(same)[0].cause, std::string("identical_graphs"));
  }

  void a_number_in_an_attribute_reaches_the_graph() {
    SampleRun run({"x", "alpha"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), with_attribute(std::to_string(i) + ".5"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].cause, std::string("python_scalar_argument"));
    QVERIFY(found[0].detail.find("alpha of LeakyRelu") != std::string::npos);
    QVERIFY(found[0].fix.find("instead of setting alpha of LeakyRelu") != std::string::npos);
  }

  void other_graphs_are_a_choice() {
    SampleRun run({"x", "n"});
    for (int i = 0; i < 6; ++i) {
      session::GraphRecord g = scaled("1");
      for (uint32_t k = 0; k < static_cast<uint32_t>(i); ++k) {
        g.nodes.push_back(g.nodes[2]);
        g.nodes.back().id = 3 + k;
      }
      run.call(batch_and_rate(32, i), g);
    }
    QVERIFY(findings(run).empty());
    // Nor is anything said of graphs that were not recorded.
    SampleRun lost({"x", "n"});
    for (int i = 0; i < 6; ++i) lost.call(batch_and_rate(32, i), scaled("1"));
    lost.graphs.erase(lost.graphs.begin() + 2);
    QVERIFY(findings(lost).empty());
    // Other variables in the same graph are another graph.
    SampleRun captured({"x", "n"});
    for (int i = 0; i < 6; ++i) {
      session::GraphRecord g = scaled("1");
      g.nodes[1].op = "Placeholder";
      g.nodes[1].attributes = "_capture=" + std::to_string(i);
      captured.call(batch_and_rate(32, i), g);
    }
    QVERIFY(findings(captured).empty());
  }

  void few_values_are_a_choice() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 20; ++i) run.call(batch_and_rate(32, i % 4), scaled(std::to_string(i % 4)));
    QVERIFY(findings(run).empty());
  }

  void numbers_that_change_together_are_one_finding() {
    SampleRun run({"x", "lr", "step"});
    for (int i = 0; i < 6; ++i) {
      run.call(call_key([&](KeyWriter& w) {
        w.tensor(key_spec(DType::kFloat32, {4}));
        w.floating(0.1 * (i + 1));
        w.integer(i);
      }), scaled(std::to_string(i)));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].also_paths, (std::vector<std::string>{"args[2]"}));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void numbers_of_one_list_are_one_finding() {
    SampleRun run({"point"});
    for (int i = 0; i < 6; ++i) {
      run.call(call_key([&](KeyWriter& w) {
        w.put(Token::kList, 2);
        w.integer(i);
        w.integer(i % 3);
      }), scaled(std::to_string(i)));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].path, std::string("args[0][0]"));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void whole_and_broken_numbers_need_a_dtype() {
    SampleRun run({"lr"});
    for (int i = 0; i < 6; ++i)
      run.call(call_key([&](KeyWriter& w) { i == 0 ? w.integer(1) : w.floating(0.5 / i); }), scaled(std::to_string(i)));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("tf.constant(lr, tf.float32)"));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void what_a_callable_closes_over_is_no_argument() {
    SampleRun run({"kernel"});
    for (int i = 0; i < 9; ++i) {
      run.call(call_key([&](KeyWriter& w) {
        w.numbered(Token::kCallable, 5, 1);
        w.floating(0.1 * i);
      }), scaled(std::to_string(i)));
    }
    QVERIFY(findings(run).empty());
  }

  void shapes_that_vary() {
    SampleRun run({"x"});
    for (int64_t n : {31, 28, 30, 7})
      run.call(call_key([&](KeyWriter& w) { w.tensor(key_spec(DType::kFloat32, {n, 8})); }),
               scaled("1", "(" + std::to_string(n) + ", 8)"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    const Finding& f = found[0];
    QCOMPARE(f.cause, std::string("varying_shape"));
    QCOMPARE(f.path, std::string("args[0].shape[0]"));
    QVERIFY(f.at_definition);
    QVERIFY(f.checked.ok);
    QCOMPARE(f.checked.traces_before, size_t{4});
    QCOMPARE(f.checked.traces_after, size_t{1});
    QCOMPARE(f.fix, std::string("tf.TensorSpec([None, 8], tf.float32)"));
    QCOMPARE(f.detail, std::string("args[0]: 4 shapes, [31,8] → [28,8] → [30,8] → [7,8]; dimension 0 varies"));
  }

  void shapes_beside_numbers_are_relaxed() {
    SampleRun run({"x", "rate"});
    for (int64_t n : {31, 28, 30, 7}) run.call(batch_and_rate(n, 0.1), scaled("1"));
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].fix, std::string("@tf.function(reduce_retracing=True)"));
    QCOMPARE(found[0].checked.traces_after, size_t{2});
  }

  void shapes_that_follow_each_other_are_one_finding() {
    SampleRun run({"x", "y"});
    for (int64_t n : {31, 28, 30, 7}) {
      run.call(call_key([&](KeyWriter& w) {
        w.tensor(key_spec(DType::kFloat32, {n, 8}));
        w.tensor(key_spec(DType::kInt32, {n}));
      }), scaled("1"));
    }
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].also_paths, (std::vector<std::string>{"args[1].shape[0]"}));
    QCOMPARE(found[0].checked.traces_after, size_t{1});
  }

  void steady_shapes_ranks_and_dtypes_are_no_varying_shape() {
    auto tensor = [](DType dtype, const Shape& shape) {
      return call_key([&](KeyWriter& w) { w.tensor(key_spec(dtype, shape)); });
    };
    SampleRun steady({"x"});
    for (int round = 0; round < 4; ++round)
      for (int64_t n : {8, 12, 16}) steady.call(tensor(DType::kFloat32, {n}), scaled("1"));
    QVERIFY(findings(steady).empty());
    SampleRun ranks({"x"});
    for (const Shape& shape : {Shape{3}, Shape{4}, Shape{3, 3}, Shape{5}})
      ranks.call(tensor(DType::kFloat32, shape), scaled("1"));
    QVERIFY(findings(ranks).empty());
    SampleRun dtypes({"x"});
    for (int64_t n : {3, 4, 5, 6})
      dtypes.call(tensor(n % 2 ? DType::kFloat32 : DType::kFloat64, {n}), scaled("1"));
    QVERIFY(findings(dtypes).empty());
  }

  void an_inner_function_is_explained_by_the_outer_one() {
    SampleRun outer({"x", "lr"}, 1), inner({"x", "lr"}, 2);
    for (int i = 0; i < 6; ++i) {
      SampleRun::Options options;
      options.trace_ns = 10'000;
      const int64_t start = outer.now_ns;
      outer.call(batch_and_rate(32, i), scaled(std::to_string(i)), options);
      inner.now_ns = start + 100;
      inner.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    }
    // Ids of graphs are those of their runs: the inner ones are moved behind.
    for (session::TraceRecord& t : inner.traces) t.graph = GraphId(t.graph.value + 100);
    for (session::GraphRecord& g : inner.graphs) g.id = GraphId(g.id.value + 100);
    const RunRecords a = outer.records(), b = inner.records();
    std::vector<session::FunctionRecord> functions = outer.functions;
    std::vector<session::TraceRecord> traces = outer.traces;
    std::vector<session::GraphRecord> graphs = outer.graphs;
    std::vector<session::CallRecord> calls = outer.calls;
    functions.insert(functions.end(), b.functions.begin(), b.functions.end());
    traces.insert(traces.end(), b.traces.begin(), b.traces.end());
    graphs.insert(graphs.end(), b.graphs.begin(), b.graphs.end());
    calls.insert(calls.end(), b.calls.begin(), b.calls.end());
    RunRecords both{functions, traces, graphs, calls, a.trace_keys, a.call_keys};
    both.trace_keys.insert(b.trace_keys.begin(), b.trace_keys.end());
    both.call_keys.insert(b.call_keys.begin(), b.call_keys.end());
    const auto found = find_findings(both);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].function, FunctionId(1));
    QCOMPARE(findings(inner).size(), size_t{1});
  }

  void what_was_not_replayed_is_not_called_checked() {
    SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(batch_and_rate(32, i), scaled(std::to_string(i)));
    run.raw_keys = false;
    const auto found = findings(run);
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].checked.method, Checked::Method::kNone);
    QVERIFY(!found[0].checked.ok);
    QCOMPARE(check_text(found[0].checked),
             std::string("not checked: the recording has no raw keys of the traces"));
  }
};

QTEST_APPLESS_MAIN(TestCauses)
#include "test_causes.moc"
