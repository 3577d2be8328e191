// The range of the timeline and what it drives, by real mouse and keys, against the rows that were written.
#include "tests/app/timeline_case.h"

#include "app/models/text.h"

#include "engine/session/writer.h"

#include <QAccessible>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <map>

using namespace footlight;
using namespace footlight::app;

class TimelineRangeTest : public TimelineCase {
  Q_OBJECT

 private:
  // How many op events of each op lie in a range.
  std::map<QString, uint64_t> counts(int64_t from, int64_t to) const {
    std::map<QString, uint64_t> all;
    for (size_t i = 0; i < run_.ops.size(); ++i) {
      if (run_.ops.start_ns[i] < to && run_.ops.end_ns[i] > from) ++all[q(run_.document.op(run_.ops.op[i]).name)];
    }
    return all;
  }
  std::map<QString, uint64_t> shown() {
    std::map<QString, uint64_t> all;
    for (int r = 0; r < view()->ops().rowCount(); ++r) all[view()->ops().at(r)->name] = view()->ops().at(r)->count;
    return all;
  }
  QPoint cell(int row, int column) {
    return table()->table()->visualRect(view()->ops().index(row, column)).center();
  }

 private Q_SLOTS:
  void a_range_by_mouse() {
    show_timeline();
    const double left = canvas()->x_of(run_.calls[4].start_ns), right = canvas()->x_of(run_.calls[9].end_ns);
    QTest::mousePress(canvas(), Qt::LeftButton, {}, QPoint(static_cast<int>(left), 60));
    QTest::mouseMove(canvas(), QPoint(static_cast<int>(right) + 20, 60));
    QTest::mouseMove(canvas(), QPoint(static_cast<int>(right), 60));
    QTest::mouseRelease(canvas(), Qt::LeftButton, {}, QPoint(static_cast<int>(right), 60));
    QVERIFY(canvas()->has_marked_range());
    window().settle();
    const auto wanted = counts(canvas()->mark_from(), canvas()->mark_to());
    QVERIFY(!wanted.empty());
    QVERIFY(shown() == wanted);
    uint64_t events = 0;
    for (const auto& [op, count] : wanted) events += count;
    const auto calls = std::count_if(run_.calls.begin(), run_.calls.end(), [&](const session::CallRecord& c) {
      return c.start_ns < canvas()->mark_to() && c.end_ns > canvas()->mark_from();
    });
    const QString words = table()->summary();
    QVERIFY2(words.startsWith(counted(static_cast<uint64_t>(calls), "call", "calls") + QString::fromUtf8(" · ") +
                              counted(events, "op event", "op events")),
             qPrintable(words));
    // The shares make up the whole.
    int percent = 0;
    for (const QString& part : words.split(QStringLiteral(" %")).mid(0, words.count(QStringLiteral(" %"))))
      percent += part.section(QLatin1Char(' '), -1).toInt();
    QCOMPARE(percent, 100);
    QVERIFY2(words.contains(QStringLiteral("% tracing")), qPrintable(words));
  }

  void a_range_by_keys() {
    show_timeline();
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    const query::Bar first = canvas()->selected()->bar;
    QTest::keyClick(canvas(), Qt::Key_M);
    QCOMPARE(canvas()->mark_from(), first.start);
    QCOMPARE(canvas()->mark_to(), first.end);
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected()->bar.row != first.row);
    QTest::keyClick(canvas(), Qt::Key_BracketRight);
    QCOMPARE(canvas()->mark_from(), first.start);
    QCOMPARE(canvas()->mark_to(), canvas()->selected()->bar.end);
    QTest::keyClick(canvas(), Qt::Key_BracketLeft);
    QCOMPARE(canvas()->mark_from(), canvas()->selected()->bar.start);
    window().settle();
    QVERIFY(shown() == counts(canvas()->mark_from(), canvas()->mark_to()));
  }

  void rows_by_line_and_by_function() {
    show_timeline();
    table()->group_box()->setFocus();
    QTest::keyClick(table()->group_box(), Qt::Key_Down);
    QTest::keyClick(table()->group_box(), Qt::Key_Down);
    QCOMPARE(table()->by(), query::GroupBy::kLine);
    window().settle();
    std::map<int, uint64_t> wanted;
    for (size_t i = 0; i < run_.ops.size(); ++i) {
      SourceRef source = run_.ops.source(i);
      if (run_.ops.node[i].valid()) source = run_.document.node(run_.ops.graph[i], run_.ops.node[i].value)->source;
      ++wanted[run_.document.place(source).line];
    }
    QCOMPARE(view()->ops().rowCount(), static_cast<int>(wanted.size()));
    for (int r = 0; r < view()->ops().rowCount(); ++r) {
      const OpStatistics* row = view()->ops().at(r);
      QCOMPARE(row->count, wanted.at(query::line_of(row->key).line));
      QVERIFY(row->name.startsWith(QStringLiteral("train.py:")));
    }
    press(table()->group_box(), Qt::Key_Down);
    QCOMPARE(view()->ops().rowCount(), 1);
    QCOMPARE(view()->ops().at(0)->count, static_cast<uint64_t>(run_.ops.size()));
    QVERIFY(view()->ops().at(0)->name.startsWith(QStringLiteral("train_step")));
  }

  void sorting_filtering_and_units() {
    show_timeline();
    OpsModel& ops = view()->ops();
    QHeaderView* header = table()->table()->horizontalHeader();
    const auto click = [&](int column) {
      QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                        QPoint(header->sectionViewportPosition(column) + 12, header->height() / 2));
    };
    click(ops.column("Name"));
    click(ops.column("Name"));
    QStringList names;
    for (int r = 0; r < ops.rowCount(); ++r) names << ops.at(r)->name;
    QStringList sorted = names;
    sorted.sort(Qt::CaseInsensitive);
    if (names != sorted) std::reverse(sorted.begin(), sorted.end());
    QCOMPARE(names, sorted);
    click(ops.column("Count"));
    for (int r = 1; r < ops.rowCount(); ++r) {
      const bool up = ops.order() == Qt::AscendingOrder;
      QVERIFY(up ? ops.at(r - 1)->count <= ops.at(r)->count : ops.at(r - 1)->count >= ops.at(r)->count);
    }
    for (int r = 0; r < ops.rowCount(); ++r) {
      for (const char* name : {"Count", "Total", "Median"}) {
        const QModelIndex at = ops.index(r, ops.column(name));
        QVERIFY(at.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
        QVERIFY(at.data().toString() != QStringLiteral("0.0"));
      }
      // In one unit: what the header names times what the cell says is the row's time.
      const QString head = ops.headerData(ops.column("Total"), Qt::Horizontal, Qt::DisplayRole).toString();
      const double scale = head.endsWith(QStringLiteral("ms")) ? 1e6 : head.endsWith(QStringLiteral("us")) ? 1e3 : 1;
      const QString cell = ops.index(r, ops.column("Total")).data().toString();
      const double said = QString(cell).remove(QLatin1Char(',')).toDouble() * scale;
      QVERIFY(std::abs(said - static_cast<double>(ops.at(r)->total)) <= scale / 10);
    }
    QTest::keyClick(canvas(), Qt::Key_Slash);
    QVERIFY(table()->filter()->hasFocus());
    QTest::keyClicks(table()->filter(), QStringLiteral("mat"));
    QCOMPARE(ops.rowCount(), 1);
    QCOMPARE(ops.at(0)->name, QStringLiteral("MatMul"));
    // Enter goes to the next one, Shift and Enter back.
    QTest::keyClick(table()->filter(), Qt::Key_Return);
    QTRY_VERIFY(canvas()->selected() && canvas()->selected()->bar.what == 0);
    const uint64_t first = canvas()->selected()->bar.row;
    QTest::keyClick(table()->filter(), Qt::Key_Return);
    QTRY_VERIFY(canvas()->selected()->bar.row > first);
    QCOMPARE(canvas()->selected()->bar.what, 0u);
    QTest::keyClick(table()->filter(), Qt::Key_Return, Qt::ShiftModifier);
    QTRY_COMPARE(canvas()->selected()->bar.row, first);
    QTest::keyClick(table()->filter(), Qt::Key_Escape);
    QVERIFY(ops.rowCount() > 1);
    QVERIFY(canvas()->hasFocus());
  }

  void a_row_lights_all_its_events() {
    show_timeline();
    QTest::mouseClick(table()->table()->viewport(), Qt::LeftButton, {}, cell(0, 0));
    window().settle();
    const OpStatistics* row = view()->ops().at(0);
    QCOMPARE(canvas()->matches().count, row->count);
    uint64_t in_histogram = 0;
    for (const uint64_t n : table()->histogram()->shown().bars) in_histogram += n;
    QCOMPARE(in_histogram, row->count);
    // Stepping stays among them.
    std::vector<uint64_t> rows;
    for (int i = 0; i < 3; ++i) {
      press(table()->table(), Qt::Key_Period);
      QVERIFY(canvas()->selected().has_value());
      rows.push_back(canvas()->selected()->bar.row);
      QCOMPARE(uint64_t{canvas()->selected()->bar.what}, row->key);
    }
    QVERIFY(rows[0] < rows[1] && rows[1] < rows[2]);
    press(table()->table(), Qt::Key_Comma);
    QCOMPARE(canvas()->selected()->bar.row, rows[1]);
  }

  void a_flame_graph_and_its_reverse() {
    show_timeline();
    table()->form_box()->setFocus();
    press(table()->form_box(), Qt::Key_Down);
    const query::StackTree& tree = table()->flame()->tree();
    int64_t ops = 0, calls = 0;
    for (const query::Frame& f : tree.frames) {
      if (f.kind == query::FrameKind::kOp) ops += static_cast<int64_t>(f.count);
      if (f.kind == query::FrameKind::kFunction) calls += static_cast<int64_t>(f.count);
    }
    QCOMPARE(ops, static_cast<int64_t>(run_.ops.size()));
    QCOMPARE(calls, static_cast<int64_t>(run_.calls.size()));
    FlameView* flame = table()->flame();
    flame->setFocus();
    QTest::keyClick(flame, Qt::Key_Down);
    QCOMPARE(tree.frames[flame->current()].kind, query::FrameKind::kThread);
    QTest::keyClick(flame, Qt::Key_Down);
    QVERIFY(flame->accessibleDescription().startsWith(QStringLiteral("train_step")));
    QTest::keyClick(flame, Qt::Key_Return);
    QCOMPARE(flame->zoomed(), flame->current());
    QTest::keyClick(flame, Qt::Key_Home);
    QCOMPARE(flame->zoomed(), 0u);
    table()->form_box()->setFocus();
    press(table()->form_box(), Qt::Key_Down);
    QVERIFY(table()->callers().rowCount() >= 4);
    const QModelIndex top = table()->callers().index(0, 0);
    QVERIFY(table()->callers().rowCount(top) > 0);
    QCOMPARE(table()->callers().parent(table()->callers().index(0, 0, top)), top);
  }

  // Few rows leave half a page empty: the tracks are taller, and a flame graph of the range stands below the table.
  void a_page_is_full() {
    show_timeline();
    const auto wide = canvas()->bars_in_view().front();
    window().resize(1400, 1300);
    window().settle();
    window().settle();
    QVERIFY(canvas()->rect_of(wide)->height() > 22);
    QVERIFY(table()->flame_below()->isVisible());
    int64_t ops = 0;
    for (const query::Frame& f : table()->flame_below()->tree().frames)
      if (f.kind == query::FrameKind::kOp) ops += static_cast<int64_t>(f.count);
    QCOMPARE(ops, static_cast<int64_t>(run_.ops.size()));
    // It follows the range.
    canvas()->mark_range(run_.calls[4].start_ns, run_.calls[9].end_ns);
    window().settle();
    window().settle();
    uint64_t in_range = 0, wanted = 0;
    for (const query::Frame& f : table()->flame_below()->tree().frames)
      if (f.kind == query::FrameKind::kOp) in_range += f.count;
    for (const auto& [op, count] : counts(canvas()->mark_from(), canvas()->mark_to())) wanted += count;
    QCOMPARE(in_range, wanted);
    // A filter moves nothing.
    const int tall = table()->table()->height();
    table()->filter()->setText(QStringLiteral("mat"));
    canvas()->mark_range(run_.calls[4].start_ns, run_.calls[8].end_ns);
    window().settle();
    QVERIFY(table()->flame_below()->isVisible());
    table()->filter()->clear();
    QCOMPARE(table()->table()->height(), tall);
    // A low window has no room for it.
    window().resize(1400, 700);
    window().settle();
    QVERIFY(!table()->flame_below()->isVisible());
  }

  // Tracing is a box of the flame graph, with its phases, as long as the traces took.
  void tracing_in_the_flame_graph() {
    show_timeline();
    table()->form_box()->setFocus();
    press(table()->form_box(), Qt::Key_Down);
    const query::StackTree& tree = table()->flame()->tree();
    int64_t tracing = 0, traces = 0, phases = 0;
    uint32_t box = 0;
    for (uint32_t i = 0; i < tree.frames.size(); ++i) {
      const query::Frame& f = tree.frames[i];
      if (f.kind == query::FrameKind::kTracing) {
        tracing += f.total;
        box = i;
        QCOMPARE(tree.frames[f.parent].kind, query::FrameKind::kFunction);
      }
      if (f.kind == query::FrameKind::kPhase) phases += f.total;
    }
    for (const auto& [thread, lanes] : canvas()->overlays().calls) {
      for (const auto& lane : lanes.phases)
        for (const query::TraceSpan& span : lane)
          if (span.part == query::TracePart::kTrace && span.call.valid()) traces += span.end - span.start;
    }
    QVERIFY(traces > 0);
    QCOMPARE(tracing, traces);
    QVERIFY(phases > 0 && phases <= tracing);
    QVERIFY(table()->flame()->describe(box).startsWith(QStringLiteral("Tracing")));
  }

  // Keys zoom at the selected bar, which stays where it is.
  void zoom_at_the_selection() {
    show_timeline();
    for (int i = 0; i < 3; ++i) QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    window().settle();
    const query::Bar bar = canvas()->selected()->bar;
    const double before = canvas()->x_of(bar.start + (bar.end - bar.start) / 2);
    QTest::keyClick(canvas(), Qt::Key_W);
    QTest::keyClick(canvas(), Qt::Key_W);
    QVERIFY(std::abs(canvas()->x_of(bar.start + (bar.end - bar.start) / 2) - before) < 4);
  }

  // The two marks say how far apart they are, and each can be dragged.
  void marks_and_what_lies_between_them() {
    show_timeline();
    QVERIFY(canvas()->marked_text().isEmpty());
    canvas()->mark_range(run_.calls[4].start_ns, run_.calls[9].end_ns);
    const int64_t apart = run_.calls[9].end_ns - run_.calls[4].start_ns;
    QVERIFY2(canvas()->marked_text().startsWith(duration_text(apart) + QStringLiteral(", from ")),
             qPrintable(canvas()->marked_text()));
    QCOMPARE(canvas()->accessibleDescription(), QStringLiteral("Marked: ") + canvas()->marked_text());
    const int y = canvas()->content_height() - 6;
    const int right = static_cast<int>(canvas()->x_of(canvas()->mark_to()));
    QTest::mousePress(canvas(), Qt::LeftButton, {}, QPoint(right, y));
    QTest::mouseMove(canvas(), QPoint(right - 20, y));
    QTest::mouseMove(canvas(), QPoint(right - 40, y));
    QTest::mouseRelease(canvas(), Qt::LeftButton, {}, QPoint(right - 40, y));
    QCOMPARE(canvas()->mark_from(), run_.calls[4].start_ns);
    QVERIFY(canvas()->mark_to() < run_.calls[9].end_ns);
    QCOMPARE(canvas()->mark_to(), canvas()->time_of(right - 40));
  }

  void bookmarks_are_kept() {
    QCoreApplication::setOrganizationName(QStringLiteral("footlight-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    show_timeline();
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    QTest::keyClick(canvas(), Qt::Key_B);
    QCOMPARE(canvas()->bookmarks().all().size(), size_t{1});
    const int64_t time = canvas()->bookmarks().all().front().time;
    write_session(at("other.footlight"), run_);
    open_recording(at("other.footlight"));
    QVERIFY(canvas()->bookmarks().all().empty());
    show_timeline();
    QCOMPARE(canvas()->bookmarks().all().size(), size_t{1});
    QCOMPARE(canvas()->bookmarks().all().front().time, time);
    for (int i = 0; i < 6; ++i) QTest::keyClick(canvas(), Qt::Key_W);
    QTest::keyClick(canvas(), Qt::Key_N);
    QVERIFY(std::abs((canvas()->from() + canvas()->to()) / 2 - canvas()->range().first - time) <
            (canvas()->to() - canvas()->from()));
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    QTest::keyClick(canvas(), Qt::Key_B);
    QVERIFY(canvas()->bookmarks().all().empty());
  }

  // While the first rows are counted, no heading is cut.
  void headings_have_their_room_without_rows() {
    view()->table()->clear();
    Table* table = view()->table()->table();
    const QHeaderView* header = table->horizontalHeader();
    const QFontMetrics metrics(theme().ui(-2, QFont::DemiBold));
    for (int c = 0; c < table->model()->columnCount(); ++c) {
      const QString heading = table->model()->headerData(c, Qt::Horizontal).toString();
      QVERIFY2(header->sectionSize(c) >= metrics.horizontalAdvance(heading) + 8, qPrintable(heading));
    }
  }

  void losses_are_said() {
    SampleRun run = run_;
    for (size_t i = 40; i < run.ops.size(); ++i) run.ops.id[i] += 500;
    const QString path = at("lost.footlight");
    write_session(path, run, false);
    {
      auto w = session::Writer::attach(path.toStdString());
      w->add_dropped("op events", "they were recorded faster than they could be written", 500);
    }
    window().session().open(path);
    go_to_view("timeline");
    QCOMPARE(canvas()->overlays().lost, uint64_t{500});
    QCOMPARE(canvas()->overlays().losses.size(), size_t{1});
    const query::Loss& loss = canvas()->overlays().losses.front();
    QCOMPARE(loss.events, uint64_t{500});
    QCOMPARE(loss.from, run.ops.end_ns[39]);
    QCOMPARE(loss.to, run.ops.start_ns[40]);
    QCOMPARE(view()->ops().statistics().lost, uint64_t{500});
  }

  void a_menu_by_key() {
    show_timeline();
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(200, 60), canvas()->mapToGlobal(QPoint(200, 60)));
    QApplication::sendEvent(canvas(), &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QStringList entries;
    for (QAction* action : menu->actions()) entries << action->text().section(QLatin1Char('\t'), 0, 0);
    for (QAction* action : menu->actions())
      if (action->text().startsWith(QStringLiteral("Select its time"))) action->trigger();
    menu->close();
    QVERIFY(entries.contains(QStringLiteral("Show in the graph")));
    QCOMPARE(canvas()->mark_from(), canvas()->selected()->bar.start);
  }
};

QTEST_MAIN(TimelineRangeTest)
#include "test_timeline_range.moc"
