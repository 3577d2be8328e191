// Repeats the elements.
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Repeat final : public Stage {
 public:
  Repeat(StagePtr input, int64_t count) : input_(std::move(input)), count_(count) {}
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override {
    const int64_t once = input_->cardinality();
    if (count_ == 0 || once == 0) return 0;
    if (count_ < 0) return kInfinite;
    if (once < 0) return once;
    return once > INT64_MAX / count_ ? kInfinite : once * count_;
  }
  CursorPtr open(const Start& start) override { return std::make_unique<RepeatCursor>(StagePtr(this), *this, start); }

 private:
  class RepeatCursor final : public Cursor {
   public:
    RepeatCursor(StagePtr held, const Repeat& stage, const Start& start)
        : held_(std::move(held)), stage_(stage), start_(start), left_(stage.count_) {}
    bool next(Element& out) override {
      for (;;) {
        if (!input_ && !begin()) return false;
        if (input_->next(out)) return any_ = true;
        input_.reset();
        if (!any_ && left_ < 0) left_ = 0;  // nothing to repeat forever
        start_.run->check();
      }
    }
    void state(State& s) override {
      s.of("repeat");
      if (!s.reads() && !input_) begin();  // the state includes what a shuffle below draws first
      s.number(left_);
      s.flag(any_);
      s.input(input_, [this] { return stage_.input_->start(start_); });
    }

   private:
    bool begin() {
      if (left_ == 0) return false;
      if (left_ > 0) --left_;
      input_ = stage_.input_->start(start_);
      any_ = false;
      return true;
    }

    StagePtr held_;
    const Repeat& stage_;
    Start start_;
    CursorPtr input_;
    int64_t left_;
    bool any_ = false;
  };
  StagePtr input_;
  int64_t count_;
};

const StageRegistration repeat("RepeatDataset", [](const StageContext& m) -> Stage* {
  return new Repeat(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
