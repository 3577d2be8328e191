// A graph after each pass, made from what was recorded: against counts by hand, and with records that nobody would
// write.
#include "engine/explain/memory.h"
#include "engine/explain/stages.h"
#include "tests/session/records.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace footlight;
using namespace footlight::explain;
using session::Fate;
using session::GraphRecord;

namespace {

session::NodeRecord node(uint32_t id, const char* op, std::vector<session::EdgeRecord> inputs) {
  session::NodeRecord made = node_of(id, op, op, {}, {CodeId(0), id + 10});
  made.inputs = std::move(inputs);
  return made;
}

// 0 x; 1 Two; 2 Three; 3 Mul(1, 2); 4 Identity(3); 5 Add(0, 4); 6 Sin(0). Result 5. Folding makes 7.
GraphRecord sample() {
  GraphRecord g;
  g.id = GraphId(1);
  g.nodes = {node(0, "x", {}), node(1, "Two", {}), node(2, "Three", {}), node(3, "Mul", {{1, 0}, {2, 0}}),
             node(4, "Identity", {{3, 0}}), node(5, "Add", {{0, 0}, {4, 0}}), node(6, "Sin", {{0, 0}})};
  g.inputs = {0};
  g.outputs = {{5, 0}};
  g.passes = {"forward_identities", "prune", "fold_constants", "prune"};
  g.new_nodes = {{7, "Mul/folded", "Const", "constant", {}, {"float32 ()"}, "", "6.0", {CodeId(0), 13}}};
  g.changes = {{0, Fate::kInput, 4, 0, 3, 0},    {1, Fate::kNothing, 4, 0, 0, 0}, {1, Fate::kNothing, 6, 0, 0, 0},
               {2, Fate::kInserted, 3, 0, 7, 0}, {2, Fate::kConstant, 3, 0, 7, 0}, {3, Fate::kNothing, 1, 0, 0, 0},
               {3, Fate::kNothing, 2, 0, 0, 0},  {3, Fate::kNothing, 3, 0, 0, 0}};
  return g;
}

std::string text_of(const GraphRecord& g) {
  std::string text;
  for (const session::NodeRecord& n : g.nodes) {
    text += n.name + '(';
    for (const session::EdgeRecord& e : n.inputs) text += std::to_string(e.from) + ' ';
    text += ") ";
  }
  return text;
}

NodeLine line_of(const session::NodeRecord& n) { return {"", static_cast<int>(n.source.offset)}; }

}  // namespace

class TestStages : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void memory_in_words() {
    using session::MemoryPlace;
    GraphRecord g = sample();
    QVERIFY(memory_of(g, 5).empty());
    QCOMPARE(words_of(memory_total(g)), std::string());
    // Identity gives 4 KB, Add takes it over, Sin is kept, Mul takes Sin's slot, x stays in a tile, Two is not known.
    g.memory = {{4, 0, 0, MemoryPlace::kOwn, 4096, 4, 0, 1},  {5, 0, 1, MemoryPlace::kTakenOver, 4096, 4, 1, 6},
                {6, 0, 2, MemoryPlace::kKept, 16, 6, 2, 3},   {3, 0, 2, MemoryPlace::kKept, 16, 6, 3, 4},
                {0, 0, 3, MemoryPlace::kTile, 8, 0, 4, 4},    {1, 0, 4, MemoryPlace::kOwn, -1, 1, 5, 5},
                {2, 0, 5, MemoryPlace::kOwn, 1024, 2, 5, 5},  {7, 0, 6, MemoryPlace::kView, 4096, 5, 5, 6},
                {9, 0, 7, MemoryPlace::kOwn, 1, 999, 9, 2}};
    const auto said = [&](uint32_t node) { return memory_of(g, node).at(0); };
    QCOMPARE(said(4), std::string("slot 0, 4.0 KB, reused by Add"));
    QCOMPARE(said(5), std::string("slot 1, in place of Identity, 4.0 KB"));
    QCOMPARE(said(6), std::string("slot 2, 16 B, stays for the next run, reused by Mul"));
    QCOMPARE(said(3), std::string("slot 2, in place of Sin, 16 B, stays for the next run"));
    QCOMPARE(said(0), std::string("fused; no buffer of its own (8 B)"));
    QCOMPARE(said(1), std::string("slot 4, size known when it runs"));
    QCOMPARE(said(7), std::string("slot 6, a view of Add, 4.0 KB"));
    QCOMPARE(said(9), std::string("slot 7, in place of another node, 1 B"));  // nobody would write this
    g.memory.pop_back();
    QCOMPARE(words_of(memory_total(g)),
             std::string("7 values in 6 slots, 2 in place of others; 1 more inside fused loops; at most 5.0 KB at "
                         "once, of which 16 B stay for the next run; without what is known only when it runs"));
    // A file may claim any sizes, and any number of values for a node.
    GraphRecord claims = sample();
    for (uint32_t k = 0; k < 20000; ++k) claims.memory.push_back({4, 0, k, MemoryPlace::kOwn, INT64_MAX, 4, 0, 9});
    QVERIFY(memory_total(claims).most > 0);
    QCOMPARE(memory_of(claims, 4).size(), size_t(101));
    QCOMPARE(memory_of(claims, 4).back(), std::string("not listed, nor are those after it"));
    // A node that a pass rewrote lies where the new one does.
    g.changes.push_back({3, Fate::kRewritten, 2, 0, 3, 0});
    QCOMPARE(said(2), said(3));
  }

  void each_stage() {
    const GraphRecord g = sample();
    QCOMPARE(text_of(graph_after(g, 0)), text_of(g));
    QCOMPARE(text_of(graph_after(g, 1)),
             std::string("x() Two() Three() Mul(1 2 ) Identity(3 ) Add(0 3 ) Sin(0 ) "));
    QCOMPARE(text_of(graph_after(g, 2)), std::string("x() Two() Three() Mul(1 2 ) Add(0 3 ) "));
    QCOMPARE(text_of(graph_after(g, 3)), std::string("x() Two() Three() Mul/folded() Mul(1 2 ) Add(0 7 ) "));
    QCOMPARE(text_of(graph_after(g, 4)), std::string("x() Mul/folded() Add(0 7 ) "));
    QCOMPARE(text_of(graph_after(g, 9)), text_of(graph_after(g, 4)));
    QCOMPARE(graph_after(g, 4).outputs.front().from, 5u);
  }

  void a_node_stands_for_those_that_gave_way_to_it() {
    const GraphRecord last = graph_after(sample(), 4);
    std::set<uint32_t> origins;
    for (const session::NodeOrigin& o : last.nodes[1].origins) origins.insert(o.node.value);
    QCOMPARE(origins, (std::set<uint32_t>{3, 4}));
    QCOMPARE(traced_node(sample(), 7), 3u);
    QCOMPARE(traced_node(sample(), 5), 5u);
  }

  void a_result_may_be_replaced() {
    GraphRecord g = sample();
    g.outputs = {{4, 0}};
    QCOMPARE(graph_after(g, 1).outputs.front().from, 3u);
    QCOMPARE(graph_after(g, 3).outputs.front().from, 7u);
  }

  void names() {
    const GraphRecord g = sample();
    QCOMPARE(stage_names(g), (std::vector<std::string>{"traced", "forward_identities", "prune", "fold_constants",
                                                       "prune2"}));
    QCOMPARE(stage_named(g, "prune2").value(), size_t{4});
    QCOMPARE(stage_named(g, "last").value(), size_t{4});
    QCOMPARE(stage_named(g, "traced").value(), size_t{0});
    QVERIFY(!stage_named(g, "fuse"));
    QCOMPARE(stage_named(GraphRecord(), "last").value(), size_t{0});
  }

  // Of two graphs of one program: what idles in both is left out, and the others are numbered alike in both.
  void idle_passes_are_left_out() {
    std::vector<GraphRecord> graphs(2);
    for (GraphRecord& g : graphs) g.passes = {"a", "b", "c", "b", "d"};
    graphs[0].changes = {{1, Fate::kNothing, 0, 0, 0, 0}, {9, Fate::kNothing, 1, 0, 0, 0}};
    graphs[1].changes = {{3, Fate::kNothing, 0, 0, 0, 0}, {4, Fate::kNothing, 1, 0, 0, 0}};
    leave_out_idle_passes(graphs);
    QCOMPARE(graphs[0].passes, (std::vector<std::string>{"b", "b", "d"}));
    QCOMPARE(graphs[1].passes, graphs[0].passes);
    QCOMPARE(graphs[0].changes.size(), size_t{1});  // the other one was of no pass
    QCOMPARE(graphs[0].changes[0].pass, uint16_t{0});
    QCOMPARE(graphs[1].changes[0].pass, uint16_t{1});
    QCOMPARE(graphs[1].changes[1].pass, uint16_t{2});
    std::vector<GraphRecord> idle(1);
    idle[0].passes = {"a", "b"};
    leave_out_idle_passes(idle);
    QCOMPARE(idle[0].passes, (std::vector<std::string>{"b"}));
  }

  // A loop: 3 moved out of it, 4 runs as another, and a call without outputs gave way to 8.
  void words_of_moved_and_inlined_nodes() {
    GraphRecord g = sample();
    g.passes = {"hoist_invariants", "inline_calls"};
    g.new_nodes = {{7, "p", "Placeholder", "constant", {}, {"float32 ()"}, "", "", {}},
                   {8, "f/Exp", "Exp", "elementwise", {{0, 0}}, {"float32 ()"}, "", "", {}, {{"f", GraphId(9)}}}};
    g.changes = {{0, Fate::kHoisted, 3, 0, 7, 0}, {0, Fate::kRewritten, 4, 0, 8, 0}, {1, Fate::kInlined, 5, 0, 8, 0},
                 {1, Fate::kNothing, 5, 0, 8, 0}, {1, Fate::kNothing, 6, 0, 8, 0}, {1, Fate::kInserted, 6, 0, 8, 0}};
    QCOMPARE(steps_of(g, 3)[0].words, std::string("runs once, before the loop, which is given its value"));
    QCOMPARE(steps_of(g, 4)[0].words, std::string("runs as f/Exp"));
    QCOMPARE(steps_of(g, 6)[0].words, std::string("the nodes of its graph run in its place, up to f/Exp"));
    QVERIFY(steps_of(g, 6)[0].fate == Fate::kInlined);
    QVERIFY(what_pass_did(g, 0, line_of).find("moved out of its loop") != std::string::npos);
    QVERIFY(what_pass_did(g, 1, line_of).find("were replaced by the nodes of their graphs") != std::string::npos);
    // A node that is made may run graphs itself.
    const GraphRecord after = graph_after(g, 2);
    const auto made = std::ranges::find(after.nodes, 8u, &session::NodeRecord::id);
    QVERIFY(made != after.nodes.end());
    QCOMPARE(made->functions[0].graph, GraphId(9));
  }

  // 3 moved out of the loop that this graph is the body of, with its inputs 1 and 2, of which 1 is an argument.
  void what_a_moved_node_needs_moves_with_it() {
    GraphRecord g = sample();
    g.nodes[1].op = "Placeholder";
    g.passes = {"hoist_invariants", "prune"};
    g.new_nodes = {{7, "p", "Placeholder", "constant", {}, {"float32 ()"}, "", "", {}}};
    g.changes = {{0, Fate::kHoisted, 3, 0, 7, 0}, {1, Fate::kNothing, 1, 0, 0, 0}, {1, Fate::kNothing, 2, 0, 0, 0},
                 {1, Fate::kNothing, 3, 0, 0, 0}, {1, Fate::kNothing, 6, 0, 0, 0}};
    QCOMPARE(steps_of(g, 3).back().words, std::string("removed from the loop, before which it runs"));
    QCOMPARE(steps_of(g, 2)[0].words, std::string("moved before the loop with Mul, which needs it"));
    QVERIFY(steps_of(g, 2)[0].fate == Fate::kHoisted);
    QCOMPARE(steps_of(g, 1)[0].words, std::string("removed: Mul, which needed it, moved before the loop"));
    QCOMPARE(steps_of(g, 6)[0].words, std::string("removed: nothing uses it"));
    QVERIFY(what_pass_did(g, 1, line_of).find("1 node moved out of its loop (Three; line 12)") != std::string::npos);
  }

  // A loop of which two of three results are values that it was given, and of which the third is not.
  void results_of_a_node_that_stays() {
    GraphRecord g = sample();
    g.nodes[4].outputs = {"float32 ()", "float32 ()", "float32 ()"};
    g.passes = {"arguments"};
    g.changes = {{0, Fate::kInput, 4, 0, 1, 0}, {0, Fate::kInput, 4, 2, 2, 0}};
    const std::string op = g.nodes[4].op;
    QCOMPARE(what_pass_did(g, 0, line_of),
             "arguments: 2 results of 1 node, which stays, were replaced by inputs (" + op + "; line " +
                 std::to_string(line_of(g.nodes[4]).line) + ")");
    const GraphRecord after = graph_after(g, 1);
    QVERIFY(std::ranges::find(after.nodes, 4u, &session::NodeRecord::id) != after.nodes.end());
    g.changes.push_back({0, Fate::kInput, 4, 1, 1, 0});
    QVERIFY(what_pass_did(g, 0, line_of).starts_with("arguments: 1 node was replaced by its input ("));
  }

  void lines_of_other_files_have_their_names() {
    GraphRecord g = sample();
    const auto elsewhere = [](const session::NodeRecord& n) {
      return NodeLine{n.op == "Identity" ? "adam.py" : "", static_cast<int>(n.source.offset)};
    };
    QCOMPARE(what_pass_did(g, 0, elsewhere), std::string("forward identities: 1 node was replaced by its input "
                                                         "(Identity; adam.py:14)"));
    QCOMPARE(what_pass_did(g, 2, elsewhere), what_pass_did(g, 2, line_of));
  }

  void parameters_and_results_have_no_line_of_the_function() {
    GraphRecord g = sample();
    const auto identity = std::ranges::find(g.nodes, "Identity", &session::NodeRecord::op);
    g.outputs = {{identity->id, 0}};
    QCOMPARE(what_pass_did(g, 0, line_of), std::string("forward identities: 1 node was replaced by its input "
                                                       "(Identity)"));
  }

  void words() {
    GraphRecord g = sample();
    QCOMPARE(what_pass_did(g, 0, line_of), std::string("forward identities: 1 node was replaced by its input "
                                                       "(Identity; line 14)"));
    QCOMPARE(what_pass_did(g, 2, line_of), std::string("fold constants: 1 node became a constant (Mul; line 13)"));
    GraphRecord equal = g;
    equal.nodes[3].op = "Const";  // a constant does not become one
    QCOMPARE(what_pass_did(equal, 2, line_of),
             std::string("fold constants: 1 node was replaced by an equal one (Const; line 13)"));
    QCOMPARE(what_pass_did(g, 3, line_of),
             std::string("prune: 3 nodes that nothing uses were removed (Mul, Three, Two; lines 11, 12, 13)"));
    g.passes.push_back("fuse");
    QCOMPARE(what_pass_did(g, 4, line_of), std::string("fuse: nothing to do"));
    const std::vector<NodeStep> steps = steps_of(g, 3);
    QCOMPARE(steps.size(), size_t{2});
    QCOMPARE(steps[0].pass + ": " + steps[0].words, std::string("fold constants: became the constant 6.0"));
    QCOMPARE(steps[0].by.value(), 7u);
    QCOMPARE(steps[1].words, std::string("removed: Mul/folded is used instead"));
    QCOMPARE(steps_of(g, 1).back().words, std::string("removed: Mul, which needed it, became the constant 6.0"));
    QCOMPARE(steps_of(g, 6).back().words, std::string("removed: nothing uses it"));
    QVERIFY(steps_of(g, 5).empty());
    QCOMPARE(steps_in(g, 3).size(), size_t{3});
    QCOMPARE(changed_by_passes(g), (std::vector<size_t>{1, 2, 1, 3, 0}));
  }

  // Nodes that run in one walk still give their own values.
  void fused_nodes_stay() {
    GraphRecord g = sample();
    const std::string before = text_of(graph_after(g, 1));
    g.passes[1] = "fuse";
    g.changes = {g.changes[0], {1, Fate::kFusedWith, 5, 0, 6, 0}, {1, Fate::kFusedWith, 6, 0, 5, 0}};
    QCOMPARE(text_of(graph_after(g, 2)), before);
    QVERIFY(graph_after(g, 2).nodes[5].origins.empty());
    QCOMPARE(steps_of(g, 6)[0].words, std::string("fused with Add"));
    QCOMPARE(steps_of(g, 6)[0].by.value(), 5u);
    QCOMPARE(what_pass_did(g, 1, line_of),
             std::string("fuse: 2 nodes were fused with others (Add, Sin; lines 15, 16)"));
  }

  // They stay as they were; the pass says of each why.
  void nodes_that_run_alone() {
    GraphRecord g = sample();
    g.passes.push_back("fuse");
    const std::string before = text_of(graph_after(g, 4));
    const std::vector<size_t> changed = changed_by_passes(g);
    g.alone = {{4, 5, "it has an effect"}, {4, 6, "it has an effect"}, {4, 7, "nothing is beside it"}};
    QCOMPARE(text_of(graph_after(g, 5)), before);
    QCOMPARE(changed_by_passes(g), changed);
    QCOMPARE(what_pass_did(g, 4, line_of),
             std::string("fuse: nothing to do; 2 nodes run alone, each because it has an effect (Add, Sin; lines 15, "
                         "16); 1 node runs alone, because nothing is beside it (Const; line 13)"));
    QCOMPARE(alone_step(g, 6)->words, std::string("runs alone, because it has an effect"));
    QCOMPARE(alone_step(g, 6)->pass, std::string("fuse"));
    QVERIFY(!alone_step(g, 4));
    QVERIFY(!alone_step(g, 3));  // it became a constant
    g.changes[4].fate = Fate::kRewritten;  // or runs as that node
    QCOMPARE(alone_step(g, 3)->words, std::string("runs alone, because nothing is beside it"));
    QCOMPARE(alone_in(g, 4).size(), size_t{3});
    QVERIFY(alone_in(g, 3).empty() && alone_in(g, 5).empty());
    std::vector<GraphRecord> one{g};
    one[0].passes.insert(one[0].passes.begin() + 4, "prune");  // idle
    for (session::AloneNode& node : one[0].alone) node.pass = 5;
    one[0].alone.push_back({6, 1, "of no pass"});
    leave_out_idle_passes(one);
    QCOMPARE(one[0].passes.size(), size_t{5});
    QCOMPARE(alone_in(one[0], 4).size(), size_t{3});
    QCOMPARE(one[0].alone.size(), size_t{3});
  }

  // Whatever a file says, a stage is made, in time and without a node twice.
  void strange_records() {
    GraphRecord g = sample();
    g.changes.push_back({3, Fate::kInput, 5, 0, 0, 0});      // a cycle of values
    g.changes.push_back({3, Fate::kEqualNode, 0, 0, 5, 0});
    g.changes.push_back({3, Fate::kFused, 900, 7, 901, 3});  // nobody knows these
    g.changes.push_back({3, Fate::kNothing, 902, 0, 0, 0});
    g.changes.push_back({3, Fate::kInserted, 7, 0, 7, 0});   // before itself
    g.changes.push_back({3, Fate::kInserted, 5, 0, 7, 0});   // twice
    g.changes.push_back({3, Fate::kInserted, 5, 0, 903, 0});
    g.changes.push_back({60, Fate::kNothing, 0, 0, 0, 0});   // of no pass
    g.changes.push_back({3, static_cast<Fate>(77), 0, 0, 0, 0});
    g.alone = {{60, 5, "of no pass"}, {3, 900, "nobody knows it"}};
    QVERIFY(!alone_step(g, 5));
    std::set<uint32_t> ids;
    for (const session::NodeRecord& n : graph_after(g, 4).nodes) QVERIFY(ids.insert(n.id).second);
    QVERIFY(ids.contains(7) && !ids.contains(1));
    for (size_t pass = 0; pass < 70; ++pass) what_pass_did(g, pass, line_of), steps_in(g, pass), alone_in(g, pass);
    for (uint32_t id = 0; id < 910; ++id) steps_of(g, id), alone_step(g, id), traced_node(g, id);
    // A long row of nodes that give way to the one before, and a long row made before one another.
    GraphRecord row;
    row.passes = {"a"};
    constexpr uint32_t kMany = 100'000;
    for (uint32_t i = 0; i < kMany; ++i) {
      row.nodes.push_back(node(i, "n", {}));
      if (i) row.changes.push_back({0, Fate::kInput, i, 0, i - 1, 0});
      row.new_nodes.push_back({kMany + i, "new", "Const", "", {}, {}, "", "", {}});
      row.changes.push_back({0, Fate::kInserted, i ? kMany + i - 1 : 5, 0, kMany + i, 0});
    }
    row.outputs = {{kMany - 1, 0}};
    const GraphRecord after = graph_after(row, 1);
    QCOMPARE(after.nodes.size(), size_t{2 * kMany});
    QCOMPARE(after.outputs.front().from, 0u);
    QCOMPARE(after.nodes[5].id, 2 * kMany - 1);
  }
};

QTEST_GUILESS_MAIN(TestStages)
#include "test_stages.moc"
