// Sessions while they are written: followed, killed, copied, written by two processes, on a full disk.
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"
#include "engine/session/writer.h"
#include "tests/base/thrown.h"
#include "tests/session/records.h"
#include "tests/session/sample_session.h"

#include <QtTest>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

using namespace footlight;
using namespace footlight::session;

namespace {

// Runs this program in another role, in a process of its own, and returns its id. Not a plain fork: the sanitizers
// cannot follow threads that are started in one.
pid_t in_process(const char* role, const std::string& path, int descriptor = -1) {
  const std::string number = std::to_string(descriptor);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "test_session_live", "--as", role, path.c_str(), number.c_str(), nullptr);
    _exit(98);
  }
  return child;
}

OpColumns one_event(uint32_t number, int64_t time) {
  OpColumns out;
  out.append(0, ThreadRings::op_event_id(0, number), op_of(OpId(), time, time + 10));
  return out;
}

// Until it is killed, writes events and reports each to the descriptor `said`.
void write_until_killed(const std::string& path, int said) {
  auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
  sample::write_session(*writer);
  for (uint32_t i = 0;; ++i) {
    const int64_t now = now_ns();
    writer->add_rows(one_event(i, now));
    writer->add(ConsoleRecord{now, ConsoleStream::kStdout, "line\n"});
    if (write(said, &now, sizeof now) != sizeof now) _exit(3);
    usleep(500);
  }
}

// The other process of two_processes_write_one_session().
void write_and_crash(const std::string& path) {
  auto writer = Writer::attach(path);
  sample::write_session(*writer);
  writer->flush();
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

// Makes the system refuse to let the file grow.
int write_on_a_full_disk(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{100'000, 100'000};
  setrlimit(RLIMIT_FSIZE, &limit);
  auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
  sample::write_session(*writer);
  writer->flush();
  for (int i = 0; i < 2000; ++i) {
    writer->add(ConsoleRecord{i, ConsoleStream::kStdout, std::string(100, 'y') + "\n"});
    if (i % 100 == 0) writer->flush();
  }
  const auto finished = writer->finish({77, 4, 0, "finished"});
  if (finished.one_file) return 1;
  return finished.words.find("stays a log") == std::string::npos ? 2 : 0;
}

struct Killed {
  int64_t last_said = 0;  // time of the last event before the kill
  int64_t killed_at = 0;
};
Killed write_and_kill(const std::string& path, int milliseconds) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {};
  fcntl(pipe_ends[0], F_SETFD, FD_CLOEXEC);
  const pid_t child = in_process("writer", path, pipe_ends[1]);
  close(pipe_ends[1]);
  Killed result;
  QElapsedTimer timer;
  timer.start();
  int64_t said = 0;
  while (timer.elapsed() < milliseconds && read(pipe_ends[0], &said, sizeof said) == sizeof said)
    result.last_said = said;
  kill(child, SIGKILL);
  result.killed_at = now_ns();
  while (read(pipe_ends[0], &said, sizeof said) == sizeof said) result.last_said = said;
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return result;
}

// With sanitizers or on a loaded machine, the flush thread is sometimes late by more than its 50 ms.
constexpr int64_t kMaxLost = 2'000'000'000;

void check_killed(const std::string& path, const Killed& killed) {
  auto r = Reader::open(path);
  QCOMPARE(r->state(), State::kKilled);
  QVERIFY(!r->contents().end);
  QCOMPARE(r->contents().traces.size(), 13u);
  QCOMPARE(r->contents().graphs.size(), 37u);
  QCOMPARE(r->contents().run.script, std::string("/home/ada/retracing.py"));
  QVERIFY(r->op_events().rows() > 4500);
  QVERIFY(r->contents().console.size() > 13);
  const int64_t lost = killed.last_said - r->op_events().index().back().last_ns;
  qInfo("killed: the last %.1f ms are missing", static_cast<double>(lost) / 1e6);
  QVERIFY2(lost < kMaxLost, std::to_string(lost).c_str());
  uint64_t rows = 0;
  for (size_t i = 0; i < r->op_events().index().size(); ++i) rows += r->op_events().chunk(i)->size();
  QCOMPARE(rows, r->op_events().rows());
}

QStringList listing(const QString& folder) {
  QStringList out;
  for (const QFileInfo& f : QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
    out << f.fileName() + " " + QString::number(f.size()) + " " + f.lastModified().toString(Qt::ISODateWithMs);
  return out;
}

}  // namespace

class TestSessionLive : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::string at(const char* name) { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void init() { QVERIFY(folder_.isValid()); }

  void a_killed_run_keeps_all_but_its_last_moment() {
    const std::string path = at("killed.footlight");
    const Killed killed = write_and_kill(path, 400);
    QVERIFY(killed.last_said > 0);
    check_killed(path, killed);

    // Copied together with the files beside it.
    const QString copy = folder_.filePath("copy");
    QVERIFY(QDir().mkpath(copy));
    for (const QFileInfo& f : QDir(folder_.path()).entryInfoList({"killed.footlight*"}, QDir::Files))
      QVERIFY(QFile::copy(f.filePath(), copy + "/" + f.fileName()));
    check_killed((copy + "/killed.footlight").toStdString(), killed);

    // From a read-only folder; root could write there, but nothing is written either.
    const QStringList before = listing(copy);
    QVERIFY(QFile::setPermissions(copy + "/killed.footlight", QFile::ReadOwner));
    QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::ExeOwner));
    check_killed((copy + "/killed.footlight").toStdString(), killed);
    QCOMPARE(listing(copy), before);
    QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));

    // Made into one SQLite file by a user who may write.
    const std::string recovered = at("recovered.footlight");
    finish_log(path, recovered);
    auto r = Reader::open(recovered);
    QCOMPARE(r->state(), State::kKilled);
    QCOMPARE(r->contents().traces.size(), 13u);
    QCOMPARE(r->op_events().rows(), Reader::open(path)->op_events().rows());
  }

  void a_live_session_is_followed_to_its_end() {
    const std::string path = at("live.footlight");
    auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
    auto reader = Reader::open(path);
    QCOMPARE(reader->state(), State::kLive);
    QCOMPARE(reader->contents().run.script, std::string("/home/ada/retracing.py"));
    QVERIFY(!reader->refresh());
    writer->add(ConsoleRecord{1, ConsoleStream::kStdout, "one\n"});
    writer->flush();
    Changes changes = reader->refresh();
    QVERIFY(changes.records && !changes.chunks && !changes.state);
    QCOMPARE(reader->contents().console.size(), 1u);
    sample::write_session(*writer);
    writer->flush();
    changes = reader->refresh();
    QVERIFY(changes.records && changes.chunks && !changes.state);
    QCOMPARE(reader->op_events().rows(), 4500u);
    QVERIFY(!reader->refresh());
    writer->add_rows(one_event(1, 5));
    QVERIFY(writer->finish({9, 7, 0, "finished"}).one_file);
    changes = reader->refresh();  // by now the path names another file
    QVERIFY(changes.records && changes.chunks && changes.state);
    QCOMPARE(reader->state(), State::kFinished);
    QCOMPARE(reader->contents().end->exit_code, 7);
    QCOMPARE(reader->op_events().rows(), 4501u);
    QCOMPARE(reader->op_events().chunk(0)->size(), reader->op_events().index()[0].count);
    QVERIFY(!reader->refresh());
    QCOMPARE(Reader::open(path)->op_events().rows(), 4501u);
  }

  void the_death_of_the_writer_is_noticed() {
    const std::string path = at("dies.footlight");
    int pipe_ends[2];
    QCOMPARE(pipe(pipe_ends), 0);
    const pid_t child = in_process("writer", path, pipe_ends[1]);
    int64_t said;
    QCOMPARE(read(pipe_ends[0], &said, sizeof said), ssize_t(sizeof said));
    auto reader = Reader::open(path);
    QCOMPARE(reader->state(), State::kLive);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Changes changes = reader->refresh();
    QVERIFY(changes.state);
    QCOMPARE(reader->state(), State::kKilled);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
  }

  // As the recording command works: one process runs the script, the other keeps the console and the end.
  void two_processes_write_one_session() {
    const std::string path = at("two.footlight");
    auto between = Writer::create(path, sample::run_record(), RecordingLevel::kOps);
    between->rest();
    QCOMPARE(Reader::open(path)->state(), State::kLive);  // not killed, though nobody is writing right now
    const pid_t child = in_process("crash", path);
    auto writer = Writer::attach(path);
    between.reset();
    for (int i = 0; i < 200; ++i) {
      writer->add(ConsoleRecord{i, ConsoleStream::kStdout, std::string(5000, 'x') + "\n"});
      if (i % 10 == 0) writer->flush();
    }
    int status = 0;
    waitpid(child, &status, 0);
    QVERIFY(writer->finish({5, 0, SIGSEGV, "crashed"}).one_file);
    auto r = Reader::open(path);
    QCOMPARE(r->contents().console.size(), 213u);
    QCOMPARE(r->contents().traces.size(), 13u);
    QCOMPARE(r->op_events().rows(), 4500u);
    QCOMPARE(r->contents().end->signal, SIGSEGV);
    QCOMPARE(r->damage(), std::string());
    // Nobody can join a session that is over.
    QCOMPARE(kind_thrown([&] { Writer::attach(path); }), ErrorKind::kFailedPrecondition);
  }

  // One of the writers is killed in the middle of a write; the other goes on after the torn frame.
  void a_torn_frame_in_the_middle_costs_only_itself() {
    const std::string path = at("torn.footlight");
    auto writer = Writer::create(path, {}, RecordingLevel::kOps);
    writer->add(ConsoleRecord{1, ConsoleStream::kStdout, "before"});
    writer->flush();
    auto reader = Reader::open(path);
    std::string frame;
    append_frame(frame, std::string(3000, 'z'));
    Descriptor raw(open(path.c_str(), O_WRONLY | O_APPEND));
    QCOMPARE(write(raw.get(), frame.data(), 1000), 1000);
    reader->refresh();
    QCOMPARE(reader->contents().console.size(), 1u);
    for (int i = 0; i < 5; ++i) {
      writer->add(ConsoleRecord{2 + i, ConsoleStream::kStdout, std::string(1000, 'a')});
      writer->flush();
      reader->refresh();
    }
    QCOMPARE(reader->contents().console.size(), 6u);
    QCOMPARE(Reader::open(path)->contents().console.size(), 6u);
    QVERIFY(writer->finish({}).one_file);
    QCOMPARE(Reader::open(path)->contents().console.size(), 6u);
  }

  void over_the_size_cap_is_dropped_counted_and_said() {
    const std::string path = at("cap.footlight");
    WriterOptions options;
    options.size_cap = 200'000;
    auto writer = Writer::create(path, sample::run_record(), RecordingLevel::kOps, options);
    std::mt19937 random(1);
    uint64_t written = 0, lines = 0;
    for (int i = 0; i < 100; ++i) {
      OpColumns events;
      for (uint32_t k = 0; k < 5000; ++k) {
        const uint32_t n = static_cast<uint32_t>(i) * 5000 + k;
        const int64_t start = int64_t{n} * 977 + random() % 512;
        events.append(0, n, op_of(OpId(), start, start + random() % 900));
      }
      writer->add_rows(events);
      written += events.size();
      writer->add(ConsoleRecord{i, ConsoleStream::kStdout, "still here\n"});
      ++lines;
      writer->flush();
    }
    const auto check = [&](const Reader& r) {
      uint64_t dropped = 0;
      for (const DroppedRecord& d : r.contents().dropped) {
        QCOMPARE(d.what, std::string("op events"));
        QCOMPARE(d.why, std::string("the recording reached its size limit"));
        dropped += d.count;
      }
      QVERIFY(dropped > 0);
      QCOMPARE(r.op_events().rows() + dropped, written);
      QCOMPARE(r.contents().console.size(), lines);  // rare records still fit
    };
    QVERIFY(QFileInfo(QString::fromStdString(path)).size() < 220'000);
    check(*Reader::open(path));
    QVERIFY(writer->finish({1, 0, 0, "finished"}).one_file);
    check(*Reader::open(path));
    QVERIFY(Reader::open(path)->contents().end);
  }

  // The system refuses to let the file grow, as on a full disk; the end of the run is recorded all the same.
  void a_full_disk_is_survived_and_said() {
    const std::string path = at("full.footlight");
    const pid_t child = in_process("full disk", path);
    int status = 0;
    waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
    auto r = Reader::open(path);
    QCOMPARE(r->state(), State::kFinished);
    QVERIFY(r->contents().end);
    QCOMPARE(r->contents().end->exit_code, 4);
    QCOMPARE(r->op_events().rows(), 4500u);
    uint64_t dropped = 0;
    for (const DroppedRecord& d : r->contents().dropped)
      if (d.what == "console lines" && d.why == "the file reached the largest size allowed here") dropped += d.count;
    QVERIFY(dropped > 0);
    QCOMPARE(r->contents().console.size() + dropped, 2013u);
    QVERIFY(!QFile::exists(QString::fromStdString(path) + ".finishing"));
    // Once there is room it becomes one file, and the drops are still counted.
    finish_log(path, path);
    r = Reader::open(path);
    QCOMPARE(r->contents().end->exit_code, 4);
    uint64_t again = 0;
    for (const DroppedRecord& d : r->contents().dropped) again += d.count;
    QVERIFY(again >= dropped);
  }

  void a_disk_that_is_too_slow_drops_and_counts() {
    const std::string path = at("slow.footlight");
    WriterOptions options;
    options.flush_ms = 60'000;  // nothing leaves the queue meanwhile
    options.queue_cap = 10'000;
    auto writer = Writer::create(path, {}, RecordingLevel::kStructure, options);
    constexpr int kLines = 3000;
    for (int i = 0; i < kLines; ++i) writer->add(ConsoleRecord{i, ConsoleStream::kStdout, std::string(2000, 'q')});
    writer->finish({});
    auto r = Reader::open(path);
    uint64_t dropped = 0;
    for (const DroppedRecord& d : r->contents().dropped) dropped += d.count;
    QVERIFY(dropped > 0);
    QCOMPARE(r->contents().console.size() + dropped, size_t(kLines));
  }

  // A program that closes descriptors gets the log's numbers for files of its own: the log must not write into those.
  void closed_descriptors_are_no_longer_the_logs() {
    const std::string path = at("closed.footlight");
    LogFile log = LogFile::create(path, 1);
    int error = 0;
    std::string frame;
    append_frame(frame, "before");
    QCOMPARE(log.append(frame, error), frame.size());
    std::vector<std::string> theirs;
    std::vector<int> descriptors;
    for (const int number : log.descriptors()) {
      theirs.push_back(at("theirs") + std::to_string(number));
      const int file = open(theirs.back().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      QVERIFY(dup3(file, number, O_CLOEXEC) == number);
      close(file);
      descriptors.push_back(number);
    }
    QVERIFY(log.at_path() == LogFile::AtPath::kTheLog);
    QCOMPARE(log.append(frame, error), frame.size());  // opens the path again
    QVERIFY(log.write_slot("left out"));
    log.abandon();
    for (size_t i = 0; i < theirs.size(); ++i) {
      QCOMPARE(QFileInfo(QString::fromStdString(theirs[i])).size(), 0);
      QCOMPARE(close(descriptors[i]), 0);  // the log did not close it either
    }
    std::vector<std::string> payloads;
    LogScanner scanner(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)));
    scanner.scan(true, [&](std::string_view payload, int64_t) { payloads.emplace_back(payload); });
    QCOMPARE(payloads, (std::vector<std::string>{"before", "before"}));

    // If the path names another file by then, the loss is reported.
    LogFile gone = LogFile::attach(path);
    const std::vector<int> numbers = gone.descriptors();
    for (const int number : numbers) close(number);
    unlink(path.c_str());
    QFile(QString::fromStdString(path)).open(QIODevice::WriteOnly);
    QVERIFY(gone.at_path() == LogFile::AtPath::kAnotherFile);
    QCOMPARE(gone.append(frame, error), size_t{0});
    QCOMPARE(error, EBADF);
    QCOMPARE(QFileInfo(QString::fromStdString(path)).size(), 0);
  }

  // The flush thread has its own descriptor table: the program does not even see the numbers.
  void own_descriptors_are_out_of_reach() {
    const std::string path = at("own.footlight");
    const int free_number = dup(2);
    close(free_number);
    WriterOptions options;
    options.own_descriptors = true;
    auto writer = Writer::create(path, {}, RecordingLevel::kOps, options);
    const int number = dup(2);
    close(number);
    QCOMPARE(number, free_number);
    QCOMPARE(Reader::open(path)->state(), State::kLive);
    writer->add(ConsoleRecord{1, ConsoleStream::kStdout, "line"});
    QVERIFY(writer->finish({}).one_file);
    QCOMPARE(Reader::open(path)->contents().console.size(), 1u);
  }

  // A file that takes the place of the session is not touched; the session is kept all the same.
  void a_session_that_is_removed_or_replaced() {
    const std::string path = at("removed.footlight");
    auto writer = Writer::create(path, {}, RecordingLevel::kOps);
    unlink(path.c_str());
    writer->add(ConsoleRecord{1, ConsoleStream::kStdout, "line"});
    Writer::Finished done = writer->finish({});
    QVERIFY(!done.one_file);
    QVERIFY2(done.words.find("was removed while it was recorded; it is saved") != done.words.npos, done.words.c_str());
    QCOMPARE(Reader::open(path)->contents().console.size(), 1u);

    writer = Writer::create(path, {}, RecordingLevel::kOps);
    unlink(path.c_str());
    {
      QFile mine(QString::fromStdString(path));
      QVERIFY(mine.open(QIODevice::WriteOnly));
      mine.write("mine");
    }
    done = writer->finish({});
    QVERIFY2(done.words.find("another file took the place of the recording") != done.words.npos, done.words.c_str());
    QFile mine(QString::fromStdString(path));
    QVERIFY(mine.open(QIODevice::ReadOnly));
    QCOMPARE(mine.readAll(), QByteArray("mine"));
    QVERIFY(Reader::open(path + ".recorded")->contents().end);

    // Removed with its folder: no message may claim that a log is left to open.
    const std::string folder = at("folder");
    QVERIFY(QDir().mkdir(QString::fromStdString(folder)));
    writer = Writer::create(folder + "/gone.footlight", {}, RecordingLevel::kOps);
    QVERIFY(QDir(QString::fromStdString(folder)).removeRecursively());
    done = writer->finish({});
    QVERIFY(!done.one_file);
    QVERIFY2(done.words.find("the recording is lost") != done.words.npos, done.words.c_str());
  }

  // Code can name anything as its file.
  void only_regular_files_are_read_as_sources() {
    const std::string path = at("sources.footlight"), fifo = at("fifo.py"), text = at("text.py");
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    {
      QFile file(QString::fromStdString(text));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("x = 1\n");
    }
    auto writer = Writer::create(path, {}, RecordingLevel::kOps);
    for (const std::string& name : {fifo, std::string("/dev/zero"), at("missing.py"), text}) writer->file(name);
    QVERIFY(writer->finish({}).one_file);
    const auto reader = Reader::open(path);
    QCOMPARE(reader->contents().files.size(), 4u);
    for (const FileRecord& file : reader->contents().files)
      QCOMPARE(file.text, std::string(file.path == text ? "x = 1\n" : ""));
  }

  void where_nothing_can_be_written_is_said() {
    const char* const path = "/nonexistent/folder/s.footlight";
    std::string message;
    QCOMPARE(kind_thrown([&] { Writer::create(path, {}, RecordingLevel::kOps); }, &message), ErrorKind::kIo);
    QVERIFY(says(message, "/nonexistent/folder/s.footlight: No such file"));
  }

  // Many threads write records while a reader reads.
  void many_threads_write_while_one_reads() {
    const std::string path = at("threads.footlight");
    WriterOptions options;
    options.flush_ms = 1;
    auto writer = Writer::create(path, {}, RecordingLevel::kOps, options);
    auto reader = Reader::open(path);
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (uint32_t i = 0; i < 300; ++i) {
          writer->add(ConsoleRecord{i, ConsoleStream::kStdout, "x\n"});
          TraceRecord trace;
          trace.id = TraceId(t * 300 + i);
          writer->add(std::move(trace));
          writer->add_rows(one_event(t * 300 + i, i));
          writer->add(CallRecord{});
          writer->file("/no/such/file" + std::to_string(i % 10));
        }
      });
    }
    std::atomic<bool> done{false};
    std::thread joiner([&] {
      for (std::thread& t : threads) t.join();
      writer->flush();
      done = true;
    });
    while (!done) {
      reader->refresh();
      if (!reader->op_events().index().empty()) reader->op_events().chunk(reader->op_events().index().size() - 1);
    }
    joiner.join();
    reader->refresh();
    QCOMPARE(reader->contents().console.size(), 1200u);
    QCOMPARE(reader->contents().traces.size(), 1200u);
    QCOMPARE(reader->contents().files.size(), 10u);
    QCOMPARE(reader->op_events().rows(), 1200u);
    QCOMPARE(reader->calls().rows(), 1200u);
  }
};

int main(int argc, char** argv) {
  if (argc == 5 && std::string_view(argv[1]) == "--as") {
    const std::string_view role = argv[2];
    if (role == "writer") write_until_killed(argv[3], std::atoi(argv[4]));
    if (role == "crash") write_and_crash(argv[3]);
    return role == "full disk" ? write_on_a_full_disk(argv[3]) : 97;
  }
  QCoreApplication app(argc, argv);
  TestSessionLive test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_session_live.moc"
