// What graphs cost when they ran: of nodes, of calls with all that they run, and of boxes; why nodes run alone.
#include "tests/app/graph_shapes.h"
#include "tests/app/sample.h"

#include "app/models/facts.h"
#include "app/models/graph_find.h"
#include "app/models/graph_costs.h"
#include "app/models/graph_paths.h"
#include "app/models/graph_repeats.h"
#include "app/models/graph_stages.h"
#include "app/models/inspector.h"
#include "app/models/text.h"
#include "tests/session/records.h"

#include <QTest>

#include <map>
#include <set>

using namespace footlight;
using namespace footlight::app;

namespace {

const PlanBox* box_named(const GraphPlan& plan, const QString& part) {
  for (const PlanBox& b : plan.boxes)
    if (b.title.contains(part)) return &b;
  return nullptr;
}

// A function that calls another twice, once of it in a branch; each event is a row.
struct NestedRun {
  SampleRun run;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> by_node;  // counted while the rows are made

  NestedRun() {
    run = sample_run();
    Document& d = run.document;
    GraphMaker inner(GraphId(502));
    uint32_t p = inner.parameter("float32 (4, 8)", 6);
    p = inner.add("Relu", {p}, 6);
    inner.add("Tanh", {p}, 7);
    d.add(inner.done(2));
    GraphMaker branch(GraphId(501));
    uint32_t q = branch.parameter("float32 (4, 8)", 8);
    branch.add("Exp", {q}, 8);
    const uint32_t call = branch.add("PartitionedCall", {1}, 8, "control");
    branch.node(call).functions = {{"f", GraphId(502)}};
    d.add(branch.done(call));
    GraphMaker other(GraphId(503));
    other.parameter("float32 (4, 8)", 9);
    other.add("Neg", {0}, 9);
    d.add(other.done(1));
    GraphMaker root(GraphId(500));
    const uint32_t x = root.parameter("float32 (4, 8)", 5);
    const uint32_t test = root.add("Any", {x}, 7, "reduction", "bool ()");
    const uint32_t cond = root.add("If", {test, x}, 7, "control");
    root.node(cond).functions = {{"then_branch", GraphId(501)}, {"else_branch", GraphId(503)}};
    root.add("Sqrt", {cond}, 9);
    d.add(root.done(3));
    const int64_t start = d.last_ns() + 1000;
    int64_t now = start;
    uint64_t id = 1'000'000;
    const auto ran = [&](uint32_t graph, uint32_t node, int64_t ns) {
      OpEvent e = op_of(OpId(0), now, now + ns);
      now += ns;
      e.set_node(GraphId(graph), NodeId(node));
      run.ops.append(0, ++id, e);
      by_node[{graph, node}] += ns;
    };
    for (int k = 0; k < 7; ++k) {
      ran(500, 1, 100 + k);
      if (k % 3) ran(501, 1, 10), ran(502, 1, 1000 + k), ran(502, 2, 2000);
      else ran(503, 1, 30);
      ran(500, 3, 50);
    }
    d.note_time(start, now);
  }
};

}  // namespace

class GraphCostsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void costs_are_those_of_the_rows() {
    const NestedRun nested;
    const SampleStore store(nested.run);
    const auto part = graph_part(nested.run.document, GraphId(500));
    QCOMPARE(part->graphs.size(), size_t{4});
    const GraphCosts costs = find_costs(*store, nodes_to_cost(*part), true, {});
    const auto rows = [&](std::set<uint32_t> graphs) {
      int64_t sum = 0;
      for (const auto& [key, ns] : nested.by_node) sum += graphs.count(key.first) ? ns : 0;
      return sum;
    };
    for (const auto& [key, ns] : nested.by_node) {
      if (key.first == 500 || key.first == 502)
        QCOMPARE(cumulative_ns(*part, costs, GraphId(key.first), key.second), ns);
    }
    QCOMPARE(cumulative_ns(*part, costs, GraphId(501), 2), rows({502}));
    QCOMPARE(cumulative_ns(*part, costs, GraphId(500), 2), rows({501, 502, 503}));
    // The inspector too, which asks for one node.
    const Document& d = nested.run.document;
    const Selection calls = Selection::of_node(d, GraphId(500), 2), op = Selection::of_node(d, GraphId(500), 0);
    QCOMPARE(find_facts(*store, calls, {}, nodes_below(d, calls)).below.total, rows({501, 502, 503}));
    QVERIFY(nodes_below(d, op).empty());
    // The boxes say the same, closed and open.
    GraphOptions options = first_options(*part, GraphId(500));
    for (const bool open : {false, true}) {
      options.opened.clear();
      if (open) options.opened.insert(q(part->node(GraphId(500), 2)->name));
      GraphPlan plan = plan_graph(*part, GraphId(500), options);
      apply_costs(plan, *part, costs, {"CPU"});
      const PlanBox& cond = plan.boxes[static_cast<size_t>(plan.box_of(GraphId(500), 2))];
      QCOMPARE(cond.cost_ns, rows({501, 502, 503}));
      QCOMPARE(cond.bodies.size(), size_t{open ? 2u : 0u});
      QCOMPARE(plan.boxes[static_cast<size_t>(plan.box_of(GraphId(500), 3))].cost_ns, int64_t{350});
      if (open) {
        const int call = plan.box_of(GraphId(501), 2);
        QVERIFY(call >= 0);
        QCOMPARE(plan.boxes[static_cast<size_t>(call)].cost_ns, rows({502}));
      }
    }
    // In an open repeat a box has the time of its own piece.
    GraphMaker loop(GraphId(600));
    uint32_t x = loop.parameter("float32 (4, 8)", 5);
    GraphCosts each;
    for (uint32_t k = 1; k <= 9; ++k) {
      x = loop.add("Mul", {x}, 6);
      query::Sums own;
      own.add(100 * k);
      each.nodes[GraphPlan::place_key(GraphId(600), k)] = own;
      each.graphs[GraphId(600)].add(own);
    }
    const Document pieces = document_around(loop.done(x));
    GraphOptions look = first_options(pieces, GraphId(600));
    GraphPlan plan = plan_graph(pieces, GraphId(600), look);
    apply_costs(plan, pieces, each, {"CPU"});
    QCOMPARE(box_named(plan, QStringLiteral("×9"))->cost_ns, int64_t{4500});
    look.reveal_graph = GraphId(600);
    look.reveal_node = 4;
    plan = plan_graph(pieces, GraphId(600), look);
    apply_costs(plan, pieces, each, {"CPU"});
    QCOMPARE(plan.boxes[static_cast<size_t>(plan.box_of(GraphId(600), 4))].cost_ns, int64_t{400});
    // An event in the called function: its node and line are those of that function's graph.
    query::OpEventRow row;
    row.graph = GraphId(502);
    row.node = NodeId(2);
    const Selection event = Selection::of_event(nested.run.document, row, nullptr);
    QCOMPARE(place_of(nested.run.document, event).line, 7);
    QVERIFY(nodes_of(nested.run.document, event, GraphId(500)).empty());
    QCOMPARE(way_to(*part, GraphId(500), GraphId(502), 2).size(), size_t{3});
  }

  // Graphs that run one another in a long chain, and the last one the first again.
  void a_long_chain_of_graphs() {
    constexpr uint32_t kDepth = 60'000;
    SampleRun run = sample_run();
    for (uint32_t i = 0; i < kDepth; ++i) {
      GraphMaker maker(GraphId(1000 + i));
      const uint32_t x = maker.parameter("float32 (4, 8)", 5);
      const uint32_t call = maker.add("PartitionedCall", {x}, 6, "control");
      maker.node(call).functions = {{"f", GraphId(1000 + (i + 1) % kDepth)}};
      run.document.add(maker.done(call));
    }
    const GraphId root(1000), last(1000 + kDepth - 1);
    const auto part = graph_part(run.document, root);
    QCOMPARE(part->graphs.size(), size_t{kDepth});
    const auto way = way_to(*part, root, last, 1);
    QCOMPARE(way.size(), size_t{kDepth});
    QCOMPARE(way.front(), std::pair(root, uint32_t{1}));
    QCOMPARE(way.back(), std::pair(last, uint32_t{1}));
    GraphCosts costs;
    costs.graphs[last].add({7, 70, 10, 10});
    QCOMPARE(cumulative_ns(*part, costs, root, 1), int64_t{70});
    QVERIFY(way_to(*part, root, GraphId(7), 1).empty());
  }

  void nodes_that_run_alone_say_why() {
    session::GraphRecord g = chain_graph(GraphId(1), 5, false);
    g.passes = {"prune", "fuse"};
    g.alone = {{1, 2, "it has an effect"}};
    const Document d = document_around(std::move(g));
    for (const size_t passes : {size_t{0}, size_t{1}, size_t{2}}) {
      GraphPlan plan = plan_graph(d, GraphId(1), first_options(d, GraphId(1)));
      mark_stage(plan, d, {passes, true});
      const auto note_of = [&](uint32_t node) {
        return plan.boxes[static_cast<size_t>(plan.box_of(GraphId(1), node))].note;
      };
      for (const PlanBox& b : plan.boxes) QCOMPARE(b.mark, PlanBox::Mark::kNone);
      const QString said = passes == 1 ? QStringLiteral("next, fuse: runs alone, because it has an effect")
                                       : QStringLiteral("runs alone, because it has an effect");
      QCOMPARE(note_of(2), passes ? said : QString());
      QVERIFY(note_of(3).isEmpty());
    }
    const QString shown = as_markdown(inspect(d, Selection::of_node(d, GraphId(1), 2), nullptr));
    QVERIFY2(shown.contains(QStringLiteral("Runs alone, because it has an effect")), qPrintable(shown));
    QVERIFY(!as_markdown(inspect(d, Selection::of_node(d, GraphId(1), 3), nullptr)).contains(QStringLiteral("alone")));
  }

  void memory_of_nodes_and_graphs() {
    session::GraphRecord g = chain_graph(GraphId(1), 5, false);
    g.passes = {"fuse"};
    g.memory = {{2, 0, 0, session::MemoryPlace::kOwn, 2048, 2, 0, 1},
                {3, 0, 1, session::MemoryPlace::kTakenOver, 2048, 2, 1, 2}};
    const std::string first = g.nodes[2].name;
    const Document d = document_around(std::move(g));
    const auto shown = [&](uint32_t node) {
      return as_markdown(inspect(d, Selection::of_node(d, GraphId(1), node), nullptr));
    };
    const QString over = QStringLiteral("Slot 1, in place of ") + QString::fromStdString(first);
    QVERIFY2(shown(3).contains(over + QStringLiteral(", 2.0 KB")), qPrintable(shown(3)));
    QVERIFY(shown(2).contains(QStringLiteral("Slot 0, 2.0 KB, reused by ")));
    QVERIFY(!shown(4).contains(QStringLiteral("Slot ")));
  }
};

QTEST_GUILESS_MAIN(GraphCostsTest)
#include "test_graph_costs.moc"
