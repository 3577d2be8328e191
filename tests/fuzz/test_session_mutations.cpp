// Replays the fuzz target without a fuzzer: the seeds, and a fixed number of mutations of each.
#include "tests/fuzz/session_input.h"
#include "tests/fuzz/session_seeds.h"

#include <QtTest>

using namespace footlight;

class TestSessionMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void seeds_and_mutations_never_crash() {
    const std::vector<std::string> seeds = fuzz::session_seeds();
    QCOMPARE(seeds.size(), 13u);
    std::mt19937 random(42);
    for (const std::string& seed : seeds) fuzz::read_session(seed);
    QVERIFY(fuzz::compared().repeated >= 3);
    QVERIFY(fuzz::compared().recorded >= 3);
    for (const std::string& seed : seeds) {
      QVERIFY(seed.size() > 100);
      for (int i = 0; i < 150; ++i) fuzz::read_session(fuzz::mutated(seed, random));
    }
  }
};

QTEST_GUILESS_MAIN(TestSessionMutations)
#include "test_session_mutations.moc"
