// A Keras model that is recorded: the costs of its layers against SQL, and what of its graph is folded.
#include "tests/app/window_case.h"
#include "tests/source_path.h"

#include "app/models/graph_plan.h"
#include "app/models/layer_costs.h"
#include "app/models/samples.h"
#include "app/models/text.h"

#include <QProcess>

#include <set>

using namespace footlight;
using namespace footlight::app;

class KerasTest : public WindowCase {
  Q_OBJECT

  static QByteArray footlight(const QStringList& words) {
    QProcess process;
    // Keras is in the environment that the build made, if it is anywhere.
    const QString python = test::source_path("build/venv/bin/python");
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (QFile::exists(python)) environment.insert(QStringLiteral("FOOTLIGHT_PYTHON"), python);
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/footlight"), words);
    process.waitForFinished(120'000);
    return process.readAllStandardOutput() + process.readAllStandardError();
  }
  // The path of a recording of the sample, or an empty one where this Python has no Keras.
  QString recorded() {
    const QString script = at("keras_cnn.py"), recording = at("keras_cnn.footlight");
    if (QFile::exists(recording)) return recording;
    for (const Sample& sample : sample_scripts())
      if (sample.name == QStringLiteral("keras_cnn.py")) write(script, sample.bytes);
    const QByteArray said = footlight({QStringLiteral("record"), script, QStringLiteral("-o"), recording});
    if (!said.contains("needs the package keras")) return recording;
    QFile::remove(recording);
    return {};
  }

 private Q_SLOTS:
  void layers_and_the_rest_are_all_of_the_time() {
    const QString recording = recorded();
    if (recording.isEmpty()) QSKIP("this Python has no Keras");
    const auto reader = session::Reader::open(recording.toStdString());
    query::Store store(*reader);
    store.index();
    FunctionId train;
    QStringList graphs;
    for (const session::FunctionRecord& f : reader->contents().functions)
      if (f.name == "train_function") train = f.id;
    std::vector<GraphId> open;
    std::set<GraphId> seen;
    for (const session::TraceRecord& t : reader->contents().traces)
      if (t.function == train) open.push_back(t.graph());
    while (!open.empty()) {
      const session::GraphRecord* graph = reader->graph(open.back());
      open.pop_back();
      if (!graph || !seen.insert(graph->id).second) continue;
      graphs << QString::number(graph->id.value);
      for (const session::NodeRecord& n : graph->nodes)
        for (const auto& [role, called] : n.functions) open.push_back(called);
    }
    const std::vector<LayerCost> layers = find_layers(store, train, {}, {});
    QVERIFY(layers.size() > 4);
    int64_t sum = 0, backward = 0;
    std::set<std::string> names;
    for (const LayerCost& layer : layers) {
      sum += layer.total_ns();
      if (layer.name.empty()) continue;
      names.insert(layer.name.substr(layer.name.rfind('/') + 1, 5));
      backward += layer.backward.total;
    }
    QVERIFY(names.contains("conv2") && names.contains("dense") && names.contains("flatt"));
    QVERIFY(backward > 0);
    const QString statement =
        QStringLiteral("SELECT sum(duration_ns) AS ns FROM ops WHERE graph_id IN (%1)").arg(graphs.join(u','));
    const QByteArray rows = footlight({QStringLiteral("sql"), recording, statement, QStringLiteral("--csv")});
    QCOMPARE(rows.trimmed().split('\n').last().toLongLong(), qlonglong{sum});
  }

  void what_keras_made_is_folded() {
    const QString recording = recorded();
    if (recording.isEmpty()) QSKIP("this Python has no Keras");
    open_recording(recording);
    const Document& d = document();
    // The graph with the layers; its nodes are Keras's, but for the call of the step itself.
    const session::GraphRecord* largest = nullptr;
    for (const session::GraphRecord& g : d.graphs)
      if (!largest || g.nodes.size() > largest->nodes.size()) largest = &g;
    QVERIFY(largest && largest->nodes.size() > 100);
    const GraphPlan plan = plan_graph(d, largest->id, first_options(d, largest->id));
    QVERIFY2(plan.boxes.size() < 40, qPrintable(QString::number(plan.boxes.size())));
    size_t at_fit = 0;
    for (const PlanBox& box : plan.boxes) at_fit += box.subtitle.contains(QStringLiteral("keras_cnn.py:"));
    QVERIFY(at_fit >= 3);
    // A node that is searched for is opened, down to its layer.
    const auto conv = std::ranges::find(largest->nodes, std::string("Conv2D"), &session::NodeRecord::op);
    QVERIFY(conv != largest->nodes.end());
    window().selection().select(Selection::of_node(d, largest->id, conv->id));
    go_to_view("graph");
    QTRY_VERIFY_WITH_TIMEOUT(
        std::as_const(*window().graph()->canvas()).plan().box_of(largest->id, conv->id) >= 0, 20000);
  }
};

QTEST_MAIN(KerasTest)
#include "test_keras.moc"
