// The Graph view: stages, gradients beside their ops, groups by call and module, and that nothing covers the picture.
#include "tests/app/graph_shapes.h"
#include "tests/app/window_case.h"

#include "app/models/graph_find.h"
#include "app/models/graph_gradients.h"
#include "app/models/graph_stages.h"
#include "app/models/inspector.h"
#include "tests/session/records.h"

#include <QMenu>

#include <map>
#include <set>

using namespace footlight;
using namespace footlight::app;

namespace {

using session::Fate;

// x; 1 Two; 2 Three; 3 Mul(1, 2); 4 Identity(3); 5 AddV2(x, 4); 6 Sin(x). Result 5. Folding makes 7.
session::GraphRecord optimised_graph() {
  GraphMaker g(GraphId(1));
  const uint32_t x = g.parameter("float32 (4, 8)", 2);
  const uint32_t two = g.add("Const", {}, 5, "constant"), three = g.add("Const", {}, 5, "constant");
  const uint32_t product = g.add("Mul", {two, three}, 5);
  const uint32_t same = g.add("Identity", {product}, 6, "move");
  const uint32_t sum = g.add("AddV2", {x, same}, 7);
  g.add("Sin", {x}, 8);
  session::GraphRecord made = g.done(sum);
  made.passes = {"forward_identities", "prune", "fold_constants", "prune"};
  made.new_nodes = {{7, "Mul_3/folded", "Const", "constant", {}, {"float32 ()"}, "", "6.0", {CodeId(1), 5}}};
  made.changes = {{0, Fate::kInput, same, 0, product, 0}, {1, Fate::kNothing, same, 0, 0, 0},
                  {1, Fate::kNothing, 6, 0, 0, 0},        {2, Fate::kInserted, product, 0, 7, 0},
                  {2, Fate::kConstant, product, 0, 7, 0}, {3, Fate::kNothing, two, 0, 0, 0},
                  {3, Fate::kNothing, three, 0, 0, 0},    {3, Fate::kNothing, product, 0, 0, 0}};
  return made;
}

const PlanBox& box_at(const GraphPlan& plan, uint32_t node) {
  return plan.boxes[static_cast<size_t>(plan.box_of(GraphId(1), node))];
}

// train() calls layer() at lines 20 and 21, which calls scale() at line 5; train itself makes a node at line 22.
Document called_graph() {
  Document d = document_around([] {
    GraphMaker g(GraphId(1));
    uint32_t x = g.parameter("float32 (4, 8)", 2);
    for (int call = 0; call < 2; ++call) {
      x = g.add("MatMul", {x}, 4, "product");
      x = g.add("Relu", {x}, 4);
      x = g.add("Mul", {x}, 9);
      x = g.add("Neg", {x}, 9);
    }
    x = g.add("Mean", {x}, 22, "reduction");
    return g.done(g.add("Identity", {x}, 40, "move"));
  }());
  const auto code = [&](uint32_t id, const char* name, uint32_t file) {
    d.add(code_of(CodeId(id), session::FileId(file), name, 60));
  };
  d.add(session::FileRecord{session::FileId(2), "/tmp/net/layers.py", "\n"});
  code(11, "train", 1);
  code(12, "Net.layer", 2);
  code(13, "make.<locals>.scale", 2);
  uint32_t next = 0;
  const auto place = [&](uint32_t by, uint32_t in, uint32_t line) {
    session::LocationRecord l;
    l.id = session::LocationId(next++);
    if (by != UINT32_MAX) l.caller = session::LocationId(by);
    l.source = {CodeId(in), line};
    d.add(l);
    return l.id.value;
  };
  session::GraphRecord g = *d.graph(GraphId(1));
  const auto made = [&](uint32_t node, uint32_t at) {
    g.nodes[node].location = session::LocationId(at);
    g.nodes[node].source = d.location(session::LocationId(at))->source;
  };
  code(10, "<module>", 1);
  const uint32_t top = place(UINT32_MAX, 10, 40);  // the parameter is made there
  made(0, top);
  for (uint32_t call = 0; call < 2; ++call) {
    const uint32_t from = place(top, 11, 20 + call), inner = place(from, 12, 5);
    for (uint32_t k = 0; k < 2; ++k) {
      made(1 + call * 4 + k, place(from, 12, 4));
      made(3 + call * 4 + k, place(inner, 13, 9));
    }
  }
  made(9, place(top, 11, 22));
  made(10, top);  // and the result
  d.add(std::move(g));
  return d;
}

std::multiset<QString> titles(const GraphPlan& plan) {
  std::multiset<QString> all;
  for (const PlanCluster& c : plan.clusters) all.insert(c.title);
  return all;
}

}  // namespace

class GraphStagesTest : public WindowCase {
  Q_OBJECT

 private:
  void show(Document d) {
    window().session().show(std::move(d));
    window().selection().select(Selection::of_trace(document(), TraceId(1)));
    go_to_view("graph");
  }
  GraphView& view() { return *window().graph(); }
  const GraphPlan& plan() { return std::as_const(*view().canvas()).plan(); }
  QAction* choice(const QString& part) {
    for (QAction* action : view().stage_button()->menu()->actions())
      if (action->text().contains(part)) return action;
    return nullptr;
  }
  void choose(const QString& part) {
    QAction* action = choice(part);
    QVERIFY2(action, qPrintable(part));
    action->trigger();
    window().settle();
  }

 private Q_SLOTS:
  void stages_by_the_menu() {
    show(document_around(optimised_graph()));
    QVERIFY(view().stage_button()->isVisible());
    QCOMPARE(plan().boxes.size(), size_t{7});
    QVERIFY(view().stage_text().isEmpty());
    for (const PlanBox& b : plan().boxes) QCOMPARE(b.mark, PlanBox::Mark::kNone);

    choose(QStringLiteral("Before forward identities: it changes 1 node"));
    QCOMPARE(plan().boxes.size(), size_t{7});
    QCOMPARE(box_at(plan(), 4).mark, PlanBox::Mark::kReplaced);
    QVERIFY(box_at(plan(), 4).note.contains(QStringLiteral("its readers now read Mul_3")));
    QCOMPARE(view().stage_text(), QStringLiteral("Next: forward identities: 1 node was replaced by its input "
                                                 "(Identity; line 6)"));

    choose(QStringLiteral("After forward identities"));
    QCOMPARE(box_at(plan(), 4).mark, PlanBox::Mark::kOnlyLeft);
    QCOMPARE(box_at(plan(), 6).mark, PlanBox::Mark::kOnlyLeft);
    QCOMPARE(box_at(plan(), 3).mark, PlanBox::Mark::kNone);

    choose(QStringLiteral("After fold constants"));
    QCOMPARE(plan().boxes.size(), size_t{6});  // x, two constants, the product, its value, the sum
    QCOMPARE(box_at(plan(), 7).mark, PlanBox::Mark::kOnlyRight);
    QCOMPARE(box_at(plan(), 3).mark, PlanBox::Mark::kOnlyLeft);
    QVERIFY(view().stage_text().contains(QStringLiteral("Done: fold constants: 1 node became a constant")));
    QVERIFY(view().stage_text().contains(QStringLiteral("Next: prune: 3 nodes")));

    // Through what the next pass changes, and around.
    std::vector<uint32_t> went;
    for (int i = 0; i < 4; ++i) {
      view().changed_button()->click();
      window().settle();
      went.push_back(selected().node);
      QVERIFY(view().canvas()->selected().contains(plan().box_of(GraphId(1), went.back())));
    }
    QCOMPARE(went, (std::vector<uint32_t>{1, 2, 3, 1}));

    choose(QStringLiteral("As it runs, after prune (2)"));
    QVERIFY(!view().changed_button()->isVisible());
    QCOMPARE(plan().boxes.size(), size_t{3});
    QVERIFY(!view().stage_text().contains(QStringLiteral("Next")));
    QVERIFY(view().stage_button()->accessibleName().contains(QStringLiteral("Stage: as it runs")));
    QVERIFY(choice(QStringLiteral("As it runs"))->isChecked());
    choose(QStringLiteral("As traced"));
    QCOMPARE(plan().boxes.size(), size_t{7});
  }

  // A node that gave way is where the one is that took its place, and the other way around.
  void selection_in_a_stage() {
    show(document_around(optimised_graph()));
    choose(QStringLiteral("As it runs"));
    const Document& d = document();
    select(Selection::of_node(d, GraphId(1), 4));
    const int folded = plan().box_of(GraphId(1), 7);
    QVERIFY(folded >= 0);
    QCOMPARE(view().canvas()->selected(), QSet<int>{folded});
    window().selection().select(Selection::of_node(d, GraphId(1), 5));
    QTest::mouseClick(view().canvas(), Qt::LeftButton, {},
                      view().canvas()->to_screen(plan().boxes[static_cast<size_t>(folded)].rect.center()).toPoint());
    QCOMPARE(selected().node, 3u);
    QCOMPARE(view().canvas()->selected(), QSet<int>{folded});
    // The search looks at what is shown.
    view().find_bar()->open();
    QTest::keyClicks(view().find_bar()->input(), QStringLiteral("const"));
    QTRY_VERIFY(!view().busy() && view().found().size() == 1);
    QCOMPARE(view().found().front().node, 7u);
  }

  void the_inspector_says_what_became_of_a_node() {
    const Document d = document_around(optimised_graph());
    const auto passes = [&](uint32_t node) {
      QStringList lines;
      for (const InspectorGroup& g : inspect(d, Selection::of_node(d, GraphId(1), node), nullptr).groups)
        if (g.title == QStringLiteral("Passes"))
          for (const InspectorRow& r : g.rows) lines << r.label + QLatin1Char('|') + r.value;
      return lines;
    };
    QCOMPARE(passes(3), (QStringList{QStringLiteral("Fold constants|Became the constant 6.0"),
                                     QStringLiteral("Prune|Removed: Mul_3/folded is used instead")}));
    QCOMPARE(passes(5), QStringList{QStringLiteral("|No pass changed it")});
    QVERIFY(as_markdown(inspect(d, Selection::of_trace(d, TraceId(1)), nullptr))
                .contains(QStringLiteral("3 nodes that nothing uses were removed")));
    const Document without = document_around(chain_graph(GraphId(1), 5, true));
    QVERIFY(!as_markdown(inspect(without, Selection::of_node(without, GraphId(1), 2), nullptr))
                 .contains(QStringLiteral("Passes")));
  }

  void folded_boxes_say_how_many_change() {
    session::GraphRecord g = chain_graph(GraphId(1), 40, true);
    g.passes = {"prune"};
    for (uint32_t i = 3; i < 10; ++i) g.changes.push_back({0, Fate::kNothing, i, 0, 0, 0});
    const Document d = document_around(std::move(g));
    GraphPlan plan = plan_graph(d, GraphId(1), first_options(d, GraphId(1)));
    mark_stage(plan, d, {0, true});
    size_t marked = 0;
    for (const PlanBox& b : plan.boxes) {
      if (b.mark == PlanBox::Mark::kNone) continue;
      ++marked;
      QCOMPARE(b.kind, PlanBox::Kind::kGroup);
      QVERIFY(b.note.contains(QStringLiteral("next, prune changes 7 nodes in it")));
    }
    QCOMPARE(marked, size_t{1});
  }

  void no_stages_where_none_were_recorded() {
    show(document_around(chain_graph(GraphId(1), 5, true)));
    QVERIFY(!view().stage_button()->isVisible());
    show(document_around(optimised_graph()));
    QVERIFY(view().stage_button()->isVisible());
  }

  // The way back runs up beside the way forward: each gradient is in its op's row.
  void gradients_stand_beside_their_ops() {
    show(document_around(training_graph(GraphId(1), 3)));
    const session::GraphRecord& g = *document().graph(GraphId(1));
    const std::vector<size_t> forward = forward_ops(g);
    size_t beside = 0, back = 0;
    for (size_t i = 0; i < forward.size(); ++i) {
      if (forward[i] >= forward.size()) continue;
      const PlanBox &gradient = box_at(plan(), static_cast<uint32_t>(i)),
                    &op = box_at(plan(), static_cast<uint32_t>(forward[i]));
      QCOMPARE(gradient.beside, plan().box_of(GraphId(1), static_cast<uint32_t>(forward[i])));
      QVERIFY2(std::abs(gradient.rect.center().y() - op.rect.center().y()) < 8,
               qPrintable(gradient.title + QStringLiteral(" of ") + op.title));
      ++beside;
    }
    QCOMPARE(beside, size_t{9});
    for (const PlanEdge& e : plan().edges) {
      const QRectF &from = plan().boxes[static_cast<size_t>(e.from)].rect,
                   &to = plan().boxes[static_cast<size_t>(e.to)].rect;
      if (e.curve.empty() || e.cut) continue;
      // Its arrow is at its reader, wherever that stands.
      const auto near = [](const QRectF& box, QPointF p) { return box.adjusted(-9, -9, 9, 9).contains(p); };
      QVERIFY(near(from, e.curve.front()) && near(to, e.curve.back()));
      if (!e.back) continue;
      ++back;
      QVERIFY(to.top() < from.bottom());
    }
    QVERIFY(back > 6);
    // The first layer is above the last one, its gradients too.
    QVERIFY(box_at(plan(), 3).rect.top() < box_at(plan(), 3 + 16).rect.top());
  }

  void rows_that_contradict_the_edges_are_ignored() {
    LayoutProblem p;
    p.nodes = {{80, 30}, {80, 30}, {80, 30}};
    p.edges = {{0, 1}, {1, 2}};
    p.nodes[2].beside = 0;
    QCOMPARE(ranks_of(p), (std::vector<int>{0, 1, 2}));
    p.edges = {{0, 1}};
    QCOMPARE(ranks_of(p), (std::vector<int>{0, 1, 0}));
    LayoutProblem other = p;
    other.nodes[2].beside = -1;
    QVERIFY(p.fingerprint() != other.fingerprint());
  }

  void nothing_covers_the_picture() {
    show(document_around(training_graph(GraphId(1), 3)));
    for (const int width : {1600, 1400, 1000}) {
      window().resize(width, 800);
      window().settle();
      const QRect side(view().side()->mapTo(&view(), QPoint(0, 0)), view().side()->size());
      const QRect canvas(view().canvas()->mapTo(&view(), QPoint(0, 0)), view().canvas()->size());
      QVERIFY(!view().side()->isVisible() || !side.intersects(canvas));
      view().canvas()->fit();
      for (const PlanBox& b : plan().boxes) {
        const QRectF at(view().canvas()->to_screen(b.rect.topLeft()), view().canvas()->to_screen(b.rect.bottomRight()));
        QVERIFY(QRectF(view().canvas()->rect()).contains(at));
      }
    }
  }

  void groups_by_call() {
    const Document d = called_graph();
    GraphOptions options = first_options(d, GraphId(1));
    options.grouping = GraphGrouping::kCalls;
    const GraphPlan plan = plan_graph(d, GraphId(1), options);
    QCOMPARE(titles(plan), (std::multiset<QString>{
                               QStringLiteral("Net.layer()  line 20"), QStringLiteral("scale()  line 5"),
                               QStringLiteral("Net.layer()  line 21"), QStringLiteral("scale()  line 5")}));
    QCOMPARE(plan.boxes.size(), d.graph(GraphId(1))->nodes.size());
    // By hand: in each call of layer two nodes and those of scale.
    std::map<QString, size_t> in;
    for (const PlanBox& b : plan.boxes)
      for (int c = b.cluster; c >= 0; c = plan.clusters[static_cast<size_t>(c)].parent)
        ++in[plan.clusters[static_cast<size_t>(c)].title];
    QCOMPARE(in[QStringLiteral("Net.layer()  line 20")], size_t{4});
    QCOMPARE(in[QStringLiteral("scale()  line 5")], size_t{4});
    options.fold_scopes = true;
    QCOMPARE(plan_graph(d, GraphId(1), options).boxes.size(), size_t{5});  // x, two calls, the mean, the result
  }

  void groups_by_module() {
    const Document d = called_graph();
    GraphOptions options = first_options(d, GraphId(1));
    options.grouping = GraphGrouping::kModules;
    QCOMPARE(titles(plan_graph(d, GraphId(1), options)),
             (std::multiset<QString>{QStringLiteral("train.py"), QStringLiteral("<module>"),
                                     QStringLiteral("layers.py"), QStringLiteral("Net.layer()"),
                                     QStringLiteral("scale()")}));
  }

  void grouping_by_the_bar() {
    show(called_graph());
    QVERIFY(plan().clusters.empty());
    view().set_grouping(GraphGrouping::kCalls);
    window().settle();
    QCOMPARE(plan().clusters.size(), size_t{4});
    const auto part = graph_part(document(), GraphId(1));
    QCOMPARE(part->locations.size(), document().locations.size());
    view().set_grouping(GraphGrouping::kNames);
    window().settle();
    QVERIFY(plan().clusters.empty());
  }
};

QTEST_MAIN(GraphStagesTest)
#include "test_graph_stages.moc"
