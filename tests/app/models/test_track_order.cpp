// Tracks of several processes on the timeline: each process is folded to what sums it up until it is opened.
#include "app/models/timeline.h"
#include "app/models/track_order.h"

#include <QCoreApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace footlight;
using namespace footlight::app;
using query::TrackKey;
using query::TrackKind;

class TrackOrderTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  static constexpr TrackKey key(uint32_t process, TrackKind kind, uint32_t number = 0) {
    return {kind, process << 24 | number, 0};
  }
  static query::TrackPicture track(TrackKey key, bool is_summary) {
    query::TrackPicture made;
    made.key = key;
    made.count = 1;
    made.is_summary = is_summary;
    return made;
  }
  // Calls, spans and two kinds of ops of two processes.
  static std::vector<query::TrackPicture> tracks() {
    std::vector<query::TrackPicture> all;
    for (const uint32_t process : {0u, 1u}) {
      all.push_back(track(key(process, TrackKind::kCalls), true));
      all.push_back(track(key(process, TrackKind::kTracedOps), false));
      all.push_back(track(key(process, TrackKind::kEagerOps), false));
      all.push_back(track(key(process, TrackKind::kSpans), true));
    }
    return all;
  }
  static std::vector<TrackKey> shown(TrackOrder& order) {
    std::vector<query::TrackPicture> all = tracks();
    order.arrange(all);
    std::vector<TrackKey> keys;
    for (const query::TrackPicture& t : all) keys.push_back(t.key);
    return keys;
  }

 private Q_SLOTS:
  void initTestCase() {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder_.path());
    QCoreApplication::setOrganizationName(QStringLiteral("footlight-test"));
    QCoreApplication::setApplicationName(QStringLiteral("track-order"));
  }

  void a_process_is_folded_until_it_is_opened() {
    TrackOrder order;
    order.open(QString());
    const std::vector<TrackKey> folded{key(0, TrackKind::kCalls), key(0, TrackKind::kSpans), key(1, TrackKind::kCalls),
                                       key(1, TrackKind::kSpans)};
    QCOMPARE(shown(order), folded);
    for (const TrackKey& track : folded) QVERIFY(order.is_folded(track) && order.is_of_process(track));
    order.set_folded(key(1, TrackKind::kSpans), false);
    QCOMPARE(shown(order).size(), size_t{6});
    QVERIFY(order.is_folded(key(0, TrackKind::kCalls)) && !order.is_folded(key(1, TrackKind::kCalls)));
    order.set_folded(key(1, TrackKind::kTracedOps), true);  // one track of an open process
    QCOMPARE(shown(order).size(), size_t{6});
    order.set_folded(key(1, TrackKind::kCalls), true);
    QCOMPARE(shown(order), folded);
    QVERIFY(order.is_changed());
    order.reset();
    QVERIFY(!order.is_changed());
  }

  void open_processes_are_kept_with_the_recording() {
    const QString recording = folder_.filePath(QStringLiteral("run.footlight"));
    {
      TrackOrder order;
      order.open(recording);
      shown(order);
      order.set_folded(key(0, TrackKind::kCalls), false);
    }
    TrackOrder again;
    again.open(recording);
    QCOMPARE(shown(again).size(), size_t{6});
    again.reset();
  }

  void one_process_is_as_it_was() {
    TrackOrder order;
    order.open(QString());
    std::vector<query::TrackPicture> one{track(key(0, TrackKind::kCalls), false),
                                         track(key(0, TrackKind::kSpans), false)};
    order.arrange(one);
    QCOMPARE(one.size(), size_t{2});
    QVERIFY(!order.is_folded(one.front().key) && !order.is_of_process(one.front().key));
  }

  void titles_name_the_process() {
    Overlays overlays;
    overlays.thread_names[1u << 24 | 2] = QStringLiteral("loader");
    QCOMPARE(title_of(key(1, TrackKind::kCalls, 2), overlays).title, QStringLiteral("Calls"));
    QCOMPARE(title_of(key(1, TrackKind::kCalls, 2), overlays).subtitle, QString::fromUtf8("Thread 2 · loader"));
    overlays.processes[1] = {QStringLiteral("Rank 5"), QStringLiteral("3 traces, waited 38.0 ms")};
    QCOMPARE(title_of(key(1, TrackKind::kCalls), overlays).title, QStringLiteral("Rank 5"));
    QCOMPARE(title_of(key(1, TrackKind::kCalls), overlays).subtitle, QStringLiteral("3 traces, waited 38.0 ms"));
    QCOMPARE(title_of(key(1, TrackKind::kEagerOps), overlays).title, QString::fromUtf8("Rank 5 · Ops, eager"));
  }
};

QTEST_GUILESS_MAIN(TrackOrderTest)
#include "test_track_order.moc"
