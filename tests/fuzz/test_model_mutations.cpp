// Replays the fuzz target for models without a fuzzer: recorded ones, and a fixed number of mutations of
// each. And what is read of them.
#include "engine/base/errors.h"
#include "engine/model/archive.h"
#include "engine/model/describe.h"
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
        {5, model::Archive(keras).member("model.weights.h5")}};
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
    const model::ModelFile graph = model::read_model(GOLDEN "/graphdef/add_mul.pbtxt");
    const model::ModelFile bytes = model::read_model(GOLDEN "/graphdef/add_mul.pb");
    QCOMPARE(graph.graphs.size(), size_t{1});
    QCOMPARE(graph.graphs[0].nodes.size(), bytes.graphs[0].nodes.size());
    for (size_t i = 0; i < graph.graphs[0].nodes.size(); ++i) {
      QCOMPARE(graph.graphs[0].nodes[i].attributes, bytes.graphs[0].nodes[i].attributes);
      QCOMPARE(graph.graphs[0].nodes[i].inputs.size(), bytes.graphs[0].nodes[i].inputs.size());
    }
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
