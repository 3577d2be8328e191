// Events are framed at once and kept as bytes, so that a file ends with a whole event whenever the program is killed.
#include "engine/formats/event_file.h"

#include "engine/base/text.h"
#include "engine/formats/event.pb.h"
#include "engine/formats/file.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/read.h"
#include "engine/wire/tfrecord.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <unistd.h>

namespace footlight::formats {
namespace {

class EventFile;
std::mutex all_mutex;
std::set<EventFile*>& all_files() {
  static auto* all = new std::set<EventFile*>;
  return *all;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string name_in(const std::string& folder, const std::string& suffix) {
  static std::atomic<unsigned> next{0};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char seconds[24];
  std::snprintf(seconds, sizeof seconds, "%010lld", static_cast<long long>(now()));
  const char* slash = folder.empty() || folder.back() == '/' ? "" : "/";
  return str(folder, slash, "events.out.tfevents.", seconds, ".", host, ".", getpid(), ".", next++, suffix);
}

class EventFile final : public SummaryWriter {
 public:
  EventFile(std::string path, const EventFileOptions& options)
      : path_(std::move(path)), options_(options), file_(File::create(path_)) {
    Event event;
    event.set_file_version("brain.Event:2");
    event.mutable_source_metadata()->set_writer("tensorflow.core.util.events_writer");
    add(event, 0);
    flush();
    const std::lock_guard lock(all_mutex);
    all_files().insert(this);
  }
  ~EventFile() override {
    {
      const std::lock_guard lock(all_mutex);
      all_files().erase(this);
    }
    try {
      close();
    } catch (const Error&) {  // the disk is full: nobody is left to be told
    }
  }

  void write(int64_t step, const Tensor& value, const std::string& tag, const std::string& metadata) override {
    Event event;
    Summary::Value* summary = event.mutable_summary()->add_value();
    summary->set_tag(tag);
    if (!metadata.empty()) read_bytes(*summary->mutable_metadata(), metadata);
    *summary->mutable_tensor() = to_tensor_proto(value);
    if (is_plain(value.dtype())) {  // all as bytes, single values too
      TensorProto bytes;
      bytes.set_dtype(summary->tensor().dtype());
      *bytes.mutable_tensor_shape() = summary->tensor().tensor_shape();
      bytes.set_tensor_content(value.raw(), value.bytes());
      summary->mutable_tensor()->Swap(&bytes);
    }
    add(event, step);
  }

  void write_summary(int64_t step, const std::string& bytes) override {
    Event event;
    read_bytes(*event.mutable_summary(), bytes);
    add(event, step);
  }

  void write_graph(int64_t step, const std::string& bytes) override {
    Event event;
    event.set_graph_def(bytes);
    add(event, step);
  }

  void flush() override {
    const std::lock_guard lock(mutex_);
    flush_locked();
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    if (!file_) return;
    flush_locked();
    file_.close(path_);
  }

 private:
  void add(Event& event, int64_t step) {
    event.set_wall_time(now());
    event.set_step(step);
    const std::string bytes = bytes_of(event);
    const std::lock_guard lock(mutex_);
    if (!file_)
      fail(ErrorKind::kNotFound, "the summary writer of ", path_, " is closed: what is written after close() is lost");
    wire::put_record(waiting_, bytes);
    ++count_;
    using Millis = std::chrono::milliseconds;
    const auto since = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - flushed_).count();
    if (count_ > options_.max_queue || since >= options_.flush_millis) flush_locked();
  }

  void flush_locked() {
    flushed_ = std::chrono::steady_clock::now();
    if (!file_ || waiting_.empty()) return;
    file_.write(waiting_, path_);
    waiting_.clear();
    count_ = 0;
  }

  const std::string path_;
  const EventFileOptions options_;
  std::mutex mutex_;
  File file_;
  std::string waiting_;
  int64_t count_ = 0;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

}  // namespace

Tensor create_event_file(const std::string& folder, const EventFileOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(folder.empty() ? "." : folder, error);
  if (error) fail(ErrorKind::kPermissionDenied, folder, ": cannot create the folder: ", error.message());
  return Tensor::resource(new EventFile(name_in(folder, options.suffix), options));
}

void flush_event_files() {
  const std::lock_guard lock(all_mutex);
  for (EventFile* file : all_files()) file->flush();
}

}  // namespace footlight::formats
