// f(element) in several threads. They pull in turn and run side by side; results come in the order of the input, or as
// they are ready.
#include "engine/base/clock.h"
#include "engine/data/crew.h"
#include "engine/data/make.h"

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
  CursorPtr start(const Start& start) override {
    const bool ordered = deterministic_.value_or(start.options.deterministic.value_or(true));
    const int threads = calls_ < 0 ? automatic_threads() : static_cast<int>(std::min<int64_t>(calls_, 256));
    return std::make_unique<Mapped>(StagePtr(this), function_.in(*start.run), threads, ordered, start.run,
                                    input_->start(start));
  }

 private:
  class Mapped final : public Cursor {
   public:
    Mapped(StagePtr held, Function function, int threads, bool ordered, RunPtr run, CursorPtr input)
        : held_(std::move(held)), function_(std::move(function)), threads_(threads), ordered_(ordered),
          run_(std::move(run)), input_(std::move(input)), crew_(run_) {}
    ~Mapped() override {
      {
        const std::lock_guard lock(mutex_);
        stop_ = true;
      }
      room_.notify_all();
      crew_.join();
    }

    bool next(Element& out) override {
      if (!crew_.started()) crew_.start(threads_, [this] { work(); });
      while (!now_ || at_ == now_->items.size()) {
        now_.reset();
        if (!take_block()) return false;
      }
      Item& item = now_->items[at_++];
      if (item.failure) std::rethrow_exception(item.failure);
      out = std::move(item.element);
      return true;
    }

   private:
    struct Item {
      Element element;
      std::exception_ptr failure;
    };
    // Elements that are pulled and mapped together: more than one where they cost little.
    struct Block {
      std::vector<Item> items;
      bool done = false;
    };
    using BlockPtr = std::shared_ptr<Block>;

    bool take_block() {
      std::unique_lock lock(mutex_);
      std::deque<BlockPtr>::iterator found;
      run_->wait(lock, finished_, [&] {
        found = blocks_.begin();
        if (!ordered_) found = std::ranges::find_if(blocks_, [](const BlockPtr& b) { return b->done; });
        return (found != blocks_.end() && (*found)->done) || (ended_ && blocks_.empty());
      });
      if (blocks_.empty()) return false;
      now_ = std::move(*found);
      at_ = 0;
      blocks_.erase(found);
      lock.unlock();
      room_.notify_one();
      return true;
    }

    void work() {
      constexpr int64_t kWorthwhile = 50'000;  // ns for a block
      constexpr size_t kMost = 64;
      size_t wanted = 1;
      for (;;) {
        const BlockPtr block = std::make_shared<Block>();
        {
          const std::lock_guard pulling(input_mutex_);
          if (!claim(block)) return;
          pull(*block, wanted);
        }
        const int64_t begin = now_ns();
        for (Item& item : block->items) {
          if (item.failure) continue;
          try {
            function_.call(item.element, item.element);
          } catch (...) {
            item.failure = std::current_exception();
          }
          if (run_->cancelled()) break;
        }
        const int64_t each = (now_ns() - begin) / static_cast<int64_t>(std::max<size_t>(1, block->items.size()));
        wanted = std::clamp<size_t>(static_cast<size_t>(kWorthwhile / std::max<int64_t>(1, each)), 1, kMost);
        {
          const std::lock_guard lock(mutex_);
          block->done = true;
        }
        finished_.notify_one();
      }
    }

    // A place in the order of results. False: nothing is to be done any more.
    bool claim(const BlockPtr& block) {
      std::unique_lock lock(mutex_);
      try {
        run_->wait(lock, room_, [&] {
          return stop_ || ended_ || blocks_.size() < static_cast<size_t>(2 * threads_);
        });
      } catch (...) {
        stop_ = true;
      }
      if (stop_ || ended_) return end();
      blocks_.push_back(block);
      return true;
    }
    bool end() {  // with the lock
      ended_ = true;
      room_.notify_all();
      finished_.notify_all();
      return false;
    }

    void pull(Block& block, size_t wanted) {
      // Not longer than a block should take: a source that waits must not hold back what is there.
      const int64_t begin = now_ns();
      while (block.items.size() < wanted && (block.items.empty() || now_ns() - begin < 20'000)) {
        Item item;
        try {
          if (!input_->next(item.element)) {
            const std::lock_guard lock(mutex_);
            end();
            return;
          }
        } catch (...) {
          item.failure = std::current_exception();
        }
        block.items.push_back(std::move(item));
      }
    }

    StagePtr held_;
    Function function_;
    const int threads_;
    const bool ordered_;
    RunPtr run_;
    CursorPtr input_;
    std::mutex input_mutex_, mutex_;
    std::condition_variable finished_, room_;
    std::deque<BlockPtr> blocks_;
    bool stop_ = false, ended_ = false;
    BlockPtr now_;
    size_t at_ = 0;
    Crew crew_;
  };
  StagePtr input_;
  Function function_;
  int64_t calls_;
  std::optional<bool> deterministic_;
};

const MakerOf parallel_map("ParallelMapDatasetV2", [](const Making& m) -> Stage* {
  const size_t captures = m.list_size("Targuments");
  return new ParallelMap(m.dataset(0), m.function("f", m.inputs(1, captures)), m.integer(1 + captures),
                         m.attr("deterministic", std::string("default")));
});

}  // namespace
}  // namespace footlight::data
