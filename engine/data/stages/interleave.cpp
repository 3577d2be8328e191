// Yields elements of the datasets f(element), in turn from several of them.
#include "engine/data/thread_group.h"
#include "engine/data/stage_registry.h"
#include "engine/data/prefetching_cursor.h"
#include "engine/data/worker_queue.h"

#include <algorithm>

namespace footlight::data {
namespace {

class Interleave final : public Stage {
 public:
  // `ahead`: how many elements of each dataset worker threads prefetch; 0: no threads. `calls`: how many of these
  // threads compute an element at the same time; kAutotune: all.
  Interleave(StagePtr input, Function function, int64_t cycle, int64_t block, size_t ahead, int64_t calls)
      : input_(std::move(input)), function_(std::move(function)), cycle_(cycle), block_(block), ahead_(ahead),
        calls_(calls) {
    if (cycle == kAutotune) cycle_ = autotune_threads();
    if (cycle_ < 1) invalid("`cycle_length` must be > 0");
    if (block < 1) invalid("`block_length` must be > 0");
    if (calls < 1 && calls != kAutotune) invalid("num_parallel_calls must be greater than zero.");
    if (cycle != kAutotune && calls > cycle)
      invalid("If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a "
              "value less than or equal to `cycle_length`. However, `num_parallel_calls` is " + std::to_string(calls) +
              " and `cycle_length` is " + std::to_string(cycle));
  }
  CursorPtr open(const Start& start) override {
    return std::make_unique<InterleaveCursor>(StagePtr(this), *this, start, input_->start(start));
  }
  // TensorFlow calls an interleave of an endless dataset infinite only if it is parallel.
  int64_t cardinality() const override {
    return ahead_ && input_->cardinality() == kInfinite ? kInfinite : kUnknown;
  }

 private:
  class InterleaveCursor final : public Cursor {
   public:
    InterleaveCursor(StagePtr held, const Interleave& stage, const Start& start, CursorPtr input)
        : held_(std::move(held)), stage_(stage), function_(stage.function_.in(*start.run)), start_(start),
          input_(std::move(input)), open_(static_cast<size_t>(stage.cycle_)) {
      if (stage.calls_ != kAutotune && stage.calls_ < stage.cycle_)
        permits_ = std::make_shared<Permits>(stage.calls_);
    }

    bool next(Element& out) override {
      while (input_ || open_count_) {
        if (std::exception_ptr failure = std::exchange(open_[at_].from.failure, nullptr)) {
          --open_count_;
          if (stage_.ahead_) advance();  // otherwise its place is filled at once
          std::rethrow_exception(failure);
        }
        if (CursorPtr& now = open_[at_].cursor) {
          if (now->next(out)) {
            if (++taken_ == stage_.block_) advance();
            return true;
          }
          now.reset();
          --open_count_;
          advance();
        } else if (input_) {
          open();
          if (!open_[at_].taken()) advance();
        } else {
          advance();
        }
        start_.run->check();
      }
      return false;
    }
    void state(State& s) override {
      s.of("interleave");
      s.stateless(function_);
      s.input(input_);
      s.number(at_, open_.size() - 1);
      s.number(taken_, static_cast<uint64_t>(stage_.block_));
      for (Slot& place : open_) {
        bool there = place.cursor != nullptr;
        bool taken = place.taken();
        s.flag(there);
        s.flag(taken);
        if (!taken) continue;
        std::vector<Outcome> from{place.from};
        s.outcomes(from, *stage_.input_);
        if (from.size() != 1 || there == (from[0].failure != nullptr)) State::wrong();
        place.from = std::move(from[0]);
        if (there) s.input(place.cursor, [&] { return begin(place, false); });
      }
      open_count_ = static_cast<size_t>(std::ranges::count_if(open_, &Slot::taken));
    }

   private:
    struct Slot {
      CursorPtr cursor;
      Outcome from;  // the element its dataset was made from, or the error to throw when its turn comes
      bool taken() const { return cursor || from.failure; }
    };
    // Opens a dataset at a free place; with worker threads at all free places, so that they start together.
    void open() {
      for (size_t i = 0; i < (stage_.ahead_ ? open_.size() : 1) && input_; ++i) {
        Slot& place = open_[(at_ + i) % open_.size()];
        if (place.taken()) continue;
        if (!place.from.pull(*input_)) {
          input_.reset();
          return;
        }
        try {
          if (!place.from.failure) place.cursor = begin(place, true);
        } catch (...) {
          place.from.failure = std::current_exception();
        }
        ++open_count_;
      }
    }
    CursorPtr begin(const Slot& place, bool at_once) {
      Element dataset;
      function_.call(place.from.element, dataset);
      const StagePtr inner = stage_of(dataset[0]);
      CursorPtr cursor = inner->start(start_);
      if (!stage_.ahead_) return cursor;
      return prefetching_cursor(inner, stage_.ahead_, start_, std::move(cursor), at_once, permits_);
    }
    void advance() {
      at_ = (at_ + 1) % open_.size();
      taken_ = 0;
    }

    StagePtr held_;
    const Interleave& stage_;
    Function function_;
    Start start_;
    CursorPtr input_;
    PermitsPtr permits_;
    std::vector<Slot> open_;
    size_t open_count_ = 0, at_ = 0;
    int64_t taken_ = 0;
  };
  StagePtr input_;
  Function function_;
  int64_t cycle_, block_;
  size_t ahead_;
  int64_t calls_;
};

const StageRegistration interleave("InterleaveDataset", [](const StageContext& m) -> Stage* {
  const size_t captures = m.list_size("Targuments");
  return new Interleave(m.dataset(0), m.function("f", m.inputs(1, captures)), m.integer(1 + captures),
                        m.integer(2 + captures), 0, kAutotune);
});
const StageRegistration parallel_interleave("ParallelInterleaveDatasetV4", [](const StageContext& m) -> Stage* {
  constexpr int64_t kBlocksAhead = 2;
  const size_t captures = m.list_size("Targuments");
  const int64_t block = m.integer(2 + captures);
  const int64_t ahead = m.integer(3 + captures) > 0 ? m.integer(3 + captures) : kBlocksAhead * block;
  return new Interleave(m.dataset(0), m.function("f", m.inputs(1, captures)), m.integer(1 + captures), block,
                        static_cast<size_t>(std::min<int64_t>(ahead, 1 << 16)), m.integer(5 + captures));
});

}  // namespace
}  // namespace footlight::data
