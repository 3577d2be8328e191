// The navigator with functions of many traces: pages of a hundred, by mouse and keys, and while traces arrive.
#include "tests/app/window_case.h"

#include "app/models/called_from.h"
#include "app/models/function_groups.h"
#include "app/models/navigator_model.h"
#include "app/models/source_lines.h"
#include "app/models/view_leads.h"
#include "tests/session/records.h"

#include <QAbstractItemModelTester>
#include <QContextMenuEvent>
#include <QMenu>

using namespace footlight;
using namespace footlight::app;

namespace {

void add_traces(Document& document, FunctionId function, uint32_t first_id, int from, int to) {
  for (int number = from; number <= to; ++number) {
    session::TraceRecord t = trace_of(TraceId(first_id + static_cast<uint32_t>(number)), function, number);
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
    show_document(std::move(d));
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

  void equal_functions_are_one_row() {
    Document d = sample_document();
    d.add(session::FileRecord{
        session::FileId(30), "/run/loop.py",
        "import footlight as tf\nfs = [tf.function(lambda x: x * (2, 1)[0], jit=1) for _ in 'abc']\n"
        "g, h = lambda x: x, lambda y: y\n"});
    for (uint32_t i = 0; i < 3; ++i) {
      d.add(session::FunctionRecord{FunctionId(20 + i), "<lambda>", session::FileId(30), 2, 2, {"x"}});
      add_traces(d, FunctionId(20 + i), 2000 + 10 * i, 1, 1);
    }
    d.add(session::FunctionRecord{FunctionId(30), "<lambda>", session::FileId(30), 3, 3, {"x"}});
    const auto groups = function_groups(d);
    QCOMPARE(groups.size(), size_t{4});
    QCOMPARE(groups[2].title, QStringLiteral("lambda x: x * (2, 1)[0]"));
    QCOMPARE(groups[2].ids.size(), size_t{3});
    QCOMPARE(groups[3].title, QStringLiteral("lambda at loop.py:3"));  // of two on the line, nobody knows which
    NavigatorModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_document(&d);
    const QModelIndex row = model.index_of(FunctionId(21));
    QCOMPARE(row, model.index_of(FunctionId(20)));
    QCOMPARE(row.data().toString(), QStringLiteral("lambda x: x * (2, 1)[0]"));
    QCOMPARE(row.data(NavigatorModel::kDetail).toString(), QString::fromUtf8("×3 · 3 traces"));
    QCOMPARE(model.rowCount(row), 3);
    QCOMPARE(model.index_of(FunctionId(22), TraceId(2021)).data().toString(), QStringLiteral("3: #1  f32[1]"));
    // More of them arrive while it is shown.
    d.add(session::FunctionRecord{FunctionId(23), "<lambda>", session::FileId(30), 2, 2, {"x"}});
    add_traces(d, FunctionId(23), 2030, 1, 1);
    model.refresh();
    QCOMPARE(model.rowCount(model.index_of(FunctionId(20))), 4);
    const QString detail = model.index_of(FunctionId(23)).data(NavigatorModel::kDetail).toString();
    QVERIFY2(detail.startsWith(QString::fromUtf8("×4")), qPrintable(detail));
  }

  void functions_of_libraries_are_folded() {
    Document d = sample_document();
    d.add(session::FileRecord{session::FileId(30), "/run/fit.py", "model.fit(data)\ndata.map(lambda x: x)\n"});
    d.add(session::FileRecord{session::FileId(31), "/v/lib/python3.11/site-packages/flax/core.py", ""});
    d.add(session::FunctionRecord{FunctionId(20), "train_function", session::FileId(30), 1, 1, {}});
    d.add(session::FunctionRecord{FunctionId(21), "Trainer.make.<locals>.one_step", session::FileId(30), 1, 1, {}});
    d.add(session::FunctionRecord{FunctionId(22), "Dataset_map_grab_batch", session::FileId(30), 1, 1, {}});
    d.add(session::FunctionRecord{FunctionId(23), "Dataset_map_lambda", session::FileId(30), 2, 2, {}});
    d.add(session::FunctionRecord{FunctionId(24), "apply", session::FileId(31), 9, 9, {}});
    const auto is_library = [&](uint32_t id) { return is_of_library(d, *d.function(FunctionId(id))); };
    QVERIFY(!is_library(1) && !is_library(20) && !is_library(23));  // what was called, and what was written
    QVERIFY(is_library(21) && is_library(22) && is_library(24));
    show_document(d);
    const NavigatorModel& model = window().navigator()->model();
    const QModelIndex run = model.index_of_run();
    const int folded = model.rowCount(run);
    const QModelIndex fold = model.index(folded - 1, 0, run);
    QCOMPARE(fold.data().toString(), QStringLiteral("Libraries"));
    QCOMPARE(fold.data(NavigatorModel::kDetail).toString(), QStringLiteral("3 functions"));
    QCOMPARE(model.index_of(FunctionId(22)), fold);
    press(fold, 60);
    QCOMPARE(model.rowCount(run), folded + 3);
    QCOMPARE(model.index_of(FunctionId(24)).data().toString(), QStringLiteral("apply"));
    tree()->setFocus();
    tree()->setCurrentIndex(model.index(folded - 1, 0, run));
    QTest::keyClick(tree(), Qt::Key_Return);
    QCOMPARE(model.rowCount(run), folded);
  }

  void lines_say_where_they_were_called_from() {
    Document d = sample_document();
    const session::FileId file(30), library(31);
    d.add(session::FileRecord{file, "/run/deep.py", "a\nb\nc\nd\ne\n"});
    d.add(session::FileRecord{library, "/v/lib/python3.11/site-packages/keras/layer.py", ""});
    uint32_t id = 900;
    const auto stack = [&](std::vector<std::tuple<session::FileId, int, const char*>> places) {
      session::LocationId caller;
      for (const auto& [in, line, name] : places) {
        d.add(location_of(session::LocationId(id), in, line, caller, name));
        caller = session::LocationId(id++);
      }
    };
    stack({{file, 9, "main"}, {library, 40, "call"}, {file, 2, "inner"}});
    stack({{file, 5, "other"}, {file, 2, "inner"}});
    stack({{file, 5, "other"}, {library, 41, "call"}, {file, 2, "inner"}});
    const auto found = called_from(d, {file, 2});
    QCOMPARE(found.size(), size_t{2});
    QCOMPARE(found[0].caller.place, (SourcePlace{file, 5}));
    QCOMPARE(found[0].times, uint64_t{2});
    QCOMPARE(found[1].caller.name, std::string("main"));  // the library between is no answer
    QVERIFY(called_from(d, {file, 4}).empty());
    show_document(d);
    window().selection().select(Selection::of_line(d, {file, 2}));
    go_to_view("source");
    CodeView* code = window().source()->code();
    code->go_to(2);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, code->mapToGlobal(QPoint()));
    QApplication::sendEvent(code, &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QMenu* callers = nullptr;
    for (QAction* action : menu->actions())
      if (action->menu() && action->text() == QStringLiteral("Called from")) callers = action->menu();
    QVERIFY(callers);
    QCOMPARE(callers->actions().size(), qsizetype{2});
    QVERIFY2(callers->actions()[0]->text().startsWith(QStringLiteral("deep.py:5  in other")),
             qPrintable(callers->actions()[0]->text()));
    callers->actions()[0]->trigger();
    menu->close();
    QCOMPARE(selected().place, (SourcePlace{file, 5}));
  }

  void why_a_function_was_not_converted() {
    Document d = sample_document();
    const session::FileId file(30);
    d.add(session::FileRecord{file, "/run/f.py",
                              "@tf.function(autograph = False)\ndef f(x):\n    return x\n\ng = tf.function(Model())\n"
                              "@do_not_convert\n@tf.function\ndef h(x): return x\n"});
    d.add(session::FunctionRecord{FunctionId(20), "f", file, 2, 1, {"x"}});
    d.add(session::FunctionRecord{FunctionId(21), "Model", file, 5, 5, {"x"}});
    d.add(session::FunctionRecord{FunctionId(22), "h", file, 8, 7, {"x"}});
    d.add(session::FunctionRecord{FunctionId(23), "made", session::FileId(), 0, 0, {}});
    for (uint32_t i = 20; i < 24; ++i) add_traces(d, FunctionId(i), i * 100, 1, 1);
    // A function of Keras belongs to the line of fit(): nothing of it is to be converted, whatever fails in it.
    d.add(session::FunctionRecord{FunctionId(24), "train_function", file, 5, 5, {}});
    session::TraceRecord failed = trace_of(TraceId(2400), FunctionId(24), 1);
    failed.error = "ValueError: no";
    d.add(failed);
    const auto why = [&](uint32_t id) {
      return nothing_to_show(d, Selection::of_function(d, FunctionId(id)), LeadFor::kAutograph)
          .text.section(QStringLiteral(": "), 1);
    };
    QCOMPARE(why(20), QStringLiteral("it was made with autograph=False."));
    QCOMPARE(why(21), QStringLiteral("it is an object or a wrapper, whose code AutoGraph cannot see."));
    QCOMPARE(why(22), QStringLiteral("do_not_convert leaves it in Python."));
    QCOMPARE(why(24), why(21));
    const ViewLead lead =
        nothing_to_show(d, Selection::of_function(d, FunctionId(24)), LeadFor::kAutograph);
    QCOMPARE(lead.view, QStringLiteral("retraces"));  // there is no graph to show
    QCOMPARE(why(23), QStringLiteral("its code is in no file, as after exec() or at a prompt."));
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
    const Selection before = selected();
    press(second, 90);
    QVERIFY(tree()->isExpanded(second));
    QCOMPARE(selected().kind, before.kind);
    const QModelIndex trace = tree()->model()->index(4, 0, second);
    press(trace, 90);
    QCOMPARE(selected().trace, TraceId(10'105));
    press(second, 90);
    QVERIFY(!tree()->isExpanded(second));
    tree()->setFocus();
    tree()->setCurrentIndex(second);
    QTest::keyClick(tree(), Qt::Key_Right);
    QVERIFY(tree()->isExpanded(second));
    QTest::keyClick(tree(), Qt::Key_Down);
    QCOMPARE(selected().trace, TraceId(10'101));
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
#include "test_navigator.moc"
