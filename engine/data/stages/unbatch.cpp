// Yields the rows of each element one by one.
#include "engine/data/stage_registry.h"
#include "engine/data/rows.h"

namespace footlight::data {
namespace {

class Unbatch final : public Stage {
 public:
  explicit Unbatch(StagePtr input) : input_(std::move(input)) {}
  int64_t cardinality() const override {
    const int64_t batches = input_->cardinality();
    if (batches == kInfinite || batches == 0) return batches;
    const bool known = !input_->shapes.empty() && input_->shapes[0].has_rank() && input_->shapes[0].rank() > 0 &&
                       input_->shapes[0][0] != kUnknownDim;
    return batches < 0 || !known ? kUnknown : batches * input_->shapes[0][0];
  }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Rows>(StagePtr(this), *this, input_->start(start));
  }

 private:
  class Rows final : public Cursor {
   public:
    Rows(StagePtr held, const Unbatch& stage, CursorPtr input)
        : held_(std::move(held)), stage_(stage), input_(std::move(input)) {}
    bool next(Element& out) override {
      while (at_ == count_) {
        if (!input_->next(batch_)) return false;
        begin();
      }
      out.resize(slicers_.size());
      for (size_t k = 0; k < slicers_.size(); ++k) out[k] = slicers_[k].row(at_);
      ++at_;
      return true;
    }
    void state(State& s) override {
      s.of("unbatch");
      s.input(input_);
      bool inside = at_ < count_;
      s.flag(inside);
      if (!inside) return;
      s.element(batch_, *stage_.input_);
      if (s.reads()) begin();
      s.number(at_, static_cast<uint64_t>(count_));
    }

   private:
    void begin() {
      slicers_.clear();
      at_ = count_ = 0;
      slicers_ = row_slicers(batch_, "unbatch");
      count_ = batch_.empty() ? 0 : batch_[0].shape()[0];
    }

    StagePtr held_;
    const Unbatch& stage_;
    CursorPtr input_;
    Element batch_;
    std::vector<RowSlicer> slicers_;
    int64_t at_ = 0, count_ = 0;
  };
  StagePtr input_;
};

const StageRegistration unbatch("UnbatchDataset", [](const StageContext& m) -> Stage* {
  return new Unbatch(m.dataset(0));
});

}  // namespace
}  // namespace footlight::data
