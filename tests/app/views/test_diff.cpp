// The Diff tab: its models, and the tab by mouse and keyboard.
#include "app/models/diff_list.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"
#include "tests/app/window_case.h"

#include <QAbstractButton>
#include <QSignalSpy>

using namespace footlight;
using namespace footlight::app;
using Mark = PlanBox::Mark;

namespace {

std::shared_ptr<const GraphsDiff> diff_of(const Document& d, uint32_t left, uint32_t right) {
  return GraphsDiff::make(diff_input(d, GraphId(left), GraphId(right)));
}

// The sample with a third trace that has another op in the then-branch, and an op more.
SampleRun changed_run() {
  SampleRun run = sample_run();
  for (session::GraphRecord g : run.document.graphs) {
    if (g.id == GraphId(12)) {
      g.nodes[8].functions[0].graph = GraphId(110);
      session::NodeRecord abs = g.nodes[10];
      abs.id = 12;
      abs.name = abs.op = "Abs";
      abs.inputs = {{10, 0}};
      g.nodes.push_back(abs);
      g.nodes[11].inputs = {{12, 0}};
      run.document.add(g);
    }
    if (g.id == GraphId(100)) {
      g.id = GraphId(110);
      g.nodes[1].name = g.nodes[1].op = "Sub";
      run.document.add(g);
    }
  }
  return run;
}

int marked(const GraphPlan& plan, Mark mark) {
  return static_cast<int>(std::count_if(plan.boxes.begin(), plan.boxes.end(),
                                        [&](const PlanBox& b) { return b.mark == mark; }));
}

}  // namespace

class DiffTest : public WindowCase {
  Q_OBJECT

  DiffView& view() { return *window().diff(); }
  uint32_t selected_node() { return selected().node; }
  void with_changed() {
    write_session(at("changed.footlight"), changed_run());
    open_recording(at("changed.footlight"));
  }
  void click(QAbstractButton* button) { QTest::mouseClick(button, Qt::LeftButton); }
  QAbstractButton* chip(const char* text) {
    for (auto* b : view().findChildren<QAbstractButton*>())
      if (b->text() == QLatin1String(text)) return b;
    return nullptr;
  }
  QPoint centre_of(DiffPane* pane, GraphId graph, uint32_t node) {
    const GraphPlan& plan = pane->canvas()->plan();
    const int box = plan.box_of(graph, node);
    return box < 0 ? QPoint(-1, -1)
                   : pane->canvas()->to_screen(plan.boxes[static_cast<size_t>(box)].rect.center()).toPoint();
  }

 private Q_SLOTS:
  void a_constant_is_the_difference() {
    const Document d = sample_document();
    const auto diff = diff_of(d, 10, 11);
    QCOMPARE(diff->differences().size(), size_t{1});
    const DiffPlace place = diff->differences()[0];
    QCOMPARE(diff->node(place, true)->constant, std::string("0.1"));
    QCOMPARE(diff->node(place, false)->constant, std::string("0.05"));
    QCOMPARE(diff->what_changed(place), QString::fromUtf8("value 0.1 → 0.05"));
    QCOMPARE(diff->find(GraphId(10), 9, true), std::optional(place));
    QCOMPARE(diff->find(GraphId(11), 9), std::optional(place));
    QVERIFY(!diff->find(GraphId(12), 9));
    QVERIFY(diff->holds(GraphId(100)));
    QVERIFY(!diff->holds(GraphId(12)));
  }

  void both_graphs_as_one() {
    const Document d = changed_run().document;
    const auto diff = diff_of(d, 10, 12);
    QCOMPARE(diff->diff().sentence,
             std::string("1 node changed (value of Const), 1 only on the left, 2 only on the right"));
    const session::GraphRecord* merged = diff->merged().graph(diff->merged_root());
    QCOMPARE(merged->nodes.size(), size_t{13});
    // Identity takes what it takes on either side.
    const auto identity = std::find_if(merged->nodes.begin(), merged->nodes.end(),
                                       [](const auto& n) { return n.op == "Identity"; });
    QCOMPARE(identity->inputs.size(), size_t{2});
    // Only what differs, its neighbours, and the branch that holds a difference.
    const session::GraphRecord* changes = diff->merged().graph(diff->changes_root());
    QVERIFY(changes->nodes.size() < merged->nodes.size());
    GraphPlan plan = plan_graph(diff->merged(), diff->changes_root(),
                                options_to_see(*diff, diff->merged(), diff->changes_root(), DiffPart::kChanges));
    mark_plan(plan, *diff, DiffPart::kChanges);
    QCOMPARE(marked(plan, Mark::kOnlyLeft), 1);
    QCOMPARE(marked(plan, Mark::kOnlyRight), 2);
    QCOMPARE(marked(plan, Mark::kChanged), 2);  // the constant, and the If that holds the rest
    const auto box = std::find_if(plan.boxes.begin(), plan.boxes.end(), [](const PlanBox& b) {
      return b.title == QStringLiteral("mul/y") || b.title == QStringLiteral("y");
    });
    QVERIFY(box != plan.boxes.end());
    QVERIFY(box->subtitle.startsWith(QString::fromUtf8("0.1 → 0.03")));
  }

  void folded_scopes_say_whether_they_differ() {
    Document d = sample_document();
    session::GraphRecord a = layered_graph(GraphId(300), 60), b = layered_graph(GraphId(301), 60);
    b.nodes[62].attributes = "T=float32; mode=b";
    d.add(a);
    d.add(b);
    const auto diff = diff_of(d, 300, 301);
    QCOMPARE(diff->differences().size(), size_t{1});
    GraphOptions folded = default_options(d, GraphId(301));
    GraphPlan plan = plan_graph(d, GraphId(301), folded);
    mark_plan(plan, *diff, DiffPart::kRight);
    QCOMPARE(marked(plan, Mark::kChanged), 1);
    const auto at = node_in(*diff, diff->differences()[0], DiffPart::kRight);
    const int scope = scope_around(plan, *at);
    QVERIFY(scope >= 0);
    QCOMPARE(plan.boxes[static_cast<size_t>(scope)].title, QStringLiteral("layer_20"));
    QVERIFY(plan.boxes[static_cast<size_t>(scope)].subtitle.contains(QStringLiteral("changed")));
    // Its way is open at first, the others' are not.
    plan = plan_graph(d, GraphId(301), options_to_see(*diff, d, GraphId(301), DiffPart::kRight));
    QVERIFY(plan.box_of(GraphId(301), 62) >= 0);
    QVERIFY(plan.box_of(GraphId(301), 50) < 0);
  }

  void graphs_to_choose_from() {
    const Document d = sample_document();
    const auto choices = graph_choices(d);
    QCOMPARE(choices.size(), size_t{7});
    QCOMPARE(choices[1].text, QStringLiteral("train_step #2"));
    QCOMPARE(compared_with(d, *d.trace(TraceId(12)))->id, TraceId(10));  // the nearest
    QCOMPARE(compared_with(d, *d.trace(TraceId(10)))->id, TraceId(11));  // the first has none before it
    QVERIFY(!compared_with(d, *d.trace(TraceId(20))));
  }

  void rows_of_the_list() {
    const Document d = changed_run().document;
    DiffList list;
    list.set_diff(&d, diff_of(d, 10, 12));
    QCOMPARE(list.rowCount(), 4);
    QStringList states;
    for (int r = 0; r < list.rowCount(); ++r) {
      states << list.index(r, list.column("state")).data().toString();
      QVERIFY(!list.index(r, list.column("line")).data().toString().isEmpty());
      QCOMPARE(list.row_of(list.place_at(r)), r);
    }
    states.sort();
    QCOMPARE(states.join(QLatin1Char(' ')), QStringLiteral("changed only left only right only right"));
    bool inside = false;
    for (int r = 0; r < list.rowCount(); ++r)
      inside |= list.index(r, list.column("node")).data().toString().endsWith(QStringLiteral("in cond then_branch"));
    QVERIFY(inside);
  }

  void the_retraces_view_leads_to_it() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    click(window().retraces()->compare_link());
    window().settle();
    QCOMPARE(window().view(), QStringLiteral("diff"));
    QCOMPARE(view().left_choice()->currentText(), QStringLiteral("train_step #1"));
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("train_step #3"));
    QCOMPARE(view().verdict(), QStringLiteral("The graphs differ only in 1 constant."));
    // Another trace is compared with its own nearest one.
    press(&window(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("train_step #4"));
  }

  // While the view is hidden a trace with a pair is chosen, then one that failed and has no graph.
  void a_trace_without_a_graph_after_one_with_a_pair() {
    SampleRun run = sample_run();
    session::TraceRecord failed = *run.document.trace(TraceId(12));
    failed.id = TraceId(99), failed.graphs.clear(), failed.error = "ValueError: no";
    run.document.add(failed);
    write_session(at("failed.footlight"), run);
    window().session().open(at("failed.footlight"));
    window().show_view(QStringLiteral("retraces"));
    for (const uint32_t trace : {12u, 99u}) select(Selection::of_trace(document(), TraceId(trace)));
    go_to_view("diff");
    QVERIFY(!view().diff());
  }

  void so_do_the_graph_view_and_a_command() {
    with_sample();
    window().show_view(QStringLiteral("graph"));
    select(Selection::of_trace(document(), TraceId(11)));
    for (auto* b : window().graph()->findChildren<QAbstractButton*>())
      if (b->text().startsWith(QStringLiteral("Compare"))) click(b);
    QCOMPARE(window().view(), QStringLiteral("diff"));
    window().show_view(QStringLiteral("graph"));
    window().open_palette(QStringLiteral(">"));
    QTest::keyClicks(window().palette()->input(), QStringLiteral("compare the graph"));
    press(window().palette()->input(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("diff"));
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("train_step #2"));
    QVERIFY(view().diff());
  }

  void keys_step_through_the_differences() {
    with_changed();
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    go_to_view("diff");
    QCOMPARE(view().list()->model()->rowCount(), 4);
    QCOMPARE(view().list()->currentIndex().row(), 0);
    QVERIFY(selected().kind == Selection::Kind::kTrace);
    QStringList seen;
    for (int i = 0; i < 5; ++i) {
      press(view().list(), Qt::Key_Period);
      const Selection& s = selected();
      QVERIFY(s.kind == Selection::Kind::kNode);
      seen << q(document().node(s.graph, s.node)->op);
      QVERIFY(place_of(document(), s));
      const bool left = s.graph == GraphId(100);  // what is only left is selected there
      DiffPane* pane = view().pane(left ? DiffPart::kLeft : DiffPart::kRight);
      QCOMPARE(pane->canvas()->selected().size(), 1);
      const int box = *pane->canvas()->selected().begin();
      QVERIFY(pane->canvas()->plan().boxes[static_cast<size_t>(box)].mark != Mark::kSame);
    }
    QVERIFY(seen.contains(QStringLiteral("Abs")));
    QVERIFY(seen.contains(QStringLiteral("Sub")));
    QVERIFY(seen.contains(QStringLiteral("AddV2")));
    const Selection last = selected();
    press(view().pane(DiffPart::kLeft)->canvas(), Qt::Key_Comma);
    QVERIFY(selected() != last);
    QCOMPARE(view().list()->currentIndex().row(), 2);
  }

  void boxes_and_rows_select_the_node() {
    with_sample();
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    go_to_view("diff");
    const QRect row = view().list()->visualRect(view().list()->model()->index(0, 2));
    view().list()->setCurrentIndex({});
    QTest::mouseClick(view().list()->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(selected().graph, GraphId(12));
    QCOMPARE(selected_node(), 9u);
    QCOMPARE(place_of(document(), selected()).line, 9);
    // The same node of the other graph, by a click there.
    DiffPane* left = view().pane(DiffPart::kLeft);
    QTest::mouseClick(left->canvas(), Qt::LeftButton, {}, centre_of(left, GraphId(10), 9));
    QCOMPARE(selected().graph, GraphId(10));
    QCOMPARE(selected_node(), 9u);
    QCOMPARE(view().list()->currentIndex().row(), 0);
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("train_step #3"));
    // A node selected elsewhere is shown on both sides; it is no difference, so no row is.
    select(Selection::of_node(document(), GraphId(12), 3));
    for (DiffPart part : {DiffPart::kLeft, DiffPart::kRight}) {
      const GraphCanvas* canvas = view().pane(part)->canvas();
      QCOMPARE(canvas->selected().size(), 1);
      QCOMPARE(canvas->plan().boxes[static_cast<size_t>(*canvas->selected().begin())].title, QStringLiteral("MatMul"));
    }
    QVERIFY(!view().list()->currentIndex().isValid());
  }

  void three_pictures() {
    with_changed();
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    go_to_view("diff");
    QCOMPARE(marked(view().pane(DiffPart::kLeft)->canvas()->plan(), Mark::kOnlyLeft), 1);
    QCOMPARE(marked(view().pane(DiffPart::kLeft)->canvas()->plan(), Mark::kOnlyRight), 0);
    QCOMPARE(marked(view().pane(DiffPart::kRight)->canvas()->plan(), Mark::kOnlyRight), 2);
    click(chip("Merged"));
    window().settle();
    DiffPane* one = view().pane(DiffPart::kMerged);
    QVERIFY(one->isVisible());
    QVERIFY(!view().pane(DiffPart::kLeft)->isVisible());
    const size_t all = one->canvas()->plan().boxes.size();
    QCOMPARE(marked(one->canvas()->plan(), Mark::kOnlyLeft), 1);
    QCOMPARE(marked(one->canvas()->plan(), Mark::kOnlyRight), 2);
    click(chip("Only changes"));
    window().settle();
    QVERIFY(one->canvas()->plan().boxes.size() < all);
    QCOMPARE(marked(one->canvas()->plan(), Mark::kOnlyRight), 2);
    // A box of the merged picture stands for the node of the right graph, if it has one.
    const GraphPlan& plan = one->canvas()->plan();
    for (const PlanBox& b : plan.boxes) {
      if (b.title != QStringLiteral("Abs")) continue;
      QTest::mouseClick(one->canvas(), Qt::LeftButton, {}, one->canvas()->to_screen(b.rect.center()).toPoint());
    }
    QCOMPARE(selected().graph, GraphId(12));
    QCOMPARE(selected_node(), 12u);
  }

  void any_two_graphs() {
    with_sample();
    go_to_view("diff");
    view().right_choice()->setFocus();
    press(view().right_choice(), Qt::Key_End);
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("evaluate #1"));
    QVERIFY(view().diff()->diff().counts.only_left > 0);
    QVERIFY2(view().verdict().contains(QStringLiteral("only on the left")), qPrintable(view().verdict()));
    // A node elsewhere keeps them, another trace does not.
    select(Selection::of_node(document(), GraphId(13), 3));
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("evaluate #1"));
    select(Selection::of_trace(document(), TraceId(14)));
    QCOMPARE(view().right_choice()->currentText(), QStringLiteral("train_step #5"));
    // A graph with itself.
    view().compare(GraphId(11), GraphId(11));
    window().settle();
    QVERIFY(view().verdict().startsWith(QStringLiteral("Identical graphs")));
    QCOMPARE(view().list()->model()->rowCount(), 0);
    view().set_mode(DiffView::kOnlyChanges);
    window().settle();
    QTest::keyClick(view().list(), Qt::Key_Period);
  }

  void large_graphs_do_not_hold_up_the_window() {
    Document d = sample_document();
    for (uint32_t i = 0; i < 2; ++i) {
      session::TraceRecord t = *d.trace(TraceId(10));
      t.id = TraceId(50 + i);
      t.number = static_cast<int>(50 + i);
      t.nearest = i ? TraceId(50) : TraceId();
      t.graphs = {{"traced", GraphId(50 + i)}};
      d.add(layered_graph(GraphId(50 + i), 4000 + static_cast<int>(i)));
      d.add(t);
    }
    window().session().show(std::move(d));
    go_to_view("diff");
    QSignalSpy finished(view().findChild<DiffWorker*>(), &DiffWorker::finished);
    view().compare(TraceId(51));
    QVERIFY(view().busy());
    // Another choice meanwhile: the first one's result is dropped.
    view().compare(TraceId(12));
    window().settle();
    QCOMPARE(finished.count(), 1);
    QCOMPARE(view().diff()->right(), GraphId(12));
    view().compare(TraceId(51));
    click(chip("Cancel"));
    QVERIFY(!view().busy());
    QVERIFY(!view().diff());
    view().compare(TraceId(51));
    QTRY_VERIFY_WITH_TIMEOUT(view().diff() && view().diff()->right() == GraphId(51), 60'000);
    QCOMPARE(view().diff()->differences().size(), size_t{3});
  }

  void everything_has_a_name() {
    with_sample();
    go_to_view("diff");
    for (QWidget* w : {static_cast<QWidget*>(view().left_choice()), static_cast<QWidget*>(view().right_choice()),
                       static_cast<QWidget*>(view().list()),
                       static_cast<QWidget*>(view().pane(DiffPart::kLeft)->canvas()),
                       static_cast<QWidget*>(view().pane(DiffPart::kRight)->canvas())})
      QVERIFY(!w->accessibleName().isEmpty());
    QTest::keyClick(view().list(), Qt::Key_Period);
    const GraphCanvas* right = view().pane(DiffPart::kRight)->canvas();
    QVERIFY(right->accessibleDescription().contains(QStringLiteral("changed: value")));
    const auto& box = right->plan().boxes[static_cast<size_t>(*right->selected().begin())];
    QCOMPARE(box.note, QString::fromUtf8("changed: value 0.1 → 0.05"));
  }
};

QTEST_MAIN(DiffTest)
#include "test_diff.moc"
