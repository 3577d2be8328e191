// Replays the fuzz target for models without a fuzzer: recorded ones, and a fixed number of mutations of
// each. And what is read of them.
#include "engine/base/errors.h"
#include "engine/model/archive.h"
#include "engine/model/describe.h"
#include "engine/model/parts.h"
#include "tests/fuzz/model_input.h"

#include <QtTest>

#include <fstream>
#include <random>
#include <sstream>

using namespace footlight;

namespace {

std::string content(const std::string& name) {
  std::ifstream file(std::string(GOLDEN "/") + name, std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

// "a(x, y:1)": the nodes with what they take.
QStringList drawn(const session::GraphRecord& graph) {
  QStringList lines;
  for (const session::NodeRecord& node : graph.nodes) {
    QStringList takes;
    for (const session::EdgeRecord& edge : node.inputs)
      takes << QString::fromStdString(graph.nodes[edge.from].name) +
                   (edge.output ? ":" + QString::number(edge.output) : QString());
    lines << QString::fromStdString(node.name) + "(" + takes.join(", ") + ")";
  }
  return lines;
}

session::GraphRecord layer_graph(const std::string& config) {
  model::ModelFile made;
  model::add_layer_graph(made, model::parse_json(config));
  return made.graphs.at(0);
}

}  // namespace

class TestModelMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void models_and_mutations_never_crash() {
    const std::string keras = content("models/dense.keras");
    const std::vector<std::pair<char, std::string>> inputs{
        {0, content("graphdef/add_mul.pb")},
        {1, content("graphdef/add_mul.pbtxt")},
        {2, content("savedmodel/net/saved_model.pb")},
        {4, keras},
        {5, model::Archive(keras).member("model.weights.h5", 1 << 20)},
        {6, model::Archive(content("models/branches.keras")).member("config.json", 1 << 20)}};
    std::mt19937 random(5);
    const auto below = [&](size_t n) { return n ? random() % n : 0; };
    for (const auto& [form, bytes] : inputs) {
      QVERIFY(fuzz::read_model_input(form + bytes));
      int read = 0;
      for (int i = 0; i < 400; ++i) {
        std::string changed = form + bytes;
        for (size_t times = 1 + below(3); times > 0; --times) {
          const size_t at = 1 + below(changed.size() - 1);
          const size_t length = 1 + below(std::min<size_t>(changed.size() - at, 20));
          switch (below(4)) {
            case 0: changed[at] = static_cast<char>(random()); break;
            case 1: changed.erase(at, length); break;
            case 2: changed.insert(1 + below(changed.size() - 1), changed.substr(at, length)); break;
            default: changed[at] = static_cast<char>(changed[at] ^ 1 << below(8)); break;
          }
          if (changed.size() < 2) break;
        }
        read += fuzz::read_model_input(changed);
      }
      QVERIFY(read > 0 || form == 4);  // some mutations leave a model, where there are no checksums
    }
  }

  void what_is_read() {
    const model::ModelFile net = model::read_model(GOLDEN "/savedmodel/net");
    QCOMPARE(net.kind, std::string("SavedModel"));
    QCOMPARE(net.signatures.size(), size_t{2});
    QCOMPARE(net.signatures[0].outputs[1].name + net.signatures[0].outputs[1].shape,
             std::string("logits(?, 2)"));
    QCOMPARE(net.variables[0].name, std::string("first.w"));
    QCOMPARE(net.variables[0].dtype + net.variables[0].shape, std::string("float32(3, 4)"));
    QCOMPARE(net.variables[0].bytes, int64_t{48});
    const std::string page = model::describe(net, 100);
    QVERIFY(page.find("train(x, y)") != std::string::npos);
    const model::ModelFile dense = model::read_model(GOLDEN "/models/dense.keras");
    QCOMPARE(dense.layers.size(), size_t{3});
    QCOMPARE(dense.layers[1].name + " " + dense.layers[1].kind, std::string("dense Dense"));
    QCOMPARE(dense.layers[1].parameters, int64_t{15});
    QCOMPARE(dense.layers[2].parameters, int64_t{12});
    QVERIFY(dense.variables.at(0).trainable == true);
    const model::ModelFile graph = model::read_model(GOLDEN "/graphdef/add_mul.pbtxt");
    const model::ModelFile bytes = model::read_model(GOLDEN "/graphdef/add_mul.pb");
    QCOMPARE(graph.graphs.size(), size_t{1});
    QCOMPARE(graph.graphs[0].nodes.size(), bytes.graphs[0].nodes.size());
    for (size_t i = 0; i < graph.graphs[0].nodes.size(); ++i) {
      QCOMPARE(graph.graphs[0].nodes[i].attributes, bytes.graphs[0].nodes[i].attributes);
      QCOMPARE(graph.graphs[0].nodes[i].inputs.size(), bytes.graphs[0].nodes[i].inputs.size());
    }
  }

  // Two calls of a layer and of a model inside, keyword arguments, two outputs.
  void layers_as_a_graph() {
    const model::ModelFile chain = model::read_model(GOLDEN "/models/dense.keras");
    QCOMPARE(chain.graphs.size(), size_t{1});
    QCOMPARE(chain.graphs[0].nodes.size(), size_t{3});
    QCOMPARE(chain.graphs[0].nodes[2].inputs.at(0).from, uint32_t{1});
    const session::GraphRecord graph = model::read_model(GOLDEN "/models/branches.keras").graphs.at(0);
    const QStringList expected{"x()",
                               "y()",
                               "shared(x)",
                               "shared (call 2)(y)",
                               "tower/input_layer_1(shared)",
                               "tower/a(tower/input_layer_1)",
                               "tower/b(tower/a)",
                               "tower (call 2)/input_layer_1(shared (call 2))",
                               "tower (call 2)/a(tower (call 2)/input_layer_1)",
                               "tower (call 2)/b(tower (call 2)/a)",
                               "r(x)",
                               "r2(y)",
                               "sum(tower/b, tower (call 2)/b)",
                               "att(r, r2)",
                               "cat(sum, tower/b)",
                               "f(att)"};
    QCOMPARE(drawn(graph), expected);
    QCOMPARE(graph.inputs, (std::vector<uint32_t>{0, 1}));
    QCOMPARE(graph.outputs.size(), size_t{2});
    QCOMPARE(graph.outputs[1].from, uint32_t{15});
    QCOMPARE(graph.nodes[0].outputs.at(0), std::string("float32 (?, 8)"));
    QCOMPARE(graph.nodes[12].outputs.at(0), std::string("float32 (?, 2)"));
    QVERIFY(graph.nodes[2].attributes.find("kernel_initializer=GlorotUniform") != std::string::npos);
    QVERIFY(graph.nodes[2].attributes.find("units=8") != std::string::npos);
  }

  // Places as Keras 2 wrote them; those of layers and outputs that are not there; a layer that takes itself.
  void odd_layer_graphs() {
    const auto layer = [](const std::string& name, const std::string& inbound) {
      return "{\"class_name\": \"L\", \"name\": \"" + name + "\", \"config\": {}, \"inbound_nodes\": " + inbound + "}";
    };
    const auto whole = [](const std::string& layers) {
      return "{\"layers\": [" + layers + R"(], "input_layers": [["a", 0, 0]], "output_layers": [["b", 0, 0]]})";
    };
    QCOMPARE(drawn(layer_graph(whole(layer("a", "[]") + ", " +
                                     layer("b", R"([[["a", 0, 0, {}], ["a", 0, 3, {"mask": ["b", 0, 0, {}]}]]])")))),
             (QStringList{"a()", "b(a, a:3)"}));
    QCOMPARE(drawn(layer_graph(whole(layer("b", R"([[["b", 0, 0]], [["c", 0, 0]], [["b", 9, 0]], [["b", -1, 0]],
                                                    [["b", 0, 99999999999999999999]], ["b"], 7, null])")))),
             (QStringList{"b(b)", "b (call 2)()", "b (call 3)()", "b (call 4)()", "b (call 5)()", "b (call 6)()",
                          "b (call 7)()", "b (call 8)()"}));
    // Each model calls the one inside twice.
    std::string doubled = layer("b", "[[], [], [], []]");
    for (int depth = 0; depth < 15; ++depth)
      doubled = "{\"name\": \"b\", \"inbound_nodes\": [[], [], [], []], \"config\": " + whole(doubled) + "}";
    QVERIFY_THROWS_EXCEPTION(Error, layer_graph(whole(doubled)));
    QVERIFY(fuzz::read_model_input("\x06{\"config\": {\"layers\": [7, null, {}]}}"));
  }

  void refusals() {
    QVERIFY(!model::looks_like_model(GOLDEN "/models"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model(GOLDEN "/models"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model("/nowhere/model.keras"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model_bytes("no model", "graph.pb"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model_bytes("node { name: \"a\" ", "graph.pbtxt"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model_bytes("PK", "model.keras"));
    QVERIFY_THROWS_EXCEPTION(Error, model::read_model_bytes(std::string(500, '{'), "graph.pbtxt"));
  }
};

QTEST_GUILESS_MAIN(TestModelMutations)
#include "test_model_mutations.moc"
