// A thread that pulls ahead, into a buffer.
#include "engine/data/crew.h"
#include "engine/data/make.h"
#include "engine/data/pulled_ahead.h"

#include <deque>

namespace footlight::data {
namespace {

constexpr int64_t kAutomatic = -1;
constexpr size_t kAutomaticBuffer = 8;

class Buffered final : public Cursor {
 public:
  Buffered(StagePtr held, size_t size, RunPtr run, CursorPtr input)
      : held_(std::move(held)), size_(size), run_(std::move(run)), input_(std::move(input)), crew_(run_) {}
  ~Buffered() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    room_.notify_all();
    crew_.join();
  }

  void begin() {
    if (!crew_.started()) crew_.start(1, [this] { work(); });
  }

  bool next(Element& out) override {
    begin();
    std::unique_lock lock(mutex_);
    waiting_ = true;
    run_->wait(lock, filled_, [&] { return !buffer_.empty() || ended_; });
    waiting_ = false;
    if (buffer_.empty()) return false;
    Item item = std::move(buffer_.front());
    buffer_.pop_front();
    const bool wake = buffer_.size() + 1 == size_;
    lock.unlock();
    if (wake) room_.notify_one();
    if (item.failure) std::rethrow_exception(item.failure);
    out = std::move(item.element);
    return true;
  }

 private:
  struct Item {
    Element element;
    std::exception_ptr failure;
  };

  void work() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        try {
          run_->wait(lock, room_, [&] { return stop_ || buffer_.size() < size_; });
        } catch (...) {
          stop_ = true;
        }
        if (stop_) break;
      }
      Item item;
      bool more = true;
      try {
        more = input_->next(item.element);
        run_->check();
      } catch (...) {
        item.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      if (more) buffer_.push_back(std::move(item));
      else ended_ = true;
      if (waiting_) filled_.notify_one();
      if (!more || run_->cancelled()) return;
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    filled_.notify_all();
  }

  StagePtr held_;
  const size_t size_;
  RunPtr run_;
  CursorPtr input_;
  std::mutex mutex_;
  std::condition_variable filled_, room_;
  std::deque<Item> buffer_;
  bool stop_ = false, ended_ = false, waiting_ = false;
  Crew crew_;
};

}  // namespace

CursorPtr pulled_ahead(StagePtr held, size_t size, RunPtr run, CursorPtr input, bool at_once) {
  auto made = std::make_unique<Buffered>(std::move(held), size, std::move(run), std::move(input));
  if (at_once) made->begin();
  return made;
}

namespace {

class Prefetch final : public Stage {
 public:
  Prefetch(StagePtr input, int64_t size) : input_(std::move(input)), size_(size) {
    if (size < 0 && size != kAutomatic) invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  }
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr start(const Start& start) override {
    if (size_ == 0) return input_->start(start);
    const size_t size = size_ == kAutomatic ? kAutomaticBuffer : static_cast<size_t>(size_);
    return pulled_ahead(StagePtr(this), size, start.run, input_->start(start));
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
