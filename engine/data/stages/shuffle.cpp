// Yields elements in random order: each is drawn from a buffer of the next ones.
#include "engine/data/stage_registry.h"
#include "engine/data/random_numbers.h"

namespace footlight::data {
namespace {

class Shuffle final : public Stage {
 public:
  Shuffle(StagePtr input, int64_t size, uint64_t seed, uint64_t seed2, bool again)
      : input_(std::move(input)), size_(size), seeds_(seed, seed2, again) {
    if (size < 1 && size != kUnknown) invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    return std::make_unique<Shuffled>(StagePtr(this), *this, start.run, input_->start(start));
  }

 private:
  class Shuffled final : public Cursor {
   public:
    Shuffled(StagePtr held, Shuffle& stage, RunPtr run, CursorPtr input)
        : Shuffled(std::move(held), stage, stage.seeds_.next(), std::move(run), std::move(input)) {}

    // The buffer is a ring from `first_` on; the first element moves to the place of the drawn one.
    bool next(Element& out) override {
      fill();
      if (!count_) return false;
      const size_t capacity = buffer_.size();
      const size_t drawn = (first_ + words_.next() % count_) % capacity;
      out.swap(buffer_[drawn]);
      buffer_[drawn].swap(buffer_[first_ % capacity]);
      ++first_;
      --count_;
      return true;
    }
    void state(State& s) override {
      s.of("shuffle");
      stage_.seeds_.state(s);
      words_.state(s);
      std::vector<Element> all;
      for (size_t i = 0; i < count_; ++i) all.push_back(buffer_[(first_ + i) % buffer_.size()]);
      s.elements(all, stage_);
      if (s.reads()) {
        first_ = 0;
        count_ = all.size();
        buffer_ = std::move(all);
      }
      s.input(input_);
    }

   private:
    void fill() {
      while (input_ && (size_ == kUnknown || count_ < static_cast<size_t>(size_))) {
        Element element;
        if (!input_->next(element)) {
          input_.reset();
          return;
        }
        if ((count_ & 1023) == 1023) run_->check();
        // Only the first filling makes the buffer longer: it starts at 0 then.
        if (count_ == buffer_.size()) buffer_.push_back(std::move(element));
        else buffer_[(first_ + count_) % buffer_.size()].swap(element);
        ++count_;
      }
    }

    Shuffled(StagePtr held, Shuffle& stage, std::pair<uint64_t, uint64_t> seeds, RunPtr run, CursorPtr input)
        : held_(std::move(held)), stage_(stage), size_(stage.size_), words_(seeds.first, seeds.second),
          run_(std::move(run)), input_(std::move(input)) {}

    StagePtr held_;
    Shuffle& stage_;
    int64_t size_;
    RandomWords words_;
    RunPtr run_;
    CursorPtr input_;
    std::vector<Element> buffer_;
    size_t first_ = 0, count_ = 0;
  };
  StagePtr input_;
  int64_t size_;
  Seeds seeds_;
};

const StageRegistration shuffle("ShuffleDatasetV3", [](const StageContext& m) -> Stage* {
  return new Shuffle(m.dataset(0), m.integer(1), static_cast<uint64_t>(m.integer(2)),
                     static_cast<uint64_t>(m.integer(3)), m.attr("reshuffle_each_iteration", true));
});

void stand_in(KernelContext& context) { context.outputs[0] = Tensor::resource(new StageResource(context.row.name)); }
const KernelRegistration seed_generator("DummySeedGenerator", stand_in);
const KernelRegistration memory_cache("DummyMemoryCache", stand_in);

}  // namespace
}  // namespace footlight::data
