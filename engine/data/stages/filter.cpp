// Yields the elements for which a predicate holds.
#include "engine/data/input_cursor.h"
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
  class Chosen final : public InputCursor {
   public:
    Chosen(StagePtr stage, Function predicate, RunPtr run, CursorPtr input)
        : InputCursor("filter", std::move(stage), std::move(input)), predicate_(std::move(predicate)),
          run_(std::move(run)) {}
    bool next(Element& out) override {
      while (input_->next(out)) {
        if (predicate_.truth(out)) return true;
        run_->check();
      }
      return false;
    }
    void own_state(State& s) override { s.stateless(predicate_); }

   private:
    Function predicate_;
    RunPtr run_;
  };
  StagePtr input_;
  Function predicate_;
};

const StageRegistration filter("FilterDataset", [](const StageContext& m) -> Stage* {
  return new Filter(m.dataset(0), m.function("predicate", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
