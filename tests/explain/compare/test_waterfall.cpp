// The parts of the waterfall add up to the measured difference, whatever the repetitions were.
#include "engine/explain/compare/waterfall.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace footlight::explain;

namespace {

SideRuns random_side(std::mt19937& random, size_t rows, int scale) {
  const auto number = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  SideRuns side;
  for (int i = number(1, 20); i > 0; --i) {
    SideRuns::One one;
    for (size_t s = 0; s < kShares; ++s) {
      one.shares[s] = number(0, 3) ? number(0, scale) : 0;
      one.total += one.shares[s];
    }
    one.call = one.shares[size_t(Share::kDispatch)] / 3;
    int64_t left = one.shares[size_t(Share::kHostKernel)] + one.shares[size_t(Share::kDeviceKernel)];
    for (size_t r = 0; r < rows; ++r) {
      one.rows.push_back(left / 2);
      left -= left / 2;
    }
    side.with_events.push_back(one);
  }
  for (int i = number(1, 60); i > 0; --i) side.totals.push_back(number(scale, scale * 8));
  return side;
}

double sum_of(const std::vector<Part>& parts) {
  double sum = 0;
  for (const Part& part : parts) sum += part.difference.mean;
  return sum;
}

const Part* part_named(const std::vector<Part>& parts, const std::string& name) {
  for (const Part& part : parts) {
    if (part.name == name) return &part;
    if (const Part* inner = part_named(part.joined, name)) return inner;
  }
  return nullptr;
}

}  // namespace

class TestWaterfall : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void parts_add_up() {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
      Comparison c;
      c.rows.resize(9);
      for (size_t i = 0; i < c.rows.size(); ++i) c.rows[i].group = static_cast<Group>(i % kGroups);
      const SideRuns eager = random_side(random, c.rows.size(), 100'000);
      const SideRuns traced = random_side(random, c.rows.size(), 20'000);
      fill(c, eager, traced);
      const double tolerance = 1e-6 * c.eager.total.mean;
      QVERIFY(std::abs(c.eager.total.mean + sum_of(c.parts) - c.traced.total.mean) < tolerance);
      for (const Side* side : {&c.eager, &c.traced}) {
        double shares = 0;
        for (const double share : side->shares) shares += share;
        QVERIFY(std::abs(shares - side->recorded.mean) < tolerance);
      }
      for (const Part& part : c.parts) {
        if (part.kind == Part::Kind::kOthers) {
          QVERIFY(part.joined.size() >= 2);
          QVERIFY(std::abs(sum_of(part.joined) - part.difference.mean) < tolerance);
        }
        for (const Part& one : part.joined)
          QVERIFY(std::abs(one.difference.mean) < 0.02 * std::abs(c.difference.mean));
      }
      // The table's totals are the waterfall's.
      for (size_t g = 0; g < kGroups; ++g) {
        double rows = 0;
        for (const Row& row : c.rows)
          if (row.group == static_cast<Group>(g)) rows += row.difference.mean;
        const Part* part = part_named(c.parts, name_of(static_cast<Group>(g)));
        if (static_cast<Group>(g) == Group::kSame) continue;  // has the kernels of no row as well
        QVERIFY(std::abs(rows - (part ? part->difference.mean : 0)) < tolerance);
      }
    }
  }

  void spread_is_of_the_middle_half() {
    // By hand: of 1..8 ordered by themselves the middle half is 3, 4, 5, 6.
    const Spread spread = spread_of({8, 1, 2, 7, 3, 6, 4, 5}, {8, 1, 2, 7, 3, 6, 4, 5});
    QCOMPARE(spread.mean, 4.5);
    QCOMPARE(spread.p5, 1.0);
    QCOMPARE(spread.p95, 8.0);
    // The order is another quantity's: the middle of it has 30 and 40.
    QCOMPARE(spread_of({10, 30, 40, 90}, {1, 2, 3, 4}).mean, 35.0);
    QCOMPARE(spread_of({10, 30, 40, 90}, {2, 1, 4, 3}).mean, 50.0);
    QCOMPARE(spread_of({}, {}).mean, 0.0);
    QCOMPARE(spread_of({5}, {1}).p95, 5.0);
  }

  void what_recording_adds_is_no_part_of_the_shares() {
    Comparison c;
    SideRuns eager, traced;
    for (int i = 0; i < 4; ++i) {
      SideRuns::One one;
      one.shares[size_t(Share::kPython)] = 1000;
      one.shares[size_t(Share::kRecording)] = 300;
      one.total = 1300;
      eager.with_events.push_back(one);
      one.shares[size_t(Share::kPython)] = 200;
      one.shares[size_t(Share::kRecording)] = 100;
      one.total = 300;
      traced.with_events.push_back(one);
      eager.totals.push_back(1000);
      traced.totals.push_back(200);
    }
    fill(c, eager, traced);
    QCOMPARE(c.eager.recording, 300.0);
    QCOMPARE(c.traced.recording, 100.0);
    QCOMPARE(c.difference.mean, -800.0);
    QCOMPARE(c.eager.recorder, 300.0);
    QCOMPARE(c.unexplained, 0.0);
    QCOMPARE(c.parts.size(), 1u);
    QCOMPARE(c.parts[0].difference.mean, -800.0);
    QCOMPARE(c.parts[0].name, std::string("Python"));
  }

  // The recorder's own work is measured by itself; what the repetitions took longer beside it may be anything.
  void what_nothing_explains_is_called_unexplained() {
    Comparison c;
    c.eager.name = "eager", c.traced.name = "traced";
    SideRuns eager, traced;
    for (int i = 0; i < 4; ++i) {
      SideRuns::One one;
      one.shares[size_t(Share::kPython)] = 1040;
      one.shares[size_t(Share::kRecording)] = 300;
      one.total = 1340;
      eager.with_events.push_back(one);
      one.shares[size_t(Share::kPython)] = 170;
      one.shares[size_t(Share::kRecording)] = 100;
      one.total = 270;
      traced.with_events.push_back(one);
      eager.totals.push_back(1000 + i % 2);
      traced.totals.push_back(200 + i % 2);
    }
    c.pairs = 8;
    fill(c, eager, traced);
    QCOMPARE(c.eager.unexplained, -39.5);   // the parts are longer than the total
    QCOMPARE(c.traced.unexplained, 30.5);
    const Part* rest = part_named(c.parts, "unexplained");
    QVERIFY(rest);
    QCOMPARE(rest->eager, -39.5);
    QCOMPARE(rest->traced, 30.5);
    QCOMPARE(rest->difference.mean, 70.0);
    QVERIFY(!part_named(c.parts, "recording"));
    QVERIFY(c.unexplained > 0.15 && c.unexplained < 0.153);
    const std::string said = sentence_of(c);
    QVERIFY2(said.find("15 % of the traced time is unexplained: 30 ns.") != std::string::npos, said.c_str());
    QVERIFY(said.find("of the eager time") == std::string::npos);
    QVERIFY(said.find("Python is the largest reason") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestWaterfall)
#include "test_waterfall.moc"
