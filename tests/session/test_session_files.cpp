// Files that are not what they should be: cut off, flipped, newer, hostile. They open or are refused in
// words; never a crash.
#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"
#include "engine/session/rows.h"
#include "engine/session/writer.h"
#include "tests/session/sample_session.h"

#include <QtTest>

#include <cstring>
#include <random>

using namespace footlight;
using namespace footlight::session;

namespace {

QByteArray read(const QString& path) {
  QFile f(path);
  return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}
void write(const QString& path, const QByteArray& bytes) {
  QFile f(path);
  QVERIFY(f.open(QIODevice::WriteOnly | QIODevice::Truncate));
  QCOMPARE(f.write(bytes), bytes.size());
}

// Opens and touches everything; the message when the file is refused.
std::string read_all(const QString& path) {
  try {
    auto r = Reader::open(path.toStdString());
    uint64_t sum = 0;
    for (const GraphRecord& g : r->contents().graphs)
      for (const NodeRecord& n : g.nodes) sum += n.name.size() + n.inputs.size();
    for (const TraceRecord& t : r->contents().traces) sum += static_cast<uint64_t>(r->place(t.source).line);
    r->first_time();
    r->last_time();
    for (size_t i = 0; i < r->op_events().index().size(); ++i) {
      try {
        sum += r->op_events().chunk(i)->size();
      } catch (const Error&) {
      }
    }
    try {
      sum += r->all_calls().size() + r->all_device_events().size();
    } catch (const Error&) {
    }
    r->refresh();
    return {};
  } catch (const Error& e) {
    return e.message();
  }
}

}  // namespace

class TestSessionFiles : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString at(const char* name) { return folder_.filePath(name); }
  QString finished_, log_;

 private slots:
  void initTestCase() {
    finished_ = at("finished.footlight");
    log_ = at("log.footlight");
    for (const QString& path : {finished_, log_}) {
      auto writer = Writer::create(path.toStdString(), sample::run_record(), RecordingLevel::kOps);
      sample::write_session(*writer);
      writer->add(DeviceRecord{"kernel", "gemm", 1, 2, 0, 0, 0, 0, 0, 0, {}, 0});
      if (path == finished_) QVERIFY(writer->finish({1, 0, 0, "finished"}).one_file);
    }
    QCOMPARE(read_all(finished_), std::string());
    QCOMPARE(read_all(log_), std::string());
  }

  void what_is_no_session_is_said() {
    write(at("empty"), {});
    QVERIFY(QString::fromStdString(read_all(at("empty"))).endsWith("not a session: the file is empty"));
    write(at("text"), "print('hello')\n");
    QVERIFY(QString::fromStdString(read_all(at("text"))).endsWith("text: not a session"));
    QVERIFY(QString::fromStdString(read_all(folder_.path())).contains("not a session, not even a file"));
    QVERIFY(QString::fromStdString(read_all(at("missing"))).endsWith("No such file or directory"));
    Database other = Database::create(at("other.db").toStdString());
    other.run("CREATE TABLE t(x)");
    other.close();
    QVERIFY(QString::fromStdString(read_all(at("other.db"))).endsWith("not a session, but another SQLite file"));
  }

  void a_newer_version_is_named() {
    QByteArray log = read(log_);
    log[kVersionAt] = log[kReadableAt] = 9;
    write(at("newer_log"), log);
    const QString words = QStringLiteral("newer version %1, this Footlight reads sessions up to version 3");
    QVERIFY(QString::fromStdString(read_all(at("newer_log"))).endsWith(words.arg(9)));
    write(at("newer_db"), read(finished_));
    {
      Database db = Database::open_untrusted(at("newer_db").toStdString(), false);
      db.run("PRAGMA user_version=7; UPDATE meta SET value=7 WHERE key='readable_from'");
    }
    QVERIFY(QString::fromStdString(read_all(at("newer_db"))).endsWith(words.arg(7)));
  }

  void a_cut_log_keeps_what_is_whole() {
    const QByteArray log = read(log_);
    size_t traces_before = 0;
    for (qsizetype size = 0; size <= log.size(); size += 1997) {
      write(at("cut"), log.left(size));
      const std::string words = read_all(at("cut"));
      if (size >= kHeaderSize) {
        QCOMPARE(words, std::string());
        auto r = Reader::open(at("cut").toStdString());
        QCOMPARE(r->state(), State::kKilled);
        QVERIFY(r->contents().traces.size() >= traces_before);
        traces_before = r->contents().traces.size();
      }
    }
    QCOMPARE(traces_before, 13u);
  }

  void a_cut_database_is_refused_or_read() {
    const QByteArray db = read(finished_);
    for (qsizetype size = 0; size < db.size(); size += 4111) {
      write(at("cut"), db.left(size));
      const std::string words = read_all(at("cut"));
      QVERIFY(!words.empty());
    }
  }

  // A bad frame in the middle costs that frame alone.
  void damage_in_the_middle_of_a_log_is_passed_over() {
    QByteArray log = read(log_);
    const qsizetype at_name = log.indexOf("__inference_train_step_9");
    QVERIFY(at_name > 0);
    log[at_name] = '!';
    write(at("damaged"), log);
    auto r = Reader::open(at("damaged").toStdString());
    QCOMPARE(r->contents().graphs.size(), 36u);
    QCOMPARE(r->contents().traces.size(), 13u);
    QCOMPARE(r->op_events().rows(), 4500u);
    QVERIFY(QString::fromStdString(r->damage()).contains("bytes in the middle could not be read"));
    // A length that runs over the end.
    const QByteArray magic("FLRM", 4);
    qsizetype frame = log.indexOf(magic, log.size() / 2);
    QVERIFY(frame > 0);
    log[frame + 7] = 0x7f;
    write(at("damaged"), log);
    QCOMPARE(Reader::open(at("damaged").toStdString())->op_events().rows(), 4500u);
  }

  void flipped_bits_never_crash() {
    std::mt19937 random(20260101);
    for (const QString& path : {finished_, log_}) {
      const QByteArray good = read(path);
      for (int round = 0; round < 150; ++round) {
        QByteArray bad = good;
        const int flips = 1 + static_cast<int>(random() % 20);
        for (int i = 0; i < flips; ++i) {
          // Half of them where structure is: the first pages.
          const auto range = static_cast<uint32_t>(round % 2 ? bad.size() : std::min<qsizetype>(bad.size(), 8192));
          const auto where = static_cast<qsizetype>(random() % range);
          bad[where] = static_cast<char>(bad[where] ^ (1 << (random() % 8)));
        }
        write(at("flipped"), bad);
        read_all(at("flipped"));
      }
    }
  }

  // Frames whose checksum is right and whose contents are not.
  void hostile_frames_never_crash() {
    std::mt19937 random(7);
    const QByteArray header = read(log_).left(kHeaderSize);
    for (int round = 0; round < 800; ++round) {
      std::string log = header.toStdString();
      for (int f = 0; f < 4; ++f) {
        ByteWriter out;
        out.u32(random() % 20 ? own_layout() : static_cast<uint32_t>(random() % 2));
        const int rows = static_cast<int>(random() % 4);
        for (int i = 0; i < rows; ++i) {
          out.u8(static_cast<uint8_t>(random() % (schema().tables.size() + 2)));
          for (int v = 0; v < 17; ++v) {
            switch (random() % 5) {
              case 0: out.u8(0); break;
              case 1: out.u8(1), out.varint(random() % 8); break;
              case 2: out.u8(1), out.varint((uint64_t{random()} << 32) | random()); break;
              case 3: out.u8(2), out.text("abc"); break;
              default: out.u8(static_cast<uint8_t>(random())), out.varint(random());
            }
          }
        }
        append_frame(log, out.bytes());
      }
      write(at("hostile"), QByteArray::fromStdString(log));
      read_all(at("hostile"));
    }
  }

  void hostile_chunks_are_refused() {
    OpColumns events;
    for (uint32_t i = 0; i < 500; ++i) {
      OpEvent e;
      e.start_ns = int64_t{i} * 1000;
      e.end_ns = e.start_ns + 5;
      events.append(0, i, e);
    }
    const std::string good = encode_chunk(events);
    OpColumns out;
    decode_chunk(good, 500, out);
    const auto refused = [&](std::string bytes, uint32_t rows) {
      try {
        decode_chunk(bytes, rows, out);
        return false;
      } catch (const Error& e) {
        return e.kind() == ErrorKind::kDataLoss;
      }
    };
    QVERIFY(refused(good, 499));
    QVERIFY(refused(good, 0xffffffffu));
    QVERIFY(refused("", 500));
    for (size_t size = 0; size < good.size(); ++size) QVERIFY(refused(good.substr(0, size), 500));
    std::string newer = good;
    newer[0] = 4;
    QVERIFY(refused(newer, 500));
    std::string huge = good;
    std::memset(huge.data() + 6, 0xff, 4);  // "uncompressed: 4 GB"
    QVERIFY(refused(huge, 500));
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
      std::string bad = good;
      bad[random() % bad.size()] ^= static_cast<char>(1 << (random() % 8));
      try {
        decode_chunk(bad, 500, out);
      } catch (const Error&) {
      }
    }
  }

  // Views and computed columns could run code of the file's author; missing tables could be anything.
  void a_database_with_other_tables_is_refused() {
    const auto changed = [&](const char* sql) {
      const QString path = at("changed.db");
      write(path, read(finished_));
      Database db = Database::open_untrusted(path.toStdString(), false);
      db.run(sql);
      db.close();
      return QString::fromStdString(read_all(path));
    };
    QCOMPARE(changed("CREATE VIEW mine AS SELECT count(*) FROM node; CREATE INDEX i ON console(time_ns)"), QString());
    QVERIFY(changed("DROP TABLE console").endsWith("table console is missing"));
    QVERIFY(changed("DROP TABLE console; CREATE VIEW console(time_ns,stream,text) AS SELECT 1,2,'x'")
                .endsWith("table console is missing"));
    QVERIFY(
        changed(
            "DROP TABLE decision; CREATE TABLE decision(trace, file, line, kind, fate, note AS (line * 2))")
            .contains("computed"));
    QCOMPARE(changed("ALTER TABLE console ADD COLUMN more"), QString());
    QCOMPARE(changed("UPDATE console SET stream = 99"), QString());
    QVERIFY(changed("ALTER TABLE node_input RENAME COLUMN position TO place").endsWith("has other columns"));
    QVERIFY(changed("UPDATE console SET time_ns = 'noon'").contains("a text where a number should be"));
    QVERIFY(changed("UPDATE console SET time_ns = 1.5").contains("a fraction"));
    QVERIFY(changed("UPDATE op_chunk SET count = 99999999").contains("impossible number of rows"));
    QCOMPARE(changed("UPDATE op_chunk SET data = zeroblob(100)"), QString());  // noticed when the chunk is asked for
    QVERIFY(changed("PRAGMA application_id = 5").contains("another SQLite file"));
  }

  // Somebody wrote into the file with sqlite3 and was killed: what is in the side files counts, and stays as it is.
  void side_files_are_recovered_in_a_private_copy() {
    const QString from = at("wal.db"), to = at("copied.db");
    write(from, read(finished_));
    {
      Database db = Database::open_untrusted(from.toStdString(), false);
      db.run(
          "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; INSERT INTO console VALUES(5, 0, 'added "
          "later', 0)");
      write(to, read(from));
      write(to + "-wal", read(from + "-wal"));
    }
    const QByteArray database = read(to), wal = read(to + "-wal");
    QVERIFY(wal.size() > 0);
    const QStringList before = QDir(folder_.path()).entryList();
    auto r = Reader::open(to.toStdString());
    QCOMPARE(r->contents().console.size(), 14u);
    QCOMPARE(r->contents().console.back().text, std::string("added later"));
    r.reset();
    QCOMPARE(QDir(folder_.path()).entryList(), before);
    QVERIFY(read(to) == database && read(to + "-wal") == wal);
  }
};

QTEST_GUILESS_MAIN(TestSessionFiles)
#include "test_session_files.moc"
