// The tracks of the timeline: calls inside of the phases that made them, how a person arranges tracks, spans, counters,
// flows, and what a screen reader finds.
#include "tests/app/timeline_case.h"

#include "app/models/text.h"

#include "engine/session/writer.h"
#include "tests/session/records.h"

#include <QAccessible>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <map>

using namespace footlight;
using namespace footlight::app;

class TimelineTracksTest : public TimelineCase {
  Q_OBJECT

 private Q_SLOTS:
  // The parts of a call that traced make up what its bar says.
  void a_first_call_is_accounted_for() {
    show_timeline();
    std::map<uint64_t, int64_t> parts;
    for (const auto& [thread, lanes] : canvas()->overlays().calls) {
      for (const auto& lane : lanes.phases)
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
    QVERIFY2(words.contains(QStringLiteral("Trace #1  4.00 ms")), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("Run  1.00 ms")), qPrintable(words));
  }

  // A call that is made while another is traced lies in the phase that made it, one made by its run in that.
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
    session::CallRecord later = inner;
    later.id = CallId(9001);
    later.start_ns = trace.end_ns + quarter / 8;
    later.end_ns = later.start_ns + quarter / 2;
    QVERIFY(later.end_ns < outer->end_ns);
    const auto at_outer = run.calls.insert(outer, inner);
    run.calls.insert(at_outer, later);
    write_session(at("inner.footlight"), run);
    window().session().open(at("inner.footlight"));
    go_to_view("timeline");
    const query::Placed *call = nullptr, *around = nullptr;
    for (const query::Placed& bar : canvas()->bars_in_view()) {
      if (bar.track.kind != query::TrackKind::kCalls) continue;
      if (bar.bar.call == inner.id) call = &bar;
      if (bar.name == "Trace #1" && bar.bar.start <= inner.start_ns && bar.bar.end >= inner.end_ns) around = &bar;
    }
    QVERIFY(call && around);
    const QRectF inside = *canvas()->rect_of(*call), phase = *canvas()->rect_of(*around);
    QVERIFY(inside.top() >= phase.bottom());
    QVERIFY(phase.left() <= inside.left() && inside.right() <= phase.right());
    for (const auto& [made, name] : {std::pair(&inner, "Python"), {&later, "Run"}}) {
      const query::Placed *bar = nullptr, *made_in = nullptr;
      for (const query::Placed& b : canvas()->bars_in_view()) {
        if (b.track.kind != query::TrackKind::kCalls) continue;
        if (b.bar.call == made->id) bar = &b;
        if (b.name == name && b.bar.start <= made->start_ns && b.bar.end >= made->end_ns) made_in = &b;
      }
      QVERIFY2(bar && made_in, name);
      const QRectF below = *canvas()->rect_of(*bar), above = *canvas()->rect_of(*made_in);
      QCOMPARE(below.top(), above.bottom() + 3);
      QVERIFY(above.left() <= below.left() && below.right() <= above.right());
    }
    // Keys go from a call to the phase around it, and back.
    canvas()->choose(*call);
    QTest::keyClick(canvas(), Qt::Key_Up);
    QTRY_COMPARE(canvas()->selected()->name, std::string("Python"));
    QTest::keyClick(canvas(), Qt::Key_Down);
    QTRY_VERIFY(canvas()->selected()->bar.start >= trace.start_ns && canvas()->selected()->name.empty());
    // It is there for the mouse, too.
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, inside.center().toPoint());
    QTRY_VERIFY(canvas()->selected().has_value());
    QTRY_COMPARE(canvas()->selected()->bar.call, inner.id);
    // Its time is no part of the box of tracing.
    table()->form_box()->setFocus();
    press(table()->form_box(), Qt::Key_Down);
    int64_t tracing = 0, traces = 0;
    for (const query::Frame& f : table()->flame()->tree().frames)
      if (f.kind == query::FrameKind::kTracing) tracing += f.total;
    for (const auto& [thread, lanes] : canvas()->overlays().calls) {
      for (const auto& lane : lanes.phases)
        for (const query::TraceSpan& span : lane)
          if (span.part == query::TracePart::kTrace && span.call.valid()) traces += span.end - span.start;
    }
    QCOMPARE(tracing, traces - (inner.end_ns - inner.start_ns));
  }

  // What lies between calls is named, by how long it was; so is a call that failed before it had a trace.
  void gaps_and_failed_calls_have_names() {
    SampleRun run = run_;
    session::CallRecord failed = run.calls.front();
    failed.id = CallId(9000);
    failed.outcome = CallOutcome::kFailed;
    failed.trace = {};
    const session::CallRecord before = run.calls[3], after = run.calls[4];
    const int64_t gap = after.start_ns - before.end_ns;
    failed.start_ns = run.document.last_ns() + gap, failed.end_ns = failed.start_ns + gap;
    run.calls.push_back(failed);
    write_session(at("gaps.footlight"), run);
    window().session().open(at("gaps.footlight"));
    go_to_view("timeline");
    canvas()->set_range(before.end_ns - gap, after.start_ns + gap);
    window().settle();
    const auto row = [&](CallId id) -> std::optional<QRectF> {
      for (const query::Placed& bar : canvas()->bars_in_view())
        if (bar.track.kind == query::TrackKind::kCalls && bar.bar.call == id && bar.name.empty())
          return canvas()->rect_of(bar);
      return std::nullopt;
    };
    const auto next = row(after.id);
    QVERIFY(next);
    const double middle = canvas()->x_of(before.end_ns + gap / 2);
    const QString words = canvas()->describe_gap(QPointF(middle, next->center().y()));
    QVERIFY2(words.startsWith(QStringLiteral("No call for ")), qPrintable(words));
    const double said = words.section(QLatin1Char(' '), 3, 3).toDouble() * 1e6;
    QVERIFY2(std::abs(said - static_cast<double>(gap)) < static_cast<double>(gap) / 50, qPrintable(words));
    QVERIFY(canvas()->describe_gap(QPointF(next->left() + 4, next->center().y())).isEmpty());
    QVERIFY(canvas()->describe_gap(QPointF(middle, next->bottom() + 20)).isEmpty());
    canvas()->fit();
    window().settle();
    QString name;
    for (const query::Placed& bar : canvas()->bars_in_view())
      if (bar.bar.call == failed.id) name = canvas()->describe(bar);
    QVERIFY2(name.startsWith(QStringLiteral("train_step failed  ")), qPrintable(name));
    // A program without calls has gaps between its ops.
    run.calls.clear();
    write_session(at("eager.footlight"), run);
    open_recording(at("eager.footlight"));
    canvas()->fit();
    window().settle();
    for (const query::TrackPicture& t : canvas()->picture().tracks)
      QVERIFY(t.key.kind != query::TrackKind::kCalls);
    bool is_named = false;
    for (int y = 26; y < canvas()->content_height(); y += 4)
      is_named |= canvas()->describe_gap(QPointF(400, y)).startsWith(QStringLiteral("No op for "));
    QVERIFY(is_named);
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
        press(canvas(), canvas()->selected() ? Qt::Key_Down : Qt::Key_Period);
      }
      QFAIL("the keys do not come to that track");
    };
    const auto back_to_the_first = [&] {
      for (int i = 0; i < 20; ++i) press(canvas(), Qt::Key_Up);
    };
    std::vector<query::TrackKey> wanted = before;
    select_in(1);
    press(canvas(), Qt::Key_Up, Qt::ShiftModifier);
    std::swap(wanted[0], wanted[1]);
    QVERIFY(keys() == wanted);
    press(canvas(), Qt::Key_Down, Qt::ShiftModifier);
    QVERIFY(keys() == before);
    select_in(2);
    press(canvas(), Qt::Key_P);
    wanted = before;
    std::rotate(wanted.begin(), wanted.begin() + 2, wanted.begin() + 3);
    QVERIFY(keys() == wanted);
    QVERIFY(canvas()->order().is_pinned(before[2]));
    back_to_the_first();
    select_in(1);
    press(canvas(), Qt::Key_H);
    wanted.erase(wanted.begin() + 1);
    QVERIFY(keys() == wanted);
    QCOMPARE(canvas()->order().hidden(), size_t{1});
    // Another recording has its own; this one keeps them.
    write_session(at("another.footlight"), run_);
    open_recording(at("another.footlight"));
    QVERIFY(keys() == before);
    show_timeline();
    QVERIFY(keys() == wanted);
    press(canvas(), Qt::Key_H, Qt::ShiftModifier);
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
        const int64_t start = last + i * 1'000'000;
        w->add(session::SpanRecord{session::TrackId(3), start, start + 600'000, "load", ""});
        values.emplace_back(last + i * i * 100'000, 10.0 - i);
        w->add(session::CounterRecord{session::TrackId(4), values.back().first, values.back().second});
      }
    }
    window().session().open(path);
    go_to_view("timeline");
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
    QCOMPARE(canvas()->areas()[0].subtitle, QStringLiteral("Peak 10"));
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
               most < 0 ? QString() : QStringLiteral("Selected ") + QString::number(most, 'g', 4));
    }
  }

  // The op, its launch, its kernel; from each of them.
  void a_flow_of_the_selection() {
    SampleRun run = run_;
    const int64_t first = run.document.first_ns();
    for (const char* kind : {"runtime", "kernel"}) {
      const int64_t start = first + (kind[0] == 'k' ? 5000 : 1000);
      run.device.push_back(device_work(kind, kind, start, start + 700, run.ops.id[7]));
    }
    const QString path = at("device.footlight");
    write_session(path, run);
    window().session().open(path);
    go_to_view("timeline");
    canvas()->setFocus();
    const auto kinds = [&] {
      std::vector<query::TrackKind> all;
      for (const query::Placed& p : canvas()->flow()) all.push_back(p.track.kind);
      return all;
    };
    const std::vector<query::TrackKind> wanted{query::TrackKind::kTracedOps, query::TrackKind::kApi,
                                               query::TrackKind::kKernels};
    // Down to the last track, the API's, and up to the stream's.
    for (int i = 0; i < 12; ++i) press(canvas(), i ? Qt::Key_Down : Qt::Key_Period);
    QTRY_COMPARE(canvas()->selected()->track.kind, query::TrackKind::kApi);
    QTRY_VERIFY(kinds() == wanted);
    QCOMPARE(canvas()->flow().front().bar.row, uint64_t{7});
    press(canvas(), Qt::Key_Up);
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
};

QTEST_MAIN(TimelineTracksTest)
#include "test_timeline_tracks.moc"
