// What a recording learns of an iteration: a track for each stage, with what was done there, who waited for whom, and
// how many elements wait in a buffer. Iterations that begin without a recording have none of this.
#pragma once

#include "engine/base/clock.h"
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
  // Threads of its own do its work: who takes its elements only waits.
  void set_own_threads() { own_threads_.store(true, std::memory_order_relaxed); }
  bool own_threads() const { return own_threads_.load(std::memory_order_relaxed); }
  // How many elements wait in its buffer now; may be called by any thread.
  void queue(size_t elements);

 private:
  friend class Doer;
  const std::string name_;
  const SourceRef source_;
  std::atomic<bool> own_threads_{false};
  record::OwnTrack track_, queue_;
  std::once_flag has_queue_;
  std::atomic<int64_t> queue_told_ns_{0};
};
using TrackPtr = std::shared_ptr<StageTrack>;

// What one thread at a time does for a stage: spans, of which short neighbours are joined.
class Doer {
 public:
  explicit Doer(TrackPtr track) : track_(std::move(track)) {}
  ~Doer() { tell(); }
  Doer(const Doer&) = delete;
  Doer& operator=(const Doer&) = delete;

  void begin(int64_t now) { since_ = now; }
  void end(int64_t now, int64_t elements);
  // From, to: not at work, but waiting. `whom`: the stage below; null: see `what`.
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

// Whose work this thread does; null: nothing is recorded.
extern constinit thread_local Doer* this_thread_doer;

// In its scope this thread works for a stage; a null doer: nothing. The stage whose work it did before waits meanwhile.
// `only_takes`: the stage's own threads do the work.
class AtWork {
 public:
  explicit AtWork(Doer* doer, bool only_takes = false) : doer_(doer), only_takes_(only_takes) {
    if (doer_) [[unlikely]] enter();
  }
  ~AtWork() {
    if (doer_) [[unlikely]] leave();
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  void made(int64_t elements) { elements_ += elements; }

 private:
  void enter();
  void leave();
  Doer* const doer_;
  const bool only_takes_;
  Doer* before_ = nullptr;
  int64_t begin_ = 0, elements_ = 0;
};

// In its scope this thread waits. `what` ends the sentence "map waits for ...", and lives forever.
class Waiting {
 public:
  explicit Waiting(const char* what) : doer_(this_thread_doer), what_(what), from_(doer_ ? now_ns() : 0) {}
  ~Waiting() {
    if (doer_) [[unlikely]] doer_->waited(nullptr, what_, from_, now_ns());
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Doer* const doer_;
  const char* const what_;
  const int64_t from_;
};

// "map", for ParallelMapDatasetV2.
std::string stage_name(std::string_view op);

}  // namespace footlight::data
