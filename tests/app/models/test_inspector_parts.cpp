// What the inspector says of lines, traces and nodes, and the fates of lines in one trace; without a window.
#include "tests/app/sample.h"

#include "app/models/callers.h"
#include "app/models/inspector_parts.h"
#include "app/models/keys.h"
#include "app/models/layer_costs.h"
#include "app/models/layer_names.h"
#include "app/models/line_fates.h"
#include "app/models/lines_run.h"
#include "app/models/phases.h"
#include "app/models/text.h"

#include "engine/session/writer.h"
#include "engine/sql/recording.h"
#include "tests/session/records.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

using namespace footlight;
using namespace footlight::app;

class InspectorPartsTest : public QObject {
  Q_OBJECT

 private:
  static const InspectorGroup* group(const InspectorContent& content, const QString& title) {
    const auto at = std::find_if(content.groups.begin(), content.groups.end(),
                                 [&](const InspectorGroup& g) { return g.title == title; });
    return at == content.groups.end() ? nullptr : &*at;
  }
  static QString value(const InspectorGroup& g, const QString& label) {
    for (const InspectorRow& r : g.rows) {
      if (r.label == label) return r.value;
    }
    return {};
  }
  static InspectorContent said(const SampleRun& run, const Selection& selection) {
    const SampleStore store(run);
    const SelectionFacts facts = find_facts(*store, selection, query::Cancel());
    const query::LineSums lines = query::line_sums(store->reader(), {}, query::Cancel());
    return inspect(run.document, selection, &facts, &lines);
  }
  static int64_t sql_number(const SampleRun& run, const char* statement) {
    const SampleStore store(run);
    sql::Recording recording(store->reader());
    int64_t number = -1;
    recording.run(statement, {[](const auto&) {}, [&](std::span<const sql::Value> values) {
                                number = values.front().integer;
                                return true;
                              }});
    return number;
  }

 private Q_SLOTS:
  void frames_of_keras_are_folded() {
    Document document;
    for (const auto& [id, path] : {std::pair{1, "/home/me/fit.py"},
                                   std::pair{2, "/venv/lib/python3.11/site-packages/keras/src/trainer.py"}}) {
      session::FileRecord file;
      file.id = session::FileId(static_cast<uint32_t>(id));
      file.path = path;
      document.add(file);
    }
    const auto frame = [](const char* name, uint32_t file, int line) {
      return CallerFrame{name, {session::FileId(file), line}};
    };
    const InspectorGroup group = callers_group(
        document, {frame("dot", 2, 5), frame("call", 2, 9), frame("my_layer", 1, 3), frame("fit", 2, 40),
                   frame("main", 1, 12)});
    QCOMPARE(group.rows.size(), size_t{4});
    QCOMPARE(group.rows[0].value, QStringLiteral("2 lines"));
    QCOMPARE(group.rows[0].inner.size(), size_t{2});
    QCOMPARE(group.rows[0].inner[1].value, QStringLiteral("trainer.py:9"));
    QCOMPARE(group.rows[1].value, QStringLiteral("fit.py:3"));
    QVERIFY(group.rows[2].inner.empty() && group.rows[2].link);  // a single line needs no folding
    QCOMPARE(group.rows[3].label, QStringLiteral("main"));
  }
  void layers_of_keras_have_their_costs() {
    SampleRun run = sample_run();
    Document& d = run.document;
    QVERIFY(find_layers(*SampleStore(run), FunctionId(1), {}, {}).empty());
    // A model was called, and in it a layer, which made the nodes.
    const auto add_place = [&](uint32_t id, std::optional<uint32_t> caller, const char* name) {
      d.add(location_of(session::LocationId(id), session::FileId(1), 6,
                        caller ? session::LocationId(*caller) : session::LocationId(), name));
    };
    add_place(0, {}, "train_step");
    add_place(1, 0, "Layer.__call__");
    add_place(2, 1, "Sequential.call");
    add_place(3, 2, "Layer.__call__");
    add_place(4, 3, "Dense.call");
    session::GraphRecord g = *d.graph(GraphId(10));
    const auto rename = [&](size_t i, const char* name, uint32_t location) {
      g.nodes[i].name = name;
      g.nodes[i].location = session::LocationId(location);
    };
    rename(2, "net/dense/ReadVariableOp", 4);
    rename(3, "net/dense/MatMul", 4);
    rename(4, "net/dense/inner/Relu", 4);
    rename(5, "net/Sum", 2);
    g.nodes[10].op = "ReluGrad";
    g.nodes[10].inputs = {{8, 0}, {4, 0}};
    d.add(g);
    const SampleStore store(run);
    const std::vector<LayerCost> layers = find_layers(*store, {}, TraceId(10), {});
    QCOMPARE(layers.size(), size_t{3});
    QCOMPARE(layers[0].name, std::string("net/dense"));
    QCOMPARE(layers[0].nodes, uint64_t{3});
    QCOMPARE(layers[0].forward.total, int64_t{4 * (15'000 + 4'000)});  // in four calls
    QCOMPARE(layers[0].backward.total, int64_t{4 * 4'000});
    QCOMPARE(layers[0].parameters, uint64_t{8 * 16});
    QCOMPARE(layers[0].parameter_bytes, uint64_t{8 * 16 * 4});
    QCOMPARE(layers[1].name, std::string("net"));
    QCOMPARE(layers[1].forward.total, int64_t{4 * 4'000});
    QVERIFY(layers[2].name.empty());
    // Every op of the trace is in one sum.
    int64_t sum = 0;
    for (const LayerCost& layer : layers) sum += layer.total_ns();
    QCOMPARE(sum, sql_number(run, "SELECT sum(duration_ns) FROM ops WHERE graph_id = 10"));
    const InspectorContent shown = said(run, Selection::of_trace(d, TraceId(10)));
    const InspectorGroup* rows = group(shown, QStringLiteral("Layers, time in all calls"));
    QVERIFY(rows);
    QCOMPARE(rows->rows[0].label, QStringLiteral("dense"));
    QCOMPARE(rows->rows[0].value, duration_text(4 * 23'000));
    QVERIFY(rows->rows[0].inner.size() >= 4);
    QVERIFY(group(said(run, Selection::of_function(d, FunctionId(1))), QStringLiteral("Layers, time in all calls")));
  }
  // Each scope's name is that of the layer whose variable it reads; two calls of one layer are one.
  void layers_have_the_names_of_their_variables() {
    session::GraphRecord g;
    session::TraceRecord t;
    std::vector<std::string> scopes;
    const auto reads = [&](const std::string& scope, uint32_t from, const char* type) {
      session::NodeRecord n;
      n.id = static_cast<uint32_t>(g.nodes.size());
      n.op = "ReadVariableOp", n.inputs = {{from, 0}}, n.outputs = {type};
      g.nodes.push_back(n);
      scopes.push_back(scope);
    };
    const auto variable = [&](const std::string& name, const char* type) {
      session::NodeRecord n;
      n.id = static_cast<uint32_t>(g.nodes.size());
      n.op = "Placeholder", n.attributes = "_user_specified_name=resource; dtype=resource; shape=()";
      g.nodes.push_back(n);
      scopes.emplace_back();
      t.captures.push_back(name + " " + type + " variable");
      return n.id;
    };
    t.captures.push_back("x float32 (3)");
    const uint32_t gate = variable("net/gate/w:0", "float32 (20, 32)");
    reads("net_1/gate_1", gate, "float32 (20, 32)");
    reads("net_1/gate_1_2", variable("net/gate_1/w:0", "float32 (8, 4)"), "float32 (8, 4)");
    reads("net_1/gate_3", gate, "float32 (20, 32)");
    reads("net_1/inner_1/deep_1", variable("inner/deep/w:0", "float32 (4)"), "float32 (4)");
    reads("net_1/drop_1", variable("seeds/state:0", "int64 (2)"), "int64 (2)");
    const auto names = layer_names(g, t, scopes);
    for (const auto& [scope, name] : std::map<std::string, std::string>{
             {"net_1", "net"}, {"net_1/gate_1", "net/gate"}, {"net_1/gate_1_2", "net/gate_1"},
             {"net_1/gate_3", "net/gate"}, {"net_1/inner_1/deep_1", "net/inner/deep"}, {"net_1/drop_1", "net/drop"},
             {"net_1/drop_1_4", "net/drop_1"}, {"net_1/inner_1/flat_of_8", "net/inner/flat_of"}})
      QCOMPARE(named_layer(names, scope, scopes_have_numbers(names)), name);
    // Keras 2 calls a layer in its own scope at first: the number in drop_1 may be the layer's.
    const std::map<std::string, std::string> once{{"net", "net"}, {"net/gate", "gate"}, {"net/gate_1", "gate"}};
    QVERIFY(!scopes_have_numbers(once) && !scopes_have_numbers({}));
    QCOMPARE(named_layer(once, "net/drop_1", scopes_have_numbers(once)), std::string("net/drop_1"));
    // A variable that is an argument has no capture: nothing tells which placeholder stands for which.
    session::NodeRecord argument = g.nodes.front();
    argument.id = 99;
    g.nodes.insert(g.nodes.begin(), argument);
    scopes.insert(scopes.begin(), std::string());
    QVERIFY(layer_names(g, t, scopes).empty());
  }
  // a, b: layers with two ops each; the tape goes back through them in their order.
  void gradients_belong_to_the_layers_of_their_ops() {
    session::GraphRecord g;
    g.id = GraphId(1);
    const auto add = [&g](const char* op, std::vector<uint32_t> from, uint32_t line,
                          const char* output = "float32 (4)") {
      g.nodes.push_back(node_of(static_cast<uint32_t>(g.nodes.size()), "", op, from, {CodeId(1), line}));
      g.nodes.back().outputs = {output};
      return g.nodes.back().id;
    };
    const uint32_t x = add("Placeholder", {}, 1);
    const uint32_t a = add("BiasAdd", {x}, 2), a2 = add("Tanh", {a}, 2);         // layer 1
    const uint32_t b = add("Mul", {a2, a2}, 3), b2 = add("Sigmoid", {b}, 3);     // layer 2
    const uint32_t loss = add("Sum", {b2}, 4);                                   // of none
    const uint32_t first = static_cast<uint32_t>(g.nodes.size());
    const uint32_t ones = add("OnesLike", {loss}, 9);
    const uint32_t spread = add("BroadcastTo", {ones}, 9);
    const uint32_t gb2 = add("SigmoidGrad", {b2, spread}, 9);
    const uint32_t shape = add("Shape", {b}, 9, "int32 (1)");                    // what Mul gave is all that is read
    const uint32_t gb = add("Mul", {gb2, a2}, 9);
    const uint32_t back = add("Reshape", {gb, shape}, 9);
    const uint32_t ga2 = add("TanhGrad", {a2, back}, 9);
    const uint32_t cast = add("Cast", {ga2}, 9);
    const uint32_t ga = add("BiasAddGrad", {cast}, 9);
    const uint32_t update = add("Sub", {ga}, 10);
    std::vector<size_t> layer(g.nodes.size(), 0), forward(g.nodes.size(), g.nodes.size());
    layer[a] = layer[a2] = 1;
    layer[b] = layer[b2] = 2;
    forward[gb2] = b2;
    forward[ga2] = a2;
    forward[ga] = a;
    const GradientLayers found = layers_of_gradients(g, layer, forward);
    for (uint32_t i = 0; i < g.nodes.size(); ++i) QCOMPARE(bool(found.is_gradient[i]), i >= first && i != update);
    QCOMPARE(found.layer[gb2], size_t{2});
    QCOMPARE(found.layer[shape], size_t{2});
    QCOMPARE(found.layer[ga2], size_t{1});
    QCOMPARE(found.layer[cast], size_t{1});   // between two of the layer
    QCOMPARE(found.layer[ga], size_t{1});
    QCOMPARE(found.layer[ones], size_t{0});   // of the loss, or of what follows
    QCOMPARE(found.layer[spread], size_t{0});
    QCOMPARE(found.layer[back], size_t{2});   // as the shape that it takes
    QCOMPARE(found.layer[gb], size_t{2});     // both layers touch what it takes, but it is before that one
    QCOMPARE(found.layer[update], size_t{0});
    // Without the shape nothing tells, and nothing is guessed.
    g.nodes[back].inputs.pop_back();
    g.nodes[shape].inputs = {{x, 0}};
    QCOMPARE(layers_of_gradients(g, layer, forward).layer[gb], size_t{0});
  }

  void a_line_and_its_callers() {
    const SampleRun run = sample_run();
    const InspectorContent line = said(run, Selection::of_line(run.document, {session::FileId(1), 9}));
    QCOMPARE(value(line.groups.front(), QStringLiteral("Ran")), QStringLiteral("24 times, in graphs"));
    const InspectorGroup* from = group(line, QStringLiteral("Called from"));
    QVERIFY(from);
    QCOMPARE(from->rows.size(), size_t{2});
    QCOMPARE(from->rows[0].value, QStringLiteral("train.py:9"));
    QCOMPARE(from->rows[1].value, QStringLiteral("train.py:17"));
    QVERIFY(from->rows[1].link);
    QStringList links;
    for (const InspectorLink& l : line.links) links << l.text;
    QVERIFY(links.contains(QStringLiteral("Show in the timeline")) && links.contains(QStringLiteral("Open in editor")));
    // The line that calls: how many calls, and what they took beyond ops.
    const InspectorContent call = said(run, Selection::of_line(run.document, {session::FileId(1), 17}));
    QCOMPARE(value(call.groups.front(), QStringLiteral("Traced calls")), QStringLiteral("24"));
    QVERIFY(value(call.groups.front(), QStringLiteral("Outside of ops")).contains(QStringLiteral("a call")));
    // A line without instructions costs nothing, and nothing is said.
    const InspectorContent none = said(run, Selection::of_line(run.document, {session::FileId(1), 3}));
    QVERIFY(value(none.groups.front(), QStringLiteral("Ran")).isEmpty());
    QVERIFY(!group(none, QStringLiteral("Called from")));
  }

  // Where locations were recorded, the stack is theirs.
  void a_recorded_stack() {
    SampleRun run = sample_run();
    const QString path = QTemporaryDir().path() + QStringLiteral("-stack.footlight");
    auto w = session::Writer::create(path.toStdString(), run.document.run, RecordingLevel::kOps);
    w->add(run.document.files.front());
    for (uint32_t i = 0; i < 3; ++i) {
      w->add(location_of(session::LocationId(i + 1), session::FileId(1), static_cast<int>(18 - 5 * i),
                         i ? session::LocationId(i) : session::LocationId(),
                         i == 0 ? "<module>" : i == 1 ? "evaluate" : "helper"));
    }
    w->finish({});
    const auto reader = session::Reader::open(path.toStdString());
    query::Store store(*reader);
    store.index();
    const auto frames = find_callers(store, Selection::of_line(run.document, {session::FileId(1), 8}));
    QCOMPARE(frames.size(), size_t{3});
    QCOMPARE(frames[0].name, std::string("helper"));
    QCOMPARE(frames[1].place.line, 13);
    QCOMPARE(frames[2].name, std::string("<module>"));
    QFile::remove(path);
  }

  void ways_by_trace() {
    SampleRun run = sample_run();
    Document& d = run.document;
    d.decisions.clear();
    for (uint32_t t = 0; t < 6; ++t) {
      const bool yes = t != 1 && t != 4;
      const char* note = yes ? "the condition was True in Python while tracing"
                             : "the condition was False in Python while tracing";
      d.decisions.push_back({TraceId(10 + t), session::FileId(1), 7, "if", "python", note});
      d.decisions.push_back({TraceId(10 + t), session::FileId(1), 7, "if", "python", note});  // met twice
    }
    const InspectorGroup ways = ways_group(d, {session::FileId(1), 7}, TraceId(11));
    QCOMPARE(ways.rows.size(), size_t{2});
    QCOMPARE(ways.rows[0].label, QString::fromUtf8("#1, #3, #4, #6"));
    QVERIFY(ways.rows[0].value.contains(QStringLiteral("True")));
    QCOMPARE(ways.rows[1].label, QStringLiteral("#2, #5"));
    const auto lines = function_lines(d, d.generated.front(), TraceId(11));
    QCOMPARE(lines[3].note, QStringLiteral("True in #1, #3, #4, #6; False in #2, #5"));
    QCOMPARE(lines[3].tone, QStringLiteral("teal"));
    // One way in all of them.
    for (auto& decision : d.decisions) decision.note = "the condition was True in Python while tracing";
    QCOMPARE(function_lines(d, d.generated.front(), TraceId(11))[3].note, QStringLiteral("True in all 6 traces"));
  }

  void fates_of_all_lines() {
    const SampleRun run = sample_run();
    const auto lines = function_lines(run.document, run.document.generated.front(), TraceId(10));
    QCOMPARE(lines.front().number, 4);
    QVERIFY(lines[0].fate.isEmpty() && lines[1].fate.isEmpty());  // decorator and def
    QCOMPARE(lines[2].fate, QStringLiteral("staged"));
    QCOMPARE(lines[2].reason, QStringLiteral("4 nodes in trace #1"));
    QCOMPARE(lines[3].fate, QStringLiteral("staged"));
    QCOMPARE(lines[5].fate, QStringLiteral("staged"));
    // A line whose callee made nodes went into the graph, too.
    Document through = run.document;
    session::GraphRecord deeper = *through.graph(GraphId(10));
    session::LocationRecord outer, inner;
    outer.id = session::LocationId(700), outer.file = session::FileId(1), outer.line = 8, outer.qualname = "train_step";
    inner.id = session::LocationId(701), inner.caller = outer.id, inner.file = session::FileId(40), inner.line = 3;
    through.add(outer);
    through.add(inner);
    for (session::NodeRecord& n : deeper.nodes) n.location = inner.id;
    through.add(deeper);
    for (const GraphId id : through.graphs_of_trace(TraceId(10))) {
      session::GraphRecord g = *through.graph(id);
      for (session::NodeRecord& n : g.nodes)
        if (through.place(n.source).line == 8) n.source = {CodeId(999), 0};
      through.add(g);
    }
    const auto called = function_lines(through, through.generated.front(), TraceId(10));
    const auto eighth = std::ranges::find(called, 8, &CodeLine::number);
    QVERIFY(eighth != called.end());
    QCOMPARE(eighth->fate, QStringLiteral("staged"));
    // A line of the function that made no node ran in Python.
    Document d = run.document;
    session::GraphRecord graph = *d.graph(GraphId(10));
    for (session::NodeRecord& n : graph.nodes) {
      if (d.place(n.source).line == 9) n.source = {CodeId(1), 6};
    }
    d.add(graph);
    const auto other = function_lines(d, d.generated.front(), TraceId(10));
    QCOMPARE(other[5].fate, QStringLiteral("python"));
    QVERIFY(other[5].reason.contains(QStringLiteral("no nodes")));
  }

  // The shown trace took both ways, or did not come to the line at all.
  void ways_of_one_trace() {
    SampleRun run = sample_run();
    Document& d = run.document;
    d.decisions.clear();
    const char* yes = "the condition was True in Python while tracing";
    const char* no = "the condition was False in Python while tracing";
    for (const char* note : {no, yes, no})
      d.decisions.push_back({TraceId(10), session::FileId(1), 7, "if", "python", note});
    const auto note = [&](uint32_t trace) { return function_lines(d, d.generated.front(), TraceId(trace))[3].note; };
    QCOMPARE(note(10), QStringLiteral("False and True in #1"));
    d.decisions.push_back({TraceId(11), session::FileId(1), 7, "if", "python", yes});
    QCOMPARE(note(10), QStringLiteral("False and True in #1; True in #2"));
    d.decisions.clear();
    d.decisions.push_back({TraceId(11), session::FileId(1), 7, "if", "python", yes});
    QCOMPARE(note(10), QStringLiteral("True in #2"));
    QVERIFY(function_lines(d, d.generated.front(), TraceId(10))[3].tone.isEmpty());
    // It was decided in Python, on a value for which it put nodes into the graph.
    QCOMPARE(function_lines(d, d.generated.front(), TraceId(11))[3].fate, QStringLiteral("staged"));
  }

  // Each program says of each line whether it ran: + surely, - surely not, ? nobody knows; n: it made nodes;
  // T, F, S, 2: it decided True, False, staged, two iterations.
  void lines_that_did_not_run() {
    const Way yes{"python", "the condition was True in Python while tracing", {}};
    const Way no{"python", "the condition was False in Python while tracing", {}};
    const Way staged{"staged", "the condition is a tensor: both branches are in the graph", {}};
    const Way turns{"python", "unrolled into 2 copies", {}};
    const std::vector<std::vector<const char*>> programs{
        {"  def f(x):", "+T  if e > 0.5:", "+n    return u()", "-   return x"},
        {"  def f(x):", "+F  if e > 0.5:", "-     return u()", "+   return x"},
        {"  def f(x):", "+   try:", "+n    x = x + 1", "?   except E:", "?     x = 1", "?     x = 2", "+   return x"},
        {"  def f(x):", "+   try:", "+     x = g()", "?     y = g()", "?   except E:", "?     return x",
         "?   return x"},
        {"  def f(x):", "+   y = 1", "+n  z = x", "+   k = 2", "+   return z, k"},
        {"  def f(x):", "+   if y:", "?     return x", "?   z = 1", "?   return z"},
        {"  def f(x):", "+   if y:", "?     return x", "+   z = 1", "+n  return z"},
        {"  def f(x):", "+S  if y:", "+     z = 1", "+   else:", "+     z = 2", "+   return z"},
        {"  def f(x):", "+F  if y:", "-     z = 1", "+T  elif w:", "+     z = 2", "-   else:", "-     z = 3",
         "+   return z"},
        {"  def f(x):", "+2  for i in r:", "+     a = 1", "+T    if a:", "+       continue", "-     b = 2",
         "+   return x"},
        {"  def f(x):", "+   for i in r:", "?     a = 1", "+   return x"},
        {"  def f(x):", "+   def g(y):", "?     return y", "+   with t:", "+     g = 1", "+   return x"},
        {"  def f(x):", "+   def g(y):", "+     a = 1", "+n    return y", "+   return x"},
    };
    for (size_t p = 0; p < programs.size(); ++p) {
      std::vector<CodeLine> lines;
      std::vector<LineSeen> seen;
      for (const std::string line : programs[p]) {
        CodeLine made;
        made.text = QString::fromStdString(line.substr(2));
        lines.push_back(made);
        LineSeen facts;
        facts.made_nodes = line[1] == 'n';
        if (line[1] == 'T') facts.ways.push_back(&yes);
        if (line[1] == 'F') facts.ways.push_back(&no);
        if (line[1] == 'S') facts.ways.push_back(&staged);
        if (line[1] == '2') facts.ways.push_back(&turns);
        seen.push_back(facts);
      }
      lines[0].text = lines[0].text.trimmed();
      const std::vector<Ran> ran = lines_that_ran(lines, seen);
      QCOMPARE(ran.size(), lines.size());
      for (size_t i = 1; i < lines.size(); ++i) {
        const char said = ran[i] == Ran::kYes ? '+' : ran[i] == Ran::kNo ? '-' : '?';
        QVERIFY2(said == programs[p][i][0], qPrintable(QStringLiteral("program %1, line %2").arg(p).arg(i)));
      }
    }
  }

  void statements_of_several_lines() {
    std::vector<CodeLine> lines;
    for (const char* text :
         {"x = f(a,", "      b)", "y = 1 + \\", "  2", "s = '''(", "''' # (", "z = ['#', ')']", "done"}) {
      CodeLine l;
      l.text = QString::fromUtf8(text);
      lines.push_back(l);
    }
    const std::vector<size_t> wanted{0, 0, 2, 2, 4, 4, 6, 7};
    QCOMPARE(statement_starts(lines), wanted);
  }

  // Arguments that are structures look as in Python: what tells two traces apart is seen.
  void cells_of_structures() {
    const auto cell = [](const std::vector<std::array<const char*, 3>>& leaves) {
      session::TraceRecord t;
      for (const auto& [path, kind, text] : leaves) {
        session::KeyLeaf leaf;
        leaf.path = path, leaf.parameter = "x", leaf.kind = kind;
        (leaf.kind == "structure" ? leaf.type : leaf.value) = text;
        t.key.push_back(leaf);
      }
      return parameter_cell(t, "x").toStdString();
    };
    using Leaves = std::vector<std::array<const char*, 3>>;
    const auto two = [&](const char* type) {
      return cell(
          Leaves{{"args[0]", "structure", type}, {"args[0][0]", "literal", "1"}, {"args[0][1]", "literal", "2"}});
    };
    QCOMPARE(two("list[2]"), std::string("[1, 2]"));
    QCOMPARE(two("tuple[2]"), std::string("(1, 2)"));
    QCOMPARE(cell(Leaves{{"args[0]", "literal", "1"}}), std::string("1"));
    QCOMPARE(cell(Leaves{{"args[0]", "structure", "list[0]"}}), std::string("[]"));
    QCOMPARE(cell(Leaves{{"args[0]", "structure", "tuple[1]"}, {"args[0][0]", "literal", "1"}}), std::string("(1,)"));
    QCOMPARE(cell(Leaves{{"args[0]", "structure", "dict[2]"}, {"args[0]['a']", "literal", "1"},
                         {"args[0]['b']", "structure", "list[1]"}, {"args[0]['b'][0]", "literal", "2"}}),
             std::string("{a: 1, b: [2]}"));
    QCOMPARE(cell(Leaves{{"args[0]", "structure", "Point(x, y)"}, {"args[0].x", "literal", "1"},
                         {"args[0].y", "literal", "2"}}), std::string("Point(x: 1, y: 2)"));
    Leaves many{{"args[0]", "structure", "list[5]"}};
    for (const char* path : {"args[0][0]", "args[0][1]", "args[0][2]", "args[0][3]", "args[0][4]"})
      many.push_back({path, "literal", "7"});
    QCOMPARE(cell(many), std::string("[7, 7, 7, +2]"));
    QCOMPARE(cell(Leaves{{"args[1]", "literal", "1"}, {"args[2]", "literal", "2"}}), std::string("(1, 2)"));
  }

  // A cell can do without what all traces share; an iterator is what it yields.
  void cells_of_what_tells_traces_apart() {
    using Leaves = std::vector<std::array<const char*, 3>>;
    const auto trace = [](const Leaves& leaves) {
      session::TraceRecord t;
      for (const auto& [path, kind, text] : leaves) {
        session::KeyLeaf leaf;
        leaf.path = path, leaf.parameter = "x", leaf.kind = kind;
        (leaf.kind == "structure" || leaf.kind == "element" ? leaf.type : leaf.value) = text;
        t.key.push_back(leaf);
      }
      return t;
    };
    const auto batch = [&](const char* rate) {
      return trace({{"args[0]", "structure", "dict[3]"}, {"args[0]['a']", "literal", "1"},
                    {"args[0]['b']", "structure", "list[1]"}, {"args[0]['b'][0]", "literal", "2"},
                    {"args[0]['rate']", "literal", rate}});
    };
    const session::TraceRecord first = batch("3"), second = batch("4");
    const std::set<std::string> shared = shared_leaves({&first, &second}, "x");
    QCOMPARE(shared, (std::set<std::string>{"args[0]['a']", "args[0]['b'][0]"}));
    QCOMPARE(parameter_cell(second, "x", shared), QString::fromUtf8("{rate: 4, …}"));
    QCOMPARE(parameter_cell(second, "x"), QStringLiteral("{a: 1, b: [2], rate: 4}"));
    // The second item of a tuple is not shown as its first.
    const auto names = [&](const std::vector<const char*>& values) {
      session::TraceRecord t = trace({{"args[0]", "structure", "tuple[]"}});
      for (const char* value : values) {
        session::KeyLeaf& leaf = t.key.emplace_back();
        leaf.path = "args[0][" + std::to_string(t.key.size() - 2) + ']', leaf.parameter = "x", leaf.kind = "literal";
        leaf.value = value;
      }
      return t;
    };
    const session::TraceRecord one = names({"'a'"}), two = names({"'a'", "'b'"}), three = names({"'a'", "'b'", "'c'"});
    const std::set<std::string> always = shared_leaves({&one, &two, &three}, "x");
    QCOMPARE(always, (std::set<std::string>{"args[0][0]"}));
    QCOMPARE(parameter_cell(two, "x", always), QString::fromUtf8("(…, 'b')"));
    QCOMPARE(parameter_cell(three, "x", always), QString::fromUtf8("(…, 'b', 'c')"));
    QCOMPARE(parameter_cell(three, "x", {"args[0][1]"}), QString::fromUtf8("('a', …, 'c')"));
    const session::TraceRecord iterator =
        trace({{"args[0]", "structure", "tuple[2]"}, {"args[0][0]", "object", "IteratorSpec(f32[4])"},
               {"args[0].element_spec", "element", "float32"}, {"args[0][1]", "tensor", ""}});
    QCOMPARE(parameter_cell(iterator, "x"), QStringLiteral("IteratorSpec(f32[4])"));
  }

  // The line of a call that made a library define a function is not the function's definition.
  void a_call_is_no_definition() {
    Document d;
    session::FileRecord file;
    file.id = session::FileId(1), file.path = "/home/me/fit.py";
    file.text = "import keras\nmodel.fit(x, y)\ndef f(x):\n  return x\ng = tf.function(lambda x: x)\n@tf.function\n";
    d.add(file);
    const std::map<int, bool> wanted{{2, false}, {3, true}, {4, false}, {5, true}, {6, true}, {77, true}};
    for (const auto& [line, is] : wanted) QCOMPARE(is_definition(d, {session::FileId(1), line}), is);
  }

  void phases_of_a_trace() {
    session::TraceRecord t = trace_of(TraceId(1), FunctionId(1), 0, 1'000'000'000, 1'010'000'000);
    const auto phase = [&](const char* name, int parent, int64_t from, int64_t to) {
      t.phases.push_back({name, "trace", parent, t.start_ns + from, t.start_ns + to});
    };
    phase("python", -1, 0, 5'000'000);
    phase("autograph", 0, 0, 2'000'000);
    phase("compile", -1, 5'000'000, 7'000'000);
    phase("optimize", 2, 5'000'000, 5'500'000);
    phase("compile", -1, 7'000'000, 9'000'000);
    phase("optimize", 4, 7'000'000, 8'000'000);
    Document d;
    d.add(session::FunctionRecord{FunctionId(2), "score", session::FileId(), 0, 0, {}});
    d.add(t);
    d.add(trace_of(TraceId(2), FunctionId(2), 0, t.start_ns + 3'000'000, t.start_ns + 4'000'000));
    const InspectorGroup group = phases_group(d, t);
    const auto text = [](const InspectorRow& r) { return QString(r.indent, QLatin1Char(' ')) + r.label + r.value; };
    QStringList rows;
    for (const InspectorRow& r : group.rows) rows << text(r);
    const QStringList wanted{QStringLiteral("Python5.00 ms, 2.00 ms of it its own"),
                             QStringLiteral(" Tracing of score1.00 ms"),
                             QStringLiteral(" AutoGraph2.00 ms"),
                             QString::fromUtf8("Compile ×24.00 ms, 2.50 ms of it its own"),
                             QString::fromUtf8(" Optimize ×21.50 ms"),
                             QStringLiteral("Unexplained1.00 ms")};
    QCOMPARE(rows, wanted);
    // Without those inside them they make up the whole.
    int64_t sum = 0;
    for (const PhaseTime& p : own_times({&t, &t})) {
      sum += p.ns;
      if (p.word == QStringLiteral("Python")) QCOMPARE(p.ns, int64_t{6'000'000});
      if (p.word == QStringLiteral("compile")) QCOMPARE(p.ns, int64_t{5'000'000});
    }
    QCOMPARE(sum, int64_t{20'000'000});
  }

  void forward_and_gradient() {
    session::GraphRecord g;
    const auto add = [&](const char* op, std::vector<uint32_t> from) {
      g.nodes.push_back(node_of(static_cast<uint32_t>(g.nodes.size()), op, op, from));
    };
    add("Placeholder", {});
    add("Conv2D", {0});
    add("Relu", {1});
    add("Relu", {2});
    add("ReluGrad", {0, 2});
    add("Conv2DBackpropFilter", {0, 4});
    QCOMPARE(gradient_links(g, g.nodes[1]).gradients, (std::vector<uint32_t>{5}));
    QCOMPARE(gradient_links(g, g.nodes[2]).gradients, (std::vector<uint32_t>{4}));
    QCOMPARE(gradient_links(g, g.nodes[5]).forward, (std::vector<uint32_t>{1}));
    QVERIFY(gradient_links(g, g.nodes[0]).gradients.empty());
  }

  void the_same_node_in_other_traces() {
    const SampleRun run = sample_run();
    const InspectorContent node = said(run, Selection::of_node(run.document, GraphId(10), 9));
    const InspectorGroup* others = group(node, QStringLiteral("In the other traces"));
    QVERIFY(others);
    QCOMPARE(others->rows.size(), size_t{5});
    QCOMPARE(others->rows[0].value, QStringLiteral("0.05"));
    QVERIFY(others->rows[0].link);
    QCOMPARE(others->rows[0].target.graph, GraphId(11));
    const InspectorContent relu = said(run, Selection::of_node(run.document, GraphId(10), 4));
    QCOMPARE(value(relu.groups.front(), QStringLiteral("Ran")), QStringLiteral("4 times"));
    QCOMPARE(value(relu.groups.front(), QStringLiteral("In total")), QStringLiteral("16.0 us"));
  }
};

QTEST_GUILESS_MAIN(InspectorPartsTest)
#include "test_inspector_parts.moc"
