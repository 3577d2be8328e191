// A file of another program, read from its begin to its end; what is compressed with gzip is unpacked on the way.
#pragma once

#include "engine/foreign/progress.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace footlight::foreign {

// Bytes in pieces, so that a file needs no memory of its size.
class Input {
 public:
  virtual ~Input() = default;
  // The next piece, which lives until the next call; empty: the end. Throws kCancelled, and kIo where the file fails.
  virtual std::string_view next() = 0;
  // Why next() ended before the file was complete: "the compressed data end too early"; empty if it was complete.
  virtual const std::string& damage() const = 0;
};

// Throws kNotFound or kIo in words for the user.
std::unique_ptr<Input> open_input(const std::string& path, Progress& progress);
// The same over bytes, for tests.
std::unique_ptr<Input> input_of(std::string_view bytes);

// The first bytes of a file, unpacked; empty if it cannot be read.
std::string first_bytes(const std::string& path, size_t most);
// All of a file, unpacked. Throws kValue beyond `most` bytes.
std::string all_bytes(const std::string& path, size_t most, Progress& progress);

// What an importer reads: a file, or bytes in place of one, for tests.
class Source {
 public:
  Source(std::string path, Progress& progress) : path_(std::move(path)), progress_(progress) {}
  Source(std::string_view bytes, std::string path, Progress& progress)
      : path_(std::move(path)), bytes_(bytes), is_bytes_(true), progress_(progress) {}
  std::unique_ptr<Input> open() const { return is_bytes_ ? input_of(bytes_) : open_input(path_, progress_); }
  // Throws kValue beyond `most` bytes.
  std::string all(size_t most) const;
  std::string first(size_t most) const;  // empty if it cannot be read
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string_view bytes_;
  bool is_bytes_ = false;
  Progress& progress_;
};

}  // namespace footlight::foreign
