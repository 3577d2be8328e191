// Replays the fuzz target for other programs' recordings without a fuzzer: a fixed number of mutations of each format.
#include "tests/fuzz/foreign_input.h"

#include "engine/base/errors.h"
#include "engine/foreign/json.h"

#include <QtTest>

#include <random>

using namespace footlight;

class TestForeignMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void traces_and_mutations_never_crash() {
    std::mt19937 random(5);
    const auto below = [&](size_t n) { return n ? random() % n : 0; };
    std::vector<std::string> files = fuzz::small_programs();
    for (const auto& more : {fuzz::small_kineto(), fuzz::small_xplane(), fuzz::small_perfetto(), fuzz::small_nsight()})
      files.push_back(more);
    for (const std::string& bytes : files) {
      QVERIFY(fuzz::read_foreign_input(bytes));
      int read = 0;
      for (int i = 0; i < 300; ++i) {
        std::string changed = bytes;
        for (size_t times = 1 + below(3); times > 0 && changed.size() > 2; --times) {
          const size_t at = below(changed.size());
          const size_t length = 1 + below(std::min<size_t>(changed.size() - at, 20));
          switch (below(4)) {
            case 0: changed[at] = static_cast<char>(random()); break;
            case 1: changed.erase(at, length); break;
            case 2: changed.insert(below(changed.size()), changed.substr(at, length)); break;
            default: changed[at] = static_cast<char>(changed[at] ^ 1 << below(8)); break;
          }
        }
        read += fuzz::read_foreign_input(changed);
      }
      QVERIFY(read > 0);
    }
  }

  void numbers_of_json() {
    QCOMPARE(foreign::json_scaled("1718000000123.456", 3).value(), int64_t{1718000000123456});
    QCOMPARE(foreign::json_scaled("1718000000123.4567", 3).value(), int64_t{1718000000123456});
    QCOMPARE(foreign::json_scaled("\"17\"", 3).value(), int64_t{17000});
    QCOMPARE(foreign::json_scaled("-2.5", 3).value(), int64_t{-2500});
    QCOMPARE(foreign::json_scaled("1.5e3", 3).value(), int64_t{1500000});
    for (const char* none : {"", "-", "x", "1x", "1e400", "99999999999999999999", "null", "[1]"})
      QVERIFY2(!foreign::json_scaled(none, 3), none);
    QCOMPARE(foreign::json_text(R"("a\n\u00e9\ud83d\ude00")"), std::string("a\n\xC3\xA9\xF0\x9F\x98\x80"));
  }
};

QTEST_GUILESS_MAIN(TestForeignMutations)
#include "test_foreign_mutations.moc"
