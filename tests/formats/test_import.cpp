// GraphDefs of strangers: what is read, what it means, and what is refused, in words and before it costs anything.
#include "engine/formats/graph_def.h"
#include "engine/formats/import_graph.h"
#include "engine/formats/read.h"
#include "engine/graph/verify.h"
#include "tests/base/thrown.h"

#include <google/protobuf/unknown_field_set.h>

#include <QTest>

using namespace footlight;
using formats::Limits;

namespace {

struct Imported {
  GraphPtr graph = std::make_shared<Graph>("imported");
  std::vector<GraphImport::Element> found;
};

Imported import(const std::string& text, std::vector<std::string> wanted = {}, const Limits& limits = {},
                std::string prefix = {}) {
  formats::GraphDef def;
  formats::read_text(def, text);
  Imported result;
  GraphImport into{*result.graph,
                   [&](Node node) { return result.graph->add_named(std::move(node)); },
                   std::move(prefix),
                   {},
                   {},
                   std::move(wanted),
                   {}};
  formats::import_graph_def(def, into, nullptr, limits);
  result.found = into.found;
  verify(*result.graph);
  return result;
}

// The error, or "no error".
std::string refused(const std::string& text, const Limits& limits = {}, std::vector<std::string> wanted = {}) {
  return message_thrown([&] { import(text, std::move(wanted), limits); });
}

const std::string kX =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } "
    "attr { key: 'shape' value { shape { dim { size: 2 } } } } }\n";
const std::string kFloat = "attr { key: 'T' value { type: DT_FLOAT } } ";

std::string node(const std::string& name, const std::string& op, const std::string& rest) {
  return "node { name: '" + name + "' op: '" + op + "' " + rest + "}\n";
}
// A function x -> body(x), where body is text of a FunctionDef.
std::string function(const std::string& name, const std::string& rest) {
  return "function { signature { name: '" + name +
         "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'r' type: "
         "DT_FLOAT } } " +
         rest + "}\n";
}
std::string call(const std::string& name, const std::string& callee, const std::string& input = "x") {
  return node(name, "PartitionedCall",
              "input: '" + input +
                  "' attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
                  "attr { key: 'Tout' value { list { type: DT_FLOAT } } } attr { key: 'f' value { func { name: '" +
                  callee + "' } } } ");
}
std::string inner_call(const std::string& callee) {
  return "node_def { name: 'c' op: 'PartitionedCall' input: 'a' attr { key: 'Tout' value { list { type: DT_FLOAT } } } "
         "attr { key: 'f' value { func { name: '" + callee + "' } } } } ret { key: 'r' value: 'c:output:0' } ";
}
const std::string kNegate =
    "node_def { name: 'n' op: 'Neg' input: 'a' " + kFloat + "} ret { key: 'r' value: 'n:y:0' } ";

std::string constant(const std::string& tensor) {
  return node("c", "Const",
              "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor { dtype: "
              "DT_FLOAT " +
                  tensor + "} } } ");
}

std::string constant_error(const std::string& tensor, const Limits& limits = {}) {
  return refused(constant(tensor), limits);
}

}  // namespace

class TestImport : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void nodes_come_after_what_they_need() {
    const Imported got =
        import(node("z", "Neg", "input: 'y' " + kFloat) +
                   node("y", "AddV2", "input: 'x' input: 'x' input: '^w' " + kFloat) + kX + node("w", "NoOp", ""),
               {"z:0", "w"});
    QCOMPARE(got.graph->size(), size_t{4});
    const Node& y = got.graph->node(got.graph->node(got.found[0].node).inputs[0].node);
    QCOMPARE(y.name, std::string("y"));
    QCOMPARE(y.control_inputs.to_vector(), std::vector<NodeId>{got.found[1].node});
    QCOMPARE(got.found[0].output, int64_t{0});
    QCOMPARE(got.found[1].output, int64_t{-1});
    QVERIFY(y.shapes[0] == Shape{2});
  }

  void names_get_the_prefix_and_places_too() {
    const Imported got =
        import(kX + node("y", "Neg", "input: 'x' attr { key: '_class' value { list { s: 'loc:@x' } } } " + kFloat),
               {"y"}, {}, "import/");
    const Node& y = got.graph->node(got.found[0].node);
    QCOMPARE(y.name, std::string("import/y"));
    QCOMPARE(y.attrs.get<std::vector<std::string>>(AttrName("_class")), std::vector<std::string>{"loc:@import/x"});
  }

  void names_may_differ_in_case_alone() {
    QCOMPARE(import(kX + node("Y", "Neg", "input: 'x' " + kFloat) + node("y", "Neg", "input: 'x' " + kFloat))
                 .graph->size(),
             size_t{3});
  }

  void repeated_values_fill_a_constant() {
    const Imported got =
        import(constant("tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: 1.5 float_val: 4 "), {"c"});
    const Tensor value = got.graph->node(got.found[0].node).attrs.get<Tensor>(AttrName("value"));
    QVERIFY(value.shape() == (Shape{2, 3}));
    QCOMPARE(value.data<float>()[0], 1.5f);
    QCOMPARE(value.data<float>()[5], 4.f);
  }

  void constants_that_lie_are_refused() {
    QVERIFY(
        says(constant_error("tensor_shape { dim { size: 3 } } tensor_content: 'abcd' "), "has 12 bytes, the file 4"));
    QVERIFY(says(constant_error("tensor_shape { dim { size: -1 } } float_val: 1 "), "not fully known"));
    QVERIFY(says(constant_error("tensor_shape { dim { size: -5 } } "), "-5"));
    QVERIFY(says(constant_error("tensor_shape { unknown_rank: true } "), "not fully known"));
    // 2**62 elements of one value, and a product past 64 bits.
    QVERIFY(
        says(constant_error("tensor_shape { dim { size: 4611686018427387904 } } float_val: 1 "), "too much memory"));
    QVERIFY(constant_error("tensor_shape { dim { size: 4611686018427387904 } dim { size: 16 } } ") != "no error");
    Limits small;
    small.constant_bytes = 100;
    QVERIFY(says(constant_error("tensor_shape { dim { size: 26 } } float_val: 1 ", small), "100 bytes"));
    QCOMPARE(constant_error("tensor_shape { dim { size: 25 } } float_val: 1 ", small), std::string("no error"));
    std::string dims = "tensor_shape { ";
    for (int i = 0; i < 255; ++i) dims += "dim { size: 1 } ";
    QVERIFY(says(constant_error(dims + "} "), "254"));
  }

  void unsupported_ops_are_listed_together() {
    const std::string message = refused(
        kX + node("a", "NoSuchOp", "") + node("b", "NoSuchOp", "") + node("s", "Switch", "") + call("k", "f") +
        "library { " + function("f", "node_def { name: 'u' op: 'Another' } ret { key: 'r' value: 'a' } ") +
        function("unused", "node_def { name: 'v' op: 'NeverSeen' } ") + "}");
    QVERIFY(says(message, "Another (node 'u' of function 'f')"));
    QVERIFY(says(message, "NoSuchOp (node 'a' and 1 other)"));
    QVERIFY(says(message, "Switch (node 's')"));
    QVERIFY(says(message, "TensorFlow 1"));
    QVERIFY(message.find("NeverSeen") == message.npos);
  }

  void inputs_and_attributes_must_fit_the_op() {
    QVERIFY(says(refused(kX + node("y", "AddV2", "input: 'x' " + kFloat)), "Node 'y': it has 1 inputs"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'x' attr { key: 'T' value { type: DT_INT32 } } ")),
                 "its input 'x' is float32, its attribute 'T' says int32"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'x' attr { key: 'T' value { i: 1 } } ")), "must be a type"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'x' attr { key: 'axis' value { i: 1 } } ")),
                 "has no attribute 'axis'"));
    QVERIFY(says(refused(kX + node("y", "Cast", "input: 'x' ")), "'DstT' of Cast is missing"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'q' ")), "'q'"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'x:1' ")), "output 1 of a node that has 1"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: '^x' input: 'x' ")), "after control inputs"));
    QVERIFY(says(refused(kX + kX), "two nodes are named 'x'"));
    QVERIFY(says(refused(node("_a", "NoOp", "")), "no name that a node can have"));
    QVERIFY(says(refused(kX + node("y", "Neg", "input: 'x' device: 'nowhere' ")), "nowhere"));
    QVERIFY(says(refused(node("a", "Neg", "input: 'b' ") + node("b", "Neg", "input: 'a' ")), "need each other"));
    QVERIFY(says(refused(node("y", "AddN", "attr { key: 'N' value { i: 0 } } " + kFloat)), "has no tensors"));
    QVERIFY(says(refused(kX + node("y", "AddN", "input: 'x' attr { key: 'N' value { i: -7 } } " + kFloat)),
                 "'N' says something else"));
    QVERIFY(says(refused(kX, {}, {"x:7"}), "'x:7' not found"));
    QVERIFY(says(refused("versions { min_consumer: 99999 }"), "99999"));
    QVERIFY(says(refused("versions { producer: 1 bad_consumers: 2474 }"), "2474"));
  }

  void functions_are_called_with_what_they_take() {
    const std::string library = "library { " + function("f", kNegate) + "}";
    const Imported got = import(kX + call("y", "f") + node("z", "f", "input: 'x' ") + library, {"y", "z"});
    for (const GraphImport::Element& element : got.found) {
      const Node& y = got.graph->node(element.node);
      QCOMPARE(std::string(y.op->name), std::string("PartitionedCall"));
      const GraphPtr f = y.attrs.get<GraphPtr>(AttrName("f"));
      QCOMPARE(f->name(), std::string("f"));
      QCOMPARE(f->size(), size_t{2});
      QVERIFY(f->outputs[0].node == NodeId(1));
    }
    QCOMPARE(library_of(*got.graph).size(), size_t{1});
    QVERIFY(says(refused(kX + call("y", "g") + library), "no function 'g'"));
    QVERIFY(
        says(refused(kX + call("y", "f", "x") + "library { " + function("f", "ret { key: 'r' value: 'b' } ") + "}"),
             "function 'f': "));
    QVERIFY(
        says(refused(kX + node("y", "PartitionedCall", "attr { key: 'Tout' value { list { type: DT_FLOAT } } } attr { "
                                                       "key: 'f' value { func { name: 'f' } } } ") + library),
             "takes 1 tensors, it gets 0"));
    QVERIFY(says(refused(kX + call("y", "f") + "library { " + function("f", "") + "}"),
                 "does not say what its output 'r' is"));
  }

  void functions_that_call_each_other_end() {
    QVERIFY(says(refused(kX + call("y", "f") + "library { " + function("f", inner_call("f")) + "}"), "calls itself"));
    QVERIFY(says(refused(kX + call("y", "f") + "library { " + function("f", inner_call("g")) +
                         function("g", inner_call("f")) + "}"),
                 "calls itself"));
    std::string chain = "library { " + function("f0", kNegate);
    for (int i = 1; i < 200; ++i) chain += function("f" + std::to_string(i), inner_call("f" + std::to_string(i - 1)));
    QVERIFY(says(refused(kX + call("y", "f199") + chain + "}"), "levels deep"));
    QCOMPARE(refused(kX + call("y", "f100") + chain + "}"), std::string("no error"));
    // Each function calls two others: 2**40 copies of the last one.
    std::string doubling = "library { " + function("g0", kNegate) + function("g1", inner_call("g0"));
    for (int i = 2; i < 60; ++i) {
      const std::string name = std::to_string(i);
      doubling += function("g" + name, "node_def { name: 'c' op: 'g" + std::to_string(i - 1) +
                                           "' input: 'a' } node_def { name: 'd' op: 'g" + std::to_string(i - 2) +
                                           "' input: 'c:output:0' } ret { key: 'r' value: 'd:output:0' } ");
    }
    QVERIFY(says(refused(kX + call("y", "g59") + doubling + "}"), "nodes"));
  }

  void a_shape_that_nothing_confirms_is_looked_at_again() {
    const auto said = [&](const std::string& shape) {
      const std::string body =
          "arg_attr { key: 0 value { attr { key: '_output_shapes' value { list { shape { dim { size: " + shape +
          " } } } } } } } ";
      const Imported got = import(kX + call("y", "f") + "library { " + function("f", kNegate + body) + "}", {"y"});
      const GraphPtr f = got.graph->node(got.found[0].node).attrs.get<GraphPtr>(AttrName("f"));
      return f->node(f->inputs[0]).shape_said;
    };
    QVERIFY(said("7"));  // x has two elements
    QVERIFY(!said("2"));
    QVERIFY(!said("-1"));
  }

  void a_function_with_parameters_is_made_for_each_use() {
    const std::string f =
        "library { function { signature { name: 'f' input_arg { name: 'a' type_attr: 'D' number_attr: 'M' } "
        "output_arg { name: 'r' type_attr: 'D' } "
        "attr { name: 'D' type: 'type' } attr { name: 'M' type: 'int' } } node_def { name: 's' op: 'AddN' input: "
        "'a:0' input: 'a:1' "
        "attr { key: 'N' value { placeholder: 'M' } } attr { key: 'T' value { placeholder: 'D' } } } ret { key: 'r' "
        "value: 's:sum:0' } } }";
    const std::string use = "input: 'x' input: 'x' attr { key: 'D' value { type: DT_FLOAT } } ";
    const Imported got = import(kX + node("y", "f", use + "attr { key: 'M' value { i: 2 } } ") + f, {"y:0"});
    QVERIFY(got.graph->node(got.found[0].node).dtypes[0] == DType::kFloat32);
    QVERIFY(says(refused(kX + node("y", "f", use) + f), "'M', which the call does not give"));
    QVERIFY(says(refused(kX + node("y", "f", use + "attr { key: 'M' value { i: 900000 } } ") + f), "900000"));
  }

  void deep_and_many_messages_are_refused_before_they_are_made() {
    std::string nested;  // FullTypeDef in FullTypeDef
    for (int i = 0; i < 300; ++i) {
      std::string size;
      for (size_t n = nested.size();; n >>= 7) {
        size += static_cast<char>((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        if (n <= 0x7f) break;
      }
      nested = '\x12' + size + nested;
    }
    const auto error = [](google::protobuf::Message& message, const std::string& bytes, const Limits& limits,
                          bool text) {
      try {
        text ? formats::read_text(message, bytes, limits) : formats::read_bytes(message, bytes, limits);
      } catch (const Error& e) {
        return e.message();
      }
      return std::string("no error");
    };
    formats::FullTypeDef type;
    QVERIFY(says(error(type, nested, {}, false), "deeper than"));
    std::string text;
    for (int i = 0; i < 300; ++i) text = "args { " + text + "}";
    QVERIFY(error(type, text, {}, true) != "no error");
    formats::GraphDef def;
    Limits few;
    few.messages = 1000;
    std::string many;
    for (int i = 0; i < 1001; ++i) many += std::string("\x0a\x00", 2);
    QVERIFY(says(error(def, many, few, false), "too many parts"));
    QCOMPARE(error(def, many.substr(0, 1000), few, false), std::string("no error"));
    std::string many_in_text;
    for (int i = 0; i < 1001; ++i) many_in_text += "node{}";
    QVERIFY(says(error(def, many_in_text, few, true), "too many parts"));
    few.bytes = 100;
    QVERIFY(says(error(def, many, few, false), "at most 100"));
    QVERIFY(says(error(def, "node { name: 7 }", {}, true), "line 1, column"));
    QVERIFY(says(error(def, std::string("\x0a\x05", 2), {}, false), "not a valid GraphDef"));
  }

  void fields_of_later_versions_are_kept_in_messages() {
    formats::GraphDef def;
    const std::string unknown = "\xfa\x06\x03new";  // field 111
    formats::read_bytes(def, unknown);
    QCOMPARE(formats::bytes_of(def), unknown);
    QVERIFY(formats::text_of(def).empty());
  }

  void what_nodes_have_besides_is_written_again() {
    formats::GraphDef def;
    formats::read_text(def, "node { name: 'a' op: 'NoOp' experimental_type { type_id: TFT_BOOL } }");
    def.GetReflection()->MutableUnknownFields(def.mutable_node(0))->AddVarint(111, 7);
    Imported result;
    const auto add = [&](Node node) { return result.graph->add_named(std::move(node)); };
    GraphImport into{*result.graph, add, {}, {}, {}, {}, {}};
    formats::import_graph_def(def, into);
    formats::import_graph_def(def, into);  // the name is taken now
    const formats::GraphDef again = formats::to_graph_def(*result.graph);
    QCOMPARE(formats::bytes_of(again.node(0)), formats::bytes_of(def.node(0)));
    QCOMPARE(again.node(1).name(), std::string("a_1"));
  }

  void functions_of_one_name_get_names_of_their_own() {
    const auto body = [](const char* op) {
      return import(kX + call("y", "f") + "library { " +
                        function("f", std::string("node_def { name: 'n' op: '") + op +
                                          "' input: 'a' } ret { key: 'r' value: 'n:y:0' } ") +
                        "}",
                    {"y"});
    };
    const Imported a = body("Neg"), same = body("Neg"), other = body("Exp");
    const AttrName f("f");
    const auto add = [&](const Imported& from) {
      Node copy = from.graph->node(from.found[0].node);
      copy.inputs = {{NodeId(0), 0}};
      copy.name = a.graph->unique_full_name("y");
      a.graph->add_named(std::move(copy));
    };
    add(same);
    add(other);
    const formats::GraphDef def = formats::to_graph_def(*a.graph);
    QCOMPARE(def.library().function_size(), 2);
    QCOMPARE(def.library().function(0).signature().name(), std::string("f"));
    QCOMPARE(def.library().function(1).signature().name(), std::string("f_1"));
    QCOMPARE(def.node(2).attr().at("f").func().name(), std::string("f"));
    QCOMPARE(def.node(3).attr().at("f").func().name(), std::string("f_1"));
  }
};

QTEST_APPLESS_MAIN(TestImport)
#include "test_import.moc"
