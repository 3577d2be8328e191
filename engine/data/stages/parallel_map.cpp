// Computes f(element) on several threads. They pull in turn and map in parallel; results come in the order of the
// input, or as they finish.
#include "engine/base/clock.h"
#include "engine/data/stage_registry.h"
#include "engine/data/worker_queue.h"

#include <algorithm>
#include <deque>

namespace footlight::data {
namespace {

class ParallelMap final : public Stage {
 public:
  ParallelMap(StagePtr input, Function function, int64_t calls, const std::string& deterministic)
      : input_(std::move(input)), function_(std::move(function)), calls_(calls) {
    if (calls < 1 && calls != -1) invalid("num_parallel_calls must be greater than zero.");
    if (deterministic == "true") deterministic_ = true;
    if (deterministic == "false") deterministic_ = false;
  }
  int64_t cardinality() const override { return input_->cardinality(); }
  bool batches_keep_places() const override { return true; }
  CursorPtr open(const Start& start) override {
    const bool ordered = deterministic_.value_or(start.options.deterministic.value_or(true));
    const int threads = calls_ < 0 ? autotune_threads() : static_cast<int>(std::min<int64_t>(calls_, 256));
    if (start.track) start.track->set_own_threads();
    return std::make_unique<Mapped>(StagePtr(this), function_.in(*start.run), threads, ordered, start,
                                    input_->start(start));
  }

 private:
  class Mapped final : public Cursor {
   public:
    Mapped(StagePtr held, Function function, int threads, bool ordered, const Start& start, CursorPtr input)
        : held_(std::move(held)), function_(std::move(function)), threads_(threads), ordered_(ordered),
          input_(std::move(input)), workers_(start.run, start.track) {}

    bool next(Element& out) override {
      if (!workers_.started())
        workers_.start(threads_, [this, wanted = size_t{1}](WorkScope& scope) mutable { return work(scope, wanted); });
      while (!now_ || at_ == now_->items.size()) {
        now_.reset();
        if (!take_block()) return false;
      }
      now_->items[at_++].give(out);
      return true;
    }

    // Worker threads keep finished elements in blocks; the state has them as one block.
    void state(State& s) override {
      s.of("map");
      s.stateless(function_);
      const auto idle = [this] { return std::ranges::all_of(blocks_, [](const BlockPtr& b) { return b->done; }); };
      workers_.run_while_paused(idle, [&] {
        std::vector<Outcome> all;
        if (now_) all.assign(now_->items.begin() + static_cast<ptrdiff_t>(at_), now_->items.end());
        for (const BlockPtr& block : blocks_)
          all.insert(all.end(), block->items.begin(), block->items.end());
        s.flag(ended_);
        s.outcomes(all, *held_);
        s.input(input_);
        if (!s.reads()) return;
        now_ = std::make_shared<Block>();
        now_->items = std::move(all);
      });
    }

   private:
    // Elements that are pulled and mapped together: several if they are cheap.
    struct Block {
      std::vector<Outcome> items;
      bool done = false;
    };
    using BlockPtr = std::shared_ptr<Block>;

    bool take_block() {
      std::unique_lock lock(workers_.mutex());
      std::deque<BlockPtr>::iterator found;
      workers_.wait_for_elements(lock, [&] {
        found = blocks_.begin();
        if (!ordered_) found = std::ranges::find_if(blocks_, [](const BlockPtr& b) { return b->done; });
        return (found != blocks_.end() && (*found)->done) || (ended_ && blocks_.empty());
      });
      if (blocks_.empty()) return false;
      now_ = std::move(*found);
      at_ = 0;
      blocks_.erase(found);
      ready_ -= now_->items.size();
      const size_t left = ready_;
      lock.unlock();
      workers_.record_length(left);
      workers_.room_freed().notify_one();
      return true;
    }

    bool work(WorkScope& work, size_t& wanted) {
      constexpr int64_t kWorthwhile = 50'000;  // ns for a block
      constexpr size_t kMax = 64;
      const BlockPtr block = std::make_shared<Block>();
      {
        std::unique_lock pulling(input_mutex_, std::defer_lock);
        {
          const Waiting waiting("its turn");
          pulling.lock();
        }
        if (!claim(block)) return false;
        pull(*block, wanted);
      }
      const int64_t begin = now_ns();
      for (Outcome& item : block->items) {
        if (item.failure) continue;
        try {
          function_.call_for_each(item.element, item.element);
        } catch (...) {
          item.failure = std::current_exception();
        }
        if (workers_.run().cancelled()) break;
      }
      const auto count = static_cast<int64_t>(block->items.size());
      const int64_t each = (now_ns() - begin) / std::max<int64_t>(1, count);
      wanted = std::clamp<size_t>(static_cast<size_t>(kWorthwhile / std::max<int64_t>(1, each)), 1, kMax);
      work.made(count);
      {
        const std::lock_guard lock(workers_.mutex());
        block->done = true;
        ready_ += block->items.size();
      }
      workers_.elements_added().notify_one();
      return true;
    }

    // Reserves a place in the order of results. False: nothing is left to do.
    bool claim(const BlockPtr& block) {
      std::unique_lock lock(workers_.mutex());
      const bool go_on = workers_.wait_for_room(
          lock, [&] { return ended_ || blocks_.size() < static_cast<size_t>(2 * threads_); });
      if (!go_on || ended_) return end();
      blocks_.push_back(block);
      return true;
    }
    bool end() {  // called with the lock held
      ended_ = true;
      workers_.room_freed().notify_all();
      workers_.elements_added().notify_all();
      return false;
    }

    void pull(Block& block, size_t wanted) {
      // Pulling stops after the time of a block: a slow source must not hold back elements that are there.
      const int64_t begin = now_ns();
      while (block.items.size() < wanted && (block.items.empty() || now_ns() - begin < 20'000)) {
        Outcome item;
        if (!item.pull(*input_)) {
          const std::lock_guard lock(workers_.mutex());
          end();
          return;
        }
        block.items.push_back(std::move(item));
      }
    }

    StagePtr held_;
    Function function_;
    const int threads_;
    const bool ordered_;
    CursorPtr input_;
    std::mutex input_mutex_;
    std::deque<BlockPtr> blocks_;
    size_t ready_ = 0;  // elements in finished blocks
    bool ended_ = false;
    BlockPtr now_;
    size_t at_ = 0;
    WorkerQueue workers_;
  };
  StagePtr input_;
  Function function_;
  int64_t calls_;
  std::optional<bool> deterministic_;
};

const StageRegistration parallel_map("ParallelMapDatasetV2", [](const StageContext& m) -> Stage* {
  const size_t captures = m.list_size("Targuments");
  return new ParallelMap(m.dataset(0), m.function("f", m.inputs(1, captures)), m.integer(1 + captures),
                         m.attr("deterministic", std::string("default")));
});

}  // namespace
}  // namespace footlight::data
