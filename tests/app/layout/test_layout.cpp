// Layout: predicted cost, running and killing Graphviz, the app's own layout, the cache.
#include "tests/app/sample.h"

#include "app/layout/graph_layout.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace footlight;
using namespace footlight::app;

namespace {

LayoutProblem chain(int count) {
  LayoutProblem p;
  for (int i = 0; i < count; ++i) p.nodes.push_back({100, 40, -1});
  for (int i = 0; i + 1 < count; ++i) p.edges.push_back({i, i + 1});
  return p;
}

bool overlap(const LayoutResult& r) {
  for (size_t a = 0; a < r.nodes.size(); ++a) {
    for (size_t b = a + 1; b < r.nodes.size(); ++b) {
      if (r.nodes[a].adjusted(1, 1, -1, -1).intersects(r.nodes[b])) return true;
    }
  }
  return false;
}

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT

 private:
  // A stand-in for `dot` that never answers.
  QString sleeper(QTemporaryDir& folder) {
    const QString path = folder.filePath(QStringLiteral("dot"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("#!/bin/sh\nexec sleep 600\n");
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
  }

 private Q_SLOTS:
  void cost_counts_long_edges() {
    LayoutProblem p = chain(10);
    QCOMPARE(predicted_cost(p), size_t{19});
    p.edges.push_back({0, 9});
    QCOMPARE(predicted_cost(p), size_t{28});
    // A cycle, which a broken file may contain, must not loop forever.
    p.edges.push_back({9, 0});
    QVERIFY(predicted_cost(p) > 0);
  }

  void own_layout_keeps_boxes_apart() {
    LayoutProblem p = chain(30);
    for (int i = 0; i < 200; ++i) {
      p.nodes.push_back({80, 40, -1});
      p.edges.push_back({i % 30, 30 + i});
    }
    const LayoutResult r = layered_layout(p);
    QCOMPARE(r.nodes.size(), p.nodes.size());
    QVERIFY(!overlap(r));
    for (const auto& e : p.edges)
      QVERIFY(r.nodes[static_cast<size_t>(e.to)].top() > r.nodes[static_cast<size_t>(e.from)].top());
    QVERIFY(layered_layout({}).nodes.empty());
  }

  void graphviz_puts_edges_where_they_belong() {
    LayoutProblem p;
    for (int i = 0; i < 5; ++i) p.nodes.push_back({100, 40, i >= 3 ? 0 : -1});
    p.clusters.push_back({-1});
    p.edges = {{3, 4}, {0, 3}, {1, 3}, {2, 4}};
    DotProcess dot;
    LayoutResult result;
    connect(&dot, &DotProcess::finished, this, [&](const LayoutResult& r) { result = r; });
    QSignalSpy done(&dot, &DotProcess::finished);
    dot.start(p);
    QVERIFY(done.wait(20000));
    QVERIFY(!overlap(result));
    for (size_t i = 0; i < p.edges.size(); ++i) {
      const QRectF from = result.nodes[static_cast<size_t>(p.edges[i].from)],
                   to = result.nodes[static_cast<size_t>(p.edges[i].to)];
      QVERIFY(from.adjusted(-3, -3, 3, 3).contains(result.edges[i].front()));
      QVERIFY(to.adjusted(-3, -3, 3, 3).contains(result.edges[i].back()));
    }
    QVERIFY(result.clusters[0].contains(result.nodes[3]) && result.clusters[0].contains(result.nodes[4]));
  }

  void broken_answers_are_refused() {
    LayoutResult result;
    QVERIFY(!read_dot_json("", chain(2), result));
    QVERIFY(!read_dot_json("{\"bb\": \"0,0,1,1\"}", chain(2), result));
    QVERIFY(!read_dot_json("[[[[", chain(2), result));
  }

  void a_layout_can_be_cancelled() {
    QTemporaryDir folder;
    DotProcess dot;
    dot.set_program(sleeper(folder));
    QSignalSpy done(&dot, &DotProcess::finished), failed(&dot, &DotProcess::failed);
    dot.start(chain(4));
    QTRY_VERIFY(dot.process_id() > 0);
    const pid_t id = static_cast<pid_t>(dot.process_id());
    dot.cancel();
    QVERIFY(!dot.running());
    // The process is gone, not just forgotten.
    QTRY_VERIFY(::kill(id, 0) != 0);
    QCOMPARE(done.count() + failed.count(), 0);
  }

  void a_layout_that_takes_too_long_is_done_otherwise() {
    QTemporaryDir folder;
    Document d = sample_document();
    GraphLayout layout;
    layout.dot().set_program(sleeper(folder));
    layout.dot().set_limit_ms(50);
    QString how;
    GraphPlan plan;
    connect(&layout, &GraphLayout::finished, this,
            [&](const GraphPlan& p, const QString& h, qint64) { plan = p, how = h; });
    layout.start(plan_graph(d, GraphId(10), {}));
    QTRY_VERIFY(!how.isEmpty());
    QVERIFY(how.startsWith(QStringLiteral("simplified layout")));
    QVERIFY(plan.bounds.width() > 50);
  }

  void graphviz_missing() {
    Document d = sample_document();
    GraphLayout layout;
    layout.dot().set_program(QStringLiteral("/nonexistent/dot"));
    QString how;
    connect(&layout, &GraphLayout::finished, this, [&](const GraphPlan&, const QString& h, qint64) { how = h; });
    layout.start(plan_graph(d, GraphId(10), default_options(d, GraphId(10))));
    QTRY_VERIFY(!how.isEmpty());
    QVERIFY(how.contains(QStringLiteral("not installed")));
  }

  void bodies_lie_inside_their_box() {
    Document d = sample_document();
    GraphLayout layout;
    GraphPlan plan;
    connect(&layout, &GraphLayout::finished, this, [&](const GraphPlan& p, const QString&, qint64) { plan = p; });
    QSignalSpy done(&layout, &GraphLayout::finished);
    layout.start(plan_graph(d, GraphId(10), default_options(d, GraphId(10))));
    QVERIFY(done.wait(20000));
    const PlanBox& cond = plan.boxes[static_cast<size_t>(plan.box_of(GraphId(10), 8))];
    for (int body : cond.bodies) {
      const PlanArea& area = plan.areas[static_cast<size_t>(body)];
      QVERIFY(cond.rect.contains(area.rect));
      for (int b : area.boxes)
        QVERIFY(area.rect.adjusted(-1, -1, 1, 1).contains(plan.boxes[static_cast<size_t>(b)].rect));
    }
    // Another trace of the same structure is not laid out again.
    const size_t before = layout.cache_hits();
    QSignalSpy again(&layout, &GraphLayout::finished);
    layout.start(plan_graph(d, GraphId(10), default_options(d, GraphId(10))));
    QCOMPARE(again.count(), 1);
    QCOMPARE(layout.cache_hits(), before + 3);
  }

  void too_big_for_graphviz() {
    Document d;
    d.add(layered_graph(GraphId(1), 3000));
    GraphLayout layout;
    QString how;
    GraphPlan plan;
    connect(&layout, &GraphLayout::finished, this,
            [&](const GraphPlan& p, const QString& h, qint64) { plan = p, how = h; });
    layout.start(plan_graph(d, GraphId(1), {}));
    QTRY_COMPARE(how, QStringLiteral("simplified layout"));
    QCOMPARE(plan.boxes.size(), size_t{9001});
  }
};

QTEST_GUILESS_MAIN(LayoutTest)
#include "test_layout.moc"
