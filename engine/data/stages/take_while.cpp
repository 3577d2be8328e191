// Yields elements up to the first for which a predicate does not hold.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class TakeWhile final : public Stage {
 public:
  TakeWhile(StagePtr input, Function predicate) : input_(std::move(input)), predicate_(std::move(predicate)) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Taken>(StagePtr(this), predicate_.in(*start.run), input_->start(start));
  }

 private:
  class Taken final : public InputCursor {
   public:
    Taken(StagePtr held, Function predicate, CursorPtr input)
        : InputCursor("take_while", std::move(held), std::move(input)), predicate_(std::move(predicate)) {}
    bool next(Element& out) override {
      if (!input_) return false;
      if (input_->next(out) && predicate_.truth(out)) return true;
      input_.reset();
      return false;
    }
    void own_state(State& s) override { s.stateless(predicate_); }

   private:
    Function predicate_;
  };
  StagePtr input_;
  Function predicate_;
};

const StageRegistration take_while("TakeWhileDataset", [](const StageContext& m) -> Stage* {
  return new TakeWhile(m.dataset(0), m.function("predicate", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
