// Names, the verifier, the text printer, descriptions of values and attributes.
#include "engine/base/errors.h"
#include "engine/graph/describe.h"
#include "engine/graph/print.h"
#include "engine/graph/verify.h"
#include "tests/base/thrown.h"
#include "tests/graph/sample_graph.h"

#include <QTest>

#include <cmath>

using namespace footlight;

namespace {

void fails(const Graph& graph, const char* what) {
  QVERIFY(says(message_thrown([&] { verify(graph); }), what));
}

}  // namespace

class TestGraph : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void names_short_and_long() {
    const std::string fits(15, 'x'), longer(16, 'y'), longest(300, 'z');
    for (const std::string& text : {std::string(), std::string("a"), fits, longer, longest}) {
      NodeName name = text;
      const NodeName copy = name;
      QCOMPARE(name.size(), text.size());
      QCOMPARE(std::string(name.c_str()), text);
      QVERIFY(copy == name && copy == text);
      QCOMPARE(copy.c_str() == name.c_str(), text.size() > fits.size());  // long ones are shared
      const NodeName moved = std::move(name);
      QVERIFY(moved == text && name.empty());  // NOLINT: after a move on purpose
      name = moved + "/more";
      QCOMPARE(std::string(name), text + "/more");
      QVERIFY(copy == text);
    }
  }

  void attributes_and_shapes_are_shared_until_changed() {
    Graph graph("g");
    const NodeId x = placeholder(graph, "x");
    Node copy = graph.node(x);
    QCOMPARE(&copy.attrs.all(), &graph.node(x).attrs.all());
    QCOMPARE(&copy.shapes.all(), &graph.node(x).shapes.all());
    copy.attrs.set(kDType, DType::kInt32);
    copy.shapes.own()[0] = Shape{3};
    QVERIFY(graph.node(x).attrs.get<DType>(kDType) == DType::kFloat32);
    QVERIFY(graph.node(x).shapes[0] == Shape{2} && copy.shapes[0] == Shape{3});
  }

  void names_count_up_without_regard_to_case() {
    Graph graph("names");
    QCOMPARE(graph.unique_name("add"), std::string("add"));
    QCOMPARE(graph.unique_name("add"), std::string("add_1"));
    QCOMPARE(graph.unique_name("Add"), std::string("Add_2"));
    QCOMPARE(graph.unique_name("add_1"), std::string("add_1_1"));
    graph.name_scope = "outer/";
    QCOMPARE(graph.unique_name("add"), std::string("outer/add"));
    QCOMPARE(graph.unique_name("add"), std::string("outer/add_1"));
    QCOMPARE(graph.unique_full_name("add"), std::string("add_3"));
  }

  void names_that_were_made_are_taken() {
    Graph graph("names");
    for (int i = 0; i < 12; ++i) graph.unique_name("x");
    QCOMPARE(graph.unique_name("X_11"), std::string("X_11_1"));
    QCOMPARE(graph.unique_name("x_11"), std::string("x_11_2"));
    QCOMPARE(graph.unique_name("x_011"), std::string("x_011"));  // nothing was given this name
    QCOMPARE(graph.unique_name("x_0"), std::string("x_0"));
    QCOMPARE(graph.unique_name("x_12"), std::string("x_12"));
    QCOMPARE(graph.unique_name("x"), std::string("x_13"));
    QCOMPARE(graph.unique_name("x_"), std::string("x_"));
    QCOMPARE(graph.unique_name("x_99999999999"), std::string("x_99999999999"));
    const GraphPtr copy = clone(graph);
    QCOMPARE(copy->unique_name("x_7"), std::string("x_7_1"));
  }

  void a_sound_graph_passes() { verify(*sample()); }

  void a_use_before_the_definition_is_found() {
    GraphPtr graph = sample();
    graph->node(NodeId(1)).inputs[0] = {NodeId(2), 0};
    fails(*graph, "comes later");
  }
  void an_output_that_is_none_is_found() {
    GraphPtr graph = sample();
    graph->outputs[0].output = 3;
    fails(*graph, "output 3");
  }
  void a_wrong_number_of_inputs_is_found() {
    GraphPtr graph = sample();
    graph->node(NodeId(1)).inputs.pop_back();
    fails(*graph, "takes 2 inputs");
  }
  void a_name_used_twice_is_found() {
    GraphPtr graph = sample();
    graph->node(NodeId(2)).name = "add";
    fails(*graph, "used twice");
  }
  void a_missing_node_is_found() {
    GraphPtr graph = sample();
    graph->node(NodeId(2)).inputs[0].node = NodeId(77);
    fails(*graph, "no node of the graph");
  }

  void the_text_names_everything() {
    QCOMPARE(to_text(*sample()), std::string("graph sample\n"
                                             "  x = Placeholder() {dtype=float32; shape=(2,)} -> float32 (2,)\n"
                                             "  add = AddV2(x, x) {T=float32} -> float32 (2,)\n"
                                             "  add_1 = AddV2(add, x) {T=float32} -> float32 (2,)\n"
                                             "  return add_1\n"));
  }

  void values_are_told_apart_by_their_text() {
    std::vector<float> numbers(1000, 0.0f);
    const std::string zeros = describe_value(Tensor::vector<float>(numbers));
    QVERIFY(zeros.starts_with("[0, 0, 0, "));
    QCOMPARE(describe_value(Tensor::vector<float>(numbers)), zeros);
    numbers.back() = 1;
    QVERIFY(describe_value(Tensor::vector<float>(numbers)) != zeros);
    QVERIFY(describe_value(Tensor::scalar(0.1f)) != describe_value(Tensor::scalar(std::nextafter(0.1f, 1.0f))));
    QCOMPARE(describe_value(Tensor::scalar(0.1f)), std::string("0.1"));
    QVERIFY(describe_value(Tensor::scalar<uint32_t>(1)) != describe_value(Tensor::scalar<uint32_t>(2)));
    // Text that is left out is replaced by a hash, also where it ends exactly at the limit.
    for (int64_t n = 30; n < 50; ++n) {
      std::vector<int64_t> ones(static_cast<size_t>(n), 1);
      const std::string text = describe_value(Tensor::vector<int64_t>(ones));
      QCOMPARE(text.find("...") == std::string::npos, n <= 40);
      QCOMPARE(text.find(" #") == std::string::npos, n <= 40);
    }
  }

  void attributes_keep_all_digits() {
    auto text = [](float value) {
      Node node;
      node.attrs = {{AttrName("alpha"), value}, {AttrName("betas"), std::vector<float>{value, 1}}};
      return describe_attrs(node);
    };
    QCOMPARE(text(0.2f), std::string("alpha=0.2; betas=[0.2,1.0]"));
    QCOMPARE(text(1), std::string("alpha=1.0; betas=[1.0,1.0]"));
    QVERIFY(text(1e-7f) != text(2e-7f));
  }

  void a_clone_is_its_own() {
    GraphPtr graph = sample();
    GraphPtr copy = clone(*graph);
    add(*copy, NodeId(0), NodeId(0));
    QCOMPARE(graph->size(), size_t{3});
    QCOMPARE(copy->size(), size_t{4});
    QCOMPARE(copy->node(NodeId(3)).name, std::string("add_2"));
  }
};

QTEST_APPLESS_MAIN(TestGraph)
#include "test_graph.moc"
