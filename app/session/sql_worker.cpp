// Opens the recording once, refreshes it while it grows, and collects rows up to the limits.
#include "app/session/sql_worker.h"

#include "app/models/text.h"
#include "app/session/recording_for.h"

#include <QElapsedTimer>

#include <utility>

namespace footlight::app {
namespace {

constexpr size_t kMaxResultBytes = size_t{256} << 20;

// Characters of UTF-16 before that many bytes of UTF-8.
int characters_in(const QByteArray& text, int bytes) {
  return bytes < 0 ? -1 : static_cast<int>(QString::fromUtf8(text.left(bytes)).size());
}

}  // namespace

struct SqlWorker::Opened {
  QString path;
  std::unique_ptr<QTemporaryDir> folder;
  std::unique_ptr<session::Reader> reader;
  std::unique_ptr<sql::Recording> recording;
};

SqlWorker::SqlWorker(QObject* parent) : QObject(parent) {}

SqlWorker::~SqlWorker() {
  cancel();
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void SqlWorker::set_recording(const QString& path) {
  cancel();
  path_ = path;
  opened_.reset();
}

void SqlWorker::cancel() {
  if (!job_) return;
  job_->cancel.request();
  job_.reset();
}

void SqlWorker::run(const QString& statement, size_t rows) {
  cancel();
  auto job = job_ = std::make_shared<Job>();
  auto opened = std::exchange(opened_, nullptr);
  if (!opened) {
    opened = std::make_shared<Opened>();
    opened->path = path_;
  }
  QThread* const thread = QThread::create([this, job, opened, statement, rows] {
    auto result = std::make_shared<const SqlResult>(answer(*opened, statement, rows, job->cancel));
    QMetaObject::invokeMethod(this, [this, job, opened, result] { take(job, opened, result); }, Qt::QueuedConnection);
  });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread] {
    std::erase(threads_, thread);
    thread->deleteLater();
  });
  thread->start();
}

SqlResult SqlWorker::answer(Opened& opened, const QString& statement, size_t rows, const query::Cancel& cancel) {
  SqlResult made;
  QElapsedTimer timer;
  timer.start();
  const QByteArray text = statement.toUtf8();
  try {
    if (!opened.reader) {
      const auto go_on = [&cancel](double) { return !cancel.requested(); };
      opened.reader = session::Reader::open(recording_for(opened.path, opened.folder, go_on), {go_on});
      opened.recording = std::make_unique<sql::Recording>(*opened.reader);
    } else if (opened.reader->state() == session::State::kLive) {
      opened.reader->refresh();
    }
    made.origin_ns = opened.reader->first_time();
    size_t bytes = 0;
    const auto columns = [&](std::vector<std::string> names) {
      for (const std::string& name : names) made.columns << q(name);
    };
    const auto row = [&](std::span<const sql::Value> values) {
      if (made.rows == rows || bytes > kMaxResultBytes) {
        made.has_more = true;
        return false;
      }
      for (const sql::Value& value : values) bytes += sizeof value + value.text.size();
      made.cells.insert(made.cells.end(), values.begin(), values.end());
      ++made.rows;
      return true;
    };
    opened.recording->run({text.constData(), static_cast<size_t>(text.size())}, {columns, row}, cancel);
  } catch (const query::Cancelled&) {
    made.is_cancelled = true;
  } catch (const sql::StatementError& e) {
    made.error = q(e.message());
    made.error_offset = characters_in(text, e.offset());
  } catch (const std::exception& e) {
    made.is_cancelled = cancel.requested();
    made.error = q(e.what());
  }
  if (!made.error.isEmpty() || made.is_cancelled) made.columns.clear(), made.cells.clear(), made.rows = 0;
  made.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
  return made;
}

void SqlWorker::take(const std::shared_ptr<Job>& job, std::shared_ptr<Opened> opened,
                     std::shared_ptr<const SqlResult> result) {
  if (!opened_ && opened->path == path_ && opened->recording) opened_ = std::move(opened);
  if (job != job_) return;  // cancelled since
  job_.reset();
  Q_EMIT done(std::move(result));
}

}  // namespace footlight::app
