// The models, without a window: look-ups, keys, tables, timelines, findings.
#include "tests/app/inspect_sample.h"
#include "tests/explain/sample_run.h"

#include "app/models/edit_lines.h"
#include "app/models/facts.h"
#include "app/models/findings.h"
#include "app/models/graph_plan.h"
#include "app/models/inspector.h"
#include "app/models/keys.h"
#include "app/models/line_marks.h"
#include "app/models/navigator_model.h"
#include "app/models/selection.h"
#include "app/models/source_lines.h"
#include "app/models/text.h"
#include "app/models/trace_counts.h"
#include "app/models/traces_model.h"
#include "tests/session/records.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace footlight;
using namespace footlight::app;

class ModelsTest : public QObject {
  Q_OBJECT

 private:
  const SampleRun run_ = sample_run();
  const Document& d_ = run_.document;
  const SampleStore store_{run_};

  InspectorContent inspected(const Selection& selection) const { return inspect_with_facts(d_, store_, selection); }

 private Q_SLOTS:
  void document_looks_up() {
    QCOMPARE(d_.place({CodeId(1), 9}).line, 9);
    QVERIFY(!d_.place({CodeId(77), 9}));
    QCOMPARE(d_.place_text(d_.place({CodeId(1), 17})), QStringLiteral("train.py:17"));
    QCOMPARE(d_.line_text(d_.place({CodeId(1), 9})), QStringLiteral("    return h * lr"));
    QCOMPARE(d_.traces_of(FunctionId(1)).size(), size_t{6});
    QCOMPARE(d_.calls_of(TraceId(10)).calls, uint64_t{4});
    QCOMPARE(d_.trace_of_graph(GraphId(100))->id, TraceId(10));
    QVERIFY(d_.node(GraphId(10), 3));
    QVERIFY(!d_.node(GraphId(10), 999));
    QVERIFY(!d_.node(GraphId(999), 0));
  }

  // Tracing that failed leaves no graph: no link leads to one.
  void links_lead_to_graphs_that_exist() {
    SampleRun run = sample_run();
    Document& d = run.document;
    d.add(session::FunctionRecord{FunctionId(7), "late", session::FileId(1), 15, 14, {}});
    const auto links = [&](const Selection& s) {
      std::map<QString, Selection> all;
      for (const InspectorLink& l : inspect(d, s, nullptr).links) all[l.text] = l.target;
      return all;
    };
    session::TraceRecord failed = trace_of(TraceId(701), FunctionId(7), 1);
    failed.error = "ValueError: no";
    d.add(failed);
    const QString show = QStringLiteral("Show the graph"), compare = QStringLiteral("Compare graphs");
    QVERIFY(!links(Selection::of_function(d, FunctionId(7))).contains(show));
    QVERIFY(!links(Selection::of_trace(d, TraceId(701))).contains(show));
    QVERIFY(!links(Selection::of_trace(d, TraceId(701))).contains(compare));
    d.add(trace_of(TraceId(702), FunctionId(7), 2, GraphId(100)));
    QCOMPARE(links(Selection::of_function(d, FunctionId(7))).at(show).trace, TraceId(702));
    QVERIFY(links(Selection::of_trace(d, TraceId(702))).contains(compare));
  }

  void counts_in_notes_have_commas() {
    QCOMPARE(readable_note("ran in Python, 3000000 iterations"), std::string("ran in Python, 3,000,000 iterations"));
    QCOMPARE(readable_note("unrolled into 1234 copies"), std::string("unrolled into 1,234 copies"));
    QCOMPARE(readable_note("unrolled into 256 copies"), std::string("unrolled into 256 copies"));
    QCOMPARE(readable_note("line 12345 of f1000"), std::string("line 12345 of f1000"));
    Document d = run_.document;
    d.decisions.push_back({TraceId(10), session::FileId(1), 8, "for", "python", "ran in Python, 3000000 iterations"});
    QCOMPARE(ways_in(d, session::FileId(1), FunctionId()).at(8).front().note,
             std::string("ran in Python, 3,000,000 iterations"));
  }

  void key_diff_opens_only_what_differs() {
    const KeyDiff diff = diff_keys(d_.trace(TraceId(10)), *d_.trace(TraceId(12)));
    QCOMPARE(diff.leaves, 3);
    QCOMPARE(diff.differing, 1);
    int lit = 0;
    for (int i : visible_rows(diff)) {
      const KeyRow& row = diff.rows[static_cast<size_t>(i)];
      if (!row.leaf || !row.differs) continue;
      ++lit;
      QCOMPARE(row.label, QStringLiteral("[1] lr"));
      QCOMPARE(row.left, QStringLiteral("float 0.1"));
      QCOMPARE(row.right, QStringLiteral("float 0.03333333333333333"));
    }
    QCOMPARE(lit, 1);
    // Captures are there, and collapsed.
    QVERIFY(std::any_of(diff.rows.begin(), diff.rows.end(),
                        [](const KeyRow& r) { return r.label == QStringLiteral("captures") && !r.open; }));
  }

  // Anything quadratic, in functions times traces or lines times statements, would not finish here.
  void large_and_odd_documents_are_shown() {
    constexpr uint32_t kFunctions = 40'000, kTraces = 80'000;
    Document d;
    d.add(session::FileRecord{session::FileId(1), "a.py", std::string(50'000, '\n')});
    for (uint32_t i = 0; i < kFunctions; ++i) {
      d.add(session::FunctionRecord{FunctionId(i), "f" + std::to_string(i), session::FileId(1), 1, 1, {"x"}});
      session::GeneratedRecord g;
      g.function = FunctionId(i);
      g.code = CodeId(i);
      g.name = "f" + std::to_string(i);
      g.file = session::FileId(1);
      g.statements = {{INT32_MIN, INT32_MAX, "if", "staged", ""}, {5, 5, "call", "python", "a note"}};
      d.add(g);
    }
    for (uint32_t i = 0; i < kTraces; ++i)
      d.add(trace_of(TraceId(i), FunctionId(i % kFunctions), static_cast<int>(kTraces - i), GraphId(1)));
    NavigatorModel model;
    model.set_document(&d);
    QCOMPARE(model.rowCount(model.index_of_run()), static_cast<int>(kFunctions));
    QCOMPARE(model.rowCount(model.index_of(FunctionId(7))), 2);
    // Ordered by number; a record that comes again moves its trace to the function that it names.
    QCOMPARE(d.traces_of(FunctionId(7)).front()->id, TraceId(kFunctions + 7));
    session::TraceRecord moved = *d.trace(TraceId(7));
    moved.function = FunctionId(8);
    d.add(moved);
    d.add(moved);
    QCOMPARE(d.traces_of(FunctionId(7)).size(), size_t{1});
    QCOMPARE(d.traces_of(FunctionId(8)).size(), size_t{3});
    const std::vector<CodeLine> lines = file_lines(d, session::FileId(1));
    QCOMPARE(lines.size(), size_t{50'000});
    QCOMPARE(lines[3].fate, QStringLiteral("staged"));
    QCOMPARE(lines[4].fate, QStringLiteral("python"));
    QCOMPARE(lines[4].note, QStringLiteral("a note"));
    QCOMPARE(function_lines(d, d.generated[3], {}).front().number, 1);
    // All traces share one graph, which contains many others.
    session::GraphRecord g;
    g.id = GraphId(1);
    g.nodes.emplace_back();
    for (uint32_t i = 2; i < 30'000; ++i) {
      g.nodes[0].functions.push_back({"body", GraphId(i)});
      session::GraphRecord inner;
      inner.id = GraphId(i);
      d.add(inner);
    }
    d.add(g);
    QCOMPARE(d.trace_of_graph(GraphId(29'999))->id, TraceId(0));
    QCOMPARE(d.graphs_of_trace(TraceId(5)).size(), size_t{29'999});
    // Wide keys and deep paths.
    session::TraceRecord wide;
    std::string deep = "args";
    for (int i = 0; i < 200'000; ++i) deep += ".a";
    for (int i = 0; i < 50'000; ++i)
      wide.key.push_back({"args[" + std::to_string(i) + "]", "p" + std::to_string(i), "literal", "int", "", "1"});
    wide.key.push_back({deep, "deep", "literal", "int", "", "1"});
    const KeyDiff diff = diff_keys(nullptr, wide);
    QCOMPARE(diff.leaves, 50'001);
    QVERIFY(std::max_element(diff.rows.begin(), diff.rows.end(), [](const KeyRow& a, const KeyRow& b) {
              return a.depth < b.depth;
            })->depth < 100);
  }

  void weak_types_show() {
    const session::KeyLeaf weak{"args[0]", "size", "tensor", "float32", "", "weak type"};
    session::KeyLeaf strong = weak;
    strong.value.clear();
    QCOMPARE(leaf_text(weak), QStringLiteral("Tensor weak f32[]"));
    QCOMPARE(leaf_short(weak), QStringLiteral("weak f32[]"));
    QCOMPARE(leaf_short(strong), QStringLiteral("f32[]"));
  }

  void key_paths_nest() {
    session::TraceRecord a, b;
    a.key = {{"args[0]['w.x'][1]", "batch", "tensor", "float32", "2,3", ""},
             {"args[0]['b']", "batch", "literal", "int", "", "1"}};
    b.key = {{"args[0]['w.x'][1]", "batch", "tensor", "float32", "2,4", ""}};
    const KeyDiff diff = diff_keys(&a, b);
    QCOMPARE(diff.differing, 2);
    QVERIFY(std::any_of(diff.rows.begin(), diff.rows.end(), [](const KeyRow& r) {
      return r.label == QStringLiteral("['w.x']") && r.open && r.depth == 2;
    }));
    QVERIFY(std::any_of(diff.rows.begin(), diff.rows.end(), [](const KeyRow& r) {
      return r.left == QStringLiteral("int 1") && r.right.isEmpty();
    }));
  }

  void traces_table() {
    TracesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_function(&d_, FunctionId(1));
    QCOMPARE(model.rowCount(), 6);
    QCOMPARE(model.columnCount(), 8);
    QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("lr"));
    QCOMPARE(model.index(2, 2).data().toString(), QString::fromUtf8("0.0333…"));
    QVERIFY(model.index(2, 2).data(TracesModel::kDiffers).toBool());
    QVERIFY(!model.index(2, 1).data(TracesModel::kDiffers).toBool());
    QVERIFY(!model.index(0, 2).data(TracesModel::kDiffers).toBool());
    QCOMPARE(model.index(0, 7).data().toString(), QStringLiteral("First call"));
    QCOMPARE(model.index(1, 7).data().toString(), QStringLiteral("value of lr"));
    QCOMPARE(model.index(0, 5).data().toString(), QStringLiteral("4"));
  }

  void traces_table_grows() {
    Document d = sample_document();
    TracesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_function(&d, FunctionId(1));
    session::TraceRecord more = *d.trace(TraceId(10));
    more.id = TraceId(30);
    more.number = 7;
    d.add(more);
    model.refresh();
    QCOMPARE(model.rowCount(), 7);
  }

  void strip_folds_hits() {
    const auto every = call_strip(d_, store_->calls().runs(FunctionId(1), true, {}));
    const auto folded = call_strip(d_, store_->calls().runs(FunctionId(1), false, {}));
    QCOMPARE(every.size(), size_t{24});
    QCOMPARE(folded.size(), size_t{12});
    QCOMPARE(folded[1].count, size_t{3});
    QCOMPARE(folded[2].number, 2);
    QVERIFY(calls_summary(d_, FunctionId(1)).startsWith(QString::fromUtf8("24 calls · 18 hits · 6 traces")));
  }

  void failed_and_creating_traces_are_counted_apart() {
    Document d = sample_document();
    session::TraceRecord more = *d.trace(TraceId(10));
    more.id = TraceId(30), more.number = 7, more.reason = session::TraceReason::kVariableCreation;
    d.add(more);
    more.id = TraceId(31), more.number = 8, more.reason = session::TraceReason::kCall;
    more.nearest = TraceId(30), more.why.clear();
    d.add(more);
    QCOMPARE(reason_text(more), QStringLiteral("Same call, with the variables made"));
    more.id = TraceId(32), more.number = 9, more.error = "ValueError: no";
    d.add(more);
    const QString said = calls_summary(d, FunctionId(1));
    const QString counts = QString::fromUtf8("8 traces, 1 of them to create variables · 1 failed trace");
    QVERIFY2(said.contains(counts), qPrintable(said));
    QCOMPARE(counted_traces(counts_of(d.traces_of(FunctionId(1)))), QStringLiteral("8 traces, 1 failed"));
    // 24 calls: 18 hits and 6 that traced, of which one made two traces.
    QVERIFY2(said.contains(QString::fromUtf8("18 hits · 6 that traced · 8 traces")), qPrintable(said));
    // What was requested was traced outside of the calls.
    session::TraceRecord requested = more;
    requested.id = TraceId(33), requested.error.clear(), requested.reason = session::TraceReason::kGetConcreteFunction;
    requested.start_ns = 1'000'000'000'000, requested.end_ns = requested.start_ns + 2'000'000;
    d.add(requested);
    const QString outside = calls_summary(d, FunctionId(1));
    QVERIFY2(outside.endsWith(QStringLiteral("tracing outside of calls took 2.00 ms")), qPrintable(outside));
    QCOMPARE(outside.section(QStringLiteral("tracing took"), 1, 1).section(QStringLiteral(" in calls"), 0, 0),
             said.section(QStringLiteral("tracing took"), 1, 1).section(QStringLiteral(" in calls"), 0, 0));
    // A retrace is what a call made after a first trace that a call made.
    std::unordered_map<int, CodeLine> before, after;
    const Document without = sample_document();
    mark_lines(without, {}, session::FileId(1), before);
    mark_lines(d, {}, session::FileId(1), after);
    const int line = d.place(more.source).line;
    QVERIFY(before[line].note.contains(QStringLiteral("retraced here 5 times")));
    QVERIFY2(after[line].note.contains(QStringLiteral("retraced here 6 times")), qPrintable(after[line].note));
  }

  void navigator() {
    NavigatorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_document(&d_);
    const QModelIndex run = model.index_of_run();
    QCOMPARE(model.rowCount(run), 2);
    QCOMPARE(model.index(0, 0, run).data().toString(), QStringLiteral("train_step"));
    QCOMPARE(model.index(0, 0, run).data(NavigatorModel::kColour).toString(), QStringLiteral("amber"));
    const QModelIndex third = model.index_of(FunctionId(1), TraceId(12));
    QCOMPARE(third.row(), 2);
    // The label shows only what tells the traces apart.
    QCOMPARE(third.data().toString(), QString::fromUtf8("#3  0.0333…"));
    Document d = sample_document();
    model.set_document(&d);
    session::FunctionRecord more = d.functions.front();
    more.id = FunctionId(9);
    more.name = "another";  // with the same name it would be the same row
    d.add(more);
    model.refresh();
    QCOMPARE(model.rowCount(model.index_of_run()), 3);
    // Only the run, and functions that have changed, are said to be looked at again.
    int changes = 0;
    connect(&model, &QAbstractItemModel::dataChanged, this, [&] { ++changes; });
    model.refresh();
    QCOMPARE(changes, 1);
    const auto failing = std::find_if(d.traces.begin(), d.traces.end(),
                                      [](const session::TraceRecord& t) { return t.id == TraceId(12); });
    failing->error = "failed";
    model.refresh();
    QVERIFY(changes > 2);
    QCOMPARE(model.index(0, 0, model.index_of_run()).data(NavigatorModel::kColour).toString(), QStringLiteral("red"));
  }

  // A loop makes functions of one line.
  void many_functions_of_one_line() {
    Document d = sample_document();
    const session::FunctionRecord first = *d.function(FunctionId(2));
    session::TraceRecord trace = d.traces.front();
    std::unordered_map<int, CodeLine> notes;
    mark_lines(d, {}, first.file, notes);
    QCOMPARE(notes[first.line].note, QStringLiteral("traced once"));
    for (uint32_t i = 0; i < 20'000; ++i) {
      session::FunctionRecord more = first;
      more.id = FunctionId(1000 + i);
      d.add(more);
      trace.id = TraceId(1000 + i);
      trace.function = more.id;
      trace.number = 1;
      d.add(trace);
    }
    notes.clear();
    mark_lines(d, {}, first.file, notes);
    QCOMPARE(notes[first.line].note, QStringLiteral("traced 20,001 times, as 20,001 functions"));
    QCOMPARE(notes[first.line].tone, QStringLiteral("dim"));
  }

  void selection_links() {
    const Selection node = Selection::of_node(d_, GraphId(10), 3);
    QCOMPARE(node.trace, TraceId(10));
    QCOMPARE(place_of(d_, node).line, 6);
    const session::GeneratedRecord& code = d_.generated.front();
    QCOMPARE(generated_lines_of(d_, node, code), std::vector<int>{2});
    Selection line = Selection::of_line(d_, {session::FileId(1), 7});
    QCOMPARE(line.function, FunctionId(1));
    QCOMPARE(nodes_of(d_, line, GraphId(10)), (std::vector<uint32_t>{5, 6, 7, 8}));
    QCOMPARE(generated_lines_of(d_, line, code), (std::vector<int>{3, 5}));
    size_t belonging = 0;
    store_->visit(filter_of(*store_, node), INT64_MIN, INT64_MAX, {}, [&](const query::OpEventRow& op) {
      ++belonging;
      return op.op == OpId(0);
    });
    QCOMPARE(belonging, size_t{4});
    // From a selection to its bar, and back.
    for (const Selection& s :
         {node, event_selection(d_, store_, 7), Selection::of_call(d_, run_.calls[3]),
          Selection::of_trace(d_, TraceId(12)), Selection::of_line(d_, {session::FileId(1), 16})}) {
      const auto bar = find_bar(*store_, s, {});
      QVERIFY(bar.has_value());
      const BarFacts facts = find_bar_facts(*store_, *bar);
      if (s.kind == Selection::Kind::kEvent) QCOMPARE(facts.op->row, uint64_t{7});
      if (s.kind == Selection::Kind::kCall) QVERIFY(facts.call->id == s.call && !facts.op);
      if (s.kind == Selection::Kind::kTrace) QVERIFY(facts.call->outcome == CallOutcome::kTrace);
      if (s.kind == Selection::Kind::kNode) QCOMPARE(facts.op->node.value, 3u);
      if (s.kind == Selection::Kind::kLine) QVERIFY(!facts.op->node.valid());
    }
    QVERIFY(!find_bar(*store_, Selection::of_node(d_, GraphId(10), 999), {}));
    const Selection generated = Selection::of_generated(d_, code, 6);
    QCOMPARE(generated.place.line, 9);
  }

  void history() {
    SelectionModel model;
    model.select(Selection::of_trace(d_, TraceId(10)));
    model.select(Selection::of_node(d_, GraphId(10), 3));
    model.select(Selection::of_line(d_, {session::FileId(1), 16}));
    // A line outside of all functions is shown within the trace that was selected.
    QCOMPARE(model.current().trace, TraceId(10));
    QVERIFY(model.can_go_back() && !model.can_go_forward());
    model.back();
    QCOMPARE(model.current().kind, Selection::Kind::kNode);
    model.back();
    QCOMPARE(model.current().kind, Selection::Kind::kTrace);
    model.back();
    QCOMPARE(model.current().kind, Selection::Kind::kTrace);
    model.forward();
    model.select(Selection::of_trace(d_, TraceId(11)));
    QVERIFY(!model.can_go_forward());
  }

  void graph_boxes() {
    const GraphOptions options = default_options(d_, GraphId(10));
    QVERIFY(options.opened.contains(QStringLiteral("cond")));
    const GraphPlan plan = plan_graph(d_, GraphId(10), options);
    QCOMPARE(plan.areas.size(), size_t{3});
    QCOMPARE(plan.areas[1].title, QStringLiteral("then"));
    QCOMPARE(plan.areas[1].detail, QStringLiteral("line 8"));
    const int cond = plan.box_of(GraphId(10), 8);
    QCOMPARE(plan.boxes[static_cast<size_t>(cond)].bodies.size(), size_t{2});
    // The captured variable is shown by its name.
    QCOMPARE(plan.boxes[static_cast<size_t>(plan.box_of(GraphId(10), 1))].title, QStringLiteral("w"));
    QCOMPARE(plan.boxes[static_cast<size_t>(plan.box_of(GraphId(10), 1))].subtitle,
             QStringLiteral("f32[8,16]  variable"));
    GraphOptions hide;
    hide.hide_constants = true;
    const GraphPlan less = plan_graph(d_, GraphId(10), hide);
    QCOMPARE(less.hidden, size_t{2});
    QCOMPARE(less.box_of(GraphId(10), 6), -1);
    QCOMPARE(less.areas.size(), size_t{1});
  }

  void scopes_fold() {
    Document d;
    d.add(layered_graph(GraphId(1), 60));
    const GraphOptions options = default_options(d, GraphId(1));
    const GraphPlan folded = plan_graph(d, GraphId(1), options);
    QCOMPARE(folded.boxes.size(), size_t{61});
    QCOMPARE(folded.edges.size(), size_t{60});
    QCOMPARE(folded.boxes[1].subtitle, QStringLiteral("3 nodes"));
    GraphOptions one = options;
    one.folded.remove(QStringLiteral("layer_3/"));
    const GraphPlan open = plan_graph(d, GraphId(1), one);
    QCOMPARE(open.boxes.size(), size_t{63});
    QCOMPARE(open.clusters.size(), size_t{1});
  }

  void source_fates() {
    const auto lines = function_lines(d_, d_.generated.front(), TraceId(10));
    QCOMPARE(lines.front().number, 4);
    QCOMPARE(lines.front().text, QStringLiteral("@tf.function"));
    const auto at = std::find_if(lines.begin(), lines.end(), [](const CodeLine& l) { return l.number == 7; });
    QVERIFY(at != lines.end());
    QCOMPARE(at->fate, QStringLiteral("staged"));
    QVERIFY(at->note.contains(QStringLiteral("both branches")));
    QCOMPARE(file_lines(d_, session::FileId(1)).size(), size_t{18});
    QCOMPARE(generated_lines(d_.generated.front()).size(), size_t{6});
    QCOMPARE(snippet(d_, {session::FileId(1), 17}, 1).size(), size_t{3});
  }

  // What a hit takes is a median with its spread; how much of it is recording, a comparison knows.
  void a_hit_is_as_recorded_and_says_so() {
    SampleRun run = sample_run();
    run.calls[1].end_ns += 700'000;
    const SampleStore store(run);
    Document& d = run.document;
    const auto said = [&](const Selection& s) { return as_markdown(inspect_with_facts(d, store, s)); };
    const QString plain = said(Selection::of_trace(d, TraceId(10)));
    QVERIFY2(plain.contains(QStringLiteral("Per hit: `100 us median, 100 us to 800 us in all 3`")),
             qPrintable(plain));
    QVERIFY(plain.contains(QStringLiteral("Recording adds: `Not measured; Compare measures it`")));
    QVERIFY(said(Selection::of_function(d, FunctionId(1))).contains(QStringLiteral("Per hit: `100 us median")));
    explain::Comparison measured;
    measured.function = FunctionId(1), measured.trace = TraceId(10);
    measured.pairs = 50, measured.pairs_with_events = 10;
    measured.traced.total.mean = 1540;
    measured.traced.recording = 800;  // what events add to a repetition, which the recorder never sees
    d.comparisons.push_back(std::make_shared<const explain::Comparison>(measured));
    const QString with = said(Selection::of_trace(d, TraceId(10)));
    // 100 us - 1.54 us, both of this page.
    QVERIFY2(with.contains(QStringLiteral("Recording adds: `98.5 us, by this median`")), qPrintable(with));
    QVERIFY2(with.contains(QStringLiteral("Unrecorded: `1.54 us, in Compare`")), qPrintable(with));
    // The hits of the function are those of all its traces.
    const QString of_function = said(Selection::of_function(d, FunctionId(1)));
    QVERIFY2(of_function.contains(QStringLiteral("Recording adds: `Known for #1: see that trace`")),
             qPrintable(of_function));
    QVERIFY2(of_function.contains(QStringLiteral("Unrecorded: `1.54 us, in Compare of #1`")), qPrintable(of_function));
    QVERIFY(said(Selection::of_trace(d, TraceId(11))).contains(QStringLiteral("Not measured")));
  }

  void inspector_says() {
    const InspectorContent node = inspected(Selection::of_node(d_, GraphId(10), 4));
    QCOMPARE(node.title, QStringLiteral("Relu"));
    QVERIFY(as_markdown(node).contains(QStringLiteral("Inputs: `MatMul`")));
    QVERIFY(as_markdown(node).contains(QStringLiteral("Took: `4.00 us a run, the median`")));
    QVERIFY(as_markdown(node).contains(QStringLiteral("Ran: `4 times`")));
    const InspectorContent trace = inspected(Selection::of_trace(d_, TraceId(12)));
    QCOMPARE(trace.title, QStringLiteral("Trace #3"));
    QVERIFY(as_markdown(trace).contains(QStringLiteral("Made by: `train.py:17`")));
    QVERIFY(as_markdown(trace).contains(QStringLiteral("Called: `4 times`")));
    const InspectorContent line = inspected(Selection::of_line(d_, {session::FileId(1), 17}));
    QVERIFY(as_markdown(line).contains(QStringLiteral("Traced calls: `24`")));
    const InspectorContent eager = inspected(Selection::of_line(d_, {session::FileId(1), 16}));
    QVERIFY(as_markdown(eager).contains(QStringLiteral("Ops outside graphs: `6  18.0 us`")));
    const InspectorContent call = inspected(Selection::of_call(d_, run_.calls[5]));
    QCOMPARE(call.title, QStringLiteral("Call 6"));
    QCOMPARE(call.tag, QStringLiteral("Hit"));
    QVERIFY(as_markdown(call).contains(QStringLiteral("Op events: `4  27.0 us`")));
    QCOMPARE(inspected(Selection::of_call(d_, run_.calls[0])).tag, QStringLiteral("Traced"));
    const InspectorContent ran = inspected(event_selection(d_, store_, 0));
    QCOMPARE(ran.title, QStringLiteral("MatMul"));
    uint64_t counted_ops = 0;
    for (const auto& [ns, times] : ran.histogram) counted_ops += times;
    QCOMPARE(counted_ops, uint64_t{24});
    QCOMPARE(ran.histogram_least, 15'000);
    Selection nothing = event_selection(d_, store_, 0);
    nothing.row = 100'000;
    QVERIFY(inspected(nothing).title.isEmpty());
    // Without facts yet, and with the facts of another selection.
    const SelectionFacts other = find_facts(*store_, Selection::of_call(d_, run_.calls[5]), {});
    QVERIFY(inspect(d_, Selection::of_call(d_, run_.calls[6]), &other).title.isEmpty());
    const QString before = as_markdown(inspect(d_, Selection::of_node(d_, GraphId(10), 4), nullptr));
    QVERIFY(!before.contains(QStringLiteral("ran:")));
    QVERIFY(!inspected(Selection{}).title.isEmpty());
  }

  // Two lines that are far apart change: what lies between is left out, and the patch has two parts.
  void an_edit_of_two_places() {
    QString was, is;
    for (int i = 1; i <= 12; ++i) {
      was += QStringLiteral("    line %1\n").arg(i);
      is += i == 2 ? QStringLiteral("    two\n    more\n") : QStringLiteral("    %2 %1\n").arg(i).arg(
                         i == 11 ? QStringLiteral("last") : QStringLiteral("line"));
    }
    const std::vector<EditLine> lines = dedented(edit_lines(was, is));
    QStringList shown;
    for (const EditLine& line : lines)
      shown << QStringLiteral("%1%2%3").arg(QLatin1Char(line.kind)).arg(line.number).arg(QLatin1Char(' ') + line.text);
    QCOMPARE(shown, (QStringList{QStringLiteral(" 1 line 1"), QStringLiteral("-2 line 2"), QStringLiteral("+2 two"),
                                 QStringLiteral("+3 more"), QStringLiteral(" 3 line 3"), QStringLiteral(" 4 line 4"),
                                 QString::fromUtf8(" 0 ⋯"), QStringLiteral(" 9 line 9"), QStringLiteral(" 10 line 10"),
                                 QStringLiteral("-11 line 11"), QStringLiteral("+12 last 11"),
                                 QStringLiteral(" 12 line 12"), QStringLiteral(" 13 ")}));
    const QString patch = as_patch(QStringLiteral("/a.py"), edit_lines(was, is));
    QVERIFY(patch.contains(QStringLiteral("\n@@ -1,4 +1,5 @@\n")));
    QVERIFY(patch.contains(QStringLiteral("\n@@ -9,5 +10,5 @@\n")));
  }

  void finds_the_changing_number() {
    const auto cards = findings_of(d_).cards;
    QCOMPARE(cards.size(), size_t{1});
    QCOMPARE(cards[0].title, QStringLiteral("lr is a Python number that changes"));
    QCOMPARE(cards[0].place_text, QStringLiteral("train.py:17"));
    // The sample has no raw keys, so the finding is not marked as checked.
    QVERIFY(!cards[0].checked);
    QVERIFY(cards[0].check.startsWith(QStringLiteral("Not verified: ")));
    // With few values it counts as a choice, not as a number that changes.
    Document few = sample_document();
    few.traces.resize(3);
    QCOMPARE(findings_of(few).cards.size(), size_t{0});
    // Nor is it a finding when the graphs all differ in structure.
    Document other = sample_document();
    for (size_t i = 0; i < other.graphs.size(); ++i) {
      auto& nodes = other.graphs[i].nodes;
      nodes.resize(nodes.size() - std::min(nodes.size(), i));
    }
    QCOMPARE(findings_of(other).cards.size(), size_t{0});
    Document failed = sample_document();
    session::TraceRecord t = *failed.trace(TraceId(20));
    t.error = "TypeError: no";
    failed.add(t);
    QCOMPARE(findings_of(failed).cards.size(), size_t{2});
    QCOMPARE(findings_of(failed).cards[0].tone, QStringLiteral("red"));
  }

  void what_a_replay_confirmed_is_called_checked() {
    explain::SampleRun run({"x", "lr"});
    for (int i = 0; i < 6; ++i) run.call(explain::batch_and_rate(32, i), explain::scaled(std::to_string(i)));
    Document d;
    for (const auto& f : run.functions) d.add(f);
    for (const auto& t : run.traces) d.add(t);
    for (const auto& g : run.graphs) d.add(g);
    d.distinct_calls = run.calls;
    d.keys = run.keys;
    const auto cards = findings_of(d).cards;
    QCOMPARE(cards.size(), size_t{1});
    QVERIFY(cards[0].checked);
    QCOMPARE(cards[0].check, QStringLiteral("Replayed: saves 5 of 6 traces, 5.00 us"));
  }

  void shapes_that_vary() {
    Document d;
    d.add(session::FunctionRecord{FunctionId(1), "f", session::FileId(1), 2, 1, {"x"}});
    for (uint32_t i = 0; i < 6; ++i) {
      session::TraceRecord t =
          trace_of(TraceId(i), FunctionId(1), static_cast<int>(i) + 1, GraphId(i), 100 + i, 1100 + i);
      t.key = {{"args[0]", "x", "tensor", "float32", std::to_string(10 + i) + ",4", ""}};
      d.add(layered_graph(t.graph(), 1));
      d.add(t);
      d.distinct_calls.push_back(call_of(CallId(i), FunctionId(1), t.id, CallOutcome::kTrace));
    }
    const auto cards = findings_of(d).cards;
    QCOMPARE(cards.size(), size_t{1});
    QCOMPARE(cards[0].title, QStringLiteral("x has 6 different shapes"));
    QCOMPARE(cards[0].fix, QStringLiteral("tf.TensorSpec([None, 4], tf.float32)"));
  }
};

QTEST_GUILESS_MAIN(ModelsTest)
#include "test_models.moc"
