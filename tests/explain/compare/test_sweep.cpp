// The sweep gives back the shares of timelines that were made with known ones.
#include "engine/explain/compare/sweep.h"

#include <QTest>

#include <random>

using namespace footlight::explain;

namespace {

constexpr int64_t kStart = 1'700'000'000'000'000'000;

struct Timeline {
  std::vector<Interval> intervals;
  std::array<int64_t, kShares> shares{};
  int64_t end = kStart;
};

// Slots, each won by one category; what else covers them comes later in the order of categories. A slot won by
// "unexplained" is a gap: lost events.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Timeline make() {
    Timeline made;
    std::vector<int64_t> starts;
    std::vector<size_t> winners;
    const int count = number(1, 60);
    for (int i = 0; i < count; ++i) {
      starts.push_back(made.end);
      winners.push_back(static_cast<size_t>(number(0, kShares - 1)));
      const int64_t length = number(0, 3) ? number(1, 5000) : number(0, 1);
      made.shares[winners.back()] += length;
      made.end += length;
    }
    starts.push_back(made.end);
    for (size_t i = 0; i < winners.size(); ++i) {
      if (winners[i] == size_t(Share::kUnexplained)) continue;
      cover(made, starts[i], starts[i + 1], winners[i]);
      add_noise(made, starts, winners, i);
    }
    // Work before and after the run, which overlaps only what may be beneath it.
    add(made, kStart - 500, kStart, size_t(Share::kDeviceKernel));
    add(made, made.end, made.end + 500, size_t(Share::kDeviceKernel));
    std::shuffle(made.intervals.begin(), made.intervals.end(), random_);
    return made;
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  static void add(Timeline& made, int64_t from, int64_t to, size_t share) {
    made.intervals.push_back({from, to, static_cast<Share>(share)});
  }

  // Several streams, nested calls: pieces that overlap and together are the slot.
  void cover(Timeline& made, int64_t from, int64_t to, size_t share) {
    const int64_t middle = from + (to - from) * number(0, 4) / 4;
    add(made, from, middle, share);
    add(made, std::max(from, middle - number(0, 100)), to, share);
    for (int more = number(0, 2); more > 0; --more) {
      const int64_t at = from + (to - from) * number(0, 8) / 8;
      add(made, at, std::min(to, at + number(0, 400)), share);
    }
  }

  // Over this slot and those that follow, as far as it wins in none.
  void add_noise(Timeline& made, const std::vector<int64_t>& starts, const std::vector<size_t>& winners, size_t slot) {
    for (int more = number(0, 3); more > 0; --more) {
      const auto share = static_cast<size_t>(number(0, kShares - 2));
      size_t last = slot;
      while (last < winners.size() && winners[last] < share) ++last;
      if (last > slot) add(made, starts[slot], starts[last], share);
    }
  }

  std::mt19937 random_;
};

}  // namespace

class TestSweep : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void gives_known_shares_back() {
    for (uint32_t seed = 0; seed < 3000; ++seed) {
      const Timeline made = Generator(seed).make();
      const Sweep swept = sweep(made.intervals, kStart, made.end);
      QCOMPARE(swept.total, made.end - kStart);
      for (size_t s = 0; s < kShares; ++s)
        QVERIFY2(swept.shares[s] == made.shares[s], qPrintable(QString("seed %1, share %2: %3 for %4")
                                                                    .arg(seed)
                                                                    .arg(name_of(static_cast<Share>(s)))
                                                                    .arg(swept.shares[s])
                                                                    .arg(made.shares[s])));
    }
  }

  void nothing_known_is_unexplained() {
    const Sweep swept = sweep({}, 100, 350);
    QCOMPARE(swept.shares[size_t(Share::kUnexplained)], 250);
    QCOMPARE(sweep({}, 100, 100).total, 0);
    QCOMPARE(sweep({}, 100, 50).total, 0);  // a broken file
  }

  void the_innermost_of_a_category_has_the_time() {
    const std::vector<Interval> intervals{{0, 100, Share::kHostKernel, 0},
                                          {20, 50, Share::kHostKernel, 1},
                                          {30, 40, Share::kHostKernel, 2},
                                          {60, 70, Share::kDeviceKernel, 3},
                                          {0, 200, Share::kPython, 4}};
    const Sweep swept = sweep(intervals, 0, 150);
    QCOMPARE(swept.given, (std::vector<int64_t>{60, 20, 10, 10, 50}));
    QCOMPARE(swept.shares[size_t(Share::kHostKernel)], 90);
    QCOMPARE(swept.shares[size_t(Share::kDeviceKernel)], 10);
    QCOMPARE(swept.shares[size_t(Share::kPython)], 50);
  }

  void a_gap_goes_to_what_had_most_of_it() {
    const std::vector<Interval> intervals{
        {0, 30, Share::kPython}, {30, 80, Share::kDispatch}, {80, 90, Share::kLaunch}};
    QCOMPARE(most_of(intervals, 0, 90, Share::kUnexplained), Share::kDispatch);
    QCOMPARE(most_of(intervals, 0, 40, Share::kUnexplained), Share::kPython);
    QCOMPARE(most_of(intervals, 0, 90, Share::kDispatch), Share::kPython);
  }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "test_sweep.moc"
