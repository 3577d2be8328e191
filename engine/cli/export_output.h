// Where an export goes: a file that appears only when it is complete, or standard output. And its progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::cli {

// What a command writes, and how it knows an earlier one again: by how its name ends, or else by how it begins.
struct OutputKind {
  const char* name;  // "a CSV table"
  std::vector<std::string_view> endings;
  bool (*begins_as_one)(std::string_view first);
  bool is_binary = false;
};

class Output {
 public:
  // Empty `path` or "-": standard output. Only a file of this kind, or an empty one, is replaced, and never `session`;
  // pipes and devices are written to. Binary output is not for terminals. Throws Error, as all of this.
  Output(const std::string& path, const std::string& session, const OutputKind& kind);
  ~Output();  // without finish(): a file is as it was before
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBuffer) flush();
  }
  void finish();

 private:
  static constexpr size_t kBuffer = 1 << 18;
  void flush();
  [[noreturn]] void fail_here(const char* what) const;

  std::string path_;       // for messages
  std::string final_;      // the temporary file becomes this one; empty: it is written directly
  std::string buffer_;
  int file_ = -1;
  bool is_terminal_ = false;  // gets no control characters
  bool is_borrowed_ = false;  // standard output, or another descriptor that was open before
};

// "exporting: 40 %" on a terminal, after half a second.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void expect(uint64_t rows) { expected_ += rows; }
  void add(uint64_t rows);
  void show(const char* what, double share);

 private:
  std::chrono::steady_clock::time_point next_;
  uint64_t expected_ = 0, done_ = 0;
  bool terminal_ = false, shown_ = false;
};

}  // namespace footlight::cli
