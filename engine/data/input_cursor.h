// A cursor that takes its elements from one other, as those of most stages do.
#pragma once

#include "engine/data/state.h"

namespace footlight::data {

class InputCursor : public Cursor {
 public:
  void state(State& s) final {
    s.of(kind_);
    own_state(s);
    s.input(input_);
  }

 protected:
  // `kind` is what State::of() is given; `stage` is kept as long as the cursor.
  InputCursor(const char* kind, StagePtr stage, CursorPtr input)
      : input_(std::move(input)), kind_(kind), held_(std::move(stage)) {}
  // The values that it needs to go on, besides the position of its input.
  virtual void own_state(State&) {}

  CursorPtr input_;

 private:
  const char* const kind_;
  const StagePtr held_;
};

}  // namespace footlight::data
