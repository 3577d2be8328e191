// Keeps elements in a file during the first complete iteration, for all later ones and later processes; also reads
// elements of a saved file.
#include "engine/data/stages/file_cache.h"

#include "engine/data/element_file.h"
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class FileCache final : public Stage {
 public:
  FileCache(StagePtr input, std::string path, Compression compression)
      : input_(std::move(input)), path_(std::move(path)), compression_(compression) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  CursorPtr open(const Start& start) override {
    if (file_exists(path_)) return read_elements(StagePtr(this), path_, compression_);
    return std::make_unique<Writing>(StagePtr(this), path_, compression_, input_->start(start));
  }

 private:
  class Writing final : public Cursor {
   public:
    Writing(StagePtr held, const std::string& path, Compression compression, CursorPtr input)
        : held_(std::move(held)), input_(std::move(input)), writer_(path, compression) {}
    bool next(Element& out) override {
      if (!input_) return false;
      if (input_->next(out)) {
        writer_.write(out);
        return true;
      }
      input_.reset();
      writer_.finish();
      return false;
    }
    void state(State&) override {
      throw Error(ErrorKind::kUnimplemented, "an iterator that is writing the file of a cache or a snapshot cannot be "
                  "saved: iterate over the dataset once, so that the file is complete");
    }

   private:
    StagePtr held_;
    CursorPtr input_;
    ElementWriter writer_;
  };
  StagePtr input_;
  const std::string path_;
  const Compression compression_;
};

const StageRegistration kept("ElementFileCacheDataset", [](const StageContext& m) -> Stage* {
  return new FileCache(m.dataset(0), m.text(1), compression_of(m.attr("compression", std::string())));
});

}  // namespace

Stage* file_cache(StagePtr input, std::string path) {
  return new FileCache(std::move(input), std::move(path), Compression::kNone);
}

}  // namespace footlight::data
