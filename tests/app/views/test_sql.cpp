// The SQL view with real keys and mouse: results, errors at their place, what rows select, limits, stopping.
#include "tests/app/window_case.h"

#include "app/models/text.h"

#include "engine/sql/ready_queries.h"

#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>

#include <algorithm>
#include <set>

using namespace footlight;
using namespace footlight::app;

class SqlTest : public WindowCase {
  Q_OBJECT

 private:
  const SampleRun run_ = sample_run();

  SqlView* view() { return window().sql(); }
  void show_sql() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(window().view(), QStringLiteral("sql"));
    window().settle();
  }
  void ask(const char* statement) {
    view()->run(QLatin1String(statement));
    QTRY_VERIFY(!view()->busy());
  }
  void choose(int row) {
    QTest::mouseClick(view()->table()->viewport(), Qt::LeftButton, {},
                      view()->table()->visualRect(view()->model().index(row, 0)).center());
    window().settle();
  }

 private Q_SLOTS:
  // The first thing shown is an answer: the time of each function, as the window's own totals have it.
  void it_begins_with_an_answer() {
    show_sql();
    QVERIFY(view()->table()->isVisible());
    const SqlModel& model = view()->model();
    std::set<uint32_t> called;
    for (const session::CallRecord& call : run_.calls) called.insert(call.function.value);
    QCOMPARE(model.rowCount(), static_cast<int>(called.size()));
    for (int r = 0; r < model.rowCount(); ++r) {
      const FunctionId id(static_cast<uint32_t>(model.at(r, 5).integer));
      const query::CallSums sums = document().calls_of(id);
      QCOMPARE(static_cast<uint64_t>(model.at(r, 1).integer), sums.calls);
      QCOMPARE(model.at(r, 3).real, static_cast<double>(sums.total_ns) / 1e6);
    }
    QVERIFY2(view()->status().startsWith(counted(called.size(), "row", "rows") + QStringLiteral(" in ")),
             qPrintable(view()->status()));
    QCOMPARE(QApplication::focusWidget(), view()->editor());
  }

  void typed_and_run_by_key() {
    show_sql();
    view()->editor()->selectAll();
    QTest::keyClicks(view()->editor(), QStringLiteral("SELECT count(*) AS n FROM ops"));
    QTest::keyClick(view()->editor(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(!view()->busy());
    QCOMPARE(view()->model().rowCount(), 1);
    QCOMPARE(view()->model().headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("n"));
    QCOMPARE(view()->model().at(0, 0).integer, static_cast<int64_t>(run_.ops.size()));
  }

  void an_error_stands_at_its_place() {
    show_sql();
    ask("SELECT op,\n  functoin FROM ops");
    QCOMPARE(view()->status(), QStringLiteral("There is no column functoin; did you mean function?"));
    QVERIFY(!view()->table()->isVisible());
    const auto marks = view()->editor()->extraSelections();
    QCOMPARE(marks.size(), 1);
    QCOMPARE(marks.front().cursor.selectedText(), QStringLiteral("functoin"));
    ask("DELETE FROM ops");
    QVERIFY2(view()->status().contains(QStringLiteral("SELECT")), qPrintable(view()->status()));
    ask("SELECT 1");
    QVERIFY(view()->editor()->extraSelections().isEmpty());
  }

  // A row selects what its columns name, by mouse and by keys.
  void rows_select() {
    show_sql();
    ask("SELECT function FROM functions ORDER BY function");
    choose(1);
    QCOMPARE(selected().kind, Selection::Kind::kFunction);
    QCOMPARE(q(document().function(selected().function)->name), QStringLiteral("train_step"));
    ask("SELECT function, trace FROM traces WHERE function = 'train_step' ORDER BY trace");
    choose(2);
    QCOMPARE(selected().kind, Selection::Kind::kTrace);
    QCOMPARE(document().trace(selected().trace)->number, 3);
    ask("SELECT node, graph_id, node_id FROM nodes WHERE op = 'MatMul'");
    choose(0);
    QCOMPARE(selected().kind, Selection::Kind::kNode);
    QCOMPARE(document().node(selected().graph, selected().node)->op, std::string("MatMul"));
    ask("SELECT call_id, outcome FROM calls ORDER BY start_ns");
    choose(0);
    QCOMPARE(selected().kind, Selection::Kind::kCall);
    QCOMPARE(selected().call, run_.calls.front().id);
    ask("SELECT op, op_id FROM ops ORDER BY start_ns LIMIT 1 OFFSET 2");
    choose(0);
    QCOMPARE(selected().kind, Selection::Kind::kEvent);
    ask("SELECT device_row, name FROM device");
    if (view()->model().rowCount() > 0) {
      choose(0);
      QCOMPARE(selected().kind, Selection::Kind::kDevice);
    }
    ask("SELECT DISTINCT source FROM calls");
    choose(0);
    QCOMPARE(selected().kind, Selection::Kind::kLine);
    // Enter goes to the view that shows it best.
    QTest::keyClick(view()->table(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("source"));
  }

  // A row that has nothing but a time marks it in the timeline.
  void a_time_is_marked() {
    show_sql();
    ask("SELECT start_ns / 1e6 AS start_ms, duration_ns FROM calls ORDER BY start_ns LIMIT 1 OFFSET 1");
    choose(0);
    std::vector<session::CallRecord> calls = run_.calls;
    std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    QCOMPARE(window().timeline()->canvas()->mark_from(), calls[1].start_ns);
    QCOMPARE(window().timeline()->canvas()->mark_to(), calls[1].end_ns);
    QTest::keyClick(view()->table(), Qt::Key_Return);
    QCOMPARE(window().view(), QStringLiteral("timeline"));
  }

  void ready_queries() {
    show_sql();
    QCOMPARE(view()->queries()->count(), static_cast<int>(sql::ready_queries().size()));
    QVERIFY(view()->queries()->count() >= 10);
    view()->queries()->setFocus();
    for (int i = 0; i < view()->queries()->count(); ++i) {
      view()->queries()->setCurrentRow(i);
      QTest::keyClick(view()->queries(), Qt::Key_Return);
      QTRY_VERIFY(!view()->busy());
      QVERIFY2(!view()->status().isEmpty() && view()->editor()->extraSelections().isEmpty(),
               qPrintable(view()->status()));
      QVERIFY(view()->model().result() != nullptr);
    }
    // A click runs one, too.
    QTest::mouseClick(view()->queries()->viewport(), Qt::LeftButton, {},
                      view()->queries()->visualItemRect(view()->queries()->item(2)).center());
    QTRY_VERIFY(!view()->busy());
    QCOMPARE(view()->editor()->toPlainText(), QString::fromUtf8(sql::ready_queries()[2].statement));
    QCOMPARE(view()->model().rowCount(), static_cast<int>(run_.document.traces.size()));
  }

  void the_number_of_rows_is_limited_and_said() {
    show_sql();
    ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
    QCOMPARE(view()->model().rowCount(), static_cast<int>(SqlView::kMaxRows));
    QVERIFY2(view()->status().contains(QStringLiteral("there are more")), qPrintable(view()->status()));
  }

  void one_without_end_is_stopped() {
    show_sql();
    view()->run(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"));
    QTest::qWait(50);
    QVERIFY(view()->busy());
    QTest::keyClick(view()->editor(), Qt::Key_Escape);
    QVERIFY(!view()->busy());
    QCOMPARE(view()->status(), QStringLiteral("The statement was stopped."));
    ask("SELECT 1");
    QCOMPARE(view()->model().rowCount(), 1);
    // Another recording, or none, ends it as well.
    view()->run(QStringLiteral("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"));
    window().session().close();
    QVERIFY(!view()->busy());
  }

  // A number that is not nothing is not shown as nothing, also beside large ones.
  void small_numbers() {
    show_sql();
    ask("SELECT column1 AS x FROM (VALUES (44980.5), (0.004), (0.0))");
    QCOMPARE(view()->model().index(0, 0).data().toString(), QStringLiteral("44980.5"));
    QCOMPARE(view()->model().index(1, 0).data().toString(), QStringLiteral("0.004"));
    QCOMPARE(view()->model().index(2, 0).data().toString(), QStringLiteral("0.0"));
  }

  void headings_sort() {
    show_sql();
    ask("SELECT column1 AS x FROM (VALUES (2), ('b'), (NULL), (10), (3.5))");
    view()->model().sort_by(0);
    QStringList texts;
    for (int r = 0; r < 5; ++r) texts << view()->model().index(r, 0).data().toString();
    QCOMPARE(texts.join(QLatin1Char(' ')), QStringLiteral("NULL 2 3.500 10 b"));
  }
};

QTEST_MAIN(SqlTest)
#include "test_sql.moc"
