// GraphDef: what is written, and that the message descriptions are TensorFlow's own.
#include "engine/formats/graph_def.h"
#include "tests/graph/sample_graph.h"
#include "tests/source_path.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <fstream>
#include <set>

using namespace footlight;
using formats::text_of;
using formats::to_graph_def;
using formats::to_node_def;

namespace {

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestGraphDef : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void constants_are_written_as_graphdef_has_them() {
    static const Op op{"Const"};
    auto text = [](const Tensor& value) {
      Graph graph("c");
      Node node;
      node.op = &op.row();
      node.name = "c";
      node.attrs = {{kDType, value.dtype()}, {kValue, value}};
      node.dtypes = {value.dtype()};
      node.shapes = {value.shape()};
      return text_of(to_node_def(graph, graph.add(std::move(node))));
    };
    QVERIFY(text(Tensor::scalar<int32_t>(7)).find("int_val: 7\n") != std::string::npos);
    QVERIFY(text(Tensor::scalar<float>(2.f)).find("float_val: 2.0\n") != std::string::npos);
    QVERIFY(text(Tensor::scalar<bool>(true)).find("bool_val: true\n") != std::string::npos);
    QVERIFY(text(Tensor::string("a\"\n\xff")).find("string_val: \"a\\\"\\n\\377\"\n") != std::string::npos);
    const std::vector<int32_t> two{1, -1};
    QVERIFY(text(Tensor::vector<int32_t>(two))
                .find("tensor_content: \"\\001\\000\\000\\000\\377\\377\\377\\377\"\n") != std::string::npos);
  }

  void a_graph_is_printed_as_protobuf_does() {
    const std::string text = text_of(to_graph_def(*sample()));
    QVERIFY(text.starts_with("node {\n  name: \"x\"\n  op: \"Placeholder\"\n  attr {\n    key: \"dtype\"\n"));
    QVERIFY(text.find("  input: \"add\"\n  input: \"x\"\n") != std::string::npos);
    QVERIFY(text.find("versions {\n  producer: ") != std::string::npos);
    QVERIFY(text.find("library") == std::string::npos);
  }

  // In a function, GraphDef refers to "node:output:index", by the names in TensorFlow's op definitions. Every op
  // appears once, in a function that returns all of its outputs; a list output has three.
  void references_are_those_of_tensorflow() {
    auto body = std::make_shared<Graph>("body");
    std::vector<std::string> wanted;
    std::ifstream file(test::source_path("tests/ops/tensorflow_ops.txt").toStdString());
    for (std::string line; std::getline(file, line);) {
      const OpRow* row = find_row(line.substr(0, line.find(' ')));
      const size_t arrow = line.find(" -> ");
      if (!row || arrow == line.npos || row->execution == Execution::kPlaceholder) continue;
      Node node;
      node.op = row;
      node.name = row->name;
      const std::string outputs = line.substr(arrow + 4, line.find(" | ", arrow) - arrow - 4);
      for (size_t start = 0; start < outputs.size();) {
        const size_t end = std::min(outputs.find(", ", start), outputs.size());
        const std::string output = outputs.substr(start, end - start);
        const bool list = output.find('*') != output.npos || output.ends_with("[]");
        // Where there are several lists, attributes say how long they are.
        const std::string type = output.substr(output.find(": ") + 2);
        if (output.ends_with("[]"))
          node.attrs.set(AttrName(type.substr(0, type.size() - 2)), std::vector<DType>(3, DType::kFloat32));
        else if (list)
          node.attrs.set(AttrName(type.substr(0, type.find('*'))), int64_t{3});
        for (int k = 0; k < (list ? 3 : 1); ++k) {
          wanted.push_back(line.substr(0, line.find(' ')) + ':' + output.substr(0, output.find(':')) + ':' +
                           std::to_string(k));
          node.dtypes.push_back(DType::kFloat32);
          node.shapes.own().push_back(Shape());
        }
        start = end + 2;
      }
      const NodeId id = body->add(std::move(node));
      for (uint32_t k = 0; k < body->node(id).dtypes.size(); ++k) body->outputs.push_back({id, k});
    }
    QVERIFY(wanted.size() > 350);
    auto caller = std::make_shared<Graph>("caller");
    Node call;
    call.op = find_row("PartitionedCall");
    call.attrs = {{AttrName("f"), body}};
    caller->add(std::move(call));
    const auto def = to_graph_def(*caller);
    std::set<std::string> references;
    for (const auto& [output, reference] : def.library().function(0).ret()) references.insert(reference);
    for (const std::string& reference : wanted) QVERIFY2(references.contains(reference), reference.c_str());
  }

  void floats_read_as_in_python() {
    auto text = [](float value) {
      formats::AttrValue message;
      message.set_f(value);
      return text_of(message);
    };
    QCOMPARE(text(0.1f), std::string("f: 0.1\n"));
    QCOMPARE(text(100000.f), std::string("f: 100000.0\n"));
    QCOMPARE(text(1e-5f), std::string("f: 1e-05\n"));
    QCOMPARE(text(1e20f), std::string("f: 1e+20\n"));
    QCOMPARE(text(-INFINITY), std::string("f: -inf\n"));
    QCOMPARE(text(NAN), std::string("f: nan\n"));
  }

  // Graphs written by TensorFlow: all their bytes belong to fields that are described here, and are written again.
  void graphs_of_tensorflow_are_read_whole() {
    const QDir folder(QStringLiteral(GOLDEN));
    const QStringList files = folder.entryList({QStringLiteral("*.pb")});
    QVERIFY(files.size() > 5);
    for (const QString& name : files) {
      const QByteArray bytes = contents(folder.filePath(name));
      formats::GraphDef graph;
      QVERIFY2(graph.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())), qPrintable(name));
      QVERIFY2(graph.node_size() > 0, qPrintable(name));
      const std::string text = text_of(graph);
      // The recorded text leaves out a key that is 0.
      QString shown = QString::fromStdString(text);
      shown.remove(QRegularExpression(QStringLiteral(" *key: 0\n")));
      // TensorFlow's Python wrote map entries in a different order.
      const std::string again = formats::bytes_of(graph);
      QCOMPARE(again.size(), bytes.toStdString().size());
      formats::GraphDef read_again;
      QVERIFY(read_again.ParseFromString(again));
      QCOMPARE(text_of(read_again), text);
      const QString wanted = folder.filePath(name + QStringLiteral("txt"));
      QCOMPARE(shown, QString::fromUtf8(contents(wanted)));
    }
  }
};

QTEST_APPLESS_MAIN(TestGraphDef)
#include "test_graph_def.moc"
