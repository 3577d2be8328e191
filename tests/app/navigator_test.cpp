// The navigator with functions of many traces: pages of a hundred, by mouse and keys, and while traces arrive.
#include "tests/app/window_case.h"

#include "app/models/navigator_model.h"

#include <QAbstractItemModelTester>

using namespace footlight;
using namespace footlight::app;

namespace {

void add_traces(Document& document, FunctionId function, uint32_t first_id, int from, int to) {
  for (int number = from; number <= to; ++number) {
    session::TraceRecord t;
    t.id = TraceId(first_id + static_cast<uint32_t>(number));
    t.function = function;
    t.number = number;
    t.signature = "f32[" + std::to_string(number) + "]";
    document.add(std::move(t));
  }
}

}  // namespace

class NavigatorTest : public WindowCase {
  Q_OBJECT

  QTreeView* tree() { return window().navigator()->tree(); }
  void press(const QModelIndex& index, int x) {
    const QRect row = tree()->visualRect(index);
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, {x, row.center().y()});
  }
  // The sample, whose train_step has `traces` more.
  void with_traces(int traces) {
    Document d = sample_document();
    const int known = static_cast<int>(d.traces_of(FunctionId(1)).size());
    add_traces(d, FunctionId(1), 10'000, known + 1, known + traces);
    window().session().show(std::move(d));
    window().settle();
  }

 private Q_SLOTS:
  void a_function_inside_of_others() {
    Document d = sample_document();
    session::FunctionRecord inner = d.functions.front();
    inner.id = FunctionId(9);
    inner.name = "Trainer.make.<locals>.outer.<locals>.step";
    d.add(inner);
    NavigatorModel model;
    model.set_document(&d);
    const QModelIndex row = model.index_of(FunctionId(9));
    QCOMPARE(row.data().toString(), QStringLiteral("step"));
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(QStringLiteral("Trainer.make")));
    QVERIFY(row.data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("Trainer.make")));
  }

  void pages_grow() {
    Document d = sample_document();
    session::FunctionRecord many = d.functions.front();
    many.id = FunctionId(9);
    many.name = "many";
    d.add(many);
    add_traces(d, FunctionId(9), 1000, 1, 60);
    NavigatorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_document(&d);
    const auto function = [&] { return model.index_of(FunctionId(9)); };
    QCOMPARE(model.rowCount(function()), 60);
    const QPersistentModelIndex kept(model.index_of(FunctionId(1)));
    const auto grow = [&](int from, int to) {
      add_traces(d, FunctionId(9), 1000, from, to);
      model.refresh();
    };
    grow(61, 100);
    QCOMPARE(model.rowCount(function()), 100);
    QCOMPARE(model.index(99, 0, function()).data(NavigatorModel::kKind).toInt(), int{NavigatorModel::kTrace});
    grow(101, 101);
    QCOMPARE(model.rowCount(function()), 2);
    QCOMPARE(model.index(1, 0, function()).data().toString(), QString::fromUtf8("#101 – #101"));
    grow(102, 345);
    QCOMPARE(model.rowCount(function()), 4);
    const QModelIndex last = model.index(3, 0, function());
    QCOMPARE(last.data().toString(), QString::fromUtf8("#301 – #345"));
    QCOMPARE(model.rowCount(last), 45);
    const QModelIndex trace = model.index_of(FunctionId(9), TraceId(1000 + 217));
    QCOMPARE(trace.data().toString(), QStringLiteral("#217  f32[217]"));
    QCOMPARE(trace.parent().row(), 2);
    QCOMPARE(trace.parent().parent(), function());
    QCOMPARE(model.rowCount(trace), 0);
    // Nothing else was thrown away on the way.
    QVERIFY(kept.isValid());
    QCOMPARE(kept.data().toString(), QStringLiteral("train_step"));
  }

  void a_page_opens_with_mouse_and_keys() {
    with_traces(244);
    const QModelIndex function = window().navigator()->model().index_of(FunctionId(1));
    QCOMPARE(window().navigator()->model().rowCount(function), 3);
    QVERIFY(tree()->isExpanded(function));
    const QModelIndex second = tree()->model()->index(1, 0, function);
    QVERIFY(!tree()->isExpanded(second));
    const Selection before = window().selection().current();
    press(second, 90);
    QVERIFY(tree()->isExpanded(second));
    QCOMPARE(window().selection().current().kind, before.kind);
    const QModelIndex trace = tree()->model()->index(4, 0, second);
    press(trace, 90);
    QCOMPARE(window().selection().current().trace, TraceId(10'105));
    press(second, 90);
    QVERIFY(!tree()->isExpanded(second));
    tree()->setFocus();
    tree()->setCurrentIndex(second);
    QTest::keyClick(tree(), Qt::Key_Right);
    QVERIFY(tree()->isExpanded(second));
    QTest::keyClick(tree(), Qt::Key_Down);
    QCOMPARE(window().selection().current().trace, TraceId(10'101));
  }

  void a_function_folds_by_its_triangle() {
    with_sample();
    const QModelIndex function = window().navigator()->model().index_of(FunctionId(1));
    QVERIFY(tree()->isExpanded(function));
    press(function, 12);
    QVERIFY(!tree()->isExpanded(function));
    press(function, 12);
    QVERIFY(tree()->isExpanded(function));
  }

  void the_page_of_a_chosen_trace_opens() {
    with_traces(244);
    window().selection().select(Selection::of_trace(window().session().document(), TraceId(10'215)));
    const QModelIndex now = tree()->currentIndex();
    QCOMPARE(now.data(NavigatorModel::kTraceId).toUInt(), 10'215u);
    QVERIFY(tree()->isExpanded(now.parent()));
    QVERIFY(tree()->viewport()->rect().intersects(tree()->visualRect(now)));
  }
};

QTEST_MAIN(NavigatorTest)
#include "navigator_test.moc"
