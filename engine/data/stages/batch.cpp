// Stacks consecutive elements along a new first dimension.
#include "engine/data/input_cursor.h"
#include "engine/data/rows.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Batch final : public Stage {
 public:
  // `keeps_places`: an element that fails fails its whole batch, as in TensorFlow's fused map and batch.
  Batch(StagePtr input, int64_t size, bool drop_remainder, bool keeps_places)
      : input_(std::move(input)), size_(size), drop_remainder_(drop_remainder), keeps_places_(keeps_places) {
    if (size <= 0) invalid("Batch size must be greater than zero.");
  }
  int64_t cardinality() const override { return batches_of(input_->cardinality(), size_, drop_remainder_); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Batches>(StagePtr(this), *this, start, input_->start(start));
  }

 private:
  class Batches final : public InputCursor {
   public:
    Batches(StagePtr held, const Batch& stage, const Start& start, CursorPtr input)
        : InputCursor("batch", std::move(held), std::move(input)), stage_(stage), run_(start.run),
          keeps_places_(stage.keeps_places_ && !start.options.separate_batch) {}

    bool next(Element& out) override {
      if (ended_ || !pull(0)) return end();
      run_->check();
      // Allocated for a full batch: a shorter last one is copied once more.
      Element batch;
      const int64_t capacity = std::min<int64_t>(stage_.size_, 1 << 20);
      std::vector<Element> late;  // elements beyond the allocated size
      for (const Tensor& tensor : row_) batch.push_back(rows_like(tensor, capacity));
      const Element first = row_;
      int64_t count = 0;
      std::string unlike;  // the error, thrown when the batch is full: a remainder that is dropped may have any shapes
      do {
        if (unlike.empty()) unlike = difference(first, row_, count);
        if (unlike.empty() && count < capacity)
          for (size_t k = 0; k < batch.size(); ++k) write_row(batch[k], count, row_[k]);
        else if (unlike.empty())
          late.push_back(row_);
        ++count;
      } while (count < stage_.size_ && more(count));
      if (count < stage_.size_ && stage_.drop_remainder_) return end();
      if (!unlike.empty()) invalid(unlike);
      if (count != capacity)
        for (size_t k = 0; k < batch.size(); ++k) {
          Tensor fitting = rows_like(first[k], count);
          const RowSlicer rows(batch[k]);
          for (int64_t i = 0; i < std::min(count, capacity); ++i) write_row(fitting, i, rows.row(i));
          for (size_t i = 0; i < late.size(); ++i) write_row(fitting, capacity + static_cast<int64_t>(i), late[i][k]);
          batch[k] = std::move(fitting);
        }
      out = std::move(batch);
      return true;
    }
    void own_state(State& s) override { s.flag(ended_); }

   private:
    bool end() {
      ended_ = true;
      return false;
    }
    bool more(int64_t taken) {
      if (pull(taken)) return true;
      ended_ = true;
      return false;
    }
    // `taken`: number of elements in the batch before.
    bool pull(int64_t taken) {
      if (!keeps_places_) return input_->next(row_);
      try {
        return input_->next(row_);
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::kCancelled) throw;
        while (++taken < stage_.size_ && !ended_ && !run_->cancelled()) pass();
        throw;
      }
    }
    void pass() {
      try {
        if (!input_->next(row_)) ended_ = true;
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::kCancelled) throw;  // otherwise the batch has already reported its failure
      }
    }
    // How the row differs from the first of its batch; empty if it does not.
    static std::string difference(const Element& first, const Element& row, int64_t at) {
      for (size_t k = 0; k < first.size(); ++k)
        if (row[k].shape() != first[k].shape() || row[k].dtype() != first[k].dtype())
          return str("Cannot batch tensors with different shapes in component ", k, ". First element had shape ",
                     first[k].shape().to_string(), " and element ", at, " had shape ", row[k].shape().to_string(), ".");
      return {};
    }

    const Batch& stage_;
    RunPtr run_;
    Element row_;
    const bool keeps_places_;
    bool ended_ = false;
  };
  StagePtr input_;
  int64_t size_;
  bool drop_remainder_, keeps_places_;
};

const StageRegistration batch("BatchDatasetV2", [](const StageContext& m) -> Stage* {
  return new Batch(m.dataset(0), m.integer(1), m.flag(2), m.dataset(0)->batches_keep_places());
});
// Copying does not need threads of its own: the stages below do the expensive work.
const StageRegistration parallel_batch("ParallelBatchDataset", [](const StageContext& m) -> Stage* {
  return new Batch(m.dataset(0), m.integer(1), m.flag(3), false);
});

}  // namespace
}  // namespace footlight::data
