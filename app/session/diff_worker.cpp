// One thread; a comparison that was cancelled ends soon, and its result is dropped.
#include "app/session/diff_worker.h"

#include "engine/base/errors.h"

#include <QMetaObject>

namespace footlight::app {

DiffWorker::DiffWorker(QObject* parent) : QObject(parent) { threads_.setMaxThreadCount(1); }

DiffWorker::~DiffWorker() {
  cancel();
  threads_.waitForDone();  // the thread calls back
}

void DiffWorker::cancel() {
  if (stop_) *stop_ = true;
  stop_.reset();
  running_ = false;
}

void DiffWorker::start(DiffInput input) {
  cancel();
  running_ = true;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  threads_.start([this, stop = stop_, input = std::move(input)]() mutable {
    std::shared_ptr<const GraphsDiff> diff;
    QString reason;
    try {
      diff = GraphsDiff::make(std::move(input), [&stop] {
        if (*stop) throw Error(ErrorKind::kCancelled, "cancelled");
      });
    } catch (const std::exception& e) {
      reason = QString::fromUtf8(e.what());
    }
    QMetaObject::invokeMethod(this, [this, stop, diff, reason] { done(stop, diff, reason); }, Qt::QueuedConnection);
  });
}

void DiffWorker::done(const Stop& stop, std::shared_ptr<const GraphsDiff> diff, const QString& reason) {
  if (stop != stop_) return;
  stop_.reset();
  running_ = false;
  if (diff) Q_EMIT finished(diff);
  else Q_EMIT failed(reason);
}

}  // namespace footlight::app
