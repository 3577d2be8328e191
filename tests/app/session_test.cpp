// Opening, following and refusing session files; starting, stopping and losing a worker.
#include "tests/app/sample.h"

#include "app/session/session.h"
#include "app/session/watcher.h"
#include "app/session/worker.h"

#include "engine/session/writer.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace footlight;
using namespace footlight::app;

namespace {

void write(const QString& path, const QByteArray& text) {
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(text);
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString at(const char* name) { return folder_.filePath(QLatin1String(name)); }

  // A package `footlight_recorder` that is the given Python text: what the window has to do with is the process.
  void fake_worker(const QByteArray& text) {
    const QString package = folder_.filePath(QStringLiteral("package/footlight"));
    QDir().mkpath(package);
    write(package + QStringLiteral("/__init__.py"), "");
    const QString recorder = folder_.filePath(QStringLiteral("package/footlight_recorder"));
    QDir().mkpath(recorder);
    write(recorder + QStringLiteral("/__init__.py"), "");
    write(recorder + QStringLiteral("/__main__.py"), text);
    const QString version = [] {
      QProcess p;
      p.start(QStringLiteral("python3"),
              {QStringLiteral("-c"), QStringLiteral("import sys; print('%d%d' % sys.version_info[:2])")});
      p.waitForFinished();
      return QString::fromUtf8(p.readAllStandardOutput()).trimmed();
    }();
    write(package + QStringLiteral("/_engine.cpython-") + version + QStringLiteral("-test.so"), "");
    qputenv("FOOTLIGHT_PACKAGE", folder_.filePath(QStringLiteral("package")).toUtf8());
  }
  RunRequest request() {
    RunRequest r;
    r.script = at("script.py");
    r.session = at("out.footlight");
    write(r.script, "pass\n");
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
    QCOMPARE(d.calls.size(), wanted.calls.size());
    QCOMPARE(d.event_count(), wanted.event_count());
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
    QVERIFY(d.event_count() > 1000);
    QVERIFY(d.end.has_value());
  }

  void follows_one_that_is_written() {
    const QString path = at("live.footlight");
    const Document sample = sample_document();
    Session session;
    session.open(path, true);  // not there yet
    QTest::qWait(150);
    QVERIFY(!session.is_open());
    auto w = session::Writer::create(path.toStdString(), sample.run, RecordingLevel::kOps);
    w->add_function(sample.functions[0]);
    w->flush();
    QTRY_VERIFY(session.is_open());
    QTRY_COMPARE(session.document().functions.size(), size_t{1});
    QVERIFY(session.document().live);
    w->add_function(sample.functions[1]);
    for (const auto& t : sample.traces) w->add_trace(t);
    w->add_calls(sample.calls);
    w->flush();
    QTRY_COMPARE(session.document().traces.size(), sample.traces.size());
    QTRY_COMPARE(session.document().calls.size(), sample.calls.size());
    w->finish(*sample.end);
    QTRY_VERIFY(session.document().end.has_value());
    QVERIFY(!session.document().live);
    QCOMPARE(session.document().calls.size(), sample.calls.size());
  }

  void says_what_is_wrong_with_a_file() {
    write(at("bad.footlight"), "this is no session, whatever its name says");
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
    QCOMPARE(finished[0][1].toString(), QStringLiteral("stopped"));
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
    // A child that nobody waits for stays as a zombie until init takes it: dead it is all the same.
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
    write(package.filePath(QStringLiteral("_engine.cpython-399-test.so")), "");
    Worker worker;
    QSignalSpy failed(&worker, &Worker::failed);
    worker.start(request());
    QVERIFY(failed.wait(20000));
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("built for 3.99")));
  }

  void saving_is_noticed_however_it_is_done() {
    const QString script = at("watched.py");
    write(script, "a = 1\n");
    SaveWatcher watcher;
    QSignalSpy saved(&watcher, &SaveWatcher::saved);
    watcher.watch({script});
    write(script, "a = 22\n");
    QVERIFY(saved.wait(20000));
    // As editors do: a new file takes the place of the old one.
    write(at("watched.tmp"), "a = 333\n");
    QVERIFY(::rename(at("watched.tmp").toLocal8Bit().constData(), script.toLocal8Bit().constData()) == 0);
    QTRY_COMPARE(saved.count(), 2);
    write(script, "a = 4444\n");
    QTRY_COMPARE(saved.count(), 3);
    watcher.watch({});
  }
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
