// Datasets in files, as TensorFlow's Dataset.save writes them: a folder per shard, a record per tensor.
#include "engine/base/text.h"
#include "engine/data/input_file.h"
#include "engine/data/stage_registry.h"
#include "engine/data/tensor_message.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace footlight::data {
namespace {

constexpr int64_t kMaxShards = 100'000;
// Kinds of records: a tensor; a sparse tensor; greater: a ragged tensor of this many parts.
constexpr int64_t kPlain = 0, kSparse = -1;

std::vector<int64_t> parts_of(const Attrs& attrs, const char* types) {
  auto parts = attrs.get_or("parts"_attr, std::vector<int64_t>());
  if (parts.empty()) parts.assign(attrs.get_or(AttrName(types), std::vector<DType>()).size(), kPlain);
  return parts;
}

class Saved final : public Stage {
 public:
  Saved(std::vector<std::string> paths, Compression compression, std::vector<int64_t> parts)
      : paths_(std::move(paths)), compression_(compression), parts_(std::move(parts)) {}
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
      for (size_t k = 0; k < stage_.parts_.size(); ++k) {
        if (!read_record(*file_, record_)) {
          if (k == 0) return false;
          fail(ErrorKind::kDataLoss, file_->path(), " ends in the middle of an element");
        }
        add(out, stage_.parts_[k]);
      }
      return !out.empty();
    }
    // Appends the tensors of a record.
    void add(Element& out, int64_t parts) {
      if (parts == kPlain) {
        out.push_back(tensor_of_message(record_));
        return;
      }
      const size_t from = out.size();
      std::vector<Tensor> made =
          parts == kSparse ? sparse_of_message(record_) : ragged_of_message(record_, static_cast<size_t>(parts) - 1);
      const size_t count = parts == kSparse ? 3 : static_cast<size_t>(parts);
      if (from + count > stage_.types.size())
        fail(ErrorKind::kDataLoss, file_->path(), " holds more tensors than the element spec says");
      if (made.empty())  // without rows, only the spec knows the types
        for (size_t k = 0; k < count; ++k) {
          Tensor tensor = k ? Tensor::empty(DType::kInt64, Shape({1})) : no_rows(from);
          if (k) *tensor.data<int64_t>() = 0;
          made.push_back(std::move(tensor));
        }
      for (Tensor& tensor : made) {
        // Splits get the width of the spec, whatever the file has.
        const DType wanted = stage_.types[out.size()];
        const bool of_splits = parts != kSparse && out.size() > from;
        out.push_back(of_splits && tensor.dtype() != wanted ? as_splits(tensor, wanted) : std::move(tensor));
      }
    }
    Tensor no_rows(size_t component) const {
      std::vector<int64_t> dims{0};
      if (component < stage_.shapes.size() && stage_.shapes[component].rank() > 0)
        for (const int64_t dim : stage_.shapes[component].dims().subspan(1)) dims.push_back(std::max<int64_t>(dim, 0));
      return Tensor::empty(stage_.types[component], Shape(dims));
    }
    static Tensor as_splits(const Tensor& splits, DType wanted) {
      Tensor out = Tensor::empty(wanted, splits.shape());
      for (int64_t i = 0; i < splits.elements(); ++i)
        if (wanted == DType::kInt32 && splits.dtype() == DType::kInt64)
          out.data<int32_t>()[i] = static_cast<int32_t>(splits.data<int64_t>()[i]);
        else if (wanted == DType::kInt64 && splits.dtype() == DType::kInt32)
          out.data<int64_t>()[i] = splits.data<int32_t>()[i];
        else State::wrong();
      return out;
    }

    StagePtr held_;
    const Saved& stage_;
    RunPtr run_;
    std::unique_ptr<InputFile> file_;
    std::string record_;
    size_t at_ = 0;
    uint64_t count_ = 0;  // elements of this file that were yielded
  };
  const std::vector<std::string> paths_;
  const Compression compression_;
  const std::vector<int64_t> parts_;
};

const StageRegistration saved("ElementFileDataset", [](const StageContext& m) -> Stage* {
  return new Saved(m.texts(0), saved_compression_of(m.attr("compression", std::string())),
                   parts_of(m.attrs(), "output_types"));
});

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail(ErrorKind::kUnknown, path, "; ", std::strerror(errno));
}

// With `sharded`, the first tensor of an element is the number of its shard.
void save(KernelContext& context) {
  const StageContext making(context);
  const std::string folder = making.text(1);
  const Compression compression = saved_compression_of(making.attr("compression", std::string()));
  const bool sharded = making.attr("sharded", false);
  std::vector<int64_t> parts = making.attr("parts", std::vector<int64_t>());
  const auto run = std::make_shared<Run>();
  const CursorPtr cursor = making.dataset(0)->start({run, {}});
  std::map<int64_t, RecordWriter> writers;
  Element element;
  int64_t count = 0;
  for (; cursor->next(element); ++count) {
    run->check();
    const int64_t shard = sharded ? *element[0].data<int64_t>() : 0;
    if (shard < 0 || shard >= kMaxShards)
      invalid("Dataset.save: shard_func gave the shard ", shard, ": it must be from 0 to ", kMaxShards - 1);
    auto writer = writers.find(shard);
    if (writer == writers.end()) {
      char name[32];
      std::snprintf(name, sizeof name, "/%08d.shard", static_cast<int>(shard));
      make_folder(folder + name);
      writer = writers.try_emplace(shard, folder + name + "/00000000.snapshot", compression, -1).first;
    }
    if (parts.empty()) parts.assign(element.size() - sharded, kPlain);
    std::span<const Tensor> left(element.begin() + sharded, element.end());
    for (const int64_t part : parts) {
      const size_t size = part == kPlain ? 1 : part == kSparse ? 3 : static_cast<size_t>(part);
      const std::span<const Tensor> own = left.first(size);
      writer->second.write(part == kPlain ? tensor_message(own[0]) : part == kSparse ? sparse_message(own)
                                                                                     : ragged_message(own));
      left = left.subspan(size);
    }
  }
  for (auto& [shard, writer] : writers) writer.close();
  context.outputs[0] = Tensor::scalar(count);
}
const KernelRegistration kSave("SaveElements", save);

}  // namespace
}  // namespace footlight::data
