// Yields the elements of one dataset, then those of another.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Concatenate final : public Stage {
 public:
  Concatenate(StagePtr first, StagePtr second) : first_(std::move(first)), second_(std::move(second)) {}
  int64_t cardinality() const override { return add_cardinalities(first_->cardinality(), second_->cardinality()); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<ConcatenateCursor>(StagePtr(this), second_, start, first_->start(start));
  }

 private:
  class ConcatenateCursor final : public InputCursor {
   public:
    ConcatenateCursor(StagePtr held, const StagePtr& second, const Start& start, CursorPtr input)
        : InputCursor("concatenate", std::move(held), std::move(input)), second_(second), start_(start) {}
    bool next(Element& out) override {
      if (input_->next(out)) return true;
      if (in_second_) return false;
      in_second_ = true;
      input_ = second_->start(start_);
      return input_->next(out);
    }
    void own_state(State& s) override {
      const bool before = in_second_;
      s.flag(in_second_);
      if (in_second_ && !before) input_ = second_->start(start_);
    }

   private:
    const StagePtr& second_;
    Start start_;
    bool in_second_ = false;
  };
  StagePtr first_, second_;
};

const StageRegistration concatenate("ConcatenateDataset", [](const StageContext& m) -> Stage* {
  return new Concatenate(m.dataset(0), m.dataset(1));
});

}  // namespace
}  // namespace footlight::data
