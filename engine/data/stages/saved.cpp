// Datasets in files, as Dataset.save of TensorFlow writes them: a folder for each shard, a record for each tensor.
#include "engine/base/text.h"
#include "engine/data/input_file.h"
#include "engine/data/make.h"
#include "engine/data/tensor_message.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace footlight::data {
namespace {

constexpr int64_t kMostShards = 100'000;

class Saved final : public Stage {
 public:
  Saved(std::vector<std::string> paths, Compression compression)
      : paths_(std::move(paths)), compression_(compression) {}
  CursorPtr open(const Start& start) override { return std::make_unique<Read>(StagePtr(this), *this, start.run); }

 private:
  class Read final : public Cursor {
   public:
    Read(StagePtr held, const Saved& stage, RunPtr run)
        : held_(std::move(held)), stage_(stage), run_(std::move(run)) {}
    bool next(Element& out) override {
      for (;;) {
        run_->check();
        if (!file_ && !open()) return false;
        if (element(out)) break;
        file_.reset();
      }
      ++count_;
      if (!fits(out, stage_.types, stage_.shapes))
        fail(ErrorKind::kDataLoss, stage_.paths_[at_ - 1], " holds elements of other types or shapes than the element "
             "spec says");
      return true;
    }
    void state(State& s) override {
      s.of("load");
      uint64_t count = count_;
      if (!s.in_files(at_, stage_.paths_.size(), count, file_ != nullptr)) return;
      --at_;
      open();
      Element passed;
      for (; count_ < count; ++count_)
        if (!element(passed)) State::wrong();
    }

   private:
    bool open() {
      if (at_ == stage_.paths_.size()) return false;
      file_ = std::make_unique<InputFile>(stage_.paths_[at_++], stage_.compression_, 1 << 18);
      count_ = 0;
      return true;
    }
    bool element(Element& out) {
      out.clear();
      for (size_t k = 0; k < stage_.types.size(); ++k) {
        if (!read_record(*file_, record_)) {
          if (k == 0) return false;
          fail(ErrorKind::kDataLoss, file_->path(), " ends in the middle of an element");
        }
        out.push_back(tensor_of_message(record_));
      }
      return !out.empty();
    }

    StagePtr held_;
    const Saved& stage_;
    RunPtr run_;
    std::unique_ptr<InputFile> file_;
    std::string record_;
    size_t at_ = 0;
    uint64_t count_ = 0;  // elements of this file that were given
  };
  const std::vector<std::string> paths_;
  const Compression compression_;
};

const MakerOf saved("ElementFileDataset", [](const Making& m) -> Stage* {
  return new Saved(m.texts(0), saved_compression_of(m.attr("compression", std::string())));
});

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail(ErrorKind::kUnknown, path, "; ", std::strerror(errno));
}

// With `sharded` the first tensor of an element is the number of its shard.
void save(KernelContext& context) {
  const Making making(context);
  const std::string folder = making.text(1);
  const Compression compression = saved_compression_of(making.attr("compression", std::string()));
  const bool sharded = making.attr("sharded", false);
  const auto run = std::make_shared<Run>();
  const CursorPtr cursor = making.dataset(0)->start({run, {}});
  std::map<int64_t, RecordWriter> writers;
  Element element;
  int64_t count = 0;
  for (; cursor->next(element); ++count) {
    run->check();
    const int64_t shard = sharded ? *element[0].data<int64_t>() : 0;
    if (shard < 0 || shard >= kMostShards)
      invalid("Dataset.save: shard_func gave the shard ", shard, ": it must be from 0 to ", kMostShards - 1);
    auto writer = writers.find(shard);
    if (writer == writers.end()) {
      char name[32];
      std::snprintf(name, sizeof name, "/%08d.shard", static_cast<int>(shard));
      make_folder(folder + name);
      writer = writers.try_emplace(shard, folder + name + "/00000000.snapshot", compression, -1).first;
    }
    for (size_t k = sharded; k < element.size(); ++k) writer->second.write(tensor_message(element[k]));
  }
  for (auto& [shard, writer] : writers) writer.close();
  context.outputs[0] = Tensor::scalar(count);
}
const KernelOf kSave("SaveElements", save);

}  // namespace
}  // namespace footlight::data
