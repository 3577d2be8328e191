// Splits batches into batches of other sizes, which alternate.
#include "engine/data/stage_registry.h"
#include "engine/data/rows.h"

namespace footlight::data {
namespace {

class Rebatch final : public Stage {
 public:
  Rebatch(StagePtr input, std::vector<int64_t> sizes, bool drop)
      : input_(std::move(input)), sizes_(std::move(sizes)), drop_remainder_(drop) {
    bool any = false;
    for (const int64_t size : sizes_) {
      if (size < 0) invalid("batch sizes must not be negative");
      any |= size > 0;
    }
    if (!any) invalid("rebatch needs a batch size that is greater than zero");
  }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Batches>(StagePtr(this), *this, input_->start(start));
  }

 private:
  class Batches final : public Cursor {
   public:
    Batches(StagePtr held, const Rebatch& stage, CursorPtr input)
        : held_(std::move(held)), stage_(stage), input_(std::move(input)) {}
    bool next(Element& out) override {
      const int64_t wanted = stage_.sizes_[turn_];
      std::vector<Element> rows;
      while (static_cast<int64_t>(rows.size()) < wanted || slicers_.empty()) {
        if (at_ == count_) {
          if (!next_batch()) break;
          continue;  // a batch may have no rows
        }
        if (static_cast<int64_t>(rows.size()) == wanted) break;
        Element row;
        for (const RowSlicer& slicer : slicers_) row.push_back(slicer.row(at_));
        ++at_;
        rows.push_back(std::move(row));
      }
      if (!input_ && rows.empty()) return false;
      if (static_cast<int64_t>(rows.size()) < wanted && stage_.drop_remainder_) return false;
      turn_ = (turn_ + 1) % stage_.sizes_.size();
      out.clear();
      std::vector<Tensor> parts;
      for (size_t k = 0; k < slicers_.size(); ++k) {
        parts.clear();
        for (const Element& row : rows) parts.push_back(row[k]);
        out.push_back(parts.empty() ? rows_like(slicers_[k].row_shape(), 0) : stack_rows(parts));
      }
      return true;
    }
    void state(State& s) override {
      s.of("rebatch");
      s.input(input_);
      s.number(turn_, stage_.sizes_.size() - 1);
      bool any = !slicers_.empty();
      s.flag(any);
      if (!any) return;
      s.element(batch_, *stage_.input_);
      if (s.reads()) begin();
      s.number(at_, static_cast<uint64_t>(count_));
    }

   private:
    bool next_batch() {
      if (!input_ || !input_->next(batch_)) {
        input_.reset();
        return false;
      }
      begin();
      return true;
    }
    void begin() {
      slicers_.clear();
      slicers_ = row_slicers(batch_, "rebatch");
      at_ = 0;
      count_ = batch_.empty() ? 0 : batch_[0].shape()[0];
    }
    StagePtr held_;
    const Rebatch& stage_;
    CursorPtr input_;
    Element batch_;
    std::vector<RowSlicer> slicers_;
    int64_t at_ = 0, count_ = 0;
    size_t turn_ = 0;
  };
  StagePtr input_;
  std::vector<int64_t> sizes_;
  bool drop_remainder_;
};

const StageRegistration rebatch("RebatchDatasetV2", [](const StageContext& m) -> Stage* {
  const Tensor& sizes = m.inputs()[1];
  const auto* at = sizes.data<int64_t>();
  return new Rebatch(m.dataset(0), {at, at + sizes.elements()}, m.flag(2));
});

}  // namespace
}  // namespace footlight::data
