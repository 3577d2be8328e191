// Yields datasets of consecutive elements: each has every `stride`-th one, and one begins every `shift` elements.
#include "engine/data/elements.h"
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"
#include "engine/data/worker_queue.h"

#include <algorithm>
#include <deque>

namespace footlight::data {
namespace {

class Window final : public Stage {
 public:
  Window(StagePtr input, int64_t size, int64_t shift, int64_t stride, bool drop)
      : input_(std::move(input)), size_(size), shift_(shift), stride_(stride), drop_remainder_(drop) {
    if (size <= 0) invalid("Window size must be greater than zero.");
    if (shift <= 0) invalid("Window shift must be greater than zero.");
    if (stride <= 0) invalid("Window stride must be greater than zero.");
    // Larger windows would not fit in memory anyway.
    if (size > (int64_t{1} << 40) / stride) invalid("Window size and stride are too large.");
  }
  int64_t cardinality() const override {
    const int64_t count = input_->cardinality();
    if (count < 0) return count;
    if (!drop_remainder_) return count / shift_ + (count % shift_ != 0);
    const int64_t span = (size_ - 1) * stride_ + 1;
    return count < span ? 0 : (count - span) / shift_ + 1;
  }
  const Stage* windowed(size_t) const override { return input_.get(); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Windows>(StagePtr(this), *this, start.run, input_->start(start));
  }

 private:
  class Windows final : public InputCursor {
   public:
    Windows(StagePtr held, const Window& stage, RunPtr run, CursorPtr input)
        : InputCursor("window", std::move(held), std::move(input)), stage_(stage), run_(std::move(run)) {}
    bool next(Element& out) override {
      const auto span = static_cast<size_t>((stage_.size_ - 1) * stage_.stride_ + 1);
      while (input_ && buffer_.size() < span) {
        Outcome element;
        if (!element.pull(*input_) || element.has_ended_early()) input_.reset();
        else buffer_.push_back(std::move(element));
        run_->check();
      }
      if (buffer_.empty() || (stage_.drop_remainder_ && buffer_.size() < span)) return false;
      // A window with an element that failed fails as a whole.
      std::vector<Element> window;
      std::exception_ptr failure;
      for (size_t i = 0; i < std::min(span, buffer_.size()); i += static_cast<size_t>(stage_.stride_)) {
        if (!failure) failure = buffer_[i].failure;
        window.push_back(buffer_[i].element);
      }
      const auto passed = std::min(static_cast<size_t>(stage_.shift_), buffer_.size());
      buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(passed));
      const int64_t left = stage_.shift_ - static_cast<int64_t>(passed);
      if (left > 0 && input_ && input_->skip(left) < left) input_.reset();
      if (failure) std::rethrow_exception(failure);
      out = columns_of(std::move(window), stage_.input_->types, stage_.input_->shapes);
      return true;
    }
    void own_state(State& s) override { s.outcomes(buffer_, *stage_.input_); }

   private:
    const Window& stage_;
    RunPtr run_;
    std::deque<Outcome> buffer_;
  };
  StagePtr input_;
  int64_t size_, shift_, stride_;
  bool drop_remainder_;
};

const StageRegistration window("WindowDataset", [](const StageContext& m) -> Stage* {
  return new Window(m.dataset(0), m.integer(1), m.integer(2), m.integer(3), m.flag(4));
});

}  // namespace
}  // namespace footlight::data
