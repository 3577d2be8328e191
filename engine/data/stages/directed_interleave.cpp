// Yields elements of several datasets; a dataset of numbers chooses the one for each element.
#include "engine/data/stage_registry.h"

#include <algorithm>

namespace footlight::data {
namespace {

class Directed final : public Stage {
 public:
  Directed(StagePtr selector, std::vector<StagePtr> inputs, bool stops)
      : selector_(std::move(selector)), inputs_(std::move(inputs)), stops_(stops) {}
  // Answers as TensorFlow does, whichever dataset ends first.
  int64_t cardinality() const override {
    const bool endless = std::ranges::any_of(inputs_, [](const StagePtr& i) { return i->cardinality() == kInfinite; });
    return endless ? kInfinite : kUnknown;
  }
  CursorPtr open(const Start& start) override {
    std::vector<CursorPtr> cursors;
    for (const StagePtr& input : inputs_) cursors.push_back(input->start(start));
    return std::make_unique<Chosen>(StagePtr(this), stops_, start.run, selector_->start(start), std::move(cursors));
  }

 private:
  class Chosen final : public Cursor {
   public:
    Chosen(StagePtr held, bool stops, RunPtr run, CursorPtr selector, std::vector<CursorPtr> inputs)
        : held_(std::move(held)), stops_(stops), run_(std::move(run)), selector_(std::move(selector)),
          inputs_(std::move(inputs)), left_(inputs_.size()) {}
    bool next(Element& out) override {
      Element number;
      while (left_ && selector_->next(number)) {
        run_->check();
        const int64_t chosen = *number[0].data<int64_t>();
        if (chosen < 0 || chosen >= static_cast<int64_t>(inputs_.size()))
          invalid("Selector index out of range: ", chosen, " >= ", inputs_.size());
        CursorPtr& input = inputs_[static_cast<size_t>(chosen)];
        if (!input) continue;
        if (input->next(out)) return true;
        input.reset();
        left_ = stops_ ? 0 : left_ - 1;
      }
      left_ = 0;
      return false;
    }
    void state(State& s) override {
      s.of("choose");
      bool ended = left_ == 0;
      s.flag(ended);
      left_ = 0;
      s.input(selector_);
      for (CursorPtr& input : inputs_) {
        s.input(input);
        left_ += input && !ended;
      }
    }

   private:
    StagePtr held_;
    const bool stops_;
    RunPtr run_;
    CursorPtr selector_;
    std::vector<CursorPtr> inputs_;
    size_t left_;
  };
  StagePtr selector_;
  std::vector<StagePtr> inputs_;
  bool stops_;
};

const StageRegistration directed("DirectedInterleaveDataset", [](const StageContext& m) -> Stage* {
  std::vector<StagePtr> inputs;
  for (size_t i = 1; i < m.inputs().size(); ++i) inputs.push_back(m.dataset(i));
  return new Directed(m.dataset(0), std::move(inputs), m.attr("stop_on_empty_dataset", false));
});

}  // namespace
}  // namespace footlight::data
