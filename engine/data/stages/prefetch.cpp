// A thread that pulls ahead, into a buffer.
#include "engine/data/make.h"
#include "engine/data/pulled_ahead.h"
#include "engine/data/staff.h"

#include <deque>

namespace footlight::data {
namespace {

constexpr int64_t kAutomatic = -1;
constexpr size_t kAutomaticBuffer = 8;

class Buffered final : public Cursor {
 public:
  Buffered(StagePtr held, size_t size, const Start& start, CursorPtr input)
      : held_(std::move(held)), size_(size), input_(std::move(input)), staff_(start.run, start.track) {}

  void begin() {
    if (!staff_.started()) staff_.start(1, [this](AtWork& at_work) { return pull(at_work); });
  }

  bool next(Element& out) override {
    begin();
    std::unique_lock lock(staff_.mutex());
    waiting_ = true;
    staff_.wait_for_elements(lock, [&] { return !buffer_.empty() || ended_; });
    waiting_ = false;
    if (buffer_.empty()) return false;
    Outcome outcome = std::move(buffer_.front());
    buffer_.pop_front();
    const size_t left = buffer_.size();
    lock.unlock();
    staff_.queue(left);
    if (left + 1 == size_) staff_.room().notify_one();
    outcome.give(out);
    return true;
  }

  void state(State& s) override {
    s.of("prefetch");
    staff_.at_rest([this] { return !pulling_; },
                   [&] {
                     s.flag(ended_);
                     s.outcomes(buffer_, *held_);
                     s.input(input_);
                   });
  }

 private:
  bool pull(AtWork& at_work) {
    {
      std::unique_lock lock(staff_.mutex());
      if (!staff_.wait_for_room(lock, [&] { return buffer_.size() < size_; })) {
        ended_ = true;
        staff_.filled().notify_all();
        return false;
      }
      pulling_ = true;
    }
    Outcome outcome;
    const bool more = outcome.pull(*input_);
    const bool cancelled = staff_.run().cancelled();
    at_work.made(more);
    const std::lock_guard lock(staff_.mutex());
    if (more) buffer_.push_back(std::move(outcome));
    ended_ = !more || cancelled;
    pulling_ = false;
    if (waiting_) staff_.filled().notify_one();
    return !ended_;
  }

  StagePtr held_;
  const size_t size_;
  CursorPtr input_;
  std::deque<Outcome> buffer_;
  bool ended_ = false, waiting_ = false, pulling_ = false;
  Staff staff_;
};

}  // namespace

CursorPtr pulled_ahead(StagePtr held, size_t size, const Start& start, CursorPtr input, bool at_once) {
  auto made = std::make_unique<Buffered>(std::move(held), size, start, std::move(input));
  if (at_once) made->begin();
  return made;
}

namespace {

class Prefetch final : public Stage {
 public:
  Prefetch(StagePtr input, int64_t size) : input_(std::move(input)), size_(size) {
    if (size < 0 && size != kAutomatic) invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    if (size_ == 0) return input_->start(start);
    if (start.track) start.track->set_own_threads();
    const size_t size = size_ == kAutomatic ? kAutomaticBuffer : static_cast<size_t>(size_);
    return pulled_ahead(StagePtr(this), size, start, input_->start(start));
  }

 private:
  StagePtr input_;
  int64_t size_;
};

const MakerOf prefetch("PrefetchDataset", [](const Making& m) -> Stage* {
  return new Prefetch(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
