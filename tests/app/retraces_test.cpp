// The Retraces view with thousands of traces, sorted and filtered.
#include "tests/app/window_case.h"

#include <QHeaderView>

using namespace footlight;
using namespace footlight::app;

class RetracesTest : public WindowCase {
  Q_OBJECT

  static Document many_traces(int count) {
    Document d;
    d.run.script = "/tmp/many.py";
    d.add(session::FunctionRecord{FunctionId(1), "scale", session::FileId(1), 2, 1, {"x", "factor"}});
    for (int i = 0; i < count; ++i) {
      session::TraceRecord t;
      t.id = TraceId(static_cast<uint32_t>(i) + 1);
      t.function = FunctionId(1);
      t.number = i + 1;
      t.start_ns = i * 10'000'000LL;
      t.end_ns = t.start_ns + 1'000'000LL + (i * 7919) % 5'000 * 1'000LL;
      t.key = {{"args[0]", "x", "tensor", "float32", "4", ""},
               {"args[1]", "factor", "literal", "float", "", std::to_string(i) + ".5"}};
      t.nearest = i ? TraceId(static_cast<uint32_t>(i)) : TraceId();
      t.differing = {"args[1]"};
      t.why = "value of factor";
      d.add(t);
    }
    return d;
  }

 private Q_SLOTS:
  void five_thousand_traces_are_sorted_and_filtered() {
    const Document d = many_traces(5000);
    window().session().show(d);
    window().show_view(QStringLiteral("retraces"));
    window().settle();
    Table* table = window().retraces()->table();
    QCOMPARE(table->model()->rowCount(), 5000);
    // By time, with the mouse: shortest first, then longest.
    QHeaderView* header = table->horizontalHeader();
    const int ms = table->model()->columnCount() - 2;
    QCOMPARE(table->model()->headerData(ms, Qt::Horizontal).toString(), QStringLiteral("trace ms"));
    const QPoint at(header->sectionViewportPosition(ms) + 10, header->height() / 2);
    const auto in_order = [&](bool up) {
      for (int row = 1; row < 5000; ++row) {
        const double a = table->model()->index(row - 1, ms).data().toDouble();
        const double b = table->model()->index(row, ms).data().toDouble();
        if (up ? a > b : a < b) return false;
      }
      return true;
    };
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(in_order(true));
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(in_order(false));
    // A row still stands for its trace.
    table->setFocus();
    table->setCurrentIndex(table->model()->index(17, 0));
    const QString number = table->model()->index(17, 0).data().toString();
    QCOMPARE(number, QStringLiteral("#%1").arg(d.trace(window().selection().current().trace)->number));
    // Filtered by what is in any column.
    QLineEdit* filter = window().retraces()->filter_edit();
    QVERIFY(filter->isVisible());
    QTest::keyClicks(filter, QStringLiteral("499 factor"));
    int expected = 0;
    for (const session::TraceRecord& t : d.traces) {
      expected += (std::to_string(t.number) + ' ' + t.key[1].value).find("499") != std::string::npos;
    }
    QCOMPARE(table->model()->rowCount(), expected);
    QTest::keyClick(filter, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(filter, Qt::Key_Delete);
    QCOMPARE(table->model()->rowCount(), 5000);
  }

  void few_traces_have_no_filter() {
    with_sample();
    window().show_view(QStringLiteral("retraces"));
    window().settle();
    QVERIFY(!window().retraces()->filter_edit()->isVisible());
  }
};

QTEST_MAIN(RetracesTest)
#include "retraces_test.moc"
#include "moc_window_case.cpp"
