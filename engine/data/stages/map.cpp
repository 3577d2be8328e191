// Yields f(element), computed on the thread that pulls.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Map final : public Stage {
 public:
  Map(StagePtr input, Function function) : input_(std::move(input)), function_(std::move(function)) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  bool batches_keep_places() const override { return true; }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Mapped>(StagePtr(this), function_.in(*start.run), input_->start(start));
  }

 private:
  class Mapped final : public InputCursor {
   public:
    Mapped(StagePtr stage, Function function, CursorPtr input)
        : InputCursor("map", std::move(stage), std::move(input)), function_(std::move(function)) {}
    bool next(Element& out) override {
      if (!input_->next(out)) return false;
      function_.call_for_each(out, out);
      return true;
    }
    void own_state(State& s) override { s.stateless(function_); }

   private:
    Function function_;
  };
  StagePtr input_;
  Function function_;
};

const StageRegistration map("MapDataset", [](const StageContext& m) -> Stage* {
  return new Map(m.dataset(0), m.function("f", m.inputs(1)));
});

}  // namespace
}  // namespace footlight::data
