// Sources: a single element made of tensors, and the rows of tensors.
#include "engine/data/stage_registry.h"
#include "engine/data/rows.h"

#include <algorithm>

namespace footlight::data {
namespace {

std::vector<DType> types_of(const Element& element) {
  std::vector<DType> types;
  for (const Tensor& tensor : element) types.push_back(tensor.dtype());
  return types;
}

class Tensors final : public Stage {
 public:
  explicit Tensors(Element element) : element_(std::move(element)) { types = types_of(element_); }
  int64_t cardinality() const override { return 1; }
  CursorPtr open(const Start&) override { return std::make_unique<Once>(StagePtr(this), element_); }

 private:
  class Once final : public Cursor {
   public:
    Once(StagePtr stage, const Element& element) : stage_(std::move(stage)), element_(element) {}
    bool next(Element& out) override {
      if (done_) return false;
      out = element_;
      return done_ = true;
    }
    void state(State& s) override {
      s.of("from_tensors");
      s.flag(done_);
    }

   private:
    StagePtr stage_;
    const Element& element_;
    bool done_ = false;
  };
  const Element element_;
};

class Slices final : public Stage {
 public:
  explicit Slices(Element tensors) : tensors_(std::move(tensors)) {
    types = types_of(tensors_);
    for (const Tensor& tensor : tensors_) {
      if (tensor.shape().rank() == 0) invalid("Unbatching a tensor is only supported for rank >= 1");
      if (tensor.shape()[0] != tensors_[0].shape()[0])
        invalid("All components must have the same size in the 0th dimension: they have ", tensors_[0].shape()[0],
                " and ", tensor.shape()[0]);
    }
  }
  int64_t cardinality() const override { return tensors_[0].shape()[0]; }
  CursorPtr open(const Start&) override { return std::make_unique<Rows>(StagePtr(this), tensors_); }

 private:
  class Rows final : public Cursor {
   public:
    Rows(StagePtr stage, const Element& tensors) : stage_(std::move(stage)) {
      for (const Tensor& tensor : tensors) slicers_.emplace_back(tensor);
      count_ = tensors[0].shape()[0];
    }
    bool next(Element& out) override {
      if (at_ == count_) return false;
      out.resize(slicers_.size());
      for (size_t k = 0; k < slicers_.size(); ++k) out[k] = slicers_[k].row(at_);
      ++at_;
      return true;
    }
    int64_t skip(int64_t count) override {
      const int64_t passed = std::min(count, count_ - at_);
      at_ += passed;
      return passed;
    }
    void state(State& s) override {
      s.of("from_tensor_slices");
      s.number(at_, static_cast<uint64_t>(count_));
    }

   private:
    StagePtr stage_;
    std::vector<RowSlicer> slicers_;
    int64_t at_ = 0, count_ = 0;
  };
  const Element tensors_;
};

Element copied(const StageContext& m) { return {m.inputs().begin(), m.inputs().end()}; }

const StageRegistration tensors("TensorDataset", [](const StageContext& m) -> Stage* {
  return new Tensors(copied(m));
});
const StageRegistration slices("TensorSliceDataset", [](const StageContext& m) -> Stage* {
  if (m.inputs().empty()) invalid("Invalid `tensors`. `tensors` should not be empty.");
  return new Slices(copied(m));
});

}  // namespace
}  // namespace footlight::data
