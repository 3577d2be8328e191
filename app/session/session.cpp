// Starts and stops loaders, applies their batches.
#include "app/session/session.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace footlight::app {
namespace {
constexpr qint64 kLargestSource = 8 << 20;
constexpr uint32_t kFirstFromDisk = 1u << 31;
}  // namespace

Session::Session(QObject* parent) : QObject(parent), queries_(this) {
  qRegisterMetaType<std::shared_ptr<Batch>>("std::shared_ptr<footlight::app::Batch>");
  growth_.setSingleShot(true);
  connect(&growth_, &QTimer::timeout, this, &Session::say_grown);
}

Session::~Session() {
  stop_loader();
  while (!ending_.empty()) forget(ending_.back());
}

void Session::say_grown() {
  QElapsedTimer clock;
  clock.start();
  Q_EMIT grown();
  showing_ms_ = clock.elapsed();
}

void Session::stop_loader() {
  growth_.stop();
  queries_.stop();
  ++opening_;
  if (!loader_) return;
  loader_->disconnect(this);
  loader_->ask_to_stop();
  loader_ = nullptr;
  QThread* thread = std::exchange(thread_, nullptr);
  ending_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread] { forget(thread); });
  thread->quit();
}

void Session::forget(QThread* thread) {
  std::erase(ending_, thread);
  thread->disconnect(this);
  thread->wait();
  delete thread;
}

void Session::open(const QString& path, bool live) {
  stop_loader();
  path_ = path;
  loading_ = true;
  thread_ = new QThread;
  auto questions = std::make_shared<Questions>();
  loader_ = new Loader(questions);
  loader_->moveToThread(thread_);
  queries_.serve(std::move(questions), [loader = loader_] {
    QMetaObject::invokeMethod(loader, &Loader::answer, Qt::QueuedConnection);
  });
  connect(thread_, &QThread::finished, loader_, &QObject::deleteLater);
  // Batches of an earlier loader may still be on their way.
  connect(loader_, &Loader::batch, this, [this, opening = opening_](const std::shared_ptr<Batch>& batch) {
    if (opening != opening_) return;
    const bool first = batch->first;
    const double share = batch->progress;
    loading_ = !batch->complete;
    if (first) {
      document_ = Document();
      lines_.clear();
      document_.path = path_;
      open_ = true;
    }
    apply(std::move(*batch), document_);
    loader_->taken();
    if (first) {
      Q_EMIT opened();
    } else if (!document_.live && !loading_) {
      growth_.stop();
      say_grown();  // the end of it
    } else if (!growth_.isActive()) {
      // A script that makes 300,000 calls a second must not block the window.
      growth_.start(static_cast<int>(std::clamp<qint64>(4 * showing_ms_, 30, 1500)));
    }
    Q_EMIT progress(share);
  });
  connect(loader_, &Loader::reading, this, &Session::progress);
  connect(loader_, &Loader::failed, this, [this, opening = opening_](const QString& message) {
    if (opening != opening_) return;
    loading_ = false;
    Q_EMIT failed(path_, message);
  });
  thread_->start();
  QMetaObject::invokeMethod(loader_, "open", Qt::QueuedConnection, Q_ARG(QString, path), Q_ARG(bool, live));
}

void Session::close() {
  stop_loader();
  document_ = Document();
  lines_.clear();
  open_ = loading_ = false;
  path_.clear();
  Q_EMIT opened();
}

void Session::show(Document document) {
  stop_loader();
  document_ = std::move(document);
  lines_.clear();
  path_ = document_.path;
  open_ = true;
  loading_ = false;
  Q_EMIT opened();
}

session::FileId Session::file_anywhere(const QString& path) {
  const session::FileId known = document_.file_named(path.toStdString());
  if (known.valid()) return known;
  const QString folder = QString::fromStdString(document_.run.working_directory);
  QFile file(QDir(folder).absoluteFilePath(path));
  if (!QFileInfo(file).isFile() || file.size() > kLargestSource || !file.open(QIODevice::ReadOnly)) return {};
  const QByteArray text = file.readAll();
  if (text.contains('\0')) return {};
  // Ids of the session's own files count from 0.
  const session::FileId id(kFirstFromDisk + static_cast<uint32_t>(document_.files.size()));
  document_.add(session::FileRecord{id, QFileInfo(file).absoluteFilePath().toStdString(), text.toStdString()});
  Q_EMIT grown();
  return id;
}

}  // namespace footlight::app
