// Keeps elements in memory during the first complete iteration, for all later ones.
#include "engine/data/stage_registry.h"
#include "engine/data/stages/file_cache.h"

namespace footlight::data {
namespace {

using Elements = std::vector<Element>;

class Cache final : public Stage {
 public:
  explicit Cache(StagePtr input) : input_(std::move(input)) {}
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    const auto all = kept();
    return std::make_unique<Cached>(StagePtr(this), *this, start, all, all ? nullptr : input_->start(start));
  }

 private:
  std::shared_ptr<const Elements> kept() {
    const std::lock_guard lock(mutex_);
    return kept_;
  }

  std::shared_ptr<const Elements> keep(Elements all) {
    const std::lock_guard lock(mutex_);
    if (!kept_) kept_ = std::make_shared<const Elements>(std::move(all));
    return kept_;
  }

  class Cached final : public Cursor {
   public:
    Cached(StagePtr held, Cache& cache, const Start& start, std::shared_ptr<const Elements> all, CursorPtr input)
        : held_(std::move(held)), cache_(cache), start_(start), all_(std::move(all)), input_(std::move(input)) {}
    bool next(Element& out) override {
      if (all_) {
        if (at_ == all_->size()) return false;
        out = (*all_)[at_++];
        return true;
      }
      if (input_->next(out)) {
        collected_.push_back(out);
        return true;
      }
      input_.reset();
      all_ = cache_.keep(std::move(collected_));
      at_ = all_->size();
      return false;
    }
    void state(State& s) override {
      s.of("cache");
      bool complete = all_ != nullptr;
      s.flag(complete);
      Elements elements = all_ && !s.reads() ? *all_ : collected_;
      s.elements(elements, cache_);
      if (complete) {
        if (s.reads()) {
          input_.reset();
          all_ = cache_.keep(std::move(elements));
        }
        s.number(at_, all_->size());
        return;
      }
      if (s.reads()) {
        all_.reset();
        collected_ = std::move(elements);
      }
      s.input(input_, [this] { return cache_.input_->start(start_); });
      if (!input_) State::wrong();
    }

   private:
    StagePtr held_;
    Cache& cache_;
    const Start start_;
    std::shared_ptr<const Elements> all_;  // set once the cache is complete
    CursorPtr input_;
    Elements collected_;
    size_t at_ = 0;
  };

  StagePtr input_;
  std::mutex mutex_;
  std::shared_ptr<const Elements> kept_;
};

const StageRegistration cache("CacheDatasetV2", [](const StageContext& m) -> Stage* {
  if (const std::string path = m.text(1); !path.empty()) return file_cache(m.dataset(0), path);
  return new Cache(m.dataset(0));
});

}  // namespace
}  // namespace footlight::data
