// Yields the elements of the datasets f(element), one dataset after the other.
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class FlatMap final : public Stage {
 public:
  FlatMap(StagePtr input, Function function) : input_(std::move(input)), function_(std::move(function)) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Flat>(StagePtr(this), *this, function_.in(*start.run), start, input_->start(start));
  }

 private:
  class Flat final : public Cursor {
   public:
    Flat(StagePtr held, const FlatMap& stage, Function function, const Start& start, CursorPtr input)
        : held_(std::move(held)), input_stage_(stage.input_), function_(std::move(function)), start_(start),
          input_(std::move(input)) {}
    bool next(Element& out) override {
      for (;;) {
        if (inner_) {
          if (inner_->next(out)) return true;
          inner_.reset();
          start_.run->check();
        }
        if (!input_->next(from_)) return false;
        inner_ = begin();
      }
    }
    void state(State& s) override {
      s.of("flat_map");
      s.stateless(function_);
      s.input(input_);
      bool inside = inner_ != nullptr;
      s.flag(inside);
      if (!inside) return;
      s.element(from_, *input_stage_);
      s.input(inner_, [this] { return begin(); });
    }

   private:
    CursorPtr begin() const {
      Element dataset;
      function_.call(from_, dataset);
      return stage_of(dataset[0])->start(start_);
    }

    StagePtr held_;
    const StagePtr& input_stage_;
    Function function_;
    Start start_;
    CursorPtr input_, inner_;
    Element from_;  // the element from which the inner dataset was made
  };
  StagePtr input_;
  Function function_;
};

const StageRegistration flat_map("FlatMapDataset", [](const StageContext& m) -> Stage* {
  return new FlatMap(m.dataset(0), m.function("f", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
