// Which late ranks are named: those with a reason, and none of those that take turns.
#include "engine/query/late_beyond_chance.h"
#include "engine/session/writer.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>

using namespace footlight;
using namespace footlight::query;
using namespace footlight::session;

namespace {

constexpr int64_t kMs = 1'000'000, kStep = 100 * kMs;

// The same numbers in every run.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435761u + 12345) {}
  double next() {  // above 0, at most 1
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>((state_ >> 33) + 1) / static_cast<double>(uint64_t{1} << 31);
  }
  double normal() { return std::sqrt(-2 * std::log(next())) * std::cos(6.283185307179586 * next()); }

 private:
  uint64_t state_;
};

struct Work {
  int64_t ns = 0;  // above the step's usual time
  RankWork why = RankWork::kOther;
  std::string where = {};
  bool is_alone = false;
  uint64_t ops = 0;
};
using WorkOf = std::function<Work(int rank, int step)>;

}  // namespace

class LateBeyondChanceTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::unique_ptr<Reader> reader_;

  // Ranks that meet after each step, as find_late_ranks() gives them.
  static Ranks ranks_of(int count, int steps, const WorkOf& work_of) {
    Ranks ranks;
    ranks.noise_ns = kMs / 10;
    for (int rank = 0; rank < count; ++rank)
      ranks.ranks.push_back({ProcessId(static_cast<uint32_t>(rank)), static_cast<uint64_t>(steps), 0, 0, 0});
    int64_t now = 0;
    for (int step = 0; step < steps; ++step) {
      Collective one;
      one.name = "all_reduce";
      one.number = static_cast<uint64_t>(step + 1);
      std::vector<Work> works;
      int64_t last = 0;
      size_t late_rank = 0;
      for (int rank = 0; rank < count; ++rank) {
        works.push_back(work_of(rank, step));
        const int64_t comes = now + kStep + works.back().ns;
        if (comes > last) last = comes, late_rank = static_cast<size_t>(rank);
        one.arrivals.push_back({ProcessId(static_cast<uint32_t>(rank)), ThreadId(0), comes, 0, {}});
      }
      LateArrival late;
      std::vector<int64_t> others;
      for (Arrival& arrival : one.arrivals) {
        arrival.end_ns = last;
        late.waited_ns += last - arrival.start_ns;
        if (arrival.process.value != late_rank) others.push_back(arrival.start_ns);
      }
      std::ranges::sort(others);
      const Work& work = works[late_rank];
      late.collective = ranks.collectives.size();
      late.process = ProcessId(static_cast<uint32_t>(late_rank));
      late.late_ns = last - others[others.size() / 2];
      late.why = work.why;
      late.where = work.where;
      late.is_alone = work.is_alone;
      late.explained = true;
      late.own[static_cast<size_t>(work.why)] = late.late_ns + kMs;
      late.others[static_cast<size_t>(work.why)] = kMs;
      late.own_ops = 10 + work.ops;
      late.others_ops = 10;
      ranks.waited_ns += late.waited_ns;
      ranks.took_ns += (last - now) * count;
      if (late.late_ns > ranks.noise_ns) ranks.late.push_back(late);
      ranks.collectives.push_back(std::move(one));
      now = last;
    }
    return ranks;
  }

  std::vector<LateRank> named(const Ranks& ranks) const { return late_beyond_chance(*reader_, ranks); }

  // Up to 2 ms, of whoever it happens to.
  static Work noise(Random& random) { return {static_cast<int64_t>(random.next() * 2 * kMs), RankWork::kOps}; }

 private Q_SLOTS:
  void initTestCase() {
    const std::string path = folder_.filePath(QStringLiteral("ranks.footlight")).toStdString();
    auto writer = Writer::create(path, {}, RecordingLevel::kOps);
    for (int rank = 0; rank < 16; ++rank) {
      ProcessRecord process;
      process.id = ProcessId(static_cast<uint32_t>(rank));
      process.rank = rank;
      process.world = 16;
      process.kind = ProcessRecord::kRank;
      writer->add(process);
    }
    FunctionRecord function;
    function.id = FunctionId(0);
    function.name = "train_step";
    writer->add(function);
    writer->finish({1, 0, 0, "finished"});
    reader_ = Reader::open(path);
  }

  void ranks_that_take_turns_are_not_named_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("how");
    for (const int ranks : {2, 4, 16})
      for (const int steps : {40, 400})
        for (const int how : {0, 1, 2})
          QTest::addRow("%d ranks, %d steps, %d", ranks, steps, how) << ranks << steps << how;
  }
  void ranks_that_take_turns_are_not_named() {
    QFETCH(int, ranks);
    QFETCH(int, steps);
    QFETCH(int, how);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const auto work = [&](int, int) -> Work {
        switch (how) {
          case 0: return {static_cast<int64_t>(-std::log(random.next()) * 20 * kMs), RankWork::kOps};
          case 1: return {static_cast<int64_t>(std::exp(random.normal() * 0.7) * 10 * kMs), RankWork::kOther};
          default:  // pauses of the system, of which each rank has several
            return random.next() < 0.1 ? Work{200 * kMs + noise(random).ns, RankWork::kOther} : noise(random);
        }
      };
      const auto found = named(ranks_of(ranks, steps, work));
      QVERIFY2(found.empty(), found.empty() ? "" : (found[0].name + " with seed " + std::to_string(seed)).c_str());
    }
  }

  void one_that_is_late_often_is_named() {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      const auto found = named(ranks_of(8, 60, [&](int rank, int) {
        Work work = noise(random);
        if (rank == 5) work.ns += 20 * kMs;
        return work;
      }));
      QCOMPARE(found.size(), size_t{1});
      QCOMPARE(found[0].name, std::string("Rank 5"));
      QVERIFY(found[0].count > 50 && found[0].collectives == 60);
      QVERIFY(found[0].late_ns > 50 * 18 * kMs && found[0].late_ns < 60 * 22 * kMs);
    }
  }

  // Two slow ranks of 16 do not hide each other.
  void two_that_are_late_often_are_named() {
    Random random(7);
    const auto found = named(ranks_of(16, 100, [&](int rank, int step) {
      Work work = noise(random);
      if (rank == 3 && step % 2) work.ns += 60 * kMs, work.why = RankWork::kOther;
      if (rank == 9 && step % 2 == 0) work.ns += 40 * kMs;
      return work;
    }));
    QCOMPARE(found.size(), size_t{2});
    QCOMPARE(found[0].name, std::string("Rank 3"));
    QCOMPARE(found[1].name, std::string("Rank 9"));
  }

  void a_long_wait_for_input_is_named_once() {
    const auto input_at = [&](std::initializer_list<std::pair<int, int>> at) {
      Random random(3);
      return named(ranks_of(4, 20, [&](int rank, int step) {
        Work work = noise(random);
        for (const auto& [r, s] : at)
          if (rank == r && step == s) work = {400 * kMs, RankWork::kInput, "shards"};
        return work;
      }));
    };
    const auto found = input_at({{2, 7}});
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].name, std::string("Rank 2"));
    QCOMPARE(found[0].collective, std::string("all_reduce #8"));
    QCOMPARE(found[0].where, std::string("shards"));
    QVERIFY(found[0].why == RankWork::kInput && found[0].count == 1);
    QVERIFY(input_at({{2, 7}, {0, 9}}).empty());  // in turn
    QVERIFY(input_at({{2, 0}}).empty());          // processes start at different times
  }

  void work_of_its_own_is_named_however_seldom() {
    Random random(5);
    const auto with = [&](const Work& own, int step_of_it = 4) {
      return named(ranks_of(4, 20, [&](int rank, int step) {
        const Work other{static_cast<int64_t>(random.next() * 90 * kMs), RankWork::kOps};
        return rank == 1 && step == step_of_it ? own : other;
      }));
    };
    const auto traced = with({400 * kMs, RankWork::kTracing, "train_step"});
    QCOMPARE(traced.size(), size_t{1});
    QVERIFY(traced[0].reason.starts_with("it traced train_step for "));
    QCOMPARE(with({400 * kMs, RankWork::kTracing, "train_step"}, 0).size(), size_t{1});
    QCOMPARE(with({400 * kMs, RankWork::kOther, "save", true}).size(), size_t{1});
    QVERIFY(with({400 * kMs, RankWork::kOther, "save", false}).empty());
    const auto ops = with({400 * kMs, RankWork::kOps, "", false, 40});
    QCOMPARE(ops.size(), size_t{1});
    QVERIFY2(ops[0].reason.find("(50 of them)") != std::string::npos, ops[0].reason.c_str());
    QVERIFY(with({400 * kMs, RankWork::kOps, "", false, 5}).empty());
    QVERIFY(named(ranks_of(4, 3, [](int rank, int step) {  // less than it is worth
      return rank == 1 && step == 1 ? Work{40 * kMs, RankWork::kTracing, "train_step"} : Work{rank * 1000};
    })).empty());
  }

  void ranks_with_one_reason_are_one_finding() {
    Random random(9);
    const auto found = named(ranks_of(4, 20, [&](int rank, int step) {
      return step == 4 + rank ? Work{(150 + 10 * rank) * kMs, RankWork::kTracing, "train_step"} : noise(random);
    }));
    QCOMPARE(found.size(), size_t{1});
    QCOMPARE(found[0].name, std::string("Rank 3"));
    QCOMPARE(found[0].also, (std::vector<std::string>{"Rank 2", "Rank 1", "Rank 0"}));
    QVERIFY(found[0].late_ns < 200 * kMs && found[0].all_late_ns > 600 * kMs);
  }

  void clocks_that_nothing_compares_name_nobody() {
    Ranks ranks = ranks_of(4, 20, [](int rank, int step) {
      return rank == 1 && step == 4 ? Work{400 * kMs, RankWork::kTracing, "train_step"} : Work{rank * 1000};
    });
    QCOMPARE(named(ranks).size(), size_t{1});
    ranks.comparable = false;
    QVERIFY(named(ranks).empty());
  }
};

QTEST_GUILESS_MAIN(LateBeyondChanceTest)
#include "test_late_beyond_chance.moc"
