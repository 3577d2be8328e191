// Opening, following and refusing session files; starting, stopping and losing a worker.
#include "tests/app/sample.h"
#include "tests/app/stand_in.h"

#include "app/session/session.h"
#include "app/session/watcher.h"
#include "app/session/worker.h"

#include "engine/session/writer.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>

using namespace footlight;
using namespace footlight::app;

class SessionTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString at(const char* name) { return folder_.filePath(QLatin1String(name)); }

  void fake_worker(const QByteArray& text) { install_stand_in(folder_.path(), text); }
  RunRequest request() {
    RunRequest r;
    r.script = at("script.py");
    r.session = at("out.footlight");
    write_file(r.script, "pass\n");
    return r;
  }

 private Q_SLOTS:
  void opens_a_finished_one() {
    write_sample_session(at("done.footlight"));
    Session session;
    QSignalSpy opened(&session, &Session::opened);
    session.open(at("done.footlight"));
    QVERIFY(opened.wait(20000));
    QTRY_VERIFY(!session.loading());
    const Document& d = session.document();
    const Document wanted = sample_document();
    QCOMPARE(d.functions.size(), wanted.functions.size());
    QCOMPARE(d.traces.size(), wanted.traces.size());
    QCOMPARE(d.calls, wanted.calls);
    QCOMPARE(d.events, wanted.events);
    QVERIFY(d.calls_of(FunctionId(1)) == wanted.calls_of(FunctionId(1)));
    QVERIFY(d.calls_of(TraceId(12)) == wanted.calls_of(TraceId(12)));
    QCOMPARE(d.first_ns(), wanted.first_ns());
    QCOMPARE(d.last_ns(), wanted.last_ns());
    QCOMPARE(d.console.size(), wanted.console.size());
    QCOMPARE(d.place_text(d.place({CodeId(1), 17})), QStringLiteral("train.py:17"));
    QVERIFY(d.end.has_value());
    QCOMPARE(QString::fromStdString(d.op(OpId(0)).name), QStringLiteral("MatMul"));
  }

  void opens_the_sample_that_comes_with_it() {
    Session session;
    session.open(QStringLiteral(FOOTLIGHT_SAMPLES "/retracing.footlight"));
    QTRY_VERIFY_WITH_TIMEOUT(session.is_open() && !session.loading(), 20000);
    const Document& d = session.document();
    const auto step = std::find_if(d.functions.begin(), d.functions.end(),
                                   [](const auto& f) { return f.name == "train_step"; });
    QVERIFY(step != d.functions.end());
    QCOMPARE(d.traces_of(step->id).size(), size_t{12});
    QVERIFY(d.events > 1000);
    QVERIFY(d.end.has_value());
  }

  void follows_one_that_is_written() {
    const QString path = at("live.footlight");
    const SampleRun run = sample_run();
    const Document& sample = run.document;
    Session session;
    session.open(path, true);  // not there yet
    QTest::qWait(150);
    QVERIFY(!session.is_open());
    auto w = session::Writer::create(path.toStdString(), sample.run, RecordingLevel::kOps);
    w->add(sample.functions[0]);
    w->flush();
    QTRY_VERIFY(session.is_open());
    QTRY_COMPARE(session.document().functions.size(), size_t{1});
    QVERIFY(session.document().live);
    w->add(sample.functions[1]);
    for (const auto& t : sample.traces) w->add(t);
    w->add_rows(run.calls);
    w->flush();
    QTRY_COMPARE(session.document().traces.size(), sample.traces.size());
    QTRY_COMPARE(session.document().calls, sample.calls);
    w->finish(*sample.end);
    QTRY_VERIFY(session.document().end.has_value());
    QVERIFY(!session.document().live);
    QCOMPARE(session.document().calls, sample.calls);
    QVERIFY(session.document().calls_of(FunctionId(1)) == sample.calls_of(FunctionId(1)));
  }

  // A trace is written when it begins and again when it has ended; only what is new is handed to the window.
  void a_record_that_changes_comes_again() {
    const SampleRun run = sample_run();
    auto w = session::Writer::create(at("changes.footlight").toStdString(), run.document.run, RecordingLevel::kOps);
    session::TraceRecord open = run.document.traces[0];
    open.end_ns = 0;
    w->add(open);
    for (const auto& f : run.document.functions) w->add(f);
    w->flush();
    auto questions = std::make_shared<Questions>();
    Loader loader(questions);
    std::vector<std::shared_ptr<Batch>> batches;
    connect(&loader, &Loader::batch, this, [&](const std::shared_ptr<Batch>& b) {
      batches.push_back(b);
      loader.taken();
    });
    loader.open(at("changes.footlight"), true);
    QCOMPARE(batches.size(), size_t{1});
    QCOMPARE(batches[0]->traces.size(), size_t{1});
    QCOMPARE(batches[0]->functions.size(), size_t{2});
    w->add(run.document.traces[0]);
    w->add(run.document.traces[1]);
    w->flush();
    loader.poll();
    QTRY_COMPARE(batches.size(), size_t{2});
    QCOMPARE(batches[1]->traces.size(), size_t{2});
    QVERIFY(batches[1]->functions.empty());
    w->add(session::ConsoleRecord{1, session::ConsoleStream::kStdout, "more"});
    w->flush();
    loader.poll();
    QTRY_COMPARE(batches.size(), size_t{3});
    QVERIFY(batches[2]->traces.empty() && batches[2]->functions.empty());
    QCOMPARE(batches[2]->console.size(), size_t{1});
    Document d;
    for (const auto& b : batches) apply(Batch(*b), d);
    QCOMPARE(d.traces.size(), size_t{2});
    QCOMPARE(d.traces[0].end_ns, run.document.traces[0].end_ns);
    w->close();
  }

  void questions_are_answered_in_turn() {
    write_sample_session(at("asked.footlight"));
    Session session;
    session.open(at("asked.footlight"));
    Queries& queries = session.queries();
    QueryHandle first, second, third, gone;
    std::vector<int> answers;
    const auto sum = [](const query::Store& store, const query::Cancel&) { return store.of_op(OpId(0)).count; };
    QTRY_VERIFY(session.is_open() && !session.loading());
    // A question that is withdrawn, or replaced by another with the same ticket, is never answered.
    queries.ask(gone, sum, [&](uint64_t) { answers.push_back(0); });
    gone.withdraw();
    queries.ask(first, sum, [&](uint64_t) { answers.push_back(1); });
    queries.ask(first, sum, [&](uint64_t count) {
      answers.push_back(2);
      QCOMPARE(count, uint64_t{24});
    });
    // A short question overtakes a long one that is running.
    std::atomic<bool> under_way{false}, short_done{false};
    bool in_time = false;
    queries.ask(
        second,
        [&](const query::Store&, const query::Cancel& cancel) {
          under_way = true;
          for (int i = 0; i < 5000 && !short_done; ++i) {
            cancel.check();
            QThread::msleep(1);
          }
          return short_done.load();
        },
        [&](bool done_first) {
          in_time = done_first;
          answers.push_back(3);
        },
        Queries::kLong);
    QTRY_VERIFY(under_way);
    queries.ask(third,
                [&](const query::Store& store, const query::Cancel&) {
                  short_done = true;
                  return store.op_rows();
                },
                [&](uint64_t) { answers.push_back(4); });
    QTRY_COMPARE(answers.size(), size_t{3});
    QVERIFY(in_time);
    QCOMPARE(answers, (std::vector<int>{2, 4, 3}));
    QCOMPARE(queries.waiting(), size_t{0});
    // A question that takes longer than half a second is reported; opening another session withdraws it.
    QSignalSpy busy(&queries, &Queries::busy_changed);
    queries.ask(
        second,
        [](const query::Store&, const query::Cancel& cancel) {
          while (true) {
            cancel.check();
            QThread::msleep(1);
          }
          return 0;
        },
        [&](int) { answers.push_back(5); }, Queries::kLong);
    QTRY_COMPARE(busy.size(), 1);
    QVERIFY(queries.busy());
    session.open(at("asked.footlight"));
    QVERIFY(!queries.busy());
    QTRY_VERIFY(session.is_open() && !session.loading());
    QCOMPARE(answers.size(), size_t{3});
  }

  void says_what_is_wrong_with_a_file() {
    write_file(at("bad.footlight"), "this is no session, whatever its name says");
    Session session;
    QSignalSpy failed(&session, &Session::failed);
    session.open(at("bad.footlight"));
    QVERIFY(failed.wait(20000));
    QVERIFY(!failed[0][1].toString().isEmpty());
    QVERIFY(!session.is_open());
  }

  void another_file_takes_over_at_once() {
    write_sample_session(at("a.footlight"));
    Session session;
    for (int i = 0; i < 20; ++i) session.open(at("a.footlight"));
    QTRY_VERIFY(session.is_open() && !session.loading());
    QCOMPARE(session.document().functions.size(), size_t{2});
    // What was on its way from an earlier one changes nothing, and its thread ends, though nobody waited for it.
    write_file(at("bad.footlight"), "this is no session");
    QSignalSpy opened(&session, &Session::opened), failed(&session, &Session::failed);
    for (int i = 0; i < 20; ++i) {
      session.open(at(i % 2 ? "bad.footlight" : "a.footlight"));
      QTest::qSleep(i % 5);
    }
    session.close();
    QCOMPARE(opened.count(), 1);
    QTRY_COMPARE(session.threads(), size_t{0});
    QVERIFY(!session.is_open() && session.document().functions.empty());
    QCOMPARE(opened.count(), 1);
    QCOMPARE(failed.count(), 0);
  }

  void worker_is_told_to_stop_over_its_descriptor() {
    fake_worker(
        "import sys, os\n"
        "fd = int(sys.argv[sys.argv.index('--commands') + 1])\n"
        "print('script', sys.argv[-2:], os.getpgid(0) == os.getpid(), flush=True)\n"
        "word = os.read(fd, 100)\n"
        "sys.exit(0 if word == b'stop\\n' else 3)\n");
    Worker worker;
    QSignalSpy started(&worker, &Worker::started), finished(&worker, &Worker::finished);
    RunRequest r = request();
    r.arguments = {QStringLiteral("--epochs")};
    worker.start(r);
    QVERIFY(started.wait(20000));
    QTRY_VERIFY(worker.printed().contains(QStringLiteral("True")));
    QVERIFY(worker.printed().contains(QStringLiteral("--epochs")));
    worker.stop();
    QVERIFY(finished.wait(20000));
    QCOMPARE(finished[0][0].toInt(), 0);
    QCOMPARE(finished[0][1].toString(), QStringLiteral("Stopped"));
  }

  void a_worker_that_dies_is_told_of() {
    fake_worker("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n");
    Worker worker;
    QSignalSpy finished(&worker, &Worker::finished);
    worker.start(request());
    QVERIFY(finished.wait(20000));
    QCOMPARE(finished[0][0].toInt(), 128 + SIGSEGV);
    QVERIFY(finished[0][1].toString().contains(QStringLiteral("segmentation fault")));
  }

  void the_whole_group_is_killed() {
    fake_worker(
        "import subprocess, signal, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "p = subprocess.Popen(['sleep', '600'])\n"
        "print('child', p.pid, flush=True)\n"
        "time.sleep(600)\n");
    Worker worker;
    QSignalSpy finished(&worker, &Worker::finished);
    worker.start(request());
    QTRY_VERIFY_WITH_TIMEOUT(worker.printed().contains(QStringLiteral("child")), 20000);
    const pid_t child = static_cast<pid_t>(worker.printed().section(QLatin1Char(' '), 1, 1).toInt());
    QVERIFY(child > 0);
    worker.kill();
    QVERIFY(finished.wait(20000));
    // Nobody waits for the child, so it stays a zombie until init reaps it: that counts as dead.
    QTRY_VERIFY(::kill(child, 0) != 0 || [&] {
      QFile stat(QStringLiteral("/proc/%1/stat").arg(child));
      return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z");
    }());
  }

  void an_interpreter_that_is_not_there() {
    fake_worker("");
    Worker worker;
    QSignalSpy failed(&worker, &Worker::failed);
    RunRequest r = request();
    r.python = QStringLiteral("/nonexistent/python3");
    worker.start(r);
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("/nonexistent/python3")));
    r.python = QStringLiteral("/bin/false");
    worker.start(r);
    QTRY_COMPARE(failed.count(), 2);
    QVERIFY(failed[1][0].toString().contains(QStringLiteral("not a working Python")));
  }

  void an_engine_for_another_python() {
    fake_worker("");
    QDir package(folder_.filePath(QStringLiteral("package/footlight")));
    for (const QString& name : package.entryList({QStringLiteral("_engine*")})) package.remove(name);
    write_file(package.filePath(QStringLiteral("_engine.cpython-399-test.so")), "");
    Worker worker;
    QSignalSpy failed(&worker, &Worker::failed);
    worker.start(request());
    QVERIFY(failed.wait(20000));
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("built for 3.99")));
  }

  void saving_is_noticed_however_it_is_done() {
    const QString script = at("watched.py");
    write_file(script, "a = 1\n");
    SaveWatcher watcher;
    QSignalSpy saved(&watcher, &SaveWatcher::saved);
    watcher.watch({script});
    write_file(script, "a = 22\n");
    QVERIFY(saved.wait(20000));
    // As editors save: a new file replaces the old one.
    write_file(at("watched.tmp"), "a = 333\n");
    QVERIFY(::rename(at("watched.tmp").toLocal8Bit().constData(), script.toLocal8Bit().constData()) == 0);
    QTRY_COMPARE(saved.count(), 2);
    write_file(script, "a = 4444\n");
    QTRY_COMPARE(saved.count(), 3);
    watcher.watch({});
  }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "test_session.moc"
