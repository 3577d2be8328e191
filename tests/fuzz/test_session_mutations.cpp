// Replays the fuzz target without a fuzzer: the seeds, and a fixed number of mutations of each.
#include "tests/fuzz/session_input.h"
#include "tests/fuzz/session_seeds.h"

#include <QtTest>

#include <random>

using namespace footlight;

namespace {

std::string mutate(std::string bytes, std::mt19937& random) {
  const auto at = [&] { return 1 + random() % (bytes.size() - 1); };  // the first byte is the mode
  for (uint32_t n = 1 + random() % 8; n > 0 && bytes.size() > 4; --n) {
    switch (random() % 6) {
      case 0: bytes[at()] = static_cast<char>(random()); break;
      case 1: bytes[at()] ^= static_cast<char>(1 << (random() % 8)); break;
      case 2: bytes.resize(at() + 1); break;
      case 3: bytes.erase(at(), random() % 16); break;
      case 4: bytes.insert(at(), bytes.substr(at(), random() % 64)); break;
      default: bytes[at()] = random() % 2 ? '\xff' : '\0';
    }
  }
  return bytes;
}

}  // namespace

class TestSessionMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void seeds_and_mutations_never_crash() {
    const std::vector<std::string> seeds = fuzz::session_seeds();
    QCOMPARE(seeds.size(), 10u);
    std::mt19937 random(42);
    for (const std::string& seed : seeds) {
      QVERIFY(seed.size() > 100);
      fuzz::read_session(seed);
      for (int i = 0; i < 150; ++i) fuzz::read_session(mutate(seed, random));
    }
  }
};

QTEST_GUILESS_MAIN(TestSessionMutations)
#include "test_session_mutations.moc"
