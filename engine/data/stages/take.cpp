// Yields only the first elements.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

#include <algorithm>

namespace footlight::data {
namespace {

class Take final : public Stage {
 public:
  Take(StagePtr input, int64_t count) : input_(std::move(input)), count_(count) {}
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override {
    const int64_t all = input_->cardinality();
    if (count_ < 0) return all;
    if (all == kInfinite) return count_;
    return all == kUnknown ? kUnknown : std::min(all, count_);
  }
  CursorPtr open(const Start& start) override {
    if (count_ < 0) return input_->start(start);
    return std::make_unique<First>(StagePtr(this), count_, count_ ? input_->start(start) : nullptr);
  }

 private:
  class First final : public InputCursor {
   public:
    First(StagePtr held, int64_t count, CursorPtr input)
        : InputCursor("take", std::move(held), std::move(input)), left_(count) {}
    bool next(Element& out) override {
      if (left_ == 0) return false;
      if (!input_->next(out)) left_ = 0;
      else {
        --left_;
        return true;
      }
      return false;
    }
    void own_state(State& s) override { s.number(left_, INT64_MAX); }

   private:
    int64_t left_;
  };
  StagePtr input_;
  int64_t count_;
};

const StageRegistration take("TakeDataset", [](const StageContext& m) -> Stage* {
  return new Take(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
