// The diff of two graphs: permuted copies are the same, an edit is reported as itself, hostile records are survived.
#include "engine/explain/graph_diff.h"
#include "tests/explain/sample_run.h"
#include "tests/sanitizers/sanitized.h"
#include "tests/session/records.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>

using namespace footlight;
using namespace footlight::explain;
using session::GraphRecord;
using session::NodeRecord;

namespace {

NodeRecord node(uint32_t id, const std::string& op, std::vector<uint32_t> from = {},
                const std::string& attributes = "") {
  NodeRecord n = node_of(id, op + '_' + std::to_string(id), op, from);
  n.outputs = {"float32 (4)"};
  n.attributes = attributes;
  return n;
}

NodeRecord constant(uint32_t id, const std::string& value) {
  NodeRecord n = node(id, "Const");
  n.constant = value;
  n.outputs = {"float32 ()"};
  return n;
}

GraphRecord graph(std::vector<NodeRecord> nodes, std::vector<uint32_t> inputs, uint32_t output, uint32_t id = 1) {
  GraphRecord g;
  g.id = GraphId(id);
  g.nodes = std::move(nodes);
  g.inputs = std::move(inputs);
  g.outputs = {{output, 0}};
  return g;
}

// The first of the left graphs against the first of the right ones; each side has its own ids, like two runs.
GraphDiff diff(const std::vector<GraphRecord>& left, const std::vector<GraphRecord>& right) {
  const auto side = [](const std::vector<GraphRecord>& graphs) {
    return DiffSide{[&graphs](GraphId id) {
      const auto at = std::find_if(graphs.begin(), graphs.end(), [&](const auto& g) { return g.id == id; });
      return at == graphs.end() ? nullptr : &*at;
    }};
  };
  return diff_graphs(side(left), left.front().id, side(right), right.front().id);
}
GraphDiff diff(const GraphRecord& left, const GraphRecord& right) {
  return diff(std::vector<GraphRecord>{left}, std::vector<GraphRecord>{right});
}

GraphRelation relation(GraphRecord left, GraphRecord right) {
  left.id = GraphId(1), right.id = GraphId(2);
  Fingerprints prints([&](GraphId id) {
    return id == left.id ? &left : id == right.id ? &right : nullptr;
  });
  return prints.compare(left.id, right.id);
}

// The same graph with other names, ids and order.
GraphRecord permuted(GraphRecord g, std::mt19937& random) {
  std::vector<uint32_t> ids(g.nodes.size());
  for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = i * 3 + 5;
  std::shuffle(ids.begin(), ids.end(), random);
  std::map<uint32_t, uint32_t> to;
  for (size_t i = 0; i < ids.size(); ++i) to[g.nodes[i].id] = ids[i];
  for (NodeRecord& n : g.nodes) {
    n.id = to[n.id];
    n.name = "renamed/" + std::to_string(n.id);
    for (auto& e : n.inputs) e.from = to[e.from];
    for (uint32_t& c : n.control_inputs) c = to[c];
  }
  for (uint32_t& i : g.inputs) i = to[i];
  for (auto& e : g.outputs) e.from = to[e.from];
  std::shuffle(g.nodes.begin(), g.nodes.end(), random);
  return g;
}

// A chain of these ops on one argument; node 0 is the argument.
GraphRecord chain(const std::vector<std::string>& ops) {
  std::vector<NodeRecord> nodes{node(0, "Placeholder")};
  for (const std::string& op : ops) {
    const auto last = static_cast<uint32_t>(nodes.size());
    nodes.push_back(node(last, op, {last - 1}));
  }
  const auto last = static_cast<uint32_t>(nodes.size() - 1);
  return graph(std::move(nodes), {0}, last);
}

// Ops of few kinds, so that many look alike; every third constant is the same.
GraphRecord random_graph(std::mt19937& random, uint32_t size, uint32_t kinds) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<NodeRecord> nodes{node(0, "Placeholder"), node(1, "Placeholder")};
  for (uint32_t i = 2; i < size; ++i) {
    const uint32_t kind = below(kinds + 2);
    if (kind == 0) nodes.push_back(constant(i, std::to_string(below(3)) + ".5"));
    else if (kind == 1) nodes.push_back(node(i, "Random", {}, "seed=1"));
    else if (kind % 2) nodes.push_back(node(i, "Unary" + std::to_string(kind), {below(i)}, "alpha=0.5; mode=a"));
    else nodes.push_back(node(i, "Binary" + std::to_string(kind), {below(i), below(i)}, "T=float32"));
    if (below(12) == 0) nodes.back().control_inputs = {below(i)};
  }
  return graph(std::move(nodes), {0, 1}, size - 1);
}

// One edit that somebody might make; returns as how many differences it may be reported. A node without inputs and
// users stands nowhere: when it is edited, one is gone and another is new.
size_t edit(GraphRecord& g, std::mt19937& random, uint32_t number) {
  const auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  NodeRecord& n = g.nodes[2 + below(g.nodes.size() - 2)];
  const bool used = std::any_of(g.nodes.begin(), g.nodes.end(), [&](const NodeRecord& user) {
    return std::any_of(user.inputs.begin(), user.inputs.end(), [&](const auto& e) { return e.from == n.id; });
  });
  const size_t one = n.inputs.empty() && !used ? 2 : 1;
  const uint32_t fresh = 100'000 + number;
  switch (below(6)) {
    case 0:
      if (n.constant.empty()) n.attributes += "; beta=0." + std::to_string(number + 1);
      else n.constant = "77.5";
      return one;
    case 1: n.outputs = {"float32 (9)"}; return one;
    case 2: n.attributes += "; extra=" + std::to_string(number); return one;
    case 3: {  // a node on an edge
      if (n.inputs.empty()) return 0;
      NodeRecord added = node(fresh, "Inserted", {n.inputs[0].from});
      n.inputs[0].from = fresh;
      g.nodes.push_back(added);
      return 1;
    }
    case 4: {  // another op in its place
      n.op = "Replaced" + std::to_string(number);
      return 2;
    }
    default: {  // taken out; what used it takes its input
      if (n.inputs.empty() || n.id == g.outputs[0].from) return 0;
      const uint32_t gone = n.id, instead = n.inputs[0].from;
      for (NodeRecord& other : g.nodes) {
        for (auto& e : other.inputs)
          if (e.from == gone) e.from = instead;
        for (uint32_t& c : other.control_inputs)
          if (c == gone) c = instead;
      }
      g.nodes.erase(std::find_if(g.nodes.begin(), g.nodes.end(), [&](const auto& x) { return x.id == gone; }));
      return 1;
    }
  }
}

const NodeDiff& only_difference(const GraphDiff& d) {
  const auto at = d.differences().at(0);
  return d.pairs[at.first].nodes[at.second];
}

}  // namespace

class TestGraphDiff : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_same_graph_has_no_differences() {
    const GraphDiff d = diff(scaled("0.1"), scaled("0.1"));
    QCOMPARE(d.sentence, std::string("identical graphs"));
    QCOMPARE(d.counts.same, size_t{3});
    QCOMPARE(d.counts.differences(), size_t{0});
  }

  void one_constant() {
    const GraphDiff d = diff(scaled("0.1"), scaled("0.05"));
    QCOMPARE(d.sentence, std::string("the graphs differ only in 1 constant"));
    QCOMPARE(d.counts.changed, size_t{1});
    const NodeDiff& n = only_difference(d);
    QCOMPARE(n.left, 1u);
    QCOMPARE(words(n.changes.at(0)), std::string("value 0.1 → 0.05"));
  }

  void sizes_and_what_follows_them() {
    GraphRecord a = chain({"Exp", "Log", "Neg"}), b = a;
    for (NodeRecord& n : b.nodes) n.outputs = {"float32 (5)"};
    const GraphDiff d = diff(a, b);
    QCOMPARE(d.sentence, std::string("the graphs differ only in the shapes of 1 node (3 others follow)"));
    QVERIFY(!d.pairs[0].nodes[0].follows);
    QVERIFY(d.pairs[0].nodes[3].follows);
  }

  void a_dtype_is_structure() {
    GraphRecord a = chain({"Exp"}), b = a;
    b.nodes[1].outputs = {"float64 (4)"};
    QCOMPARE(diff(a, b).sentence, std::string("1 node changed (output of Exp)"));
  }

  void attributes_inputs_and_controls() {
    GraphRecord a = graph({node(0, "Placeholder"), node(1, "Placeholder"), node(2, "Sub", {0, 1}, "a=1; mode=x"),
                           node(3, "Exp", {2}), node(4, "Neg", {3})}, {0, 1}, 4);
    GraphRecord b = a;
    b.nodes[2].attributes = "a=1; mode=y";
    QCOMPARE(diff(a, b).sentence, std::string("1 node changed (mode of Sub)"));
    b = a;
    std::swap(b.nodes[2].inputs[0], b.nodes[2].inputs[1]);
    QCOMPARE(diff(a, b).sentence, std::string("1 node changed (inputs of Sub)"));
    QCOMPARE(words(only_difference(diff(a, b)).changes.at(1)), std::string("input 1 Placeholder_1 → Placeholder_0"));
    b = a;
    b.nodes[4].control_inputs = {2};
    QCOMPARE(diff(a, b).sentence, std::string("1 node changed (control inputs of Neg)"));
    b = a;
    b.outputs = {{3, 0}};
    QCOMPARE(diff(a, b).sentence, std::string("1 result comes from elsewhere"));
  }

  void inserted_removed_replaced() {
    const GraphRecord a = chain({"Exp", "Log", "Neg", "Abs"});
    QCOMPARE(diff(a, chain({"Exp", "Log", "Relu", "Neg", "Abs"})).sentence, std::string("1 node only on the right"));
    QCOMPARE(diff(a, chain({"Exp", "Neg", "Abs"})).sentence, std::string("1 node only on the left"));
    QCOMPARE(diff(a, chain({"Exp", "Relu", "Neg", "Abs"})).sentence,
             std::string("1 node only on the left, 1 only on the right"));
    // Another op of the same kind: which one is new nobody can tell, but it is one.
    QCOMPARE(diff(chain({"Neg", "Neg", "Neg"}), chain({"Neg", "Neg", "Neg", "Neg"})).counts.differences(), size_t{1});
  }

  void chains_that_are_alike() {
    const auto parallel = [](uint32_t copies) {
      std::vector<NodeRecord> nodes{node(0, "Placeholder")};
      NodeRecord sum = node(1, "AddN");
      for (uint32_t c = 0; c < copies; ++c) {
        nodes.push_back(node(2 + 3 * c, "Exp", {0}));
        nodes.push_back(node(3 + 3 * c, "Log", {2 + 3 * c}));
        nodes.push_back(node(4 + 3 * c, "Neg", {3 + 3 * c}));
        sum.inputs.push_back({4 + 3 * c, 0});
      }
      nodes.push_back(sum);
      return graph(nodes, {0}, 1);
    };
    std::mt19937 random(3);
    QCOMPARE(diff(parallel(20), permuted(parallel(20), random)).sentence, std::string("identical graphs"));
    const GraphDiff d = diff(parallel(20), permuted(parallel(21), random));
    QCOMPARE(d.counts.only_left, size_t{0});
    QCOMPARE(d.counts.only_right, size_t{3});
    QCOMPARE(d.counts.changed, size_t{1});  // the sum has another input
  }

  void bodies_are_compared_inside() {
    const auto outer = [](uint32_t body) {
      NodeRecord call = node(1, "If", {0}, "then_branch=f_" + std::to_string(body));
      call.functions = {{"then_branch", GraphId(body)}};
      return graph({node(0, "Placeholder"), call, node(2, "Neg", {1})}, {0}, 2);
    };
    const auto body = [](uint32_t id, const std::string& value) {
      GraphRecord g = scaled(value);
      g.id = GraphId(id);
      return g;
    };
    QCOMPARE(diff({outer(7), body(7, "0.1")}, {outer(9), body(9, "0.1")}).sentence, std::string("identical graphs"));
    const GraphDiff d = diff({outer(7), body(7, "0.1")}, {outer(9), body(9, "0.2")});
    QCOMPARE(d.sentence, std::string("the graphs differ only in 1 constant"));
    QCOMPARE(d.pairs.size(), size_t{2});
    QCOMPARE(d.pairs[1].role, std::string("then_branch"));
    QCOMPARE(d.pairs[1].owner_left, 1u);
    QVERIFY(d.pairs[0].nodes[1].state == NodeState::kChanged);
    QVERIFY(!d.pairs[0].nodes[1].own());
    QCOMPARE(words(d.pairs[0].nodes[1].changes.at(0)), std::string("then_branch differs inside"));
    QCOMPARE(diff({outer(7)}, {outer(9)}).sentence, std::string("identical graphs; 1 called graph was not recorded"));
    // Three deep.
    const auto nested = [&](const std::string& value) {
      GraphRecord first = outer(2), second = outer(3);
      second.id = GraphId(2);
      return std::vector<GraphRecord>{first, second, body(3, value)};
    };
    QCOMPARE(diff(nested("1.0"), nested("2.0")).counts.differences(), size_t{1});
    QCOMPARE(diff(nested("1.0"), nested("2.0")).pairs[1].nodes[1].changes.size(), size_t{1});
  }

  void a_graph_that_calls_itself() {
    NodeRecord call = node(1, "PartitionedCall", {0});
    call.functions = {{"f", GraphId(1)}};
    GraphRecord a = graph({node(0, "Placeholder"), call, constant(2, "1.0")}, {0}, 1), b = a;
    QCOMPARE(diff(a, b).sentence, std::string("identical graphs"));
    b.nodes[2].constant = "2.0";
    QCOMPARE(diff(a, b).sentence, std::string("the graphs differ only in 1 constant"));
  }

  void permuted_copies_are_identical() {
    for (uint32_t seed = 1; seed <= test::some_of(60u); ++seed) {
      std::mt19937 random(seed);
      const GraphRecord a = random_graph(random, 20 + seed * 5, 1 + seed % 5);
      const GraphRecord b = permuted(a, random);
      QCOMPARE(relation(a, b), GraphRelation::kIdentical);
      const GraphDiff d = diff(a, b);
      QVERIFY2(d.sentence == "identical graphs", (std::to_string(seed) + ": " + d.sentence).c_str());
    }
  }

  void permuted_copies_with_other_values_differ_only_in_them() {
    for (uint32_t seed = 1; seed <= test::some_of(60u); ++seed) {
      std::mt19937 random(seed);
      const GraphRecord a = random_graph(random, 20 + seed * 5, 1 + seed % 5);
      GraphRecord b = a;
      size_t changed = 0;
      for (NodeRecord& n : b.nodes) {
        if (n.constant.empty() || random() % 3) continue;
        n.constant = std::to_string(seed) + ".25";
        ++changed;
      }
      b = permuted(b, random);
      if (!changed) continue;
      QCOMPARE(relation(a, b), GraphRelation::kConstants);
      const GraphDiff d = diff(a, b);
      const std::string said = std::to_string(seed) + ": " + d.sentence;
      QVERIFY2(d.sentence.starts_with("the graphs differ only in "), said.c_str());
      QVERIFY2(d.counts.changed <= changed, said.c_str());
    }
  }

  // Edits are reported as themselves, but may cost more where nodes look alike: if Binary(x, y) is taken out before
  // Binary(Binary(x, y), y), either can be called the one that is left.
  void random_edits_are_what_is_reported() {
    size_t all_touched = 0, all_reported = 0;
    for (uint32_t seed = 1; seed <= test::some_of(400u); ++seed) {
      std::mt19937 random(seed);
      const GraphRecord a = random_graph(random, 30 + seed, 3 + seed % 9);
      GraphRecord b = a;
      size_t touched = 0;
      const uint32_t edits = 1 + seed % 5;
      for (uint32_t e = 0; e < edits; ++e) touched += edit(b, random, e);
      b = permuted(b, random);
      const GraphDiff d = diff(a, b);
      const std::string said = std::to_string(seed) + ": " + std::to_string(touched) + " against " + d.sentence;
      QVERIFY2((d.counts.differences() == 0) == (relation(a, b) == GraphRelation::kIdentical), said.c_str());
      QVERIFY2(d.counts.differences() <= (edits == 1 ? touched + 1 : 3 * touched), said.c_str());
      all_touched += touched;
      all_reported += d.counts.differences();
      // Nobody is lost or reported twice.
      QCOMPARE(d.counts.same + d.counts.changed + d.counts.only_left, a.nodes.size());
      QCOMPARE(d.counts.same + d.counts.changed + d.counts.only_right, b.nodes.size());
    }
    const std::string said = std::to_string(all_reported) + " for " + std::to_string(all_touched);
    QVERIFY2(all_reported * 20 <= all_touched * 21, said.c_str());
  }

  void fifty_thousand_nodes() {
    std::mt19937 random(5);
    constexpr uint32_t kNodes = test::some_of(50'000u);
    const std::vector<std::string> ops(kNodes, "Neg");
    std::vector<std::string> more = ops;
    more[kNodes / 2] = "Exp";
    const GraphRecord a = chain(ops);
    QCOMPARE(diff(a, permuted(a, random)).counts.differences(), size_t{0});
    QCOMPARE(diff(a, permuted(chain(more), random)).counts.differences(), size_t{2});

    // Equal pairs on one argument, then unused ones.
    const auto wide = [](uint32_t copies) {
      std::vector<NodeRecord> nodes{node(0, "Placeholder")};
      NodeRecord sum = node(1, "AddN");
      for (uint32_t c = 0; c < copies; ++c) {
        nodes.push_back(node(2 + 2 * c, "Exp", {0}));
        nodes.push_back(node(3 + 2 * c, "Neg", {2 + 2 * c}));
        if (c % 2) sum.inputs.push_back({3 + 2 * c, 0});
      }
      nodes.push_back(sum);
      return graph(nodes, {0}, 1);
    };
    const GraphRecord w = wide(kNodes / 2);
    QCOMPARE(diff(w, permuted(w, random)).counts.differences(), size_t{0});
    GraphRecord v = w;
    v.nodes[1001].op = "Log";
    QCOMPARE(diff(w, permuted(v, random)).counts.differences(), size_t{2});

    // Nothing in common.
    const GraphDiff none = diff(a, chain(std::vector<std::string>(kNodes, "Exp")));
    QCOMPARE(none.counts.only_left, size_t{kNodes});
    QCOMPARE(none.counts.only_right, size_t{kNodes});
    const GraphRecord r = random_graph(random, kNodes, 6);
    QCOMPARE(diff(r, permuted(r, random)).counts.differences(), size_t{0});
    diff(r, random_graph(random, kNodes, 6));
  }

  void hostile_records_are_read() {
    GraphRecord a = graph({node(0, "Merge", {1}), node(1, "Next", {0}), node(1, "Twice", {77}), node(1, "Twice", {1})},
                          {5, 0, 0}, 42);
    a.nodes[0].control_inputs = {0, 0, 4'000'000'000u};
    a.nodes[0].functions = {{"f", GraphId()}, {"f", GraphId(1)}, {"", GraphId(99)}};
    a.nodes[1].attributes = "; ;=;==; f";
    QCOMPARE(diff(a, a).counts.differences(), size_t{0});
    for (uint32_t seed = 1; seed <= test::some_of(300u); ++seed) {
      std::mt19937 random(seed);
      const auto broken = [&] {
        GraphRecord g;
        g.id = GraphId(1);
        const uint32_t size = random() % 12;
        for (uint32_t i = 0; i < size; ++i) {
          NodeRecord n = node(random() % 8, random() % 2 ? "A" : "B");
          for (uint32_t k = random() % 4; k > 0; --k)
            n.inputs.push_back({static_cast<uint32_t>(random() % 10), static_cast<uint16_t>(random() % 2)});
          for (uint32_t k = random() % 3; k > 0; --k) n.control_inputs.push_back(random() % 10);
          if (random() % 4 == 0) n.functions = {{"f", GraphId(random() % 3)}};
          g.nodes.push_back(n);
        }
        for (uint32_t k = random() % 3; k > 0; --k) g.inputs.push_back(random() % 10);
        for (uint32_t k = random() % 3; k > 0; --k) g.outputs.push_back({static_cast<uint32_t>(random() % 10), 0});
        return g;
      };
      const GraphRecord x = broken(), y = broken();
      const GraphDiff d = diff(x, y);
      QCOMPARE(d.counts.same + d.counts.changed + d.counts.only_left, x.nodes.size());
      QCOMPARE(d.counts.same + d.counts.changed + d.counts.only_right, y.nodes.size());
      for (const auto& [p, n] : d.differences())
        for (const NodeChange& c : d.pairs[p].nodes[n].changes) QVERIFY(!words(c).empty());
    }
  }

  void it_can_be_cancelled() {
    const GraphRecord a = chain(std::vector<std::string>(5000, "Neg"));
    const DiffSide side{[&](GraphId) { return &a; }};
    QVERIFY_EXCEPTION_THROWN(diff_graphs(side, a.id, side, a.id, [] { throw std::runtime_error("enough"); }),
                             std::runtime_error);
  }
};

QTEST_APPLESS_MAIN(TestGraphDiff)
#include "test_graph_diff.moc"
