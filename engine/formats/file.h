// Files of the system: a descriptor that closes itself, errors that name the file, and writing so that no half file is
// ever seen under its name.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace footlight::formats {

// The error of the last call of the system: kNotFound, kPermissionDenied, ... with the file and what was tried.
[[noreturn]] void fail_as_system(const char* what, const std::string& path);

class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& o) noexcept : descriptor_(std::exchange(o.descriptor_, -1)) {}
  File& operator=(File&& o) noexcept { std::swap(descriptor_, o.descriptor_); return *this; }
  ~File();
  static File open_to_read(const std::string& path);
  static File create(const std::string& path);

  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  size_t size(const std::string& path) const;
  void write(std::string_view bytes, const std::string& path) const;
  // As many bytes as asked for, or false: the file ends before.
  bool read_at(size_t offset, char* to, size_t count, const std::string& path) const;
  // What was written survives the machine as well.
  void sync(const std::string& path) const;
  void close(const std::string& path);

 private:
  int descriptor_ = -1;
};

// A new file beside `path` that takes its name when it is finished; it is removed if that does not happen.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  void write(std::string_view bytes) { file_.write(bytes, temporary_); }
  void finish();  // takes the name
  const std::string& path() const { return path_; }

 private:
  const std::string path_, temporary_;
  File file_;
  bool finished_ = false;
};

// Replaces the file `path` by one with these contents.
void write_file(const std::string& path, std::string_view bytes);
// The whole of a file of at most `most` bytes; throws kDataLoss for a larger one.
std::string read_file(const std::string& path, size_t most);
bool exists(const std::string& path);
void rename_file(const std::string& from, const std::string& to);

}  // namespace footlight::formats
