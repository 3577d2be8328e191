// The range of the timeline and what it drives, by real mouse and keys, against the rows that were written.
#include "tests/app/window_case.h"

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

class TimelineRangeTest : public WindowCase {
  Q_OBJECT

 private:
  const SampleRun run_ = sample_run();

  TimelineView* view() { return window().timeline(); }
  TimelineCanvas* canvas() { return view()->canvas(); }
  TimelineTable* table() { return view()->table(); }
  void show_timeline() {
    with_sample();
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    canvas()->setFocus();
  }
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
  // The parts of a call that traced make up what its bar says.
  void a_first_call_is_accounted_for() {
    show_timeline();
    std::map<uint64_t, int64_t> parts;
    for (const auto& [thread, lanes] : canvas()->overlays().phases) {
      for (const auto& lane : lanes)
        for (const query::TraceSpan& s : lane)
          if (s.depth == 0 && s.call.valid()) parts[s.call.value] += s.end - s.start;
    }
    size_t traced = 0;
    for (const session::CallRecord& call : run_.calls) {
      if (call.outcome != CallOutcome::kTrace) continue;
      ++traced;
      QCOMPARE(parts[call.id.value], call.end_ns - call.start_ns);
    }
    QCOMPARE(parts.size(), traced);
    // The tip of such a call names them: 4 ms of tracing, 1 ms of the run.
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    const QString words = canvas()->describe(*canvas()->selected());
    QVERIFY2(words.contains(QStringLiteral("trace #1  4.00 ms")), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("run  1.00 ms")), qPrintable(words));
  }

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
    QTest::keyClick(table()->group_box(), Qt::Key_Down);
    window().settle();
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
    click(OpsModel::kName);
    click(OpsModel::kName);
    QStringList names;
    for (int r = 0; r < ops.rowCount(); ++r) names << ops.at(r)->name;
    QStringList sorted = names;
    sorted.sort(Qt::CaseInsensitive);
    if (names != sorted) std::reverse(sorted.begin(), sorted.end());
    QCOMPARE(names, sorted);
    click(OpsModel::kCount);
    for (int r = 1; r < ops.rowCount(); ++r) {
      const bool up = ops.order() == Qt::AscendingOrder;
      QVERIFY(up ? ops.at(r - 1)->count <= ops.at(r)->count : ops.at(r - 1)->count >= ops.at(r)->count);
    }
    for (int r = 0; r < ops.rowCount(); ++r) {
      for (const int c : {OpsModel::kCount, OpsModel::kTotal, OpsModel::kMedian}) {
        const QModelIndex at = ops.index(r, c);
        QVERIFY(at.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
        QVERIFY(at.data().toString() != QStringLiteral("0.0"));
      }
      // In one unit: what the header names times what the cell says is the row's time.
      const QString head = ops.headerData(OpsModel::kTotal, Qt::Horizontal, Qt::DisplayRole).toString();
      const double scale = head.endsWith(QStringLiteral("ms")) ? 1e6 : head.endsWith(QStringLiteral("us")) ? 1e3 : 1;
      const double said = ops.index(r, OpsModel::kTotal).data().toString().remove(QLatin1Char(',')).toDouble() * scale;
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
      QTest::keyClick(table()->table(), Qt::Key_Period);
      window().settle();
      QVERIFY(canvas()->selected().has_value());
      rows.push_back(canvas()->selected()->bar.row);
      QCOMPARE(uint64_t{canvas()->selected()->bar.what}, row->key);
    }
    QVERIFY(rows[0] < rows[1] && rows[1] < rows[2]);
    QTest::keyClick(table()->table(), Qt::Key_Comma);
    window().settle();
    QCOMPARE(canvas()->selected()->bar.row, rows[1]);
  }

  void a_flame_graph_and_its_reverse() {
    show_timeline();
    table()->form_box()->setFocus();
    QTest::keyClick(table()->form_box(), Qt::Key_Down);
    window().settle();
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
    QTest::keyClick(table()->form_box(), Qt::Key_Down);
    window().settle();
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
    QTest::keyClick(table()->form_box(), Qt::Key_Down);
    window().settle();
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
    for (const auto& [thread, lanes] : canvas()->overlays().phases) {
      for (const auto& lane : lanes)
        for (const query::TraceSpan& span : lane)
          if (span.part == query::TracePart::kTrace && span.call.valid()) traces += span.end - span.start;
    }
    QVERIFY(traces > 0);
    QCOMPARE(tracing, traces);
    QVERIFY(phases > 0 && phases <= tracing);
    QVERIFY(table()->flame()->describe(box).startsWith(QStringLiteral("tracing")));
  }

  // A call that is made while another is traced lies below the phase that made it, which reaches over it.
  void a_call_inside_of_a_phase() {
    SampleRun run = run_;
    const session::TraceRecord& trace = run.document.traces.front();
    const auto outer = std::find_if(run.calls.begin(), run.calls.end(), [&](const session::CallRecord& c) {
      return c.outcome == CallOutcome::kTrace && c.trace == trace.id;
    });
    QVERIFY(outer != run.calls.end());
    session::CallRecord inner = *outer;
    inner.id = CallId(9000);
    inner.parent = outer->id;
    inner.outcome = CallOutcome::kHit;
    const int64_t quarter = (trace.end_ns - trace.start_ns) / 4;
    inner.start_ns = trace.start_ns + quarter;
    inner.end_ns = inner.start_ns + quarter;
    run.calls.insert(outer, inner);
    write_session(at("inner.footlight"), run);
    window().session().open(at("inner.footlight"));
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    const query::Placed *call = nullptr, *around = nullptr;
    for (const query::Placed& bar : canvas()->bars_in_view()) {
      if (bar.track.kind != query::TrackKind::kCalls) continue;
      if (bar.bar.call == inner.id) call = &bar;
      if (bar.name == "trace #1" && bar.bar.start <= inner.start_ns && bar.bar.end >= inner.end_ns) around = &bar;
    }
    QVERIFY(call && around);
    const QRectF inside = *canvas()->rect_of(*call), phase = *canvas()->rect_of(*around);
    QVERIFY(inside.top() >= phase.bottom());
    QVERIFY(phase.left() <= inside.left() && inside.right() <= phase.right());
    // It is there for the mouse, too.
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, inside.center().toPoint());
    QTRY_VERIFY(canvas()->selected().has_value());
    QCOMPARE(canvas()->selected()->bar.call, inner.id);
    // Its time is no part of the box of tracing.
    table()->form_box()->setFocus();
    QTest::keyClick(table()->form_box(), Qt::Key_Down);
    window().settle();
    int64_t tracing = 0, traces = 0;
    for (const query::Frame& f : table()->flame()->tree().frames)
      if (f.kind == query::FrameKind::kTracing) tracing += f.total;
    for (const auto& [thread, lanes] : canvas()->overlays().phases) {
      for (const auto& lane : lanes)
        for (const query::TraceSpan& span : lane)
          if (span.part == query::TracePart::kTrace && span.call.valid()) traces += span.end - span.start;
    }
    QCOMPARE(tracing, traces - (inner.end_ns - inner.start_ns));
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

  // Tracks are pinned, hidden and moved by keys, and stay so for this recording.
  void tracks_are_arranged() {
    QCoreApplication::setOrganizationName(QStringLiteral("footlight-test"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    show_timeline();
    const auto keys = [&] {
      std::vector<query::TrackKey> all;
      for (const query::TrackPicture& t : canvas()->picture().tracks) all.push_back(t.key);
      return all;
    };
    const std::vector<query::TrackKey> before = keys();
    QVERIFY(before.size() >= 3);
    // The second track, by its label.
    const auto select_in = [&](size_t track) {
      for (int i = 0; i < 20; ++i) {
        if (canvas()->selected() && canvas()->selected()->track == keys()[track]) return;
        QTest::keyClick(canvas(), canvas()->selected() ? Qt::Key_Down : Qt::Key_Period);
        window().settle();
      }
      QFAIL("the keys do not come to that track");
    };
    const auto back_to_the_first = [&] {
      for (int i = 0; i < 20; ++i) {
        QTest::keyClick(canvas(), Qt::Key_Up);
        window().settle();
      }
    };
    std::vector<query::TrackKey> wanted = before;
    select_in(1);
    QTest::keyClick(canvas(), Qt::Key_Up, Qt::ShiftModifier);
    window().settle();
    std::swap(wanted[0], wanted[1]);
    QVERIFY(keys() == wanted);
    QTest::keyClick(canvas(), Qt::Key_Down, Qt::ShiftModifier);
    window().settle();
    QVERIFY(keys() == before);
    select_in(2);
    QTest::keyClick(canvas(), Qt::Key_P);
    window().settle();
    wanted = before;
    std::rotate(wanted.begin(), wanted.begin() + 2, wanted.begin() + 3);
    QVERIFY(keys() == wanted);
    QVERIFY(canvas()->order().is_pinned(before[2]));
    back_to_the_first();
    select_in(1);
    QTest::keyClick(canvas(), Qt::Key_H);
    window().settle();
    wanted.erase(wanted.begin() + 1);
    QVERIFY(keys() == wanted);
    QCOMPARE(canvas()->order().hidden(), size_t{1});
    // Another recording has its own; this one keeps them.
    write_session(at("another.footlight"), run_);
    window().session().open(at("another.footlight"));
    window().settle();
    QVERIFY(keys() == before);
    show_timeline();
    QVERIFY(keys() == wanted);
    QTest::keyClick(canvas(), Qt::Key_H, Qt::ShiftModifier);
    window().settle();
    QCOMPARE(keys().size(), before.size());
    canvas()->reset_tracks();
    window().settle();
    QVERIFY(keys() == before);
    // One track stays.
    while (keys().size() > 1) canvas()->hide_track(0);
    canvas()->hide_track(0);
    QCOMPARE(keys().size(), size_t{1});
    TrackOrder order = canvas()->order();
    order.hide(keys().front());
    std::vector<query::TrackPicture> tracks(1);
    tracks.front().key = keys().front();
    order.arrange(tracks);
    QCOMPARE(tracks.size(), size_t{1});
    canvas()->reset_tracks();
    window().settle();
    // A label is dragged over its neighbour.
    const QPoint from(20, static_cast<int>(canvas()->rect_of(canvas()->bars_in_view().front())->center().y()));
    const auto first = canvas()->track_at(from);
    QVERIFY(first && *first == 0);
    QTest::mousePress(canvas(), Qt::LeftButton, {}, from);
    for (int y = from.y(); y < from.y() + 400 && keys() == before; y += 6) QTest::mouseMove(canvas(), QPoint(20, y));
    QTest::mouseRelease(canvas(), Qt::LeftButton, {}, QPoint(20, from.y() + 60));
    QVERIFY(keys() != before);
    canvas()->reset_tracks();
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
    window().session().open(at("other.footlight"));
    window().settle();
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
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    QCOMPARE(canvas()->overlays().lost, uint64_t{500});
    QCOMPARE(canvas()->overlays().losses.size(), size_t{1});
    const query::Loss& loss = canvas()->overlays().losses.front();
    QCOMPARE(loss.events, uint64_t{500});
    QCOMPARE(loss.from, run.ops.end_ns[39]);
    QCOMPARE(loss.to, run.ops.start_ns[40]);
    QCOMPARE(view()->ops().statistics().lost, uint64_t{500});
  }

  // Spans and counters of any source are tracks, and the run reaches as far as they do.
  void spans_and_counters() {
    const QString path = at("spans.footlight");
    write_session(path, run_, false);
    const int64_t last = run_.document.last_ns();
    std::vector<std::pair<int64_t, double>> values;
    {
      auto w = session::Writer::attach(path.toStdString());
      session::TrackRecord track;
      track.id = session::TrackId(3);
      track.kind = "thread", track.name = "loader";
      w->add(track);
      track.id = session::TrackId(4);
      track.kind = "counter", track.name = "loss";
      w->add(track);
      for (int i = 0; i < 10; ++i) {
        session::SpanRecord span;
        span.track = session::TrackId(3);
        span.start_ns = last + i * 1'000'000, span.end_ns = span.start_ns + 600'000;
        span.name = "load";
        w->add(span);
        values.emplace_back(last + i * i * 100'000, 10.0 - i);
        w->add(session::CounterRecord{session::TrackId(4), values.back().first, values.back().second});
      }
    }
    window().session().open(path);
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    window().settle();
    QVERIFY(canvas()->range().last >= last + 9'600'000);
    QVERIFY(canvas()->to() >= canvas()->range().last);
    const query::Picture& picture = canvas()->picture();
    const auto spans = std::find_if(picture.tracks.begin(), picture.tracks.end(), [](const query::TrackPicture& t) {
      return t.key.kind == query::TrackKind::kSpans;
    });
    QVERIFY(spans != picture.tracks.end());
    QCOMPARE(spans->count, uint64_t{10});
    QCOMPARE(title_of(spans->key, canvas()->overlays()).subtitle, QStringLiteral("loader"));
    QCOMPARE(picture.counters.size(), size_t{1});
    // Each column shows the greatest value in it, else the one that holds there.
    const auto& columns = picture.counters.front().values;
    const double per = static_cast<double>(picture.to - picture.from) / static_cast<double>(columns.size());
    std::map<size_t, double> greatest, after;
    for (const auto& [time, value] : values) {
      const auto c = static_cast<size_t>(static_cast<double>(time - picture.from) / per);
      greatest[c] = greatest.contains(c) ? std::max(greatest[c], value) : value;
      after[c] = value;
    }
    double holds = -1;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (greatest.contains(c)) QCOMPARE(columns[c], static_cast<float>(greatest[c]));
      else if (holds < 0) QVERIFY(std::isnan(columns[c]));
      else QCOMPARE(columns[c], static_cast<float>(holds));
      if (after.contains(c)) holds = after[c];
    }
    // The peak of a range: of the values in it and the one that holds where it begins.
    QCOMPARE(canvas()->areas().size(), size_t{1});
    QCOMPARE(canvas()->areas()[0].title, QStringLiteral("loss"));
    QCOMPARE(canvas()->areas()[0].subtitle, QStringLiteral("peak 10"));
    for (const auto& [from, to] : {std::pair(150'000, 1'000'000), {450'000, 700'000}, {-2'000'000, 500'000},
                                   {900'000, 9'000'000}, {-9'000'000, -50'000}}) {
      canvas()->mark_range(last + from, last + to);
      window().settle();
      double most = -1;
      for (const auto& [time, value] : values) {
        if (time <= last + from) most = value;
        else if (time < last + to) most = std::max(most, value);
      }
      QCOMPARE(canvas()->areas()[0].in_range,
               most < 0 ? QString() : QStringLiteral("selected ") + QString::number(most, 'g', 4));
    }
  }

  // The op, its launch, its kernel; from each of them.
  void a_flow_of_the_selection() {
    SampleRun run = run_;
    const int64_t first = run.document.first_ns();
    for (const char* kind : {"runtime", "kernel"}) {
      session::DeviceRecord d;
      d.kind = kind;
      d.name = kind;
      d.start_ns = first + (kind[0] == 'k' ? 5000 : 1000);
      d.end_ns = d.start_ns + 700;
      d.op_event = run.ops.id[7];
      run.device.push_back(d);
    }
    const QString path = at("device.footlight");
    write_session(path, run);
    window().session().open(path);
    window().show_view(QStringLiteral("timeline"));
    window().settle();
    canvas()->setFocus();
    const auto kinds = [&] {
      std::vector<query::TrackKind> all;
      for (const query::Placed& p : canvas()->flow()) all.push_back(p.track.kind);
      return all;
    };
    const std::vector<query::TrackKind> wanted{query::TrackKind::kTracedOps, query::TrackKind::kApi,
                                               query::TrackKind::kKernels};
    // Down to the last track, the API's, and up to the stream's.
    for (int i = 0; i < 12; ++i) {
      QTest::keyClick(canvas(), i ? Qt::Key_Down : Qt::Key_Period);
      window().settle();
    }
    QTRY_COMPARE(canvas()->selected()->track.kind, query::TrackKind::kApi);
    QTRY_VERIFY(kinds() == wanted);
    QCOMPARE(canvas()->flow().front().bar.row, uint64_t{7});
    QTest::keyClick(canvas(), Qt::Key_Up);
    window().settle();
    QCOMPARE(canvas()->selected()->track.kind, query::TrackKind::kKernels);
    QVERIFY(kinds() == wanted);
  }

  void a_screen_reader_finds_the_bars() {
    show_timeline();
    QAccessibleInterface* timeline = QAccessible::queryAccessibleInterface(canvas());
    QVERIFY(timeline);
    QCOMPARE(timeline->childCount(), static_cast<int>(canvas()->bars_in_view().size()));
    QVERIFY(timeline->childCount() > 6);
    for (int i = 0; i < timeline->childCount(); ++i) {
      QAccessibleInterface* bar = timeline->child(i);
      QVERIFY(bar && bar->isValid());
      QVERIFY(!bar->text(QAccessible::Name).isEmpty());
      QCOMPARE(bar->parent()->object(), static_cast<QObject*>(canvas()));
      QCOMPARE(timeline->indexOfChild(bar), i);
    }
    QTest::keyClick(canvas(), Qt::Key_Period);
    QTRY_VERIFY(canvas()->selected().has_value());
    QVERIFY(timeline->focusChild() && timeline->focusChild()->state().selected);
    // Pressing another one chooses it.
    QAccessibleInterface* other = timeline->child(timeline->childCount() - 1);
    QVERIFY(!other->state().selected);
    other->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QVERIFY(other->state().selected);
    QCOMPARE(timeline->focusChild(), other);
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
#include "timeline_range_test.moc"
