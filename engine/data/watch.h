// Records an iteration: a track for each stage with its work, its waits and the length of its buffer. An iteration that
// began without a recording has no tracks.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/thread_context.h"
#include "engine/record/spans.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace footlight::data {

class StageTrack {
 public:
  StageTrack(std::string name, SourceRef source, const StageTrack* consumer, bool counts_steps);
  const std::string& name() const { return name_; }
  SourceRef source() const { return source_; }
  session::TrackId id() const { return track_.id(); }
  // Says that worker threads do the stage's work, so the consumer only waits.
  void set_own_threads() { own_threads_.store(true, std::memory_order_relaxed); }
  bool own_threads() const { return own_threads_.load(std::memory_order_relaxed); }
  // Records the number of elements in the buffer. Any thread may call it.
  void record_length(size_t elements);

 private:
  friend class SpanRecorder;
  const std::string name_;
  const SourceRef source_;
  std::atomic<bool> own_threads_{false};
  record::OwnTrack track_, queue_;
  std::once_flag has_queue_;
  std::atomic<int64_t> queue_told_ns_{0};
};
using TrackPtr = std::shared_ptr<StageTrack>;

// Records the spans of a stage, one thread at a time. Short neighbours become one span.
class SpanRecorder {
 public:
  explicit SpanRecorder(TrackPtr track) : track_(std::move(track)) {}
  ~SpanRecorder() { tell(); }
  SpanRecorder(const SpanRecorder&) = delete;
  SpanRecorder& operator=(const SpanRecorder&) = delete;

  void begin(int64_t now) { since_ = now; }
  void end(int64_t now, int64_t elements);
  // Adds a wait from `from` to `to`: for stage `whom` or, if that is null, for `what`.
  void waited(const StageTrack* whom, const char* what, int64_t from, int64_t to);
  StageTrack& track() const { return *track_; }

 private:
  struct Part {
    bool wait = false;
    const StageTrack* whom = nullptr;
    const char* what = nullptr;
    int64_t start = 0, end = 0, busy = 0, elements = 0;
  };
  void add(const Part&);
  void tell();

  const TrackPtr track_;
  int64_t since_ = 0;
  Part last_;
  bool any_ = false;
};

// While it lives, this thread works for a stage, and the stage that it worked for before waits. Does nothing if the
// recorder is null. `is_consumer` says that the stage's worker threads do the work.
class WorkScope {
 public:
  explicit WorkScope(SpanRecorder* recorder, bool is_consumer = false)
      : recorder_(recorder), is_consumer_(is_consumer) {
    if (recorder_) [[unlikely]] enter();
  }
  ~WorkScope() {
    if (recorder_) [[unlikely]] leave();
  }
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;
  void made(int64_t elements) { elements_ += elements; }

 private:
  void enter();
  void leave();
  SpanRecorder* const recorder_;
  const bool is_consumer_;
  SpanRecorder* before_ = nullptr;
  int64_t begin_ = 0, elements_ = 0;
};

// While it lives, this thread waits. `what` ends the sentence "map waits for ..." and is a literal.
class Waiting {
 public:
  explicit Waiting(const char* what)
      : recorder_(this_thread.span_recorder), what_(what), from_(recorder_ ? now_ns() : 0) {}
  ~Waiting() {
    if (recorder_) [[unlikely]] recorder_->waited(nullptr, what_, from_, now_ns());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  SpanRecorder* const recorder_;
  const char* const what_;
  const int64_t from_;
};

// "map" for ParallelMapDatasetV2.
std::string stage_name(std::string_view op);

}  // namespace footlight::data
