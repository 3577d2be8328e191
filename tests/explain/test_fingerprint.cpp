// What makes two graphs the same, and what does not.
#include "engine/explain/fingerprint.h"
#include "tests/explain/sample_run.h"
#include "tests/session/records.h"

#include <QTest>

#include <algorithm>

using namespace footlight;
using namespace footlight::explain;
using session::GraphRecord;
using session::NodeRecord;

namespace {

NodeRecord node(uint32_t id, const char* op, std::vector<uint32_t> from = {}, const char* attributes = "") {
  NodeRecord n = node_of(id, std::string(op) + '_' + std::to_string(id), op, from);
  n.outputs = {"float32 (4)"};
  n.attributes = attributes;
  return n;
}

GraphRecord graph(uint32_t id, std::vector<NodeRecord> nodes, std::vector<uint32_t> inputs, uint32_t output) {
  GraphRecord g;
  g.id = GraphId(id);
  g.nodes = std::move(nodes);
  g.inputs = std::move(inputs);
  g.outputs = {{output, 0}};
  return g;
}

// Compares the graphs with ids 1 and 2 among these.
GraphRelation relation(const std::vector<GraphRecord>& graphs) {
  Fingerprints prints([&](GraphId id) {
    const auto at = std::find_if(graphs.begin(), graphs.end(), [&](const auto& g) { return g.id == id; });
    return at == graphs.end() ? nullptr : &*at;
  });
  return prints.compare(GraphId(1), GraphId(2));
}

GraphRelation relation(GraphRecord a, GraphRecord b) {
  a.id = GraphId(1);
  b.id = GraphId(2);
  return relation(std::vector<GraphRecord>{a, b});
}

GraphRecord attribute(const std::string& text) {
  return graph(0, {node(0, "Placeholder"), node(1, "Op", {0}, text.c_str())}, {0}, 1);
}

}  // namespace

class TestFingerprint : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_ids_and_order_count_for_nothing() {
    const GraphRecord a = graph(1, {node(0, "Placeholder"), node(1, "Exp", {0}), node(2, "Log", {0}),
                                    node(3, "Sub", {1, 2})}, {0}, 3);
    GraphRecord b = graph(2, {node(7, "Placeholder"), node(9, "Log", {7}), node(8, "Exp", {7}),
                              node(4, "Sub", {8, 9})}, {7}, 4);
    for (NodeRecord& n : b.nodes) n.name = "other/" + n.name;
    QCOMPARE(relation({a, b}), GraphRelation::kIdentical);
    std::reverse(b.nodes.begin(), b.nodes.end());
    QCOMPARE(relation({a, b}), GraphRelation::kIdentical);
  }

  void the_order_of_inputs_and_outputs_counts() {
    auto sub = [](std::vector<uint32_t> from) {
      return graph(0, {node(0, "Placeholder"), node(1, "Placeholder"), node(2, "Sub", from)}, {0, 1}, 2);
    };
    QCOMPARE(relation(sub({0, 1}), sub({1, 0})), GraphRelation::kStructure);
    GraphRecord a = sub({0, 1}), b = a;
    a.outputs = {{2, 0}, {0, 0}};
    b.outputs = {{0, 0}, {2, 0}};
    QCOMPARE(relation(a, b), GraphRelation::kStructure);
    b = sub({0, 1});
    b.nodes[2].inputs[1].output = 1;
    QCOMPARE(relation(sub({0, 1}), b), GraphRelation::kStructure);
  }

  void constants_are_values() {
    QCOMPARE(relation(scaled("0.1"), scaled("0.1")), GraphRelation::kIdentical);
    QCOMPARE(relation(scaled("0.1"), scaled("0.2")), GraphRelation::kConstants);
    QCOMPARE(relation(scaled("0.1", "(4)"), scaled("0.1", "(5)")), GraphRelation::kConstants);
    QCOMPARE(relation(scaled("0.1", "(4)"), scaled("0.1", "(4, 4)")), GraphRelation::kStructure);
    GraphRecord other = scaled("0.1");
    other.nodes[1].outputs = {"float64 ()"};
    QCOMPARE(relation(scaled("0.1"), other), GraphRelation::kStructure);
  }

  void large_constants_differ_by_their_hash() {
    const std::string start = "[0, 0, 0, ...] float32 (1000,)";
    QCOMPARE(relation(scaled(start + " #01"), scaled(start + " #01")), GraphRelation::kIdentical);
    QCOMPARE(relation(scaled(start + " #01"), scaled(start + " #02")), GraphRelation::kConstants);
    // An older recording kept only the beginning: nobody knows whether the rest is the same.
    QCOMPARE(relation(scaled(start), scaled(start)), GraphRelation::kConstants);
  }

  void attributes_count() {
    QCOMPARE(relation(attribute("alpha=0.2; T=float32"), attribute("alpha=0.2; T=float32")),
             GraphRelation::kIdentical);
    QCOMPARE(relation(attribute("alpha=0.2; T=float32"), attribute("alpha=0.3; T=float32")),
             GraphRelation::kConstants);
    QCOMPARE(relation(attribute("alpha=1e-07"), attribute("alpha=2e-07")), GraphRelation::kConstants);
    QCOMPARE(relation(attribute("betas=[0.9,0.99]"), attribute("betas=[0.9,0.999]")), GraphRelation::kConstants);
    QCOMPARE(relation(attribute("strides=[1,2]"), attribute("strides=[1,1]")), GraphRelation::kStructure);
    QCOMPARE(relation(attribute("transpose_a=true"), attribute("transpose_a=false")), GraphRelation::kStructure);
    QCOMPARE(relation(attribute("shape=(4, 2)"), attribute("shape=(5, 2)")), GraphRelation::kConstants);
    QCOMPARE(relation(attribute("seed=1; seed2=2"), attribute("seed=1; seed2=3")), GraphRelation::kConstants);
    QCOMPARE(relation(attribute("_user_specified_name=x"), attribute("_user_specified_name=y")),
             GraphRelation::kIdentical);
  }

  void control_inputs_count_in_any_order() {
    auto make = [](std::vector<uint32_t> controls) {
      GraphRecord g =
          graph(0, {node(0, "Placeholder"), node(1, "A", {0}), node(2, "B", {0}), node(3, "C", {0})}, {0}, 3);
      g.nodes[3].control_inputs = std::move(controls);
      return g;
    };
    QCOMPARE(relation(make({1, 2}), make({2, 1})), GraphRelation::kIdentical);
    QCOMPARE(relation(make({1, 2}), make({1})), GraphRelation::kStructure);
  }

  void one_shared_node_is_not_two_equal_ones() {
    auto random = [](uint32_t id) { return node(id, "RandomUniform", {}); };
    const GraphRecord shared = graph(0, {random(0), random(1), node(2, "Add", {0, 0}), node(3, "Add", {1, 1}),
                                         node(4, "Sub", {2, 3})}, {}, 4);
    const GraphRecord crossed = graph(0, {random(0), random(1), node(2, "Add", {0, 1}), node(3, "Add", {0, 1}),
                                          node(4, "Sub", {2, 3})}, {}, 4);
    QCOMPARE(relation(shared, shared), GraphRelation::kIdentical);
    QCOMPARE(relation(shared, crossed), GraphRelation::kStructure);
    GraphRecord more = shared;
    more.nodes.push_back(random(9));
    QCOMPARE(relation(shared, more), GraphRelation::kStructure);
  }

  void bodies_count_by_what_they_hold() {
    auto outer = [](uint32_t id, uint32_t body) {
      NodeRecord call = node(1, "If", {0}, "then_branch=some_name");
      call.attributes = "then_branch=cond_true_" + std::to_string(body) + "; T=float32";
      call.functions = {{"then_branch", GraphId(body)}};
      return graph(id, {node(0, "Placeholder"), call}, {0}, 1);
    };
    auto body = [](uint32_t id, const std::string& constant) {
      GraphRecord g = scaled(constant);
      g.id = GraphId(id);
      g.name = "cond_true_" + std::to_string(id);
      return g;
    };
    QCOMPARE(relation({outer(1, 10), outer(2, 11), body(10, "0.1"), body(11, "0.1")}), GraphRelation::kIdentical);
    QCOMPARE(relation({outer(1, 10), outer(2, 11), body(10, "0.1"), body(11, "0.2")}), GraphRelation::kConstants);
    GraphRecord longer = body(11, "0.1");
    longer.nodes.push_back(node(9, "Neg", {2}));
    QCOMPARE(relation({outer(1, 10), outer(2, 11), body(10, "0.1"), longer}), GraphRelation::kStructure);
    // A body that was not recorded: it is unknown whether it is the same.
    QCOMPARE(relation({outer(1, 10), outer(2, 10)}), GraphRelation::kUnknown);
  }

  void graphs_that_call_themselves_end() {
    auto recursive = [](uint32_t id, uint32_t callee) {
      NodeRecord call = node(1, "PartitionedCall", {0});
      call.functions = {{"f", GraphId(callee)}};
      return graph(id, {node(0, "Placeholder"), call}, {0}, 1);
    };
    QCOMPARE(relation({recursive(1, 1), recursive(2, 2)}), GraphRelation::kIdentical);
    // A chain of calls longer than any engine would make ends too.
    std::vector<GraphRecord> chain;
    for (uint32_t i = 1; i < 20000; ++i) chain.push_back(recursive(i, i + 1));
    QCOMPARE(relation(chain) == GraphRelation::kIdentical, false);
  }

  void cycles_and_dangling_edges_are_read() {
    GraphRecord a = graph(1, {node(0, "Merge", {1}), node(1, "Next", {0}), node(2, "Exit", {77})}, {5}, 42);
    GraphRecord b = a;
    b.id = GraphId(2);
    QCOMPARE(relation({a, b}), GraphRelation::kIdentical);
  }
};

QTEST_APPLESS_MAIN(TestFingerprint)
#include "test_fingerprint.moc"
