// Catches exceptions between Qt and the code that it calls.
#include "app/views/guarded_application.h"

#include "engine/base/errors.h"

#include <QTextStream>

#include <exception>
#include <new>

namespace footlight::app {
namespace {
constexpr qint64 kSameAgainMs = 2000;  // an error in painting repeats as often as it is painted
}  // namespace

bool GuardedApplication::notify(QObject* receiver, QEvent* event) {
  try {
    return QApplication::notify(receiver, event);
  } catch (const std::bad_alloc&) {
    report(QStringLiteral("There was not enough memory for the last action, so its result is not shown."));
  } catch (const Error& e) {
    report(QString::fromUtf8(e.what()));
  } catch (const std::exception& e) {
    report(QStringLiteral("An internal error occurred; Footlight continues. Please report it: ") +
           QString::fromUtf8(e.what()));
  } catch (...) {
    report(QStringLiteral("An internal error occurred; Footlight continues. Please report it."));
  }
  return true;
}

QString GuardedApplication::failure() const {
  const QMutexLocker lock(&mutex_);
  return last_;
}

void GuardedApplication::report(const QString& what) {
  {
    const QMutexLocker lock(&mutex_);
    if (what == last_ && since_.isValid() && since_.elapsed() < kSameAgainMs) return;
    last_ = what;
    since_.start();
  }
  QTextStream(stderr) << "footlight-app: " << what << '\n';
  // Queued, because painting or another thread may have failed.
  QMetaObject::invokeMethod(this, [this, what] { Q_EMIT failed(what); }, Qt::QueuedConnection);
}

}  // namespace footlight::app
