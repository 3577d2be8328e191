// Pulls ahead on a thread, into a buffer.
#include "engine/data/stage_registry.h"
#include "engine/data/prefetching_cursor.h"
#include "engine/data/worker_queue.h"

#include <deque>

namespace footlight::data {
namespace {

constexpr size_t kAutomaticBuffer = 8;

class Buffered final : public Cursor {
 public:
  Buffered(StagePtr held, size_t size, const Start& start, CursorPtr input, PermitsPtr permits)
      : held_(std::move(held)), size_(size), permits_(std::move(permits)), input_(std::move(input)),
        workers_(start.run, start.track) {}

  void begin() {
    if (!workers_.started()) workers_.start(1, [this](WorkScope& work) { return pull(work); });
  }

  bool next(Element& out) override {
    begin();
    std::unique_lock lock(workers_.mutex());
    waiting_ = true;
    workers_.wait_for_elements(lock, [&] { return !buffer_.empty() || ended_; });
    waiting_ = false;
    if (buffer_.empty()) return false;
    Outcome outcome = std::move(buffer_.front());
    buffer_.pop_front();
    const size_t left = buffer_.size();
    lock.unlock();
    workers_.record_length(left);
    if (left + 1 == size_) workers_.room_freed().notify_one();
    outcome.give(out);
    return true;
  }

  void state(State& s) override {
    s.of("prefetch");
    workers_.run_while_paused([this] { return !pulling_; },
                   [&] {
                     s.flag(ended_);
                     s.outcomes(buffer_, *held_);
                     s.input(input_);
                   });
  }

 private:
  bool pull(WorkScope& work) {
    {
      std::unique_lock lock(workers_.mutex());
      if (!workers_.wait_for_room(lock, [&] { return buffer_.size() < size_; })) {
        ended_ = true;
        workers_.elements_added().notify_all();
        return false;
      }
      pulling_ = true;
    }
    Outcome outcome;
    const bool more = compute(outcome);
    const bool cancelled = workers_.run().cancelled();
    work.made(more);
    const std::lock_guard lock(workers_.mutex());
    if (more) buffer_.push_back(std::move(outcome));
    ended_ = !more || cancelled;
    pulling_ = false;
    if (waiting_) workers_.elements_added().notify_one();
    return !ended_;
  }

  bool compute(Outcome& outcome) {
    try {
      const HeldPermit permit(permits_.get(), workers_.run());
      return outcome.pull(*input_);
    } catch (...) {  // the run was cancelled
      return false;
    }
  }

  StagePtr held_;
  const size_t size_;
  const PermitsPtr permits_;
  CursorPtr input_;
  std::deque<Outcome> buffer_;
  bool ended_ = false, waiting_ = false, pulling_ = false;
  WorkerQueue workers_;
};

}  // namespace

CursorPtr prefetching_cursor(StagePtr held, size_t size, const Start& start, CursorPtr input, bool at_once,
                             PermitsPtr permits) {
  auto made = std::make_unique<Buffered>(std::move(held), size, start, std::move(input), std::move(permits));
  if (at_once) made->begin();
  return made;
}

namespace {

class Prefetch final : public Stage {
 public:
  Prefetch(StagePtr input, int64_t size) : input_(std::move(input)), size_(size) {
    if (size < 0 && size != kAutotune) invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    if (size_ == 0) return input_->start(start);
    if (start.track) start.track->set_own_threads();
    const size_t size = size_ == kAutotune ? kAutomaticBuffer : static_cast<size_t>(size_);
    return prefetching_cursor(StagePtr(this), size, start, input_->start(start));
  }

 private:
  StagePtr input_;
  int64_t size_;
};

const StageRegistration prefetch("PrefetchDataset", [](const StageContext& m) -> Stage* {
  return new Prefetch(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
