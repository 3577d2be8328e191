// Source: numbers from `start` up to, but not including, `stop`.
#include "engine/data/stage_registry.h"

#include <algorithm>

namespace footlight::data {
namespace {

class Range final : public Stage {
 public:
  Range(int64_t start, int64_t stop, int64_t step, DType dtype) : start_(start), step_(step), dtype_(dtype) {
    if (step == 0) invalid("step must be a non-zero integer.");
    const auto distance = [](int64_t from, int64_t to) {
      return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    };
    const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
    const bool any = step > 0 ? stop > start : start > stop;
    const uint64_t span = !any ? 0 : step > 0 ? distance(start, stop) : distance(stop, start);
    count_ = span / stride + (span % stride != 0);
    endless_ = any && stop == INT64_MAX;
  }
  // A range up to the largest integer counts as infinite, as that of `enumerate` does.
  int64_t cardinality() const override { return endless_ ? kInfinite : static_cast<int64_t>(count_); }
  CursorPtr open(const Start&) override { return std::make_unique<Numbers>(*this); }

 private:
  class Numbers final : public Cursor {
   public:
    explicit Numbers(const Range& range)
        : at_(static_cast<uint64_t>(range.start_)), step_(static_cast<uint64_t>(range.step_)), left_(range.count_),
          dtype_(range.dtype_) {}
    bool next(Element& out) override {
      if (!left_) return false;
      --left_;
      out.resize(1);
      const auto number = static_cast<int64_t>(at_);
      at_ += step_;
      switch (dtype_) {
        case DType::kInt32: out[0] = Tensor::scalar(static_cast<int32_t>(number)); break;
        case DType::kFloat32: out[0] = Tensor::scalar(static_cast<float>(number)); break;
        case DType::kFloat64: out[0] = Tensor::scalar(static_cast<double>(number)); break;
        case DType::kInt16: out[0] = Tensor::scalar(static_cast<int16_t>(number)); break;
        case DType::kUInt8: out[0] = Tensor::scalar(static_cast<uint8_t>(number)); break;
        case DType::kInt8: out[0] = Tensor::scalar(static_cast<int8_t>(number)); break;
        case DType::kUInt16: out[0] = Tensor::scalar(static_cast<uint16_t>(number)); break;
        case DType::kUInt32: out[0] = Tensor::scalar(static_cast<uint32_t>(number)); break;
        case DType::kUInt64: out[0] = Tensor::scalar(static_cast<uint64_t>(number)); break;
        default: out[0] = Tensor::scalar(number);
      }
      return true;
    }
    int64_t skip(int64_t count) override {
      const uint64_t passed = std::min(static_cast<uint64_t>(std::max<int64_t>(count, 0)), left_);
      at_ += step_ * passed;
      left_ -= passed;
      return static_cast<int64_t>(passed);
    }
    void state(State& s) override {
      s.of("range");
      uint64_t left = left_;
      s.number(left, left_);
      skip(static_cast<int64_t>(left_ - left));
    }

   private:
    uint64_t at_, step_, left_;
    DType dtype_;
  };
  int64_t start_, step_;
  uint64_t count_ = 0;
  bool endless_ = false;
  DType dtype_;
};

const StageRegistration range("RangeDataset", [](const StageContext& m) -> Stage* {
  const auto types = m.attr("output_types", std::vector<DType>{DType::kInt64});
  return new Range(m.integer(0), m.integer(1), m.integer(2), types.empty() ? DType::kInt64 : types[0]);
});

}  // namespace
}  // namespace footlight::data
