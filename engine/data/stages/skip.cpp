// Skips the first elements.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

#include <algorithm>

namespace footlight::data {
namespace {

class Skip final : public Stage {
 public:
  Skip(StagePtr input, int64_t count) : input_(std::move(input)), count_(count) {}
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override {
    const int64_t all = input_->cardinality();
    if (all < 0) return all;
    return count_ < 0 ? 0 : std::max<int64_t>(0, all - count_);
  }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Rest>(StagePtr(this), count_, start.run, input_->start(start));
  }

 private:
  class Rest final : public InputCursor {
   public:
    Rest(StagePtr held, int64_t count, RunPtr run, CursorPtr input)
        : InputCursor("skip", std::move(held), std::move(input)), left_(count), run_(std::move(run)) {}
    bool next(Element& out) override {
      if (left_ < 0) return false;  // -1 skips all
      while (left_ > 0) {
        const int64_t some = std::min<int64_t>(left_, 4096);
        if (input_->skip(some) < some) left_ = -1;
        else left_ -= some;
        run_->check();
      }
      return left_ == 0 && input_->next(out);
    }
    void own_state(State& s) override {
      bool all = left_ < 0;
      s.flag(all);
      if (all) left_ = -1;
      else s.number(left_, INT64_MAX);
    }

   private:
    int64_t left_;
    RunPtr run_;
  };
  StagePtr input_;
  int64_t count_;
};

const StageRegistration skip("SkipDataset", [](const StageContext& m) -> Stage* {
  return new Skip(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
