// The Retraces view with thousands of traces: sorted, filtered, put together by what differs and by call line.
#include "tests/app/window_case.h"

#include "app/models/text.h"
#include "tests/session/records.h"

#include <QHeaderView>
#include <QImage>

using namespace footlight;
using namespace footlight::app;

class RetracesTest : public WindowCase {
  Q_OBJECT

  static Document many_traces(int count) {
    Document d;
    d.run.script = "/tmp/many.py";
    d.add(session::FunctionRecord{FunctionId(1), "scale", session::FileId(1), 2, 1, {"x", "factor"}});
    for (int i = 0; i < count; ++i) {
      session::TraceRecord t = trace_of(TraceId(static_cast<uint32_t>(i) + 1), FunctionId(1), i + 1, i * 10'000'000LL);
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

  // A function called from three lines, one of them with two calls; traces differ in a shape, a number, or both.
  static SampleRun many_calls(int count) {
    SampleRun run;
    Document& d = run.document;
    d = many_traces(0);
    const session::FileId file(1);
    d.add(session::FileRecord{file, "/tmp/many.py", "import tf\n\n\ndef scale(x, factor):\n    return x\n"
                                                    "scale(a, i), scale(b, i)\nscale(a, i)\nscale(c, i)\n"});
    session::CodeRecord code{CodeId(1), file, "<module>", 1, {}};
    code.lines = {{60, 6}, {61, 6}, {70, 7}, {80, 8}};
    d.add(code);
    int64_t at = 1'000'000;
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
      session::TraceRecord t = trace_of(TraceId(i + 1), FunctionId(1), static_cast<int>(i) + 1);
      t.key = {{"args[0]", "x", "tensor", "float32", std::to_string(i % 7), ""},
               {"args[1]", "factor", "literal", "float", "", std::to_string(i) + ".5"}};
      t.nearest = i ? TraceId(i) : TraceId();
      if (i) t.differing = i % 3 == 0   ? std::vector<std::string>{"args[0].shape[0]"}
                           : i % 3 == 1 ? std::vector<std::string>{"args[1]"}
                                        : std::vector<std::string>{"args[0].shape[0]", "args[1]"};
      t.source = {CodeId(1), 60 + i % 2 + (i % 5 ? 0u : 10u)};
      if (i % 5 == 0) t.source.offset = 70;
      t.start_ns = at;
      t.end_ns = at + 100'000 + i * 37;
      d.add(t);
      for (uint32_t c = 0; c < 1 + i % 4; ++c) {
        session::CallRecord call =
            call_of(CallId(run.calls.size() + 1), FunctionId(1), t.id, c ? CallOutcome::kHit : CallOutcome::kTrace, at);
        call.source = c == 3 ? SourceRef{CodeId(1), 80} : t.source;
        call.end_ns = at = (c ? at + 2'000 + i : t.end_ns + 5'000);
        at += 10;
        run.calls.push_back(call);
      }
    }
    d.end = session::EndRecord{at, 0, 0, "finished"};
    return run;
  }

  // Of a cell, by the heading of its column.
  QString cell(const Table* table, int row, const char* heading) {
    for (int c = 0; c < table->model()->columnCount(); ++c)
      if (table->model()->headerData(c, Qt::Horizontal).toString().section(QLatin1Char(','), 0, 0)
              .compare(QLatin1String(heading), Qt::CaseInsensitive) == 0)
        return table->model()->index(row, c).data().toString();
    return QStringLiteral("no such column");
  }
  // In nanoseconds, as far as the column shows it.
  bool shows_time(const Table* table, int row, const char* heading, int64_t ns) {
    for (int c = 0; c < table->model()->columnCount(); ++c) {
      const QString title = table->model()->headerData(c, Qt::Horizontal).toString();
      if (title.section(QLatin1Char(','), 0, 0).compare(QLatin1String(heading), Qt::CaseInsensitive)) continue;
      const QString unit = title.section(QLatin1Char(' '), -1);
      const double scale = unit == QStringLiteral("s") ? 1e9 : unit == QStringLiteral("ms") ? 1e6 : 1e3;
      QString text = table->model()->index(row, c).data().toString();
      const auto decimals = text.size() - 1 - text.indexOf(QLatin1Char('.'));
      return text.remove(QLatin1Char(',')) == QString::number(static_cast<double>(ns) / scale, 'f',
                                                               static_cast<int>(decimals));
    }
    return false;
  }
  void open_many(const SampleRun& run) {
    write_session(at("many.footlight"), run);
    window().session().open(at("many.footlight"));
    go_to_view("retraces");
  }

 private Q_SLOTS:
  // Each call line's cost, against the raw rows; a row selects its calls.
  void call_lines_cost_what_their_calls_cost() {
    const SampleRun run = many_calls(300);
    open_many(run);
    RetracesView& view = *window().retraces();
    QTest::mouseClick(view.groupings(), Qt::LeftButton, {}, view.groupings()->tabRect(2).center());
    Table* table = view.group_table();
    QVERIFY(table->isVisible() && !view.table()->isVisible());
    QCOMPARE(table->model()->rowCount(), 3);
    const Document& d = run.document;
    int64_t last_cost = INT64_MAX;
    for (int row = 0; row < 3; ++row) {
      const QString name = cell(table, row, "call line");
      const int line = name.section(QLatin1Char(':'), 1).toInt();
      uint64_t calls = 0, hits = 0, traces = 0;
      int64_t in_calls = 0, tracing = 0;
      for (const session::CallRecord& c : run.calls) {
        if (d.place(c.source).line != line) continue;
        ++calls;
        hits += c.outcome == CallOutcome::kHit;
        in_calls += c.end_ns - c.start_ns;
      }
      for (const session::TraceRecord& t : d.traces) {
        if (d.place(t.source).line != line) continue;
        ++traces;
        tracing += t.end_ns - t.start_ns;
      }
      QVERIFY(calls > 0);
      QCOMPARE(cell(table, row, "calls"), count_text(calls));
      QCOMPARE(cell(table, row, "hits"), count_text(hits));
      QCOMPARE(cell(table, row, "traces"), count_text(traces));
      QVERIFY(traces == 0 || shows_time(table, row, "tracing", tracing));
      QVERIFY(shows_time(table, row, "running", in_calls - tracing));
      QCOMPARE(cell(table, row, "the line"), q(d.lines(session::FileId(1))[static_cast<size_t>(line) - 1]).trimmed());
      QVERIFY(tracing <= last_cost);
      last_cost = tracing;
      // With the mouse: the line is selected, and its calls are marked in the strip.
      QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                        table->visualRect(table->model()->index(row, 0)).center());
      QCOMPARE(selected().kind, Selection::Kind::kLine);
      QCOMPARE(selected().place.line, line);
      QCOMPARE(selected().function, FunctionId(1));
      window().settle();
      QCOMPARE(view.strip()->range_text(),
               QStringLiteral("%1 of %2 calls marked").arg(count_text(calls), count_text(run.calls.size())));
      uint64_t marked = 0;
      for (const StripCell& c : view.strip()->cells()) marked += c.chosen ? c.count : 0;
      QCOMPARE(marked, calls);
    }
  }

  void what_differs_puts_traces_together() {
    const SampleRun run = many_calls(300);
    open_many(run);
    RetracesView& view = *window().retraces();
    view.groupings()->setFocus();
    QTest::keyClick(view.groupings(), Qt::Key_Right);
    Table* table = view.group_table();
    std::map<std::string, std::vector<TraceId>> expected;
    for (const session::TraceRecord& t : run.document.traces)
      expected[t.differing.empty() ? "First call" : t.differing.size() == 2 ? "args[0].shape[0] x, args[1] factor"
                                : t.differing[0] == "args[1]"             ? "args[1] factor"
                                                                          : "args[0].shape[0] x"]
          .push_back(t.id);
    QCOMPARE(table->model()->rowCount(), static_cast<int>(expected.size()));
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const auto& traces = expected.at(cell(table, row, "what differs").toStdString());
      QCOMPARE(cell(table, row, "traces"), count_text(traces.size()));
      uint64_t calls = 0;
      int64_t tracing = 0;
      for (const session::CallRecord& c : run.calls) calls += std::ranges::count(traces, c.trace);
      for (const TraceId id : traces)
        tracing += run.document.trace(id)->end_ns - run.document.trace(id)->start_ns;
      QCOMPARE(cell(table, row, "calls"), count_text(calls));
      QVERIFY(shows_time(table, row, "tracing", tracing));
    }
    // The values of the first leaf that differs: the first two, and the last of all.
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      if (cell(table, row, "what differs") != QStringLiteral("args[1] factor")) continue;
      const auto& traces = expected.at("args[1] factor");
      const auto value = [&](TraceId id) { return q(run.document.trace(id)->key[1].value); };
      QCOMPARE(cell(table, row, "values"), QString::fromUtf8("%1 → %2 → … → %3").arg(
                   value(traces[0]), value(traces[1]), value(traces.back())));
    }
    // By keys into the traces of the second group, and back to all.
    table->setFocus();
    table->setCurrentIndex(table->model()->index(1, 0));
    const auto& second = expected.at(cell(table, 1, "what differs").toStdString());
    QCOMPARE(selected().trace, second.front());
    QTest::keyClick(table, Qt::Key_Return);
    QVERIFY(view.table()->isVisible() && view.table()->hasFocus());
    QCOMPARE(view.table()->model()->rowCount(), static_cast<int>(second.size()));
    QVERIFY(view.only_button()->isVisible());
    QCOMPARE(view.table()->model()->index(0, 0).data().toString(),
             QStringLiteral("#%1").arg(run.document.trace(second.front())->number));
    view.only_button()->setFocus();
    QTest::keyClick(view.only_button(), Qt::Key_Space);
    QCOMPARE(view.table()->model()->rowCount(), 300);
    QVERIFY(!view.only_button()->isVisible());
  }

  void ten_thousand_traces_are_grouped() {
    const SampleRun run = many_calls(10'000);
    open_many(run);
    RetracesView& view = *window().retraces();
    QCOMPARE(view.table()->model()->rowCount(), 10'000);
    for (const RetracesView::Grouping grouping : {RetracesView::kByDifference, RetracesView::kByCallLine}) {
      view.group_by(grouping);
      uint64_t traces = 0;
      for (int row = 0; row < view.group_table()->model()->rowCount(); ++row)
        traces += cell(view.group_table(), row, "traces").remove(QLatin1Char(',')).toULongLong();
      QCOMPARE(traces, uint64_t{10'000});
    }
  }

  // While a run goes on, rows are added to those that are there: the table is the one that is made anew.
  void a_growing_run() {
    Document d = many_traces(100);
    TracesModel grown;
    grown.set_function(&d, FunctionId(1));
    const auto same = [&] {
      TracesModel fresh;
      fresh.set_function(&d, FunctionId(1));
      QCOMPARE(grown.rowCount(), fresh.rowCount());
      QCOMPARE(grown.columnCount(), fresh.columnCount());
      for (int row = 0; row < fresh.rowCount(); ++row) {
        for (int c = 0; c < fresh.columnCount(); ++c) {
          for (const int role : {static_cast<int>(Qt::DisplayRole), static_cast<int>(TracesModel::kDiffers)})
            QCOMPARE(grown.data(grown.index(row, c), role), fresh.data(fresh.index(row, c), role));
          QVERIFY(grown.key(row, c) == fresh.key(row, c));
        }
      }
    };
    // More traces and calls; then a graph, the end of an open trace, and a leaf that has no column yet.
    for (const session::TraceRecord& t : many_traces(160).traces)
      if (t.number > 100) d.add(t);
    query::CallSums sums;
    sums.calls = 7;
    d.set_calls(TraceId(3), sums);
    grown.refresh();
    same();
    session::TraceRecord open = *d.trace(TraceId(160));
    open.id = TraceId(161);
    open.number = 161;
    open.end_ns = 0;
    d.add(open);
    grown.refresh();
    same();
    open.end_ns = open.start_ns + 5'000'000;
    open.key.push_back({"args[2]", "flag", "literal", "bool", "", "True"});
    open.differing = {"args[2]"};
    d.add(open);
    grown.refresh();
    same();
    QCOMPARE(grown.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("flag"));
  }

  void five_thousand_traces_are_sorted_and_filtered() {
    const Document d = many_traces(5000);
    window().session().show(d);
    go_to_view("retraces");
    Table* table = window().retraces()->table();
    QCOMPARE(table->model()->rowCount(), 5000);
    // By time, with the mouse: shortest first, then longest.
    QHeaderView* header = table->horizontalHeader();
    const int ms = table->model()->columnCount() - 2;
    // One unit and as many decimals in each row.
    const QString unit = table->model()->headerData(ms, Qt::Horizontal).toString();
    QVERIFY2(unit.startsWith(QStringLiteral("Tracing, ")), qPrintable(unit));
    const auto decimals = [&](int row) {
      const QString text = table->model()->index(row, ms).data().toString();
      return text.size() - (text.contains(QLatin1Char('.')) ? text.indexOf(QLatin1Char('.')) : text.size());
    };
    for (int row = 1; row < 5000; row += 101) QCOMPARE(decimals(row), decimals(0));
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
    QCOMPARE(number, QStringLiteral("#%1").arg(d.trace(selected().trace)->number));
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
    go_to_view("retraces");
    QVERIFY(!window().retraces()->filter_edit()->isVisible());
  }
};

QTEST_MAIN(RetracesTest)
#include "test_retraces.moc"
