// Computes (next state, output) = f(state, element) and yields the outputs.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Scan final : public Stage {
 public:
  Scan(StagePtr input, Element initial, Function function)
      : input_(std::move(input)), initial_(std::move(initial)), function_(std::move(function)) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Scanned>(StagePtr(this), *this, *start.run, input_->start(start));
  }

 private:
  class Scanned final : public InputCursor {
   public:
    Scanned(StagePtr held, const Scan& stage, Run& run, CursorPtr input)
        : InputCursor("scan", std::move(held), std::move(input)), function_(stage.function_.in(run)),
          state_(stage.initial_) {}
    bool next(Element& out) override {
      if (!input_->next(element_)) return false;
      arguments_ = state_;
      arguments_.insert(arguments_.end(), element_.begin(), element_.end());
      function_.call_for_each(arguments_, results_);
      const auto middle = results_.begin() + static_cast<ptrdiff_t>(state_.size());
      std::move(results_.begin(), middle, state_.begin());
      out.assign(std::make_move_iterator(middle), std::make_move_iterator(results_.end()));
      return true;
    }
    void own_state(State& s) override {
      s.stateless(function_);
      std::vector<DType> types;
      for (const Tensor& tensor : state_) types.push_back(tensor.dtype());
      s.tensors(state_, types, function_.argument_shapes(types.size()));
    }

   private:
    Function function_;
    Element state_, element_, arguments_, results_;
  };
  StagePtr input_;
  Element initial_;
  Function function_;
};

const StageRegistration scan("ScanDataset", [](const StageContext& m) -> Stage* {
  const size_t states = m.list_size("Tstate");
  const auto initial = m.inputs(1, states);
  return new Scan(m.dataset(0), {initial.begin(), initial.end()}, m.function("f", m.inputs(1 + states)));
});

}  // namespace
}  // namespace footlight::data
