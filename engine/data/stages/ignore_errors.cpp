// Drops elements that fail; and checks that a dataset has as many elements as declared.
#include "engine/base/text.h"
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"
#include "engine/data/worker_queue.h"

#include <cstdio>

namespace footlight::data {
namespace {

class IgnoreErrors final : public Stage {
 public:
  IgnoreErrors(StagePtr input, bool warns) : input_(std::move(input)), warns_(warns) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Good>(StagePtr(this), warns_, start.run, input_->start(start));
  }

 private:
  class Good final : public InputCursor {
   public:
    Good(StagePtr held, bool warns, RunPtr run, CursorPtr input)
        : InputCursor("ignore_errors", std::move(held), std::move(input)), warns_(warns), run_(std::move(run)) {}
    bool next(Element& out) override {
      for (;;) {
        run_->check();
        try {
          return input_->next(out);
        } catch (const Error& e) {
          if (e.kind() == ErrorKind::kCancelled) throw;
          if (warns_) std::fprintf(stderr, "Left out an element that could not be made: %s\n", e.message().c_str());
        }
      }
    }

   private:
    const bool warns_;
    RunPtr run_;
  };
  StagePtr input_;
  bool warns_;
};

class Counted final : public Stage {
 public:
  Counted(StagePtr input, int64_t count) : input_(std::move(input)), count_(count) {}
  int64_t cardinality() const override { return count_; }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Counting>(StagePtr(this), count_, input_->start(start));
  }

 private:
  class Counting final : public InputCursor {
   public:
    Counting(StagePtr held, int64_t wanted, CursorPtr input)
        : InputCursor("assert_cardinality", std::move(held), std::move(input)), wanted_(wanted) {}
    bool next(Element& out) override {
      if (input_->next(out)) {
        if (++seen_ > wanted_ && wanted_ >= 0)
          fail(ErrorKind::kFailedPrecondition, "Input dataset was expected to contain ", wanted_,
               " elements but contained at least ", seen_, " elements.");
        return true;
      }
      if (wanted_ == kInfinite || (wanted_ >= 0 && seen_ != wanted_))
        throw EndedEarly(ErrorKind::kFailedPrecondition,
                         str("Input dataset was expected to contain ",
                             wanted_ < 0 ? std::string("an infinite number of") : std::to_string(wanted_),
                             " elements but contained only ", seen_, " elements."));
      return false;
    }
    void own_state(State& s) override { s.number(seen_, INT64_MAX - 1); }

   private:
    int64_t wanted_, seen_ = 0;
  };
  StagePtr input_;
  int64_t count_;
};

const StageRegistration ignore_errors("IgnoreErrorsDataset",
                            [](const StageContext& m) -> Stage* {
                              return new IgnoreErrors(m.dataset(0), m.attr("log_warning", false));
                            });
const StageRegistration assert_cardinality("AssertCardinalityDataset", [](const StageContext& m) -> Stage* {
  return new Counted(m.dataset(0), m.integer(1));
});

}  // namespace
}  // namespace footlight::data
