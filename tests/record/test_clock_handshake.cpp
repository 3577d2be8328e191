// Ranks whose clocks differ find out how far, over a folder.
#include "engine/record/clock_handshake.h"

#include "engine/base/clock.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

using namespace footlight;
using namespace footlight::record;

class ClockHandshakeTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::string inside(const char* name) { return folder_.filePath(QLatin1String(name)).toStdString(); }

 private Q_SLOTS:
  void the_offset_lies_within_the_error() {
    const std::string shared = inside("shared");
    const std::vector<int64_t> ahead = {0, 1'234'567'890, -9'876'543'210, 5};  // of the true time
    std::mutex mutex;
    std::vector<std::optional<ClockOffset>> found(ahead.size());
    std::vector<std::unique_ptr<ClockHandshake>> ranks;
    for (size_t r = ahead.size(); r-- > 0;)  // rank 0 comes last
      ranks.push_back(std::make_unique<ClockHandshake>(
          shared, static_cast<int>(r), static_cast<int>(ahead.size()), [&, r] { return now_ns() + ahead[r]; },
          [&, r](const ClockOffset& offset) {
            std::lock_guard lock(mutex);
            found[r] = offset;
          }));
    const auto all_found = [&] {
      std::lock_guard lock(mutex);
      return found[1] && found[2] && found[3];
    };
    QTRY_VERIFY_WITH_TIMEOUT(all_found(), 60'000);
    ranks.clear();
    for (size_t r = 1; r < ahead.size(); ++r) {
      QVERIFY(found[r]->error_ns > 0);
      const int64_t wrong = std::abs(found[r]->ns + ahead[r]);
      QVERIFY2(wrong <= found[r]->error_ns, qPrintable(QString::number(wrong)));
    }
    QVERIFY(!found[0]);
    QVERIFY2(!QDir(folder_.filePath(QStringLiteral("shared"))).exists(), "its files are gone");
  }

  void where_nobody_answers_nothing_is_said() {
    std::atomic<int> found = 0;
    // What another run has left is no answer.
    QVERIFY(QDir(folder_.path()).mkdir(QStringLiteral("alone")));
    std::ofstream(inside("alone/answer.1")) << "1-2-0 77\n";
    {
      ClockHandshake alone(inside("alone"), 1, 2, now_ns, [&](const ClockOffset&) { ++found; });
      QTRY_VERIFY(QFile::exists(folder_.filePath(QStringLiteral("alone/question.1"))));
    }
    QCOMPARE(found.load(), 0);
    ClockHandshake nowhere(inside("no/such/folder"), 1, 2, now_ns, [&](const ClockOffset&) { ++found; });
    QTest::qWait(20);
    QCOMPARE(found.load(), 0);
  }

  void jobs_have_folders_of_their_own() {
    for (const char* name : {"LOCAL_WORLD_SIZE", "MASTER_PORT"}) qunsetenv(name);
    const std::string one = handshake_folder("/data/run.rank3.footlight", 4);
    QVERIFY(one.starts_with("/data/"));
    QCOMPARE(handshake_folder("/data/run.rank1.footlight", 4), one);
    QVERIFY(handshake_folder("/data/run.rank1.footlight", 8) != one);
    qputenv("MASTER_PORT", "29501");
    QVERIFY(handshake_folder("/data/run.rank1.footlight", 4) != one);
    qputenv("LOCAL_WORLD_SIZE", "4");
    QCOMPARE(handshake_folder("/data/run.rank1.footlight", 4), std::string());
    for (const char* name : {"LOCAL_WORLD_SIZE", "MASTER_PORT"}) qunsetenv(name);
  }
};

QTEST_GUILESS_MAIN(ClockHandshakeTest)
#include "test_clock_handshake.moc"
