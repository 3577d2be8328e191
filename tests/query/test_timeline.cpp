// Pictures of tracks against all rows: from close up every bar is in its lane, from afar everything is accounted
// for; going from a point to a bar and from bar to bar.
#include "tests/query/random_session.h"

#include "engine/query/timeline.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace footlight;
using namespace footlight::query;

class TimelineTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  struct Opened {
    std::unique_ptr<session::Reader> reader;
    std::unique_ptr<Store> store;
  };
  Opened open(const RandomSession& all, const char* name, int pieces, bool finish) {
    const std::string path = folder_.filePath(QLatin1String(name)).toStdString();
    all.write(path, pieces, finish);
    Opened made;
    made.reader = session::Reader::open(path);
    made.store = std::make_unique<Store>(*made.reader);
    made.store->index();
    return made;
  }
  // Drawn so close that every bar is separate.
  static Picture close_up(const Store& store, int64_t from, int64_t to) {
    return draw(store, from, to, static_cast<int>(std::min<int64_t>((to - from) * 4, INT32_MAX)), Cancel());
  }

 private Q_SLOTS:
  void every_bar_lies_in_its_lane() {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
      const int threads = static_cast<int>(1 + seed % 3);
      const RandomSession all(seed, 3000, threads);
      const Opened o = open(all, "lanes.footlight", 1 + static_cast<int>(seed) * 7, seed % 2);
      const int64_t first = all.ops.front().start - 10'000, last = all.ops.back().end + 10'000;
      const int64_t third = first + (last - first) / 3;
      for (const auto& [from, to] : {std::pair(first, last), std::pair(third, third + (last - first) / 6)}) {
        const Picture picture = close_up(*o.store, from, to);
        std::set<uint64_t> ops, calls, devices;
        for (const TrackPicture& track : picture.tracks) {
          const bool is_ops = track.key.kind == TrackKind::kTracedOps || track.key.kind == TrackKind::kEagerOps;
          for (size_t lane = 0; lane < track.lanes.size(); ++lane) {
            QVERIFY(track.lanes[lane].cover.empty());
            const Bar* before = nullptr;
            for (const Bar& bar : track.lanes[lane].bars) {
              if (is_ops) {
                const PlainOp& op = all.ops.at(bar.row);
                QCOMPARE(bar.start, op.start);
                QCOMPARE(bar.end, op.end);
                QCOMPARE(bar.what, uint32_t{op.op});
                QVERIFY(bar.call == op.call);
                QCOMPARE(track.key.number, uint32_t{op.thread});
                QCOMPARE(track.key.kind == TrackKind::kTracedOps, op.node != UINT32_MAX);
                QCOMPARE(lane, static_cast<size_t>(std::min(op.depth, kLanes - 1)));
                QVERIFY(ops.insert(bar.row).second);
              } else if (track.key.kind == TrackKind::kCalls) {
                QVERIFY(all.calls.at(bar.row).id == bar.call);
                QCOMPARE(bar.what, all.calls[bar.row].function.value);
                QVERIFY(calls.insert(bar.row).second);
              } else {
                QCOMPARE(picture.names.at(bar.what), all.device.at(bar.row).name);
                QVERIFY(devices.insert(bar.row).second);
              }
              // One thread's bars nest: no two in a lane overlap, except in the last lane.
              if (before && static_cast<int>(lane) < kLanes - 1 && (is_ops || threads == 1) &&
                  track.key.kind <= TrackKind::kEagerOps)
                QVERIFY(before->end <= bar.start);
              before = &bar;
            }
          }
        }
        const auto count = [&, from = from, to = to](const auto& rows, auto&& start, auto&& end) {
          return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [&](const auto& r) {
            return start(r) < to && end(r) >= from;
          }));
        };
        QCOMPARE(ops.size(), count(all.ops, [](auto& r) { return r.start; }, [](auto& r) { return r.end; }));
        QCOMPARE(calls.size(), count(all.calls, [](auto& r) { return r.start_ns; }, [](auto& r) { return r.end_ns; }));
        QCOMPARE(devices.size(),
                 count(all.device, [](auto& r) { return r.start_ns; }, [](auto& r) { return r.end_ns; }));
      }
    }
  }

  // From afar: no more bars than the columns have room for, and no nanosecond lost.
  void a_picture_accounts_for_everything() {
    const RandomSession all(8, 8000, 2);
    const Opened o = open(all, "afar.footlight", 30, false);
    const int64_t first = all.ops.front().start - 20'000, last = all.ops.back().end + 20'000;
    std::map<TrackKey, double> wanted;
    for (const PlainOp& op : all.ops)
      wanted[{op.node == UINT32_MAX ? TrackKind::kEagerOps : TrackKind::kTracedOps, op.thread, 0}] +=
          static_cast<double>(op.end - op.start);
    for (const int columns : {1, 50, 400, 3000, 50'000}) {
      const Picture picture = draw(*o.store, first, last, columns, Cancel());
      const double per = static_cast<double>(last - first) / columns;
      size_t compared = 0;
      for (const TrackPicture& track : picture.tracks) {
        if (track.key.kind != TrackKind::kEagerOps && track.key.kind != TrackKind::kTracedOps) continue;
        double drawn = 0;
        for (const LanePicture& lane : track.lanes) {
          for (const Bar& bar : lane.bars) drawn += static_cast<double>(bar.end - bar.start);
          for (const float cover : lane.cover) drawn += static_cast<double>(cover) * per;
          if (&lane != &track.lanes.back()) QVERIFY(lane.bars.size() <= static_cast<size_t>(columns / 1.5) + 2);
        }
        const double all_of_it = wanted.at(track.key);
        QVERIFY2(std::abs(drawn - all_of_it) < all_of_it * 1e-4,
                 qPrintable(QStringLiteral("%1 of %2").arg(drawn).arg(all_of_it)));
        ++compared;
      }
      QCOMPARE(compared, wanted.size());
    }
    QCOMPARE(overview(*o.store, first, last, 70, Cancel()).size(), size_t{70});
    double busy = 0, tracing = 0;
    for (const OverviewColumn& c : overview(*o.store, first, last, 70, Cancel())) busy += c.busy, tracing += c.tracing;
    QVERIFY(busy > 1 && tracing > 0);
    const Cancel withdrawn;
    withdrawn.request();
    QVERIFY_EXCEPTION_THROWN(draw(*o.store, first, last, 100, withdrawn), Cancelled);
  }

  void from_a_point_to_a_bar_and_on() {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
      const RandomSession all(seed, 1200, 2);
      const Opened o = open(all, "walk.footlight", 15, false);
      const int64_t first = all.ops.front().start - 20'000, last = all.ops.back().end + 20'000;
      const Picture picture = close_up(*o.store, first, last);
      const Cancel cancel;
      std::mt19937 random(seed);
      for (const TrackPicture& track : picture.tracks) {
        for (int lane = 0; lane < static_cast<int>(track.lanes.size()); ++lane) {
          const std::vector<Bar>& bars = track.lanes[static_cast<size_t>(lane)].bars;
          if (bars.empty()) continue;
          for (size_t i = 0; i < bars.size(); i += 1 + bars.size() / 25) {
            const auto placed = place(*o.store, track.key.kind, bars[i].row);
            QVERIFY(placed && placed->track == track.key && placed->lane == lane);
            QCOMPARE(placed->bar.start, bars[i].start);
            const auto next = neighbour(*o.store, *placed, 1, cancel), back = neighbour(*o.store, *placed, -1, cancel);
            QCOMPARE(next.has_value(), i + 1 < bars.size());
            if (next) QCOMPARE(next->bar.row, bars[i + 1].row);
            QCOMPARE(back.has_value(), i > 0);
            if (back) QCOMPARE(back->bar.row, bars[i - 1].row);
          }
          for (int k = 0; k < 25; ++k) {
            const int64_t time = first + static_cast<int64_t>(random() % static_cast<uint64_t>(last - first));
            const int64_t slack = k % 2 ? 0 : 500;
            int64_t least = slack + 1;
            for (const Bar& bar : bars)
              least = std::min(least, time < bar.start ? bar.start - time : time > bar.end ? time - bar.end : 0);
            const auto found = nearest(*o.store, track.key, lane, time, slack, cancel);
            QCOMPARE(found.has_value(), least <= slack);
            if (found) {
              const Bar& bar = found->bar;
              QCOMPARE(time < bar.start ? bar.start - time : time > bar.end ? time - bar.end : 0, least);
            }
            const auto wanted = std::find_if(bars.begin(), bars.end(), [&](const Bar& b) { return b.start >= time; });
            const auto after = at_or_after(*o.store, track.key, lane, time, cancel);
            QVERIFY(after.has_value());
            QCOMPARE(after->bar.row, wanted == bars.end() ? bars.back().row : wanted->row);
          }
        }
      }
      const OpFilter filter = o.store->of_nodes({{GraphId(100), 3}, {GraphId(101), 4}});
      const auto marked = placed(*o.store, filter, first, last, 1000, cancel);
      const auto wanted = std::count_if(all.ops.begin(), all.ops.end(), [](const PlainOp& op) {
        return (op.graph == GraphId(100) && op.node == 3) || (op.graph == GraphId(101) && op.node == 4);
      });
      QCOMPARE(marked.size(), static_cast<size_t>(wanted));
      for (const Placed& p : marked) QCOMPARE(p.lane, std::min(all.ops.at(p.bar.row).depth, kLanes - 1));
      QVERIFY(placed(*o.store, filter, first, last, 3, cancel).size() == 3);
    }
  }
};

QTEST_GUILESS_MAIN(TimelineTest)
#include "test_timeline.moc"
