// Elements kept in memory by the first complete iteration, for all that follow.
#include "engine/data/make.h"
#include "engine/data/stages/file_cache.h"

namespace footlight::data {
namespace {

using Elements = std::vector<Element>;

class Cache final : public Stage {
 public:
  explicit Cache(StagePtr input) : input_(std::move(input)) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    if (const auto all = kept()) return std::make_unique<Reader>(StagePtr(this), all);
    return std::make_unique<Writer>(StagePtr(this), *this, input_->start(start));
  }

 private:
  std::shared_ptr<const Elements> kept() {
    const std::lock_guard lock(mutex_);
    return kept_;
  }

  class Reader final : public Cursor {
   public:
    Reader(StagePtr held, std::shared_ptr<const Elements> all) : held_(std::move(held)), all_(std::move(all)) {}
    bool next(Element& out) override {
      if (at_ == all_->size()) return false;
      out = (*all_)[at_++];
      return true;
    }

   private:
    StagePtr held_;
    std::shared_ptr<const Elements> all_;
    size_t at_ = 0;
  };

  class Writer final : public Cursor {
   public:
    Writer(StagePtr held, Cache& cache, CursorPtr input)
        : held_(std::move(held)), cache_(cache), input_(std::move(input)) {}
    bool next(Element& out) override {
      if (!input_) return false;
      if (input_->next(out)) {
        all_->push_back(out);
        return true;
      }
      input_.reset();
      const std::lock_guard lock(cache_.mutex_);
      if (!cache_.kept_) cache_.kept_ = std::move(all_);
      return false;
    }

   private:
    StagePtr held_;
    Cache& cache_;
    CursorPtr input_;
    std::shared_ptr<Elements> all_ = std::make_shared<Elements>();
  };

  StagePtr input_;
  std::mutex mutex_;
  std::shared_ptr<const Elements> kept_;
};

const MakerOf cache("CacheDatasetV2", [](const Making& m) -> Stage* {
  if (const std::string path = m.text(1); !path.empty()) return file_cache(m.dataset(0), path);
  return new Cache(m.dataset(0));
});

}  // namespace
}  // namespace footlight::data
