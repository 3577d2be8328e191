// Plain files and gzip, told apart by their first bytes.
#include "engine/foreign/input.h"

#include "engine/base/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace footlight::foreign {
namespace {

constexpr size_t kPiece = 1 << 20;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : path_(path) {
    number_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat s {};
    if (number_ < 0 || fstat(number_, &s) != 0) {
      const int error = errno;
      if (number_ >= 0) close(number_);
      fail(error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo, "cannot open ", path, ": ", std::strerror(error));
    }
    if (!S_ISREG(s.st_mode)) {
      close(number_);
      fail(ErrorKind::kIo, path, " is not a file");
    }
    size_ = s.st_size;
  }
  ~OpenFile() { close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  size_t read(char* to, size_t most) {
    for (;;) {
      const ssize_t got = ::read(number_, to, most);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(ErrorKind::kIo, "cannot read ", path_, ": ", std::strerror(errno));
      done_ += got;
      return static_cast<size_t>(got);
    }
  }
  double share() const {
    return size_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(size_)) : 1;
  }

 private:
  std::string path_;
  int number_ = -1;
  int64_t size_ = 0, done_ = 0;
};

class FileInput : public Input {
 public:
  FileInput(const std::string& path, Progress& progress) : file_(path), progress_(progress), piece_(kPiece) {}
  std::string_view next() override {
    progress_.at(file_.share());
    return {piece_.data(), file_.read(piece_.data(), piece_.size())};
  }
  const std::string& damage() const override { return damage_; }

 protected:
  OpenFile file_;
  Progress& progress_;
  std::vector<char> piece_;
  std::string damage_;
};

class GzipInput : public FileInput {
 public:
  GzipInput(const std::string& path, Progress& progress) : FileInput(path, progress), unpacked_(kPiece) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail(ErrorKind::kMemory, "there is no memory to unpack ", path);
  }
  ~GzipInput() override { inflateEnd(&stream_); }

  std::string_view next() override {
    stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    stream_.avail_out = static_cast<uInt>(unpacked_.size());
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0 && !refill()) break;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        // Other members may follow: the file is then all of them in a row.
        within_ = false;
        if (stream_.avail_in == 0 && !refill()) break;
        if (inflateReset(&stream_) != Z_OK) ended_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        // Bytes behind the last member that are no gzip are ignored, as gunzip does.
        if (members_ == 0 || within_) damage_ = "the compressed data are damaged";
        ended_ = true;
      } else {
        within_ = within_ || stream_.total_out > 0;
        if (stream_.total_out > 0) members_ = 1;
      }
    }
    return {unpacked_.data(), unpacked_.size() - stream_.avail_out};
  }

 private:
  bool refill() {
    const std::string_view more = FileInput::next();
    if (more.empty()) {
      ended_ = true;
      if (within_) damage_ = "the compressed data end too early";
      return false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(more.data()));
    stream_.avail_in = static_cast<uInt>(more.size());
    return true;
  }
  z_stream stream_{};
  std::vector<char> unpacked_;
  bool ended_ = false, within_ = false;
  int members_ = 0;
};

class BytesInput : public Input {
 public:
  explicit BytesInput(std::string_view bytes) : bytes_(bytes) {}
  std::string_view next() override {
    const std::string_view piece = bytes_.substr(0, kPiece);
    bytes_.remove_prefix(piece.size());
    return piece;
  }
  const std::string& damage() const override { return none_; }

 private:
  std::string_view bytes_;
  std::string none_;
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

std::unique_ptr<Input> open_input(const std::string& path, Progress& progress) {
  char begin[2];
  const size_t got = OpenFile(path).read(begin, sizeof begin);
  if (is_gzip({begin, got})) return std::make_unique<GzipInput>(path, progress);
  return std::make_unique<FileInput>(path, progress);
}

std::unique_ptr<Input> input_of(std::string_view bytes) { return std::make_unique<BytesInput>(bytes); }

std::string first_bytes(const std::string& path, size_t most) {
  std::string found;
  try {
    Progress progress;
    const auto input = open_input(path, progress);
    while (found.size() < most) {
      const std::string_view piece = input->next();
      if (piece.empty()) break;
      found += piece.substr(0, most - found.size());
    }
  } catch (const Error&) {
    found.clear();
  }
  return found;
}

std::string all_bytes(const std::string& path, size_t most, Progress& progress) {
  const auto input = open_input(path, progress);
  std::string found;
  for (std::string_view piece; !(piece = input->next()).empty(); found += piece)
    if (found.size() + piece.size() > most) fail(ErrorKind::kValue, path, " is larger than ", bytes_text(most));
  return found;
}

std::string Source::all(size_t most) const {
  return is_bytes_ ? std::string(bytes_.substr(0, most)) : all_bytes(path_, most, progress_);
}

std::string Source::first(size_t most) const {
  return is_bytes_ ? std::string(bytes_.substr(0, most)) : first_bytes(path_, most);
}

}  // namespace footlight::foreign
