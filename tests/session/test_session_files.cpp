// Damaged files: truncated, with flipped bits, from a newer version, hostile. They open, or are refused with
// a message; they never crash.
#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"
#include "engine/session/rows.h"
#include "engine/session/writer.h"
#include "tests/base/thrown.h"
#include "tests/session/records.h"
#include "tests/session/sample_session.h"

#include <QtTest>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
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

// Opens the file and touches everything in it; returns the message if the file is refused.
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

// Makes the root of a table a page that names one child many times, and so on down to a page of small rows.
QByteArray bombed(QByteArray file, uint32_t root, const QByteArray& row) {
  constexpr qsizetype kPage = 4096;
  const auto put = [](QByteArray& page, qsizetype at, uint32_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) page[at + i] = static_cast<char>(v >> (8 * (bytes - 1 - i)));
  };
  const auto page = [&](uint32_t kind, qsizetype start, const QByteArray& cell, uint32_t right) {
    const qsizetype head = right ? 12 : 8;
    QByteArray made(kPage, '\0');
    qsizetype at = kPage;
    uint32_t cells = 0;
    while (at - cell.size() >= start + head + 2 * qsizetype{cells + 1}) {
      at -= cell.size();
      made.replace(at, cell.size(), cell);
      put(made, start + head + 2 * qsizetype{cells}, static_cast<uint32_t>(at), 2);
      ++cells;
    }
    put(made, start, kind, 1);
    put(made, start + 3, cells, 2);
    put(made, start + 5, static_cast<uint32_t>(at), 2);
    if (right) put(made, start + 8, right, 4);
    return made;
  };
  const auto last = static_cast<uint32_t>(file.size() / kPage);
  const auto above = [&](uint32_t child, qsizetype start) {
    QByteArray cell(5, '\1');
    put(cell, 0, child, 4);
    return page(5, start, cell, child);
  };
  file += page(13, 0, row, 0);
  file += above(last + 1, 0);
  file += above(last + 2, 0);
  const qsizetype start = root == 1 ? 100 : 0;
  QByteArray top = above(last + 3, start);
  if (root == 1) top.replace(0, 100, file.left(100));
  file.replace(qsizetype{root - 1} * kPage, kPage, top);
  put(file, 28, last + 3, 4);
  return file;
}

}  // namespace

class TestSessionFiles : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString at(const char* name) { return folder_.filePath(name); }
  QString finished_, log_;

  // A copy of a session, and beside it a write-ahead log that adds a line to its console.
  void write_with_wal(const QString& from, const QString& to) {
    write(from, read(finished_));
    Database db = Database::create(from.toStdString());
    db.run(
        "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; INSERT INTO console VALUES(5, 0, 'added "
        "later', 0)");
    write(to, read(from));
    write(to + "-wal", read(from + "-wal"));
  }

 private Q_SLOTS:
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
    QVERIFY(QString::fromStdString(read_all(at("empty"))).endsWith("not a recording: the file is empty"));
    write(at("text"), "print('hello')\n");
    QVERIFY(QString::fromStdString(read_all(at("text"))).endsWith("text: not a recording"));
    QVERIFY(QString::fromStdString(read_all(folder_.path())).contains("this is a folder, not a recording"));
    QVERIFY(QString::fromStdString(read_all(at("missing"))).endsWith("No such file or directory"));
    Database other = Database::create(at("other.db").toStdString());
    other.run("CREATE TABLE t(x)");
    other.close();
    QVERIFY(QString::fromStdString(read_all(at("other.db"))).endsWith("an SQLite file, but not a recording"));
  }

  void a_newer_version_is_named() {
    QByteArray log = read(log_);
    log[kVersionAt] = log[kReadableAt] = 9;
    write(at("newer_log"), log);
    const QString words = QStringLiteral("a newer Footlight wrote this recording, in version %1 of the format; "
                                         "this one reads up to 3. Update Footlight to open it");
    QVERIFY(QString::fromStdString(read_all(at("newer_log"))).endsWith(words.arg(9)));
    write(at("newer_db"), read(finished_));
    {
      Database db = Database::create(at("newer_db").toStdString());
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
    // A length that runs past the end.
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
          // Half of the rounds flip where the structure is: in the first pages.
          const auto range = static_cast<uint32_t>(round % 2 ? bad.size() : std::min<qsizetype>(bad.size(), 8192));
          const auto where = static_cast<qsizetype>(random() % range);
          bad[where] = static_cast<char>(bad[where] ^ (1 << (random() % 8)));
        }
        write(at("flipped"), bad);
        read_all(at("flipped"));
      }
    }
  }

  // Frames with a correct checksum and invalid contents.
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
      const int64_t start = int64_t{i} * 1000;
      events.append(0, i, op_of(OpId(), start, start + 5));
    }
    const std::string good = encode_chunk(events);
    OpColumns out;
    decode_chunk(good, 500, out);
    const auto refused = [&](std::string bytes, uint32_t rows) {
      return kind_thrown([&] { decode_chunk(bytes, rows, out); }) == ErrorKind::kDataLoss;
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

  // Views and computed columns could run code written by the file's author; missing tables could be anything.
  void a_database_with_other_tables_is_refused() {
    const auto changed = [&](const char* sql) {
      const QString path = at("changed.db");
      write(path, read(finished_));
      Database db = Database::create(path.toStdString());
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
    QCOMPARE(changed("UPDATE op_chunk SET data = zeroblob(100)"), QString());  // noticed when the chunk is read
    QVERIFY(changed("PRAGMA application_id = 5").contains("an SQLite file, but not a recording"));
  }

  // Somebody wrote into the file with sqlite3 and was killed: the write-ahead log counts, and is kept.
  void a_write_ahead_log_is_read_and_left_alone() {
    const QString from = at("wal.db"), to = at("with.wal");
    write_with_wal(from, to);
    const QByteArray database = read(to), wal = read(to + "-wal");
    QVERIFY(wal.size() > 0);
    const QStringList before = QDir(folder_.path()).entryList();
    auto r = Reader::open(to.toStdString());
    QCOMPARE(r->contents().console.size(), 14u);
    QCOMPARE(r->contents().console.back().text, std::string("added later"));
    QCOMPARE(r->damage(), std::string());
    QCOMPARE(r->op_events().chunk(0)->size(), Reader::open(finished_.toStdString())->op_events().chunk(0)->size());
    r.reset();
    QCOMPARE(QDir(folder_.path()).entryList(), before);
    QVERIFY(read(to) == database && read(to + "-wal") == wal);
    // A link to the session: the log lies beside its target.
    QVERIFY(QFile::link(to, at("link.db")));
    QCOMPARE(Reader::open(at("link.db").toStdString())->contents().console.size(), 14u);
    // A torn log counts up to its last complete change.
    const qsizetype frame = 24 + 4096;
    for (const qsizetype size : {wal.size() - 1, qsizetype{32} + frame / 2, qsizetype{32}, qsizetype{7}}) {
      write(to + "-wal", wal.left(size));
      r = Reader::open(to.toStdString());
      QCOMPARE(r->contents().console.size(), 13u);
      QVERIFY(QString::fromStdString(r->damage()).contains("NAME-wal beside it was left out"));
    }
    for (qsizetype i = 0; i < wal.size(); i += 97) {
      QByteArray bad = wal;
      bad[i] = static_cast<char>(bad[i] ^ 0x10);
      write(to + "-wal", bad);
      read_all(to);
    }
    for (const char* name : {"wal.db", "with.wal", "with.wal-wal", "link.db"}) QFile::remove(at(name));
  }

  // A sparse log of three gigabytes is not copied, a pipe is not waited for, a link is not followed.
  void what_lies_beside_as_a_write_ahead_log_may_be_anything() {
    const QString path = at("beside.db"), side = path + "-wal";
    const QString temporary = at("temporary");
    QVERIFY(QDir().mkpath(temporary));
    qputenv("TMPDIR", temporary.toUtf8());
    write(path, read(finished_));
    const auto opens_without_it = [&] {
      auto r = Reader::open(path.toStdString());
      QVERIFY(QString::fromStdString(r->damage()).contains("NAME-wal beside it was left out"));
      QCOMPARE(r->contents().console.size(), 13u);
      QCOMPARE(r->op_events().rows(), 4500u);
      QVERIFY(QDir(temporary).isEmpty());
    };
    write(side, "x");
    QVERIFY(QFile::resize(side, qint64{3} << 30));
    opens_without_it();
    QVERIFY(QFile::resize(side, qint64{100} << 20));
    opens_without_it();
    QVERIFY(QFile::remove(side));
    QCOMPARE(mkfifo(side.toUtf8().constData(), 0600), 0);
    opens_without_it();
    QVERIFY(QFile::remove(side));
    QVERIFY(QFile::link(QStringLiteral("/dev/zero"), side));
    opens_without_it();
    QVERIFY(QFile::remove(side));
    QVERIFY(QDir().mkpath(side));
    opens_without_it();
    QVERIFY(QDir().rmdir(side));
    qunsetenv("TMPDIR");
  }

  // A journal can name a file that SQLite is to delete when it rolls back.
  void a_journal_neither_changes_nor_deletes_anything() {
    const QString path = at("journal.db"), victim = at("precious");
    write(path, read(finished_));
    write(victim, "precious");
    const QByteArray name = victim.toUtf8();
    const auto number = [](uint32_t v) {
      QByteArray bytes(4, '\0');
      for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(v >> (24 - 8 * i));
      return bytes;
    };
    const QByteArray magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    const auto pages = static_cast<uint32_t>(read(path).size() / 4096);
    QByteArray journal = magic + number(0) + number(0) + number(pages) + number(512) + number(4096);
    journal.append(512 - journal.size(), '\0');
    uint32_t sum = 0;
    for (const char c : name) sum += static_cast<uint32_t>(static_cast<signed char>(c));
    journal += number(0x40000000 / 4096 + 1) + name + number(static_cast<uint32_t>(name.size())) + number(sum) + magic;
    write(path + "-journal", journal);
    const QByteArray before = read(path);
    auto r = Reader::open(path.toStdString());
    QCOMPARE(r->op_events().rows(), 4500u);
    QVERIFY(QString::fromStdString(r->damage()).contains("NAME-journal beside it was left out"));
    QCOMPARE(read(victim), QByteArray("precious"));
    QCOMPARE(read(path + "-journal"), journal);
    QCOMPARE(read(path), before);
    // A journal that SQLite is done with is ignored.
    journal.replace(0, 512, QByteArray(512, '\0'));
    write(path + "-journal", journal);
    QCOMPARE(Reader::open(path.toStdString())->damage(), std::string());
  }

  // Interior pages that name one child many times: ten billion rows in a few pages.
  void pages_named_again_and_again_are_refused() {
    for (const char* table : {"console", "op_chunk", "sqlite_schema"}) {
      const QString path = at("bomb.db");
      write(path, read(finished_));
      int64_t root = 1;
      if (table != QByteArray("sqlite_schema")) {
        Database db = Database::create(path.toStdString());
        Statement select = db.prepare(std::string("SELECT rootpage FROM sqlite_schema WHERE name='") + table + "'");
        QVERIFY(select.step());
        root = select.integer(0);
      }
      // The row (0, 0, ''), and for chunks (NULL, 1, 1, 1).
      const QByteArray row = table == QByteArray("op_chunk") ? QByteArray("\5\1\5\0\11\11\11", 7)
                                                             : QByteArray("\4\1\4\10\10\15", 6);
      write(path, bombed(read(path), static_cast<uint32_t>(root), row));
      const QString words = QString::fromStdString(read_all(path));
      // The first row of the schema is already invalid.
      QVERIFY2(words.contains("broken"), qPrintable(words));
      if (root != 1) QVERIFY2(words.contains("bytes can hold"), qPrintable(words));
    }
    // The same in the table where chunks are looked up: its id is not the row number, so each look-up scans it all.
    const QString path = at("lookup.db");
    write(path, read(finished_));
    {
      Database db = Database::create(path.toStdString());
      db.run("DROP TABLE op_chunk; CREATE TABLE op_chunk(id, first_ns, last_ns, count, data)");
    }
    QCOMPARE(read_all(path), std::string());
  }

  // 670 KB of chunks, each with 65536 equal rows.
  void chunks_of_more_rows_than_a_file_can_hold_are_left_out() {
    const QString path = at("chunks.db");
    write(path, read(finished_));
    OpColumns events;
    for (uint32_t i = 0; i < 65536; ++i) events.append(0, 0, OpEvent{});
    const std::string chunk = encode_chunk(events);
    {
      Database db = Database::create(path.toStdString());
      db.run("DELETE FROM op_chunk; BEGIN");
      Statement insert = db.prepare("INSERT INTO op_chunk(first_ns,last_ns,count,data) VALUES(1,2,65536,?)");
      for (int i = 0; i < 1000; ++i) {
        insert.reset();
        insert.bind(1, Value{Value::Type::kBlob, 0, chunk});
        insert.step();
      }
      insert.reset();
      db.run("COMMIT");
    }
    const auto size = static_cast<uint64_t>(QFileInfo(path).size());
    QVERIFY(size < 1'000'000);
    auto r = Reader::open(path.toStdString());
    QVERIFY(r->op_events().rows() <= 4'000'000 + 16 * size);
    QVERIFY(r->op_events().rows() > 4'000'000);
    QCOMPARE(r->op_events().chunk(0)->size(), 65536u);
    QVERIFY(QString::fromStdString(r->damage()).contains("events are left out: a file of"));
    // The same in a log.
    const std::string log = at("chunks.log").toStdString();
    {
      auto writer = Writer::create(log, sample::run_record(), RecordingLevel::kOps);
      writer->flush();
      std::string frames;
      for (int i = 0; i < 200; ++i) {
        ByteWriter out;
        out.u32(own_layout());
        encode_chunk_row(out, 0, {1, 2, 65536, 0}, chunk);
        append_frame(frames, out.bytes());
      }
      QFile file(at("chunks.log"));
      QVERIFY(file.open(QIODevice::Append));
      file.write(frames.data(), static_cast<qint64>(frames.size()));
    }
    r = Reader::open(log);
    QVERIFY(r->op_events().rows() > 4'000'000 && r->op_events().rows() < 200 * uint64_t{65536});
    QVERIFY(QString::fromStdString(r->damage()).contains("events are left out"));
  }

  void reading_says_how_far_it_is_and_can_be_ended() {
    // A log with 40 MB of invalid frames at its end, so that it is read in pieces.
    const QString path = at("long");
    QByteArray log = read(log_);
    log.append(QByteArray(qsizetype{40} << 20, 'F'));
    write(path, log);
    for (const bool cancel : {false, true}) {
      std::vector<double> shares;
      const auto go_on = [&](double share) {
        shares.push_back(share);
        return !cancel;
      };
      try {
        Reader::open(path.toStdString(), {go_on, std::chrono::milliseconds(0)});
        QVERIFY(!cancel);
      } catch (const Error& e) {
        QVERIFY(cancel);
        QCOMPARE(e.kind(), ErrorKind::kCancelled);
        QVERIFY(QString::fromStdString(e.message()).contains("cancelled"));
      }
      QVERIFY(!shares.empty() && std::ranges::all_of(shares, [](double share) { return share >= 0 && share <= 1; }));
      if (cancel) QCOMPARE(shares.size(), size_t{1});
    }
  }

  void recordings_are_private() {
    const auto mode = [](const QString& path) {
      struct stat s {};
      stat(path.toUtf8().constData(), &s);
      return s.st_mode & 0777;
    };
    const mode_t before = umask(0);
    const QString path = at("private");
    auto writer = Writer::create(path.toStdString(), sample::run_record(), RecordingLevel::kOps);
    writer->flush();
    QCOMPARE(mode(path), 0600u);
    QVERIFY(writer->finish({}).one_file);
    QCOMPARE(mode(path), 0600u);
    umask(before);
  }
};

QTEST_GUILESS_MAIN(TestSessionFiles)
#include "test_session_files.moc"
