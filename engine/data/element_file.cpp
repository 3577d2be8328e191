// Writes and reads a tensor: dtype, rank, dimensions, then elements; strings with their lengths.
#include "engine/data/element_file.h"

#include "engine/base/text.h"
#include "engine/data/state.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace footlight::data {
namespace {

constexpr uint64_t kMaxTensors = 1 << 20, kMaxDimensions = 254;

void put(std::string& out, uint64_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }

class Taking {
 public:
  explicit Taking(const std::string& from) : from_(from) {}
  uint64_t number(uint64_t most) {
    uint64_t value;
    std::memcpy(&value, bytes(sizeof value), sizeof value);
    if (value > most) wrong();
    return value;
  }
  const char* bytes(uint64_t count) {
    if (count > from_.size() - at_) wrong();
    const char* here = from_.data() + at_;
    at_ += static_cast<size_t>(count);
    return here;
  }
  uint64_t left() const { return from_.size() - at_; }
  [[noreturn]] static void wrong() {
    throw Error(ErrorKind::kDataLoss, "a record holds no element of a dataset: it was written by something else");
  }

 private:
  const std::string& from_;
  size_t at_ = 0;
};

}  // namespace

std::string packed(const Element& element) {
  std::string out;
  put(out, element.size());
  for (const Tensor& tensor : element) {
    const DType dtype = tensor.dtype();
    if (dtype == DType::kVariant || dtype == DType::kResource)
      invalid("elements that hold ", name_of(dtype), " tensors cannot be written to a file");
    put(out, static_cast<uint64_t>(dtype));
    put(out, static_cast<uint64_t>(tensor.shape().rank()));
    for (const int64_t dim : tensor.shape().dims()) put(out, static_cast<uint64_t>(dim));
    if (dtype == DType::kString) {
      for (int64_t i = 0; i < tensor.elements(); ++i) {
        const std::string& text = tensor.data<std::string>()[i];
        put(out, text.size());
        out += text;
      }
    } else {
      out.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
    }
  }
  return out;
}

Element unpacked(const std::string& record) {
  Taking from(record);
  Element element;
  const uint64_t tensors = from.number(kMaxTensors);
  for (uint64_t t = 0; t < tensors; ++t) {
    const auto dtype = static_cast<DType>(from.number(kDTypeCount - 1));
    if (dtype == DType::kInvalid || dtype == DType::kVariant || dtype == DType::kResource) Taking::wrong();
    std::vector<int64_t> dims(from.number(kMaxDimensions));
    uint64_t elements = 1;
    for (int64_t& dim : dims) {
      dim = static_cast<int64_t>(from.number(INT64_MAX));
      if (__builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements)) Taking::wrong();
    }
    // The record must hold as many bytes as the header claims.
    const uint64_t each = dtype == DType::kString ? sizeof(uint64_t) : size_of(dtype);
    if (each == 0 || elements > from.left() / each) Taking::wrong();
    Tensor tensor = Tensor::empty(dtype, Shape(dims));
    if (dtype == DType::kString) {
      for (uint64_t i = 0; i < elements; ++i) {
        const uint64_t size = from.number(from.left());
        tensor.data<std::string>()[i].assign(from.bytes(size), static_cast<size_t>(size));
      }
    } else {
      std::memcpy(tensor.raw(), from.bytes(elements * each), static_cast<size_t>(elements * each));
    }
    element.push_back(std::move(tensor));
  }
  return element;
}

namespace {
std::string unfinished_name(const std::string& path) {
  static std::atomic<uint64_t> number{0};
  return str(path, ".unfinished-", getpid(), "-", ++number);
}
}  // namespace

ElementWriter::ElementWriter(const std::string& path, Compression compression)
    : path_(path), unfinished_(unfinished_name(path)), writer_(unfinished_, compression, -1) {}

ElementWriter::~ElementWriter() {
  if (!finished_) std::remove(unfinished_.c_str());
}

void ElementWriter::finish() {
  writer_.close();
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0)
    fail(ErrorKind::kUnknown, path_, "; ", std::strerror(errno));
  finished_ = true;
}

namespace {

class Reader final : public Cursor {
 public:
  Reader(StagePtr held, const std::string& path, Compression compression)
      : held_(std::move(held)), file_(path, compression, 1 << 18) {}
  bool next(Element& out) override {
    if (!read_record(file_, record_)) return false;
    out = unpacked(record_);
    check(out);
    ++count_;
    return true;
  }
  void state(State& s) override {
    s.of("file of elements");
    uint64_t count = count_;
    s.number(count);
    while (count_ < count && read_record(file_, record_)) ++count_;
    if (count_ != count) State::wrong();
  }

 private:
  // An older file may hold other elements, but the code that follows was traced for these types.
  void check(const Element& element) const {
    if (!fits(element, held_->types, held_->shapes))
      fail(ErrorKind::kDataLoss, file_.path(), " holds elements of other types or shapes than the dataset's: it was "
           "written for another one");
  }

  StagePtr held_;
  InputFile file_;
  std::string record_;
  uint64_t count_ = 0;
};

}  // namespace

CursorPtr read_elements(StagePtr held, const std::string& path, Compression compression) {
  return std::make_unique<Reader>(std::move(held), path, compression);
}

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace footlight::data
