// Compares two graphs in a thread of its own, so that large ones never hold up the window.
#pragma once

#include "app/models/diff_graphs.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <memory>

namespace footlight::app {

class DiffWorker : public QObject {
  Q_OBJECT

 public:
  explicit DiffWorker(QObject* parent = nullptr);
  ~DiffWorker() override;

  // Cancels a comparison that is under way.
  void start(DiffInput input);
  void cancel();
  bool running() const { return running_; }

 Q_SIGNALS:
  void finished(std::shared_ptr<const footlight::app::GraphsDiff> diff);
  void failed(const QString& reason);

 private:
  using Stop = std::shared_ptr<std::atomic<bool>>;
  void done(const Stop& stop, std::shared_ptr<const GraphsDiff> diff, const QString& reason);

  bool running_ = false;
  Stop stop_;           // stops the job whose result counts
  QThreadPool threads_;
};

}  // namespace footlight::app
