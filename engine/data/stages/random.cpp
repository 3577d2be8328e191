// Source: an infinite sequence of random numbers.
#include "engine/data/stage_registry.h"
#include "engine/data/random_numbers.h"

namespace footlight::data {
namespace {

class Random final : public Stage {
 public:
  Random(uint64_t seed, uint64_t seed2, bool again) : seeds_(seed, seed2, again) {}
  int64_t cardinality() const override { return kInfinite; }
  CursorPtr open(const Start&) override { return std::make_unique<Numbers>(StagePtr(this), seeds_); }

 private:
  class Numbers final : public Cursor {
   public:
    Numbers(StagePtr held, Seeds& seeds) : Numbers(std::move(held), seeds, seeds.next()) {}
    bool next(Element& out) override {
      out.assign(1, Tensor::scalar(static_cast<int64_t>(words_.next())));
      return true;
    }
    void state(State& s) override {
      s.of("random");
      seeds_.state(s);
      words_.state(s);
    }

   private:
    Numbers(StagePtr held, Seeds& seeds, std::pair<uint64_t, uint64_t> drawn)
        : held_(std::move(held)), seeds_(seeds), words_(drawn.first, drawn.second) {}
    StagePtr held_;
    Seeds& seeds_;
    RandomWords words_;
  };
  Seeds seeds_;
};

const StageRegistration random("RandomDatasetV2", [](const StageContext& m) -> Stage* {
  return new Random(static_cast<uint64_t>(m.integer(0)), static_cast<uint64_t>(m.integer(1)),
                    m.attr("rerandomize_each_iteration", false));
});

}  // namespace
}  // namespace footlight::data
