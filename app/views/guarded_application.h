// The application: an exception that leaves a slot or an event handler would end the program in Qt. It is an error of
// ours; the window says so and goes on.
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QMutex>

namespace footlight::app {

class GuardedApplication : public QApplication {
  Q_OBJECT

 public:
  using QApplication::QApplication;

  // Qt calls this for every event, in the thread of the object that gets it.
  bool notify(QObject* receiver, QEvent* event) override;
  QString failure() const;  // the last one; empty: none

 Q_SIGNALS:
  void failed(const QString& text);  // once control is back in the event loop of the application's thread

 private:
  void report(const QString& what);

  mutable QMutex mutex_;
  QString last_;
  QElapsedTimer since_;
};

}  // namespace footlight::app
