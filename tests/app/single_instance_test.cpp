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
    QThread* thread = QThread::create([&] { found = SingleInstance(file).raise_other(); });
    thread->start();
    while (!thread->wait(5)) QCoreApplication::processEvents();
    delete thread;
    return found;
  }

 private Q_SLOTS:
  void the_second_start_raises_the_first() {
    const QString file = QStringLiteral("/tmp/one-%1.py").arg(getpid());
    QVERIFY(!raises(file));
    SingleInstance first(file);
    QVERIFY(first.listen());
    QSignalSpy raised(&first, &SingleInstance::raise_asked);
    QVERIFY(raises(file));
    QCOMPARE(raised.size(), 1);
    QVERIFY(!raises(file + QStringLiteral("x")));
    struct stat status {};
    QCOMPARE(stat(first.socket_path().toUtf8().constData(), &status), 0);
    QCOMPARE(status.st_mode & 077u, 0u);  // for the user alone
  }

  void what_a_crash_left_is_no_obstacle() {
    SingleInstance second(QStringLiteral("/tmp/two-%1.py").arg(getpid()));
    const QByteArray path = second.socket_path().toUtf8();
    const int left = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    QVERIFY(static_cast<size_t>(path.size()) < sizeof address.sun_path);
    std::copy(path.begin(), path.end(), address.sun_path);
    QCOMPARE(bind(left, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    close(left);
    QVERIFY(QFile::exists(second.socket_path()));
    QVERIFY(!second.raise_other());
    QVERIFY(second.listen());
  }
};

QTEST_MAIN(SingleInstanceTest)
#include "single_instance_test.moc"
