// What fails in a slot, in painting or in another thread's slot is said in the window, and the program goes on.
#include "app/session/queries.h"
#include "app/views/guarded_application.h"
#include "app/views/main_window.h"

#include "engine/base/errors.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>

using namespace footlight;
using namespace footlight::app;

namespace {

void fail_check() { FL_CHECK(false && "forced by a test"); }

class FailingCanvas : public QWidget {
 public:
  int painted = 0;

 protected:
  void paintEvent(QPaintEvent*) override {
    ++painted;
    throw Error(ErrorKind::kDataLoss, "nothing to paint");
  }
};

}  // namespace

class GuardedApplicationTest : public QObject {
  Q_OBJECT

 private:
  static GuardedApplication& application() { return *static_cast<GuardedApplication*>(qApp); }

 private Q_SLOTS:
  void a_failed_check_in_a_slot_is_shown() {
    MainWindow window(false);
    connect(&application(), &GuardedApplication::failed, &window,
            [&](const QString& text) { window.show_banner(text); });
    window.show();
    QPushButton button;
    connect(&button, &QPushButton::clicked, this, [] { fail_check(); });
    button.show();
    QTest::mouseClick(&button, Qt::LeftButton);
    QTRY_VERIFY(window.banner_text().contains(QStringLiteral("forced by a test")));
    QVERIFY(window.banner_text().contains(QStringLiteral("report it")));
    QVERIFY(application().failure().contains(QStringLiteral("test_guarded_application.cpp")));
    // It goes on: the next slots run, the next event is handled.
    bool has_gone_on = false;
    QTimer::singleShot(0, &window, [&] { has_gone_on = true; });
    QTRY_VERIFY(has_gone_on);
  }

  void other_exceptions() {
    QSignalSpy failed(&application(), &GuardedApplication::failed);
    QTimer::singleShot(0, this, [] { throw std::bad_alloc(); });
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("not enough memory")));
    QTimer::singleShot(0, this, [] { throw Error(ErrorKind::kIo, "the disk is full"); });
    QTRY_COMPARE(failed.size(), 2);
    QCOMPARE(failed[1][0].toString(), QStringLiteral("the disk is full"));
    QTimer::singleShot(0, this, [] { throw 7; });
    QTRY_COMPARE(failed.size(), 3);
  }

  // Painting is tried again and again.
  void painting_fails_and_is_said_once() {
    QSignalSpy failed(&application(), &GuardedApplication::failed);
    FailingCanvas canvas;
    canvas.show();
    QTRY_VERIFY(canvas.painted > 0);
    for (int i = 0; i < 5; ++i) canvas.repaint();
    QVERIFY(canvas.painted > 1);
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].toString(), QStringLiteral("nothing to paint"));
  }

  void a_slot_in_another_thread() {
    QSignalSpy failed(&application(), &GuardedApplication::failed);
    QThread thread;
    auto* there = new QObject;
    there->moveToThread(&thread);
    connect(&thread, &QThread::finished, there, &QObject::deleteLater);
    thread.start();
    QMetaObject::invokeMethod(there, [] { throw std::logic_error("in the other thread"); }, Qt::QueuedConnection);
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("in the other thread")));
    thread.quit();
    QVERIFY(thread.wait());
  }

  // A query whose check fails leaves nobody waiting.
  void a_check_in_a_query() {
    QSignalSpy failed(&application(), &GuardedApplication::failed);
    Queries queries;
    auto questions = std::make_shared<Questions>();
    QObject there;
    const query::Store* none = nullptr;
    queries.serve(questions, [&] {
      QTimer::singleShot(0, &there, [questions, none] { questions->answer_one(none, Questions::kAll); });
    });
    QueryHandle ticket;
    bool was_taken = false;
    queries.ask(
        ticket,
        [](const query::Store&, const query::Cancel&) -> int { throw std::logic_error("check of a query"); },
        [&](int) { was_taken = true; });
    QTRY_COMPARE(failed.size(), 1);
    QTRY_COMPARE(queries.waiting(), size_t{0});
    QVERIFY(!was_taken && !ticket.waiting());
  }
};

int main(int argc, char** argv) {
  GuardedApplication application(argc, argv);
  GuardedApplicationTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "test_guarded_application.moc"
