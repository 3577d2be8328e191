// Yields every `shards`-th element, starting with number `index`.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Shard final : public Stage {
 public:
  Shard(StagePtr input, int64_t shards, int64_t index) : input_(std::move(input)), shards_(shards), index_(index) {
    if (shards <= 0) invalid("Number of shards must be greater than zero (currently num_shards = ", shards, ").");
    if (index < 0 || index >= shards)
      invalid("Index must be between 0 and ", shards - 1, " (currently index = ", index, ").");
  }
  int64_t cardinality() const override {
    const int64_t count = input_->cardinality();
    return count < 0 ? count : count / shards_ + (index_ < count % shards_);
  }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Part>(StagePtr(this), index_, shards_, input_->start(start));
  }

 private:
  class Part final : public InputCursor {
   public:
    Part(StagePtr held, int64_t index, int64_t shards, CursorPtr input)
        : InputCursor("shard", std::move(held), std::move(input)), before_(index), between_(shards - 1) {}
    bool next(Element& out) override {
      if (!input_) return false;
      const int64_t passed = std::exchange(before_, between_);
      if (input_->skip(passed) == passed && input_->next(out)) return true;
      input_.reset();
      return false;
    }
    void own_state(State& s) override { s.number(before_, INT64_MAX); }

   private:
    int64_t before_, between_;
  };
  StagePtr input_;
  int64_t shards_, index_;
};

const StageRegistration shard("ShardDataset", [](const StageContext& m) -> Stage* {
  return new Shard(m.dataset(0), m.integer(1), m.integer(2));
});

}  // namespace
}  // namespace footlight::data
