// Yields elements of several datasets side by side until the first of them ends.
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Zip final : public Stage {
 public:
  explicit Zip(std::vector<StagePtr> inputs) : inputs_(std::move(inputs)) {}
  int64_t cardinality() const override {
    int64_t least = kInfinite;
    for (const StagePtr& input : inputs_) least = smaller_cardinality(least, input->cardinality());
    return least;
  }
  CursorPtr open(const Start& start) override {
    std::vector<CursorPtr> cursors;
    for (const StagePtr& input : inputs_) cursors.push_back(input->start(start));
    return std::make_unique<Zipped>(StagePtr(this), std::move(cursors));
  }

 private:
  class Zipped final : public Cursor {
   public:
    Zipped(StagePtr held, std::vector<CursorPtr> inputs) : held_(std::move(held)), inputs_(std::move(inputs)) {}
    bool next(Element& out) override {
      if (ended_) return false;
      // If one fails, the others are pulled too, so that they stay aligned.
      std::exception_ptr failure;
      out.clear();
      for (const CursorPtr& input : inputs_) {
        try {
          if (!input->next(part_)) {
            ended_ = true;
            break;
          }
          out.insert(out.end(), std::make_move_iterator(part_.begin()), std::make_move_iterator(part_.end()));
        } catch (...) {
          if (!failure) failure = std::current_exception();
        }
      }
      if (failure) std::rethrow_exception(failure);
      return !ended_;
    }
    void state(State& s) override {
      s.of("zip");
      s.flag(ended_);
      for (CursorPtr& input : inputs_) s.input(input);
    }

   private:
    StagePtr held_;
    std::vector<CursorPtr> inputs_;
    Element part_;
    bool ended_ = false;
  };
  std::vector<StagePtr> inputs_;
};

const StageRegistration zip("ZipDataset", [](const StageContext& m) -> Stage* {
  std::vector<StagePtr> inputs;
  for (size_t i = 0; i < m.inputs().size(); ++i) inputs.push_back(m.dataset(i));
  return new Zip(std::move(inputs));
});

}  // namespace
}  // namespace footlight::data
