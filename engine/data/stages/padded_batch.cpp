// Pads consecutive elements to a common shape and stacks them.
#include "engine/data/input_cursor.h"
#include "engine/data/rows.h"
#include "engine/data/stage_registry.h"

#include <algorithm>

namespace footlight::data {
namespace {

class PaddedBatch final : public Stage {
 public:
  PaddedBatch(StagePtr input, int64_t size, std::vector<std::vector<int64_t>> shapes, Element padding, bool drop)
      : input_(std::move(input)), size_(size), wanted_(std::move(shapes)), padding_(std::move(padding)),
        drop_remainder_(drop) {
    if (size <= 0) invalid("Batch size must be greater than zero.");
  }
  int64_t cardinality() const override { return batches_of(input_->cardinality(), size_, drop_remainder_); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Batches>(StagePtr(this), *this, start.run, input_->start(start));
  }

 private:
  class Batches final : public InputCursor {
   public:
    Batches(StagePtr held, const PaddedBatch& stage, RunPtr run, CursorPtr input)
        : InputCursor("padded_batch", std::move(held), std::move(input)), stage_(stage), run_(std::move(run)) {}
    bool next(Element& out) override {
      if (!input_) return false;
      run_->check();
      std::vector<Element> rows;
      Element row;
      while (static_cast<int64_t>(rows.size()) < stage_.size_) {
        if (!input_->next(row)) {
          input_.reset();
          break;
        }
        rows.push_back(std::move(row));
      }
      if (rows.empty() || (stage_.drop_remainder_ && static_cast<int64_t>(rows.size()) < stage_.size_)) return false;
      out.clear();
      for (size_t k = 0; k < stage_.wanted_.size(); ++k) out.push_back(stage_.padded(rows, k));
      return true;
    }

   private:
    const PaddedBatch& stage_;
    RunPtr run_;
  };

  Tensor padded(const std::vector<Element>& rows, size_t k) const {
    std::vector<int64_t> dims = wanted_[k];
    for (const Element& row : rows) {
      const Shape& shape = row[k].shape();
      if (shape.rank() != static_cast<int>(dims.size()))
        invalid("All elements in a batch must have the same rank as the padded shape for component ", k,
                ": expected rank ", dims.size(), " but got element with rank ", shape.rank());
      for (size_t d = 0; d < dims.size(); ++d) {
        const int64_t size = shape[static_cast<int>(d)];
        if (wanted_[k][d] < 0) dims[d] = std::max(dims[d], size);
        else if (size > dims[d])
          throw Error(ErrorKind::kDataLoss,
                      str("Attempted to pad to a smaller size than the input element: component ", k, ", dimension ", d,
                          " has size ", size, ", the padded shape ", dims[d]));
      }
    }
    for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
    std::vector<int64_t> all{static_cast<int64_t>(rows.size())};
    all.insert(all.end(), dims.begin(), dims.end());
    Tensor result = Tensor::empty(padding_[k].dtype(), Shape(all));
    for (int64_t i = 0; i < result.elements(); ++i) copy_elements(result, i, padding_[k], 0, 1);
    const int64_t stride = Shape(dims).elements();
    for (size_t i = 0; i < rows.size(); ++i) place(result, static_cast<int64_t>(i) * stride, dims, rows[i][k]);
    return result;
  }

  // Copies a row's elements to where they are in the larger shape, one run along the last dimension at a time.
  static void place(Tensor& result, int64_t base, const std::vector<int64_t>& dims, const Tensor& row) {
    if (row.elements() == 0) return;
    if (dims.empty()) return copy_elements(result, base, row, 0, 1);
    const Shape& shape = row.shape();
    const int64_t run = shape[static_cast<int>(dims.size()) - 1];
    for (int64_t from = 0; from < row.elements(); from += run) {
      int64_t rest = from, to = 0, stride = 1;
      for (size_t d = dims.size(); d-- > 0;) {
        const int64_t size = shape[static_cast<int>(d)];
        to += rest % size * stride;
        rest /= size;
        stride *= dims[d];
      }
      copy_elements(result, base + to, row, from, run);
    }
  }

  StagePtr input_;
  int64_t size_;
  std::vector<std::vector<int64_t>> wanted_;  // -1: the largest size in the batch
  Element padding_;                           // one scalar per component
  bool drop_remainder_;
};

const StageRegistration padded_batch("PaddedBatchDatasetV2", [](const StageContext& m) -> Stage* {
  const auto count = static_cast<size_t>(m.attr("N", int64_t{0}));
  std::vector<std::vector<int64_t>> shapes;
  for (const Tensor& shape : m.inputs(2, count)) {
    const auto* dims = shape.data<int64_t>();
    shapes.emplace_back(dims, dims + shape.elements());
  }
  const auto padding = m.inputs(2 + count, count);
  return new PaddedBatch(m.dataset(0), m.integer(1), std::move(shapes), {padding.begin(), padding.end()},
                         m.flag(2 + 2 * count));
});

}  // namespace
}  // namespace footlight::data
