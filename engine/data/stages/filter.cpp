// Yields the elements for which a predicate holds.
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Filter final : public Stage {
 public:
  Filter(StagePtr input, Function predicate) : input_(std::move(input)), predicate_(std::move(predicate)) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Chosen>(StagePtr(this), predicate_.in(*start.run), start.run, input_->start(start));
  }

 private:
  class Chosen final : public Cursor {
   public:
    Chosen(StagePtr stage, Function predicate, RunPtr run, CursorPtr input)
        : stage_(std::move(stage)), predicate_(std::move(predicate)), run_(std::move(run)), input_(std::move(input)) {}
    bool next(Element& out) override {
      while (input_->next(out)) {
        if (predicate_.truth(out)) return true;
        run_->check();
      }
      return false;
    }
    void state(State& s) override {
      s.of("filter");
      s.stateless(predicate_);
      s.input(input_);
    }

   private:
    StagePtr stage_;
    Function predicate_;
    RunPtr run_;
    CursorPtr input_;
  };
  StagePtr input_;
  Function predicate_;
};

const StageRegistration filter("FilterDataset", [](const StageContext& m) -> Stage* {
  return new Filter(m.dataset(0), m.function("predicate", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
