// Sources: records, lines, and parts of fixed length, file after file.
#include "engine/data/input_file.h"
#include "engine/data/stage_registry.h"

#include <functional>

namespace footlight::data {
namespace {

constexpr int64_t kDefaultBuffer = 256 << 10;

// Reads the next piece of an open file; false at its end.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual bool next(std::string& out) = 0;
};
using Open = std::function<std::unique_ptr<Reader>(const std::string& path)>;

class Files final : public Stage {
 public:
  Files(std::vector<std::string> paths, Open open) : paths_(std::move(paths)), open_(std::move(open)) {
    types = {DType::kString};
    shapes = {Shape()};
  }
  CursorPtr open(const Start& start) override { return std::make_unique<Pieces>(StagePtr(this), *this, start.run); }

 private:
  class Pieces final : public Cursor {
   public:
    Pieces(StagePtr held, const Files& stage, RunPtr run)
        : held_(std::move(held)), stage_(stage), run_(std::move(run)) {}
    bool next(Element& out) override {
      for (;;) {
        run_->check();
        if (!reader_) {
          if (at_ == stage_.paths_.size()) return false;
          reader_ = stage_.open_(stage_.paths_[at_++]);
          count_ = 0;
        }
        std::string piece;
        try {
          if (reader_->next(piece)) {
            ++count_;
            out.assign(1, Tensor::string(std::move(piece)));
            return true;
          }
        } catch (...) {
          reader_.reset();  // the next call opens the next file
          throw;
        }
        reader_.reset();
      }
    }
    void state(State& s) override {
      s.of("files");
      uint64_t count = count_;
      if (!s.in_files(at_, stage_.paths_.size(), count, reader_ != nullptr)) return;
      reader_ = stage_.open_(stage_.paths_[at_ - 1]);
      std::string passed;
      for (count_ = 0; count_ < count; ++count_)
        if (!reader_->next(passed)) State::wrong();
    }

   private:
    StagePtr held_;
    const Files& stage_;
    RunPtr run_;
    std::unique_ptr<Reader> reader_;
    size_t at_ = 0;
    uint64_t count_ = 0;  // pieces of this file that were yielded
  };
  const std::vector<std::string> paths_;
  const Open open_;
};

size_t buffer_size(int64_t said) {
  if (said < 0) invalid("`buffer_size` must be >= 0 (0 == default)");
  return static_cast<size_t>(said ? said : kDefaultBuffer);
}

class Records final : public Reader {
 public:
  Records(const std::string& path, Compression compression, size_t buffer, int64_t offset)
      : file_(path, compression, buffer) {
    if (offset > 0) file_.skip(static_cast<uint64_t>(offset));
  }
  bool next(std::string& out) override { return read_record(file_, out); }

 private:
  InputFile file_;
};

class Lines final : public Reader {
 public:
  Lines(const std::string& path, Compression compression, size_t buffer) : file_(path, compression, buffer) {}
  bool next(std::string& out) override { return file_.line(out); }

 private:
  InputFile file_;
};

// Reads ahead, because what is left is the footer once less than a record and a footer remain.
class Fixed final : public Reader {
 public:
  struct Sizes {
    int64_t header, record, footer;
  };
  Fixed(const std::string& path, Compression compression, size_t buffer, Sizes sizes)
      : file_(path, compression, buffer), sizes_(sizes) {
    if (file_.skip(static_cast<uint64_t>(sizes.header)) < static_cast<uint64_t>(sizes.header))
      invalid(path, " is shorter than its header of ", sizes.header, " bytes");
  }
  bool next(std::string& out) override {
    const auto record = static_cast<size_t>(sizes_.record), footer = static_cast<size_t>(sizes_.footer);
    const size_t had = ahead_.size(), wanted = record + footer;
    ahead_.resize(wanted);
    const size_t now = had + file_.read(ahead_.data() + had, wanted - had);
    ahead_.resize(now);
    if (now == wanted) {
      out = ahead_.substr(0, record);
      ahead_.erase(0, record);
      return true;
    }
    if (now != footer)
      invalid("Excess bytes: the file ", file_.path(), " has a header of ", sizes_.header, ", a footer of ",
              sizes_.footer, " and records of ", sizes_.record, " bytes, and ", now, " bytes are left");
    return false;
  }

 private:
  InputFile file_;
  Sizes sizes_;
  std::string ahead_;
};

const StageRegistration records("TFRecordDatasetV2", [](const StageContext& m) -> Stage* {
  const Compression compression = compression_of(m.text(1));
  const size_t buffer = buffer_size(m.integer(2));
  const auto paths = m.texts(0);
  const Tensor& offsets = m.inputs()[3];
  std::vector<int64_t> given(offsets.data<int64_t>(), offsets.data<int64_t>() + offsets.elements());
  if (!given.empty() && given.size() != paths.size())
    invalid("filenames and byte_offsets must have the same number of elements");
  auto left = std::make_shared<std::vector<std::pair<std::string, int64_t>>>();
  for (size_t i = 0; i < given.size(); ++i) left->emplace_back(paths[i], given[i]);
  return new Files(paths, [=](const std::string& path) {
    int64_t offset = 0;
    for (const auto& [of, bytes] : *left)
      if (of == path) offset = bytes;
    return std::make_unique<Records>(path, compression, buffer, offset);
  });
});

const StageRegistration lines("TextLineDataset", [](const StageContext& m) -> Stage* {
  const Compression compression = compression_of(m.text(1));
  const size_t buffer = buffer_size(m.integer(2));
  return new Files(m.texts(0), [=](const std::string& path) {
    return std::make_unique<Lines>(path, compression, buffer);
  });
});

const StageRegistration fixed("FixedLengthRecordDatasetV2", [](const StageContext& m) -> Stage* {
  const Fixed::Sizes sizes{m.integer(1), m.integer(2), m.integer(3)};
  constexpr int64_t kMax = int64_t{1} << 40;
  if (sizes.header < 0 || sizes.header > kMax) invalid("header_bytes must be >= 0");
  if (sizes.record <= 0 || sizes.record > kMax) invalid("record_bytes must be > 0");
  if (sizes.footer < 0 || sizes.footer > kMax) invalid("footer_bytes must be >= 0");
  const size_t buffer = buffer_size(m.integer(4));
  const Compression compression = compression_of(m.text(5));
  return new Files(m.texts(0), [=](const std::string& path) {
    return std::make_unique<Fixed>(path, compression, buffer, sizes);
  });
});

}  // namespace
}  // namespace footlight::data
