// The Compare tab over recordings by mouse and keyboard: what it says is counted from the sample's own records.
#include "app/models/text.h"
#include "tests/app/window_case.h"

#include <QSignalSpy>

#include <cmath>

using namespace footlight;
using namespace footlight::app;

class CompareRecordedTest : public WindowCase {
  Q_OBJECT

  CompareView& view() { return *window().compare(); }
  void open_sides() {
    with_sample();
    window().selection().select(Selection::of_function(document(), FunctionId(1)));
    QTest::keyClick(&window(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(view().isVisible());
    QVERIFY(!view().shows_result());
  }
  // The calls of a trace that it served after it was made: how long each took.
  std::vector<double> hits_of(TraceId trace) {
    std::vector<double> times;
    for (const session::CallRecord& c : sample_run().calls)
      if (c.trace == trace && c.outcome == CallOutcome::kHit)
        times.push_back(static_cast<double>(c.end_ns - c.start_ns));
    return times;
  }
  static double mean_of_middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t from = values.size() / 4, to = values.size() - from;
    double sum = 0;
    for (size_t i = from; i < to; ++i) sum += values[i];
    return sum / static_cast<double>(to - from);
  }
  void adds_up() {
    const explain::Comparison& c = *view().shown();
    const Waterfall& w = view().waterfall()->waterfall();
    QVERIFY(w.bars.size() >= 2);
    QVERIFY(std::abs(w.bars[w.bars.size() - 2].to - c.traced.total.mean) < 1);
    const CompareTable& rows = view().rows();
    const int difference = rows.column("Difference");
    double sum = 0;
    for (int r = 0; r < rows.rowCount() - 1; ++r) {
      const QString text = rows.index(r, difference).data().toString();
      sum += text.toDouble();
    }
    const double total = rows.index(rows.rowCount() - 1, difference).data().toString().toDouble();
    QVERIFY(std::abs(sum - total) < 0.06 * rows.rowCount());
  }

 private Q_SLOTS:
  void two_traces_of_the_selected_function_are_offered() {
    open_sides();
    QCOMPARE(view().sides()->left()->side().what, explain::recorded_named("train_step#1"));
    QCOMPARE(view().sides()->right()->side().what, explain::recorded_named("train_step#2"));
    QVERIFY(view().sides()->button()->isVisible());
    view().sides()->button()->setFocus();
    QTest::keyClick(view().sides()->button(), Qt::Key_Return);
    QTRY_VERIFY(view().shows_result());
    const explain::Comparison& c = *view().shown();
    QVERIFY(c.recorded);
    QCOMPARE(q(c.title), QStringLiteral("train_step: #1 against #2"));
    QVERIFY(std::abs(c.eager.total.mean - mean_of_middle(hits_of(TraceId(10)))) < 1);
    QVERIFY(std::abs(c.traced.total.mean - mean_of_middle(hits_of(TraceId(11)))) < 1);
    QVERIFY(view().sentence().contains(time_words(c.eager.total.mean)));
    adds_up();
    // Its rows lead to nodes of the open recording.
    QVERIFY(!c.rows.empty());
    view().table()->setFocus();
    view().table()->setCurrentIndex(view().rows().index(0, 0));
    QTest::keyClick(view().table(), Qt::Key_Down);
    QVERIFY(selected().kind == Selection::Kind::kNode);
    // The selection of another trace does not take it away.
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    QVERIFY(view().shows_result());
    QCOMPARE(view().shown()->title, c.title);
  }

  void two_calls_by_keyboard() {
    open_sides();
    CompareSideBox *left = view().sides()->left(), *right = view().sides()->right();
    for (CompareSideBox* box : {left, right}) {
      box->which_box()->setFocus();
      QTest::keyClicks(box->which_box(), QStringLiteral("call"));
    }
    QCOMPARE(left->number_box()->maximum(), 24);
    left->number_box()->setValue(2);
    right->number_box()->setFocus();
    right->number_box()->selectAll();
    QTest::keyClicks(right->number_box(), QStringLiteral("9"));
    QTest::mouseClick(view().sides()->button(), Qt::LeftButton);
    QTRY_VERIFY(view().shows_result());
    std::vector<session::CallRecord> calls;
    for (const session::CallRecord& c : sample_run().calls)
      if (c.function == FunctionId(1)) calls.push_back(c);
    std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    const auto took = [&](size_t i) { return static_cast<double>(calls[i].end_ns - calls[i].start_ns); };
    QCOMPARE(view().shown()->eager.total.mean, took(1));
    QCOMPARE(view().shown()->traced.total.mean, took(8));
    adds_up();
    // The ninth call made its trace: that is shown as such.
    QVERIFY(calls[8].outcome == CallOutcome::kTrace);
    QVERIFY(view().shown()->traced.shares[static_cast<size_t>(explain::Share::kTracing)] > 0);
    QVERIFY(view().sentence().contains(QStringLiteral("call 2 took")));
  }

  void another_recording_is_read() {
    SampleRun slower = sample_run();
    for (session::CallRecord& c : slower.calls) c.end_ns += (c.end_ns - c.start_ns) / 2;
    write_session(at("slower.footlight"), slower);
    open_sides();
    CompareSide other;
    other.path = at("slower.footlight");
    other.what = explain::recorded_named("train_step");
    view().sides()->offer({{}, explain::recorded_named("train_step")}, other);
    QCOMPARE(view().sides()->right()->recording_box()->currentText(), QStringLiteral("slower"));
    QCOMPARE(view().sides()->right()->side().path, other.path);
    QTest::mouseClick(view().sides()->button(), Qt::LeftButton);
    QTRY_VERIFY(view().shows_result());
    QCOMPARE(q(view().shown()->title), QStringLiteral("train_step: sample against slower"));
    QVERIFY(view().shown()->traced.total.mean > view().shown()->eager.total.mean);
    adds_up();
    // Back to the sides and out of them again.
    QTest::mouseClick(view().recorded_button(), Qt::LeftButton);
    QVERIFY(!view().shows_result());
    QTest::keyClick(view().sides()->left()->recording_box(), Qt::Key_Escape);
    QVERIFY(view().shows_result());
    QCOMPARE(view().choice()->count(), 1);
  }

  void two_recordings_are_compared_by_function() {
    SampleRun other = sample_run();
    other.document.functions[1].name = "validate";
    std::erase_if(other.calls, [](const session::CallRecord& c) {
      return c.function == FunctionId(1) && c.outcome == CallOutcome::kHit;
    });
    write_session(at("other.footlight"), other);
    QVERIFY(window().open_to_compare(at("other.footlight"), at("sample.footlight")));
    QTRY_VERIFY(view().shows_result());
    QVERIFY(view().isVisible());
    QVERIFY(view().shows_functions());
    const CompareFunctions& rows = view().function_rows();
    const auto cell = [&](const char* function, const char* column) {
      const int row = rows.find([&](const explain::FunctionChange& f) { return f.name == function; });
      return rows.index(row, rows.column(column)).data().toString();
    };
    const auto arrow = [](const char* text) { return QString::fromUtf8(text); };
    QCOMPARE(rows.rowCount(), 3);
    QCOMPARE(cell("train_step", "Calls"), arrow("6 → 24"));
    QCOMPARE(cell("train_step", "Traces"), arrow("6"));
    QVERIFY(cell("train_step", "What changed").startsWith(arrow("18 calls more")));
    QCOMPARE(cell("validate", "What changed"), arrow("vanished"));
    QCOMPARE(cell("evaluate", "What changed"), arrow("appeared"));
    QVERIFY(cell("validate", "Time per call").endsWith(arrow(" → –")) || cell("validate", "Time per call").isEmpty());
    // A row selects its function, where the open recording has it.
    for (const auto& [name, id] : {std::pair("evaluate", FunctionId(2)), std::pair("train_step", FunctionId(1))}) {
      const int row = rows.find([&](const explain::FunctionChange& f) { return f.name == name; });
      view().function_table()->setCurrentIndex(rows.index(row, 0));
      QCOMPARE(selected().function, id);
      QVERIFY(view().row_box()->shown_text().contains(QLatin1String(name)));
    }
    const int gone = rows.find([&](const explain::FunctionChange& f) { return f.name == "validate"; });
    view().function_table()->setCurrentIndex(rows.index(gone, 0));
    QCOMPARE(selected().function, FunctionId(1));
    QVERIFY(view().row_box()->shown_text().contains(QStringLiteral("in the other recording alone")));
    // The selection of a function marks its row.
    window().selection().select(Selection::of_function(document(), FunctionId(2)));
    QCOMPARE(q(rows.at(view().function_table()->currentIndex().row())->name), QStringLiteral("evaluate"));
    view().show_functions(false);
    QVERIFY(view().table()->isVisible());
    QVERIFY(!view().function_table()->isVisible());
  }

  void what_is_not_there_is_said() {
    open_sides();
    view().sides()->offer({{}, explain::recorded_named("train_step")}, {{}, explain::recorded_named("train_step#2")});
    QTest::mouseClick(view().sides()->button(), Qt::LeftButton);
    QTRY_VERIFY(view().sides()->failure().contains(QStringLiteral("are not comparable")));
    QVERIFY(!view().shows_result());
    view().sides()->offer({{}, explain::recorded_named("train_step")}, {{}, explain::recorded_named("train_step")});
    QTest::mouseClick(view().sides()->button(), Qt::LeftButton);
    QCOMPARE(view().sides()->failure(), QStringLiteral("Both sides are the same."));
    view().sides()->offer({at("none.footlight"), {}}, {});
    QTest::mouseClick(view().sides()->button(), Qt::LeftButton);
    QTRY_VERIFY(view().sides()->failure().contains(QStringLiteral("none.footlight")));
    QVERIFY(!view().sides()->running());
  }

  void retraces_lead_to_it() {
    with_sample();
    QTest::keyClick(&window(), Qt::Key_2, Qt::ControlModifier);
    window().selection().select(Selection::of_trace(document(), TraceId(12)));
    RetracesView& retraces = *window().retraces();
    QVERIFY(retraces.times_link()->isVisible());
    QTest::mouseClick(retraces.times_link(), Qt::LeftButton);
    QTRY_VERIFY(view().shows_result());
    const session::TraceRecord* trace = document().trace(TraceId(12));
    const int near = document().trace(trace->nearest)->number;
    QCOMPARE(q(view().shown()->title), QStringLiteral("train_step: #%1 against #%2").arg(near).arg(trace->number));
  }
};

QTEST_MAIN(CompareRecordedTest)
#include "test_compare_recorded.moc"
