// The elements of the datasets that f(element) gives, one dataset after the other.
#include "engine/data/make.h"

namespace footlight::data {
namespace {

class FlatMap final : public Stage {
 public:
  FlatMap(StagePtr input, Function function) : input_(std::move(input)), function_(std::move(function)) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Flat>(StagePtr(this), function_.in(*start.run), start, input_->start(start));
  }

 private:
  class Flat final : public Cursor {
   public:
    Flat(StagePtr stage, Function function, const Start& start, CursorPtr input)
        : stage_(std::move(stage)), function_(std::move(function)), start_(start), input_(std::move(input)) {}
    bool next(Element& out) override {
      for (;;) {
        if (inner_) {
          if (inner_->next(out)) return true;
          inner_.reset();
          start_.run->check();
        }
        if (!input_->next(out)) return false;
        function_.call(out, out);
        inner_ = stage_of(out[0])->start(start_);
      }
    }

   private:
    StagePtr stage_;
    Function function_;
    Start start_;
    CursorPtr input_, inner_;
  };
  StagePtr input_;
  Function function_;
};

const MakerOf flat_map("FlatMapDataset", [](const Making& m) -> Stage* {
  return new FlatMap(m.dataset(0), m.function("f", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
