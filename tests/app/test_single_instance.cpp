// One window per file: the second start finds the first, another file does not, and a crash leaves nothing in the way.
#include "app/single_instance.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace footlight::app;

class SingleInstanceTest : public QObject {
  Q_OBJECT

  // As a second process does: the first one goes on with its events.
  static bool raises(const QString& file) {
    bool found = false;
    QThread* thread = QThread::create([&] { found = SingleInstance::raise_other(file); });
    thread->start();
    while (!thread->wait(5)) QCoreApplication::processEvents();
    delete thread;
    return found;
  }
  static bool shows(SingleInstance& window, const QString& file) {
    bool done = false;
    QThread* thread = QThread::create([&] { done = SingleInstance().show(file); });
    thread->start();
    while (!thread->wait(5)) QCoreApplication::processEvents();
    delete thread;
    return window.file() == file && done;
  }

 private Q_SLOTS:
  void the_second_start_raises_the_first() {
    const QString file = QStringLiteral("/tmp/one-%1.py").arg(getpid());
    QVERIFY(!raises(file));
    SingleInstance first;
    QVERIFY(first.show(file));
    QSignalSpy raised(&first, &SingleInstance::raise_asked);
    QVERIFY(raises(file));
    QCOMPARE(raised.size(), 1);
    QVERIFY(!raises(file + QStringLiteral("x")));
    struct stat status {};
    QCOMPARE(stat(SingleInstance::socket_path(file).toUtf8().constData(), &status), 0);
    QCOMPARE(status.st_mode & 077u, 0u);  // for the user alone
  }

  // However the window came to show it: a later file is found there, the earlier one no more.
  void a_window_answers_for_what_it_shows() {
    const QString file = QStringLiteral("/tmp/three-%1.py").arg(getpid()), other = file + QStringLiteral("o");
    SingleInstance first;
    QVERIFY(first.show(file));
    QVERIFY(first.show(other));
    QVERIFY(!raises(file));
    QVERIFY(raises(other));
    // A second window with the same file leaves it to the first, which goes on answering.
    QSignalSpy raised(&first, &SingleInstance::raise_asked);
    QVERIFY(!shows(first, other));
    QCOMPARE(raised.size(), 0);
    QVERIFY(raises(other));
    QCOMPARE(raised.size(), 1);
  }

  void what_a_crash_left_is_no_obstacle() {
    const QString file = QStringLiteral("/tmp/two-%1.py").arg(getpid());
    const QByteArray path = SingleInstance::socket_path(file).toUtf8();
    const int left = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    QVERIFY(static_cast<size_t>(path.size()) < sizeof address.sun_path);
    std::copy(path.begin(), path.end(), address.sun_path);
    QCOMPARE(bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(left);
    QVERIFY(QFile::exists(SingleInstance::socket_path(file)));
    QVERIFY(!raises(file));
    SingleInstance second;
    QVERIFY(second.show(file));
    QVERIFY(raises(file));
  }
};

QTEST_MAIN(SingleInstanceTest)
#include "test_single_instance.moc"
